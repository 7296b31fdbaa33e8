use super::Entry;
use crate::report::SCHEMA;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Lines that cannot be read that are told by number.
const TOLD: usize = 10;

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("{}: {source}{}", path.display(), crate::report::advice(source))]
    Io { path: PathBuf, source: io::Error },
    #[error("{}: a line has schema {found}, this version reads up to {known}; use a newer rankspace", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
}

/// The verdicts of a file.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    path: PathBuf,
    entries: Vec<Entry>,
    /// Lines, from 1, that are no entries: torn by a kill, or written by others.
    pub unreadable: Vec<usize>,
}

impl Ledger {
    /// Reads what is there; a file that is not there is an empty ledger, and is made by the first
    /// verdict.
    pub fn open(path: &Path) -> Result<Ledger, LedgerError> {
        let mut ledger = Ledger { path: path.to_owned(), ..Ledger::default() };
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(ledger),
            Err(source) => return Err(LedgerError::Io { path: path.to_owned(), source }),
        };
        for (at, line) in bytes.split(|&b| b == b'\n').enumerate() {
            if line.trim_ascii().is_empty() {
                continue;
            }
            #[derive(serde::Deserialize)]
            struct Versioned {
                schema: u32,
            }
            let newer = serde_json::from_slice::<Versioned>(line).ok();
            if let Some(Versioned { schema: found }) = newer.filter(|v| v.schema > SCHEMA) {
                return Err(LedgerError::Newer { path: path.to_owned(), found, known: SCHEMA });
            }
            match serde_json::from_slice(line) {
                Ok(entry) => ledger.entries.push(entry),
                Err(_) => ledger.unreadable.push(at + 1),
            }
        }
        Ok(ledger)
    }

    /// Which lines cannot be read.
    pub fn complaint(&self) -> Option<String> {
        let (first, others) = self.unreadable.split_first()?;
        if others.is_empty() {
            return Some(format!("line {first} cannot be read and is left out"));
        }
        let told = self.unreadable.iter().take(TOLD).map(usize::to_string);
        let told = told.collect::<Vec<_>>().join(", ");
        let (n, more) = (self.unreadable.len(), if others.len() < TOLD { "" } else { ", …" });
        Some(format!("{n} lines ({told}{more}) cannot be read and are left out"))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All that was ever said, in its order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What holds: of each part of a sentence the last verdict, unless it was taken back, in the order
    /// of the treebank.
    pub fn current(&self) -> Vec<&Entry> {
        let mut latest = BTreeMap::new();
        for entry in &self.entries {
            latest.insert(entry.subject(), entry);
        }
        latest.into_values().filter(|entry: &&Entry| !entry.withdrawn).collect()
    }

    /// Adds a verdict. When this returns it is on the disk.
    pub fn add(&mut self, entry: Entry) -> Result<(), LedgerError> {
        let io = |source| LedgerError::Io { path: self.path.clone(), source };
        self.append(&entry).map_err(io)?;
        self.entries.push(entry);
        Ok(())
    }

    fn append(&self, entry: &Entry) -> io::Result<()> {
        let new = !self.path.exists();
        let mut file = OpenOptions::new().create(true).append(true).read(true).open(&self.path)?;
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        if is_torn(&mut file)? {
            line.insert(0, b'\n');
        }
        // One call, so that readers see the line whole or torn at the end.
        file.write_all(&line)?;
        file.sync_data()?;
        if let Some(folder) = self.path.parent().filter(|_| new) {
            // The name itself reaches the disk with the folder; some file systems cannot sync one.
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let _ = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(())
    }
}

/// Whether the last line lacks its end.
fn is_torn(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != *b"\n")
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn entry(sentence: usize, verdict: Verdict, note: &str) -> Entry {
        Entry {
            schema: SCHEMA,
            file: "a.mrg".into(),
            sentence,
            hash: "0".into(),
            rank: None,
            weight: None,
            span: None,
            analysis: None,
            verdict,
            note: note.into(),
            proposal: None,
            withdrawn: false,
            time: 0.0,
        }
    }

    #[test]
    fn the_last_verdict_on_a_sentence_holds_and_all_are_kept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("verdicts.jsonl");
        let mut ledger = Ledger::open(&path).expect("empty");
        assert!(ledger.entries().is_empty() && !path.exists());
        for (sentence, verdict) in
            [(4, Verdict::Unsure), (2, Verdict::Correct), (4, Verdict::Error)]
        {
            ledger.add(entry(sentence, verdict, "")).expect("writes");
        }
        let mut part = entry(4, Verdict::Correct, "");
        part.span = Some((0, 2));
        ledger.add(part).expect("writes");
        let again = Ledger::open(&path).expect("reads");
        assert_eq!(again.entries(), ledger.entries());
        let held: Vec<_> =
            again.current().iter().map(|e| (e.sentence, e.span, e.verdict)).collect();
        let expected = [
            (2, None, Verdict::Correct),
            (4, None, Verdict::Error),
            (4, Some((0, 2)), Verdict::Correct),
        ];
        assert_eq!(held, expected);
    }

    #[test]
    fn what_was_taken_back_holds_no_more_and_is_kept() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("verdicts.jsonl");
        let mut ledger = Ledger::open(&path).expect("empty");
        ledger.add(entry(4, Verdict::Error, "")).expect("writes");
        ledger.add(Entry { withdrawn: true, ..entry(4, Verdict::Error, "") }).expect("writes");
        let again = Ledger::open(&path).expect("reads");
        assert_eq!((again.entries().len(), again.current().len()), (2, 0));
        ledger.add(entry(4, Verdict::Correct, "")).expect("writes");
        assert_eq!(ledger.current(), [&entry(4, Verdict::Correct, "")]);
    }

    #[test]
    fn a_kill_at_any_byte_loses_nothing_that_was_said_before() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("verdicts.jsonl");
        let mut ledger = Ledger::open(&path).expect("empty");
        ledger.add(entry(0, Verdict::Error, "first")).expect("writes");
        let first = std::fs::read(&path).expect("reads").len();
        ledger.add(entry(1, Verdict::Error, "zweiter Satz, größer")).expect("writes");
        let whole = std::fs::read(&path).expect("reads");
        for length in first..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("writes");
            let mut after = Ledger::open(&path).expect("reads");
            let complete = length + 1 == whole.len();
            assert_eq!(after.entries().len(), 1 + usize::from(complete), "{length} bytes");
            after.add(entry(2, Verdict::Unsure, "third")).expect("writes");
            let again = Ledger::open(&path).expect("reads");
            assert_eq!(again.entries(), after.entries());
            assert_eq!(again.entries().last().map(|e| e.sentence), Some(2));
        }
    }

    #[test]
    fn lines_that_are_no_verdicts_are_told_by_number() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("verdicts.jsonl");
        let mut ledger = Ledger::open(&path).expect("empty");
        ledger.add(entry(0, Verdict::Error, "")).expect("writes");
        assert_eq!(ledger.complaint(), None);
        let whole = std::fs::read_to_string(&path).expect("reads");
        std::fs::write(&path, format!("{whole}\nx\n{whole}{{\n")).expect("writes");
        let ledger = Ledger::open(&path).expect("reads");
        assert_eq!((ledger.entries().len(), &ledger.unreadable[..]), (2, &[3, 5][..]));
        let told = ledger.complaint().expect("two lines");
        assert_eq!(told, "2 lines (3, 5) cannot be read and are left out");
        std::fs::write(&path, format!("{whole}x\n")).expect("writes");
        let told = Ledger::open(&path).expect("reads").complaint().expect("a line");
        assert_eq!(told, "line 2 cannot be read and is left out");
        std::fs::write(&path, "x\n".repeat(12)).expect("writes");
        let told = Ledger::open(&path).expect("reads").complaint().expect("lines");
        assert!(told.contains("9, 10, …) cannot"), "{told}");
    }

    #[test]
    fn a_newer_ledger_is_refused() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().join("verdicts.jsonl");
        std::fs::write(&path, "{\"schema\":99,\"new\":true}\n").expect("writes");
        let error = Ledger::open(&path).expect_err("refused").to_string();
        assert!(error.contains("schema 99") && error.contains("newer rankspace"), "{error}");
    }
}
