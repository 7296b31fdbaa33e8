//! The picture of Runs.

use super::Runs;
use crate::workbench::screen::View;
use crate::workbench::seeds::Seeds;
use crate::workbench::shared::RunEntry;
use crate::workbench::widgets::{empty_state, pane, state_label};
use crate::workbench::{sizes, text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// Terminals at least that wide get all columns.
const WIDE: u16 = 110;

pub fn draw(runs: &Runs, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let shared = view.shared;
    let shown = runs.shown(shared);
    let title = match shown.len() == shared.runs.len() {
        true => format!("Runs: {}", shown.len()),
        false => format!("Runs: {} of {}", shown.len(), shared.runs.len()),
    };
    let filter = runs.filtering || !runs.filter.is_empty();
    let height = if filter { 1 } else { 0 };
    let [line, area] =
        Layout::vertical([Constraint::Length(height), Constraint::Fill(1)]).areas(area);
    if filter {
        let line = Rect { x: line.x + 2, width: line.width.saturating_sub(4), ..line };
        runs.filter.draw(frame, line, "filter: ", runs.filtering, theme);
    }
    if shown.is_empty() {
        let none = ["No runs yet.", "", "2 n  start a training"];
        let lines: &[&str] = if !shared.listed {
            &["looking for runs…"]
        } else if filter {
            &["No run matches.", "", "Esc  take the filter away"]
        } else {
            &none
        };
        return empty_state(frame, area, &title, lines, theme);
    }
    let block = pane(title, theme, true);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if inside.height < 2 {
        return;
    }
    let at = shown.iter().position(|r| Some(r.id) == runs.at).unwrap_or(0);
    let inside = draw_group(shown[at], frame, inside, view);
    let wide = area.width >= WIDE;
    let labels: Vec<String> = shown.iter().map(|r| shared.label(r)).collect();
    let names = name_width(&labels, usize::from(inside.width), wide);
    frame.render_widget(header(names, wide).style(theme.dim), inside);
    let rows = usize::from(inside.height - 1);
    let top = (at + 1).saturating_sub(rows);
    for (i, (run, label)) in shown.iter().zip(&labels).skip(top).take(rows).enumerate() {
        let place = Rect { y: inside.y + 1 + i as u16, height: 1, ..inside };
        frame.render_widget(row(run, label, names, wide, view), place);
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

fn name_width(labels: &[String], width: usize, wide: bool) -> usize {
    let rest = if wide { 96 } else { 53 };
    let longest = labels.iter().map(|l| l.width()).max().unwrap_or(0);
    longest.clamp(4, width.saturating_sub(rest).max(12))
}

fn header<'a>(names: usize, wide: bool) -> Line<'a> {
    let name = "name";
    Line::from(if wide {
        format!(
            "   {name:<names$}  {:<12}{:<10}{:>6}{:>6}{:>6}{:>6}{:>9}{:>11}{:>11}{:>11}{:>12}",
            "state",
            "family",
            "NT",
            "PT",
            "rank",
            "seed",
            "step",
            "best S-F1",
            "best C-F1",
            "best ppl",
            "age"
        )
    } else {
        format!(
            "   {name:<names$}  {:<12}{:>7}{:>11}{:>10}{:>8}",
            "state", "step", "best S-F1", "best ppl", "age"
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
    let dev =
        |key: &str| run.best_dev().and_then(|m| m.get(key)).map_or("-".to_owned(), text::figure);
    let age = age(run, shared.now);
    let tail = if wide {
        let m = run.config.as_ref().map(|c| &c.model);
        let [nt, pt, rank] = m.map_or(["-"; 3].map(String::from), sizes::columns);
        format!(
            "{:<10}{nt:>6}{pt:>6}{rank:>6}{:>6}{:>9}{:>11}{:>11}{:>11}{age:>12}",
            m.map_or("-", |m| m.family.name()),
            run.config.as_ref().map_or("-".to_owned(), |c| c.seed.to_string()),
            run.step(),
            dev("s_f1"),
            dev("c_f1"),
            dev("perplexity"),
        )
    } else {
        format!("{:>7}{:>11}{:>10}{age:>8}", run.step(), dev("s_f1"), dev("perplexity"))
    };
    let (tail, tail_style) = match &run.problem {
        _ if run.gone => ("no folder: d takes it off the list".into(), theme.error),
        Some(problem) => (text::clean(problem).into_owned(), theme.error),
        None => (tail, theme.text),
    };
    Line::from(vec![
        mark,
        Span::styled(name, theme.text),
        Span::raw(pad),
        Span::styled(format!("{symbol} {word:<10}"), style),
        Span::styled(tail, tail_style),
    ])
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
