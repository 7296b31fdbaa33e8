//! A line chart that leaves no point out and invents none.
//!
//! Every column of dots shows the first, last, least and greatest of its points
//! (see [`crate::workbench::series`]); lines join neighbouring points and stop at
//! values that are not finite, which are marked at the edge instead.

mod axis;
mod canvas;
mod times;

pub use axis::Scale;
pub use canvas::Canvas;
pub use times::{place, ticks as time_ticks};

use crate::workbench::clock::{Along, XAxis};
use crate::workbench::series::{Extent, Series};
use crate::workbench::text;
use crate::workbench::theme::Theme;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;
use std::ops::Range;
use unicode_width::UnicodeWidthStr;

/// Columns for the values beside the vertical axis.
const LABELS: u16 = axis::LABEL as u16 + 1;

/// One curve.
#[derive(Clone, Copy)]
pub struct Trace<'a> {
    pub series: &'a Series,
    /// Raw values behind a smoothed curve.
    pub behind: Option<&'a Series>,
    pub style: Style,
    /// Marks single points where there are few.
    pub symbol: &'static str,
    /// Where its steps lie along x.
    pub along: Along<'a>,
}

/// What stands below the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Names<'a> {
    /// Whole numbers: x is a step.
    Steps,
    /// x is a power of ten, to be named by its value.
    Decades,
    /// What x is of a run, said below the vertical axis, with its own ticks.
    Run(XAxis),
    /// These places, as far as there is room.
    Places(&'a [(f64, String)]),
}

/// Curves over the same steps; drawn inside whatever area it gets.
pub struct Chart<'a> {
    /// The first lies on top.
    pub traces: Vec<Trace<'a>>,
    /// Named horizontal lines.
    pub references: Vec<(&'a str, f64)>,
    /// From edge to edge.
    pub window: (f64, f64),
    pub log_x: bool,
    pub log_y: bool,
    pub names: Names<'a>,
    /// Where the cursor lies along x.
    pub cursor: Option<f64>,
    pub theme: &'a Theme,
}

/// Where a chart in an area has its lines, beside and above the values of its axes; `None` where
/// there is no room for any.
pub fn plot(area: Rect) -> Option<Rect> {
    (area.width >= LABELS + 4 && area.height >= 3).then(|| Rect {
        x: area.x + LABELS,
        width: area.width - LABELS,
        height: area.height - 1,
        ..area
    })
}

/// A trace cut to columns: what lies in each, and the neighbours outside.
struct Columns<'a> {
    series: &'a Series,
    /// Numbers of the points in each column.
    ranges: Vec<Range<usize>>,
    extents: Vec<Option<Extent>>,
    /// Where they lie along x, and their values.
    before: Option<(f64, f64)>,
    after: Option<(f64, f64)>,
    /// The first and the last point in view.
    inside: Option<[(f64, f64); 2]>,
}

impl<'a> Columns<'a> {
    fn of(series: &'a Series, along: Along, x: &Scale, columns: usize) -> Columns<'a> {
        let point = |i: usize| {
            let (step, y) = series.point(i);
            (along.place(step), y)
        };
        let mut from = along.index(series, x.edge(0, columns));
        let first = from;
        let ranges: Vec<Range<usize>> = (0..columns)
            .map(|i| {
                let edge = x.edge(i + 1, columns);
                let mut to = along.index(series, edge).max(from);
                // The right edge belongs to the last column.
                while i + 1 == columns && to < series.len() && point(to).0 <= x.ends().1 {
                    to += 1;
                }
                let range = from..to;
                from = to;
                range
            })
            .collect();
        Columns {
            series,
            extents: ranges.iter().map(|r| series.extent(r.start, r.end)).collect(),
            ranges,
            before: first.checked_sub(1).map(point),
            after: (from < series.len()).then(|| point(from)),
            inside: (first < from).then(|| [point(first), point(from - 1)]),
        }
    }

    /// Values at the borders of the view, where the line goes on to points outside.
    fn crossings(&self, x: &Scale, log_y: bool) -> impl Iterator<Item = f64> {
        let first = self.inside.map(|points| points[0]).or(self.after);
        let last = self.inside.map(|points| points[1]).or(self.before);
        let across =
            |place: f64, from: Option<_>, to: Option<_>| x.crossing(place, from?, to?, log_y);
        let ends = [across(0.0, self.before, first), across(1.0, last, self.after)];
        ends.into_iter().flatten()
    }

    /// Least and greatest value in a column that have a place on the vertical axis.
    fn range(&self, column: usize, log_y: bool) -> Option<(f64, f64)> {
        let extent = self.extents[column].filter(|e| e.any)?;
        if !log_y || extent.min > 0.0 {
            return Some((extent.min, extent.max));
        }
        if extent.max <= 0.0 {
            return None;
        }
        let mut least = extent.max;
        let range = self.ranges[column].clone();
        self.series.pieces(range.start, range.end, &mut |part| {
            if part.any && part.min > 0.0 {
                least = least.min(part.min);
            }
            !part.any || part.min > 0.0 || part.max <= 0.0
        });
        Some((least, extent.max))
    }
}

impl Chart<'_> {
    /// Least and greatest value of the lines in view, references included.
    fn range(&self, columns: &[(Columns, Option<Columns>)], x: &Scale) -> Option<(f64, f64)> {
        let fits = |v: &f64| v.is_finite() && (!self.log_y || *v > 0.0);
        let all = || columns.iter().flat_map(|(a, b)| std::iter::once(a).chain(b));
        let extents = all().flat_map(|columns| {
            (0..columns.ranges.len()).filter_map(|i| columns.range(i, self.log_y))
        });
        // Where a window holds no part of a line, the points beside it tell the scale.
        let passing = columns.iter().flat_map(|(a, _)| [a.before, a.after]).flatten();
        let mut values: Vec<f64> = extents.flat_map(|(min, max)| [min, max]).collect();
        values.extend(all().flat_map(|columns| columns.crossings(x, self.log_y)));
        if values.is_empty() {
            values = passing.map(|p| p.1).filter(fits).collect();
        }
        if values.is_empty() {
            return None;
        }
        let all = values.into_iter().chain(self.references.iter().map(|r| r.1).filter(fits));
        let range = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
        Some(range)
    }
}

impl Widget for &Chart<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let Some(plot) = plot(area) else { return };
        let columns = usize::from(plot.width) * 2;
        let x = Scale::across(self.window.0, self.window.1, self.log_x);
        let cut = |t: &Trace<'_>, series| Columns::of(series, t.along, &x, columns);
        let data: Vec<_> =
            self.traces.iter().map(|t| (cut(t, t.series), t.behind.map(|b| cut(t, b)))).collect();
        draw_x_axis(self, &x, plot, buffer);
        let Some((low, high)) = self.range(&data, &x) else {
            draw_frame(self, plot, buffer);
            let word = match self.log_y && self.traces.iter().any(|t| !t.series.is_empty()) {
                true => "none above 0 for log",
                false => "no figures yet",
            };
            let word = Span::styled(word, self.theme.dim);
            let width = word.width() as u16;
            let at = plot.x + plot.width.saturating_sub(width) / 2;
            buffer.set_span(at, plot.y + plot.height / 2, &word, plot.width);
            return;
        };
        let y = Scale::around(low, high, self.log_y);
        draw_frame(self, plot, buffer);
        draw_y_axis(self, &y, plot, buffer);

        let mut canvas = Canvas::new(plot.width, plot.height);
        // Raw curves first, the most important smooth one last.
        for (_, behind) in data.iter().rev() {
            if let Some(behind) = behind {
                draw_trace(&mut canvas, behind, &x, &y, self.theme.faint);
            }
        }
        for (trace, (columns, _)) in self.traces.iter().zip(&data).rev() {
            draw_trace(&mut canvas, columns, &x, &y, trace.style);
        }
        draw_references(self, &y, plot, buffer, &canvas);
        if let Some(at) = self.cursor.and_then(|c| x.place(c)).filter(|p| (0.0..=1.0).contains(p)) {
            let column = (at * f64::from(plot.width - 1)).round() as u16;
            for row in 0..plot.height {
                buffer[(plot.x + column, plot.y + row)]
                    .set_symbol("│")
                    .set_style(self.theme.accent);
            }
        }
        match self.theme.unicode {
            true => canvas.render(plot, buffer),
            false => draw_symbols(self, &data, &x, &y, plot, buffer),
        }
        for (trace, (columns, _)) in self.traces.iter().zip(&data).rev() {
            draw_points(trace, columns, &x, &y, plot, buffer);
            draw_gaps(self.theme, columns, plot, buffer, self.log_y);
        }
    }
}

/// So many times the size of the view away, places are no longer told apart.
const FAR: f64 = 1e9;

fn dot_row(place: f64, rows: usize) -> i64 {
    // Far outside is as good as outside, as long as no line to there has another slope.
    let place = place.clamp(-FAR, FAR);
    ((1.0 - place) * (rows - 1) as f64).round() as i64
}

/// Draws the very dots that lines between all neighbouring points would set: within a column of
/// dots they are what lies between the least and the greatest point of every unbroken stretch.
fn draw_trace(canvas: &mut Canvas, data: &Columns, x: &Scale, y: &Scale, style: Style) {
    let (columns, rows) = (canvas.columns(), canvas.rows());
    let row = |v: f64| y.place(v).map(|p| dot_row(p, rows));
    let outside = |(px, py): (f64, f64)| {
        // A logarithm has no place for 0: no line comes from there.
        let place = x.place(px)?;
        Some(((place.clamp(-FAR, FAR) * columns as f64).floor() as i64, row(py)?))
    };
    let mut pen = data.before.and_then(outside);
    for (column, range) in data.ranges.iter().enumerate() {
        let column = column as i64;
        data.series.pieces_of(range.clone(), data.extents[column as usize], &mut |part| {
            if !part.any {
                pen = None;
                return true;
            }
            // On a logarithmic scale a value of 0 or less is a gap too.
            let (first, last) = (row(part.first), row(part.last));
            if let (Some(from), Some(to), false) = (pen, first, part.opens_with_gap) {
                canvas.line(from, (column, to), style);
            }
            let (top, bottom) = (row(part.max), row(part.min));
            let whole = !part.gap && bottom.is_some();
            let enough = match (top, bottom.or_else(|| row(y.value(0.0)))) {
                (Some(top), Some(bottom)) if whole => {
                    canvas.stroke(column, top, bottom, style);
                    true
                }
                // No point of it can add a dot.
                (Some(top), Some(bottom)) if canvas.is_filled(column, top, bottom) => {
                    canvas.stroke(column, top, bottom, style);
                    true
                }
                (Some(_), Some(_)) => false,
                _ => true,
            };
            if enough {
                pen = last.filter(|_| !part.closes_with_gap).map(|row| (column, row));
            } else if part.opens_with_gap || first.is_none() {
                pen = None;
            }
            enough
        });
    }
    if let (Some(from), Some(to)) = (pen, data.after.and_then(outside)) {
        canvas.line(from, to, style);
    }
}

/// Lines of each trace's own symbol, where there are no dots: colours may be missing as well there.
fn draw_symbols(
    chart: &Chart,
    data: &[(Columns, Option<Columns>)],
    x: &Scale,
    y: &Scale,
    plot: Rect,
    buffer: &mut Buffer,
) {
    let mut draw = |columns: &Columns, symbol: &str, style| {
        let mut canvas = Canvas::new(plot.width, plot.height);
        draw_trace(&mut canvas, columns, x, y, style);
        canvas.render_as(symbol, plot, buffer);
    };
    for behind in data.iter().rev().filter_map(|(_, behind)| behind.as_ref()) {
        draw(behind, "·", chart.theme.faint);
    }
    for (trace, (columns, _)) in chart.traces.iter().zip(data).rev() {
        draw(columns, trace.symbol, trace.style);
    }
}

/// Where points are few, each has its symbol: evaluations are seen, not only the line.
fn draw_points(
    trace: &Trace,
    data: &Columns,
    x: &Scale,
    y: &Scale,
    plot: Rect,
    buffer: &mut Buffer,
) {
    let (Some(first), Some(last)) = (data.ranges.first(), data.ranges.last()) else { return };
    let points = first.start..last.end;
    if trace.behind.is_some() || points.len() > usize::from(plot.width) / 3 {
        return;
    }
    // The cell of a point is the cell of its column of dots.
    let columns = data.extents.len();
    for i in points {
        let (step, py) = trace.series.point(i);
        let (Some(px), Some(py)) = (x.place(trace.along.place(step)), y.place(py)) else {
            continue;
        };
        let column = ((px * columns as f64) as usize).min(columns - 1) / 2;
        let row = dot_row(py, usize::from(plot.height) * 4) / 4;
        let at = (plot.x + column as u16, plot.y + row.clamp(0, i64::from(plot.height) - 1) as u16);
        buffer[at].set_symbol(trace.symbol).set_style(trace.style);
    }
}

/// Marks columns with values that no line can go through.
fn draw_gaps(theme: &Theme, data: &Columns, plot: Rect, buffer: &mut Buffer, log_y: bool) {
    for (column, extent) in data.extents.iter().enumerate() {
        let Some(extent) = extent else { continue };
        if extent.gap || (log_y && extent.any && extent.min <= 0.0) {
            let at = (plot.x + column as u16 / 2, plot.y + plot.height - 1);
            buffer[at].set_symbol("×").set_style(theme.error);
        }
    }
}

fn draw_frame(chart: &Chart, plot: Rect, buffer: &mut Buffer) {
    for row in 0..plot.height {
        buffer[(plot.x - 1, plot.y + row)].set_symbol("│").set_style(chart.theme.border);
    }
}

fn draw_y_axis(chart: &Chart, y: &Scale, plot: Rect, buffer: &mut Buffer) {
    let most = (usize::from(plot.height) / 2).clamp(2, 8);
    let mut used: Option<u16> = None;
    for (value, label) in y.ticks(most) {
        let Some(place) = y.place(value) else { continue };
        let row = (dot_row(place, usize::from(plot.height) * 4) / 4) as u16;
        if row >= plot.height || used == Some(row) {
            continue;
        }
        // Cut, figures of many digits would all look alike; their neighbours tell the scale.
        if label.len() > usize::from(LABELS - 1) && label.contains('e') {
            continue;
        }
        used = Some(row);
        let label = text::fit(&label, usize::from(LABELS - 1)).into_owned();
        let line = format!("{label:>width$}", width = usize::from(LABELS - 1));
        buffer.set_string(plot.x - LABELS, plot.y + row, line, chart.theme.dim);
        buffer[(plot.x - 1, plot.y + row)].set_symbol("┤").set_style(chart.theme.border);
    }
}

fn draw_x_axis(chart: &Chart, x: &Scale, plot: Rect, buffer: &mut Buffer) {
    let y = plot.y + plot.height;
    // Powers of ten are short.
    let most = (usize::from(plot.width) / if x.is_log() { 7 } else { 12 }).max(1);
    let mut free = plot.x - LABELS;
    if chart.traces.iter().all(|t| t.series.is_empty()) {
        return;
    }
    if let Names::Run(axis) = chart.names {
        let name = match (axis, x.is_log()) {
            (XAxis::Step, false) => "step",
            (XAxis::Step, true) => "log s.",
            (XAxis::Elapsed, false) => "time",
            (XAxis::Elapsed, true) => "log t.",
            (XAxis::Wall, _) => "UTC",
        };
        buffer.set_string(free, y, name, chart.theme.dim);
        // The first label may stand close.
        free += name.len() as u16 + 1;
    }
    let ticks = match chart.names {
        Names::Places(places) => places.to_vec(),
        Names::Steps | Names::Decades | Names::Run(XAxis::Step) => x.ticks(most),
        Names::Run(time) => time_ticks(x, time, most),
    };
    for (value, label) in ticks {
        // Steps are whole numbers.
        let is_step = value.fract() == 0.0 && value >= 0.0;
        let label = match chart.names {
            Names::Places(_) | Names::Run(XAxis::Elapsed | XAxis::Wall) => label,
            _ if !is_step => continue,
            Names::Decades => text::count(10u64.saturating_pow(value as u32)),
            Names::Steps | Names::Run(XAxis::Step) => {
                label.split('.').next().filter(|_| value < 1e4).unwrap_or(&label).to_owned()
            }
        };
        let Some(place) = x.place(value) else { continue };
        let column = plot.x + (place * f64::from(plot.width - 1)).round() as u16;
        let width = label.width() as u16;
        let start = column.saturating_sub(width / 2).min(plot.right().saturating_sub(width));
        if start < free {
            continue;
        }
        buffer.set_string(start, y, &label, chart.theme.dim);
        free = start + width + 2;
    }
}

fn draw_references(chart: &Chart, y: &Scale, plot: Rect, buffer: &mut Buffer, canvas: &Canvas) {
    for (name, value) in &chart.references {
        let Some(place) = y.place(*value).filter(|p| (0.0..=1.0).contains(p)) else { continue };
        let row = (dot_row(place, usize::from(plot.height) * 4) / 4) as u16;
        for column in 0..plot.width {
            if !canvas.is_set(column, row) {
                let cell = &mut buffer[(plot.x + column, plot.y + row)];
                cell.set_symbol("┄").set_style(chart.theme.reference);
            }
        }
        let label = Line::from(format!(" {name} {value:.1} ")).style(chart.theme.reference);
        let width = label.width() as u16;
        if width + 4 > plot.width {
            continue;
        }
        // Where no curve is, so that neither hides the other.
        let (above, below) = (row.checked_sub(1), (row + 1 < plot.height).then_some(row + 1));
        let rows = [above, Some(row), below];
        let starts = [plot.width - width, 0];
        let places = rows.into_iter().flatten().flat_map(|row| starts.map(|start| (start, row)));
        let free = |&(start, row): &(u16, u16)| {
            (start..start + width).all(|column| !canvas.is_set(column, row))
        };
        if let Some((start, row)) = places.into_iter().find(free) {
            buffer.set_line(plot.x + start, plot.y + row, &label, width);
        }
    }
}

#[cfg(test)]
mod tests;
