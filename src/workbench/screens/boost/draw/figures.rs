//! Figure 1, Figure 3 and the table of rounds.

use super::super::book::{Book, Milestones, RoundPage};
use super::super::measure::Measure;
use super::super::{Boost, Page};
use crate::workbench::clock::Along;
use crate::workbench::screen::View;
use crate::workbench::series::Series;
use crate::workbench::text::fit;
use crate::workbench::widgets::chart::{Chart, Names, Trace};
use crate::workbench::widgets::{moves, pane};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Padding;

/// From this width on, the charts and the table stand side by side.
const WIDE: u16 = 150;
/// From this width on, the table has precision and recall as well.
const FULL: u16 = 96;
/// Columns of a table beside the charts: without and with them.
const TABLES: (u16, u16) = (82, FULL + 14);

pub fn draw(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let (charts, table) = if area.width >= WIDE {
        // The charts have at least as much room.
        let columns = if area.width >= 2 * TABLES.0 + 20 { TABLES.1 } else { TABLES.0 };
        let split = [Constraint::Fill(1), Constraint::Length(columns)];
        let [charts, table] = view.columns("boost.rounds", split, area);
        (charts, table)
    } else {
        let rows = (book.rounds.len() as u16 + 3).max(6).min(area.height / 2);
        let split = [Constraint::Fill(1), Constraint::Length(rows)];
        let [charts, table] = view.stack("boost.table", split, area);
        (charts, table)
    };
    let split = [Constraint::Fill(3), Constraint::Fill(2)];
    let [first, third] = view.columns("boost.charts", split, charts);
    draw_weights(screen, book, frame, first, view);
    draw_scores(screen, book, frame, third, view);
    draw_table(screen, book, frame, table, view);
}

/// A chart in a pane with a title of several styles; gives the place inside.
fn framed(title: Vec<Span>, frame: &mut Frame, area: Rect, view: &View) -> Rect {
    let block = pane("", view.theme, false).padding(Padding::right(1)).title(Line::from(title));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    inside
}

/// Figure 1: what lies on the sentences of a rank, a curve a round.
fn draw_weights(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let name = if book.is_boosting() { " weight × m by rank " } else { " mean error by rank " };
    let mut title = vec![Span::styled(name, theme.title)];
    if screen.log_y {
        title.push(Span::styled("log ", theme.dim));
    }
    let mut traces = Vec::new();
    for (i, number) in screen.curves().into_iter().enumerate() {
        let Some(page) = book.rounds.iter().find(|page| page.kept.number == number) else {
            continue;
        };
        let (style, symbol) = (theme.series(i), theme.series_symbol(i));
        title.push(Span::styled(format!("{symbol} {number} "), style));
        traces.push(Trace { series: &page.curve, behind: None, style, symbol, along: Along::Step });
    }
    let inside = framed(title, frame, area, view);
    let references = if book.is_boosting() { vec![("uniform 1/m:", 1.0)] } else { Vec::new() };
    let chart = Chart {
        traces,
        references,
        log_x: false,
        window: (0.0, (book.sentences.len().max(2) as f64).log10()),
        log_y: screen.log_y,
        names: Names::Decades,
        cursor: None,
        theme,
    };
    frame.render_widget(&chart, inside);
}

/// Figure 3: how the vote does, after every round.
fn draw_scores(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let measure = screen.measure;
    let mut title = vec![Span::styled(format!(" {} of the vote ", measure.title()), theme.title)];
    let parts = std::iter::once("train").chain(book.held_out.map(|(part, _)| part));
    let series: Vec<(&str, Series)> =
        parts.map(|part| (part, scores(book, part, measure))).collect();
    let mut traces = Vec::new();
    for (i, (part, series)) in series.iter().enumerate() {
        let (style, symbol) = (theme.series(i), theme.series_symbol(i));
        title.push(Span::styled(format!("{symbol} {part} "), style));
        traces.push(Trace { series, behind: None, style, symbol, along: Along::Step });
    }
    let inside = framed(title, frame, area, view);
    let number =
        |page: Option<&std::sync::Arc<RoundPage>>| page.map_or(0.0, |page| page.kept.number as f64);
    let chart = Chart {
        traces,
        references: Vec::new(),
        log_x: false,
        window: (number(book.rounds.first()), number(book.rounds.last())),
        log_y: false,
        names: Names::Steps,
        cursor: (screen.page == Page::Figures)
            .then(|| book.rounds[screen.round()].kept.number as f64),
        theme,
    };
    frame.render_widget(&chart, inside);
}

fn scores(book: &Book, part: &str, measure: Measure) -> Series {
    let mut series = Series::default();
    for page in &book.rounds {
        if let Some(value) = page.kept.metrics.get(&format!("{part}_{}", measure.key())) {
            series.push(page.kept.number as f64, value);
        }
    }
    series
}

fn draw_table(screen: &Boost, book: &Book, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let focused = screen.page == Page::Figures;
    let title = match area.width >= WIDE / 2 + 5 {
        true => "Rounds: train and test figures are those of the vote up to there",
        false => "Rounds: figures of the vote",
    };
    let block = pane(title, theme, focused);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    if inside.height < 2 {
        return;
    }
    let full = inside.width >= FULL;
    let head = Rect { height: 1, ..inside };
    frame.render_widget(Line::styled(heading(book, full), theme.dim), head);
    let body = Rect { y: inside.y + 1, height: inside.height - 1, ..inside };
    let at = screen.round();
    let curves = screen.curves();
    let milestones = book.milestones();
    let visible = moves::rows(view, "rounds", body, at, book.rounds.len());
    for (y, place) in (body.y..).zip(visible) {
        let page = &book.rounds[place];
        let line_area = Rect { y, height: 1, ..body };
        let curve = curves.iter().position(|number| *number == page.kept.number);
        let (symbol, style) = match curve {
            Some(i) => (theme.series_symbol(i), theme.series(i)),
            None => (" ", Style::new()),
        };
        let text = row(book, page, full) + &remarks(page, place, &milestones);
        let text = fit(&text, usize::from(body.width.saturating_sub(2))).into_owned();
        let base = if place == at { theme.selected } else { theme.text };
        frame.buffer_mut().set_style(line_area, base);
        let symbol_style = if place == at { base } else { style };
        let spans =
            vec![Span::styled(format!("{symbol} "), symbol_style), Span::styled(text, base)];
        frame.render_widget(Line::from(spans), line_area);
    }
}

/// The measures that a table of that width has.
fn measures(full: bool) -> &'static [Measure] {
    if full { &Measure::ALL } else { &[Measure::F1, Measure::Exact] }
}

fn heading(book: &Book, full: bool) -> String {
    let mut text = match (book.is_boosting(), full) {
        (true, true) => {
            format!("  {:>3} {:>6} {:>6} {:>5} {:>8}", "no", "error", "beta", "vote", "eff.size")
        }
        (true, false) => format!("  {:>3} {:>6} {:>5} {:>8}", "no", "error", "vote", "eff.size"),
        (false, _) => format!("  {:>3} {:>6} {:>8}", "no", "error", "distinct"),
    };
    let parts = [Some("train"), book.held_out.map(|(part, _)| part)];
    for part in parts.into_iter().flatten() {
        for (i, measure) in measures(full).iter().enumerate() {
            let name = match measure {
                Measure::Precision => "P",
                Measure::Recall => "R",
                Measure::F1 => "F1",
                Measure::Exact => "exact",
            };
            let name = if i == 0 { format!("{part} {name}") } else { name.to_owned() };
            text += &format!("{name:>width$}", width = width(i, full));
        }
    }
    text
}

/// Columns of a part's `i`-th measure.
fn width(i: usize, full: bool) -> usize {
    match (i, full) {
        (0, true) => 11,
        (0, false) => 9,
        _ => 6,
    }
}

fn row(book: &Book, page: &RoundPage, full: bool) -> String {
    let metrics = &page.kept.metrics;
    let short = |name: &str, decimals: usize| {
        metrics.get(name).map_or("–".to_owned(), |value| format!("{value:.decimals$}"))
    };
    let number = page.kept.number;
    let size = metrics.get("effective_size").map_or("–".to_owned(), |n| format!("{n:.0}"));
    // Rounded to what fits into five columns.
    let decimals =
        |vote: f64| (0..=3).rev().find(|&d| format!("{vote:.d$}").len() <= 5).unwrap_or(0);
    let vote =
        page.kept.vote.map_or("–".to_owned(), |vote| format!("{vote:.0$}", decimals(vote)));
    let (error, beta) = (short("error", 4), short("beta", 4));
    let mut text = match (book.is_boosting(), full) {
        (true, true) => format!("{number:>3} {error:>6} {beta:>6} {vote:>5} {size:>8}"),
        (true, false) => format!("{number:>3} {error:>6} {vote:>5} {size:>8}"),
        (false, _) => format!("{number:>3} {error:>6} {size:>8}"),
    };
    let parts = [Some("train"), book.held_out.map(|(part, _)| part)];
    for part in parts.into_iter().flatten() {
        for (i, measure) in measures(full).iter().enumerate() {
            let value = short(&format!("{part}_{}", measure.key()), 2);
            text += &format!("{value:>width$}", width = width(i, full));
        }
    }
    text
}

/// What is to be said of a round besides its figures.
fn remarks(page: &RoundPage, place: usize, milestones: &Milestones) -> String {
    let Milestones { initial, best, last } = milestones;
    let best_word = if best.len() > 1 { "best, tied" } else { "best" };
    let [is_initial, is_last] = [initial, last].map(|round| *round == Some(place));
    // The only round is all of it.
    let several = !(is_initial && is_last);
    let marks = [
        (is_initial && several, "initial"),
        (best.contains(&place) && several, best_word),
        (is_last && several, "final"),
        (page.kept.number == 0, "single"),
        (page.kept.metrics.get("failed") == Some(1.0), "failed"),
        (page.kept.metrics.get("clamped") == Some(1.0), "clamped"),
    ];
    let marks = marks.into_iter().filter(|(is, _)| *is);
    let mut remarks: Vec<String> = marks.map(|(_, word)| word.to_owned()).collect();
    let fallbacks = page.kept.metrics.get("train_fallbacks").unwrap_or(0.0);
    if fallbacks > 0.0 {
        remarks.push(format!("~{fallbacks}"));
    }
    if remarks.is_empty() { String::new() } else { format!("  {}", remarks.join(", ")) }
}
