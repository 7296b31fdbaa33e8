//! The Train screen: a run's curves and figures, and the keys that steer it.

mod charts;
mod compare;
mod devices;
mod draw;
mod figures;
mod notes;
mod side;
mod words;

use crate::config::{self, Config};
use crate::workbench::command::Command;
use crate::workbench::engine::Control;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::news::TaskReport;
use crate::workbench::popup::{Answer, Choice, Item, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, View};
use crate::workbench::shared::{RunEntry, Shared, Standing};
use crate::workbench::task::Task;
use crate::workbench::widgets::moves;
use charts::Charts;
use compare::Difference;
use devices::Devices;
use ratatui::Frame;
use ratatui::layout::Rect;
use std::path::PathBuf;

pub use notes::NOTES;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "new",
        keys: &["n"],
        help: "Start a training from a preset or a config file",
        short: "new",
    },
    Command {
        name: "device",
        keys: &["D"],
        help: "Choose the device of the trainings that are started next",
        short: "",
    },
    Command {
        name: "pause",
        keys: &["p", "Space"],
        help: "Pause the run, or let a paused one go on",
        short: "pause",
    },
    Command {
        name: "stop",
        keys: &["x"],
        help: "Stop the run: finishes the step, writes `last`, keeps `best`",
        short: "stop",
    },
    Command {
        name: "resume",
        keys: &["R"],
        help: "Go on with a stopped run from its last checkpoint",
        short: "resume",
    },
    Command {
        name: "figures",
        keys: &["v"],
        help: "Show the curves of learning, or those of the optimiser and speed",
        short: "curves",
    },
    Command {
        name: "cursor-right",
        keys: &["Right"],
        help: "Move the cursor to later steps",
        short: "cursor",
    },
    Command {
        name: "smoothing",
        keys: &["s"],
        help: "Smooth the curves of steps: off, 0.6, 0.9, 0.97; the raw line stays behind",
        short: "smooth",
    },
    Command {
        name: "learning-rate",
        keys: &["r"],
        help: "Change the learning rate of the running training",
        short: "rate",
    },
    Command { name: "log-y", keys: &["y"], help: "Logarithmic or linear values", short: "log" },
    Command { name: "checkpoint", keys: &["c"], help: "Write a checkpoint now", short: "" },
    Command { name: "loss", keys: &["w"], help: "Show the loss a word, or a sentence", short: "" },
    Command {
        name: "cursor-left",
        keys: &["Left"],
        help: "Move the cursor to earlier steps; its values stand above the charts",
        short: "",
    },
    Command { name: "cursor-off", keys: &["Esc"], help: "Take the cursor away", short: "" },
    Command { name: "zoom-in", keys: &["+", "="], help: "See fewer steps", short: "zoom" },
    Command { name: "zoom-out", keys: &["-"], help: "See more steps", short: "" },
    Command { name: "pan-left", keys: &["<", "h"], help: "Look at earlier steps", short: "" },
    Command { name: "pan-right", keys: &[">", "l"], help: "Look at later steps", short: "" },
    Command {
        name: "follow",
        keys: &["f"],
        help: "Keep the newest steps in view at this zoom",
        short: "",
    },
    Command { name: "reset", keys: &["0"], help: "See the whole run", short: "" },
    Command {
        name: "literature",
        keys: &["L"],
        help: "Show published figures of such models, or no longer: of another corpus",
        short: "",
    },
    Command {
        name: "scroll-down",
        keys: &["J", "Shift-Down"],
        help: "Scroll the figures beside the charts, where not all have room",
        short: "",
    },
    Command { name: "scroll-up", keys: &["K", "Shift-Up"], help: "Scroll them back", short: "" },
    Command {
        name: "overlay-none",
        keys: &["o"],
        help: "Take the overlaid runs away; Runs (7) adds them",
        short: "",
    },
];

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
            Input::Answer { popup, answer } => answered(popup, answer, &self.device, context),
            Input::Task(report) if report.kind == "devices" => self.device.ask(report, context),
            Input::Task(report) => config_read(report, &self.device, context),
            Input::Run(id) if context.shared.drawn_runs().any(|r| r.id == id) => {
                self.charts.follow(context.shared);
            }
            Input::Selection => {
                self.charts.selection(context.shared);
                let runs: Vec<&RunEntry> = context.shared.drawn_runs().collect();
                self.differences = compare::differences(&runs);
                self.scroll = 0;
            }
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        draw::draw(self, frame, area, view);
    }

    fn animates(&self, shared: &Shared) -> bool {
        // The clock of a running training.
        shared.selected_run().is_some_and(|r| r.standing() == Standing::Running)
    }
}

impl Train {
    fn command(&mut self, name: &'static str, context: &mut Context) {
        let run = context.shared.selected_run();
        match (name, run) {
            ("literature", _) => self.literature = !self.literature,
            ("scroll-up" | "scroll-down", Some(run)) => {
                let view = View { shared: context.shared, theme: context.theme, tick: 0 };
                let last = side::lines(self, run, &view).len().saturating_sub(1);
                let rows = moves::scrolled(name).map_or(0, |(_, rows)| rows);
                self.scroll = self.scroll.saturating_add_signed(rows).min(last);
            }
            ("new", _) => context.push(Effect::Popup(presets_popup())),
            ("device", _) => devices::look(context),
            ("overlay-none", _) => {
                let overlaid = context.shared.overlaid.clone();
                for id in overlaid {
                    context.push(Effect::Overlay(id));
                }
            }
            ("pause" | "stop" | "checkpoint" | "learning-rate" | "resume", None) => {
                context.status("no run is selected: n starts one, 7 lists all");
            }
            ("pause", Some(run)) => pause(run, context),
            ("stop", Some(run)) => stop(run, context),
            ("resume", Some(run)) if run.active() || run.gone => {
                context.status(format!("{} is {}", run.name, run.standing().word()));
            }
            ("resume", Some(run)) => context.push(Effect::Resume(run.id)),
            ("checkpoint" | "learning-rate", Some(run)) if !run.active() => {
                context.status(format!("{} is not running", run.name));
            }
            ("checkpoint", Some(run)) => {
                context.push(Effect::Control(run.id, Control::Checkpoint));
                context.status("writing `last`");
            }
            ("learning-rate", Some(run)) => {
                let rate = run.history.last.as_ref().map(|l| l.learning_rate);
                let rate = rate.or(run.config.as_ref().map(|c| c.training.learning_rate));
                context.push(Effect::Popup(Popup::Prompt {
                    id: "learning-rate",
                    title: "Learning rate".into(),
                    text: match rate {
                        Some(rate) => {
                            format!("Now {rate}. A number above 0; it holds from the next step on.")
                        }
                        None => "A number above 0; it holds from the next step on.".into(),
                    },
                    initial: String::new(),
                }));
            }
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
        _ => context.status(format!("{} is not running: R resumes it", run.name)),
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

/// All presets, and a way to a config file.
fn presets_popup() -> Popup {
    let mut items: Vec<Item> = config::presets()
        .iter()
        .map(|p| Item { name: p.name.into(), description: p.description().into() })
        .collect();
    let description = "A TOML file of your own; see `rankspace presets`".into();
    items.push(Item { name: FROM_FILE.into(), description });
    Popup::List { id: "new", title: "New training".into(), items, start: 0 }
}

fn answered(popup: &'static str, answer: &Answer, device: &Devices, context: &mut Context) {
    let selected = context.shared.selected;
    match (popup, answer) {
        ("new", Answer::Item(i)) => match config::presets().get(*i) {
            Some(preset) => match preset.config(&[]) {
                Ok(config) => context.push(Effect::Start(Box::new(device.applied(config)))),
                Err(error) => context.warn(error.to_string()),
            },
            None => context.push(Effect::Popup(Popup::Prompt {
                id: "config-file",
                title: "New training".into(),
                text: "Path of a config file (TOML).".into(),
                initial: String::new(),
            })),
        },
        ("config-file", Answer::Text(path)) if !path.is_empty() => {
            let path = PathBuf::from(path);
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
    match (text.parse::<f64>(), selected) {
        (Ok(rate), Some(id)) if rate.is_finite() && rate > 0.0 => {
            context.push(Effect::Control(id, Control::LearningRate(rate)));
            context.status(format!("learning rate {rate} from the next step on"));
        }
        _ => context.warn(format!("`{text}` is no learning rate: expected a number above 0")),
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
mod tests;
