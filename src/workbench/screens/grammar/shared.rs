//! What the detail panes of grammars and of states have in common.

use super::Computed;
use crate::analysis::listing::Kind;
use crate::workbench::text::{clean, fit};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;

/// Expansions or words shown before the gold labels in a narrow terminal.
pub(super) const FIRST: usize = 6;

/// From this width on, the detail pane has two columns.
pub(super) const WIDE: u16 = 120;

pub(super) fn draw_lines(frame: &mut Frame, area: Rect, lines: Vec<Line>, scroll: usize) {
    let start = scroll.min(lines.len().saturating_sub(usize::from(area.height)));
    frame.render_widget(Paragraph::new(lines).scroll((start as u16, 0)), area);
}

/// Name of a symbol with what it mostly covers.
pub(super) fn named(computed: &Computed, kind: Kind, symbol: usize) -> String {
    let statistics = kind.of(&computed.symbols).get(symbol);
    let hint = statistics.and_then(|s| match s.gold.first() {
        Some(cover) => Some(cover.label.to_string()),
        None => s.yields.first().map(|y| y.words.clone()),
    });
    match hint {
        Some(hint) => format!("{} ({})", kind.name_of(symbol), fit(&clean(&hint), 12)),
        None => kind.name_of(symbol),
    }
}
