//! `corpus`: what a treebank file holds, other forms of it, and new treebanks from a grammar.

pub mod args;
mod convert;
mod output;
mod report;
mod split;

use super::failure::Usage;
use super::sentences::{name_of, open, tell_problems};
use crate::treebank::generate::{Grammar, generate};
use crate::treebank::{Format, Preprocessing, Problem, Reading, Removed, Statistics};
use anyhow::{Context, Result, bail};
use args::{Corpus, CorpusGenerate, CorpusStats};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Labels and tags that are listed; the others are counted.
const LISTED: usize = 20;

pub fn run(args: &Corpus, out: &mut dyn Write) -> Result<()> {
    match args {
        Corpus::Stats(args) => stats(args, out),
        Corpus::Convert(args) => convert::convert(args, out),
        Corpus::Split(args) => split::split(args, out),
        Corpus::Clean(args) => convert::clean(args, out),
        Corpus::Generate(args) => generated(args, out),
    }
}

/// The JSON object of `corpus stats`.
#[derive(Serialize)]
struct Counts<'a> {
    trees: u64,
    words: u64,
    sentences: u64,
    labels: &'a BTreeMap<Arc<str>, u64>,
    tags: &'a BTreeMap<Arc<str>, u64>,
    max_length: usize,
    /// Phrases whose words have a gap; only where there are some.
    #[serde(skip_serializing_if = "is_zero")]
    discontinuous: u64,
    /// What a preset takes away, by step; only where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<&'a BTreeMap<&'static str, u64>>,
    problems: Vec<Fault<'a>>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

#[derive(Serialize)]
struct Fault<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    kind: &'a str,
    message: &'a str,
}

impl<'a> Fault<'a> {
    fn of(Problem { file, line, column, kind, message }: &'a Problem) -> Fault<'a> {
        Fault { file, line: *line, column: *column, kind, message }
    }
}

fn stats(args: &CorpusStats, out: &mut dyn Write) -> Result<()> {
    let rules = match &args.preset {
        Some(name) => Some(Preprocessing::preset(name).map_err(|e| Usage(e.to_string()))?),
        None => None,
    };
    let mut files = open(&args.file, args.reading.options())?.into_iter().map(Reading::collect);
    let Some(mut reading) = files.next() else {
        bail!("{}: no file to read", args.file.display());
    };
    for file in files {
        reading.extend(file);
    }
    let statistics = Statistics::of_reading(&reading);
    let removed = rules.map(|rules| removed(&reading, &rules));
    if args.json {
        let counts = Counts {
            trees: statistics.trees,
            words: statistics.words,
            sentences: statistics.sentences,
            labels: &statistics.labels,
            tags: &statistics.tags,
            max_length: statistics.max_length,
            discontinuous: statistics.discontinuous,
            removed: removed.as_ref().map(|r| &r.0),
            problems: reading.problems.iter().map(Fault::of).collect(),
        };
        serde_json::to_writer(&mut *out, &counts)?;
        writeln!(out)?;
    } else {
        print(&statistics, reading.format, out)?;
        if let (Some(removed), Some(preset)) = (&removed, &args.preset) {
            let steps: Vec<_> = removed.0.iter().map(|(step, n)| format!("{step} {n}")).collect();
            let steps = if steps.is_empty() { "nothing".to_owned() } else { steps.join(", ") };
            writeln!(out, "preset {preset:8} takes away: {steps}")?;
        }
        out.flush()?;
        tell_problems(&reading.problems);
    }
    if statistics.trees == 0 && statistics.sentences == 0 {
        out.flush()?;
        bail!("{}: no sentence could be read", name_of(&args.file));
    }
    Ok(())
}

/// What each step of preprocessing takes away, counted as training would.
fn removed(reading: &Reading, rules: &Preprocessing) -> Removed {
    let mut removed = Removed::default();
    for tree in &reading.trees {
        rules.clean(tree, &mut removed);
    }
    for (i, words) in reading.words.iter().enumerate() {
        rules.tagged(words.clone(), &mut removed, i);
    }
    for (i, text) in reading.texts.iter().enumerate() {
        rules.text_counted(text, &mut removed, i);
    }
    removed
}

fn print(statistics: &Statistics, format: Format, out: &mut dyn Write) -> Result<()> {
    let Statistics { trees, sentences, words, empty_elements, word_types, max_length, .. } =
        statistics;
    let format = match format {
        Format::Brackets => "bracketed trees",
        Format::Export => "NEGRA export",
        Format::Tiger => "TIGER-XML",
        Format::Columns => "columns of words and tags",
        Format::Json => "JSON lines",
        Format::Text => "plain text",
    };
    writeln!(out, "format          {format}")?;
    writeln!(out, "trees           {trees}")?;
    writeln!(out, "sentences       {sentences}")?;
    writeln!(out, "words           {words}, {word_types} different")?;
    writeln!(out, "empty elements  {empty_elements}, not counted as words")?;
    if statistics.discontinuous > 0 {
        writeln!(
            out,
            "discontinuous   {} phrases whose words have a gap",
            statistics.discontinuous
        )?;
    }
    writeln!(
        out,
        "longest         {max_length} words, {:.1} on average",
        statistics.mean_length()
    )?;
    list("labels", &statistics.labels, out)?;
    list("tags", &statistics.tags, out)
}

fn list(what: &str, counts: &BTreeMap<Arc<str>, u64>, out: &mut dyn Write) -> Result<()> {
    if counts.is_empty() {
        return Ok(());
    }
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let named = |name: &str| if name.is_empty() { "(none)".to_owned() } else { name.to_owned() };
    let shown: Vec<_> =
        sorted.iter().take(LISTED).map(|(name, n)| format!("{} {n}", named(name))).collect();
    let more = match counts.len().saturating_sub(LISTED) {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    writeln!(out, "{what:16}{} different: {}{more}", counts.len(), shown.join(", "))?;
    Ok(())
}

fn generated(args: &CorpusGenerate, out: &mut dyn Write) -> Result<()> {
    if args.sentences == 0 {
        return Err(Usage("--sentences 0: expected a number above 0".into()).into());
    }
    if args.min_length > args.max_length {
        let (min, max) = (args.min_length, args.max_length);
        return Err(Usage(format!("--min-length {min} is above --max-length {max}")).into());
    }
    let grammar = match &args.grammar {
        None => Grammar::bundled(),
        Some(path) => {
            let name = path.display();
            let text = std::fs::read_to_string(path).with_context(|| format!("{name}"))?;
            Grammar::parse(&text).with_context(|| format!("{name}"))?
        }
    };
    let trees = generate(&grammar, args.sentences, args.seed, args.min_length, args.max_length);
    for tree in &trees {
        writeln!(out, "{tree}")?;
    }
    if trees.len() < args.sentences {
        out.flush()?;
        bail!(
            "only {} of {} sentences: the grammar all but never gives one of {} to {} words",
            trees.len(),
            args.sentences,
            args.min_length,
            args.max_length
        );
    }
    Ok(())
}
