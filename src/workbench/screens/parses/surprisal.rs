//! The surprisals of the sentence in view, as a map in lines or as bars in rows.

use crate::render::{Ink, Role, ScoredSentence, SurprisalUnit, surprisal_lines, surprisal_rows};
use crate::workbench::screen::SMALLEST;
use crate::workbench::theme::Theme;
use crate::workbench::widgets::{TreePane, charset, ink_style};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

/// How surprisals are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Lines,
    Bars,
}

/// A sentence and the place from which it is seen. Lines are broken to the width of the pane, so
/// they are laid out when they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct SurprisalPane {
    pub sentence: ScoredSentence,
    column: usize,
    /// First rows of the lines and of the bars.
    line: usize,
    bar: usize,
}

impl SurprisalPane {
    pub fn new(sentence: ScoredSentence) -> SurprisalPane {
        SurprisalPane { sentence, column: 0, line: 0, bar: 0 }
    }

    /// Moves the place, no further down than the narrowest pane has rows.
    pub fn scroll(&mut self, (columns, rows): (isize, isize), unit: SurprisalUnit) {
        let narrow = usize::from(SMALLEST.0) - 4;
        let lines = surprisal_lines(&self.sentence, unit, narrow, Default::default()).height();
        let to = |at: usize, by: isize, len: usize| {
            at.saturating_add_signed(by).min(len.saturating_sub(1))
        };
        self.column = to(self.column, columns, narrow);
        self.line = to(self.line, rows, lines);
        self.bar = to(self.bar, rows, self.sentence.tokens.len());
    }

    /// Rows that the lines take in a pane of that width, its frame included.
    pub fn lines_in(&self, width: u16, unit: SurprisalUnit) -> u16 {
        let columns = usize::from(width.saturating_sub(4));
        let picture = surprisal_lines(&self.sentence, unit, columns, Default::default());
        (picture.height() as u16).saturating_add(2)
    }

    pub fn draw(
        &self,
        frame: &mut Frame,
        area: Rect,
        block: Block,
        (look, unit): (Look, SurprisalUnit),
        theme: &Theme,
    ) {
        let columns = usize::from(block.inner(area).width);
        let name = unit.name();
        let (title, row, picture) = match look {
            Look::Lines => (
                format!("Surprisal, {name}"),
                self.line,
                surprisal_lines(&self.sentence, unit, columns, charset(theme)),
            ),
            Look::Bars => (
                format!("Surprisal, {name}, word by word"),
                self.bar,
                surprisal_rows(&self.sentence, unit, charset(theme)),
            ),
        };
        let mut pane = TreePane::picture(picture);
        pane.scroll((self.column as isize, row as isize));
        pane.draw_framed(frame, area, block, &title, theme);
    }
}

/// The key to the map: each shade with the surprisal that it begins at; and whose they are, where
/// that is not the evaluation's.
pub fn key<'a>(unit: SurprisalUnit, weights: Option<String>, theme: &Theme) -> Line<'a> {
    let mut spans = vec![Span::styled(format!(" {} from  ", unit.name()), theme.dim)];
    for step in unit.steps(charset(theme)) {
        let style = ink_style(Ink { role: Role::Heat(step.percent), ..Ink::default() }, theme);
        let sign = if style.bg.is_some() { " " } else { step.sign };
        spans.push(Span::styled(sign.repeat(2), style));
        let from = format!("{:.1}", step.from);
        spans.push(Span::styled(format!(" {}  ", from.trim_end_matches(".0")), theme.text));
    }
    spans.extend(weights.map(|weights| Span::styled(format!(" {weights}"), theme.text)));
    Line::from(spans)
}
