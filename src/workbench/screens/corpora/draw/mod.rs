//! What is painted: the list of corpora, and beside it the part of the screen that is chosen.

mod distributions;
mod parts;
mod problems;
mod sentences;

use super::entries::{ANY_LENGTH, Origin};
use super::load::{Loaded, Measured};
use super::settings::{Setting, changed_lines};
use super::{Corpora, Mode};
use crate::treebank::{STEPS, Step};
use crate::workbench::names::ScreenId;
use crate::workbench::screen::View;
use crate::workbench::text::{clean, count, counted, fit, wrap};
use crate::workbench::widgets::{empty_state, moves, pane};
use parts::{draw_histogram, draw_lines, draw_row, ranking};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

/// From this width on, more stands side by side.
const WIDE: u16 = 120;
/// Columns of the table of counts while preprocessing is edited, with its frame.
const COUNTS: u16 = 58;

pub(super) fn draw(screen: &Corpora, frame: &mut Frame, area: Rect, view: &View) {
    let [header, body, input] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(1),
        Constraint::Length(u16::from(screen.editing).max(screen.search.rows())),
    ])
    .areas(area);
    draw_header(screen, frame, header, view);
    if screen.search.editing() {
        screen.search.draw(frame, input, view.theme);
    } else if screen.editing {
        screen.filter.draw(frame, input, " filter: ", true, view.theme);
    }
    let list_width = if area.width >= WIDE { 36 } else { 22 };
    let shows_list = area.width >= WIDE || screen.mode == Mode::Overview;
    let list_width = if shows_list { list_width } else { 0 };
    let split = [Constraint::Length(list_width), Constraint::Fill(1)];
    let [list, main] = match shows_list {
        true => view.columns("corpora.list", split, body),
        false => Layout::horizontal(split).areas(body),
    };
    if shows_list {
        draw_corpora(screen, frame, list, view);
    }
    let Some(loaded) = &screen.loaded else { return draw_empty(screen, frame, main, view) };
    if let (Some(failure), false) =
        (&loaded.failure, matches!(screen.mode, Mode::Problems | Mode::Settings))
    {
        return draw_failure(loaded, failure, frame, main, view);
    }
    match screen.mode {
        Mode::Overview => draw_overview(loaded, frame, main, view),
        Mode::Distributions => distributions::draw(screen, loaded, frame, main, view),
        Mode::Sentences => sentences::draw(screen, loaded, frame, main, view),
        Mode::Problems => problems::draw(screen, loaded, frame, main, view),
        Mode::Settings => draw_settings(screen, loaded, frame, main, view),
    }
}

fn draw_header(screen: &Corpora, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let name = screen.entries.get(screen.at).map_or("", |e| e.name.as_str());
    let mut spans = vec![Span::styled(format!(" {}", clean(name)), theme.title)];
    if screen.entries.len() > 1 {
        let place = format!(" {}/{}", screen.at + 1, screen.entries.len());
        spans.push(Span::styled(place, theme.dim));
    }
    if let Some(loaded) = &screen.loaded {
        let s = &loaded.current.statistics;
        let mut text =
            format!(" · {}, {}", counted(s.sentences, "sentence"), counted(s.words, "word"));
        if let (Some(seed), Origin::HeldOut) = (loaded.entry.cut, loaded.entry.origin) {
            text += &format!(" · a tenth of train, drawn by seed {seed}");
        }
        match loaded.corpus.problems.len() {
            0 => {}
            n => text += &format!(" · {}", counted(n as u64, "problem")),
        }
        if loaded.is_edited() {
            text += " · edited";
        }
        spans.push(Span::styled(text, theme.text));
    }
    frame.render_widget(Line::from(spans), area);
}

fn draw_corpora(screen: &Corpora, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("Corpora", theme, screen.mode == Mode::Overview);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    // Groups are headed by where their corpora come from.
    let mut rows: Vec<(Option<usize>, String)> = Vec::new();
    for (i, entry) in screen.entries.iter().enumerate() {
        if i == 0 || screen.entries[i - 1].group() != entry.group() {
            rows.push((None, entry.group().to_owned()));
        }
        rows.push((Some(i), format!("  {}", clean(&entry.name))));
    }
    let at = rows.iter().position(|(i, _)| *i == Some(screen.at)).unwrap_or(0);
    let visible = moves::visible(at, rows.len(), usize::from(inside.height));
    for (y, (index, text)) in (inside.y..).zip(&rows[visible]) {
        let style = match index {
            None => theme.dim,
            Some(i) if *i == screen.at => theme.selected,
            Some(_) => theme.text,
        };
        let row = Rect { y, height: 1, ..inside };
        if let Some(i) = *index {
            view.list("corpora", row, i, screen.at, screen.entries.len());
        }
        draw_row(frame, row, text, style);
    }
}

fn draw_empty(screen: &Corpora, frame: &mut Frame, area: Rect, view: &View) {
    let failure = screen.failure.as_deref().map(clean).unwrap_or_default();
    let reading = view.shared.task(ScreenId::Corpora, "corpus").is_some();
    let failure = wrap(&failure, usize::from(area.width.saturating_sub(4)));
    let failed: Vec<&str> = failure
        .iter()
        .map(String::as_str)
        .chain(["press <corpora.reload> to read again, or <corpora.previous-corpus> and <corpora.next-corpus> to choose another corpus"])
        .collect();
    let lines: &[&str] = if reading {
        &["reading the files"]
    } else if screen.failure.is_some() {
        &failed
    } else {
        &[
            "no corpus is read yet",
            "press <corpora.change> to read the selected one",
            "rankspace FILE opens a treebank or text of yours",
        ]
    };
    empty_state(frame, area, "Corpus", lines, view);
}

/// Files in which there is no sentence, or none that is kept.
fn draw_failure(loaded: &Loaded, failure: &str, frame: &mut Frame, area: Rect, view: &View) {
    let mut lines = wrap(&clean(failure), usize::from(area.width.saturating_sub(4)));
    lines.push(String::new());
    match loaded.corpus.problems.len() {
        0 => {}
        1 => lines.push("<corpora.problems> shows the problem with its line".into()),
        n => lines.push(format!("<corpora.problems> shows {n} problems with their lines")),
    }
    lines.push("<corpora.preprocessing> changes how the files are read and what is kept".into());
    lines.push("<corpora.reload> reads them again, <corpora.previous-corpus> and <corpora.next-corpus> choose another corpus".into());
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    empty_state(frame, area, "Corpus", &lines, view);
}

fn draw_overview(loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let wide = area.width >= WIDE / 2 + 20;
    let theme = view.theme;
    let s = &loaded.current.statistics;
    if wide {
        let split = [Constraint::Length(COUNTS.max(area.width / 2)), Constraint::Fill(1)];
        let [left, right] = view.columns("corpora.counts", split, area);
        let [top, bottom] =
            Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(left);
        draw_lines(frame, top, "Counts", figures(loaded, true, room(top), view), view);
        draw_histogram(&s.lengths, "Sentence lengths", frame, bottom, view);
        let [labels, tags] =
            Layout::vertical([Constraint::Fill(1), Constraint::Fill(1)]).areas(right);
        draw_lines(frame, labels, "Labels", ranking(&s.labels, room(labels), theme.text), view);
        draw_lines(frame, tags, "Tags", ranking(&s.tags, room(tags), theme.text), view);
    } else {
        let figures = figures(loaded, false, room(area), view);
        let rows = (figures.len() as u16 + 2).min(area.height.saturating_sub(5));
        let [top, bottom] =
            Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area);
        draw_lines(frame, top, "Counts", figures, view);
        let [lengths, labels] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Fill(1)]).areas(bottom);
        draw_histogram(&s.lengths, "Sentence lengths", frame, lengths, view);
        draw_lines(frame, labels, "Labels", ranking(&s.labels, room(labels), theme.text), view);
    }
}

/// Columns for the text of a pane.
fn room(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(4))
}

/// A row of the table of counts.
type Figure = (&'static str, fn(&Measured) -> String);

const FIGURES: [Figure; 7] = [
    ("sentences", |m| count(m.statistics.sentences)),
    ("with trees", |m| count(m.statistics.trees)),
    ("words", |m| count(m.statistics.words)),
    ("distinct words", |m| count(m.statistics.word_types)),
    ("mean / longest", |m| {
        mean_and_longest(m.statistics.mean_length(), m.statistics.max_length as f64)
    }),
    ("labels / tags", |m| format!("{} / {}", m.statistics.labels.len(), m.statistics.tags.len())),
    ("unknown words", |m| m.unknown.map_or("–".to_owned(), |u| format!("{u:.2} %"))),
];

/// Both lengths in few columns: a text may be one line of a million words.
pub(super) fn mean_and_longest(mean: f64, longest: f64) -> String {
    let short = |x: f64, decimals: usize| match x {
        1e6.. => format!("{:.1}M", x / 1e6),
        1e4.. => format!("{:.0}k", x / 1e3),
        _ => format!("{x:.decimals$}"),
    };
    format!("{} / {}", short(mean, 1), short(longest, 0))
}

/// Counts as read, under the settings of the corpus and, if they were edited, under the edited
/// ones; below, what preprocessing took away or rewrote, in lines of text or step by step.
fn figures<'a>(loaded: &Loaded, by_step: bool, width: usize, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    let mut columns = vec![("as read", &loaded.as_read)];
    if loaded.is_edited() {
        columns.push(("before edit", &loaded.configured));
        columns.push(("after edit", &loaded.current));
    } else {
        columns.push(("preprocessed", &loaded.current));
    }
    let row = |name: &str, cells: Vec<String>| {
        // Whatever stands in a cell, a blank stays between two.
        let cell = |cell: &String| format!(" {:>12}", fit(cell, 12));
        format!("{name:<17}") + &cells.iter().map(cell).collect::<String>()
    };
    let titles = columns.iter().map(|(title, _)| (*title).to_owned()).collect();
    let mut lines = vec![Line::styled(row("", titles), theme.dim)];
    for (name, figure) in FIGURES {
        let cells = columns.iter().map(|(_, measured)| figure(measured)).collect();
        lines.push(Line::styled(row(name, cells), theme.text));
    }
    let done = |step: &&Step| columns.iter().any(|(_, m)| m.removed.get(step.name) > 0);
    let steps: Vec<&Step> = STEPS.iter().filter(done).collect();
    if !by_step {
        let removed = loaded.current.removed.steps();
        let removed: Vec<String> =
            removed.map(|(step, n)| format!("{} {}", step.name, count(n))).collect();
        if !removed.is_empty() {
            // A step and its count stay on one line.
            let glue = |text: String| text.replace(' ', "\u{a0}");
            let removed: Vec<String> = removed.into_iter().map(glue).collect();
            let text = format!("preprocessing: {}", removed.join(", "));
            let wrapped = wrap(&text, width).into_iter().map(|line| line.replace('\u{a0}', " "));
            lines.extend(wrapped.map(|line| Line::styled(line, theme.text)));
        }
    } else if !steps.is_empty() {
        lines.push(Line::styled("taken away or rewritten", theme.dim));
        for step in steps {
            let cell = |m: &Measured| match m.removed.get(step.name) {
                0 => "–".to_owned(),
                n => count(n),
            };
            let cells = columns.iter().map(|(_, measured)| cell(measured)).collect();
            lines.push(Line::styled(row(step.name, cells), theme.text));
        }
    }
    for note in &loaded.corpus.notes {
        let wrapped = wrap(&clean(note), width);
        lines.extend(wrapped.into_iter().map(|line| Line::styled(line, theme.warning)));
    }
    lines
}

fn draw_settings(screen: &Corpora, loaded: &Loaded, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let wide = area.width >= WIDE;
    let mut lines = figures(loaded, wide, room(area), view);
    let changed = changed_lines(&loaded.entry.data, &loaded.data);
    // Where room is scarce the rows of the settings say it all.
    if wide && !changed.is_empty() {
        lines.push(Line::styled("for a config (y copies)", theme.dim));
        lines.extend(changed.lines().map(|l| Line::styled(format!("  {l}"), theme.text)));
    }
    let all = Setting::ALL.len() as u16;
    let (settings, effect) = if wide {
        let [a, b] = view.columns("corpora.settings", [Constraint::Fill(1); 2], area);
        (a, b)
    } else {
        // The effect comes first in a small terminal, and the settings scroll.
        let least = all.min(3) + 3;
        let rows = area.height.saturating_sub(lines.len() as u16 + 2).clamp(least, all + 3);
        let [a, b] = Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area);
        (a, b)
    };
    let keys = view.say("<corpora.change> changes, <corpora.undo> undoes");
    let title = format!("Preprocessing {}/{all} · {keys}", screen.setting + 1);
    let block = pane(title, theme, true);
    let inside = block.inner(settings);
    frame.render_widget(block, settings);
    let rows = inside.height.saturating_sub(1).min(all);
    let body = Rect { height: rows, ..inside };
    let visible = moves::rows(view, "settings", body, screen.setting, usize::from(all));
    for (y, i) in (inside.y..).zip(visible) {
        let setting = &Setting::ALL[i];
        let shown = |data| match setting {
            Setting::MaxLength if data_is_any(data) => "any".to_owned(),
            _ => setting.value(data),
        };
        let (before, now) = (shown(&loaded.entry.data), shown(&loaded.data));
        let change = if before == now { now } else { format!("{now} (was {before})") };
        let line = format!("{:<16} {change}", setting.key());
        let style = if i == screen.setting { theme.selected } else { theme.text };
        draw_row(frame, Rect { y, height: 1, ..inside }, &line, style);
    }
    let help = Setting::ALL[screen.setting].help();
    let below = Rect { y: inside.y + rows, height: 1, ..inside };
    if below.y < inside.bottom() {
        frame.render_widget(Line::styled(help, theme.dim), below);
    }
    draw_lines(frame, effect, "Effect", lines, view);
}

fn data_is_any(data: &crate::config::Data) -> bool {
    data.max_length >= ANY_LENGTH
}
