//! The picture of Train.

use super::Train;
use super::figures::{Figure, Page};
use crate::workbench::history::History;
use crate::workbench::screen::View;
use crate::workbench::seeds::Seeds;
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::theme::Theme;
use crate::workbench::widgets::chart::{Chart, Trace};
use crate::workbench::widgets::{bar, empty_state, pane, state_label};
use crate::workbench::{sizes, text};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Terminals at least that wide have the figures in a column of their own.
const WIDE: u16 = 130;
/// Width of that column.
const SIDE: u16 = 44;

pub fn draw(train: &Train, frame: &mut Frame, area: Rect, view: &View) {
    let Some(run) = view.shared.selected_run() else {
        let waiting = ["looking for runs…"];
        let none = ["No run is selected.", "", "n  start a training", "7  choose a run"];
        let lines: &[&str] = if view.shared.listed { &none } else { &waiting };
        return empty_state(frame, area, "Train", lines, view.theme);
    };
    if area.width >= WIDE {
        let [charts, side] =
            Layout::horizontal([Constraint::Fill(1), Constraint::Length(SIDE)]).areas(area);
        draw_charts(train, frame, charts, view);
        draw_side(train, run, frame, side, view);
    } else {
        let [head, charts] =
            Layout::vertical([Constraint::Length(5), Constraint::Fill(1)]).areas(area);
        draw_head(train, run, frame, head, view);
        draw_charts(train, frame, charts, view);
    }
}

// Charts.

fn draw_charts(train: &Train, frame: &mut Frame, area: Rect, view: &View) {
    let rows: [Rect; 2] = Layout::vertical([Constraint::Fill(1); 2]).areas(area);
    for (row, figures) in rows.into_iter().zip(train.charts.page.figures().chunks(2)) {
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
        let Some(raw) = figure.series(&run.history) else { continue };
        let smooth = charts.smoothed(run.id, figure);
        traces.push(Trace {
            series: smooth.unwrap_or(raw),
            behind: smooth.is_some().then_some(raw),
            style: theme.series(i),
            symbol: theme.series_symbol(i),
        });
    }
    let selected = view.shared.selected_run();
    let references = selected.map(|r| figure.references(&r.history)).unwrap_or_default();
    let title = chart_title(train, figure, &traces, selected, theme);
    let block = pane("", theme, false).padding(ratatui::widgets::Padding::right(1)).title(title);
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let chart = Chart {
        traces,
        references,
        window: charts.window(view.shared),
        log_y: charts.log_y,
        cursor: charts.cursor,
        theme,
    };
    frame.render_widget(&chart, inside);
}

/// Name of the figure, then its value at the cursor or the newest one.
fn chart_title<'a>(
    train: &Train,
    figure: Figure,
    traces: &[Trace],
    selected: Option<&RunEntry>,
    theme: &Theme,
) -> Line<'a> {
    let charts = &train.charts;
    let mut spans = vec![Span::styled(format!(" {} ", figure.title()), theme.title)];
    if charts.log_y {
        spans.push(Span::styled("log ", theme.dim));
    }
    // A smoothed curve says the raw value first: that is what was reported.
    let raw = traces.first().map(|t| t.behind.unwrap_or(t.series));
    let smooth = traces.first().filter(|t| t.behind.is_some()).map(|t| t.series);
    let at = |series: &crate::workbench::series::Series| match charts.cursor {
        Some(step) => series.nearest(step),
        None => series.last(),
    };
    if selected.is_some()
        && let Some((step, value)) = raw.and_then(at)
    {
        spans.push(Span::styled(text::figure(value), theme.accent));
        if let Some((_, value)) = smooth.and_then(at) {
            spans.push(Span::styled(format!(" ~{}", text::figure(value)), theme.dim));
        }
        if charts.cursor.is_some() {
            spans.push(Span::styled(format!(" at {step:.0}"), theme.dim));
        }
        spans.push(Span::raw(" "));
    }
    // The curve is the development set's; what the test set gave is a figure beside it.
    let test = selected.and_then(|run| figure.test(&run.history));
    if let Some(value) = test.filter(|_| charts.cursor.is_none()) {
        spans.push(Span::styled(format!("· test {} ", text::figure(value)), theme.dim));
    }
    Line::from(spans)
}

// Figures.

fn draw_head(train: &Train, run: &RunEntry, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("", theme, false).title(head_title(run, view));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inside.width);
    let lines = vec![
        progress_line(run, width, theme),
        speed_line(run, theme),
        match Seeds::of(view.shared, run) {
            _ if !view.shared.overlaid.is_empty() => key_line(train, view),
            Some(seeds) if seeds.runs > 1 => Line::styled(seeds.line(), theme.accent),
            _ => config_line(run, theme),
        },
    ];
    frame.render_widget(Paragraph::new(lines), inside);
}

fn head_title<'a>(run: &RunEntry, view: &View) -> Line<'a> {
    let (symbol, word, style) = state_label(run, view.theme);
    let mut spans = vec![
        Span::styled(format!(" {} ", text::clean(&view.shared.label(run))), view.theme.title),
        Span::styled(format!("{symbol} {word} "), style),
    ];
    let reason = match run.standing() {
        Standing::Gone => Some("its folder was removed or moved: 7 chooses another"),
        Standing::Died => Some("its process ended without a word: R resumes it"),
        _ => run.history.reason.as_deref().filter(|_| !run.active()),
    };
    if let Some(reason) = reason {
        let reason = text::fit(&text::clean(reason), 60).into_owned();
        spans.push(Span::styled(format!("{reason} "), view.theme.dim));
    }
    Line::from(spans)
}

/// Epoch and run with bars and the time left.
fn progress_line<'a>(run: &RunEntry, width: usize, theme: &Theme) -> Line<'a> {
    let history = &run.history;
    let Some(last) = &history.last else {
        let text = match run.standing() {
            Standing::Gone => "its folder is no longer there",
            _ if run.listed_step > 0 => "reading its events…",
            Standing::Running => "loading the data and building the model…",
            _ => "no steps yet",
        };
        return Line::styled(text, theme.dim);
    };
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

/// Time left while it runs, else the share done.
fn left(run: &RunEntry, share: f64, of_steps: u64) -> String {
    let seconds = run.history.seconds_left(share, of_steps);
    match seconds.filter(|_| run.standing() == Standing::Running && share < 1.0) {
        Some(seconds) => format!(" {} left", text::duration(seconds)),
        None => format!(" {:.0}%", share * 100.0),
    }
}

fn speed_line<'a>(run: &RunEntry, theme: &Theme) -> Line<'a> {
    let history = &run.history;
    let mut spans = Vec::new();
    if let Some(speed) = history.speed.tokens_per_second() {
        spans.push(Span::styled(format!("{} words/s   ", text::count(speed as u64)), theme.text));
    }
    if let Some(total) = history.speed.seconds("total") {
        spans.push(Span::styled(format!("step {}:", milliseconds(total)), theme.text));
        for (name, _, share) in parts(history, total).into_iter().filter(|p| p.0 != "other") {
            spans.push(Span::styled(format!(" {name} {:.0}%", share * 100.0), theme.dim));
        }
    }
    Line::from(spans)
}

/// Seconds of a step by part, with their share; what is left over is `other`.
fn parts(history: &History, total: f64) -> Vec<(&'static str, f64, f64)> {
    let known: Vec<(&'static str, f64)> = ["network", "inference", "optimizer"]
        .into_iter()
        .filter_map(|name| Some((name, history.speed.seconds(name)?)))
        .collect();
    let rest = total - known.iter().map(|p| p.1).sum::<f64>();
    let rest = (rest > 0.02 * total).then_some(("other", rest));
    known.into_iter().chain(rest).map(|(n, s)| (n, s, s / total)).collect()
}

fn milliseconds(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

fn config_line<'a>(run: &RunEntry, theme: &Theme) -> Line<'a> {
    let mut spans = Vec::new();
    if let Some(last) = &run.history.last {
        let rate = text::setting(last.learning_rate);
        let words = format!("rate {rate}  |g| {}   ", text::figure(last.gradient_norm));
        spans.push(Span::styled(words, theme.text));
    }
    spans.push(match &run.config {
        Some(config) => {
            let sizes = sizes::line(&config.model);
            let words = format!("{sizes}  seed {}  {}", config.seed, device(config));
            Span::styled(words, theme.dim)
        }
        None => Span::styled("its settings cannot be read", theme.warning),
    });
    Line::from(spans)
}

/// Where it computes, and on how many cores.
fn device(config: &crate::config::Config) -> String {
    match config.threads {
        0 => format!("{}, all cores", config.device),
        1 => format!("{}, 1 core", config.device),
        n => format!("{}, {n} cores", config.device),
    }
}

/// Which symbol is which run, and what sets them apart.
fn key_line<'a>(train: &Train, view: &View) -> Line<'a> {
    let theme = view.theme;
    let mut spans = Vec::new();
    for (i, run) in view.shared.drawn_runs().enumerate() {
        spans.push(Span::styled(format!("{} ", theme.series_symbol(i)), theme.series(i)));
        let mut label = view.shared.label(run);
        for difference in train.differences.iter().take(2) {
            let value = difference.values.get(i).and_then(|v| v.as_deref()).unwrap_or("-");
            label.push_str(&format!(" {}={value}", short(&difference.key)));
        }
        spans.push(Span::styled(format!("{}  ", text::clean(&label)), theme.dim));
    }
    Line::from(spans)
}

fn short(key: &str) -> &str {
    key.rsplit('.').next().unwrap_or(key)
}

/// The column of a wide terminal: everything, one thing a line.
fn draw_side(train: &Train, run: &RunEntry, frame: &mut Frame, area: Rect, view: &View) {
    let theme = view.theme;
    let block = pane("", theme, false).title(head_title(run, view));
    let inside = block.inner(area);
    frame.render_widget(block, area);
    let width = usize::from(inside.width);
    let mut lines = Vec::new();
    progress_rows(run, width, theme, &mut lines);
    evaluation_rows(run, theme, &mut lines);
    seeds_rows(run, view, &mut lines);
    speed_rows(run, width, theme, &mut lines);
    overlay_rows(train, width, view, &mut lines);
    settings_rows(run, theme, &mut lines);
    view_rows(train, theme, &mut lines);
    frame.render_widget(Paragraph::new(lines), inside);
}

fn heading<'a>(name: &'static str, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    if !lines.is_empty() {
        lines.push(Line::default());
    }
    lines.push(Line::styled(name, theme.title));
}

fn row<'a>(name: &str, value: impl Into<String>, theme: &Theme) -> Line<'a> {
    Line::from(vec![
        Span::styled(format!("  {name:<15} "), theme.dim),
        Span::styled(value.into(), theme.text),
    ])
}

fn progress_rows<'a>(run: &RunEntry, width: usize, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Progress", theme, lines);
    let history = &run.history;
    let Some(last) = &history.last else {
        lines.push(row("", "no steps yet", theme));
        return;
    };
    let size = width.saturating_sub(4);
    let steps = match last.total_steps {
        0 => text::count(last.step),
        total => format!("{} of {}", text::count(last.step), text::count(total)),
    };
    lines.push(row("epoch", last.epoch.to_string(), theme));
    if let Some(share) = history.epoch_progress() {
        lines.push(Line::styled(format!("  {}", bar(share, size)), theme.accent));
        let left = left(run, share, last.steps_per_epoch);
        lines.push(row("this epoch", left.trim().to_owned(), theme));
    }
    lines.push(row("step", steps, theme));
    if let Some(share) = history.progress() {
        lines.push(Line::styled(format!("  {}", bar(share, size)), theme.accent));
        let left = left(run, share, last.total_steps);
        lines.push(row("whole run", left.trim().to_owned(), theme));
    }
    lines.push(row("running time", text::duration(history.elapsed), theme));
    for (name, step) in &history.checkpoints {
        lines.push(row(&format!("`{name}` at step"), text::count(*step), theme));
    }
}

fn speed_rows<'a>(run: &RunEntry, width: usize, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    let history = &run.history;
    let Some(last) = &history.last else { return };
    heading("Speed", theme, lines);
    if let Some(speed) = history.speed.tokens_per_second() {
        lines.push(row("words/s", text::count(speed as u64), theme));
    }
    if let Some(total) = history.speed.seconds("total") {
        lines.push(row("step", milliseconds(total), theme));
        let size = width.saturating_sub(30).clamp(4, 16);
        for (name, seconds, share) in parts(history, total) {
            lines.push(Line::from(vec![
                Span::styled(format!("    {name:<13} "), theme.dim),
                Span::styled(format!("{:>8} ", milliseconds(seconds)), theme.text),
                Span::styled(bar(share, size), theme.accent),
            ]));
        }
    }
    heading("Optimiser", theme, lines);
    lines.push(row("learning rate", text::setting(last.learning_rate), theme));
    lines.push(row("gradient norm", text::figure(last.gradient_norm), theme));
}

fn evaluation_rows<'a>(run: &RunEntry, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    let history = &run.history;
    if let Some(newest) = history.newest("dev") {
        let best = history.best_dev();
        let test = history.newest("test");
        let name = if test.is_some() { "Development set, test set" } else { "Development set" };
        heading(name, theme, lines);
        let third =
            |text: String| if test.is_some() { format!("{text:>7}") } else { String::new() };
        let head = format!("{:>7}{:>7}{}", "newest", "best", third("test".into()));
        lines.push(row("", head, theme));
        for (key, name) in [
            ("perplexity", "perplexity"),
            ("s_f1", "S-F1"),
            ("c_f1", "C-F1"),
            ("log_likelihood", "log-likelihood"),
        ] {
            let value = |e: Option<&crate::workbench::history::Evaluated>| {
                e.and_then(|e| e.metrics.get(key)).map_or("-".into(), text::figure)
            };
            let test = third(value(test));
            let figures = format!("{:>7}{:>7}{test}", value(Some(newest)), value(best));
            lines.push(row(name, figures, theme));
        }
        let steps = format!(
            "{:>7}{:>7}{}",
            newest.step,
            best.map_or(0, |b| b.step),
            third(test.map_or(0, |t| t.step).to_string())
        );
        lines.push(row("at step", steps, theme));
    }
    let baselines = super::figures::baselines(history);
    if !baselines.is_empty() {
        heading("Trivial trees, S-F1", theme, lines);
        for (name, value) in baselines {
            lines.push(row(name, format!("{:>7}", text::figure(value)), theme));
        }
    }
}

fn seeds_rows<'a>(run: &RunEntry, view: &View, lines: &mut Vec<Line<'a>>) {
    let Some(seeds) = Seeds::of(view.shared, run) else { return };
    heading("Seeds, best of the development set", view.theme, lines);
    lines.push(row("runs", seeds.runs.to_string(), view.theme));
    for (name, mean, range) in seeds.figures() {
        lines.push(row(name, mean, view.theme));
        lines.push(row("", range, view.theme));
    }
}

fn settings_rows<'a>(run: &RunEntry, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Settings", theme, lines);
    let Some(config) = &run.config else {
        lines.push(row("", "cannot be read", theme));
        return;
    };
    let m = &config.model;
    lines.push(row("family", m.family.name(), theme));
    for (name, value) in sizes::rows(m) {
        lines.push(row(name, value, theme));
    }
    if m.family.bound().is_some() {
        lines.push(row("likelihood", "by ELBO, not exact", theme));
    }
    let data = config.data.train.0.join(", ");
    lines.push(row("data", text::fit(&text::clean(&data), 24).into_owned(), theme));
    lines.push(row("device", device(config), theme));
    lines.push(row("seed", config.seed.to_string(), theme));
}

fn overlay_rows<'a>(train: &Train, width: usize, view: &View, lines: &mut Vec<Line<'a>>) {
    let theme = view.theme;
    if view.shared.overlaid.is_empty() {
        return;
    }
    heading("Compared", theme, lines);
    for (i, run) in view.shared.drawn_runs().enumerate() {
        let name = text::fit_end(&text::clean(&view.shared.label(run)), width.saturating_sub(4))
            .into_owned();
        lines.push(Line::from(vec![
            Span::styled(format!("  {} ", theme.series_symbol(i)), theme.series(i)),
            Span::styled(name, theme.text),
        ]));
    }
    if train.differences.is_empty() {
        lines.push(row("", "the same settings", theme));
    }
    for difference in &train.differences {
        let key = text::fit(&difference.key, width.saturating_sub(2)).into_owned();
        lines.push(Line::styled(format!("  {key}"), theme.dim));
        let mut spans = vec![Span::raw("   ")];
        for (i, value) in difference.values.iter().enumerate() {
            let value = text::clean(value.as_deref().unwrap_or("-")).into_owned();
            spans.push(Span::styled(format!(" {} ", theme.series_symbol(i)), theme.series(i)));
            spans.push(Span::styled(text::fit(&value, 16).into_owned(), theme.text));
        }
        lines.push(Line::from(spans));
    }
}

fn view_rows<'a>(train: &Train, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Charts", theme, lines);
    let charts = &train.charts;
    let page = match charts.page {
        Page::Learning => "learning",
        Page::Optimiser => "optimiser and speed",
    };
    lines.push(row("curves", page, theme));
    let smoothing = charts.smoothing().map_or("off".into(), |w| w.to_string());
    lines.push(row("smoothing", smoothing, theme));
    lines.push(row("values", if charts.log_y { "logarithmic" } else { "linear" }, theme));
    lines.push(row("steps", charts.window_name(), theme));
}
