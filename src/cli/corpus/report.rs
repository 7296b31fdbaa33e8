//! What a command did to a treebank.

use super::Fault;
use crate::cli::plain::tell;
use crate::cli::sentences::tell_problems;
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
}

#[derive(Serialize)]
struct Json<'a> {
    read: u64,
    written: u64,
    files: BTreeMap<&'a str, u64>,
    counts: BTreeMap<&'static str, u64>,
    changes: &'a [Change],
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
                problems: self.problems.iter().map(Fault::of).collect(),
            };
            serde_json::to_writer(&mut *out, &json)?;
            writeln!(out)?;
            return Ok(());
        }
        tell_problems(&self.problems);
        for (name, n) in &self.written {
            tell(&format!("{name}: {n} sentences"));
        }
        for (kind, count) in self.changes.counts() {
            let mut places = self.changes.0.iter().filter(|c| c.kind == kind);
            let shown: Vec<String> = places.by_ref().take(PLACES).map(place).collect();
            let more = if places.next().is_some() { ", ..." } else { "" };
            tell(&format!("{kind}: {count}, at {}{more}", shown.join(", ")));
        }
        if self.changes.0.is_empty() {
            tell("nothing was changed");
        }
        Ok(())
    }
}

fn place(change: &Change) -> String {
    let Change { file, line, detail, .. } = change;
    let detail = detail.as_ref().map_or(String::new(), |d| format!(" ({d})"));
    match line {
        0 => format!("some sentence{detail}"),
        _ => format!("{file}:{line}{detail}"),
    }
}
