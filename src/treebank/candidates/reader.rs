use super::assemble::Assembler;
use super::formats::LineMachine;
use super::{CandidateList, Dropped, ListFormat, LogBase, Message, MessageKind};
use crate::treebank::{TreebankError, unpacked};
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

/// Bytes of a file that tell what it is.
const LOOKED_AT: u64 = 1 << 20;

/// What the file's content shall not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    pub format: Option<ListFormat>,
    /// Base of the logarithms, where it is not the format's own.
    pub log_base: Option<LogBase>,
}

/// Reads candidate lists one after the other. What was dropped and what is odd gathers beside them.
pub struct Lists<'a> {
    input: Box<dyn BufRead + 'a>,
    format: ListFormat,
    log_base: LogBase,
    machine: LineMachine,
    assembler: Assembler,
    line: u32,
    has_ended: bool,
}

impl Lists<'static> {
    /// Opens a file, plain or gzip.
    pub fn open(path: &Path, options: ReadOptions) -> Result<Lists<'static>, TreebankError> {
        let name = path.display().to_string();
        let file = File::open(path)
            .map_err(|e| TreebankError::Read { path: name.clone(), reason: e.to_string() })?;
        Lists::new(BufReader::with_capacity(1 << 16, file), &name, options)
    }
}

impl Lists<'_> {
    /// Whether a file looks like one of candidate lists: its beginning has the form of a known
    /// format, and a candidate that can be read. Treebanks and texts have none.
    pub fn are_in(path: &Path) -> bool {
        let Ok(file) = File::open(path) else { return false };
        let beginning = BufReader::new(file.take(LOOKED_AT));
        let lists = Lists::new(beginning, "", ReadOptions::default());
        lists.is_ok_and(|mut lists| lists.any(|list| !list.candidates.is_empty()))
    }
}

impl<'a> Lists<'a> {
    /// Reads from `input`; `name` stands in errors.
    pub fn new(
        input: impl BufRead + 'a,
        name: &str,
        options: ReadOptions,
    ) -> Result<Lists<'a>, TreebankError> {
        let failed = |reason: String| TreebankError::Read { path: name.to_owned(), reason };
        let mut input = unpacked(input).map_err(|e| failed(e.to_string()))?;
        let beginning = input.fill_buf().map_err(|e| failed(e.to_string()))?;
        let detected = || ListFormat::detect(beginning);
        let Some(format) = options.format.or_else(detected) else {
            let names: Vec<_> = ListFormat::ALL.iter().map(|format| format.name()).collect();
            return Err(failed(format!(
                "this is no list of candidates of a known format ({})",
                names.join(", ")
            )));
        };
        let log_base = options.log_base.unwrap_or(format.log_base());
        Ok(Lists {
            input: Box::new(input),
            format,
            log_base,
            machine: LineMachine::default(),
            assembler: Assembler::new(log_base),
            line: 0,
            has_ended: false,
        })
    }

    pub fn format(&self) -> ListFormat {
        self.format
    }

    /// Base that the scores of the file are taken to have.
    pub fn log_base(&self) -> LogBase {
        self.log_base
    }

    /// Sentences so far, those included of which nothing could be read.
    pub fn sentences(&self) -> usize {
        self.assembler.all()
    }

    /// What was left out so far.
    pub fn dropped(&self) -> &[Dropped] {
        &self.assembler.dropped
    }

    /// What was odd so far.
    pub fn messages(&self) -> &[Message] {
        &self.assembler.messages
    }

    /// Reads everything.
    pub fn collect_all(mut self) -> CandidateFile {
        let lists = self.by_ref().collect();
        CandidateFile {
            format: self.format,
            log_base: self.log_base,
            lists,
            sentences: self.assembler.all(),
            dropped: self.assembler.dropped,
            messages: self.assembler.messages,
        }
    }

    /// Reads a line into the assembler.
    fn advance(&mut self) {
        let mut bytes = Vec::new();
        match self.input.read_until(b'\n', &mut bytes) {
            Ok(0) => self.finish(),
            Ok(_) => {
                self.line = self.line.saturating_add(1);
                if self.line == 1 && bytes.starts_with(b"\xef\xbb\xbf") {
                    bytes.drain(..3);
                }
                while bytes.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
                    bytes.pop();
                }
                let text = String::from_utf8_lossy(&bytes);
                if matches!(text, std::borrow::Cow::Owned(_)) {
                    self.assembler.message(self.line, None, MessageKind::NotUtf8);
                }
                self.machine.line(self.format, self.line, &text, &mut self.assembler);
            }
            Err(error) => {
                let kind = MessageKind::Unreadable(error.to_string());
                self.assembler.message(self.line.saturating_add(1), None, kind);
                self.finish();
            }
        }
    }

    fn finish(&mut self) {
        self.has_ended = true;
        self.machine.end(self.format, &mut self.assembler);
    }
}

impl Iterator for Lists<'_> {
    type Item = CandidateList;

    fn next(&mut self) -> Option<CandidateList> {
        loop {
            if let Some(list) = self.assembler.ready.pop_front() {
                return Some(list);
            }
            if self.has_ended {
                return None;
            }
            self.advance();
        }
    }
}

/// All that a file holds.
#[derive(Clone, Debug)]
pub struct CandidateFile {
    pub format: ListFormat,
    pub log_base: LogBase,
    pub lists: Vec<CandidateList>,
    /// Sentences of the file, those included of which nothing could be read.
    pub sentences: usize,
    pub dropped: Vec<Dropped>,
    pub messages: Vec<Message>,
}

impl CandidateFile {
    /// Reads a file, plain or gzip.
    pub fn read(path: &Path, options: ReadOptions) -> Result<CandidateFile, TreebankError> {
        Ok(Lists::open(path, options)?.collect_all())
    }

    /// The same with an empty list in the place of every sentence of which nothing could be read, so
    /// that numbers and lines of output are those of the file. Where nothing at all could be read,
    /// there is no list.
    pub fn read_in_step(path: &Path, options: ReadOptions) -> Result<CandidateFile, TreebankError> {
        let mut file = CandidateFile::read(path, options)?;
        file.lists = in_step(file.lists, file.sentences);
        Ok(file)
    }
}

/// Lists of a file with so many sentences, with an empty one for each that is missing.
pub fn in_step(lists: Vec<CandidateList>, sentences: usize) -> Vec<CandidateList> {
    if lists.len() == sentences || lists.is_empty() {
        return lists;
    }
    let mut read = lists.into_iter().peekable();
    let in_place = |place| {
        let list = read.next_if(|list| list.place == place);
        list.unwrap_or_else(|| CandidateList::lost(place))
    };
    (0..sentences).map(in_place).collect()
}
