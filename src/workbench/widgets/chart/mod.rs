//! A line chart that leaves no point out and invents none.
//!
//! Every column of dots shows the first, last, least and greatest of its points
//! (see [`crate::workbench::series`]); lines join neighbouring points and stop at
//! values that are not finite, which are marked at the edge instead.

mod axis;
mod canvas;

pub use axis::Scale;
pub use canvas::Canvas;

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
}

/// What stands below the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Names<'a> {
    /// Whole numbers: x is a step.
    Steps,
    /// x is a power of ten, to be named by its value.
    Decades,
    /// These places, as far as there is room.
    Places(&'a [(f64, String)]),
}

/// Curves over the same steps; drawn inside whatever area it gets.
pub struct Chart<'a> {
    /// The first lies on top.
    pub traces: Vec<Trace<'a>>,
    /// Named horizontal lines.
    pub references: Vec<(&'a str, f64)>,
    /// Steps from edge to edge.
    pub window: (f64, f64),
    pub log_y: bool,
    pub names: Names<'a>,
    /// Step under the cursor.
    pub cursor: Option<f64>,
    pub theme: &'a Theme,
}

/// A trace cut to columns: what lies in each, and the neighbours outside.
struct Columns {
    extents: Vec<Option<Extent>>,
    before: Option<(f64, f64)>,
    after: Option<(f64, f64)>,
}

impl Columns {
    fn of(series: &Series, window: (f64, f64), columns: usize) -> Columns {
        let edge = |i: usize| window.0 + (window.1 - window.0) * i as f64 / columns as f64;
        let mut from = series.index_of(window.0);
        let first = from;
        let extents = (0..columns)
            .map(|i| {
                let to = if i + 1 == columns {
                    // The right edge belongs to the last column.
                    let mut end = series.index_of(window.1);
                    while end < series.len() && series.point(end).0 <= window.1 {
                        end += 1;
                    }
                    end
                } else {
                    series.index_of(edge(i + 1))
                };
                let extent = series.extent(from, to);
                from = to;
                extent
            })
            .collect();
        Columns {
            extents,
            before: first.checked_sub(1).map(|i| series.point(i)),
            after: (from < series.len()).then(|| series.point(from)),
        }
    }
}

impl Chart<'_> {
    /// Least and greatest value in view, references included.
    fn range(&self, columns: &[(Columns, Option<Columns>)]) -> Option<(f64, f64)> {
        let fits = |v: &f64| v.is_finite() && (!self.log_y || *v > 0.0);
        let extents = columns
            .iter()
            .flat_map(|(a, b)| a.extents.iter().chain(b.iter().flat_map(|b| &b.extents)))
            .flatten()
            .filter(|e| e.any)
            .flat_map(|e| [e.min, e.max, e.first, e.last]);
        // Where a window holds no point of its own, the line through it decides.
        let passing = columns.iter().flat_map(|(a, _)| [a.before, a.after]).flatten();
        let values: Vec<f64> = extents.filter(fits).collect();
        let values =
            if values.is_empty() { passing.map(|p| p.1).filter(fits).collect() } else { values };
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
        if area.width < LABELS + 4 || area.height < 3 {
            return;
        }
        let plot = Rect {
            x: area.x + LABELS,
            width: area.width - LABELS,
            height: area.height - 1,
            ..area
        };
        let columns = usize::from(plot.width) * 2;
        let cut = |series| Columns::of(series, self.window, columns);
        let data: Vec<_> = self.traces.iter().map(|t| (cut(t.series), t.behind.map(cut))).collect();
        let x = Scale::exact(self.window.0, self.window.1);
        draw_x_axis(self, &x, plot, buffer);
        let Some((low, high)) = self.range(&data) else {
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
        canvas.render(plot, buffer);
        for (trace, (columns, _)) in self.traces.iter().zip(&data).rev() {
            draw_points(trace, columns, &x, &y, self.window, plot, buffer);
            draw_gaps(self.theme, columns, plot, buffer, self.log_y);
        }
    }
}

fn dot_row(place: f64, rows: usize) -> i64 {
    // Far outside is as good as outside; it keeps the arithmetic small.
    let place = place.clamp(-10.0, 10.0);
    ((1.0 - place) * (rows - 1) as f64).round() as i64
}

fn draw_trace(canvas: &mut Canvas, data: &Columns, x: &Scale, y: &Scale, style: Style) {
    let (columns, rows) = (canvas.columns(), canvas.rows());
    let row = |v: f64| y.place(v).map(|p| dot_row(p, rows));
    let outside = |(px, py): (f64, f64)| {
        let column = (x.place(px)?.clamp(-100.0, 100.0) * columns as f64) as i64;
        Some((column, row(py)?))
    };
    let mut pen = data.before.and_then(outside);
    for (column, extent) in data.extents.iter().enumerate() {
        let Some(extent) = extent else { continue };
        let column = column as i64;
        if !extent.any {
            pen = None;
            continue;
        }
        // On a logarithmic scale a value of 0 or less is a gap too.
        let (Some(first), Some(last)) = (row(extent.first), row(extent.last)) else {
            pen = None;
            if let (Some(top), Some(bottom)) = (row(extent.max), row(y.value(0.0))) {
                canvas.stroke(column, top, bottom, style);
            }
            continue;
        };
        if let (Some(from), false) = (pen, extent.opens_with_gap) {
            canvas.line(from, (column, first), style);
        }
        let top = row(extent.max).unwrap_or(first);
        let bottom = row(extent.min).unwrap_or(last);
        canvas.stroke(column, top, bottom, style);
        pen = (!extent.closes_with_gap).then_some((column, last));
    }
    if let (Some(from), Some(to)) = (pen, data.after.and_then(outside)) {
        canvas.line(from, to, style);
    }
}

/// Where points are few, each has its symbol: evaluations are seen, not only the line.
fn draw_points(
    trace: &Trace,
    data: &Columns,
    x: &Scale,
    y: &Scale,
    window: (f64, f64),
    plot: Rect,
    buffer: &mut Buffer,
) {
    let from = trace.series.index_of(window.0);
    let points: Range<usize> = from..trace.series.index_of(window.1 + 1e-9);
    if trace.behind.is_some() || points.len() > usize::from(plot.width) / 3 {
        return;
    }
    // The cell of a point is the cell of its column of dots.
    let columns = data.extents.len();
    for i in points {
        let (px, py) = trace.series.point(i);
        let (Some(px), Some(py)) = (x.place(px), y.place(py)) else { continue };
        let column = ((px * columns as f64) as usize).min(columns - 1) / 2;
        let row = dot_row(py, usize::from(plot.height) * 4) / 4;
        let at = (plot.x + column as u16, plot.y + (row.max(0) as u16).min(plot.height - 1));
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
    let most = (usize::from(plot.width) / 12).max(1);
    let mut free = plot.x - LABELS;
    if chart.traces.iter().all(|t| t.series.is_empty()) {
        return;
    }
    let ticks = match chart.names {
        Names::Places(places) => places.to_vec(),
        Names::Steps | Names::Decades => x.ticks(most),
    };
    for (value, label) in ticks {
        // Steps are whole numbers.
        let is_step = value.fract() == 0.0 && value >= 0.0;
        let label = match chart.names {
            Names::Places(_) => label,
            _ if !is_step => continue,
            Names::Decades => text::count(10u64.saturating_pow(value as u32)),
            Names::Steps => {
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
mod tests {
    use super::*;
    use crate::workbench::theme::ThemeName;

    fn draw(series: &Series, window: (f64, f64), log_y: bool, width: u16, height: u16) -> String {
        let buffer = render(series, window, log_y, Rect::new(0, 0, width, height));
        let row = |y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect::<String>();
        (0..height).map(row).collect::<Vec<_>>().join("\n")
    }

    fn render(series: &Series, window: (f64, f64), log_y: bool, area: Rect) -> Buffer {
        let theme = Theme::new(ThemeName::Dark, true);
        let chart = Chart {
            traces: vec![Trace { series, behind: None, style: theme.text, symbol: "●" }],
            references: Vec::new(),
            window,
            log_y,
            names: Names::Steps,
            cursor: None,
            theme: &theme,
        };
        rendered(&chart, area)
    }

    fn rendered(chart: &Chart, area: Rect) -> Buffer {
        let mut buffer = Buffer::empty(area);
        chart.render(area, &mut buffer);
        buffer
    }

    fn series(values: impl IntoIterator<Item = f64>) -> Series {
        let mut series = Series::default();
        for (i, y) in values.into_iter().enumerate() {
            series.push(i as f64, y);
        }
        series
    }

    #[test]
    fn a_log_axis_says_that_it_cannot_show_what_is_below_zero() {
        let window = (0.0, 2.0);
        assert!(draw(&series([-3.0, -2.0]), window, true, 40, 8).contains("none above 0 for log"));
        assert!(draw(&series([]), window, true, 40, 8).contains("no figures yet"));
    }

    #[test]
    fn one_spike_among_thousands_of_points_is_seen() {
        let flat = series((0..50_000).map(|_| 1.0));
        let spiked = series((0..50_000).map(|i| if i == 31_234 { 9.0 } else { 1.0 }));
        let window = (0.0, 49_999.0);
        let top = |s: &Series| draw(s, window, false, 60, 10).lines().next().map(str::to_owned);
        let is_dot = |c: char| ('\u{2801}'..='\u{28FF}').contains(&c);
        assert!(top(&spiked).is_some_and(|l| l.chars().filter(|c| is_dot(*c)).count() == 1));
        assert!(top(&flat).is_some_and(|l| !l.contains(is_dot)));
    }

    #[test]
    fn a_line_to_compare_with_has_its_name_wherever_the_curve_leaves_room() {
        let theme = Theme::new(ThemeName::Dark, true);
        let rising = series((0..30).map(|i| 20.0 + 30.0 * (1.0 - f64::from(-i).exp())));
        let falling = series((0..30).map(|i| 50.0 - f64::from(i)));
        for (series, value) in [(&rising, 44.0), (&rising, 21.0), (&falling, 48.0)] {
            let chart = Chart {
                traces: vec![Trace { series, behind: None, style: theme.text, symbol: "●" }],
                references: vec![("right-branching", value)],
                window: (0.0, 29.0),
                log_y: false,
                names: Names::Steps,
                cursor: None,
                theme: &theme,
            };
            let buffer = rendered(&chart, Rect::new(0, 0, 37, 6));
            let text: String = buffer.content.iter().map(|cell| cell.symbol()).collect();
            assert!(text.contains(&format!("right-branching {value:.1}")), "{text}");
        }
    }

    #[test]
    fn places_are_named_as_far_as_there_is_room() {
        let theme = Theme::new(ThemeName::Dark, true);
        let sizes = series([1.0, 2.0, 3.0]);
        let places: Vec<(f64, String)> =
            [(0.0, "16"), (0.1, "too near"), (2.0, "64")].map(|(x, n)| (x, n.to_owned())).into();
        let chart = Chart {
            traces: vec![Trace { series: &sizes, behind: None, style: theme.text, symbol: "●" }],
            references: Vec::new(),
            window: (0.0, 2.0),
            log_y: false,
            names: Names::Places(&places),
            cursor: None,
            theme: &theme,
        };
        let buffer = rendered(&chart, Rect::new(0, 0, 40, 6));
        let last: String = (0..40).map(|x| buffer[(x, 5)].symbol()).collect();
        assert!(last.contains("16") && last.contains("64") && !last.contains("near"), "{last}");
    }

    #[test]
    fn values_that_a_logarithm_lacks_are_marked() {
        let s = series([10.0, 0.0, 1000.0, f64::INFINITY, 100.0]);
        assert_eq!(draw(&s, (0.0, 4.0), true, 40, 8).matches('×').count(), 2);
        assert_eq!(draw(&s, (0.0, 4.0), false, 40, 8).matches('×').count(), 1);
    }

    #[test]
    fn any_size_and_any_window_are_drawn() {
        let s = series((0..100).map(f64::from));
        for (width, height) in [(0, 0), (1, 1), (11, 3), (12, 3), (300, 100)] {
            for window in [(0.0, 99.0), (5.0, 5.0), (40.2, 40.7), (-10.0, -5.0), (1e9, 2e9)] {
                draw(&s, window, false, width, height);
            }
        }
        // Between two points the line passes through.
        assert!(
            draw(&s, (40.2, 40.7), false, 40, 8)
                .contains(|c: char| c > '\u{2800}' && c <= '\u{28FF}')
        );
    }
}
