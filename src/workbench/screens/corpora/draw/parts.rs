//! Pieces that several parts of the screen paint: rows, lines, rankings, histograms.

use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, fit};
use crate::workbench::widgets::{bar, pane};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::Paragraph;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A row in one style over its whole width.
pub(super) fn draw_row(frame: &mut Frame, area: Rect, text: &str, style: Style) {
    frame.buffer_mut().set_style(area, style);
    let text = fit(text, usize::from(area.width)).into_owned();
    frame.render_widget(Line::styled(text, style), area);
}

/// Lines in a pane.
pub(super) fn draw_lines(
    frame: &mut Frame,
    area: Rect,
    title: &str,
    lines: Vec<Line>,
    view: &View,
) {
    let block = pane(title, view.theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines), inside);
}

/// The most frequent first, with bars.
pub(super) fn ranking<'a>(
    counts: &BTreeMap<Arc<str>, u64>,
    width: usize,
    style: Style,
) -> Vec<Line<'a>> {
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    let largest = sorted.first().map_or(1, |(_, n)| **n) as f64;
    let name_width = 12.min(width);
    let bar_width = width.saturating_sub(name_width + 10).min(40);
    let line = |(label, n): (&Arc<str>, &u64)| {
        let label = fit(&clean(label), name_width - 1).into_owned();
        let bar = bar(*n as f64 / largest, bar_width);
        Line::styled(format!("{label:<name_width$}{:>8}  {bar}", count(*n)), style)
    };
    match sorted.is_empty() {
        true => vec![Line::raw("none in these files")],
        false => sorted.into_iter().map(line).collect(),
    }
}

/// Counts by a number, as many numbers to a row as make them all fit.
pub(super) fn draw_histogram(
    counts: &BTreeMap<usize, u64>,
    title: &str,
    frame: &mut Frame,
    area: Rect,
    view: &View,
) {
    let block = pane(title, view.theme, false);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let rows = usize::from(inside.height);
    let Some((&longest, _)) = counts.last_key_value() else {
        let none = Line::styled("none: there is no tree", view.theme.dim);
        return frame.render_widget(none, inside);
    };
    if rows == 0 {
        return;
    }
    let step = (longest / rows + 1).max(1);
    let mut bins = vec![0u64; longest / step + 1];
    for (number, n) in counts {
        bins[number / step] += n;
    }
    let largest = bins.iter().copied().max().unwrap_or(1).max(1) as f64;
    let bar_width = usize::from(inside.width).saturating_sub(18).min(60);
    let lines: Vec<Line> = bins
        .iter()
        .enumerate()
        .take(rows)
        .map(|(i, n)| {
            let range = match step {
                1 => format!("{i}"),
                _ => format!("{}–{}", i * step, (i + 1) * step - 1),
            };
            let bar = bar(*n as f64 / largest, bar_width);
            Line::styled(format!("{range:>8} {bar} {}", count(*n)), view.theme.text)
        })
        .collect();
    frame.render_widget(Paragraph::new(lines), inside);
}
