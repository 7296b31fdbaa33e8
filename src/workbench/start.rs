//! What the workbench is opened on: what was named, and the run noted last. What is made of it
//! is in [`super::app`].

use super::names::ScreenId;
use crate::config::Kind;
use crate::rerank::RerankerFile;
use crate::run::{Group, RunError, RunFolder, Sweep};
use crate::treebank::candidates::Lists;
use std::path::{Path, PathBuf};

/// A small text file in the user's data directory.
const LAST_RUN: &str = "last-run";

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
    /// A folder that run folders lie in.
    Runs(PathBuf),
    /// A folder in which runs are varied as one experiment.
    Sweep(PathBuf),
    Checkpoint(PathBuf),
    Reranker(PathBuf),
    /// Candidate lists.
    Lists(PathBuf),
    Corpus(PathBuf),
}

impl Named {
    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Named::Run(path)
            | Named::Runs(path)
            | Named::Sweep(path)
            | Named::Checkpoint(path)
            | Named::Reranker(path)
            | Named::Lists(path)
            | Named::Corpus(path) => path,
        }
    }

    /// What it is, in a word or two.
    pub fn what(&self) -> &'static str {
        match self {
            Named::Run(_) => "run",
            Named::Runs(_) => "folder of runs",
            Named::Sweep(_) => "sweep",
            Named::Checkpoint(_) => "checkpoint",
            Named::Reranker(_) => "reranker",
            Named::Lists(_) => "candidate lists",
            Named::Corpus(_) => "corpus",
        }
    }

    /// What a path names: one thing, or the runs of a group.
    pub fn all(path: &Path) -> Result<Vec<Named>, String> {
        if !Group::is_one(path) {
            let named = Named::of(path)?;
            // With the reranker that lies beside them lists can be looked into at once.
            let beside = Some(path.join("reranker.safetensors"))
                .filter(|file| matches!(named, Named::Lists(_)) && RerankerFile::is_one(file));
            return Ok(std::iter::once(named).chain(beside.map(Named::Reranker)).collect());
        }
        let group = Group::open(path).map_err(|e| e.to_string())?;
        let folders = group.members().iter().map(|member| group.folder_of(member));
        let begun: Vec<Named> = folders.filter(|f| f.is_dir()).map(Named::Run).collect();
        match begun.is_empty() {
            true => Err(format!(
                "{0}: none of its runs has begun; `rankspace resume {0}` begins them",
                path.display()
            )),
            false => Ok(begun),
        }
    }

    /// Tells run folders, checkpoints, rerankers and candidate lists by what they hold; anything else
    /// that exists is a corpus.
    fn of(path: &Path) -> Result<Named, String> {
        let meta = path.metadata().map_err(|e| format!("{}: {e}", path.display()))?;
        if meta.is_dir()
            && let Some(lists) = made_lists(path)
        {
            return Ok(Named::Lists(lists));
        }
        if meta.is_dir() && is_run(path) {
            return Ok(Named::Run(path.to_owned()));
        }
        if let Err(error @ (RunError::ACard(_) | RunError::Candidates(_))) = RunFolder::open(path) {
            return Err(error.to_string());
        }
        if meta.is_dir() && Sweep::is_one(path) {
            return Ok(Named::Sweep(path.to_owned()));
        }
        // Exported trees among the runs make no treebank of it.
        if meta.is_dir() && holds_runs(path) {
            return Ok(Named::Runs(path.to_owned()));
        }
        if path.is_file() && RerankerFile::is_one(path) {
            return Ok(Named::Reranker(path.to_owned()));
        }
        if path.extension().is_some_and(|e| e == "safetensors") {
            return Ok(Named::Checkpoint(path.to_owned()));
        }
        if path.is_file() && Lists::are_in(path) {
            return Ok(Named::Lists(path.to_owned()));
        }
        if path.is_file() && path.extension().is_some_and(|e| e == "toml") {
            return Err(format!(
                "{} is a config and no treebank: n on Train, \"config file\", trains with it",
                path.display()
            ));
        }
        Ok(Named::Corpus(path.to_owned()))
    }
}

fn is_run(path: &Path) -> bool {
    let is_other = || {
        let opened = RunFolder::open(path);
        matches!(opened, Err(RunError::ACard(_) | RunError::Candidates(_)))
    };
    let begun = path.join("config.toml").is_file() || path.join("events.jsonl").is_file();
    begun && !is_other()
}

/// The lists of a folder that `candidates make` wrote: those of the development sentences where there
/// are some.
fn made_lists(folder: &Path) -> Option<PathBuf> {
    if folder.join("events.jsonl").exists() {
        return None;
    }
    let names =
        ["dev", "test", "train"].map(|name| [format!("{name}.jsonl"), format!("{name}.jsonl.gz")]);
    let mut names = names.iter().flatten().map(|name| folder.join(name));
    names.find(|path| path.is_file() && Lists::are_in(path))
}

/// Whether a run or a group of runs lies in it; folders like `.cargo` have a `config.toml` too.
fn holds_runs(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let shown = entries.filter(|entry| !entry.file_name().to_string_lossy().starts_with('.'));
    shown.map(|entry| entry.path()).any(|path| is_run(&path) || Group::is_one(&path))
}

/// The user's directories for data (the run that was looked at last, and the sample as files), for
/// what is remembered, and for settings.
#[derive(Clone, Debug, Default)]
pub struct UserData {
    /// `None` where there is no such directory: then nothing is remembered.
    folder: Option<PathBuf>,
    state: Option<PathBuf>,
    config: Option<PathBuf>,
}

impl UserData {
    /// The user's own, where the system has them: `XDG_DATA_HOME`, `XDG_STATE_HOME` and
    /// `XDG_CONFIG_HOME` move them.
    pub fn of_user() -> UserData {
        let project = directories::ProjectDirs::from("", "", "rankspace");
        let place = |dir: fn(&directories::ProjectDirs) -> &Path| {
            project.as_ref().map(|project| dir(project).to_owned())
        };
        UserData {
            folder: place(|project| project.data_dir()),
            // Only some systems have a place of its own for it.
            state: place(|project| project.state_dir().unwrap_or(project.data_local_dir())),
            config: place(|project| project.config_dir()),
        }
    }

    /// All three below one folder, for tests.
    #[cfg(test)]
    pub(super) fn below(folder: &Path) -> UserData {
        let place = |name: &str| Some(folder.join(name));
        UserData { folder: place("data"), state: place("state"), config: place("config") }
    }

    /// What the workbench remembers.
    pub fn state_file(&self) -> Option<PathBuf> {
        Some(self.state.as_ref()?.join("state.toml"))
    }

    /// The user's keys.
    pub fn keys_file(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join(super::keys_file::FILE))
    }

    /// The user's settings of the workbench.
    pub fn settings_file(&self) -> Option<PathBuf> {
        Some(self.config.as_ref()?.join(super::settings::FILE))
    }

    /// Where it is.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// The run looked at last, if its folder is still there: a later start offers it.
    pub fn last_run(&self) -> Option<PathBuf> {
        let text = std::fs::read_to_string(self.folder()?.join(LAST_RUN)).ok()?;
        let path = PathBuf::from(text.trim_end());
        path.is_dir().then_some(path)
    }

    /// Notes a run. A convenience: where it cannot be written, nothing is lost.
    pub fn note_run(&self, run: &Path) {
        let Some(folder) = self.folder() else { return };
        let run = run.canonicalize().unwrap_or_else(|_| run.to_owned());
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(folder)?;
            let mut new = tempfile::NamedTempFile::new_in(folder)?;
            std::io::Write::write_all(&mut new, run.to_string_lossy().as_bytes())?;
            new.persist(folder.join(LAST_RUN))?;
            Ok(())
        };
        let _ = write();
    }
}

/// The screen that a run is looked at on, by its settings; of one that cannot be read, Train, which
/// says why.
pub fn screen_of(run: &Path) -> ScreenId {
    let config = RunFolder::open(run).and_then(|folder| folder.config());
    match config.map(|config| config.kind) {
        Ok(Kind::Bag | Kind::Boost) => ScreenId::Boost,
        Ok(Kind::Rerank) => ScreenId::Rerank,
        _ => ScreenId::Train,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Varied;

    #[test]
    fn the_last_run_is_remembered_while_its_folder_is_there() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let data = UserData::below(folder.path());
        assert_eq!(data.last_run(), None);
        let run = folder.path().join("run");
        std::fs::create_dir(&run).expect("makes");
        data.note_run(&run);
        assert_eq!(data.last_run(), run.canonicalize().ok());
        std::fs::remove_dir(&run).expect("removes");
        assert_eq!(data.last_run(), None);
    }

    #[test]
    fn what_was_named_is_told_by_what_it_holds() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let run = folder.path().join("run");
        std::fs::create_dir(&run).expect("makes");
        assert_eq!(Named::of(&run), Ok(Named::Corpus(run.clone())), "a folder of treebank files");
        std::fs::create_dir(run.join(".cargo")).expect("makes");
        std::fs::write(run.join(".cargo/config.toml"), "").expect("writes");
        assert_eq!(Named::of(&run), Ok(Named::Corpus(run.clone())), "no run in sight");
        std::fs::write(run.join("config.toml"), "").expect("writes");
        assert_eq!(Named::of(&run), Ok(Named::Run(run)));
        let runs = folder.path().to_owned();
        std::fs::write(runs.join("exported.mrg"), "(S (A a) (B b))").expect("writes");
        assert_eq!(Named::of(&runs), Ok(Named::Runs(runs)));
        let file = folder.path().join("best.safetensors");
        std::fs::write(&file, "").expect("writes");
        assert_eq!(Named::of(&file), Ok(Named::Checkpoint(file)));
        let candidates = folder.path().join("candidates");
        std::fs::create_dir(&candidates).expect("makes");
        std::fs::write(candidates.join("config.toml"), "").expect("writes");
        let lists = candidates.join("test.jsonl");
        std::fs::write(
            &lists,
            "{\"schema\":1,\"candidates\":[{\"tree\":\"(S (A a))\",\"log_prob\":-1}]}",
        )
        .expect("writes");
        assert_eq!(Named::of(&candidates), Ok(Named::Lists(lists.clone())));
        let sample = Path::new("sample_data/reranking");
        let both = vec![
            Named::Lists(sample.join("test.jsonl.gz")),
            Named::Reranker(sample.join("reranker.safetensors")),
        ];
        assert_eq!(Named::all(sample), Ok(both));
        // One whose making was stopped has none yet, and is no run either; nor is a card.
        std::fs::create_dir(candidates.join("folds")).expect("makes");
        std::fs::remove_file(&lists).expect("removes");
        let told = Named::of(&candidates).unwrap_err();
        assert!(told.contains("is a folder of candidate lists"), "{told}");
        std::fs::write(candidates.join("card.json"), "{}").expect("writes");
        assert!(Named::of(&candidates).unwrap_err().contains("an experiment card"));
        std::fs::remove_dir_all(&candidates).expect("removes");
        let config = crate::config::Config::default();
        let group = Group::create(folder.path(), &config, 2).expect("creates");
        let error = Named::all(group.path()).unwrap_err();
        assert!(error.contains("none of its runs has begun"), "{error}");
        let member = group.folder_of(&group.members()[1]);
        std::fs::create_dir(&member).expect("creates");
        assert_eq!(Named::all(group.path()), Ok(vec![Named::Run(member)]));
        let varied = vec![Varied { key: "model.rank".into(), values: vec!["8".into()] }];
        let sweep = Sweep::create(folder.path(), &config, varied, 1).expect("creates");
        sweep.group(&sweep.points()[0]).expect("creates");
        let path = sweep.path().to_owned();
        assert_eq!(Named::all(&path), Ok(vec![Named::Sweep(path)]));
        let missing = Named::of(&folder.path().join("nothing.mrg")).unwrap_err();
        assert!(missing.contains("nothing.mrg"), "{missing}");
    }
}
