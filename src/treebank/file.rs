use super::{Interner, Problem, Reader, Tree, TreebankError};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

/// How a file writes its sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Penn-style brackets.
    Brackets,
    /// Plain text, one tokenised sentence a line.
    Text,
}

/// Extensions of bracketed files, in lower case.
pub(super) const BRACKET_EXTENSIONS: [&str; 9] =
    ["mrg", "ptb", "psd", "tree", "trees", "parse", "bracket", "brackets", "penn"];

/// Extensions of plain text.
pub(super) const TEXT_EXTENSIONS: [&str; 3] = ["txt", "tok", "raw"];

impl Format {
    /// By the extension where that is telling, else by the first bytes of the content.
    pub fn detect(name: &str, beginning: &[u8]) -> Format {
        let extension = Path::new(name).extension().map(|e| e.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some(e) if BRACKET_EXTENSIONS.contains(&e) => Format::Brackets,
            Some(e) if TEXT_EXTENSIONS.contains(&e) => Format::Text,
            _ if looks_bracketed(beginning) => Format::Brackets,
            _ => Format::Text,
        }
    }
}

/// Zero bytes among others that are not UTF-8: no encoding of text that is read here.
fn is_binary(beginning: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(beginning) {
        Ok(_) => true,
        // A character may be cut where the beginning ends.
        Err(e) => e.error_len().is_none(),
    };
    !is_utf8 && beginning.contains(&0)
}

/// Whether a line of the beginning opens two brackets, as `(S (` or `( (`.
fn looks_bracketed(beginning: &[u8]) -> bool {
    let text = beginning.strip_prefix(b"\xef\xbb\xbf").unwrap_or(beginning);
    text.split(|&b| b == b'\n').any(|line| {
        let Some(inside) = line.trim_ascii_start().strip_prefix(b"(") else { return false };
        let inside = inside.trim_ascii_start();
        let label = inside.iter().position(|b| b" \t\r()".contains(b)).unwrap_or(inside.len());
        let rest = inside[label..].trim_ascii_start();
        // A label alone on its line, or one before the next bracket.
        rest.first().is_none_or(|&b| b == b'(')
    })
}

/// A sentence of a file before preprocessing.
#[derive(Clone, Debug)]
pub enum Entry {
    Tree(Tree),
    /// A line of plain text, without blanks around it.
    Text(Arc<str>),
}

/// The sentences and problems of one file, in order.
#[derive(Debug)]
pub struct Entries<R> {
    format: Format,
    source: Source<R>,
}

#[derive(Debug)]
enum Source<R> {
    Brackets(Box<Reader<R>>),
    Text(TextReader<R>),
    /// Neither, which is said once.
    Binary(Option<Problem>, Interner),
}

impl Entries<BufReader<File>> {
    /// Opens a file and looks what it holds.
    pub fn open(path: &Path, interner: Interner) -> Result<Self, TreebankError> {
        let name = path.display().to_string();
        let failed =
            |e: std::io::Error| TreebankError::Read { path: name.clone(), reason: e.to_string() };
        let file = File::open(path).map_err(failed)?;
        Entries::new(BufReader::with_capacity(1 << 16, file), &name, interner)
    }
}

impl<R: BufRead> Entries<R> {
    /// Reads from `input`; `name` decides on the format with the content, and stands in problems.
    pub fn new(mut input: R, name: &str, interner: Interner) -> Result<Self, TreebankError> {
        let beginning = input
            .fill_buf()
            .map_err(|e| TreebankError::Read { path: name.to_owned(), reason: e.to_string() })?;
        let format = Format::detect(name, beginning);
        let source = match format {
            _ if is_binary(beginning) => {
                let message = "this is not text (UTF-16 would have to be converted)".to_owned();
                let file = name.into();
                let problem = Problem { file, line: 1, column: 1, kind: "not-utf8", message };
                Source::Binary(Some(problem), interner)
            }
            Format::Brackets => {
                Source::Brackets(Box::new(Reader::with_interner(input, name, interner)))
            }
            Format::Text => Source::Text(TextReader {
                input,
                file: name.into(),
                line: Vec::new(),
                number: 0,
                interner,
                ended: false,
            }),
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
            Source::Text(reader) => reader.interner,
            Source::Binary(_, interner) => interner,
        }
    }
}

impl<R: BufRead> Iterator for Entries<R> {
    type Item = Result<Entry, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.source {
            Source::Brackets(reader) => reader.next().map(|item| item.map(Entry::Tree)),
            Source::Text(reader) => reader.next().map(|item| item.map(Entry::Text)),
            Source::Binary(problem, _) => problem.take().map(Err),
        }
    }
}

/// Lines that hold a word. Words are separated by ASCII blanks only: U+00A0 belongs to a word.
#[derive(Debug)]
struct TextReader<R> {
    input: R,
    file: Arc<str>,
    line: Vec<u8>,
    number: u32,
    interner: Interner,
    ended: bool,
}

impl<R: BufRead> TextReader<R> {
    fn problem(&self, column: usize, kind: &'static str, message: String) -> Problem {
        let column = column as u32 + 1;
        Problem { file: self.file.clone(), line: self.number, column, kind, message }
    }
}

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<Arc<str>, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            self.line.clear();
            match self.input.read_until(b'\n', &mut self.line) {
                Ok(0) => self.ended = true,
                Ok(_) => self.number = self.number.saturating_add(1),
                Err(e) => {
                    self.ended = true;
                    let message = format!("reading stopped: {e}");
                    return Some(Err(self.problem(0, "unreadable", message)));
                }
            }
            let bytes = match self.number {
                1 => self.line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&self.line),
                _ => &self.line,
            };
            match std::str::from_utf8(bytes.trim_ascii()) {
                Ok("") => {}
                Ok(sentence) => return Some(Ok(sentence.into())),
                Err(_) => {
                    let message =
                        "bytes that are not UTF-8 (Latin-1?): convert the file first".to_owned();
                    return Some(Err(self.problem(0, "not-utf8", message)));
                }
            }
        }
        None
    }
}

/// All that one file holds, before preprocessing.
#[derive(Clone, Debug)]
pub struct Reading {
    pub format: Format,
    pub trees: Vec<Tree>,
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
            texts: Vec::new(),
            problems: Vec::new(),
        };
        for entry in entries {
            match entry {
                Ok(Entry::Tree(tree)) => reading.trees.push(tree),
                Ok(Entry::Text(text)) => reading.texts.push(text),
                Err(problem) => reading.problems.push(problem),
            }
        }
        reading
    }
}

/// Reads a whole file; faults are collected, and only a file that cannot be read is an error.
pub fn read_file(path: &Path) -> Result<Reading, TreebankError> {
    Ok(Reading::collect(Entries::open(path, Interner::default())?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, bytes: &[u8]) -> Reading {
        Reading::collect(Entries::new(bytes, name, Interner::default()).expect("readable"))
    }

    #[test]
    fn the_extension_or_else_the_content_tells_the_format() {
        for (name, content, expected) in [
            ("a.mrg", "just text", Format::Brackets),
            ("a.PTB", "", Format::Brackets),
            ("a.txt", "( a ) b", Format::Text),
            ("-", "(S (NP (NN a)))", Format::Brackets),
            ("-", "\u{feff}( (S", Format::Brackets),
            ("-", "# remark\n((S (NN a)))", Format::Brackets),
            ("-", "(TOP\n  (S", Format::Brackets),
            ("-", "(laughter) he said", Format::Text),
            ("-", "a sentence", Format::Text),
            ("wsj_0001", "( (S", Format::Brackets),
        ] {
            assert_eq!(Format::detect(name, content.as_bytes()), expected, "{name}: {content}");
        }
    }

    #[test]
    fn text_is_read_a_line_at_a_time_with_faults_named() {
        let reading =
            read("a.txt", b"\xef\xbb\xbfone two\r\n\r\n caf\xe9 \n 10\xc2\xa0000  francs");
        assert_eq!(
            reading.texts.iter().map(|t| &**t).collect::<Vec<_>>(),
            ["one two", "10\u{a0}000  francs"]
        );
        let [problem] = &reading.problems[..] else { panic!("{:?}", reading.problems) };
        assert_eq!((problem.kind, problem.line), ("not-utf8", 3));
    }

    #[test]
    fn what_is_not_text_is_said_once() {
        let bytes: Vec<u8> = (0..4000_u32).map(|i| (i * i / 7 % 256) as u8).collect();
        for name in ["a.bin", "a.mrg", "a.txt"] {
            let reading = read(name, &bytes);
            let [problem] = &reading.problems[..] else { panic!("{:?}", reading.problems) };
            assert!(problem.message.starts_with("this is not text"), "{problem}");
            assert!(reading.trees.is_empty() && reading.texts.is_empty());
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for path in [dir.path().join("absent.mrg"), dir.path().to_owned()] {
            let message = read_file(&path).unwrap_err().to_string();
            assert!(message.contains(&path.display().to_string()), "{message}");
        }
    }
}
