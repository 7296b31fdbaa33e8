//! What tables have in common.

use crate::workbench::screen::View;
use crate::workbench::widgets::pane;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders};

/// A pane; where rows are scarce it has a line on top and none below.
pub fn frame_of<'a>(title: &str, area: Rect, focused: bool, view: &View) -> Block<'a> {
    let block = pane(title, view.theme, focused);
    if area.height > 12 { block } else { block.borders(Borders::TOP) }
}

/// A row of pieces in their styles; the selected one is set apart as a whole.
pub fn draw_row(
    frame: &mut Frame,
    area: Rect,
    pieces: Vec<(String, Style)>,
    is_selected: bool,
    view: &View,
) {
    let base = if is_selected { view.theme.selected } else { view.theme.text };
    frame.buffer_mut().set_style(area, base);
    let span =
        |(text, style): (String, Style)| Span::styled(text, if is_selected { base } else { style });
    frame.render_widget(Line::from_iter(pieces.into_iter().map(span)), area);
}

/// A heading, and the place below it.
pub fn with_heading(frame: &mut Frame, area: Rect, heading: &str, view: &View) -> Rect {
    let head = Rect { height: area.height.min(1), ..area };
    frame.render_widget(Line::styled(heading.to_owned(), view.theme.dim), head);
    Rect { y: area.y + head.height, height: area.height - head.height, ..area }
}

/// A figure with so many decimals in so many columns; a dash where there is none.
pub fn cell(value: Option<f64>, width: usize, decimals: usize) -> String {
    match value {
        Some(value) => {
            let text = format!("{value:.decimals$}");
            // A long one loses decimals, not its order of magnitude.
            let text = if text.len() > width { format!("{value:.0}") } else { text };
            let text = if text.len() > width { format!("{value:.1e}") } else { text };
            format!("{text:>width$}")
        }
        None => format!("{:>width$}", "–"),
    }
}

/// The same with a sign, and nothing for 0.
pub fn signed(value: Option<f64>, width: usize, decimals: usize) -> String {
    match value {
        Some(0.0) => format!("{:>width$}", "·"),
        Some(value) if value > 0.0 => {
            let text = cell(Some(value), width - 1, decimals);
            format!("{:>width$}", format!("+{}", text.trim_start()))
        }
        other => cell(other, width, decimals),
    }
}
