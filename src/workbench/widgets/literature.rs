//! Published figures beside those of runs, told apart from them in every line.

use crate::evaluation::Literature;
use crate::workbench::text::fit;
use crate::workbench::theme::Theme;
use ratatui::text::{Line, Span};

/// Columns of a model's name where there is room for its source as well.
const NAME: usize = 29;
/// From this width on, sources are named.
const SOURCES: usize = 64;

/// Says what the rows are, wherever they stand.
pub fn title() -> String {
    format!("Literature: {}, not this corpus", Literature::get().corpus)
}

/// Rows of grammars or of language models below a line of headings.
pub fn lines<'a>(trees: bool, width: usize, theme: &Theme) -> Vec<Line<'a>> {
    let heads: &[&str] = if trees { &["S-F1"] } else { &["ppl dev", "test"] };
    let figures = heads.len() * 8;
    let sources = width >= SOURCES;
    let name = if sources { NAME } else { width.saturating_sub(figures) };
    let head: String = heads.iter().map(|head| format!("{head:>8}")).collect();
    let mut lines = vec![Line::styled(format!("{:<name$}{head}", ""), theme.dim)];
    for row in Literature::get().rows_of(trees) {
        let values =
            if trees { vec![row.s_f1] } else { vec![row.perplexity_dev, row.perplexity_test] };
        let value = |v: Option<f64>| v.map_or("-".to_owned(), |v| format!("{v:.1}"));
        let values: String = values.into_iter().map(|v| format!("{:>8}", value(v))).collect();
        let model = fit(&row.model, name).into_owned();
        let mut spans = vec![
            Span::styled(format!("{model:<name$}"), theme.reference),
            Span::styled(values, theme.reference),
        ];
        if sources {
            let room = width.saturating_sub(name + figures + 2);
            spans.push(Span::styled(format!("  {}", fit(&row.source, room)), theme.dim));
        }
        lines.push(Line::from(spans));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::theme::ThemeName;

    #[test]
    fn lines_fit_their_width_and_name_their_sources_where_there_is_room() {
        let theme = Theme::new(ThemeName::Dark, true);
        for trees in [true, false] {
            for width in [30, 40, 64, 80, 120] {
                let lines = lines(trees, width, &theme);
                assert!(lines.iter().all(|line| line.width() <= width), "{lines:?}");
                let told = lines.iter().any(|line| line.to_string().contains("Yang, Liu"));
                assert_eq!(told, width >= SOURCES, "{lines:?}");
            }
        }
        assert!(title().ends_with("PTB, not this corpus"));
    }
}
