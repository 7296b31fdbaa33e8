//! What is shown first: what was named, the sample training, or the last run.

use super::App;
use super::runs::same_place;
use crate::config;
use crate::report::{Level, RunState};
use crate::run::sample;
use crate::workbench::message::Message;
use crate::workbench::names::{RunId, ScreenId};
use crate::workbench::popup::{Answer, Choice, Popup};
use crate::workbench::screen::Target;
use crate::workbench::start::{Named, Opening, UserData, screen_of};

impl App {
    /// Opens what was named, or waits for the list of runs to decide what to show.
    pub(in crate::workbench) fn begin(&mut self, named: Vec<Named>, data: UserData) {
        let mut bases = vec![self.shared.runs_folder.clone()];
        let noted = data.last_run();
        let runs = named.iter().filter_map(|n| match n {
            Named::Run(path) | Named::Sweep(path) => Some(path),
            _ => None,
        });
        let folders = named.iter().filter_map(|n| match n {
            Named::Runs(path) => Some(path),
            _ => None,
        });
        for path in folders {
            if !bases.iter().any(|b| same_place(b, path)) {
                bases.push(path.clone());
            }
        }
        for path in runs.chain(&noted) {
            // `run` and `.` have their folder in their full name only.
            let full = path.canonicalize().unwrap_or_else(|_| path.clone());
            if let Some(parent) = full.parent()
                && !bases.iter().any(|b| same_place(b, parent))
            {
                bases.push(parent.to_owned());
            }
        }
        if let Some(folder) = data.folder() {
            let samples = sample::runs(folder);
            bases.push(samples.clone());
            self.shared.samples = Some(samples);
            self.engine.install_sample(folder, self.messages.clone());
        }
        self.data = data;
        if named.is_empty() {
            self.on_listed = Some(Opening::Offer { last: noted });
        }
        self.open_named(named);
        self.bases = bases.clone();
        self.watch_folders(bases);
    }

    /// Shows what was named on the command line: of several runs or corpora the first, with the
    /// others beside it; of several kinds the last.
    pub(super) fn open_named(&mut self, named: Vec<Named>) {
        let mut first_run = true;
        for item in &named {
            if let Named::Corpus(path) = item
                && !self.shared.corpora.contains(path)
            {
                self.shared.corpora.push(path.clone());
            }
        }
        let mut first_corpus = true;
        for item in named {
            self.memory.note(item.path(), item.what());
            match item {
                Named::Run(path) => {
                    let screen = screen_of(&path);
                    let id = self.run_at(path);
                    if first_run {
                        self.select(id);
                        self.show(screen);
                        first_run = false;
                    } else {
                        self.overlay(id);
                    }
                }
                Named::Checkpoint(path) => {
                    self.shared.checkpoint = Some(path.clone());
                    self.open_on(ScreenId::Parses, &Target::Checkpoint(path));
                }
                Named::Lists(path) => self.open_on(ScreenId::Rerank, &Target::Lists(path)),
                Named::Reranker(path) => self.open_on(ScreenId::Rerank, &Target::Reranker(path)),
                Named::Sweep(path) => self.open_on(ScreenId::Runs, &Target::Sweep(path)),
                Named::Runs(_) => self.show(ScreenId::Runs),
                Named::Corpus(path) => {
                    if first_corpus {
                        self.open_on(ScreenId::Corpora, &Target::Corpus(path));
                        first_corpus = false;
                    }
                }
            }
        }
    }

    /// The first list of run folders is in.
    pub(super) fn opening(&mut self) {
        let Some(Opening::Offer { last }) = self.on_listed.take() else { return };
        let last = last.map(|path| self.run_at(path));
        // A run that goes on somewhere is what one comes back for.
        let active = |id: &RunId| self.shared.run(*id).is_some_and(|r| r.active());
        let live = last.filter(active).or(self.shared.runs.iter().map(|r| r.id).find(active));
        // What came with the program is no run of the user's.
        let newest = self.shared.runs.iter().find(|r| !self.shared.is_sample(r)).map(|r| r.id);
        match live.or(last).or(newest) {
            None => self.start_sample(),
            Some(id) => self.offer(id),
        }
    }

    fn start_sample(&mut self) {
        match config::preset("sample").and_then(|p| p.config(&[])) {
            Ok(config) => self.start(config),
            Err(error) => {
                self.handle(Message::Log(Level::Error, error.to_string()), self.shared.now)
            }
        }
    }

    fn offer(&mut self, id: RunId) {
        self.select(id);
        let Some(run) = self.shared.run(id) else { return };
        let word = run.standing().word();
        let (resume, at) = match () {
            () if run.is_ensemble() => ("go on with its rounds", "round"),
            () if run.is_reranker() => ("begin its training again", "list"),
            () => ("resume its training", "step"),
        };
        let mut choices = vec![Choice::new('s', "show it")];
        if !run.active() && run.state() != Some(RunState::Finished) {
            choices.insert(0, Choice::new('r', resume));
        }
        choices.push(Choice::new('n', "start a new training on the sample"));
        let text = format!("The last run is {} ({word}, {at} {}).", run.name, run.step());
        let screen = match () {
            () if run.is_ensemble() => Some(ScreenId::Boost),
            () if run.is_reranker() => Some(ScreenId::Rerank),
            () => None,
        };
        // What was looked at last is looked at again.
        let screen = self.memory.screen.or(screen).unwrap_or(self.active);
        self.show(screen);
        let title = "Welcome back".into();
        self.ask("opening", Popup::Question { id: "opening", title, text, choices });
    }

    pub(super) fn opening_answered(&mut self, answer: &Answer) {
        match answer {
            Answer::Choice('r') => {
                if let Some(id) = self.shared.selected {
                    self.resume(id, None);
                }
            }
            Answer::Choice('n') => {
                self.start_sample();
                self.show(ScreenId::Train);
            }
            _ => {}
        }
    }
}
