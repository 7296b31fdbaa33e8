//! `corpus search`: where a pattern holds in the trees of a treebank.

use super::args::CorpusSearch;
use crate::cli::failure::Usage;
use crate::cli::plain::tell;
use crate::cli::sentences::{names_of, open_all, tell_problems};
use crate::report::{counted, plural};
use crate::treebank::pattern::{Found, Match, Pattern};
use crate::treebank::{Entry, Tree};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;

/// A node in the JSON lines.
#[derive(Serialize)]
struct Node {
    /// The part of the tree, or the word.
    text: String,
    /// From and to behind these words of the sentence, from 0.
    words: [u32; 2],
}

/// A JSON line.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    /// Among the trees of all files, from 0.
    tree: usize,
    found: Node,
    named: BTreeMap<&'a str, Node>,
}

pub fn search(args: &CorpusSearch, out: &mut dyn Write) -> Result<()> {
    let pattern: Pattern =
        args.pattern.parse().map_err(|error| Usage(format!("`{}`, {error}", args.pattern)))?;
    if let Some(name) = &args.table
        && !pattern.names().iter().any(|known| **known == **name)
    {
        let reason = format!("--table {name}: no node of the pattern has this name (={name})");
        return Err(Usage(reason).into());
    }
    let (mut trees, mut hits, mut found) = (0usize, 0usize, 0usize);
    let mut others = 0usize;
    let mut table: BTreeMap<String, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for input in open_all(&args.files, args.sections.as_deref(), args.reading.options())? {
        for entry in input {
            let tree = match entry {
                Ok(Entry::Tree(tree)) => tree,
                Ok(_) => {
                    others += 1;
                    continue;
                }
                Err(problem) => {
                    problems.push(problem);
                    continue;
                }
            };
            let matches = pattern.matches(&tree);
            found += matches.len();
            hits += usize::from(!matches.is_empty());
            if let Some(name) = &args.table {
                for (_, node) in
                    matches.iter().flat_map(|m| &m.named).filter(|(n, _)| **n == **name)
                {
                    *table.entry(label(&tree, *node)).or_default() += 1;
                }
            } else if args.trees && !matches.is_empty() {
                writeln!(out, "{tree}")?;
            } else if !args.count && !args.trees {
                for found in &matches {
                    print(args, &tree, trees, found, out)?;
                }
            }
            trees += 1;
        }
    }
    let mut rows: Vec<(&String, &usize)> = table.iter().collect();
    rows.sort_by(|a, b| b.1.cmp(a.1));
    for (label, count) in rows {
        writeln!(out, "{count}\t{label}")?;
    }
    out.flush()?;
    tell_problems(&problems);
    if others > 0 {
        let were = if others == 1 { "has" } else { "have" };
        tell(&format!("note: {} {were} no tree and cannot match", counted(others, "sentence")));
    }
    if trees + others == 0 {
        bail!("{}: no tree could be read", names_of(&args.files));
    }
    let summary = format!("{} in {hits} of {} {}", matched(found), trees, plural(&trees, "tree"));
    match args.count {
        true => writeln!(out, "{summary}")?,
        false => tell(&summary),
    }
    Ok(())
}

fn matched(found: usize) -> String {
    format!("{found} {}", if found == 1 { "match" } else { "matches" })
}

/// What stands in a table for a node.
fn label(tree: &Tree, found: Found) -> String {
    match found {
        Found::Node(id) => tree.node(id).label.to_string(),
        Found::Word(word) => tree.words()[word as usize].to_string(),
    }
}

fn node(tree: &Tree, found: Found) -> Node {
    match found {
        Found::Node(id) => {
            let positions = tree.positions_below(id);
            let from = positions.first().copied().unwrap_or(0);
            let to = positions.last().map_or(0, |last| last + 1);
            Node { text: tree.subtree(id).to_string(), words: [from, to] }
        }
        Found::Word(word) => {
            Node { text: tree.words()[word as usize].to_string(), words: [word, word + 1] }
        }
    }
}

fn print(
    args: &CorpusSearch,
    tree: &Tree,
    number: usize,
    found: &Match,
    out: &mut dyn Write,
) -> Result<()> {
    let own = node(tree, found.found);
    let place = &tree.place;
    if args.json {
        let named = found.named.iter().map(|(name, at)| (&**name, node(tree, *at))).collect();
        let (file, line, column) = (&*place.file, place.line, place.column);
        let line = Line { file, line, column, tree: number, found: own, named };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}:{}\t{}", place.file, place.line, own.text)?;
    }
    Ok(())
}
