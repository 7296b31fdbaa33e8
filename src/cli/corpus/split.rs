//! `corpus split`: one treebank into files of parts.

use super::args::{CorpusSplit, Unit};
use super::convert::length;
use super::output::{Output, TreeOutput, is_no_input};
use super::report::Report;
use crate::cli::failure::Usage;
use crate::cli::sentences::{files_of, name_of, numbered, open, open_sections};
use crate::treebank::{Entries, Entry, assign, section_numbers};
use anyhow::{Context, Result, bail};
use std::collections::BTreeMap;
use std::io::{BufRead, Write};
use std::path::{Path, PathBuf};

pub fn split(args: &CorpusSplit, out: &mut dyn Write) -> Result<()> {
    std::fs::create_dir_all(&args.out)
        .with_context(|| format!("{}: cannot be made", args.out.display()))?;
    let mut report = Report::default();
    let (names, entries) = match args.sections.is_empty() {
        true => by_share(args, &mut report)?,
        false => by_section(args, &mut report)?,
    };
    let path = |name: &str| args.out.join(format!("{name}.{}", args.to.extension()));
    // All are begun before one is kept, so that a file that is there stops everything.
    let mut outputs = Vec::new();
    let read = files_of(&args.files, "")?;
    for name in &names {
        is_no_input(&path(name), read.iter().map(PathBuf::as_path))?;
        let output = Output::file(&path(name), args.writing.force)?;
        outputs.push(TreeOutput::new(output, args.to)?);
    }
    for (part, entry) in &entries {
        outputs[*part].entry(entry)?;
    }
    let mut finished = Vec::new();
    for (name, output) in names.iter().zip(outputs) {
        let (output, written, changes) = output.finish()?;
        if written == 0 {
            bail!("{name}: no sentence is left for this part");
        }
        report.changes.extend(changes);
        report.written.push((path(name).display().to_string(), written));
        finished.push(output);
    }
    for output in finished {
        output.keep()?;
    }
    report.tell(args.writing.json, out)
}

/// Names of the parts, and the sentences in the order of the files with the part of each.
type Parts = (Vec<String>, Vec<(usize, Entry)>);

fn by_section(args: &CorpusSplit, report: &mut Report) -> Result<Parts> {
    let (mut names, mut entries) = (Vec::new(), Vec::new());
    let mut taken: BTreeMap<u32, &str> = BTreeMap::new();
    for given in &args.sections {
        let (name, sections) = named(given, "train=02-21")?;
        for number in section_numbers(sections).map_err(|e| Usage(format!("{given}: {e}")))? {
            if let Some(other) = taken.insert(number, name) {
                let message = format!("section {number:02} is in two parts, {other} and {name}");
                return Err(Usage(message).into());
            }
        }
    }
    for folder in &args.files {
        let left: Vec<String> = numbered(folder)?
            .iter()
            .filter(|number| !taken.contains_key(number))
            .map(|number| format!("{number:02}"))
            .collect();
        if !left.is_empty() {
            let shown = folder.display();
            let left = left.join(", ");
            report.notes.push(format!("{shown}: sections in no part, left out: {left}"));
        }
    }
    for given in &args.sections {
        let (name, sections) = named(given, "train=02-21")?;
        for file in &args.files {
            for opened in open_sections(file, sections, args.reading.options())? {
                let part = names.len();
                entries.extend(read(opened, report).into_iter().map(|entry| (part, entry)));
            }
        }
        names.push(name.to_owned());
    }
    distinct(&names)?;
    Ok((names, entries))
}

fn by_share(args: &CorpusSplit, report: &mut Report) -> Result<Parts> {
    let default = ["train=80", "dev=10", "test=10"].map(str::to_owned);
    let given = if args.parts.is_empty() { &default[..] } else { &args.parts };
    let (mut names, mut shares) = (Vec::new(), Vec::new());
    for part in given {
        let (name, share) = named(part, "train=80")?;
        let share = share.parse::<f64>().ok().filter(|s| s.is_finite() && *s > 0.0);
        let share =
            share.ok_or_else(|| Usage(format!("--part {part}: expected a share above 0")))?;
        names.push(name.to_owned());
        shares.push(share);
    }
    distinct(&names)?;
    if args.by == Unit::File && args.stratify {
        return Err(Usage("--stratify is for sentences, not with --by file".to_owned()).into());
    }
    let mut files: Vec<Vec<Entry>> = Vec::new();
    for file in &args.files {
        let opened = open(file, args.reading.options())?;
        files.extend(opened.into_iter().map(|entries| read(entries, report)));
    }
    if report.read == 0 {
        let names: Vec<String> = args.files.iter().map(|f| name_of(f)).collect();
        let why = report.problems.first().map_or("it is empty or blank".into(), |p| p.to_string());
        bail!("{}: no sentence could be read: {why}", names.join(", "));
    }
    let entries = match args.by {
        Unit::File => {
            let sizes: Vec<usize> = files.iter().map(Vec::len).collect();
            let parts = assign(&sizes, &shares, args.seed, None);
            let part_of = |(part, file): (usize, Vec<Entry>)| {
                file.into_iter().map(move |entry| (part, entry))
            };
            parts.into_iter().zip(files).flat_map(part_of).collect()
        }
        Unit::Sentence => {
            let all: Vec<Entry> = files.into_iter().flatten().collect();
            let lengths: Vec<usize> = all.iter().map(length).collect();
            let strata = args.stratify.then_some(&lengths[..]);
            let parts = assign(&vec![1; all.len()], &shares, args.seed, strata);
            parts.into_iter().zip(all).collect()
        }
    };
    Ok((names, entries))
}

fn read<R: BufRead>(entries: Entries<R>, report: &mut Report) -> Vec<Entry> {
    let mut read = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => read.push(entry),
            Err(problem) => report.problems.push(problem),
        }
    }
    report.read += read.len() as u64;
    read
}

/// The two sides of `NAME=…`; the name becomes that of a file.
fn named<'a>(given: &'a str, example: &str) -> Result<(&'a str, &'a str)> {
    let plain = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && Path::new(name).file_name() == Some(name.as_ref())
    };
    match given.split_once('=') {
        Some((name, value)) if plain(name) => Ok((name, value)),
        _ => Err(Usage(format!("`{given}`: expected a name and a value, e.g. {example}")).into()),
    }
}

fn distinct(names: &[String]) -> Result<()> {
    match names.iter().enumerate().find(|(i, name)| names[..*i].contains(name)) {
        Some((_, twice)) => Err(Usage(format!("the part `{twice}` is named twice")).into()),
        None => Ok(()),
    }
}
