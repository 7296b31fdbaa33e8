use super::{RunError, RunFolder, Status};
use std::path::{Path, PathBuf};

/// The folder beside runs that takes what is thrown away.
const TRASH: &str = ".trash";

/// What a run takes on the disk, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    pub checkpoints: u64,
    /// Trees of its evaluations.
    pub trees: u64,
    /// Everything else: events, rounds of an ensemble, exports.
    pub rest: u64,
}

impl DiskUse {
    /// Of a run folder; what cannot be read counts nothing.
    pub fn of(run: &Path) -> DiskUse {
        let folder = RunFolder::open(run).ok();
        let part = |path: Option<PathBuf>| path.map_or(0, |path| bytes_in(&path).0);
        let checkpoints = part(folder.as_ref().map(RunFolder::checkpoints));
        let trees = part(folder.as_ref().map(RunFolder::trees));
        let rest = bytes_in(run).0.saturating_sub(checkpoints + trees);
        DiskUse { checkpoints, trees, rest }
    }

    pub fn total(self) -> u64 {
        self.checkpoints + self.trees + self.rest
    }
}

/// Bytes and number of the files in a folder and those in it; links are not followed.
fn bytes_in(folder: &Path) -> (u64, usize) {
    let mut all = (0, 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => all = (all.0 + meta.len(), all.1 + 1),
                Err(_) => {}
            }
        }
    }
    all
}

/// What a run can do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Spare {
    /// Checkpoints other than `best` and `last`.
    OtherCheckpoints,
    /// `last`, where there is `best`: without it nobody goes on with the run.
    Last,
    /// Trees of evaluations but those of the first, the best and the last one.
    Trees,
}

impl Spare {
    pub const ALL: [Spare; 3] = [Spare::OtherCheckpoints, Spare::Last, Spare::Trees];

    /// Files of that kind in a run, with their bytes.
    pub fn files(self, folder: &RunFolder) -> Vec<(PathBuf, u64)> {
        let files = match self {
            Spare::Last if folder.best().is_file() => vec![folder.last()],
            Spare::Last => Vec::new(),
            Spare::OtherCheckpoints => {
                let kept = [folder.best(), folder.last()];
                files_in(&folder.checkpoints()).filter(|path| !kept.contains(path)).collect()
            }
            Spare::Trees => passed_by(folder),
        };
        let with_size = |path: PathBuf| {
            let meta = path.metadata().ok().filter(|meta| meta.is_file())?;
            Some((path, meta.len()))
        };
        files.into_iter().filter_map(with_size).collect()
    }
}

fn files_in(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_file())
}

/// Trees of the evaluations between the first, the best and the last one.
fn passed_by(folder: &RunFolder) -> Vec<PathBuf> {
    let step = |path: &PathBuf| -> Option<u64> {
        let name = path.file_name()?.to_str()?;
        name.strip_prefix("dev-")?.strip_suffix(".json.gz")?.parse().ok()
    };
    let mut trees: Vec<(u64, PathBuf)> =
        files_in(&folder.trees()).filter_map(|path| Some((step(&path)?, path))).collect();
    trees.sort();
    let best = Status::read(folder).ok().flatten().and_then(|status| status.best);
    let best = best.map(|best| best.step);
    let ends = [trees.first(), trees.last()].map(|end| end.map(|(step, _)| *step));
    let is_kept = |step: u64| ends.contains(&Some(step)) || best == Some(step);
    trees.into_iter().filter(|(step, _)| !is_kept(*step)).map(|(_, path)| path).collect()
}

/// Moves files that a run can do without to the trash beside it; gives their bytes. A run that is
/// at work is left alone.
pub fn clean(run: &Path, spares: &[Spare]) -> Result<u64, RunError> {
    let folder = RunFolder::open(run)?;
    if Status::is_at_work(&folder) {
        return Err(RunError::AtWork(folder.name()));
    }
    let files: Vec<(PathBuf, u64)> = spares.iter().flat_map(|spare| spare.files(&folder)).collect();
    if files.is_empty() {
        return Ok(0);
    }
    let place = new_in_trash(run, ".cleaned")?;
    let mut bytes = 0;
    for (path, size) in files {
        let Ok(within) = path.strip_prefix(folder.path()) else { continue };
        let target = place.join(within);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(RunError::io(parent))?;
        }
        std::fs::rename(&path, &target).map_err(RunError::io(&path))?;
        bytes += size;
    }
    Ok(bytes)
}

/// Moves a run folder to `.trash/NAME[-N]` beside it, on the same disk, so that nothing is copied;
/// gives the new place.
pub fn to_trash(run: &Path) -> Result<PathBuf, RunError> {
    let folder = RunFolder::open(run)?;
    if Status::is_at_work(&folder) {
        return Err(RunError::AtWork(folder.name()));
    }
    let full = run.canonicalize().map_err(RunError::io(run))?;
    let place = new_in_trash(run, "")?;
    // Not everywhere may a folder take the place of an empty one.
    std::fs::remove_dir(&place).map_err(RunError::io(&place))?;
    std::fs::rename(full, &place).map_err(RunError::io(run))?;
    Ok(place)
}

/// An empty folder for something of a run in the trash beside it.
fn new_in_trash(run: &Path, suffix: &str) -> Result<PathBuf, RunError> {
    let full = run.canonicalize().map_err(RunError::io(run))?;
    let (Some(base), Some(name)) = (full.parent(), full.file_name()) else {
        return Err(RunError::NotARun(run.to_owned()));
    };
    let trash = base.join(TRASH);
    std::fs::create_dir_all(&trash).map_err(RunError::io(&trash))?;
    super::folder::make_numbered(&trash, &format!("{}{suffix}", name.to_string_lossy()))
}

/// What lies in the trash beside a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trash {
    pub path: PathBuf,
    pub bytes: u64,
    /// Runs and parts of runs.
    pub things: usize,
}

impl Trash {
    /// The trash beside a run; `None` where nothing is in it.
    pub fn beside(run: &Path) -> Option<Trash> {
        let path = run.canonicalize().ok()?.parent()?.join(TRASH);
        let things = std::fs::read_dir(&path).ok()?.count();
        (things > 0).then(|| Trash { bytes: bytes_in(&path).0, path, things })
    }

    /// Removes everything in it for good.
    pub fn empty(&self) -> Result<(), RunError> {
        std::fs::remove_dir_all(&self.path).map_err(RunError::io(&self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    fn run_with(base: &Path, files: &[(&str, usize)]) -> RunFolder {
        let folder = RunFolder::create(base, &Config::default()).expect("creates");
        for (name, bytes) in files {
            std::fs::write(folder.path().join(name), vec![b'x'; *bytes]).expect("writes");
        }
        folder
    }

    fn evaluated(base: &Path) -> RunFolder {
        let folder = run_with(
            base,
            &[
                ("checkpoints/best.safetensors", 100),
                ("checkpoints/last.safetensors", 300),
                ("checkpoints/epoch-3.safetensors", 50),
                ("trees/dev-000000000.json.gz", 10),
                ("trees/dev-000000120.json.gz", 11),
                ("trees/dev-000000240.json.gz", 12),
                ("trees/dev-000000360.json.gz", 13),
                ("trees/sentences.json.gz", 20),
                ("events.jsonl", 40),
            ],
        );
        let status = "{\"schema\":1,\"state\":\"finished\",\"pid\":1,\"host\":\"x\",\"heartbeat\":1.0,\
                      \"kind\":\"train\",\"step\":360,\"epoch\":3,\"total_steps\":360,\"elapsed\":1.0,\
                      \"best\":{\"step\":240,\"epoch\":2,\"dev\":{}}}";
        std::fs::write(folder.status_path(), status).expect("writes");
        folder
    }

    fn names(files: &[(PathBuf, u64)]) -> Vec<String> {
        files
            .iter()
            .map(|(p, _)| p.file_name().unwrap_or_default().to_string_lossy().into())
            .collect()
    }

    #[test]
    fn what_a_run_takes_is_told_by_what_it_is_for() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let folder = evaluated(base.path());
        let used = DiskUse::of(folder.path());
        assert_eq!((used.checkpoints, used.trees), (450, 66));
        let small: u64 = [folder.config_path(), folder.status_path(), folder.events_path()]
            .iter()
            .map(|path| path.metadata().expect("there").len())
            .sum();
        assert_eq!(used.rest, small);
        assert_eq!(DiskUse::of(&base.path().join("gone")).total(), 0);
    }

    #[test]
    fn the_first_the_best_and_the_last_are_kept() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let folder = evaluated(base.path());
        let spare = |spare: Spare| names(&spare.files(&folder));
        assert_eq!(spare(Spare::Trees), ["dev-000000120.json.gz"]);
        assert_eq!(spare(Spare::OtherCheckpoints), ["epoch-3.safetensors"]);
        assert_eq!(spare(Spare::Last), ["last.safetensors"]);
        // The only weights of a run are never spare.
        std::fs::remove_file(folder.best()).expect("removes");
        assert_eq!(spare(Spare::Last), [""; 0]);
    }

    #[test]
    fn cleaning_moves_to_the_trash_and_the_trash_is_emptied_for_good() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let folder = evaluated(base.path());
        assert_eq!(Trash::beside(folder.path()), None);
        assert_eq!(
            clean(folder.path(), &[Spare::OtherCheckpoints, Spare::Trees]).expect("cleans"),
            61
        );
        let place = base.path().join(".trash").join(format!("{}.cleaned", folder.name()));
        assert!(place.join("checkpoints/epoch-3.safetensors").is_file());
        assert!(place.join("trees/dev-000000120.json.gz").is_file());
        assert!(folder.best().is_file() && folder.last().is_file());
        assert_eq!(clean(folder.path(), &[Spare::Trees]).expect("nothing is left"), 0);
        assert_eq!(clean(folder.path(), &[Spare::Last]).expect("cleans"), 300);
        let trash = Trash::beside(folder.path()).expect("something is in it");
        assert_eq!((trash.bytes, trash.things), (361, 2));
        trash.empty().expect("empties");
        assert_eq!(Trash::beside(folder.path()), None);
        assert!(folder.best().is_file());
    }

    #[test]
    fn the_trash_keeps_folders_of_one_name_apart() {
        let base = tempfile::tempdir().expect("a temporary folder");
        for wanted in ["run", "run-2"] {
            let run = base.path().join("run");
            std::fs::create_dir(&run).expect("makes");
            std::fs::write(run.join("config.toml"), wanted).expect("writes");
            let place = to_trash(&run).expect("moves");
            assert_eq!(place.file_name().and_then(|n| n.to_str()), Some(wanted));
            assert!(!run.exists());
            let kept = std::fs::read_to_string(place.join("config.toml")).ok();
            assert_eq!(kept.as_deref(), Some(wanted));
        }
    }

    #[test]
    fn a_run_at_work_is_left_alone() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let folder = evaluated(base.path());
        let status = serde_json::to_string(&Status::start("train")).expect("JSON");
        std::fs::write(folder.status_path(), status).expect("writes");
        for refused in
            [clean(folder.path(), &[Spare::Last]).map(drop), to_trash(folder.path()).map(drop)]
        {
            assert!(matches!(refused, Err(RunError::AtWork(_))), "{refused:?}");
        }
        assert!(folder.last().is_file());
    }
}
