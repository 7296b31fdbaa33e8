//! Charts of runs on paper: a panel a figure, a line a run.
//!
//! Like on the screen no point is left out and none invented: where a panel has fewer columns than
//! a curve has points, a column keeps the first, last, least and greatest of its points, and no
//! line crosses what is not a number; such places are marked at the foot of the panel.

use crate::render::{Anchor, Colour, LETTER, Shape, Sheet, sheet_to_png, sheet_to_svg};
use crate::workbench::clock::{Along, XAxis};
use crate::workbench::figures::{Figure, Kind, Page};
use crate::workbench::series::{Series, Smoothed};
use crate::workbench::shared::RunEntry;
use crate::workbench::widgets::chart::{Scale, time_ticks};

/// How charts are drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Look {
    /// Which; without any, all that the runs have.
    pub figures: Option<Vec<Figure>>,
    pub axis: XAxis,
    pub log_x: bool,
    pub log_y: bool,
    /// Weight of the past of curves of steps; the raw line stays behind.
    pub smoothing: Option<f64>,
    /// From edge to edge; without it, all of the runs.
    pub window: Option<(f64, f64)>,
}

/// Size of a panel with the room around its axes.
const PANEL: (f64, f64) = (480.0, 250.0);
const LEFT: f64 = 56.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 34.0;
/// Height of a line of the key above the panels.
const KEY: f64 = 16.0;
/// Columns of a panel that lines are thinned to.
const COLUMNS: usize = 800;

const INK: Colour = [0x22, 0x22, 0x22];
const GREY: Colour = [0x77, 0x77, 0x77];
const GRID: Colour = [0xdd, 0xdd, 0xdd];

/// Colours that the colour-blind tell apart (Okabe and Ito 2002), each with strokes of its own, so
/// that print without colour tells them apart too.
const STYLES: [(Colour, &[f64]); 6] = [
    ([0x00, 0x72, 0xb2], &[]),
    ([0xd5, 0x5e, 0x00], &[6.0, 3.0]),
    ([0x00, 0x9e, 0x73], &[2.0, 2.0]),
    ([0xcc, 0x79, 0xa7], &[8.0, 3.0, 2.0, 3.0]),
    ([0x56, 0xb4, 0xe9], &[10.0, 3.0]),
    ([0x00, 0x00, 0x00], &[4.0, 4.0]),
];

/// The charts as an SVG drawing.
pub fn svg(runs: &[RunEntry], look: &Look) -> String {
    sheet_to_svg(&sheet(runs, look))
}

/// The charts as a PNG picture.
pub fn png(runs: &[RunEntry], look: &Look) -> Result<Vec<u8>, String> {
    sheet_to_png(&sheet(runs, look)).map_err(|e| e.to_string())
}

fn sheet(runs: &[RunEntry], look: &Look) -> Sheet {
    let figures = figures(runs, look);
    let rows = figures.len().div_ceil(2) as f64;
    let columns = figures.len().clamp(1, 2) as f64;
    let key = KEY * (runs.len() as f64 + 1.0);
    let mut sheet = Sheet {
        width: PANEL.0 * columns,
        height: key + PANEL.1 * rows.max(1.0),
        shapes: Vec::new(),
    };
    for (i, run) in runs.iter().enumerate() {
        let (colour, dashes) = STYLES[i % STYLES.len()];
        let y = KEY * (i as f64 + 1.0);
        let points = vec![(LEFT, y - 3.0), (LEFT + 28.0, y - 3.0)];
        sheet.shapes.push(Shape::Line { points, colour, width: 1.6, dashes });
        sheet.text((LEFT + 36.0, y), Anchor::Start, INK, &run.name);
    }
    for (i, figure) in figures.into_iter().enumerate() {
        let corner = (PANEL.0 * (i % 2) as f64, key + PANEL.1 * (i / 2) as f64);
        panel(&mut sheet, corner, figure, runs, look);
    }
    sheet
}

/// What is asked for, as far as a run has it.
fn figures(runs: &[RunEntry], look: &Look) -> Vec<Figure> {
    let has =
        |figure: &Figure| runs.iter().any(|run| figure.series(run).is_some_and(|s| !s.is_empty()));
    if let Some(figures) = &look.figures {
        return figures.iter().copied().filter(has).collect();
    }
    let kinds = runs.iter().map(|run| Kind::of(Some(run)));
    let pages = kinds.flat_map(|kind| Page::ALL.map(|p| p.figures(kind)));
    let mut all: Vec<Figure> = Vec::new();
    for figure in pages.flatten() {
        // A run that does not say a word's loss says a sentence's.
        let figure = match figure {
            Figure::Loss if !has(figure) => Figure::SentenceLoss,
            other => *other,
        };
        if !all.contains(&figure) && has(&figure) {
            all.push(figure);
        }
    }
    all
}

/// A curve of a run as it is drawn.
struct Drawn<'a> {
    raw: &'a Series,
    smooth: Option<Series>,
    along: Along<'a>,
    style: (Colour, &'static [f64]),
}

impl Drawn<'_> {
    fn line(&self) -> &Series {
        self.smooth.as_ref().unwrap_or(self.raw)
    }
}

fn panel(sheet: &mut Sheet, corner: (f64, f64), figure: Figure, runs: &[RunEntry], look: &Look) {
    let curves: Vec<Drawn> = runs
        .iter()
        .enumerate()
        .filter_map(|(i, run)| {
            let raw = figure.series(run).filter(|series| !series.is_empty())?;
            let weight =
                look.smoothing.filter(|_| figure.per_step() && figure != Figure::LearningRate);
            let smooth = weight.map(|weight| {
                let mut smooth = Smoothed::new(weight);
                smooth.follow(raw);
                smooth.series().clone()
            });
            let along = Along::of(&run.history.clock, look.axis);
            Some(Drawn { raw, smooth, along, style: STYLES[i % STYLES.len()] })
        })
        .collect();
    let log_x = look.log_x && look.axis != XAxis::Wall;
    let (from, to) = look.window.unwrap_or_else(|| whole(runs, look.axis, log_x));
    let x = Scale::across(from, to, log_x);
    let (left, right) = (corner.0 + LEFT, corner.0 + PANEL.0 - RIGHT);
    let (top, bottom) = (corner.1 + TOP, corner.1 + PANEL.1 - BOTTOM);
    let at_x = |place: f64| left + place * (right - left);
    let at_y = |place: f64| bottom - place * (bottom - top);

    let log = if look.log_y { ", log" } else { "" };
    sheet.text((left, top - 8.0), Anchor::Start, INK, &format!("{}{log}", figure.title()));
    let lines: Vec<_> = curves
        .iter()
        .flat_map(|c| [Some(c.raw), c.smooth.as_ref()].into_iter().flatten().map(|s| (s, c.along)))
        .map(|(series, along)| outline(series, along, &x, look.log_y))
        .collect();
    let values = lines.iter().flat_map(|l| l.stretches.iter().flatten()).map(|p| p.1);
    let (low, high) =
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    axes(sheet, (left, right), bottom, &x, look.axis);
    if low > high {
        let middle = (at_x(0.5), at_y(0.5));
        return sheet.text(middle, Anchor::Middle, GREY, "nothing to draw here");
    }
    let y = Scale::around(low, high, look.log_y);
    for (value, label) in y.ticks(6) {
        let Some(place) = y.place(value).filter(|p| (0.0..=1.0).contains(p)) else { continue };
        sheet.line(vec![(left, at_y(place)), (right, at_y(place))], GRID, 0.8);
        sheet.text((left - 6.0, at_y(place) + 3.5), Anchor::End, INK, &label);
    }
    sheet.line(vec![(left, top), (left, bottom)], GREY, 1.0);
    let mut lines = lines.into_iter();
    let mut on_top = Vec::new();
    for curve in &curves {
        let (colour, dashes) = curve.style;
        let raw = lines.next().unwrap_or_default();
        for &gap in &raw.gaps {
            let (gx, gy) = (at_x(gap), bottom - 4.0);
            for (dx, dy) in [(3.0, 3.0), (3.0, -3.0)] {
                sheet.line(vec![(gx - dx, gy - dy), (gx + dx, gy + dy)], [0xc0, 0x20, 0x20], 1.2);
            }
        }
        let mut put = |line: &Outline, colour: Colour, width: f64, dashes: &'static [f64]| {
            for stretch in &line.stretches {
                let on_paper = |&(px, v): &(f64, f64)| Some((at_x(px), at_y(y.place(v)?)));
                let points: Vec<(f64, f64)> = stretch.iter().filter_map(on_paper).collect();
                if points.len() == 1 || (curve.line().len() <= 40 && width > 1.0) {
                    let own = stretch.iter().filter(|point| !line.crossings.contains(point));
                    let dots = own.filter_map(on_paper);
                    on_top.extend(dots.map(|(x, y)| Shape::Dot { x, y, radius: 2.2, colour }));
                }
                sheet.shapes.push(Shape::Line { points, colour, width, dashes });
            }
        };
        match curve.smooth {
            // Half way to the paper.
            Some(_) => {
                put(&raw, colour.map(|c| 255 - (255 - c) / 3), 0.8, &[]);
                put(&lines.next().unwrap_or_default(), colour, 1.6, dashes);
            }
            None => put(&raw, colour, 1.6, dashes),
        }
    }
    sheet.shapes.extend(on_top);
}

fn axes(sheet: &mut Sheet, (left, right): (f64, f64), bottom: f64, x: &Scale, axis: XAxis) {
    sheet.line(vec![(left, bottom), (right, bottom)], GREY, 1.0);
    let log = if x.is_log() { ", log" } else { "" };
    let name = format!("{}{log}", axis.name());
    sheet.text(((left + right) / 2.0, bottom + 28.0), Anchor::Middle, GREY, &name);
    let ticks = match axis {
        XAxis::Step => x.ticks(7),
        time => time_ticks(x, time, 7),
    };
    let mut free = left - 20.0;
    for (value, label) in ticks {
        let Some(place) = x.place(value).filter(|p| (0.0..=1.0).contains(p)) else { continue };
        // Steps are whole numbers.
        if axis == XAxis::Step && value.fract() != 0.0 {
            continue;
        }
        let at = left + place * (right - left);
        let half = label.chars().count() as f64 * LETTER.0 / 2.0;
        if at - half < free {
            continue;
        }
        free = at + half + LETTER.0;
        sheet.line(vec![(at, bottom), (at, bottom + 4.0)], GREY, 1.0);
        sheet.text((at, bottom + 15.0), Anchor::Middle, INK, &label);
    }
}

/// Where the runs begin and end.
fn whole(runs: &[RunEntry], axis: XAxis, log_x: bool) -> (f64, f64) {
    let all = runs.iter().flat_map(|run| {
        let clock = &run.history.clock;
        let last = clock.len().checked_sub(1);
        let first = (0..clock.len()).find(|&i| !log_x || clock.at(i, axis) > 0.0);
        [first, last].into_iter().flatten().map(|i| clock.at(i, axis))
    });
    let (from, to) = all.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)));
    if from <= to { (from, to) } else { (0.0, 1.0) }
}

/// A curve within a window: places along x from 0 to 1, with values.
#[derive(Debug, Default)]
struct Outline {
    stretches: Vec<Vec<(f64, f64)>>,
    /// Places of what no line can go through.
    gaps: Vec<f64>,
    /// Where the line crosses the borders of the window: no points of the curve.
    crossings: Vec<(f64, f64)>,
}

impl Outline {
    fn gap(&mut self, place: f64) {
        if self.gaps.last() != Some(&place) {
            self.gaps.push(place);
        }
        if self.stretches.last().is_some_and(|s| !s.is_empty()) {
            self.stretches.push(Vec::new());
        }
    }

    fn point(&mut self, place: f64, value: f64) {
        if self.stretches.is_empty() {
            self.stretches.push(Vec::new());
        }
        if let Some(stretch) = self.stretches.last_mut()
            && stretch.last() != Some(&(place, value))
        {
            stretch.push((place, value));
        }
    }

    fn crossing(&mut self, place: f64, value: f64) {
        self.crossings.push((place, value));
        self.point(place, value);
    }
}

fn outline(series: &Series, along: Along, x: &Scale, log_y: bool) -> Outline {
    let mut out = Outline::default();
    let (from, to) = x.ends();
    let place = |i: usize| x.place(along.place(series.point(i).0));
    let first = along.index(series, from);
    let mut last = along.index(series, to);
    while last < series.len() && along.place(series.point(last).0) <= to {
        last += 1;
    }
    let border = |at: f64, next: usize| {
        let before = next.checked_sub(1).filter(|_| next < series.len())?;
        let point = |i: usize| (along.place(series.point(i).0), series.point(i).1);
        x.crossing(at, point(before), point(next), log_y)
    };
    if let Some(value) = border(0.0, first) {
        out.crossing(0.0, value);
    }
    if last - first <= 2 * COLUMNS {
        for i in first..last {
            let Some(place) = place(i) else { continue };
            match series.point(i).1 {
                value if value.is_finite() && !(log_y && value <= 0.0) => out.point(place, value),
                _ => out.gap(place),
            }
        }
    } else {
        let mut begin = first;
        for column in 0..COLUMNS {
            let end = match column + 1 == COLUMNS {
                true => last,
                false => along.index(series, x.edge(column + 1, COLUMNS)).clamp(begin, last),
            };
            let middle = (column as f64 + 0.5) / COLUMNS as f64;
            series.pieces_of(begin..end, series.extent(begin, end), &mut |part| {
                if !part.any || (log_y && part.max <= 0.0) {
                    out.gap(middle);
                    return true;
                }
                let whole = !(part.gap || log_y && part.min <= 0.0);
                if whole {
                    for value in [part.first, part.min, part.max, part.last] {
                        out.point(middle, value);
                    }
                }
                whole
            });
            begin = end;
        }
    }
    if let Some(value) = border(1.0, last) {
        out.crossing(1.0, value);
    }
    out.stretches.retain(|stretch| !stretch.is_empty());
    out
}

#[cfg(test)]
#[path = "drawing_tests.rs"]
mod tests;
