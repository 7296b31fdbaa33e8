use super::pulse::SILENCE;
use super::{RunError, clock, journal};
use crate::checkpoint::{remove_abandoned, write_atomically};
use crate::config::Config;
use crate::report::Event;
use std::path::{Path, PathBuf};

/// A run's folder, by its paths. Copying the folder moves the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes `BASE/DATE-FAMILY[-N]`, of an ensemble `BASE/DATE-KIND[-N]`, with the resolved config; never takes an existing folder.
    pub fn create(base: &Path, config: &Config) -> Result<RunFolder, RunError> {
        RunFolder::create_named(base, &clock::today(), config)
    }

    fn create_named(base: &Path, date: &str, config: &Config) -> Result<RunFolder, RunError> {
        std::fs::create_dir_all(base).map_err(RunError::io(base))?;
        let stem = format!("{date}-{}", config.what());
        RunFolder::fill(make_numbered(base, &stem)?, config)
    }

    /// Makes a run folder at exactly this path, which must not exist or be empty.
    pub fn create_at(path: &Path, config: &Config) -> Result<RunFolder, RunError> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(RunError::io(parent))?;
        }
        match std::fs::create_dir(path) {
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {
                // remove_dir refuses a file, and a folder that holds anything.
                std::fs::remove_dir(path).map_err(|_| RunError::Filled(path.to_owned()))?;
                std::fs::create_dir(path).map_err(RunError::io(path))?;
            }
            other => other.map_err(RunError::io(path))?,
        }
        RunFolder::fill(path.to_owned(), config)
    }

    fn fill(path: PathBuf, config: &Config) -> Result<RunFolder, RunError> {
        let folder = RunFolder { path };
        for sub in [folder.checkpoints(), folder.trees()] {
            std::fs::create_dir(&sub).map_err(RunError::io(&sub))?;
        }
        let (config, config_path) = (with_absolute_paths(config), folder.config_path());
        write_atomically(&config_path, config.to_toml().as_bytes())
            .map_err(RunError::io(&config_path))?;
        Ok(folder)
    }

    /// An existing run folder.
    pub fn open(path: &Path) -> Result<RunFolder, RunError> {
        let folder = RunFolder { path: path.to_owned() };
        // Other folders that remember settings have no events, nor place for checkpoints.
        let begun = folder.events_path().is_file() || folder.checkpoints().is_dir();
        if !begun && path.join("card.json").is_file() {
            Err(RunError::ACard(path.to_owned()))
        } else if !begun && path.join("folds").is_dir() {
            Err(RunError::Candidates(path.to_owned()))
        } else if folder.config_path().is_file() {
            Ok(folder)
        } else if !path.exists() {
            Err(RunError::Missing(path.to_owned()))
        } else if super::Group::is_one(path) {
            Err(RunError::AGroup(path.to_owned()))
        } else if super::Sweep::is_one(path) {
            Err(RunError::ASweep(path.to_owned()))
        } else {
            Err(no_run(path))
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder's own name, e.g. `2026-11-29-rank-pcfg-2`.
    pub fn name(&self) -> String {
        // `.` and `..` have no name of their own until they are resolved.
        let named = self.path.file_name().map(|n| n.to_os_string()).or_else(|| {
            self.path.canonicalize().ok().and_then(|p| p.file_name().map(|n| n.to_os_string()))
        });
        named.map_or_else(|| self.path.display().to_string(), |n| n.to_string_lossy().into_owned())
    }

    /// The config with every setting written out.
    pub fn config(&self) -> Result<Config, RunError> {
        Ok(Config::read(&self.config_path(), &[])?)
    }

    /// All events as written, superseded ones included; lines that cannot be read are left out.
    pub fn events(&self) -> Result<Vec<Event>, RunError> {
        journal::read_all(&self.events_path())
    }

    pub fn config_path(&self) -> PathBuf {
        self.path.join("config.toml")
    }

    pub fn events_path(&self) -> PathBuf {
        self.path.join("events.jsonl")
    }

    pub fn status_path(&self) -> PathBuf {
        self.path.join("status.json")
    }

    pub fn lock_path(&self) -> PathBuf {
        self.path.join("lock")
    }

    pub fn control_path(&self) -> PathBuf {
        self.path.join("control.jsonl")
    }

    pub fn checkpoints(&self) -> PathBuf {
        self.path.join("checkpoints")
    }

    /// The newest weights with the optimiser's state.
    pub fn last(&self) -> PathBuf {
        self.checkpoints().join("last.safetensors")
    }

    /// The weights of the best development figure.
    pub fn best(&self) -> PathBuf {
        self.checkpoints().join("best.safetensors")
    }

    pub fn trees(&self) -> PathBuf {
        self.path.join("trees")
    }

    /// Makes the folders that weights and trees go to, should they be gone.
    pub(super) fn restore(&self) -> Result<(), RunError> {
        for folder in [self.checkpoints(), self.trees()] {
            std::fs::create_dir_all(&folder).map_err(RunError::io(&folder))?;
        }
        Ok(())
    }

    /// Removes what a job that was killed was writing; for who holds the lock.
    pub(super) fn remove_abandoned(&self) {
        for folder in [self.path.clone(), self.checkpoints(), self.trees(), self.rounds()] {
            remove_abandoned(&folder, SILENCE);
        }
    }

    /// What the rounds of an ensemble leave behind, see [`KeptRound`](super::KeptRound).
    pub fn rounds(&self) -> PathBuf {
        self.path.join("rounds")
    }
}

/// That a path is no run folder, with the one that was meant where it lies near.
fn no_run(path: &Path) -> RunError {
    let is_run = |path: &Path| path.join("config.toml").is_file();
    let above = path.ancestors().skip(1).take(2).map(|above| match above {
        empty if empty.as_os_str().is_empty() => Path::new("."),
        above => above,
    });
    if let Some(run) = above.into_iter().find(|path| is_run(path)) {
        return RunError::InARun { path: path.to_owned(), run: run.to_owned() };
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    let runs = entries.map(|entry| entry.path()).filter(|path| is_run(path));
    match runs.max() {
        Some(run) => RunError::HoldsRuns { path: path.to_owned(), run },
        None => RunError::NotARun(path.to_owned()),
    }
}

/// Makes `BASE/STEM[-N]`, with the first number that is free.
pub(super) fn make_numbered(base: &Path, stem: &str) -> Result<PathBuf, RunError> {
    let mut number = 1;
    loop {
        let name = if number == 1 { stem.to_owned() } else { format!("{stem}-{number}") };
        let path = base.join(name);
        // create_dir fails on whatever is there already, so two processes never share one.
        match std::fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            Err(source) => return Err(RunError::Io { path, source }),
        }
    }
}

/// Corpus paths as they hold from any working directory; a run may be resumed from another.
pub(super) fn with_absolute_paths(config: &Config) -> Config {
    let mut config = config.clone();
    let data = &mut config.data;
    for sources in [&mut data.train, &mut data.dev, &mut data.test] {
        for source in sources.0.iter_mut().filter(|s| !s.starts_with("sample:")) {
            if let Ok(absolute) = std::path::absolute(&*source) {
                *source = absolute.to_string_lossy().into_owned();
            }
        }
    }
    let rerank = &mut config.rerank;
    for path in [&mut rerank.ssn, &mut rerank.gold, &mut rerank.dev_gold] {
        // Nothing has no absolute path.
        if let Ok(absolute) = std::path::absolute(&*path) {
            *path = absolute.to_string_lossy().into_owned();
        }
    }
    config
}

#[cfg(test)]
mod tests {
    use super::super::list_runs;
    use super::*;

    #[test]
    fn folders_of_one_day_are_numbered_and_never_taken_twice() {
        let base = tempfile::tempdir().expect("temporary folder");
        let names: Vec<_> = (0..3)
            .map(|_| {
                RunFolder::create_named(base.path(), "2026-11-29", &Config::default())
                    .expect("creates")
                    .name()
            })
            .collect();
        assert_eq!(
            names,
            ["2026-11-29-rank-pcfg", "2026-11-29-rank-pcfg-2", "2026-11-29-rank-pcfg-3"]
        );
    }

    #[test]
    fn a_folder_remembers_its_config() {
        let base = tempfile::tempdir().expect("temporary folder");
        let mut config = Config { seed: 7, ..Config::default() };
        config.data.train.0 = vec!["sample:train".into(), "/corpus/a.mrg".into()];
        config.data.dev.0 = vec!["dev/*.mrg".into()];
        config.rerank.ssn = "runs/ssn".into();
        let made = RunFolder::create(base.path(), &config).expect("creates");
        let opened = RunFolder::open(made.path()).expect("opens");
        let here = std::env::current_dir().expect("a working directory");
        config.data.dev.0 = vec![here.join("dev/*.mrg").display().to_string()];
        config.rerank.ssn = here.join("runs/ssn").display().to_string();
        assert_eq!(opened.config().expect("reads"), config, "paths hold from anywhere");
    }

    #[test]
    fn a_folder_with_anything_in_it_is_not_taken() {
        let base = tempfile::tempdir().expect("temporary folder");
        let path = base.path().join("mine");
        std::fs::create_dir(&path).expect("creates");
        assert!(RunFolder::create_at(&path, &Config::default()).is_ok());
        for path in [path.clone(), path.join("config.toml")] {
            let refused = RunFolder::create_at(&path, &Config::default()).expect_err("filled");
            assert!(refused.to_string().contains("holds something already"), "{refused}");
        }
        assert!(path.join("config.toml").is_file());
    }

    #[test]
    fn other_folders_are_refused() {
        let base = tempfile::tempdir().expect("temporary folder");
        let refused = |path: &Path| RunFolder::open(path).expect_err("no run folder").to_string();
        // A card and candidates remember their settings as a run does.
        for (name, said) in [("card.json", "is an experiment card"), ("folds", "candidate lists")] {
            let other = base.path().join(name.replace('.', "-"));
            std::fs::create_dir_all(&other).expect("creates");
            std::fs::write(other.join("config.toml"), "").expect("writes");
            assert!(RunFolder::open(&other).is_ok(), "a run of which nothing else is left");
            match name.contains('.') {
                true => std::fs::write(other.join(name), "{}").expect("writes"),
                false => std::fs::create_dir(other.join(name)).expect("creates"),
            }
            let told = refused(&other);
            assert!(told.contains(said) && told.contains("not a run folder"), "{told}");
            assert!(list_runs(base.path()).is_empty());
            std::fs::create_dir(other.join("checkpoints")).expect("creates");
            assert!(RunFolder::open(&other).is_ok(), "a run that such files were put into");
            std::fs::remove_dir_all(&other).expect("removes");
        }
        assert!(refused(base.path()).contains("is not a run folder: it has no config.toml. Name"));
        let run = RunFolder::create_at(&base.path().join("run"), &Config::default());
        let run = run.expect("creates");
        let holds = refused(base.path());
        assert!(holds.contains("but holds some") && holds.ends_with("/run"), "{holds}");
        for inside in [run.checkpoints(), run.checkpoints().join("best.safetensors")] {
            std::fs::create_dir_all(&inside).expect("creates");
            let inside = refused(&inside);
            assert!(inside.contains("but lies in one") && inside.ends_with("/run"), "{inside}");
        }
    }
}
