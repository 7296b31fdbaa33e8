//! Streaming reader of bracketed trees: any layout, one pass, no recursion.
//!
//! A tree that holds a fault is reported and left out, and reading goes on:
//! after faults that leave the brackets balanced behind the closing bracket,
//! otherwise at the next line that begins a tree. Where a missing bracket
//! swallowed the rest of the file, the lines behind the broken tree are read
//! once more, each opening bracket in the first column beginning a tree.

mod lines;

use super::notation::{ROOT_LABELS, is_blank, not_utf8};
use super::{Interner, Place, Problem, Tree, TreeBuilder};
use crate::report::counted;
use lines::{ColumnMemo, Lines};
use std::io::BufRead;
use std::sync::Arc;

/// Reads trees one after the other from brackets. The items are trees and
/// problems in the order of the file; the iterator ends with the file.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    file: Arc<str>,
    interner: Interner,
    /// Rest of the current line still to be scanned.
    at: usize,
    column: ColumnMemo,
    builder: TreeBuilder,
    inner: Inner,
    /// Brackets open now, those of a faulty tree included.
    depth: usize,
    /// The open tree holds a fault that has been reported: only count brackets.
    faulty: bool,
    start: Place,
    /// Text outside trees was reported and no tree has come since.
    in_stray: bool,
    /// Where a remark over several lines began that is still open.
    remark: Option<Place>,
    /// The last bracket too many was on this line.
    extra_close_line: u32,
    /// The last bracket that was meant as a word was on this line.
    raw_line: u32,
    layout: Layout,
    anything: bool,
    ended: bool,
}

/// What the innermost open bracket holds so far.
#[derive(Debug)]
enum Inner {
    Nothing,
    Label(Arc<str>),
    Word(Arc<str>, Arc<str>),
    Brackets,
}

/// What the file has shown of its layout.
#[derive(Debug, Default)]
struct Layout {
    /// A good tree had a line with an opening bracket in the first column.
    first_column_continues: bool,
    /// An opening bracket in the first column begins a tree, because a bracket is missing somewhere.
    first_column_begins: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads from `input`; `file` is the name for problems and places.
    pub fn new(input: R, file: &str) -> Self {
        Self::with_interner(input, file, Interner::default())
    }

    /// Shares labels and words with what was read before.
    pub fn with_interner(input: R, file: &str, interner: Interner) -> Self {
        Reader {
            lines: Lines::new(input),
            file: file.into(),
            interner,
            at: 0,
            column: ColumnMemo::default(),
            builder: TreeBuilder::new(),
            inner: Inner::Brackets,
            depth: 0,
            faulty: false,
            start: Place::default(),
            in_stray: false,
            remark: None,
            extra_close_line: 0,
            raw_line: 0,
            layout: Layout::default(),
            anything: false,
            ended: false,
        }
    }

    /// The labels and words seen, for the next file.
    pub fn into_interner(self) -> Interner {
        self.interner
    }

    fn place(&mut self, at: usize) -> Place {
        let column = self.column.of(&self.lines.line, at);
        // Reading may fail before there is a line.
        Place { file: self.file.clone(), line: self.lines.number.max(1), column }
    }

    fn problem(&mut self, at: usize, kind: &'static str, message: impl Into<String>) -> Problem {
        let Place { file, line, column } = self.place(at);
        Problem { file, line, column, kind, message: message.into() }
    }

    /// Reports a fault of the open tree and leaves the tree out.
    fn fault(&mut self, at: usize, kind: &'static str, message: impl Into<String>) -> Problem {
        self.faulty = true;
        self.builder.clear();
        self.problem(at, kind, message)
    }

    fn abandon(&mut self) {
        self.builder.clear();
        self.inner = Inner::Brackets;
        self.depth = 0;
        self.faulty = false;
        self.lines.held.clear();
        self.lines.holding = false;
    }

    fn unclosed(&self) -> Problem {
        let Place { file, line, column } = self.start.clone();
        let message =
            format!("tree is not closed: {} missing", counted(self.depth, "closing bracket"));
        Problem { file, line, column, kind: "unclosed", message }
    }

    /// Moves to the next line. May end an open tree that the line shows to be
    /// broken; `None` when there is no item yet.
    fn next_line(&mut self) -> Option<Result<Tree, Problem>> {
        self.at = 0;
        self.column = ColumnMemo::default();
        match self.lines.advance() {
            Ok(true) if self.depth > 0 => self.look_for_a_new_tree(),
            Ok(true) => None,
            Ok(false) => self.end(),
            Err(error) => {
                self.ended = true;
                let message = format!("reading stopped: {error}");
                Some(Err(self.problem(0, "unreadable", message)))
            }
        }
    }

    /// Decides whether the line begins a tree although one is open.
    fn look_for_a_new_tree(&mut self) -> Option<Result<Tree, Problem>> {
        if self.lines.line.first() != Some(&b'(') {
            return None;
        }
        let root = root_label(&self.lines.line);
        let named_root = root.is_some_and(|root| {
            self.faulty
                || !self.builder.is_empty()
                || self.builder.root_label().is_some_and(|open| **open == *root)
        });
        let by_column =
            (self.faulty || self.layout.first_column_begins) && !self.layout.first_column_continues;
        if named_root || by_column {
            let report = (!self.faulty).then(|| Err(self.unclosed()));
            self.abandon();
            return report;
        }
        self.lines.holding = true;
        None
    }

    fn end(&mut self) -> Option<Result<Tree, Problem>> {
        if self.depth > 0 {
            let report = (!self.faulty).then(|| Err(self.unclosed()));
            let replay = std::mem::take(&mut self.lines.held);
            self.abandon();
            if !replay.is_empty() {
                self.layout = Layout { first_column_begins: true, first_column_continues: false };
                self.lines.replay(replay);
            }
            return report;
        }
        self.ended = true;
        if let Some(Place { file, line, column }) = self.remark.take() {
            let message = "a remark that begins with `/*` is not closed".to_owned();
            return Some(Err(Problem { file, line, column, kind: "unclosed", message }));
        }
        if self.anything {
            return None;
        }
        let message = "no tree in the file: it is empty or blank";
        self.lines.number = 1;
        Some(Err(self.problem(0, "no-trees", message)))
    }

    fn open(&mut self, at: usize) -> Option<Problem> {
        if self.depth == 0 {
            self.start = self.place(at);
            self.in_stray = false;
        }
        self.depth += 1;
        if self.faulty {
            return None;
        }
        match std::mem::replace(&mut self.inner, Inner::Nothing) {
            Inner::Brackets => None,
            Inner::Nothing => {
                self.builder.open(self.interner.intern(""));
                None
            }
            Inner::Label(label) => {
                self.builder.open(label);
                None
            }
            Inner::Word(tag, word) => {
                let message = format!("a bracket after the word `{word}` under `{tag}`");
                Some(self.fault(at, "word-and-bracket", message))
            }
        }
    }

    fn close(&mut self, at: usize) -> Option<Result<Tree, Problem>> {
        if self.depth == 0 {
            if self.extra_close_line == self.lines.number {
                return None;
            }
            self.extra_close_line = self.lines.number;
            return Some(Err(self.problem(at, "extra-close", "a closing bracket too many")));
        }
        let inner = std::mem::replace(&mut self.inner, Inner::Brackets);
        if !self.faulty
            && let Some(problem) = self.close_inner(inner, at)
        {
            self.depth -= 1;
            if self.depth == 0 {
                self.abandon();
            }
            return Some(Err(problem));
        }
        self.depth -= 1;
        if self.depth > 0 {
            return None;
        }
        let tree = match self.faulty {
            true => None,
            false => self.builder.take(self.start.clone()),
        };
        self.layout.first_column_continues |= self.lines.holding && !self.faulty;
        if self.faulty && self.raw_line == self.lines.number {
            self.skip_rest();
        }
        self.abandon();
        tree.map(Ok)
    }

    /// Behind a bracket that was meant as a word the brackets do not tell where trees begin, so
    /// what is left of the line is passed over up to one of a root label.
    fn skip_rest(&mut self) {
        let line = &self.lines.line;
        let begins = |at: &usize| line[*at] == b'(' && root_label(&line[*at..]).is_some();
        self.at = (self.at..line.len()).find(begins).unwrap_or(line.len());
    }

    /// Puts the innermost bracket, which ends here, into the tree.
    fn close_inner(&mut self, inner: Inner, at: usize) -> Option<Problem> {
        match inner {
            Inner::Word(tag, id) if &*tag == "ID" && self.beside_the_tree() => {
                self.builder.name(id);
                None
            }
            Inner::Word(tag, word) => {
                self.builder.word(tag, word);
                None
            }
            Inner::Brackets => {
                self.builder.close();
                None
            }
            Inner::Label(label) if is_parenthesis_tag(&label) => {
                Some(self.raw_parenthesis(at, &label))
            }
            Inner::Nothing if self.builder.open_label().is_some_and(|l| is_parenthesis_tag(l)) => {
                Some(self.raw_parenthesis(at, "-LRB-"))
            }
            Inner::Label(label) => {
                let message = format!("no word or bracket under `{label}`");
                Some(self.fault(at, "empty-tree", message))
            }
            Inner::Nothing => {
                Some(self.fault(at, "empty-tree", "nothing in the bracket, expected a label"))
            }
        }
    }

    fn raw_parenthesis(&mut self, at: usize, tag: &str) -> Problem {
        let message = format!(
            "a bare parenthesis as a word under `{tag}` cannot be told from structure: \
             write -LRB- or -RRB-"
        );
        // The bracket meant as a word is the one too many on its line.
        self.extra_close_line = self.lines.number;
        self.raw_line = self.lines.number;
        self.fault(at, "raw-parenthesis", message)
    }

    /// Whether the innermost bracket stands directly under an unlabelled outer one, behind a phrase.
    fn beside_the_tree(&self) -> bool {
        self.builder.depth() == 1
            && self.builder.root_label().is_some_and(|l| l.is_empty())
            && !self.builder.is_empty()
    }

    fn atom(&mut self, from: usize, to: usize) -> Option<Problem> {
        if self.faulty {
            return None;
        }
        let Ok(text) = std::str::from_utf8(&self.lines.line[from..to]) else {
            let bad = std::str::from_utf8(&self.lines.line[from..to]);
            let at = from + bad.err().map_or(0, |e| e.valid_up_to());
            let message = not_utf8(&self.lines.line[at..to]);
            if self.depth > 0 {
                return Some(self.fault(at, "not-utf8", message));
            }
            let seen = std::mem::replace(&mut self.in_stray, true);
            return (!seen).then(|| self.problem(at, "not-utf8", message));
        };
        if self.depth == 0 {
            // Where files were put one behind the other.
            if text.trim_matches('\u{feff}').is_empty() {
                return None;
            }
            let text = shorten(text);
            let seen = std::mem::replace(&mut self.in_stray, true);
            return (!seen).then(|| {
                let message = format!("`{text}` outside of brackets; skipped to the next tree");
                self.problem(from, "stray-text", message)
            });
        }
        let text = self.interner.intern(text);
        match std::mem::replace(&mut self.inner, Inner::Brackets) {
            Inner::Nothing => self.inner = Inner::Label(text),
            Inner::Label(label) => self.inner = Inner::Word(label, text),
            Inner::Word(tag, word) => {
                let message = format!("two words, `{word}` and `{text}`, under `{tag}`");
                return Some(self.fault(from, "two-words", message));
            }
            Inner::Brackets => {
                let message = format!("the word `{text}` stands beside a bracket, without a tag");
                return Some(self.fault(from, "untagged-word", message));
            }
        }
        None
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Tree, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let line = &self.lines.line;
            if self.remark.is_some() && self.at < line.len() {
                if ends_remark(&line[self.at..]) {
                    self.remark = None;
                }
                self.at = line.len();
            }
            while self.at < line.len() && is_blank(line[self.at]) {
                self.at += 1;
            }
            let at = self.at;
            let item = match line.get(at) {
                None => self.next_line(),
                Some(b'(') => {
                    self.at += 1;
                    self.open(at).map(Err)
                }
                Some(b')') => {
                    self.at += 1;
                    self.close(at)
                }
                Some(first) => {
                    let remark = self.depth == 0 && b"#%*;/".contains(first);
                    let opens =
                        remark && [&b"/*"[..], b"/~*"].iter().any(|o| line[at..].starts_with(o));
                    if opens && !ends_remark(&line[at + 2..]) {
                        self.remark = Some(self.place(at));
                    }
                    let line = &self.lines.line;
                    self.at = match remark {
                        true => line.len(),
                        false => at + atom_length(&line[at..]),
                    };
                    self.atom(at, self.at).map(Err)
                }
            };
            if item.is_some() {
                self.anything = true;
                return item;
            }
        }
        None
    }
}

/// Whether a line ends a remark over several, as `*/` or `*~/`.
fn ends_remark(line: &[u8]) -> bool {
    line.windows(2).any(|w| w == b"*/") || line.windows(3).any(|w| w == b"*~/")
}

fn atom_length(bytes: &[u8]) -> usize {
    let ends = |b: &u8| is_blank(*b) || matches!(b, b'(' | b')');
    bytes.iter().position(ends).unwrap_or(bytes.len())
}

fn is_parenthesis_tag(label: &str) -> bool {
    matches!(label, "-LRB-" | "-RRB-")
}

/// The root label that a line beginning with `(` opens, if it is one.
fn root_label(line: &[u8]) -> Option<&'static str> {
    let rest = line[1..].trim_ascii_start();
    let label = &rest[..atom_length(rest)];
    let known = ROOT_LABELS.into_iter().find(|l| l.as_bytes() == label)?;
    let opens = rest[label.len()..].trim_ascii_start().first() == Some(&b'(');
    (opens || !known.is_empty()).then_some(known)
}

/// The first few words of a text, for a message.
fn shorten(text: &str) -> String {
    let text = text.trim_end();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod kinds;
#[cfg(test)]
mod tests;
