//! `candidates`: lists of the trees that parsers rank highest, made, converted and counted.

pub mod args;
mod convert;
mod make;
mod stats;

use super::file::is_folder;
use super::plain::tell;
use crate::report::counted;
use crate::treebank::candidates::{
    Attached, CandidateFile, CandidateList, ListFormat, LogBase, ReadOptions,
};
use anyhow::{Result, bail};
use args::{Candidates, Reading};
use std::io::Write;
use std::path::Path;

/// Drops and messages that are told one by one; the others are counted.
const TOLD: usize = 20;

pub fn run(args: &Candidates, out: &mut dyn Write) -> Result<()> {
    match args {
        Candidates::Make(args) => make::run(args, out),
        Candidates::Convert(args) => convert::run(args, out),
        Candidates::Stats(args) => stats::run(args, out),
    }
}

impl From<args::ListFormat> for ListFormat {
    fn from(format: args::ListFormat) -> ListFormat {
        match format {
            args::ListFormat::Bllip => ListFormat::Bllip,
            args::ListFormat::Berkeley => ListFormat::Berkeley,
            args::ListFormat::BerkeleyEc => ListFormat::BerkeleyEc,
            args::ListFormat::CharniakJohnson => ListFormat::CharniakJohnson,
            args::ListFormat::Stanford => ListFormat::Stanford,
            args::ListFormat::Jsonl => ListFormat::Jsonl,
        }
    }
}

impl From<args::LogBase> for LogBase {
    fn from(base: args::LogBase) -> LogBase {
        match base {
            args::LogBase::Two => LogBase::Two,
            args::LogBase::E => LogBase::E,
            args::LogBase::Ten => LogBase::Ten,
        }
    }
}

/// Reads lists as a command was asked to; tells what was dropped and what is odd.
pub fn read(path: &Path, reading: &Reading) -> Result<CandidateFile> {
    let options = ReadOptions {
        format: reading.format.map(Into::into),
        log_base: reading.log_base.map(Into::into),
    };
    if path.is_dir() {
        return Err(is_folder(path, &["jsonl", "gz"]));
    }
    let mut file = CandidateFile::read_in_step(path, options)?;
    let shown = path.display();
    if file.format != ListFormat::Jsonl {
        tell(&format!(
            "note: {shown}: format {}, logarithms to the base {}",
            file.format.name(),
            file.log_base
        ));
    }
    let mut told: Vec<(u32, String)> = Vec::new();
    told.extend(file.dropped.iter().map(|d| (d.line, d.to_string())));
    told.extend(file.messages.iter().map(|m| (m.line, m.to_string())));
    told.sort_by_key(|(line, _)| *line);
    for (_, text) in told.iter().take(TOLD) {
        tell(&format!("warning: {shown}: {text}"));
    }
    if told.len() > TOLD {
        let more = counted(told.len() - TOLD, "further remark");
        tell(&format!(
            "warning: {shown}: {more}; {} dropped in all",
            counted(file.dropped.len(), "candidate")
        ));
    }
    if file.lists.is_empty() {
        bail!("{shown}: no sentence was found");
    }
    let is_lost = file.lists.iter().all(|list| list.candidates.is_empty());
    if is_lost && !file.dropped.is_empty() {
        let dropped = counted(file.dropped.len(), "candidate");
        let format = file.format.name();
        bail!("{shown}: nothing could be read as {format}: {dropped} dropped");
    }
    if let Some(gold) = &reading.gold {
        attach(&mut file, gold)?;
    }
    if let Some(most) = reading.max_length {
        leave_out_longer(&mut file.lists, most, path)?;
    }
    Ok(file)
}

fn leave_out_longer(lists: &mut Vec<CandidateList>, most: usize, path: &Path) -> Result<()> {
    let all = lists.len();
    lists.retain(|list| list.words.len() <= most);
    let (shown, left) = (path.display(), all - lists.len());
    if lists.is_empty() {
        bail!("{shown}: no sentence has {most} words or fewer");
    }
    if left > 0 {
        tell(&format!(
            "note: {shown}: {left} of {all} sentences left out, of more than {most} words"
        ));
    }
    Ok(())
}

/// Gives lists their gold trees of a file; where they come from, and what is left without, is told.
fn attach(file: &mut CandidateFile, path: &Path) -> Result<()> {
    let attached = Attached::from_file(&mut file.lists, file.sentences, path)?;
    for problem in attached.problems.iter().take(TOLD) {
        tell(&format!("warning: {problem}"));
    }
    if attached.problems.len() > TOLD {
        let more = counted(attached.problems.len() - TOLD, "further problem");
        tell(&format!("warning: {}: {more}", path.display()));
    }
    let (shown, all) = (path.display(), file.lists.len());
    if attached.is_vain() {
        bail!("{shown}: no sentence of the lists has its words in it: none gets a gold tree");
    }
    if attached.by_words > 0 {
        let (trees, n) = (counted(attached.trees, "tree"), attached.by_words);
        tell(&format!("note: {shown}: {trees} for {all} sentences; {n} were found by their words"));
    }
    if attached.lacking > 0 {
        let n = attached.lacking;
        tell(&format!("warning: {shown}: {n} of {all} sentences have no gold tree in it"));
    }
    Ok(())
}
