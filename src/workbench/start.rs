//! What is shown first: what was named, the sample training, or the last run.

use super::app::App;
use super::names::RunId;
use super::names::ScreenId;
use super::popup::{Answer, Choice, Popup};
use super::screen::Target;
use crate::config;
use std::path::{Path, PathBuf};

/// What to do once the run folders have been listed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Opening {
    /// Nothing was named: the first start trains on the sample, later ones offer the last run.
    Offer { last: Option<PathBuf> },
}

/// A path named at the start, by what it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Named {
    Run(PathBuf),
    Checkpoint(PathBuf),
    Corpus(PathBuf),
}

impl Named {
    /// Tells run folders and checkpoints by what they hold; anything else that exists is a corpus.
    pub fn of(path: &Path) -> Result<Named, String> {
        let meta = path.metadata().map_err(|e| format!("{}: {e}", path.display()))?;
        let is_run = |p: &Path| p.join("config.toml").is_file() || p.join("events.jsonl").is_file();
        if meta.is_dir() && is_run(path) {
            return Ok(Named::Run(path.to_owned()));
        }
        if path.extension().is_some_and(|e| e == "safetensors") {
            return Ok(Named::Checkpoint(path.to_owned()));
        }
        Ok(Named::Corpus(path.to_owned()))
    }
}

/// Where the workbench notes which run was looked at last, so that a later start can offer it.
#[derive(Clone, Debug, Default)]
pub struct LastRun {
    /// A small text file in the user's data directory; absent where there is no such directory.
    file: Option<PathBuf>,
}

impl LastRun {
    /// In the user's own data directory.
    pub fn of_user() -> LastRun {
        let project = directories::ProjectDirs::from("", "", "rankspace");
        LastRun { file: project.map(|p| p.data_dir().join("last-run")) }
    }

    /// The run noted last, if its folder is still there.
    pub fn get(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.file.as_ref()?).ok()?;
        let path = PathBuf::from(text.trim_end());
        path.is_dir().then_some(path)
    }

    /// Notes a run. A convenience: where it cannot be written, nothing is lost.
    pub fn set(&self, run: &Path) {
        let Some(file) = &self.file else { return };
        let Some(folder) = file.parent() else { return };
        let run = run.canonicalize().unwrap_or_else(|_| run.to_owned());
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut new, run.to_string_lossy().as_bytes())?;
            new.persist(file)?;
            Ok(())
        };
        let _ = write();
    }
}

impl App {
    /// Opens what was named, or waits for the list of runs to decide what to show.
    pub(super) fn begin(&mut self, named: Vec<Named>, last: LastRun) {
        let mut bases = vec![self.shared.runs_folder.clone()];
        let noted = last.get();
        let runs = named.iter().filter_map(|n| match n {
            Named::Run(path) => Some(path),
            _ => None,
        });
        for path in runs.chain(&noted) {
            // `run` and `.` have their folder in their full name only.
            let full = path.canonicalize().unwrap_or_else(|_| path.clone());
            if let Some(parent) = full.parent()
                && !bases.iter().any(|b| super::app::same_place(b, parent))
            {
                bases.push(parent.to_owned());
            }
        }
        self.last_run = last;
        if named.is_empty() {
            self.on_listed = Some(Opening::Offer { last: noted });
        }
        self.open_named(named);
        self.watch_folders(bases);
    }

    /// Shows what was named on the command line; the last one stays in view.
    fn open_named(&mut self, named: Vec<Named>) {
        let mut first_run = true;
        for item in named {
            match item {
                Named::Run(path) => {
                    let id = self.run_at(path);
                    if first_run {
                        self.select(id);
                        self.show(ScreenId::Train);
                        first_run = false;
                    } else {
                        self.overlay(id);
                    }
                }
                Named::Checkpoint(path) => {
                    self.open_on(ScreenId::Parses, &Target::Checkpoint(path));
                }
                Named::Corpus(path) => {
                    self.shared.corpora.push(path.clone());
                    self.open_on(ScreenId::Corpora, &Target::Corpus(path));
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
        let newest = self.shared.runs.first().map(|r| r.id);
        match live.or(last).or(newest) {
            None => self.start_sample(),
            Some(id) => self.offer(id),
        }
    }

    fn start_sample(&mut self) {
        match config::preset("sample").and_then(|p| p.config(&[])) {
            Ok(config) => self.start(config),
            Err(error) => self.handle(
                super::message::Message::Log(crate::report::Level::Error, error.to_string()),
                self.shared.now,
            ),
        }
    }

    fn offer(&mut self, id: RunId) {
        self.select(id);
        let Some(run) = self.shared.run(id) else { return };
        let word = run.standing().word();
        let mut choices = vec![Choice::new('s', "show it")];
        if !run.active() && run.state() != Some(crate::report::RunState::Finished) {
            choices.insert(0, Choice::new('r', "resume its training"));
        }
        choices.push(Choice::new('n', "start a new training on the sample"));
        let text = format!("The last run is {} ({word}, step {}).", run.name, run.step());
        let title = "Welcome back".into();
        self.ask("opening", Popup::Question { id: "opening", title, text, choices });
    }

    pub(super) fn opening_answered(&mut self, answer: &Answer) {
        match answer {
            Answer::Choice('r') => {
                if let Some(id) = self.shared.selected {
                    self.resume(id);
                }
            }
            Answer::Choice('n') => self.start_sample(),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_run_is_remembered_while_its_folder_is_there() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let last = LastRun { file: Some(folder.path().join("data/last-run")) };
        assert_eq!(last.get(), None);
        let run = folder.path().join("run");
        std::fs::create_dir(&run).expect("makes");
        last.set(&run);
        assert_eq!(last.get(), run.canonicalize().ok());
        std::fs::remove_dir(&run).expect("removes");
        assert_eq!(last.get(), None);
    }

    #[test]
    fn what_was_named_is_told_by_what_it_holds() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let run = folder.path().join("run");
        std::fs::create_dir(&run).expect("makes");
        assert_eq!(Named::of(&run), Ok(Named::Corpus(run.clone())), "a folder of treebank files");
        std::fs::write(run.join("config.toml"), "").expect("writes");
        assert_eq!(Named::of(&run), Ok(Named::Run(run)));
        let file = folder.path().join("best.safetensors");
        std::fs::write(&file, "").expect("writes");
        assert_eq!(Named::of(&file), Ok(Named::Checkpoint(file)));
        let missing = Named::of(&folder.path().join("nothing.mrg")).unwrap_err();
        assert!(missing.contains("nothing.mrg"), "{missing}");
    }
}
