//! The sample as files in the user's data directory: its treebanks, finished rounds of boosting on
//! the noisy one, and candidates with a reranker. All of it is compiled in.

use super::RunError;
use crate::treebank::sample;
use std::path::{Path, PathBuf};

/// Folder of the sample below the data directory, named as where the paths of its run are from.
const FOLDER: &str = "sample_data";
const RUN: &str = "runs/sample-boost";

macro_rules! file {
    ($($name:expr),+) => {
        (
            concat!($($name),+),
            include_bytes!(concat!("../../sample_data/runs/sample-boost/", $($name),+)).as_slice(),
        )
    };
}

macro_rules! rounds {
    ($($number:literal)+) => {
        [
            $(
                file!("rounds/", $number, ".json"),
                file!("rounds/", $number, ".weights.gz"),
                file!("rounds/", $number, ".train.gz"),
                file!("rounds/", $number, ".test.gz"),
            )+
            file!("rounds/train.json.gz"),
            file!("rounds/test.json.gz"),
            file!("config.toml"),
            file!("events.jsonl"),
            file!("status.json"),
        ]
    };
}

/// Names with content; most of it is compressed as it stands.
const FILES: [(&str, &[u8]); 45] =
    rounds!["001" "002" "003" "004" "005" "006" "007" "008" "009" "010"];

/// Which errors were planted in the noisy treebank.
const PLANTED: &[u8] = include_bytes!("../../sample_data/planted.tsv");

/// Where the runs of the sample are below a data directory.
pub fn runs(data: &Path) -> PathBuf {
    data.join(FOLDER).join("runs")
}

/// Writes the sample below a data directory. What is there stays as it is, and what the user threw
/// away stays away. All of it comes to be at once.
pub fn install(data: &Path) -> Result<(), RunError> {
    let target = data.join(FOLDER);
    if target.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(data).map_err(RunError::io(data))?;
    let new = tempfile::tempdir_in(data).map_err(RunError::io(data))?;
    sample::install(new.path())?;
    let files = FILES.into_iter().map(|(name, bytes)| (new.path().join(RUN).join(name), bytes));
    let reranking =
        sample::reranking().into_iter().map(|(name, bytes)| (new.path().join(name), bytes));
    let planted = [(new.path().join("planted.tsv"), PLANTED)];
    for (path, bytes) in files.chain(reranking).chain(planted) {
        let folder = path.parent().unwrap_or(data);
        std::fs::create_dir_all(folder).map_err(RunError::io(folder))?;
        std::fs::write(&path, bytes).map_err(RunError::io(&path))?;
    }
    match std::fs::rename(new.path(), &target) {
        // Another start was faster.
        Err(_) if target.exists() => Ok(()),
        Err(source) => Err(RunError::io(&target)(source)),
        Ok(()) => {
            let _ = new.keep();
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RunFolder;
    use super::*;

    fn files_below(folder: &Path) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).expect("readable").map(|e| e.expect("an entry"));
        let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
        entries.flat_map(|entry| below(entry.path())).collect()
    }

    #[test]
    fn the_run_that_is_written_is_that_of_sample_data_and_opens() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let data = base.path().join("new/data");
        install(&data).expect("installs");
        let made = runs(&data).join("sample-boost");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(FOLDER).join(RUN);
        let names = |folder: &Path| {
            let mut names: Vec<PathBuf> = files_below(folder)
                .iter()
                .map(|path| path.strip_prefix(folder).expect("below it").to_owned())
                .collect();
            names.sort();
            names
        };
        assert_eq!(names(&made), names(&source));
        for name in names(&source) {
            let read = |folder: &Path| std::fs::read(folder.join(&name)).expect("readable");
            assert!(read(&made) == read(&source), "{}", name.display());
        }
        let folder = RunFolder::open(&made).expect("a run folder");
        let train = folder.kept_part("train").expect("reads").expect("there");
        assert_eq!(folder.kept_rounds().expect("reads").len(), 10);
        // The treebank that it is about lies where its paths lead to, from the data directory.
        let file = data.join(&*train.sentences[0].file);
        assert!(file.is_file(), "{}", file.display());
        assert_eq!(std::fs::read_dir(&data).expect("readable").count(), 1, "nothing else is left");
    }

    #[test]
    fn what_was_thrown_away_or_changed_stays_so() {
        let base = tempfile::tempdir().expect("a temporary folder");
        install(base.path()).expect("installs");
        let run = runs(base.path()).join("sample-boost");
        std::fs::remove_dir_all(&run).expect("removes");
        install(base.path()).expect("looks");
        assert!(!run.exists());
    }
}
