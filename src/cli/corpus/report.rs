//! What a command did to a treebank.

use super::Fault;
use crate::cli::plain::tell;
use crate::cli::sentences::tell_problems;
use crate::report::counted;
use crate::treebank::{Change, Changes, Problem};
use anyhow::Result;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// Places that are named for each kind of change; the others are counted.
const PLACES: usize = 3;

/// Everything that is to be said of what was written.
#[derive(Debug, Default)]
pub struct Report {
    /// Sentences that were read.
    pub read: u64,
    /// Name and number of sentences of every file.
    pub written: Vec<(String, u64)>,
    pub problems: Vec<Problem>,
    pub changes: Changes,
    /// What else was left out.
    pub notes: Vec<String>,
}

#[derive(Serialize)]
struct Json<'a> {
    read: u64,
    written: u64,
    files: BTreeMap<&'a str, u64>,
    counts: BTreeMap<&'static str, u64>,
    changes: &'a [Change],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    notes: &'a [String],
    problems: Vec<Fault<'a>>,
}

impl Report {
    /// One JSON object on standard output, or lines on standard error.
    pub fn tell(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        if json {
            let files = self.written.iter().map(|(name, n)| (name.as_str(), *n)).collect();
            let json = Json {
                read: self.read,
                written: self.written.iter().map(|(_, n)| n).sum(),
                files,
                counts: self.changes.counts(),
                changes: &self.changes.0,
                notes: &self.notes,
                problems: self.problems.iter().map(Fault::of).collect(),
            };
            serde_json::to_writer(&mut *out, &json)?;
            writeln!(out)?;
            return Ok(());
        }
        tell_problems(&self.problems);
        let problems = match self.problems.len() {
            0 => String::new(),
            n => format!(", {}", counted(n, "problem")),
        };
        tell(&format!("read: {}{problems}", counted(self.read, "sentence")));
        for (name, n) in &self.written {
            tell(&format!("{name}: {}", counted(*n, "sentence")));
        }
        for (kind, count) in self.changes.counts() {
            let places = self.changes.0.iter().filter(|c| c.kind == kind);
            tell(&format!("{kind}: {count} {}, {}", Change::meaning(kind, count), at(places)));
        }
        for note in &self.notes {
            tell(note);
        }
        if self.changes.0.is_empty() && self.notes.is_empty() && self.problems.is_empty() {
            tell("nothing was changed");
        }
        Ok(())
    }
}

/// The first places, the file named where it is another than before.
fn at<'a>(mut changes: impl Iterator<Item = &'a Change>) -> String {
    let mut text = String::new();
    let mut last: &str = "";
    for Change { file, line, detail, .. } in changes.by_ref().take(PLACES) {
        let detail = detail.as_ref().map_or(String::new(), |d| format!(" ({d})"));
        match **file == *last && !text.is_empty() {
            true => text += &format!(", {line}{detail}"),
            false if text.is_empty() => text = format!("at {file}:{line}{detail}"),
            false => text += &format!(", {file}:{line}{detail}"),
        }
        last = file;
    }
    if changes.next().is_some() {
        text += ", ...";
    }
    text
}
