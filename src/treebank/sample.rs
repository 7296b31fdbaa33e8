//! The bundled sample: compiled in, compressed, so that the program works
//! wherever it is installed. `sample_data/README.md` says what it is.

use super::TreebankError;
use flate2::read::GzDecoder;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_bytes!(concat!("../../assets/sample/", $name, ".gz")).as_slice())),+]
    };
}

/// File names with their compressed content.
const FILES: [(&str, &[u8]); 6] =
    files!["train.mrg", "dev.mrg", "test.mrg", "natural.mrg", "noisy.mrg", "text.txt"];

/// Candidates of the test sentences by a plain grammar, and a reranker for them;
/// `sample_data/README.md` says how they were made.
const RERANKING: [(&str, &[u8]); 2] = [
    ("reranking/test.jsonl.gz", include_bytes!("../../sample_data/reranking/test.jsonl.gz")),
    (
        "reranking/reranker.safetensors",
        include_bytes!("../../sample_data/reranking/reranker.safetensors"),
    ),
];

/// Candidate lists as a file has them, packed.
pub fn candidates() -> &'static [u8] {
    RERANKING[0].1
}

/// A trained reranker as a file has it.
pub fn reranker() -> &'static [u8] {
    RERANKING[1].1
}

/// Both as files, by their names in the sample's folder.
pub fn reranking() -> [(&'static str, &'static [u8]); 2] {
    RERANKING
}

/// Names that stand behind `sample:`.
pub fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().filter_map(|(file, _)| file.split('.').next())
}

/// File name and content of `train`, `dev`, `test` (sampled from the grammar),
/// `natural` (trees by hand), `noisy` (`train` with planted errors) or `text` (no trees).
pub fn read(name: &str) -> Result<(&'static str, String), TreebankError> {
    let (file, bytes) = FILES
        .iter()
        .find(|(file, _)| file.split('.').next() == Some(name))
        .ok_or_else(|| TreebankError::Sample {
            name: name.to_owned(),
            known: names().collect::<Vec<_>>().join(", "),
        })?;
    let mut text = String::new();
    GzDecoder::new(*bytes)
        .read_to_string(&mut text)
        .expect("the tests read every file that is compiled in");
    Ok((file, text))
}

/// Writes the files into a folder, which is made where it is missing; files that
/// are there already stay as they are. Gives the paths of all.
pub fn install(dir: &Path) -> Result<Vec<PathBuf>, TreebankError> {
    let failed = |path: &Path, e: std::io::Error| TreebankError::Write {
        path: path.display().to_string(),
        reason: e.to_string(),
    };
    std::fs::create_dir_all(dir).map_err(|e| failed(dir, e))?;
    let mut paths = Vec::new();
    for name in names() {
        let (file, text) = read(name)?;
        let path = dir.join(file);
        if !path.exists() {
            let write = || -> std::io::Result<()> {
                let mut temporary = tempfile::NamedTempFile::new_in(dir)?;
                temporary.write_all(text.as_bytes())?;
                match temporary.persist_noclobber(&path) {
                    Err(e) if e.error.kind() != std::io::ErrorKind::AlreadyExists => Err(e.error),
                    _ => Ok(()),
                }
            };
            write().map_err(|e| failed(&path, e))?;
        }
        paths.push(path);
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::super::generate::{Grammar, generate};
    use super::*;
    use flate2::{Compression, GzBuilder};

    /// As `sample_data/README.md` says.
    const SEED: u64 = 1;
    const SPLITS: [(&str, usize); 3] = [("train", 1_700), ("dev", 150), ("test", 150)];

    fn folder(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
    }

    /// The text of the three splits: one corpus of the grammar, cut.
    fn sampled() -> Vec<(&'static str, String)> {
        let total = SPLITS.iter().map(|(_, n)| n).sum();
        let mut lines = generate(&Grammar::bundled(), total, SEED, 3, 30).into_iter();
        let text = |n| lines.by_ref().take(n).map(|line| line + "\n").collect();
        SPLITS.map(|(name, _)| name).into_iter().zip(SPLITS.map(|(_, n)| n).map(text)).collect()
    }

    #[test]
    fn the_sampled_splits_are_what_the_grammar_gives_with_the_documented_seed() {
        for (name, text) in sampled() {
            assert!(read(name).expect("bundled").1 == text, "{name} differs: see write_the_sample");
        }
    }

    #[test]
    fn what_is_compiled_in_is_what_lies_in_sample_data() {
        for name in names() {
            let (file, text) = read(name).expect("bundled");
            let beside = std::fs::read_to_string(folder("sample_data").join(file)).expect(file);
            assert!(beside == text, "{file} differs: see write_the_sample");
        }
    }

    #[test]
    fn installing_writes_what_is_missing_and_overwrites_nothing() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let target = dir.path().join("new/sample");
        std::fs::create_dir_all(&target).expect("made");
        std::fs::write(target.join("dev.mrg"), "mine").expect("written");
        let paths = install(&target).expect("installed");
        assert_eq!(paths.len(), FILES.len());
        assert_eq!(std::fs::read_to_string(&paths[1]).expect("readable"), "mine");
        assert_eq!(
            std::fs::read_to_string(&paths[0]).expect("readable"),
            read("train").expect("bundled").1
        );
        let entries = std::fs::read_dir(&target).expect("readable").count();
        assert_eq!(entries, FILES.len(), "no temporary file is left");
    }

    #[test]
    fn an_unknown_part_is_refused_with_the_known_ones() {
        let message = read("valid").unwrap_err().to_string();
        assert!(message.contains("valid") && message.contains("natural"), "{message}");
    }

    /// `cargo test write_the_sample -- --ignored` after a change of the grammar or of `sample_data`.
    #[test]
    #[ignore = "writes into sample_data and assets/sample"]
    fn write_the_sample() {
        for (name, text) in sampled() {
            std::fs::write(folder("sample_data").join(format!("{name}.mrg")), text)
                .expect("written");
        }
        for (file, _) in FILES {
            let text = std::fs::read(folder("sample_data").join(file)).expect("readable");
            let packed = std::fs::File::create(folder("assets/sample").join(format!("{file}.gz")))
                .expect("created");
            // No name and no time inside, so that the same text gives the same file.
            let mut gz = GzBuilder::new().mtime(0).write(packed, Compression::best());
            gz.write_all(&text).and_then(|()| gz.finish()).expect("written");
        }
    }
}
