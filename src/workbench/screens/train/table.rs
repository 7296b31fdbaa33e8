//! The raw numbers, a row a step. The selected row is the cursor of the charts.

use super::Train;
use crate::workbench::clock::XAxis;
use crate::workbench::curves::{Column, columns};
use crate::workbench::screen::{Context, View};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::text;
use crate::workbench::widgets::{empty_state, moves, pane};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Columns of the step, the running time and, at least, each figure.
const STEP: usize = 10;
const TIME: usize = 15;
const FIGURE: usize = 11;

/// Columns of a figure: its name stands whole above its values.
fn width(column: &Column) -> usize {
    (column.short_name().width() + 1).max(FIGURE)
}

impl Train {
    /// Moves the selected row, which is the cursor; at the newest row it follows the run.
    pub(super) fn select_row(&mut self, name: &str, context: &mut Context) {
        if !self.table {
            return context.status("<train.table> shows the raw numbers: rows are selected there");
        }
        let Some(run) = context.shared.selected_run() else { return };
        let clock = &run.history.clock;
        let Some(to) = moves::moved(name, self.row(run), clock.len()) else { return };
        let is_newest = to + 1 >= clock.len();
        self.charts.cursor = (!is_newest).then(|| clock.at(to, XAxis::Step));
    }

    /// Other figures come into view, where not all have room.
    pub(super) fn shift_columns(&mut self, by: isize, run: &RunEntry) {
        let last = columns(run).len().saturating_sub(1);
        self.first_column = self.first_column.saturating_add_signed(by).min(last);
    }

    /// The selected row: that of the cursor, or the newest.
    fn row(&self, run: &RunEntry) -> usize {
        let clock = &run.history.clock;
        let cursor = self.charts.cursor.and_then(|step| clock.nearest(XAxis::Step, step));
        cursor.unwrap_or(clock.len().saturating_sub(1))
    }

    /// Puts figures of all runs in view on the clipboard: those under the cursor, or the newest.
    pub(super) fn copy(&self, context: &mut Context) {
        let text = copied(self, context.shared);
        if text.lines().count() < 2 {
            return context.warn("there are no figures to copy yet");
        }
        context.push(crate::workbench::screen::Effect::Copy(text));
        context.status(match self.charts.cursor {
            Some(_) => "the figures under the cursor are on the clipboard, a line each",
            None => "the newest figures are on the clipboard, a line each",
        });
    }
}

/// A line a figure, apart by tabs: the value nearest to the cursor, or the newest.
fn copied(train: &Train, shared: &Shared) -> String {
    let mut out = String::from("run\tfigure\tstep\tvalue\n");
    let place = train.charts.cursor_place(shared);
    for run in shared.drawn_runs() {
        let clock = &run.history.clock;
        let row = place.and_then(|x| clock.nearest(train.charts.axis, x));
        for Column { name, series } in columns(run) {
            let point = match row {
                Some(row) => series.nearest(clock.at(row, XAxis::Step)),
                None => series.last(),
            };
            if let Some((step, value)) = point {
                let run = text::clean(&run.name);
                out.push_str(&format!(
                    "{run}\t{name}\t{step}\t{}\n",
                    crate::workbench::curves::word(value)
                ));
            }
        }
    }
    out
}

pub(super) fn draw(train: &Train, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let Some(run) = view.shared.selected_run() else { return };
    let clock = &run.history.clock;
    if clock.is_empty() {
        return empty_state(frame, area, "Raw numbers", &["no figures yet"], view);
    }
    let selected = train.row(run);
    // Of several runs in view the rows are one's.
    let whose = match view.shared.overlaid.is_empty() {
        true => String::new(),
        false => format!(" of {}", text::fit(&text::clean(&view.shared.label(run)), 40)),
    };
    let title = format!(
        "Raw numbers{whose}: row {} of {}",
        text::count(selected as u64 + 1),
        text::count(clock.len() as u64)
    );
    let mut block = pane(title, theme, true);
    let inside = block.inner(area);
    let all = columns(run);
    let room = usize::from(inside.width).saturating_sub(STEP + TIME);
    // With room for all there is nothing to pass by.
    let fits = |columns: &[Column]| columns.iter().map(width).sum::<usize>() <= room;
    let first = if fits(&all) { 0 } else { train.first_column.min(all.len() - 1) };
    let shown = (first..=all.len()).rev().map(|to| &all[first..to]).find(|part| fits(part));
    let shown = shown.unwrap_or_default();
    if shown.len() < all.len() {
        let (from, to, of) = (first + 1, first + shown.len(), all.len());
        let others = view.say("<train.pan-left> <train.pan-right> scroll, <train.export> writes");
        block = block.title_bottom(format!(" figures {from}–{to} of {of}: {others} all "));
    }
    frame.render_widget(block, area);

    let cell = |text: &str, width: usize| format!("{:>width$}", text::fit(text, width - 1));
    let mut head = cell("step", STEP) + &cell(time_name(train), TIME);
    for column in shown {
        head.push_str(&cell(&column.short_name(), width(column)));
    }
    let mut lines = vec![Line::styled(head, theme.title)];
    let height = usize::from(inside.height).saturating_sub(1);
    for i in moves::visible(selected, clock.len(), height) {
        let (step, elapsed, wall) = clock.row(i);
        let time = match train.charts.axis {
            XAxis::Wall => format!("{} {}", &text::day(wall)[5..], text::time_of_day(wall)),
            _ => text::duration(elapsed),
        };
        let style = if i == selected { theme.selected } else { theme.text };
        let mut spans =
            vec![Span::styled(cell(&step.to_string(), STEP) + &cell(&time, TIME), style)];
        for column in shown {
            let value = column.series.at(step);
            let odd = value.is_some_and(|v| !v.is_finite());
            let text = value.map_or(String::new(), figure);
            spans.push(Span::styled(
                cell(&text, width(column)),
                if odd { theme.error } else { style },
            ));
        }
        lines.push(Line::from(spans));
    }
    frame.render_widget(Paragraph::new(lines), inside);
}

fn time_name(train: &Train) -> &'static str {
    match train.charts.axis {
        XAxis::Wall => "UTC",
        _ => "running time",
    }
}

/// Six digits: more than the charts say, and all that a column has room for.
fn figure(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        return text::figure(value);
    }
    let digits = 5 - value.abs().log10().floor() as i32;
    if !(0..=8).contains(&digits) {
        return format!("{value:.3e}");
    }
    format!("{value:.*}", digits as usize)
}
