//! Columns as CoNLL has them: a word a line with its tag, a blank line behind every sentence.
//!
//! Where the first field numbers the words the layout is CoNLL-X or CoNLL-U (word second, tag
//! fifth, or fourth where that is `_`); where the third does, behind the name of a document, it
//! is CoNLL-2012; else the word comes first and its tag second.

use super::super::notation::atom;
use super::super::{Interner, Place, Problem};
use super::entry::TaggedWords;
use super::lines::Lines;
use crate::report::counted;
use std::io::BufRead;

/// Where word and tag stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// Word first, tag second.
    WordTag,
    /// A number first; tag third where there are three fields.
    Numbered,
    /// Document, part, number, word, tag.
    Documents,
}

/// Reads the sentences of a file of columns.
#[derive(Debug)]
pub(super) struct ColumnReader<R> {
    lines: Lines<R>,
    interner: Interner,
    /// Told by the first word, with its number of fields.
    layout: Option<(Layout, usize)>,
    anything: bool,
}

impl<R: BufRead> ColumnReader<R> {
    pub fn new(input: R, file: &str, interner: Interner) -> ColumnReader<R> {
        ColumnReader { lines: Lines::new(input, file), interner, layout: None, anything: false }
    }

    pub fn into_interner(self) -> Interner {
        self.interner
    }

    /// Adds the word of the present line; a line that is a remark, a multiword token or an empty
    /// node has none.
    fn word(&mut self, sentence: &mut TaggedWords) -> Result<(), Problem> {
        let line = self.lines.text();
        let fields: Vec<&str> = match line.contains('\t') {
            true => line.split('\t').map(str::trim_ascii).collect(),
            false => line.split_ascii_whitespace().collect(),
        };
        let field = |i: usize| fields.get(i).copied().filter(|f| !f.is_empty());
        if is_remark(line, &fields, self.layout) {
            return Ok(());
        }
        let (layout, _) = *self.layout.get_or_insert_with(|| (layout(&fields), fields.len()));
        let said = |i: usize| field(i).filter(|f| *f != "_");
        let (word, tag) = match layout {
            Layout::WordTag => (field(0), field(1)),
            Layout::Documents => (field(3), field(4)),
            Layout::Numbered => {
                if field(0)
                    .is_some_and(|n| !is_number(n) && n.starts_with(|c: char| c.is_ascii_digit()))
                {
                    return Ok(());
                }
                let tag = if fields.len() < 4 { field(2) } else { said(4).or(said(3)) };
                (field(1), tag.or(Some("_")))
            }
        };
        let (Some(word), Some(tag)) = (word, tag) else {
            let message = format!(
                "a line of {}: expected {}",
                counted(fields.len(), "field"),
                match layout {
                    Layout::WordTag => "a word and its tag",
                    Layout::Numbered => "a number, a word, and the tag third or fifth",
                    Layout::Documents => "document, part, number, word and tag",
                }
            );
            return Err(self.lines.problem(0, "columns", message));
        };
        sentence.words.push(self.interner.intern(&atom(word)));
        if let Some(tags) = &mut sentence.tags {
            tags.push(self.interner.intern(&atom(tag)));
        }
        Ok(())
    }
}

/// A line outside of the table. Where it might be a word, `#`, the number of fields decides.
fn is_remark(line: &str, fields: &[&str], layout: Option<(Layout, usize)>) -> bool {
    if fields[0] == "-DOCSTART-" && fields.len() > 2 {
        return true;
    }
    line.starts_with('#')
        && match layout {
            Some((Layout::WordTag, width)) => fields.len() != width,
            Some(_) => true,
            None => !line.contains('\t') && fields.get(1) != Some(&"#"),
        }
}

fn layout(fields: &[&str]) -> Layout {
    let number = |i: usize| fields.get(i).is_some_and(|f| is_number(f));
    if fields.len() >= 3 && fields[0].split(['-', '.']).next().is_some_and(is_number) {
        Layout::Numbered
    } else if fields.len() >= 6 && number(1) && number(2) {
        Layout::Documents
    } else {
        Layout::WordTag
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

impl<R: BufRead> Iterator for ColumnReader<R> {
    type Item = Result<TaggedWords, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut sentence =
            TaggedWords { words: Vec::new(), tags: Some(Vec::new()), place: Place::default() };
        let mut fault = None;
        loop {
            let problem = match self.lines.next() {
                Some(Ok(line)) if line.trim_ascii().is_empty() => {
                    if sentence.words.is_empty() && fault.is_none() {
                        continue;
                    }
                    break;
                }
                Some(Ok(_)) => {
                    if sentence.words.is_empty() {
                        let (file, line) = (self.lines.file().clone(), self.lines.number());
                        sentence.place = Place { file, line, column: 1 };
                    }
                    self.word(&mut sentence).err()
                }
                Some(Err(problem)) => Some(problem),
                None => break,
            };
            if fault.is_none() {
                fault = problem;
            }
        }
        if let Some(problem) = fault {
            self.anything = true;
            return Some(Err(problem));
        }
        if !sentence.words.is_empty() {
            self.anything = true;
            return Some(Ok(sentence));
        }
        (!std::mem::replace(&mut self.anything, true))
            .then(|| Err(self.lines.problem(0, "no-trees", "no sentence in the file")))
    }
}
