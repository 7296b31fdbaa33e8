//! `corpus stats`: what treebank files hold, what is wrong with them, and what data presets make
//! of them.

use super::Fault;
use super::args::CorpusStats;
use crate::cli::failure::Usage;
use crate::cli::sentences::{names_of, open_all, tell_problems};
use crate::report::counted;
use crate::treebank::{
    DATA_PRESETS, Format, Preprocessing, Reading, Removed, STEPS, Sentence, Statistics,
};
use anyhow::{Result, bail};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Labels and tags that are listed; the others are counted.
const LISTED: usize = 20;

/// The JSON object.
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
    /// What the first preset takes away, by step; only where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<&'a BTreeMap<&'static str, u64>>,
    /// What every preset leaves and takes away.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    presets: BTreeMap<&'a str, &'a Effect>,
    problems: Vec<Fault<'a>>,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// What a preset leaves and takes away, counted as training would without limits of length.
#[derive(Serialize)]
struct Effect {
    sentences: u64,
    words: u64,
    removed: BTreeMap<&'static str, u64>,
}

pub fn stats(args: &CorpusStats, out: &mut dyn Write) -> Result<()> {
    let presets = presets(&args.preset)?;
    let mut reading: Option<Reading> = None;
    let mut files = 0;
    for entries in open_all(&args.files, args.sections.as_deref(), args.reading.options())? {
        files += 1;
        let read = Reading::collect(entries);
        match &mut reading {
            Some(all) => all.extend(read),
            None => reading = Some(read),
        }
    }
    let name = names_of(&args.files);
    let Some(reading) = reading else { bail!("{name}: no file to read") };
    let statistics = Statistics::of_reading(&reading);
    let effects: Vec<(&str, Effect)> =
        presets.iter().map(|rules| (rules.preset.as_str(), effect(&reading, rules))).collect();
    let nothing = statistics.trees == 0 && statistics.sentences == 0;
    if args.json {
        let counts = Counts {
            trees: statistics.trees,
            words: statistics.words,
            sentences: statistics.sentences,
            labels: &statistics.labels,
            tags: &statistics.tags,
            max_length: statistics.max_length,
            discontinuous: statistics.discontinuous,
            removed: effects.first().map(|(_, effect)| &effect.removed),
            presets: effects.iter().map(|(name, effect)| (*name, effect)).collect(),
            problems: reading.problems.iter().map(Fault::of).collect(),
        };
        serde_json::to_writer(&mut *out, &counts)?;
        writeln!(out)?;
    } else {
        if !nothing {
            print(&statistics, reading.format, files, out)?;
            table(&effects, out)?;
        }
        out.flush()?;
        tell_problems(&reading.problems);
    }
    if nothing {
        out.flush()?;
        let blank = if reading.problems.is_empty() { ": it is empty or blank" } else { "" };
        bail!("{name}: no sentence could be read{blank}");
    }
    Ok(())
}

/// The presets asked for, each once; `all` is every one.
fn presets(names: &[String]) -> Result<Vec<Preprocessing>> {
    let mut wanted: Vec<&str> = Vec::new();
    for name in names {
        match name.as_str() {
            "all" => wanted.extend(DATA_PRESETS),
            name => wanted.push(name),
        }
    }
    let mut presets: Vec<Preprocessing> = Vec::new();
    for name in wanted {
        if !presets.iter().any(|p| p.preset == name) {
            presets.push(Preprocessing::preset(name).map_err(|e| Usage(e.to_string()))?);
        }
    }
    Ok(presets)
}

fn effect(reading: &Reading, rules: &Preprocessing) -> Effect {
    let mut removed = Removed::default();
    let (mut sentences, mut words) = (0, 0);
    let mut count = |sentence: Option<Sentence>| {
        let length = sentence.map_or(0, |s| s.len() as u64);
        sentences += u64::from(length > 0);
        words += length;
    };
    for (i, tree) in reading.trees.iter().enumerate() {
        count(rules.sentence(Arc::new(tree.clone()), i, &mut removed));
    }
    for (i, tagged) in reading.words.iter().enumerate() {
        count(rules.tagged(tagged.clone(), &mut removed, i));
    }
    for (i, text) in reading.texts.iter().enumerate() {
        let sentence = rules.text_counted(text, &mut removed, i);
        removed.add("no-words", u64::from(sentence.is_empty()));
        count(Some(sentence));
    }
    Effect { sentences, words, removed: removed.0 }
}

/// A column a preset, a row a step that any of them does.
fn table(effects: &[(&str, Effect)], out: &mut dyn Write) -> Result<()> {
    if effects.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    let mut row = |name: &str, cells: Vec<String>, meaning: &str| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>9}")).collect();
        let line = format!("{name:22}{cells}  {meaning}");
        writeln!(out, "{}", line.trim_end())
    };
    let cells = |f: &dyn Fn(&Effect) -> String| effects.iter().map(|(_, e)| f(e)).collect();
    row("preset", effects.iter().map(|(name, _)| (*name).to_owned()).collect(), "")?;
    row("sentences left", cells(&|e| e.sentences.to_string()), "")?;
    row("words left", cells(&|e| e.words.to_string()), "")?;
    for step in STEPS.iter().filter(|s| effects.iter().any(|(_, e)| e.removed.contains_key(s.name)))
    {
        let cell = |e: &Effect| e.removed.get(step.name).map_or("-".to_owned(), u64::to_string);
        row(step.name, cells(&cell), &step.meaning(0))?;
    }
    Ok(())
}

fn print(statistics: &Statistics, format: Format, files: usize, out: &mut dyn Write) -> Result<()> {
    let Statistics { trees, sentences, words, empty_elements, word_types, max_length, .. } =
        statistics;
    let format = format.describe();
    match files {
        1 => writeln!(out, "format          {format}")?,
        n => writeln!(out, "files           {n}, the first {format}")?,
    }
    writeln!(out, "trees           {trees}")?;
    writeln!(out, "sentences       {sentences} with a word")?;
    writeln!(out, "words           {words}, {word_types} different")?;
    writeln!(out, "empty elements  {empty_elements}, not counted as words")?;
    if statistics.discontinuous > 0 {
        writeln!(
            out,
            "discontinuous   {} with a gap between words",
            counted(statistics.discontinuous, "phrase")
        )?;
    }
    writeln!(
        out,
        "longest         {}, {:.1} on average",
        counted(*max_length, "word"),
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
