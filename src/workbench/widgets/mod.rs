//! Pieces that several screens draw.

pub mod chart;
mod fold;
pub mod literature;
pub mod moves;
mod tree_pane;

pub use fold::Fold;
pub use tree_pane::{TreeLayout, TreePane, charset, ink_style};

use super::screen::View;
use super::shared::{RunEntry, Standing};
use super::text;
use super::theme::Theme;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Padding, Paragraph};

/// What to see of a run whose folder has vanished, where nothing was read before.
pub const GONE: [&str; 2] = [
    "the folder of this run is gone: it was removed or moved",
    "press <.runs> to choose another run, or <.train> to start one",
];

/// A titled pane; `focused` where it has the keys.
pub fn pane<'a>(title: impl Into<String>, theme: &Theme, focused: bool) -> Block<'a> {
    let title = title.into();
    let block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(if focused { theme.focus } else { theme.border })
        .padding(Padding::horizontal(1));
    if title.is_empty() {
        block
    } else {
        block.title(Span::styled(format!(" {title} "), theme.title))
    }
}

/// What to see where there is nothing: a sentence, and below it what to press next. Lines may name
/// commands, see [`View::say`].
pub fn empty_state(frame: &mut Frame, area: Rect, title: &str, lines: &[&str], view: &View) {
    let theme = view.theme;
    let block = pane(title, theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inside.width.max(1));
    let parts = |(i, line): (usize, &&str)| {
        let style = if i == 0 { theme.text } else { theme.dim };
        text::wrap(&view.say(line), width).into_iter().map(move |part| Line::styled(part, style))
    };
    let text: Vec<Line> = lines.iter().enumerate().flat_map(parts).collect();
    let height = (text.len() as u16).min(inside.height);
    let place = Rect { y: inside.y + (inside.height - height) / 3, height, ..inside };
    frame.render_widget(Paragraph::new(text).centered(), place);
}

/// A bar of `width` columns with eighths, for progress and shares.
pub fn bar(share: f64, width: usize) -> String {
    let share = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let eighths = (share * width as f64 * 8.0).round() as usize;
    let (full, rest) = (eighths / 8, eighths % 8);
    let mut out = "█".repeat(full);
    if rest > 0 && full < width {
        out.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][rest - 1]);
    }
    let used = full + usize::from(rest > 0 && full < width);
    out.push_str(&"░".repeat(width - used));
    out
}

/// Symbol, word and style of how a run stands.
pub fn state_label(run: &RunEntry, theme: &Theme) -> (&'static str, &'static str, Style) {
    let standing = run.standing();
    let (symbol, style) = match standing {
        Standing::Running => ("▶", theme.good),
        Standing::Paused => ("‖", theme.warning),
        Standing::Stopped => ("■", theme.dim),
        Standing::Finished => ("✓", theme.good),
        Standing::Failed | Standing::Gone => ("✗", theme.error),
        Standing::Died => ("✗", theme.warning),
        Standing::Unknown => ("·", theme.dim),
    };
    (symbol, standing.word(), style)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_wide_as_asked() {
        for share in [-1.0, 0.0, 0.01, 0.5, 0.99, 1.0, 7.0, f64::NAN] {
            assert_eq!(bar(share, 10).chars().count(), 10, "{share}");
        }
        assert_eq!(bar(0.5, 4), "██░░");
        assert_eq!(bar(1.0, 4), "████");
    }
}
