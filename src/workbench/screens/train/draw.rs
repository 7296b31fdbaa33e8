//! The picture of Train.

use super::words::{device, head_title, left, milliseconds, parts, was_counted};
use super::{Train, charts, side, table};
use crate::report::counted;
use crate::workbench::clock::Along;
use crate::workbench::figures::{Figure, Kind};
use crate::workbench::places::Place;
use crate::workbench::screen::View;
use crate::workbench::seeds::Seeds;
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::theme::Theme;
use crate::workbench::widgets::chart::{self, Chart, Names, Trace};
use crate::workbench::widgets::{bar, empty_state, literature, pane};
use crate::workbench::{sizes, text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Terminals at least that wide have the figures in a column of their own.
const WIDE: u16 = 130;

pub fn draw(train: &Train, frame: &mut Frame, area: Rect, view: &View) {
    let Some(run) = view.shared.selected_run() else {
        let waiting = ["looking for runs…"];
        let none =
            ["No run is selected.", "", "<train.new>  start a training", "<.runs>  choose a run"];
        let lines: &[&str] = if view.shared.listed { &none } else { &waiting };
        return empty_state(frame, area, "Train", lines, view);
    };
    if area.width >= WIDE {
        let split = [Constraint::Fill(1), Constraint::Length(side::WIDTH)];
        let [charts, beside] = view.columns("train.charts", split, area);
        draw_charts(train, frame, charts, view);
        side::draw(train, run, frame, beside, view);
        return;
    }
    if train.details {
        return side::draw(train, run, frame, area, view);
    }
    let alarm = train.troubles.line(usize::from(area.width.saturating_sub(4)), view.theme);
    let rows = 5 + u16::from(alarm.is_some());
    let [head, body] =
        Layout::vertical([Constraint::Length(rows), Constraint::Fill(1)]).areas(area);
    draw_head(train, run, frame, head, (alarm, view));
    if !train.literature {
        return draw_charts(train, frame, body, view);
    }
    // The published figures take the place of the lower charts.
    let [charts, published] = view.stack("train.literature", [Constraint::Fill(1); 2], body);
    draw_charts(train, frame, charts, view);
    let block = pane(literature::title(), view.theme, false);
    let inside = block.inner(published);
    frame.render_widget(block, published);
    let trees = !charts::of_language_model(view.shared);
    let lines = literature::lines(trees, usize::from(inside.width), view.theme);
    frame.render_widget(Paragraph::new(lines), inside);
}

// Charts.

fn draw_charts(train: &Train, frame: &mut Frame, area: Rect, view: &View) {
    if view.shared.selected_run().is_some_and(|run| run.is_ensemble()) {
        let lines =
            ["Bags and rounds of boosting have no steps.", "", "<.boost>  show them on Boost"];
        return empty_state(frame, area, "Train", &lines, view);
    }
    if view.shared.selected_run().is_some_and(|run| run.is_reranker()) {
        let lines = [
            "A reranker learns without steps of an optimiser.",
            "",
            "<.rerank>  shows it on Rerank",
        ];
        return empty_state(frame, area, "Train", &lines, view);
    }
    if train.table {
        return table::draw(train, frame, area, view);
    }
    view.place(area, Place::Wheel { up: "zoom-in", down: "zoom-out", times: 1 });
    let figures = train.charts.page.figures(Kind::of(view.shared.selected_run()));
    // Two rows where they have their five lines each.
    let rows = figures.len().div_ceil(2).min(usize::from(area.height / 5).max(1));
    let rows = Layout::vertical(vec![Constraint::Fill(1); rows]).split(area);
    for (&row, figures) in rows.iter().zip(figures.chunks(2)) {
        let cells: [Rect; 2] = Layout::horizontal([Constraint::Fill(1); 2]).areas(row);
        for (cell, figure) in cells.into_iter().zip(figures) {
            let figure = match figure {
                Figure::Loss => train.charts.loss(view.shared),
                other => *other,
            };
            draw_chart(train, figure, frame, cell, view);
        }
    }
}

fn draw_chart(train: &Train, figure: Figure, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let charts = &train.charts;
    let mut traces = Vec::new();
    for (i, run) in view.shared.drawn_runs().enumerate() {
        let Some(raw) = figure.series(run) else { continue };
        let smooth = charts.smoothed(run.id, figure);
        traces.push(Trace {
            series: smooth.unwrap_or(raw),
            behind: smooth.is_some().then_some(raw),
            style: theme.series(i),
            symbol: theme.series_symbol(i),
            along: Along::of(&run.history.clock, charts.axis),
        });
    }
    let selected = view.shared.selected_run();
    let references = selected.map(|r| figure.references(&r.history)).unwrap_or_default();
    let mut title = chart_title(train, figure, &traces, view);
    // Half a figure says another one: what has no room is left out, the last first.
    while title.width() > usize::from(area.width.saturating_sub(2)) && title.spans.len() > 1 {
        title.spans.pop();
    }
    let block = pane("", theme, false).padding(ratatui::widgets::Padding::right(1)).title(title);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let chart = Chart {
        traces,
        references,
        window: charts.window(view.shared),
        log_x: charts.log_x(),
        log_y: charts.log_y,
        names: Names::Run(charts.axis),
        cursor: charts.cursor_place(view.shared),
        theme,
    };
    if let Some(plot) = chart::plot(inside) {
        view.place(plot, Place::Plot("train"));
    }
    frame.render_widget(&chart, inside);
}

/// Name of the figure, then its value at the cursor or the newest one.
fn chart_title<'a>(train: &Train, figure: Figure, traces: &[Trace], view: &View) -> Line<'a> {
    let (charts, theme) = (&train.charts, view.theme);
    let selected = view.shared.selected_run();
    let name = match figure {
        Figure::Loss => loss_title(view),
        // Nothing says of what it is the loss.
        Figure::SentenceLoss if selected.is_some_and(|run| run.config.is_none()) => "loss",
        Figure::Speed if charts::of_language_model(view.shared) => "tokens per second",
        other => other.title(),
    };
    let mut spans = vec![Span::styled(format!(" {name} "), theme.title)];
    let family = selected.and_then(|run| run.config.as_ref()).map(|c| c.model.family);
    let is_likelihood = matches!(figure, Figure::Perplexity | Figure::LogLikelihood);
    if is_likelihood && family.is_some_and(|family| family.bound().is_some()) {
        spans.push(Span::styled("bound ", theme.dim));
    }
    if charts.log_y {
        spans.push(Span::styled("log ", theme.dim));
    }
    // A smoothed curve says the raw value first: that is what was reported.
    let has_own = selected.is_some_and(|run| figure.series(run).is_some());
    // The first is the selected run's, if that has one.
    let own = traces.first().filter(|_| has_own);
    let raw = own.map(|t| t.behind.unwrap_or(t.series));
    let smooth = own.filter(|t| t.behind.is_some()).map(|t| t.series);
    let at = |series: &crate::workbench::series::Series| match charts.cursor {
        Some(step) => series.nearest(step),
        None => series.last(),
    };
    if selected.is_some()
        && let Some((step, value)) = raw.and_then(at)
    {
        spans.push(Span::styled(format!("{} ", text::figure(value)), theme.accent));
        if let Some((_, value)) = smooth.and_then(at) {
            spans.push(Span::styled(format!("~{} ", text::figure(value)), theme.dim));
        }
        if charts.cursor.is_some() {
            let along = own.map_or(Along::Step, |t| t.along);
            let window = charts.window(view.shared);
            let place = chart::place(charts.axis, along.place(step), window);
            spans.push(Span::styled(format!("at {place} "), theme.dim));
        }
    }
    // The curve is the development set's; what the test set gave is a figure beside it.
    let test = selected.and_then(|run| figure.test(&run.history));
    if let Some((at, value)) = test.filter(|_| charts.cursor.is_none()) {
        // Test figures come with a new best one, so that they may be of an earlier step.
        let newest = raw.and_then(|series| series.last()).is_none_or(|(step, _)| step == at as f64);
        let step = if newest { String::new() } else { format!("at {} ", text::count(at)) };
        spans.push(Span::styled(format!("· test {} {step}", text::figure(value)), theme.dim));
    }
    Line::from(spans)
}

/// By what the losses in view are divided: ends of sentences are tokens, but no words.
fn loss_title(view: &View) -> &'static str {
    let learnt = || view.shared.drawn_runs().filter(|run| !run.is_counted());
    let models = || learnt().map(RunEntry::is_language_model);
    match (models().any(|m| m), models().all(|m| m)) {
        (_, true) => "loss (nats/token)",
        (false, _) => Figure::Loss.title(),
        (true, false) => "loss (nats/word, nats/token)",
    }
}

// Figures.

fn draw_head(
    train: &Train,
    run: &RunEntry,
    frame: &mut Frame,
    area: Rect,
    (alarm, view): (Option<Line>, &View),
) {
    let theme = view.theme;
    let block = pane("", theme, false).title(head_title(
        run,
        usize::from(area.width.saturating_sub(2)),
        view,
    ));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inside.width);
    let mut lines = vec![
        progress_line(run, width, theme),
        speed_line(run, theme),
        match Seeds::of(view.shared, run) {
            _ if !view.shared.overlaid.is_empty() => key_line(train, width, view),
            Some(seeds) if seeds.runs > 1 => Line::styled(seeds.line(), theme.accent),
            _ => config_line(run, theme),
        },
    ];
    lines.extend(alarm);
    frame.render_widget(Paragraph::new(lines), inside);
}

/// Epoch and run with bars and the time left.
fn progress_line<'a>(run: &RunEntry, width: usize, theme: &Theme) -> Line<'a> {
    let history = &run.history;
    let Some(last) = &history.last else {
        let text = match run.standing() {
            Standing::Gone => "its folder is no longer there",
            _ if run.listed_step > 0 && !run.has_events => {
                "its events.jsonl is gone: no curves can be drawn"
            }
            _ if run.listed_step > 0 => "reading its events…",
            Standing::Running => "loading the data and building the model…",
            _ => "no steps yet",
        };
        return Line::styled(text, theme.dim);
    };
    if Kind::of(Some(run)) == Kind::Counted {
        return Line::styled(
            format!("{}, nothing is learnt step by step", was_counted(run)),
            theme.text,
        );
    }
    // Words and figures need about 66 columns; bars share the rest.
    let size = (width.saturating_sub(66) / 2).clamp(4, 24);
    let step = text::count(last.step);
    let mut spans = vec![Span::styled(format!("epoch {} ", last.epoch), theme.text)];
    if let Some(share) = history.epoch_progress() {
        spans.push(Span::styled(bar(share, size), theme.accent));
        spans.push(Span::styled(left(run, share, last.steps_per_epoch), theme.dim));
    }
    // The second bar is the run's: without its name its time reads as the epoch's too.
    match history.progress() {
        Some(share) => {
            spans.push(Span::styled("  run ", theme.text));
            spans.push(Span::styled(bar(share, size), theme.accent));
            spans.push(Span::styled(left(run, share, last.total_steps), theme.dim));
            spans.push(Span::styled(format!("  step {step}"), theme.text));
        }
        None => spans.push(Span::styled(format!("  step {step}"), theme.text)),
    }
    Line::from(spans)
}

fn speed_line<'a>(run: &RunEntry, theme: &Theme) -> Line<'a> {
    let history = &run.history;
    let mut spans = Vec::new();
    if let Some(speed) = history.speed.tokens_per_second() {
        let unit = if run.is_language_model() { "tokens" } else { "words" };
        spans.push(Span::styled(format!("{} {unit}/s   ", text::count(speed as u64)), theme.text));
    }
    if let Some(total) = history.speed.seconds("total") {
        let what = if Kind::of(Some(run)) == Kind::Counted { "pass" } else { "step" };
        spans.push(Span::styled(format!("{what} {}:", milliseconds(total)), theme.text));
        for (name, _, share) in parts(run, total).into_iter().filter(|p| p.0 != "other") {
            spans.push(Span::styled(format!(" {name} {:.0}%", share * 100.0), theme.dim));
        }
    }
    Line::from(spans)
}

fn config_line<'a>(run: &RunEntry, theme: &Theme) -> Line<'a> {
    let mut spans = Vec::new();
    let learns = Kind::of(Some(run)) != Kind::Counted;
    if let Some(last) = run.history.last.as_ref().filter(|_| learns) {
        let rate = text::setting(last.learning_rate);
        let cuts = match run.history.rate_cuts.len() {
            0 => String::new(),
            n => format!(" ({})", counted(n, "cut")),
        };
        let words = format!("rate {rate}{cuts}  |g| {}   ", text::figure(last.gradient_norm));
        spans.push(Span::styled(words, theme.text));
    }
    spans.push(match &run.config {
        Some(config) => {
            let sizes = sizes::line(config);
            let place = device(config, run.history.device.as_ref());
            let words = format!("{sizes}  seed {}  {place}", config.seed);
            Span::styled(words, theme.dim)
        }
        None => Span::styled("its settings cannot be read", theme.warning),
    });
    Line::from(spans)
}

/// Which symbol is which run, and as much of what sets them apart as there is room for.
fn key_line<'a>(train: &Train, width: usize, view: &View) -> Line<'a> {
    let theme = view.theme;
    let line = |told: usize| {
        let mut spans = Vec::new();
        for (i, run) in view.shared.drawn_runs().enumerate() {
            let gap = if i > 0 { "  " } else { "" };
            let symbol = format!("{gap}{} ", theme.series_symbol(i));
            spans.push(Span::styled(symbol, theme.series(i)));
            let mut label = view.shared.label(run);
            for difference in &train.differences[..told] {
                let value = difference.values.get(i).and_then(|v| v.as_deref()).unwrap_or("-");
                label.push_str(&format!(" {}={value}", short(&difference.key)));
            }
            spans.push(Span::styled(text::clean(&label).into_owned(), theme.dim));
        }
        Line::from(spans)
    };
    let most = train.differences.len().min(2);
    (0..=most).rev().map(line).find(|line| line.width() <= width).unwrap_or_else(|| line(0))
}

fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}
