use super::{Corrected, Entry, Ledger, Refused, correct, text_of, unified_diff};
use crate::checkpoint::write_atomically;
use crate::config::Config;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a ledger was not exported, or not wholly.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{}: {source}{}", path.display(), crate::report::advice(source))]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{} holds something already, and nothing is overwritten", .0.display())]
    Occupied(PathBuf),
}

/// What an export came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Verdicts that hold.
    pub verdicts: usize,
    /// Trees that were replaced in the copies.
    pub corrected: usize,
    /// Proposals that were not, with the file that they are for.
    pub refused: Vec<(Arc<str>, Refused)>,
    /// Where `patch -p1` takes the difference: the treebank's folder. `None` where the run names its
    /// files from the folder that it was started in.
    pub folder: Option<PathBuf>,
}

/// Writes `verdicts.tsv`, `corrections.diff`, and below `corrected/` a copy of every file that a
/// proposal is for, into a folder that is made or empty. The treebank itself stays as it is.
pub fn export(ledger: &Ledger, out: &Path) -> Result<Exported, ExportError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |source| ExportError::Io { path, source }
    };
    let entries = ledger.current();
    std::fs::create_dir_all(out).map_err(io(out))?;
    if std::fs::read_dir(out).map_err(io(out))?.next().is_some() {
        return Err(ExportError::Occupied(out.to_owned()));
    }
    let keep = |path: &Path, text: &str| write_atomically(path, text.as_bytes()).map_err(io(path));
    keep(&out.join("verdicts.tsv"), &table(&entries))?;
    let mut diff = String::new();
    let (files, folder) = (by_file(&entries), folder_of(ledger, &entries));
    let shown = |file: &str| {
        let inside = folder.as_ref().and_then(|folder| Path::new(file).strip_prefix(folder).ok());
        // What was read from gzip is corrected as text.
        let path = inside_only(inside.unwrap_or(Path::new(file)));
        path.strip_suffix(".gz").map(str::to_owned).unwrap_or(path)
    };
    let mut exported = Exported { verdicts: entries.len(), ..Exported::default() };
    for (file, entries) in files {
        let text = match text_of(&file, ledger.path()) {
            Ok(text) => text,
            Err(reason) => {
                let refused = |entry: &&Entry| {
                    let (sentence, reason) = (entry.sentence, reason.clone());
                    (file.clone(), Refused { sentence, reason })
                };
                exported.refused.extend(entries.iter().map(refused));
                continue;
            }
        };
        let done: Corrected = correct(&file, &text, &entries);
        diff.push_str(&unified_diff(&shown(&file), &text, &done));
        exported.corrected += done.corrected;
        exported.refused.extend(done.refused.into_iter().map(|r| (file.clone(), r)));
        let copy = out.join("corrected").join(shown(&file));
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder).map_err(io(folder))?;
        }
        keep(&copy, &done.text)?;
    }
    keep(&out.join("corrections.diff"), &diff)?;
    Ok(Exported { folder, ..exported })
}

/// Entries with a proposal, by the file that they are about.
fn by_file<'a>(entries: &[&'a Entry]) -> BTreeMap<Arc<str>, Vec<&'a Entry>> {
    let mut files: BTreeMap<Arc<str>, Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.proposal.is_some()) {
        files.entry(entry.file.clone()).or_default().push(entry);
    }
    files
}

/// The folder of the treebank: that of all training files by the run's settings, and of all files
/// that the ledger knows. `None` where none is named by a whole path.
fn folder_of(ledger: &Ledger, entries: &[&Entry]) -> Option<PathBuf> {
    let config = Config::read(&ledger.path().with_file_name("config.toml"), &[]);
    let sources = config.map(|config| config.data.train.0).unwrap_or_default();
    let files = entries.iter().map(|entry| Path::new(&*entry.file));
    let files = files.filter_map(|file| Some(file.parent()?.to_owned()));
    let folders = sources.iter().map(|source| folder_of_source(source)).chain(files);
    folders.filter(|folder| folder.is_absolute()).reduce(|a, b| {
        let common = a.components().zip(b.components()).take_while(|(a, b)| a == b);
        common.map(|(part, _)| part).collect()
    })
}

/// The folder that a setting names files in: of a pattern what stands before it.
fn folder_of_source(source: &str) -> PathBuf {
    let path = Path::new(source);
    if path.is_dir() {
        return path.to_owned();
    }
    let above = path.parent().unwrap_or(path).components();
    above.take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '['])).collect()
}

/// A path less what leads out of the folder that it stands in.
fn inside_only(path: &Path) -> String {
    let parts = path.components();
    let inside: PathBuf =
        parts.filter(|part| matches!(part, std::path::Component::Normal(_))).collect();
    inside.display().to_string()
}

fn table(entries: &[&Entry]) -> String {
    let mut text = "file\tsentence\tspan\tverdict\trank\tweight\tnote\tproposal\n".to_owned();
    for entry in entries {
        let span = entry.span.map_or(String::new(), |(start, end)| format!("{start}-{end}"));
        let rank = entry.rank.map_or(String::new(), |rank| rank.to_string());
        let weight = entry.weight.map_or(String::new(), |weight| format!("{weight:e}"));
        let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        let fields = [
            &*entry.file,
            &entry.sentence.to_string(),
            &span,
            entry.verdict.name(),
            &rank,
            &weight,
            &plain(&entry.note),
            &plain(entry.proposal.as_deref().unwrap_or_default()),
        ];
        text.push_str(&fields.join("\t"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{Verdict, fingerprint};
    use super::*;
    use crate::report::SCHEMA;
    use crate::treebank::Reader;

    const TREES: &str = "(TOP (S (NN a) (VB b)))\n";

    /// A proposal for the tree of a file.
    fn entry(file: &Path) -> Entry {
        let tree = Reader::new(TREES.as_bytes(), "t").next().expect("one").expect("whole");
        Entry {
            schema: SCHEMA,
            file: file.display().to_string().into(),
            sentence: 0,
            hash: fingerprint(&tree),
            rank: None,
            weight: None,
            span: None,
            analysis: None,
            verdict: Verdict::Error,
            note: String::new(),
            proposal: Some("(TOP (X (NN a) (VB b)))".into()),
            withdrawn: false,
            time: 0.0,
        }
    }

    #[test]
    fn the_difference_is_for_patch_in_the_treebanks_folder() {
        for (train, names) in [
            ("bank/train.mrg", &["train.mrg"][..]),
            ("bank", &["train.mrg", "02/a.mrg"]),
            ("bank/0*/*.mrg", &["02/a.mrg"]),
            // Settings that are gone: what the ledger knows of is in one folder.
            ("", &["02/a.mrg"]),
        ] {
            let base = tempfile::tempdir().expect("a temporary folder");
            let base = base.path();
            std::fs::create_dir_all(base.join("bank/02")).expect("makes");
            std::fs::create_dir(base.join("run")).expect("makes");
            let mut ledger = Ledger::open(&base.join("run/verdicts.jsonl")).expect("empty");
            for name in names {
                let path = base.join("bank").join(name);
                std::fs::write(&path, TREES).expect("writes");
                ledger.add(entry(&path)).expect("writes");
            }
            if !train.is_empty() {
                let train = base.join(train).display().to_string();
                let config = format!("kind = \"boost\"\n[data]\ntrain = {train:?}\n");
                std::fs::write(base.join("run/config.toml"), config).expect("writes");
            }
            let exported = export(&ledger, &base.join("out")).expect("exports");
            assert_eq!(exported.corrected, names.len(), "{train}");
            let folder = exported.folder.expect("whole paths");
            let bank = base.join(if train.is_empty() { "bank/02" } else { "bank" });
            assert_eq!(folder, bank, "{train}");
            let diff = std::fs::read_to_string(base.join("out/corrections.diff")).expect("there");
            for name in names {
                let name = name.trim_start_matches(if train.is_empty() { "02/" } else { "" });
                let head = format!("--- a/{name}\n+++ b/{name}\n");
                assert!(diff.contains(&head), "{train}: {diff}");
                assert!(
                    folder.join(name).is_file() && base.join("out/corrected").join(name).is_file()
                );
            }
        }
    }

    #[test]
    fn files_named_from_where_the_run_was_started_keep_their_names() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let ledger = base.path().join("verdicts.jsonl");
        std::fs::write(base.path().join("t.mrg"), TREES).expect("writes");
        let mut ledger = Ledger::open(&ledger).expect("empty");
        ledger.add(entry(Path::new("t.mrg"))).expect("writes");
        let exported = export(&ledger, &base.path().join("out")).expect("exports");
        assert_eq!((exported.corrected, exported.folder), (1, None));
        assert!(base.path().join("out/corrected/t.mrg").is_file());
    }
}
