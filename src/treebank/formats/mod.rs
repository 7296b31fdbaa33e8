//! Files of every format as one sequence of sentences and problems.
//!
//! Whatever the format, trees come out alike: round brackets in words and labels are `-LRB-` and
//! `-RRB-`, blanks in them U+00A0, the root of formats that imply one is `VROOT`, and what export
//! and TIGER-XML say of a node beyond its label is its [`Annotation`](super::Annotation).

mod columns;
mod detect;
mod entry;
mod export;
mod input;
mod json;
mod lines;
mod text;
mod tiger;

pub(super) use detect::{EXTENSIONS, extension};
pub use entry::{Entry, TaggedWords};
pub(super) use json::JsonTree;

use super::{Interner, Problem, Reader, Tree, TreebankError};
use crate::config::{Encoding, Format};
use detect::{declared_encoding, is_binary};
use input::Input;
use lines::Lines;
use std::io::{self, BufRead};
use std::sync::Arc;
use text::TextReader;

/// How files are to be read, where their content shall not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    pub format: Option<Format>,
    pub encoding: Option<Encoding>,
}

/// The sentences and problems of one file, in order.
#[derive(Debug)]
pub struct Entries<R> {
    format: Format,
    source: Source<Input<R>>,
}

#[derive(Debug)]
enum Source<R> {
    Brackets(Box<Reader<R>>),
    Export(export::ExportReader<R>),
    Tiger(tiger::TigerReader<R>),
    Columns(columns::ColumnReader<R>),
    Json(json::JsonReader<R>),
    Text(TextReader<R>, Interner),
    /// None of them, which is said once.
    Binary(Option<Problem>, Interner),
}

impl<R: BufRead> Entries<R> {
    /// Reads from `input`, which may be gzip; `name` decides on the format with the content, and
    /// stands in problems.
    pub fn new(
        input: R,
        name: &str,
        options: FileOptions,
        interner: Interner,
    ) -> Result<Self, TreebankError> {
        let mut input = Input::new(input)
            .map_err(|e| TreebankError::Read { path: name.to_owned(), reason: e.to_string() })?;
        let beginning = input.beginning();
        let format = options.format.unwrap_or_else(|| Format::detect(name, beginning));
        let declared = declared_encoding(beginning).filter(|_| format == Format::Tiger);
        let encoding = options.encoding.or(declared).unwrap_or(Encoding::Utf8);
        if encoding == Encoding::Utf8 && is_binary(beginning) {
            let message = "this is not text (UTF-16 would have to be converted)".to_owned();
            let file = name.into();
            let problem = Problem { file, line: 1, column: 1, kind: "not-utf8", message };
            return Ok(Entries { format, source: Source::Binary(Some(problem), interner) });
        }
        input.decode(encoding);
        let source = match format {
            Format::Brackets => {
                Source::Brackets(Box::new(Reader::with_interner(input, name, interner)))
            }
            Format::Export => Source::Export(export::ExportReader::new(input, name, interner)),
            Format::Tiger => Source::Tiger(tiger::TigerReader::new(input, name, interner)),
            Format::Columns => Source::Columns(columns::ColumnReader::new(input, name, interner)),
            Format::Json => Source::Json(json::JsonReader::new(input, name, interner)),
            Format::Text => Source::Text(TextReader(Lines::new(input, name)), interner),
        };
        Ok(Entries { format, source })
    }

    pub fn format(&self) -> Format {
        self.format
    }

    /// The labels and words seen, for the next file.
    pub fn into_interner(self) -> Interner {
        match self.source {
            Source::Brackets(reader) => reader.into_interner(),
            Source::Export(reader) => reader.into_interner(),
            Source::Tiger(reader) => reader.into_interner(),
            Source::Columns(reader) => reader.into_interner(),
            Source::Json(reader) => reader.into_interner(),
            Source::Text(_, interner) | Source::Binary(_, interner) => interner,
        }
    }
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<Entry, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Brackets(reader) => reader.next().map(|item| item.map(Entry::Tree)),
            Source::Export(reader) => reader.next().map(|item| item.map(Entry::Tree)),
            Source::Tiger(reader) => reader.next().map(|item| item.map(Entry::Tree)),
            Source::Columns(reader) => reader.next().map(|item| item.map(Entry::Words)),
            Source::Json(reader) => reader.next(),
            Source::Text(reader, _) => reader.next(),
            Source::Binary(problem, _) => problem.take().map(Err),
        }
    }
}

/// All that one file holds, before preprocessing.
#[derive(Clone, Debug)]
pub struct Reading {
    pub format: Format,
    pub trees: Vec<Tree>,
    /// Sentences with words but no tree.
    pub words: Vec<TaggedWords>,
    /// Lines of plain text; empty where the file has trees.
    pub texts: Vec<Arc<str>>,
    pub problems: Vec<Problem>,
}

impl Reading {
    /// Collects what the entries give.
    pub fn collect<R: BufRead>(entries: Entries<R>) -> Reading {
        let mut reading = Reading {
            format: entries.format(),
            trees: Vec::new(),
            words: Vec::new(),
            texts: Vec::new(),
            problems: Vec::new(),
        };
        for entry in entries {
            match entry {
                Ok(Entry::Tree(tree)) => reading.trees.push(tree),
                Ok(Entry::Words(words)) => reading.words.push(words),
                Ok(Entry::Text(text, _)) => reading.texts.push(text),
                Err(problem) => reading.problems.push(problem),
            }
        }
        reading
    }

    /// Adds what another file holds.
    pub fn extend(&mut self, other: Reading) {
        self.trees.extend(other.trees);
        self.words.extend(other.words);
        self.texts.extend(other.texts);
        self.problems.extend(other.problems);
    }
}

/// The bytes of a file, decompressed where they are gzip.
pub fn unpacked<R: BufRead>(input: R) -> io::Result<impl BufRead> {
    Input::new(input)
}

#[cfg(test)]
pub(super) mod tests;
