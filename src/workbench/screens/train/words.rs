//! Words on a run that the head and the column of Train share.

use crate::config::Config;
use crate::report::{DeviceUse, RunState, counted};
use crate::workbench::figures::Kind;
use crate::workbench::screen::View;
use crate::workbench::shared::{RunEntry, Standing};
use crate::workbench::text;
use crate::workbench::widgets::state_label;
use ratatui::text::{Line, Span};

/// Where a run computes: where it said that it does, or what its settings ask for.
pub(super) fn device(config: &Config, told: Option<&DeviceUse>) -> String {
    let name = told.map_or(config.device.as_str(), |device| &device.name);
    if let Some(device) = told.filter(|device| device.name != "cpu") {
        return format!("{name} {}", text::bytes(device.taken));
    }
    match config.threads {
        0 => format!("{name}, all cores"),
        n => format!("{name}, {}", counted(n, "core")),
    }
}

/// Name and standing, and of the reason for it as much as has room.
pub(super) fn head_title<'a>(run: &RunEntry, width: usize, view: &View) -> Line<'a> {
    let (symbol, word, style) = state_label(run, view.theme);
    let mut spans = vec![
        Span::styled(format!(" {} ", text::clean(&view.shared.label(run))), view.theme.title),
        Span::styled(format!("{symbol} {word} "), style),
    ];
    let room = width.saturating_sub(spans.iter().map(Span::width).sum::<usize>() + 1);
    if let Some(reason) = reason(run, view).filter(|_| room > 0) {
        let reason = text::fit(&reason, room).into_owned();
        spans.push(Span::styled(format!("{reason} "), view.theme.dim));
    }
    Line::from(spans)
}

/// Why a run does not go on, or may not.
pub(super) fn reason(run: &RunEntry, view: &View) -> Option<String> {
    let said = || run.history.reason.as_deref().map(|reason| text::clean(reason).into_owned());
    let told = match run.standing() {
        Standing::Gone if run.own => "its folder was moved or removed: it is being stopped",
        Standing::Gone if run.history.state == Some(RunState::Failed) => {
            "its folder was moved or removed while it ran: <.runs> chooses another"
        }
        Standing::Gone => "its folder was removed or moved: <.runs> chooses another",
        Standing::Died => "its process ended without a word: <train.resume> resumes it",
        _ => {
            let silence = run.silence(view.shared.now).map(text::duration);
            let silent = silence.map(|time| format!("no sign of life for {time}"));
            return silent.or_else(|| said().filter(|_| !run.active()));
        }
    };
    Some(view.say(told).into_owned())
}

/// Time left while it runs, else the share done.
pub(super) fn left(run: &RunEntry, share: f64, of_steps: u64) -> String {
    let seconds = run.history.seconds_left(share, of_steps);
    match seconds.filter(|_| run.standing() == Standing::Running && share < 1.0) {
        Some(seconds) => format!(" {} left", text::duration(seconds)),
        None => format!(" {:.0}%", share * 100.0),
    }
}

pub(super) fn milliseconds(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.0} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Seconds of a step by part, with their share; what is left over is `other`. Where words are
/// counted there is no network: the sentences are counted, then scored for the loss.
pub(super) fn parts(run: &RunEntry, total: f64) -> Vec<(&'static str, f64, f64)> {
    let parts: &[(&str, &'static str)] = match Kind::of(Some(run)) {
        Kind::Counted => &[("network", "counting"), ("inference", "scoring")],
        _ => &[("network", "network"), ("inference", "inference"), ("optimizer", "optimizer")],
    };
    let known: Vec<(&'static str, f64)> = parts
        .iter()
        .filter_map(|(part, name)| Some((*name, run.history.speed.seconds(part)?)))
        .collect();
    let rest = total - known.iter().map(|p| p.1).sum::<f64>();
    let rest = (rest > 0.02 * total).then_some(("other", rest));
    known.into_iter().chain(rest).map(|(n, s)| (n, s, s / total)).collect()
}

/// What was counted, of a model whose counts are its parameters.
pub(super) fn was_counted(run: &RunEntry) -> String {
    match run.history.speed.tokens() {
        Some(tokens) => format!("{} counted in one pass", text::counted(tokens as u64, "token")),
        None => "counted in one pass".to_owned(),
    }
}
