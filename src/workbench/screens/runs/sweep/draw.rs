//! The picture of a sweep: above its figure, below its table.

use super::{Page, Read};
use crate::report::{RunState, counted};
use crate::run::{Column, Curve, SweepRow};
use crate::workbench::clock::Along;
use crate::workbench::screen::View;
use crate::workbench::series::Series;
use crate::workbench::text;
use crate::workbench::theme::Theme;
use crate::workbench::widgets::chart::{Chart, Names, Trace};
use crate::workbench::widgets::{bar, empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Rows of the table's pane beside those of the choices: border, header, and two lines below.
const AROUND: u16 = 5;
/// Rows that the figure has at least.
const FIGURE: u16 = 9;
/// Ends of a deviation.
const CAP: &str = "─";

pub fn draw(page: &Page, frame: &mut Frame, area: Rect, view: &View) {
    let Some(read) = &page.read else {
        let lines = match &page.problem {
            Some(problem) => vec![problem.as_str(), "", "<runs.clear>  the list of runs"],
            None => vec!["reading the sweep…"],
        };
        return empty_state(frame, area, "Sweep", &lines, view);
    };
    let wanted = read.rows.len() as u16 + AROUND;
    let height = wanted.min(area.height.saturating_sub(FIGURE)).max(AROUND + 1);
    let split = [Constraint::Fill(1), Constraint::Length(height)];
    let [above, below] = view.stack("runs.sweep", split, area);
    draw_figure(page, read, frame, above, view);
    draw_table(page, read, frame, below, view);
}

/// A curve of means, and behind it the deviations.
struct Drawn {
    name: String,
    means: Series,
    deviations: Series,
}

impl Drawn {
    fn new(curve: &Curve, place: impl Fn(f64) -> f64) -> Drawn {
        let (mut means, mut deviations) = (Series::default(), Series::default());
        for (x, spread) in &curve.points {
            let x = place(*x);
            means.push(x, spread.mean);
            // All at one place: a stroke from the least to the greatest, entered and left at the
            // mean, so that no line is drawn but that between the means.
            let sd = spread.sd.unwrap_or(0.0);
            for y in [spread.mean, spread.mean - sd, spread.mean + sd, spread.mean] {
                deviations.push(x, y);
            }
        }
        Drawn { name: curve.name.clone(), means, deviations }
    }
}

fn draw_figure(page: &Page, read: &Read, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let (Some(axis), Some(column)) = (page.axis(), page.shown_column()) else {
        let why = match page.axis() {
            None => "No setting that is varied is a number: there is nothing to draw against.",
            Some(_) => "No run has been evaluated yet.",
        };
        return empty_state(frame, area, "Figure", &[why], view);
    };
    let logarithmic = read.sweep.is_logarithmic(axis);
    let place = |x: f64| if logarithmic { x.log10() } else { x };
    let curves = read.sweep.curves(&read.rows, axis, &column);
    let curves: Vec<Drawn> = curves.iter().map(|curve| Drawn::new(curve, place)).collect();
    let varied = &read.sweep.varied()[axis];
    let how = if logarithmic { " (logarithmic)" } else { "" };
    let mut title = vec![
        Span::styled(format!(" {} ", column.title()), theme.title),
        Span::styled(format!("by {}{how} ", varied.key), theme.dim),
    ];
    let mut traces = Vec::new();
    for (i, curve) in curves.iter().enumerate() {
        let (style, symbol) = (theme.series(i), theme.series_symbol(i));
        if !curve.name.is_empty() {
            title.push(Span::styled(format!("{symbol} {} ", text::clean(&curve.name)), style));
        }
        traces.push(Trace {
            series: &curve.means,
            behind: None,
            style,
            symbol,
            along: Along::Step,
        });
    }
    for (i, curve) in curves.iter().enumerate() {
        let (series, style) = (&curve.deviations, theme.series(i));
        traces.push(Trace { series, behind: None, style, symbol: CAP, along: Along::Step });
    }
    let title = Line::from(title);
    let block = pane("", theme, false).padding(ratatui::widgets::Padding::right(1)).title(title);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let mut places: Vec<(f64, String)> = varied
        .values
        .iter()
        .filter_map(|value| Some((place(value.parse().ok()?), value.clone())))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ends = [places.first(), places.last()].map(|end| end.map_or(0.0, |(x, _)| *x));
    // Room for the outermost points, and a window for a single one.
    let room = ((ends[1] - ends[0]) * 0.03).max(1e-3);
    let chart = Chart {
        traces,
        references: Vec::new(),
        window: (ends[0] - room, ends[1] + room),
        log_x: false,
        log_y: false,
        names: Names::Places(&places),
        cursor: None,
        theme,
    };
    frame.render_widget(&chart, inside);
}

fn draw_table(page: &Page, read: &Read, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let rows = &read.rows;
    let all: usize = rows.iter().map(|row| row.seeds).sum();
    let finished: usize = rows.iter().map(SweepRow::finished).sum();
    let name = read.sweep.path().file_name().map_or_else(
        || read.sweep.path().display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    );
    let title =
        format!("Sweep {}: {finished} of {} finished", text::clean(&name), counted(all, "run"));
    let block = pane(title, theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let [table, standing, keys] =
        Layout::vertical([Constraint::Fill(1), Constraint::Length(1), Constraint::Length(1)])
            .areas(inside);
    draw_rows(page, read, frame, table, view);
    frame.render_widget(standing_line(page, read, usize::from(standing.width), theme), standing);
    let hints =
        [("Enter", "its runs"), ("c", "card"), ("← →", "figure"), ("x", "export"), ("Esc", "runs")];
    let mut spans = Vec::new();
    for (key, what) in hints {
        spans.push(Span::styled(key, theme.key));
        spans.push(Span::styled(format!(" {what}  "), theme.dim));
    }
    spans.push(Span::styled("* best mean", theme.dim));
    frame.render_widget(Line::from(spans), keys);
}

/// How far all runs are, or how to go on with them.
fn standing_line<'a>(page: &Page, read: &Read, width: usize, theme: &Theme) -> Line<'a> {
    if let Some(problem) = &page.problem {
        return Line::styled(text::fit(&text::clean(problem), width).into_owned(), theme.warning);
    }
    let runs = || read.rows.iter().flat_map(|row| &row.runs);
    let all: usize = read.rows.iter().map(|row| row.seeds).sum();
    let share = runs().map(|run| run.progress).sum::<f64>() / all.max(1) as f64;
    let running = runs().filter(|run| run.state == RunState::Running).count();
    let finished = runs().filter(|run| run.state == RunState::Finished).count();
    let bar = Span::styled(format!("{} {:>3.0}%  ", bar(share, 20), 100.0 * share), theme.accent);
    let rest = match (finished == all, running) {
        (true, _) => "all runs are finished".to_owned(),
        (false, 0) => format!("go on with: rankspace resume {}", read.sweep.path().display()),
        (false, n) => format!("▶ {} now", counted(n, "run")),
    };
    let room = width.saturating_sub(bar.width());
    Line::from(vec![
        bar,
        Span::styled(text::fit(&text::clean(&rest), room).into_owned(), theme.text),
    ])
}

/// A cell of the table: text, whether it is the best of its column.
type Cell = (String, bool);

fn draw_rows(page: &Page, read: &Read, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    if area.height < 2 {
        return;
    }
    let columns = Column::known(&read.rows);
    let best: Vec<Option<usize>> = columns.iter().map(|c| c.best(&read.rows)).collect();
    let values = read.sweep.varied().iter().map(|varied| varied.short().to_owned());
    let mut head: Vec<String> = values.chain(["runs".to_owned()]).collect();
    let fixed = head.len();
    head.extend(columns.iter().map(Column::title));
    let mut table: Vec<Vec<Cell>> = Vec::new();
    for (i, row) in read.rows.iter().enumerate() {
        let mut cells: Vec<Cell> =
            row.values.iter().map(|value| (text::clean(value).into_owned(), false)).collect();
        cells.push((standing(row), false));
        cells.extend(
            columns.iter().zip(&best).map(|(c, best)| (c.cell(row, "±"), *best == Some(i))),
        );
        table.push(cells);
    }
    let width = |i: usize| {
        let cells = table.iter().map(|row| row[i].0.width() + usize::from(i >= fixed));
        cells.chain([head[i].width()]).max().unwrap_or(0).min(if i < fixed { 24 } else { 40 })
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let chosen = page.column.min(columns.len().saturating_sub(1)) + fixed;
    let shown = visible(&widths, fixed, chosen, usize::from(area.width));
    let line = |cell: &dyn Fn(usize) -> (String, ratatui::style::Style)| {
        let mut spans = Vec::new();
        for &i in &shown {
            let (text, style) = cell(i);
            let text = text::fit(&text, widths[i]).into_owned();
            let pad = " ".repeat(widths[i].saturating_sub(text.width()));
            spans.push(Span::raw(pad));
            spans.push(Span::styled(text, style));
            spans.push(Span::raw("  "));
        }
        Line::from(spans)
    };
    let title = |i: usize| {
        let style = if i == chosen && !columns.is_empty() { theme.selected } else { theme.dim };
        (head[i].clone(), style)
    };
    frame.render_widget(line(&title), Rect { height: 1, ..area });
    let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
    for (y, i) in moves::rows(view, "points", body, page.at, table.len()).enumerate() {
        let place = Rect { y: area.y + 1 + y as u16, height: 1, ..area };
        let cell = |column: usize| {
            let (text, best) = &table[i][column];
            match (best, column >= fixed) {
                (true, _) => (format!("{text}*"), theme.accent),
                // The same room as with the mark, so that figures stand in line.
                (false, true) => (format!("{text} "), theme.text),
                (false, false) => (text.clone(), theme.text),
            }
        };
        frame.render_widget(line(&cell), place);
        if i == page.at {
            frame.buffer_mut().set_style(place, theme.selected);
        }
    }
}

/// Columns that there is room for: the settings, and of the figures so many that the chosen one is
/// among them.
fn visible(widths: &[usize], fixed: usize, chosen: usize, room: usize) -> Vec<usize> {
    let taken: usize = widths[..fixed].iter().map(|width| width + 2).sum();
    let fits = |from: usize| {
        let mut left = room.saturating_sub(taken);
        let mut end = from;
        while end < widths.len() && (widths[end] <= left || end == from) {
            left = left.saturating_sub(widths[end] + 2);
            end += 1;
        }
        from..end
    };
    let figures = (fixed..widths.len()).map(fits).find(|figures| figures.contains(&chosen));
    (0..fixed).chain(figures.unwrap_or(fixed..fixed)).collect()
}

/// How many runs of a row are finished, and how its others stand.
fn standing(row: &SweepRow) -> String {
    let mut text = format!("{}/{}", row.finished(), row.seeds);
    let running: Vec<f64> = row.in_state(RunState::Running).map(|run| run.progress).collect();
    if !running.is_empty() {
        let share = running.iter().sum::<f64>() / running.len() as f64;
        text.push_str(&format!(" ▶{:.0}%", 100.0 * share));
    }
    for (state, mark) in
        [(RunState::Paused, "‖"), (RunState::Stopped, "■"), (RunState::Failed, "✗")]
    {
        match row.in_state(state).count() {
            0 => {}
            n => text.push_str(&format!(" {mark}{n}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_figure_is_always_among_those_that_have_room() {
        let widths = [6, 4, 15, 15, 15, 15];
        assert_eq!(visible(&widths, 2, 2, 200), [0, 1, 2, 3, 4, 5]);
        for room in [0, 20, 31, 50, 70] {
            for chosen in 2..6 {
                let shown = visible(&widths, 2, chosen, room);
                assert!(shown.starts_with(&[0, 1]) && shown.contains(&chosen), "{shown:?}");
            }
        }
        assert_eq!(visible(&widths[..2], 2, 2, 20), [0, 1]);
    }
}
