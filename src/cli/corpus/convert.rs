//! `corpus convert` and `corpus clean`: a treebank in, a treebank out, and a report.

use super::args::{CorpusClean, CorpusConvert, Reading, Rewriting, Target};
use super::output::{Output, TreeOutput, is_no_input};
use super::report::Report;
use crate::cli::failure::Usage;
use crate::cli::sentences::{files_of, open_all};
use crate::cli::values::blame;
use crate::config::{Config, Data, nearest};
use crate::treebank::{Entry, FileOptions, LengthLimits, Preprocessing, Removed, attach};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::PathBuf;

impl Reading {
    pub fn options(&self) -> FileOptions {
        FileOptions { format: self.format, encoding: self.encoding }
    }
}

pub fn convert(args: &CorpusConvert, out: &mut dyn Write) -> Result<()> {
    let limits = LengthLimits { min: 0, max: usize::MAX };
    args.rewriting.run(out, limits, |entry| {
        let mut removed = Removed::default();
        let Entry::Tree(tree) = entry else { return (Some(entry), removed) };
        let attached = if args.continuous { attach(&tree) } else { None };
        let Some((tree, moved)) = attached else { return (Some(Entry::Tree(tree)), removed) };
        removed.add("attached-higher", moved.raised);
        removed.add("attached-lower", moved.lowered);
        (Some(Entry::Tree(tree)), removed)
    })
}

pub fn clean(args: &CorpusClean, out: &mut dyn Write) -> Result<()> {
    let rules = rules(&args.preset, &args.set)?;
    let limits = LengthLimits { min: args.min_length, max: args.max_length.unwrap_or(usize::MAX) };
    args.rewriting.run(out, limits, |entry| {
        let mut removed = Removed::default();
        let entry = match entry {
            Entry::Tree(tree) => rules.clean(&tree, &mut removed).map(Entry::Tree),
            Entry::Words(words) => rules.clean_words(words, &mut removed).map(Entry::Words),
            Entry::Text(text, place) => {
                let cleaned = rules.clean_text(&text, &mut removed);
                cleaned.map(|text| Entry::Text(text.into(), place))
            }
        };
        (entry, removed)
    })
}

/// The keys of `[data]` that say what is done to a sentence.
const KEYS: [&str; 8] = [
    "punctuation",
    "punctuation_tags",
    "lowercase",
    "numbers",
    "traces",
    "function_labels",
    "unary_chains",
    "discontinuous",
];

/// The rules of a preset with keys of `[data]` changed.
fn rules(preset: &str, set: &[String]) -> Result<Preprocessing> {
    let rules = Preprocessing::preset(preset).map_err(|e| Usage(e.to_string()))?;
    let mut data = Data { preset: rules.preset, ..Data::default() };
    let mut changes = vec![format!("data.preset={preset}")];
    for change in set {
        let key = change.split('=').next().unwrap_or_default().trim();
        if !KEYS.contains(&key) {
            let message = match nearest(key, 0.85, KEYS.into_iter()) {
                Some(near) => format!("unknown key `{key}`, did you mean `{near}`?"),
                None => format!(
                    "this changes no sentence (keys that do are {}); there are --min-length, \
                     --max-length, --format, --encoding and --preset",
                    KEYS.join(", ")
                ),
            };
            return Err(Usage(format!("--set {change}: {message}")).into());
        }
        changes.push(format!("data.{change}"));
        data = Config::from_toml("", "", &changes).map_err(|error| blame(change, error))?.data;
    }
    Ok(Preprocessing::resolve(&data).map_err(|e| Usage(e.to_string()))?)
}

/// Changes that leave whole sentences out.
const LOSSES: [&str; 4] = ["sentences-left-out", "no-words", "too-short", "too-long"];

impl Rewriting {
    /// Reads sentences, changes them one by one and writes them.
    fn run(
        &self,
        out: &mut dyn Write,
        limits: LengthLimits,
        mut change: impl FnMut(Entry) -> (Option<Entry>, Removed),
    ) -> Result<()> {
        if self.out.is_none() && self.writing.json {
            let message = "--json needs --out: the treebank itself goes to standard output";
            return Err(Usage(message.to_owned()).into());
        }
        let inputs = open_all(&self.files, self.sections.as_deref(), self.reading.options())?;
        let first = || inputs.first().map_or(Target::Brackets, |i| Target::like(i.format()));
        let target = self.to.or(self.out.as_deref().and_then(Target::of)).unwrap_or_else(first);
        let output = match &self.out {
            Some(path) => {
                let read = files_of(&self.files, self.sections.as_deref().unwrap_or(""))?;
                is_no_input(path, read.iter().map(PathBuf::as_path))?;
                Output::file(path, self.writing.force)?
            }
            None => Output::standard(&mut *out),
        };
        let mut output = TreeOutput::new(output, target)?;
        let mut report = Report::default();
        for input in inputs {
            for entry in input {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(problem) => {
                        report.problems.push(problem);
                        continue;
                    }
                };
                report.read += 1;
                let place = entry.place().clone();
                let (entry, mut removed) = change(entry);
                let entry = entry.filter(|e| within(e, limits, &mut removed));
                for (step, n) in removed.0 {
                    output.changes().at(&place).add(step, n, None);
                }
                if let Some(entry) = entry {
                    output.entry(&entry)?;
                }
            }
        }
        let (output, written, changes) = output.finish()?;
        report.changes = changes;
        if written == 0 {
            let why = match report.problems.first() {
                Some(problem) => format!("; first problem: {problem}"),
                None => String::new(),
            };
            let counts = report.changes.counts();
            let lost = LOSSES.iter().filter_map(|kind| Some((kind, counts.get(kind)?)));
            let lost: Vec<String> = lost.map(|(kind, n)| format!("{kind} {n}")).collect();
            let lost =
                if lost.is_empty() { String::new() } else { format!(": {}", lost.join(", ")) };
            bail!("no sentence could be written of {} read{lost}{why}", report.read);
        }
        output.keep()?;
        let name = match &self.out {
            Some(path) => path.display().to_string(),
            None => "standard output".to_owned(),
        };
        report.written.push((name, written));
        report.tell(self.writing.json, out)
    }
}

/// Words of a sentence, empty elements included.
pub fn length(entry: &Entry) -> usize {
    match entry {
        Entry::Tree(tree) => tree.len(),
        Entry::Words(words) => words.words.len(),
        Entry::Text(text, _) => text.split_ascii_whitespace().count(),
    }
}

fn within(entry: &Entry, limits: LengthLimits, removed: &mut Removed) -> bool {
    let step = match length(entry) {
        n if n < limits.min => "too-short",
        n if n > limits.max => "too-long",
        _ => return true,
    };
    removed.add(step, 1);
    false
}
