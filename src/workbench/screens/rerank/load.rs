//! Candidate lists on their way to the screen: reading on a task, and what is known of each list.

use crate::rerank::Judged;
use crate::treebank::candidates::{
    Attached, CandidateList, ListFormat, Lists, LogBase, ReadOptions, in_step,
};
use crate::treebank::sample;
use crate::workbench::task::TaskHandle;
use rayon::prelude::*;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Lists compared with their gold trees between two looks at whether to go on.
const CHUNK: usize = 256;
/// Steps of the progress bar for reading; judging has as many.
const STEPS: u64 = 1000;

/// Where lists come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// Test sentences of the bundled sample.
    Sample,
    File(PathBuf),
}

impl Source {
    /// The name on the screen.
    pub fn name(&self) -> String {
        match self {
            Source::Sample => "sample test".to_owned(),
            Source::File(path) => {
                path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
            }
        }
    }
}

impl Source {
    /// The name as the beginning of names of files that are made of it.
    pub fn stem(&self) -> String {
        let name = self.name();
        let name = name.trim_end_matches(".gz").trim_end_matches(".jsonl");
        let safe = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '-' };
        name.chars().map(safe).collect()
    }
}

/// A file of lists, whole.
pub struct Loaded {
    pub source: Source,
    pub format: ListFormat,
    pub log_base: LogBase,
    /// With all their candidates, from the best by the base parser down.
    pub lists: Arc<Vec<Judged>>,
    /// Words in lower case, for the filter.
    pub texts: Arc<Vec<String>>,
    pub troubles: Vec<Trouble>,
    /// What came of the gold trees of another file, where one was named.
    pub attached: Option<Result<Attached, String>>,
}

/// Something that was left out of a file, or is odd about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    pub line: u32,
    /// Number of the sentence in the file, from 0.
    pub sentence: Option<usize>,
    pub is_drop: bool,
    pub text: String,
}

/// Counts bytes on their way.
struct Counted<R>(R, Rc<Cell<u64>>);

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.0.read(buffer)?;
        self.1.set(self.1.get() + n as u64);
        Ok(n)
    }
}

/// Reads lists and compares them with their gold trees, or those of another file where they come
/// without.
pub fn read(source: Source, gold: Option<&Path>, handle: &TaskHandle) -> Result<Loaded, String> {
    let (input, bytes): (Box<dyn Read>, u64) = match &source {
        Source::Sample => {
            let packed = sample::candidates();
            (Box::new(Cursor::new(packed)), packed.len() as u64)
        }
        Source::File(path) => {
            let failed = |e: std::io::Error| format!("{}: {e}", path.display());
            let file = File::open(path).map_err(failed)?;
            let bytes = file.metadata().map_err(failed)?.len();
            (Box::new(file), bytes)
        }
    };
    let name = match &source {
        Source::Sample => source.name(),
        Source::File(path) => path.display().to_string(),
    };
    let done = Rc::new(Cell::new(0));
    let input = BufReader::with_capacity(1 << 16, Counted(input, done.clone()));
    let mut reading =
        Lists::new(input, &name, ReadOptions::default()).map_err(|e| e.to_string())?;
    let mut raw = Vec::new();
    for list in reading.by_ref() {
        if handle.cancelled() {
            return Err("stopped".into());
        }
        raw.push(list);
        let share = (done.get() * STEPS).checked_div(bytes).unwrap_or(STEPS);
        handle.progress(share.min(STEPS), 2 * STEPS);
    }
    let (format, log_base) = (reading.format(), reading.log_base());
    let mut troubles: Vec<Trouble> = Vec::new();
    troubles.extend(reading.dropped().iter().map(|d| Trouble {
        line: d.line,
        sentence: d.sentence,
        is_drop: true,
        text: said(d.line, &d.to_string()),
    }));
    troubles.extend(reading.messages().iter().map(|m| Trouble {
        line: m.line,
        sentence: m.sentence,
        is_drop: false,
        text: said(m.line, &m.to_string()),
    }));
    troubles.sort_by_key(|trouble| trouble.line);
    let sentences = reading.sentences();
    let mut raw = in_step(raw, sentences);
    let attached = gold.map(|gold| attach(&mut raw, sentences, gold));
    let of = raw.len();
    let mut lists: Vec<Judged> = Vec::with_capacity(of);
    let mut raw = raw.into_iter();
    while lists.len() < of {
        if handle.cancelled() {
            return Err("stopped".into());
        }
        let chunk: Vec<_> = raw.by_ref().take(CHUNK).collect();
        lists.extend(Judged::all(chunk, usize::MAX));
        handle.progress(STEPS + lists.len() as u64 * STEPS / of as u64, 2 * STEPS);
    }
    let text = |list: &Judged| list.list.words.join(" ").to_lowercase();
    let texts = Arc::new(lists.par_iter().map(text).collect());
    Ok(Loaded { source, format, log_base, lists: Arc::new(lists), texts, troubles, attached })
}

/// Gives lists their gold trees; a file with none of them is of no use.
fn attach(lists: &mut [CandidateList], sentences: usize, gold: &Path) -> Result<Attached, String> {
    let attached = Attached::from_file(lists, sentences, gold).map_err(|e| e.to_string())?;
    match attached.is_vain() {
        true => Err(format!("{}: no sentence of the lists has its words in it", gold.display())),
        false => Ok(attached),
    }
}

/// A message without what stands beside it: its line, and that something was left out.
fn said(line: u32, text: &str) -> String {
    let text = text.strip_prefix(&format!("line {line}: ")).unwrap_or(text);
    text.strip_prefix("dropped: ").unwrap_or(text).to_owned()
}
