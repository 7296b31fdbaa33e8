use super::{Corrected, Entry, Ledger, Refused, correct, text_of, unified_diff};
use crate::checkpoint::write_atomically;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Why a ledger was not exported, or not wholly.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{}: {source}", path.display())]
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
    let mut exported = Exported { verdicts: entries.len(), ..Exported::default() };
    for (file, entries) in by_file(&entries) {
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
    Ok(exported)
}

/// Entries with a proposal, by the file that they are about.
fn by_file<'a>(entries: &[&'a Entry]) -> BTreeMap<Arc<str>, Vec<&'a Entry>> {
    let mut files: BTreeMap<Arc<str>, Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.proposal.is_some()) {
        files.entry(entry.file.clone()).or_default().push(entry);
    }
    files
}

/// The path of a file below the folder of copies: as it is, less what leads out of the folder.
fn shown(file: &str) -> String {
    let parts = Path::new(file).components();
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
