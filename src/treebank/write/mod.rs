//! Writers of every format that is read. Each writes what its reader reads back: what a format
//! cannot hold is escaped or left out, and every such change is noted with its place.

mod brackets;
mod changes;
mod export;
mod tiger;

pub use brackets::BracketStyle;
pub(super) use brackets::write_brackets;
pub use changes::{Change, Changes};

use super::attach::{Attached, attach};
use super::formats::{JsonTree, TaggedWords};
use super::notation::atom;
use super::{Annotation, Entry, Tree};
use crate::config::Format;
use crate::report::counted;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;

/// Writes sentences one after the other.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    format: Format,
    style: BracketStyle,
    /// Sentences written.
    written: u64,
    pub changes: Changes,
}

impl<W: Write> Writer<W> {
    /// Begins a file; `style` is for brackets.
    pub fn new(mut out: W, format: Format, style: BracketStyle) -> io::Result<Writer<W>> {
        match format {
            Format::Export => out.write_all(export::HEAD.as_bytes())?,
            Format::Tiger => out.write_all(tiger::HEAD.as_bytes())?,
            Format::Brackets | Format::Columns | Format::Json | Format::Text => {}
        }
        Ok(Writer { out, format, style, written: 0, changes: Changes::default() })
    }

    /// Writes a sentence of whatever kind; one that the format cannot hold is left out and noted.
    pub fn entry(&mut self, entry: &Entry) -> io::Result<()> {
        match entry {
            Entry::Tree(tree) => self.tree(tree),
            Entry::Words(words) => self.words(words),
            Entry::Text(text, place) => {
                let words: Vec<Arc<str>> =
                    text.split_ascii_whitespace().map(|w| atom(w).into()).collect();
                self.words(&TaggedWords { words, tags: None, place: place.clone() })
            }
        }
    }

    /// Writes a tree.
    pub fn tree(&mut self, tree: &Tree) -> io::Result<()> {
        let mut text = String::new();
        let mut notes = self.changes.at(&tree.place);
        match self.format {
            Format::Brackets => {
                let attached = attach(tree);
                note_attached(attached.as_ref().map(|(_, moved)| *moved), &mut notes);
                let tree = attached.as_ref().map_or(tree, |(tree, _)| tree);
                brackets::note(tree, &self.style, &mut notes);
                write_brackets(tree, &self.style, &mut text).map_err(io::Error::other)?;
            }
            Format::Export => export::write(tree, self.written + 1, &mut text, &mut notes),
            Format::Tiger => tiger::write(tree, self.written + 1, &mut text, &mut notes),
            Format::Json => text = serde_json::to_string(&JsonTree::of(tree))?,
            Format::Columns | Format::Text => {
                let phrases = tree.nodes().filter(|(_, n)| n.word.is_none()).count() as u64;
                notes.add("phrases-left-out", phrases, None);
                note_annotations(tree, &mut notes, |_| true, |_| true);
                let all = || tree.words().iter().zip(tree.tags()).enumerate();
                let kept = || all().filter(|(i, _)| !tree.is_empty_element(*i)).map(|(_, w)| w);
                notes.add("empty-elements-left-out", (tree.len() - kept().count()) as u64, None);
                let words = kept().map(|(w, _)| w.clone()).collect::<Vec<_>>();
                let tags = kept().map(|(_, t)| t.clone()).collect();
                if words.is_empty() {
                    notes.add("sentences-left-out", 1, Some("without words".into()));
                    return Ok(());
                }
                let place = tree.place.clone();
                return self.words(&TaggedWords { words, tags: Some(tags), place });
            }
        }
        self.line(&text)
    }

    /// Writes words without a tree.
    pub fn words(&mut self, sentence: &TaggedWords) -> io::Result<()> {
        let TaggedWords { words, tags, place } = sentence;
        let mut notes = self.changes.at(place);
        let mut text = String::new();
        match self.format {
            Format::Text => {
                notes.add("tags-left-out", tags.as_ref().map_or(0, Vec::len) as u64, None);
                text = words.join(" ");
            }
            Format::Columns => {
                for (i, word) in words.iter().enumerate() {
                    let tag = tags.as_ref().map_or("_", |tags| &tags[i]);
                    // Writing to a string cannot fail, here and in the other writers.
                    let _ = writeln!(text, "{word}\t{tag}");
                }
            }
            Format::Json => {
                let tree = JsonTree::of_words(words, tags.as_deref());
                text = serde_json::to_string(&tree)?;
            }
            Format::Brackets | Format::Export | Format::Tiger => {
                notes.add("sentences-left-out", 1, Some("without a tree".into()));
                return Ok(());
            }
        }
        self.line(&text)
    }

    fn line(&mut self, text: &str) -> io::Result<()> {
        // A word at the very beginning that is a byte order mark would be taken for one.
        if self.written == 0 && text.starts_with('\u{feff}') {
            self.out.write_all("\u{feff}".as_bytes())?;
        }
        self.written += 1;
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")
    }

    /// Ends the file; gives the output, the number of sentences written and what changed.
    pub fn finish(mut self) -> io::Result<(W, u64, Changes)> {
        if self.format == Format::Tiger {
            self.out.write_all(tiger::TAIL.as_bytes())?;
        }
        self.out.flush()?;
        Ok((self.out, self.written, self.changes))
    }
}

/// Notes what a drawing of the tree does not show.
pub fn note_drawing(tree: &Tree, changes: &mut Changes) {
    let mut notes = changes.at(&tree.place);
    note_attached(attach(tree).map(|(_, moved)| moved), &mut notes);
    note_annotations(tree, &mut notes, |_| true, |_| true);
    if let Some(name) = tree.name() {
        notes.add("names-left-out", 1, Some(name.to_string()));
    }
}

fn note_attached(moved: Option<Attached>, notes: &mut changes::Notes) {
    if let Some(moved) = moved {
        let detail = format!("{} with a gap", counted(moved.gaps, "phrase"));
        notes.add("attached", moved.moved(), Some(detail));
    }
}

/// Notes what of the annotations of a tree is left out; `edges` and `others` choose the nodes.
fn note_annotations(
    tree: &Tree,
    notes: &mut changes::Notes,
    edges: impl Fn(super::NodeId) -> bool,
    others: impl Fn(super::NodeId) -> bool,
) {
    let count = |f: &dyn Fn(super::NodeId, &Annotation) -> u64| {
        tree.annotations().map(|(id, a)| f(id, a)).sum::<u64>()
    };
    let edge = count(&|id, a| u64::from(a.edge.is_some() && edges(id)));
    notes.add("edge-labels-left-out", edge, None);
    let lemma = count(&|id, a| u64::from(a.lemma.is_some() && others(id)));
    notes.add("lemmas-left-out", lemma, None);
    let morphology = count(&|id, a| u64::from(a.morphology.is_some() && others(id)));
    notes.add("morphology-left-out", morphology, None);
    let secondary = count(&|id, a| if others(id) { a.secondary.len() as u64 } else { 0 });
    notes.add("secondary-edges-left-out", secondary, None);
}

/// A word or label as formats other than brackets have it: brackets as themselves.
fn unescaped(text: &str) -> String {
    text.replace("-LRB-", "(").replace("-RRB-", ")")
}

#[cfg(test)]
mod tests;
