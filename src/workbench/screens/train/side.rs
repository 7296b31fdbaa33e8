//! The column of Train in a wide terminal.

use super::Train;
use super::charts::of_language_model;
use super::words::{device, head_title, left, milliseconds, parts, reason, was_counted};
use crate::report::DeviceUse;
use crate::workbench::figures::{Kind, baselines};
use crate::workbench::screen::View;
use crate::workbench::seeds::Seeds;
use crate::workbench::shared::RunEntry;
use crate::workbench::theme::Theme;
use crate::workbench::widgets::{bar, literature, pane};
use crate::workbench::{sizes, text};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Width of the column.
pub(super) const WIDTH: u16 = 44;

/// Everything, one thing a line; the part that is scrolled to where not all have room.
pub(super) fn draw(train: &Train, run: &RunEntry, frame: &mut Frame, area: Rect, view: &View) {
    let title = head_title(run, 0, view);
    let mut block = pane("", view.theme, false).title(title);
    let inside = block.inner(area);
    let mut lines = lines(train, run, view);
    let (all, height) = (lines.len(), usize::from(inside.height));
    let from = train.scroll.min(all.saturating_sub(height));
    if all > height {
        let part = format!(" lines {}–{} of {all}: ", from + 1, from + height);
        let part = view.say(&(part + "<train.scroll-down> <train.scroll-up> scroll ")).into_owned();
        block = block.title_bottom(part);
    }
    frame.render_widget(block, area);
    frame.render_widget(Paragraph::new(lines.split_off(from)), inside);
}

pub(super) fn lines<'a>(train: &Train, run: &RunEntry, view: &View) -> Vec<Line<'a>> {
    let theme = view.theme;
    // Without the frame and a blank beside it.
    let width = usize::from(WIDTH - 4);
    let why = reason(run, view).map(|why| text::wrap(&why, width)).unwrap_or_default();
    let mut lines: Vec<Line> =
        why.into_iter().map(|why| Line::styled(why, theme.warning)).collect();
    lines.extend(train.troubles.rows(width, theme));
    progress_rows(run, width, theme, &mut lines);
    evaluation_rows(run, theme, &mut lines);
    seeds_rows(run, view, &mut lines);
    literature_rows(train, width, view, &mut lines);
    speed_rows(run, width, theme, &mut lines);
    overlay_rows(train, width, view, &mut lines);
    settings_rows(run, theme, &mut lines);
    view_rows(train, Kind::of(Some(run)), theme, &mut lines);
    if let Some(machine) = &train.machine {
        heading("This machine", theme, &mut lines);
        for (name, value) in machine.rows() {
            lines.push(row(name, value, theme));
        }
    }
    lines
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
    if Kind::of(Some(run)) == Kind::Counted {
        lines.push(Line::styled(format!("  {}", was_counted(run)), theme.text));
        return run_rows(run, theme, lines);
    }
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
    run_rows(run, theme, lines);
}

/// Its time and its checkpoints.
fn run_rows<'a>(run: &RunEntry, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    let history = &run.history;
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
        let unit = if run.is_language_model() { "tokens/s" } else { "words/s" };
        lines.push(row(unit, text::count(speed as u64), theme));
    }
    if let Some(total) = history.speed.seconds("total") {
        let what = if Kind::of(Some(run)) == Kind::Counted { "pass" } else { "step" };
        lines.push(row(what, milliseconds(total), theme));
        let size = width.saturating_sub(30).clamp(4, 16);
        for (name, seconds, share) in parts(run, total) {
            lines.push(Line::from(vec![
                Span::styled(format!("    {name:<13} "), theme.dim),
                Span::styled(format!("{:>8} ", milliseconds(seconds)), theme.text),
                Span::styled(bar(share, size), theme.accent),
            ]));
        }
    }
    if let Some(device) = history.device.as_ref().filter(|device| device.name != "cpu") {
        device_rows(device, theme, lines);
    }
    if Kind::of(Some(run)) == Kind::Counted {
        return;
    }
    heading("Optimiser", theme, lines);
    lines.push(row("learning rate", text::setting(last.learning_rate), theme));
    if let Some((at, _)) = history.rate_cuts.last() {
        let cuts = history.rate_cuts.len();
        let last = format!("{cuts}, the last at {}", text::count(*at));
        lines.push(row("cuts", last, theme));
    }
    lines.push(row("gradient norm", text::figure(last.gradient_norm), theme));
}

fn device_rows<'a>(device: &DeviceUse, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Device", theme, lines);
    lines.push(row(&device.name, device.model.clone().unwrap_or_default(), theme));
    lines.push(row("memory of this run", text::bytes(device.taken), theme));
    if let (Some(free), Some(total)) = (device.free, device.total) {
        let used = total.saturating_sub(free);
        let words = format!("{} of {}", text::bytes(used), text::bytes(total));
        lines.push(row("memory in use", words, theme));
    }
    if let Some(busy) = device.busy {
        lines.push(row("busy", format!("{:.0}%", 100.0 * busy), theme));
    }
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
        let figures: &[(&str, &str)] = match Kind::of(Some(run)) {
            Kind::Supervised => &[
                ("f1", "F1"),
                ("precision", "precision"),
                ("recall", "recall"),
                ("exact", "exact match"),
                ("tags", "tags"),
                ("log_likelihood", "log-likelihood"),
            ],
            _ => &[
                ("perplexity", "perplexity"),
                ("s_f1", "S-F1"),
                ("c_f1", "C-F1"),
                ("log_likelihood", "log-likelihood"),
            ],
        };
        for &(key, name) in figures {
            // A language model has no figures of trees.
            if run.is_language_model() && newest.metrics.get(key).is_none() {
                continue;
            }
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
    let baselines = baselines(history);
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

/// What was published of models of the selected run's kind, on another corpus.
fn literature_rows<'a>(train: &Train, width: usize, view: &View, lines: &mut Vec<Line<'a>>) {
    if !train.literature {
        return;
    }
    lines.extend([Line::default(), Line::styled(literature::title(), view.theme.title)]);
    let trees = !of_language_model(view.shared);
    let rows = literature::lines(trees, width.saturating_sub(2), view.theme);
    for mut line in rows {
        line.spans.insert(0, Span::raw("  "));
        lines.push(line);
    }
    lines.push(Line::styled(
        view.say("  sources: <runs.literature> on Runs (<.runs>)").into_owned(),
        view.theme.dim,
    ));
}

fn settings_rows<'a>(run: &RunEntry, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Settings", theme, lines);
    let Some(config) = &run.config else {
        lines.push(row("", "cannot be read", theme));
        return;
    };
    let m = &config.model;
    lines.push(row("family", config.what(), theme));
    for (name, value) in sizes::rows(config) {
        lines.push(row(name, value, theme));
    }
    if m.family.bound().is_some() {
        lines.push(row("likelihood", "by ELBO, not exact", theme));
    }
    let data = config.data.train.0.join(", ");
    lines.push(row("data", text::fit(&text::clean(&data), 24).into_owned(), theme));
    lines.push(row("device", device(config, run.history.device.as_ref()), theme));
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
        let mut line = Line::raw("   ");
        for (i, value) in difference.values.iter().enumerate() {
            let value = text::clean(value.as_deref().unwrap_or("-")).into_owned();
            let symbol = Span::styled(format!(" {} ", theme.series_symbol(i)), theme.series(i));
            let value = Span::styled(text::fit(&value, 16).into_owned(), theme.text);
            if i > 0 && line.width() + symbol.width() + value.width() > width {
                lines.push(std::mem::replace(&mut line, Line::raw("   ")));
            }
            line.spans.extend([symbol, value]);
        }
        lines.push(line);
    }
}

fn view_rows<'a>(train: &Train, kind: Kind, theme: &Theme, lines: &mut Vec<Line<'a>>) {
    heading("Charts", theme, lines);
    let charts = &train.charts;
    lines.push(row("curves", charts.page.name(kind), theme));
    if kind != Kind::Counted {
        let smoothing = charts.smoothing().map_or("off".into(), |w| w.to_string());
        lines.push(row("smoothing", smoothing, theme));
    }
    lines.push(row("values", if charts.log_y { "logarithmic" } else { "linear" }, theme));
    let log = if charts.log_x() { "log " } else { "" };
    lines.push(row("along x", format!("{log}{}", charts.axis.name()), theme));
    lines.push(row("in view", charts.window_name(), theme));
}
