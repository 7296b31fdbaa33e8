//! What Grammar shows of an HMM: a state with what stands around it, and a map of transitions.

use super::compute::TransitionMap;
use super::shared::{FIRST, WIDE, draw_lines, named};
use super::{Computed, Grammar};
use crate::analysis::listing::Kind;
use crate::workbench::screen::View;
use crate::workbench::text::figure;
use crate::workbench::widgets::pane;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns of the names of rows.
const NAMES: u16 = 7;
/// Successors, and predecessors, shown before the gold tags in a narrow terminal.
const AROUND: usize = 4;

/// What is known of a state, as lines.
pub(super) struct Parts<'a> {
    pub numbers: Vec<Line<'a>>,
    pub gold: Vec<Line<'a>>,
    pub words: Vec<Line<'a>>,
    pub similar: Vec<Line<'a>>,
    /// Successors, then predecessors.
    pub around: [Vec<Line<'a>>; 2],
}

/// Side by side where there is room, else what stands first is what there is room for.
pub(super) fn draw_detail(screen: &Grammar, parts: Parts, frame: &mut Frame, area: Rect) {
    let Parts { numbers, gold, words, similar, around: [successors, predecessors] } = parts;
    let blank = || [Line::default()];
    let own = numbers.into_iter();
    if area.width < WIDE - 40 {
        let lines = own
            .chain(words.into_iter().take(1 + FIRST).chain(blank()))
            .chain(successors.into_iter().take(1 + AROUND).chain(blank()))
            .chain(predecessors.into_iter().take(1 + AROUND).chain(blank()))
            .chain(similar.into_iter().take(1 + AROUND).chain(blank()))
            .chain(gold);
        return draw_lines(frame, area, lines.collect(), screen.scroll);
    }
    let columns: [Rect; 4] = Layout::horizontal([Constraint::Fill(1); 4]).spacing(2).areas(area);
    let own = own.chain(gold).collect();
    // As many words as leave room for the states that are like it.
    let rows = usize::from(area.height).saturating_sub(1 + similar.len()).max(1 + FIRST);
    let words = words.into_iter().take(rows).chain(blank()).chain(similar).collect();
    for (column, lines) in columns.into_iter().zip([own, words, successors, predecessors]) {
        draw_lines(frame, column, lines, screen.scroll);
    }
}

/// Successors and predecessors, each below its heading.
pub(super) fn around<'a>(
    screen: &Grammar,
    computed: &Computed,
    state: usize,
    view: &View,
) -> [Vec<Line<'a>>; 2] {
    let theme = view.theme;
    let found = screen.neighbours.get(&state);
    let part = |name: &'static str, states: Option<&Vec<(usize, f64)>>| {
        let mut lines = vec![Line::styled(name, theme.title)];
        let Some(states) = states else {
            lines.push(Line::styled("reading them off the weights", theme.dim));
            return lines;
        };
        lines.extend(states.iter().map(|&(state, share)| {
            Line::from(vec![
                Span::styled(format!("{:>7}  ", figure(share)), theme.dim),
                Span::styled(named(computed, Kind::States, state), theme.text),
            ])
        }));
        lines
    };
    [
        part("successors", found.map(|f| &f.successors)),
        part("predecessors", found.map(|f| &f.predecessors)),
    ]
}

/// Probabilities in the key to the map.
const KEY: [f64; 4] = [0.05, 0.25, 0.5, 1.0];
/// Rows of the key.
const KEY_ROWS: u16 = 2;

/// The root, so that the many small ones can be told apart.
fn shade(probability: f64) -> f64 {
    probability.max(0.0).sqrt()
}

/// p(column | row) among the most used states, as many as there is room for.
pub(super) fn draw_map(
    screen: &Grammar,
    map: &TransitionMap,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let theme = view.theme;
    let title = match area.width {
        ..WIDE => "Transitions",
        _ => "Transitions among the most used states",
    };
    let block = pane(title, theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let names: Vec<String> = map.states.iter().map(|&s| Kind::States.name_of(s)).collect();
    // A column is named downwards, by its number alone.
    let digits = names.iter().map(|name| name.len() - 1).max().unwrap_or(0) as u16;
    let above = digits + KEY_ROWS;
    let shown = usize::from(inside.width.saturating_sub(NAMES) / 2)
        .min(usize::from(inside.height.saturating_sub(above)))
        .min(names.len());
    let mut key = Vec::new();
    for p in KEY {
        let (text, style) = theme.heat(shade(p));
        key.extend([Span::styled(text, style), Span::styled(format!(" {p}  "), theme.text)]);
    }
    let key = vec![Line::styled("p(column | row)", theme.dim), Line::from(key)];
    frame
        .render_widget(Paragraph::new(key), Rect { height: inside.height.min(KEY_ROWS), ..inside });
    let selected = screen.symbol();
    let buffer = frame.buffer_mut();
    for (at, name) in names.iter().take(shown).enumerate() {
        let is_selected = Some(map.states[at]) == selected;
        let style = if is_selected { theme.selected } else { theme.text };
        let (x, y) = (inside.x + NAMES + 2 * at as u16, inside.y + above + at as u16);
        buffer.set_string(inside.x, y, format!("{name:>6}"), style);
        let top = above - (name.len() as u16 - 1);
        for (row, digit) in (inside.y + top..).zip(name.chars().skip(1)) {
            buffer.set_string(x + 1, row, digit.to_string(), style);
        }
        for (&p, column) in map.rows[at].iter().take(shown).zip(0u16..) {
            let (text, style) = theme.heat(shade(p));
            buffer.set_string(inside.x + NAMES + 2 * column, y, text, style);
        }
    }
}
