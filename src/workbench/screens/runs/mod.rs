//! The Runs screen: every run folder that is known.

mod filter;
mod notes;
mod table;

use crate::workbench::command::Command;
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::popup::{Answer, Choice, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, View};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::widgets::moves;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

pub use notes::NOTES;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "open",
        keys: &["Enter"],
        help: "Show the run: a training on Train, bags and boosting on Boost",
        short: "show",
    },
    Command {
        name: "resume",
        keys: &["R"],
        help: "Go on with it from its last checkpoint",
        short: "resume",
    },
    Command {
        name: "overlay",
        keys: &["Space"],
        help: "Draw its curves beside the selected run's, or no longer",
        short: "compare",
    },
    Command {
        name: "filter",
        keys: &["/"],
        help: "Keep runs that have these words, settings (seed=3) or figures (s_f1>40)",
        short: "filter",
    },
    Command {
        name: "delete",
        keys: &["d", "Delete"],
        help: "Move the run to the trash beside it (asks first); take a gone one off the list",
        short: "delete",
    },
    Command {
        name: "open-parses",
        keys: &["p"],
        help: "Show its trees or surprisals on Parses",
        short: "Parses",
    },
    Command {
        name: "open-grammar",
        keys: &["s"],
        help: "Show its symbols on Grammar",
        short: "Grammar",
    },
    Command {
        name: "literature",
        keys: &["L"],
        help: "Show published figures of models like the run's, or no longer: of another corpus",
        short: "literature",
    },
    Command { name: "clear", keys: &["Esc"], help: "Take the filter away", short: "" },
];

/// State of the Runs screen.
#[derive(Default)]
pub struct Runs {
    /// The run under the cursor.
    at: Option<RunId>,
    filter: Field,
    filtering: bool,
    /// The run that the question is about.
    deleting: Option<RunId>,
    /// Whether published figures are shown.
    literature: bool,
}

impl Runs {
    fn shown<'a>(&self, shared: &'a Shared) -> Vec<&'a RunEntry> {
        shared.runs.iter().filter(|r| filter::keeps(self.filter.text(), r)).collect()
    }

    /// Keeps the cursor on a run that is shown.
    fn settle(&mut self, shared: &Shared) {
        let shown = self.shown(shared);
        if !shown.iter().any(|r| Some(r.id) == self.at) {
            let selected = shown.iter().find(|r| Some(r.id) == shared.selected);
            self.at = selected.or(shown.first()).map(|r| r.id);
        }
    }

    /// Carries out a command of [`moves::LIST`]; whether it was one.
    fn go(&mut self, name: &str, shared: &Shared) -> bool {
        let shown = self.shown(shared);
        let at = shown.iter().position(|r| Some(r.id) == self.at).unwrap_or(0);
        let Some(to) = moves::moved(name, at, shown.len()) else { return false };
        self.at = shown.get(to).map(|r| r.id);
        true
    }

    fn command(&mut self, name: &'static str, context: &mut Context) {
        if self.go(name, context.shared) {
            return;
        }
        match name {
            "filter" => self.filtering = true,
            "literature" => self.literature = !self.literature,
            "clear" => {
                self.filter.clear();
                self.settle(context.shared);
            }
            _ => match self.at.and_then(|id| context.shared.run(id)) {
                Some(run) => self.on_run(name, run, context),
                None => context.status("no run here: 2 shows Train, where n starts one"),
            },
        }
    }

    fn on_run(&mut self, name: &'static str, run: &RunEntry, context: &mut Context) {
        let open = |screen, context: &mut Context| {
            context.push(Effect::Select(run.id));
            context.push(Effect::Show(screen));
        };
        match name {
            "open" if run.is_ensemble() => open(ScreenId::Boost, context),
            "open" if run.is_reranker() => open(ScreenId::Rerank, context),
            "open" => open(ScreenId::Train, context),
            "open-parses" => open(ScreenId::Parses, context),
            "open-grammar" => open(ScreenId::Grammar, context),
            "overlay" if context.shared.selected == Some(run.id) => {
                context.status("this is the selected run: compare it with another");
            }
            "overlay" => context.push(Effect::Overlay(run.id)),
            "resume" if run.active() || run.gone => {
                context.status(format!("{} is {}", run.name, run.standing().word()));
            }
            "resume" => {
                context.push(Effect::Resume(run.id));
                context.push(Effect::Show(ScreenId::Train));
            }
            "delete" if run.active() => {
                context.warn(format!("{} is {}: stop it first", run.name, run.standing().word()));
            }
            // Nothing is left to move.
            "delete" if run.gone => context.push(Effect::Trash(run.id)),
            "delete" => {
                self.deleting = Some(run.id);
                context.push(Effect::Popup(Popup::Question {
                    id: "delete",
                    title: "Delete".into(),
                    text: format!("Move {} to `.trash` beside it?", run.name),
                    choices: vec![
                        Choice::new('d', "move it to the trash"),
                        Choice::new('c', "cancel"),
                    ],
                }));
            }
            _ => {}
        }
    }

    fn filter_key(&mut self, key: &KeyEvent, shared: &Shared) {
        match key.code {
            KeyCode::Enter => self.filtering = false,
            KeyCode::Esc => {
                self.filter.clear();
                self.filtering = false;
            }
            KeyCode::Down => drop(self.go("down", shared)),
            KeyCode::Up => drop(self.go("up", shared)),
            _ => self.filter.key(key),
        }
        self.settle(shared);
    }
}

impl Screen for Runs {
    fn id(&self) -> ScreenId {
        ScreenId::Runs
    }

    fn update(&mut self, input: Input, context: &mut Context) {
        match input {
            Input::Command(name) => self.command(name, context),
            Input::Key(key) if self.filtering => self.filter_key(&key, context.shared),
            Input::Paste(text) if self.filtering => {
                self.filter.paste(text);
                self.settle(context.shared);
            }
            Input::Answer { popup: "delete", answer: Answer::Choice('d') } => {
                if let Some(id) = self.deleting.take() {
                    context.push(Effect::Trash(id));
                }
            }
            Input::Answer { .. } => self.deleting = None,
            Input::LeaveField => self.filtering = false,
            Input::Shown | Input::Selection => self.settle(context.shared),
            _ => {}
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        table::draw(self, frame, area, view);
    }

    fn editing(&self) -> bool {
        self.filtering
    }
}

#[cfg(test)]
mod tests;
