//! Moving through lists and over trees with the same keys on every screen.

use crate::workbench::command::Command;
use crate::workbench::screen::View;
use ratatui::layout::Rect;
use std::ops::Range;

const fn command(name: &'static str, keys: &'static [&'static str], help: &'static str) -> Command {
    Command { name, keys, help, short: "" }
}

/// Moves the selection in a list; see [`moved`].
pub const LIST: &[Command] = &[
    command("down", &["Down", "j"], "Select the next row"),
    command("up", &["Up", "k"], "Select the row before"),
    command("page-down", &["PageDown", "Ctrl-d"], "Go ten rows down"),
    command("page-up", &["PageUp", "Ctrl-u"], "Go ten rows up"),
    command("first", &["Home", "g"], "Select the first row"),
    command("last", &["End", "G"], "Select the last row"),
];

/// Scrolls what stands beside a list; see [`scrolled`].
pub const SCROLL_ROWS: &[Command] = &[
    command("scroll-up", &["Shift-Up", "K"], "Scroll what stands beside the list up"),
    command("scroll-down", &["Shift-Down", "J"], "Scroll it down"),
];

/// Scrolls wide trees; see [`scrolled`].
pub const SCROLL_COLUMNS: &[Command] = &[
    command("scroll-left", &["Left", "h"], "Scroll trees to the left"),
    command("scroll-right", &["Right", "l"], "Scroll trees to the right"),
];

/// All of them.
pub const ALL: [&[Command]; 3] = [LIST, SCROLL_ROWS, SCROLL_COLUMNS];

/// Rows of a page.
const PAGE: usize = 10;
/// Columns and rows of one scroll.
const SCROLL: (isize, isize) = (8, 3);

/// Where the selection in a list of `len` rows goes; `None` if the command moves no selection.
pub fn moved(name: &str, at: usize, len: usize) -> Option<usize> {
    let last = len.saturating_sub(1);
    Some(match name {
        "down" => (at + 1).min(last),
        "up" => at.saturating_sub(1),
        "page-down" => (at + PAGE).min(last),
        "page-up" => at.saturating_sub(PAGE),
        "first" => 0,
        "last" => last,
        _ => return None,
    })
}

/// Columns and rows by which a command scrolls trees; `None` if it scrolls none.
pub fn scrolled(name: &str) -> Option<(isize, isize)> {
    Some(match name {
        "scroll-left" => (-SCROLL.0, 0),
        "scroll-right" => (SCROLL.0, 0),
        "scroll-up" => (0, -SCROLL.1),
        "scroll-down" => (0, SCROLL.1),
        _ => return None,
    })
}

/// Rows to draw of a list so that the selected one is in view, in the middle where it can be.
pub fn visible(at: usize, len: usize, height: usize) -> Range<usize> {
    let start = at.saturating_sub(height / 2).min(len.saturating_sub(height));
    start..len.min(start + height)
}

/// The same for an area with one row a line, where the mouse can choose them: a click comes to the
/// screen as [`Input::Point`](crate::workbench::screen::Input::Point) with the name of the list.
pub fn rows(view: &View, list: &'static str, area: Rect, at: usize, len: usize) -> Range<usize> {
    let visible = visible(at, len, usize::from(area.height));
    view.list(list, area, visible.start, at, len);
    visible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_stays_within_the_list() {
        assert_eq!(moved("down", 4, 5), Some(4));
        assert_eq!(moved("page-up", 3, 5), Some(0));
        assert_eq!(moved("last", 0, 5), Some(4));
        assert_eq!(moved("down", 0, 0), Some(0));
        assert_eq!(moved("help", 0, 5), None);
    }

    #[test]
    fn the_visible_rows_hold_the_selected_one_and_fill_the_height() {
        for len in 0..30 {
            for at in 0..len {
                for height in 1..12 {
                    let rows = visible(at, len, height);
                    assert!(rows.contains(&at), "{at} of {len} in {height}: {rows:?}");
                    assert_eq!(rows.len(), height.min(len));
                }
            }
        }
    }
}
