//! The Train screen: a run's curves and figures, and the keys that steer it.

mod charts;
mod commands;
mod compare;
mod devices;
mod draw;
mod exporting;
mod notes;
mod side;
mod table;
mod troubles;
mod words;

use crate::config::{self, Config, Kind};
use crate::run;
use crate::workbench::choice::on_off;
use crate::workbench::engine::Control;
use crate::workbench::machine::Machine;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Choice, Item, Popup, Wanted};
use crate::workbench::screen::{Context, Effect, Input, Screen, View};
use crate::workbench::shared::{RunEntry, Shared, Standing};
use crate::workbench::task::Task;
use crate::workbench::widgets::moves;
use charts::Charts;
use compare::Difference;
use devices::Devices;
use ratatui::Frame;
use ratatui::layout::Rect;
use troubles::Troubles;

pub use commands::COMMANDS;
pub use notes::NOTES;

/// Name of the last entry in the list of presets.
const FROM_FILE: &str = "config file…";

/// State of the Train screen.
#[derive(Default)]
pub struct Train {
    charts: Charts,
    /// Settings in which the runs shown differ.
    differences: Vec<Difference>,
    /// Whether published figures are shown.
    literature: bool,
    /// The device of the trainings that are started next; as their settings say if empty.
    device: Devices,
    /// Lines of the column beside the charts that are passed by.
    scroll: usize,
    /// Whether the table stands in place of the charts.
    table: bool,
    /// Whether what wide terminals have beside the charts stands in place of all in narrow ones.
    details: bool,
    /// The first figure in its columns.
    first_column: usize,
    /// What this machine does, since the screen was in view.
    machine: Option<Machine>,
    troubles: Troubles,
}

impl Screen for Train {
    fn id(&self) -> ScreenId {
        ScreenId::Train
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Answer { popup: "device", answer: Answer::Item(i) } => {
                self.device.choose(*i, context);
            }
            Input::Answer { popup: exporting::POPUP, answer: Answer::Item(i) } => {
                self.export(*i, context);
            }
            Input::Answer { popup, answer } => answered(popup, answer, &self.device, context),
            Input::Task(report) if report.kind == "devices" => self.device.ask(report, context),
            Input::Task(report) if report.kind == exporting::TASK => {
                exporting::written(report, context);
            }
            Input::Shown | Input::Tick => {
                self.machine = Machine::look(self.machine.take(), context.shared.now);
            }
            Input::Along { share, .. } => self.charts.point(share, context.shared),
            Input::Task(report) => config_read(report, &self.device, context),
            Input::Run(id) if context.shared.drawn_runs().any(|r| r.id == id) => {
                self.charts.follow(context.shared);
                self.troubles.look(context);
            }
            Input::Selection => {
                self.troubles.look(context);
                self.charts.selection(context.shared);
                let runs: Vec<&RunEntry> = context.shared.drawn_runs().collect();
                self.differences = compare::differences(&runs);
                self.scroll = 0;
            }
            _ => {}
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        let mut choices = self.charts.choices();
        choices.push(("literature", on_off(self.literature)));
        choices.push(("table", on_off(self.table)));
        choices.push(("details", on_off(self.details)));
        choices
    }

    fn recall(&mut self, name: &str, value: &str) {
        match name {
            "literature" => self.literature = value == "on",
            "table" => self.table = value == "on",
            "details" => self.details = value == "on",
            _ => self.charts.recall(name, value),
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn animates(&self, shared: &Shared) -> bool {
        // The clock of a running training, and the silence of one that another process has paused.
        shared
            .selected_run()
            .is_some_and(|r| r.standing() == Standing::Running || (r.active() && !r.own))
    }
}

impl Train {
    fn command(&mut self, name: &'static str, context: &mut Context) {
        let run = context.shared.selected_run();
        match (name, run) {
            ("literature", _) => self.literature = !self.literature,
            ("scroll-up" | "scroll-down", Some(run)) => {
                let view = View::new(context.shared, context.theme);
                let last = side::lines(self, run, &view).len().saturating_sub(1);
                let rows = moves::scrolled(name).map_or(0, |(_, rows)| rows);
                self.scroll = self.scroll.saturating_add_signed(rows).min(last);
            }
            ("pan-left", Some(run)) if self.table => self.shift_columns(-1, run),
            ("pan-right", Some(run)) if self.table => self.shift_columns(1, run),
            ("table", _) => self.table = !self.table,
            ("details", _) => self.details = !self.details,
            ("export", _) => exporting::ask(context),
            ("copy", _) => self.copy(context),
            ("alarms", _) => self.evidence(context),
            (name, _) if moves::moved(name, 0, 0).is_some() => self.select_row(name, context),
            ("new", _) => context.push(Effect::Popup(presets_popup())),
            ("device", _) => devices::look(context),
            ("overlay-none", _) => {
                let overlaid = context.shared.overlaid.clone();
                for id in overlaid {
                    context.push(Effect::Overlay(id));
                }
            }
            ("pause" | "stop" | "checkpoint" | "learning-rate" | "resume", None) => {
                context.status("no run is selected: <train.new> starts one, <.runs> lists all");
            }
            ("pause", Some(run)) => pause(run, context),
            ("stop", Some(run)) => stop(run, context),
            ("resume", Some(run)) if run.active() || run.gone => {
                context.status(format!("{} is {}", run.name, run.standing().word()));
            }
            ("resume", Some(run)) => context.push(Effect::Resume(run.id, None)),
            ("checkpoint", Some(run)) if !run.active() => {
                context.status(format!("{} is not running", run.name));
            }
            ("checkpoint", Some(run)) => {
                context.push(Effect::Control(run.id, Control::Checkpoint));
                context.status("writing `last`");
            }
            ("learning-rate", Some(run)) => ask_learning_rate(run, context),
            (name, _) => self.charts.command(name, context),
        }
    }
}

fn pause(run: &RunEntry, context: &mut Context) {
    match run.standing() {
        Standing::Running => {
            context.push(Effect::Control(run.id, Control::Pause));
            context.status("pausing after this step");
        }
        Standing::Paused => {
            context.push(Effect::Control(run.id, Control::Resume));
            context.status("going on");
        }
        Standing::Gone => context.status(format!("{}: its folder is gone", run.name)),
        _ => context.status(format!("{} is not running: <train.resume> resumes it", run.name)),
    }
}

fn stop(run: &RunEntry, context: &mut Context) {
    if !run.active() {
        return context.status(format!("{} is not running", run.name));
    }
    context.push(Effect::Popup(Popup::Question {
        id: "stop",
        title: "Stop".into(),
        text: format!("Stop {}? It writes `last` and can be resumed.", run.name),
        choices: vec![Choice::new('s', "stop"), Choice::new('c', "cancel")],
    }));
}

/// A run that has ended goes on with the rate that is named.
fn ask_learning_rate(run: &RunEntry, context: &mut Context) {
    let kind = run.config.as_ref().map(|c| c.kind);
    if let Some(kind) = kind.filter(|kind| !matches!(kind, Kind::Train | Kind::Ssn)) {
        return context.status(format!("a run of {} has no learning rate", kind.name()));
    }
    if run.gone {
        return context.status(format!("{} is {}", run.name, run.standing().word()));
    }
    let rate = run.history.last.as_ref().map(|l| l.learning_rate);
    let rate = rate.or(run.config.as_ref().map(|c| c.training.learning_rate));
    let when = match run.active() {
        true => "it holds from the next step on",
        false => "the run is resumed with it",
    };
    let now = rate.map(|rate| format!("Now {rate}. ")).unwrap_or_default();
    context.push(Effect::Popup(rate_popup(format!("{now}A number above 0; {when}."), "")));
}

fn rate_popup(text: String, initial: &str) -> Popup {
    let (id, title) = ("learning-rate", "Learning rate".into());
    Popup::Prompt { id, title, text, initial: initial.into() }
}

/// All presets, and a way to a config file.
fn presets_popup() -> Popup {
    let mut items: Vec<Item> = config::presets()
        .iter()
        .map(|p| Item { name: p.name.into(), description: p.description().into() })
        .collect();
    let description = "A TOML file of your own; see `rankspace presets`".into();
    items.push(Item { name: FROM_FILE.into(), description });
    Popup::List { id: "new", title: "New training".into(), items, start: 0, free: true }
}

fn config_popup(initial: String) -> Popup {
    Popup::Files {
        id: "config-file",
        title: "New training from a config file (TOML)".into(),
        wanted: Wanted::Config,
        instead: None,
        initial,
    }
}

fn answered(popup: &'static str, answer: &Answer, device: &Devices, context: &mut Context) {
    let selected = context.shared.selected;
    match (popup, answer) {
        ("new", Answer::Item(i)) => match config::presets().get(*i) {
            Some(preset) => match preset.config(&[]) {
                Ok(config) => context.push(Effect::Start(Box::new(device.applied(config)))),
                Err(error) => context.warn(error.to_string()),
            },
            None => context.push(Effect::Popup(config_popup(String::new()))),
        },
        ("new", Answer::Text(path)) => context.push(Effect::Popup(config_popup(path.clone()))),
        ("config-file", Answer::File(path)) => {
            let path = path.clone();
            context.spawn(Task::new("config", format!("reading {}", path.display()), move |_| {
                Config::read(&path, &[]).map_err(|e| e.to_string())
            }));
        }
        ("stop", Answer::Choice('s')) => {
            if let Some(id) = selected {
                context.push(Effect::Control(id, Control::Stop));
                context.status("stopping after this step");
            }
        }
        ("learning-rate", Answer::Text(text)) => learning_rate(selected, text, context),
        _ => {}
    }
}

fn learning_rate(selected: Option<RunId>, text: &str, context: &mut Context) {
    let Some(run) = selected.and_then(|id| context.shared.run(id)) else { return };
    let (id, active) = (run.id, run.active());
    let refused = |rate| run.config.as_ref().and_then(|config| run::refused_rate(config, rate));
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate > 0.0 => {
            if let Some(why) = refused(rate) {
                let why = format!("{rate} is refused: {why}.");
                return context.push(Effect::Popup(rate_popup(why, text)));
            }
            if !active {
                return context.push(Effect::Resume(id, Some(rate)));
            }
            context.push(Effect::Control(id, Control::LearningRate(rate)));
            context.status(format!("learning rate {rate} from the next step on"));
        }
        _ if text.is_empty() => context.warn("no learning rate was typed"),
        // Asked again, with what was typed.
        _ => {
            let why = format!("`{text}` is no learning rate: expected a number above 0.");
            context.push(Effect::Popup(rate_popup(why, text)));
        }
    }
}

fn config_read(report: &mut TaskReport, device: &Devices, context: &mut Context) {
    if let Some(config) = report.take::<Config>() {
        context.push(Effect::Start(Box::new(device.applied(config))));
    } else if let Some(reason) = report.error() {
        context.warn(reason.to_owned());
    }
}

#[cfg(test)]
mod dashboard_tests;
#[cfg(test)]
mod family_tests;
#[cfg(test)]
mod tests;
