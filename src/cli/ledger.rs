//! `ledger export`: verdicts as a table, a corrected copy of the treebank and the difference.

use super::args::{Ledger, LedgerExport};
use super::plain::tell;
use crate::checkpoint::write_atomically;
use crate::ensemble::ledger::{self, Corrected, Entry, correct, unified_diff};
use crate::report::counted;
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub fn run(args: &Ledger, out: &mut dyn Write) -> Result<()> {
    let Ledger::Export(args) = args;
    export(args, out)
}

fn export(args: &LedgerExport, out: &mut dyn Write) -> Result<()> {
    let path = match args.ledger.is_dir() {
        true => args.ledger.join(ledger::FILE),
        false => args.ledger.clone(),
    };
    if !path.is_file() {
        bail!("{}: there is no ledger", path.display());
    }
    let ledger = ledger::Ledger::open(&path)?;
    if ledger.unreadable > 0 {
        let lines = counted(ledger.unreadable, "line");
        tell(&format!("warning: {lines} of the ledger cannot be read"));
    }
    let entries = ledger.current();
    std::fs::create_dir_all(&args.out).with_context(|| format!("{}", args.out.display()))?;
    if std::fs::read_dir(&args.out)?.next().is_some() {
        bail!("{} holds something already, and nothing is overwritten", args.out.display());
    }
    keep(&args.out.join("verdicts.tsv"), &table(&entries))?;
    let mut diff = String::new();
    let (mut corrected, mut refused) = (0, Vec::new());
    for (file, entries) in by_file(&entries) {
        let text = std::fs::read_to_string(&*file).with_context(|| file.to_string())?;
        let done: Corrected = correct(&file, &text, &entries);
        diff.push_str(&unified_diff(&shown(&file), &text, &done));
        corrected += done.corrected;
        refused.extend(done.refused.into_iter().map(|r| (file.clone(), r)));
        let copy = args.out.join("corrected").join(shown(&file));
        if let Some(folder) = copy.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("{}", folder.display()))?;
        }
        keep(&copy, &done.text)?;
    }
    keep(&args.out.join("corrections.diff"), &diff)?;
    for (file, refused) in &refused {
        tell(&format!("warning: {file}, sentence {}: {}", refused.sentence, refused.reason));
    }
    if args.json {
        let object = json!({
            "verdicts": entries.len(),
            "corrected": corrected,
            "refused": refused.len(),
            "out": args.out.display().to_string(),
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "{}, {} corrected, {} refused: {}",
            counted(entries.len(), "verdict"),
            counted(corrected, "tree"),
            counted(refused.len(), "proposal"),
            args.out.display()
        )?;
    }
    Ok(())
}

fn keep(path: &Path, text: &str) -> Result<()> {
    write_atomically(path, text.as_bytes()).with_context(|| format!("{}", path.display()))
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
