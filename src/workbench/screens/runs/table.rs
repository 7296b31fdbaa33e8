//! The picture of Runs.

use super::{Row, Runs};
use crate::config::Config;
use crate::report::counted;
use crate::workbench::screen::View;
use crate::workbench::seeds::Seeds;
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::widgets::{empty_state, literature, pane, state_label};
use crate::workbench::{sizes, text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// Terminals at least that wide get all columns.
const WIDE: u16 = 132;
/// Columns for what a run takes on the disk, in terminals wider by as many.
const SIZE: u16 = 11;

pub fn draw(runs: &Runs, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let shared = view.shared;
    let shown = runs.shown(shared);
    let mut title = match shown.len() == shared.runs.len() {
        true => format!("Runs: {}", shown.len()),
        false => format!("Runs: {} of {}", shown.len(), shared.runs.len()),
    };
    if let Some(complaint) = super::filter::complaint(runs.filter.text()) {
        title += &format!(" · {complaint}");
    }
    match runs.disk.total(shared) {
        0 => {}
        total => title += &format!(" · {} of runs on the disk", text::bytes(total)),
    }
    let filter = runs.filtering || !runs.filter.is_empty();
    let height = if filter { 1 } else { 0 };
    let [line, area] =
        Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area);
    if filter {
        let line = Rect { x: line.x + 2, width: line.width.saturating_sub(4), ..line };
        runs.filter.draw(frame, line, "filter: ", runs.filtering, theme);
    }
    if shown.is_empty() {
        let none = ["No runs yet.", "", "<.train> <train.new>  start a training"];
        let lines: &[&str] = if !shared.listed {
            &["looking for runs…"]
        } else if filter {
            &["No run matches.", "", "<runs.clear>  take the filter away"]
        } else {
            &none
        };
        return empty_state(frame, area, &title, lines, view);
    }
    let area = match runs.literature {
        true => draw_literature(runs, frame, area, view),
        false => area,
    };
    let mut block = pane(title, theme, true);
    if let Some(line) = runs.run(shared).and_then(|run| runs.disk_line(run)) {
        let line = format!(" {} ", text::fit(&line, usize::from(area.width.saturating_sub(6))));
        block = block.title_bottom(Line::styled(line, theme.dim));
    }
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if inside.height < 2 {
        return;
    }
    let lines = runs.rows(shared);
    let at = runs.place(&lines);
    let inside = match lines[at] {
        Row::Run(run) => draw_group(run, frame, inside, view),
        Row::Sweep(_) => inside,
    };
    let wide = area.width >= WIDE;
    let sized = area.width >= WIDE + SIZE;
    let labels: Vec<String> = shown.iter().map(|r| shared.label(r)).collect();
    let room = inside.width - if sized { SIZE } else { 0 };
    let names = name_width(&labels, usize::from(room), wide);
    frame.render_widget(header(names, wide).style(theme.dim), inside);
    if sized {
        let size = Line::styled("on disk", theme.dim).right_aligned();
        frame.render_widget(size, Rect { height: 1, ..inside });
    }
    let rows = usize::from(inside.height - 1);
    let top = (at + 1).saturating_sub(rows);
    let body = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    view.list("runs", body, top, at, lines.len());
    for (i, line) in lines.iter().skip(top).take(rows).enumerate() {
        let place = Rect { y: inside.y + 1 + i as u16, height: 1, ..inside };
        let line = match line {
            Row::Run(run) => {
                let at = shown.iter().position(|other| other.id == run.id);
                row(run, at.map_or("", |at| &labels[at]), names, wide, view)
            }
            Row::Sweep(path) => sweep_row(path, names, view),
        };
        frame.render_widget(line, place);
        if let (true, Row::Run(run)) = (sized, &lines[top + i])
            && let Some(used) = runs.disk.of(run.id)
        {
            let size = Line::styled(text::bytes(used.total()), theme.text).right_aligned();
            frame.render_widget(size, place);
        }
        if top + i == at {
            frame.buffer_mut().set_style(place, theme.selected);
        }
    }
}

/// What the group of the run under the cursor gives together, in the last line; gives the place
/// that is left.
fn draw_group(run: &RunEntry, frame: &mut Frame, inside: Rect, view: &View) -> Rect {
    let Some(seeds) = Seeds::of(view.shared, run).filter(|_| inside.height >= 5) else {
        return inside;
    };
    let [rest, line] = Layout::vertical([Constraint::Fill(1), Constraint::Length(1)]).areas(inside);
    let text = text::fit(&seeds.line(), usize::from(line.width)).into_owned();
    frame.render_widget(Line::styled(text, view.theme.accent), line);
    rest
}

/// Draws published figures of models of the kind that is under the cursor, below what it leaves
/// of the area.
fn draw_literature(runs: &Runs, frame: &mut Frame, area: Rect, view: &View) -> Rect {
    let at = runs.run(view.shared);
    let trees = !at.is_some_and(|run| run.is_language_model());
    let block = pane(literature::title(), view.theme, false);
    let width = usize::from(block.inner(area).width);
    let lines = literature::lines(trees, width, view.theme);
    let height = (lines.len() as u16 + 2).min(area.height * 3 / 5);
    let split = [Constraint::Fill(1), Constraint::Length(height)];
    let [above, below] = view.stack("runs.literature", split, area);
    let inside = block.inner(below);
    frame.render_widget(block, below);
    frame.render_widget(Paragraph::new(lines), inside);
    above
}

fn name_width(labels: &[String], width: usize, wide: bool) -> usize {
    let rest = if wide { 118 } else { 51 };
    let longest = labels.iter().map(|l| l.width()).max().unwrap_or(0);
    longest.clamp(4, width.saturating_sub(rest).max(12))
}

fn header<'a>(names: usize, wide: bool) -> Line<'a> {
    let name = "name";
    Line::from(if wide {
        format!(
            "   {name:<names$}  {:<12}{:<11}{:<28}{:>5}{:>9}  {:<13}{:<25}{:>8}",
            "state", "family", "sizes", "seed", "step", "best", "and", "age"
        )
    } else {
        format!(
            "   {name:<names$}  {:<11}{:<10}{:>6} {:<11}{:>7}",
            "state", "family", "step", "best", "age"
        )
    })
}

fn row<'a>(run: &RunEntry, label: &str, names: usize, wide: bool, view: &View) -> Line<'a> {
    let theme = view.theme;
    let shared = view.shared;
    let (symbol, word, style) = state_label(run, view.theme);
    // The same symbol as in the charts.
    let series = if shared.selected == Some(run.id) {
        Some(0)
    } else {
        shared.overlaid.iter().position(|id| *id == run.id).map(|i| i + 1)
    };
    let mark = match series {
        Some(i) => Span::styled(format!("{}  ", theme.series_symbol(i)), theme.series(i)),
        None => Span::raw("   "),
    };
    let label = text::clean(label).into_owned();
    let name = text::fit_end(&label, names).into_owned();
    let pad = " ".repeat(names.saturating_sub(name.width()) + 2);
    let (best, others) = figures(run);
    let age = age(run, shared.now);
    let family = run.config.as_ref().map_or("-", Config::what);
    let sized = run.config.as_ref().filter(|c| !c.kind.is_ensemble());
    let tail = if wide {
        let sizes = sized.map_or_else(|| "-".to_owned(), sizes::line);
        let seed = run.config.as_ref().map_or("-".to_owned(), |c| c.seed.to_string());
        let step = run.step();
        format!("{family:<11}{sizes:<28}{seed:>5}{step:>9}  {best:<13}{others:<25}{age:>8}")
    } else {
        format!("{family:<10}{:>6} {best:<11}{age:>7}", run.step())
    };
    let (tail, tail_style) = match &run.problem {
        _ if run.gone => {
            (view.say("no folder: <runs.delete> takes it off the list").into_owned(), theme.error)
        }
        Some(problem) => (text::clean(problem).into_owned(), theme.error),
        None => (tail, theme.text),
    };
    Line::from(vec![
        mark,
        Span::styled(name, theme.text),
        Span::raw(pad),
        Span::styled(format!("{symbol} {word:<0$}", if wide { 10 } else { 9 }), style),
        Span::styled(tail, tail_style),
    ])
}

/// A sweep with what has come of its runs.
fn sweep_row<'a>(path: &Path, names: usize, view: &View) -> Line<'a> {
    let theme = view.theme;
    let runs = || view.shared.runs.iter().filter(|run| run.sweep.as_deref() == Some(path));
    let standing = |wanted: Standing| runs().filter(|run| run.standing() == wanted).count();
    let (all, finished) = (runs().count(), standing(Standing::Finished));
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    let name = text::fit_end(&text::clean(&name), names).into_owned();
    let pad = " ".repeat(names.saturating_sub(name.width()) + 2);
    let mut rest = format!("sweep: {finished} of {} finished", counted(all, "run"));
    match standing(Standing::Running) {
        0 => {}
        running => rest.push_str(&format!(", ▶ {running}")),
    }
    Line::from(vec![
        Span::raw("   "),
        Span::styled(name, theme.accent),
        Span::raw(pad),
        Span::styled(rest, theme.text),
    ])
}

/// The main figure of a run and the other ones, by name.
fn figures(run: &RunEntry) -> (String, String) {
    let text = |(name, value): (&str, f64)| format!("{name} {}", text::figure(value));
    let main = run.main_figure();
    let others = [("c_f1", "C-F1"), ("perplexity", "ppl"), ("log_likelihood", "log-lik.")];
    let other = |(key, name): (&str, &'static str)| Some((name, run.best_dev()?.get(key)?));
    let others: Vec<String> = others
        .into_iter()
        .filter_map(other)
        .filter(|(name, _)| main.is_none_or(|main| main.0 != *name))
        .map(text)
        .take(2)
        .collect();
    (main.map_or_else(|| "-".to_owned(), text), others.join("  "))
}

/// Time since it started, in one unit.
fn age(run: &RunEntry, now: f64) -> String {
    let seconds = now - run.started;
    if run.started <= 0.0 || seconds < 0.0 {
        return "-".into();
    }
    match seconds as u64 {
        s @ 0..60 => format!("{s} s"),
        s @ 60..3600 => format!("{} min", s / 60),
        s @ 3600..86_400 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}
