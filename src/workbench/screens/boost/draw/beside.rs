//! Panes for trees that are compared.

use crate::workbench::screen::View;
use crate::workbench::widgets::{TreePane, empty_state, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Borders};

/// From this width on, trees stand side by side.
pub const WIDE: u16 = 100;
/// From this height on, trees stand one above the other in narrow terminals.
pub const TALL: u16 = 24;

/// A pane; where rows are scarce it has a line on top and none below.
pub(super) fn frame_of<'a>(title: String, area: Rect, focused: bool, view: &View) -> Block<'a> {
    let block = pane(title, view.theme, focused);
    if area.height > 12 { block } else { block.borders(Borders::TOP) }
}

/// Places for two trees.
pub(super) fn beside(area: Rect) -> (Rect, Rect) {
    let split = [Constraint::Fill(1), Constraint::Fill(1)];
    // Trees need rows more than columns.
    let areas: [Rect; 2] = if area.width >= WIDE || area.height < TALL {
        Layout::horizontal(split).areas(area)
    } else {
        Layout::vertical(split).areas(area)
    };
    areas.into()
}

pub(super) fn draw_pane(
    frame: &mut Frame,
    area: Rect,
    title: &str,
    tree: Option<&TreePane>,
    view: &View,
) {
    match tree {
        Some(tree) => {
            let block = frame_of(String::new(), area, false, view);
            tree.draw_framed(frame, area, block, title, view.theme);
        }
        None => empty_state(frame, area, title, &["reading the analyses"], view),
    }
}
