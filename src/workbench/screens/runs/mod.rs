//! The Runs screen: every run folder that is known.

mod disk;
mod filter;
mod notes;
mod sweep;
mod table;

use crate::workbench::choice::on_off;
use crate::workbench::command::Command;
use crate::workbench::field::Field;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::popup::{Answer, Choice, Popup};
use crate::workbench::screen::{Context, Effect, Input, Screen, Target, View};
use crate::workbench::shared::{RunEntry, Shared};
use crate::workbench::widgets::moves;
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use std::path::{Path, PathBuf};

pub use notes::NOTES;

pub const COMMANDS: &[Command] = &[
    Command {
        name: "open",
        keys: &["Enter"],
        help: "Show the run: a training on Train, bags and boosting on Boost; the figure of a sweep",
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
        name: "clean",
        keys: &["C"],
        help: "Say what the run takes on the disk, and move what it can spare to the trash (asks first)",
        short: "",
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
    Command {
        name: "clear",
        keys: &["Esc"],
        help: "Take the filter away; leave a sweep",
        short: "",
    },
    Command {
        name: "next-figure",
        keys: &["Right", "l"],
        help: "Of a sweep: draw the next column",
        short: "",
    },
    Command {
        name: "previous-figure",
        keys: &["Left", "h"],
        help: "Of a sweep: draw the column before",
        short: "",
    },
    Command {
        name: "axis",
        keys: &["a"],
        help: "Of a sweep: draw it against the next setting that is varied",
        short: "axis",
    },
    Command {
        name: "card",
        keys: &["c"],
        help: "Of a sweep: show the experiment card of a row",
        short: "card",
    },
    Command {
        name: "export",
        keys: &["x"],
        help: "Of a sweep: write the table (CSV, LaTeX), the figure (SVG) or a row's card",
        short: "export",
    },
];

/// What has something to do on the page of a sweep: with these, and without the first two, the list
/// of runs has what is left.
const OF_SWEEPS: [&str; 7] =
    ["open", "clear", "next-figure", "previous-figure", "axis", "card", "export"];

/// A row of the list.
#[derive(Clone, Copy)]
enum Row<'a> {
    /// Above the newest of its runs.
    Sweep(&'a Path),
    Run(&'a RunEntry),
}

impl Row<'_> {
    fn key(&self) -> At {
        match self {
            Row::Sweep(path) => At::Sweep(path.to_path_buf()),
            Row::Run(run) => At::Run(run.id),
        }
    }
}

/// What is under the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
enum At {
    Sweep(PathBuf),
    Run(RunId),
}

/// State of the Runs screen.
#[derive(Default)]
pub struct Runs {
    at: Option<At>,
    /// The sweep that is shown instead of the list.
    page: Option<sweep::Page>,
    filter: Field,
    filtering: bool,
    /// The run that the question is about.
    deleting: Option<RunId>,
    /// Whether published figures are shown.
    literature: bool,
    disk: disk::Disk,
    /// Whether the screen has been looked at; before, nothing is measured.
    seen: bool,
}

impl Runs {
    fn shown<'a>(&self, shared: &'a Shared) -> Vec<&'a RunEntry> {
        shared.runs.iter().filter(|r| filter::keeps(self.filter.text(), r)).collect()
    }

    /// The runs that are shown, each sweep above the first of its.
    fn rows<'a>(&self, shared: &'a Shared) -> Vec<Row<'a>> {
        let mut rows = Vec::new();
        let mut sweeps: Vec<&Path> = Vec::new();
        for run in self.shown(shared) {
            if let Some(sweep) = run.sweep.as_deref().filter(|sweep| !sweeps.contains(sweep)) {
                sweeps.push(sweep);
                rows.push(Row::Sweep(sweep));
            }
            rows.push(Row::Run(run));
        }
        rows
    }

    fn place(&self, rows: &[Row]) -> usize {
        rows.iter().position(|row| Some(row.key()) == self.at).unwrap_or(0)
    }

    /// Keeps the cursor on a row that is shown.
    fn settle(&mut self, shared: &Shared) {
        let rows = self.rows(shared);
        if !rows.iter().any(|row| Some(row.key()) == self.at) {
            let selected = shared.selected.map(At::Run);
            let selected = rows.iter().find(|row| Some(row.key()) == selected);
            self.at = selected.or(rows.first()).map(Row::key);
        }
    }

    /// Carries out a command of [`moves::LIST`]; whether it was one.
    fn go(&mut self, name: &str, shared: &Shared) -> bool {
        let rows = self.rows(shared);
        let Some(to) = moves::moved(name, self.place(&rows), rows.len()) else { return false };
        self.at = rows.get(to).map(Row::key);
        true
    }

    /// The run under the cursor; of a sweep none.
    fn run<'a>(&self, shared: &'a Shared) -> Option<&'a RunEntry> {
        match self.at {
            Some(At::Run(id)) => shared.run(id),
            _ => None,
        }
    }

    /// Shows a sweep instead of the list.
    fn open_sweep(&mut self, path: &Path, context: &mut Context) {
        let page = sweep::Page::new(path.to_owned());
        page.load(context);
        self.page = Some(page);
    }

    fn command(&mut self, name: &'static str, context: &mut Context) {
        if let Some(page) = &mut self.page {
            if !page.command(name, context) {
                self.page = None;
                self.settle(context.shared);
            }
            return;
        }
        if self.go(name, context.shared) {
            return;
        }
        match (name, &self.at) {
            ("open", Some(At::Sweep(path))) => {
                let path = path.clone();
                return self.open_sweep(&path, context);
            }
            ("next-figure" | "previous-figure" | "axis" | "card" | "export", _) => {
                return context.status("<runs.open> on a sweep shows its figure and its table");
            }
            _ => {}
        }
        match name {
            "filter" => self.filtering = true,
            "literature" => self.literature = !self.literature,
            "clear" => {
                self.filter.clear();
                self.settle(context.shared);
            }
            _ => match self.run(context.shared) {
                Some(run) => self.on_run(name, run, context),
                None if self.at.is_some() => {
                    context.status(
                        "this is a sweep: its runs stand below, <runs.open> shows its figure",
                    );
                }
                None => context
                    .status("no run here: <.train> shows Train, where <train.new> starts one"),
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
                context.push(Effect::Resume(run.id, None));
                context.push(Effect::Show(ScreenId::Train));
            }
            "delete" if run.active() => {
                context.warn(format!("{} is {}: stop it first", run.name, run.standing().word()));
            }
            "clean" if run.gone => context.status(format!("{} is gone", run.name)),
            "clean" if run.active() => {
                context.warn(format!("{} is {}: stop it first", run.name, run.standing().word()));
            }
            "clean" => self.disk.look(run, context),
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
            Input::Answer { popup, answer } if self.disk.answered(popup, answer, context) => {}
            Input::Answer { popup, answer } => {
                self.deleting = None;
                if let Some(page) = &self.page {
                    page.answered(popup, answer, context);
                }
            }
            Input::Open(Target::Sweep(path)) => self.open_sweep(path, context),
            Input::Task(report) => {
                if self.disk.hear(report, context) {
                    return;
                }
                if let Some(page) = &mut self.page {
                    page.hear(report, context);
                }
            }
            Input::Point { list: "runs", row } => {
                self.at = self.rows(context.shared).get(row).map(Row::key);
            }
            Input::Point { list: "points", row } => {
                if let Some(page) = &mut self.page {
                    page.point(row);
                }
            }
            Input::LeaveField => self.filtering = false,
            Input::Shown | Input::Selection => {
                self.seen |= matches!(input, Input::Shown);
                if self.seen {
                    self.disk.measure(matches!(input, Input::Shown), context);
                }
                self.settle(context.shared);
                // Something has moved on, maybe in the sweep.
                if let Some(page) = &self.page {
                    page.load(context);
                }
            }
            _ => {}
        }
    }

    fn offers(&self, command: &str) -> bool {
        match self.page {
            Some(_) => OF_SWEEPS.contains(&command),
            None => !OF_SWEEPS[2..].contains(&command),
        }
    }

    fn choices(&self) -> Vec<(&'static str, String)> {
        vec![("literature", on_off(self.literature))]
    }

    fn recall(&mut self, name: &str, value: &str) {
        if name == "literature" {
            self.literature = value == "on";
        }
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        match &self.page {
            Some(page) => sweep::draw(page, frame, area, view),
            None => table::draw(self, frame, area, view),
        }
    }

    fn editing(&self) -> bool {
        self.filtering
    }
}

#[cfg(test)]
mod tests;
