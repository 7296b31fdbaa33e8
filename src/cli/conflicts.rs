//! `conflicts`: where a treebank annotates the same thing in different ways.

use super::args::Conflicts;
use super::ensemble::args::Supervision;
use super::ensemble::{settings, trees};
use crate::analysis::conflicts::{Merged, Nucleus, Unit, Variation, duplicate_classes};
use crate::config::Kind;
use crate::ensemble::{Annotated, Part};
use crate::report::counted;
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;

/// Words shown on either side of an occurrence.
const SIDE: usize = 4;

/// Occurrences shown of each label.
const SHOWN: usize = 5;

/// A group that is to be told.
struct Told<'a> {
    nucleus: &'a Nucleus,
    units: Vec<Arc<str>>,
    counts: BTreeMap<Arc<str>, u32>,
    occurrences: Vec<Merged>,
    /// Further nuclei around the same places.
    others: usize,
}

pub fn run(args: &Conflicts, out: &mut dyn Write) -> Result<()> {
    let supervision =
        Supervision { train: args.files.clone(), test: Vec::new(), set: args.set.clone() };
    let part = trees(&settings(None, Kind::Boost, &supervision, Vec::new())?)?.train;
    if let Some(number) = args.sentence
        && !part.sentences.iter().any(|s| s.index == number)
    {
        bail!("there is no sentence {number}");
    }
    let classes = duplicate_classes(&part.trees());
    let units: Vec<Unit> = match args.unit.as_str() {
        "all" => Unit::ALL.to_vec(),
        name => Unit::ALL.into_iter().filter(|unit| unit.name() == name).collect(),
    };
    let mut objects = Vec::new();
    for unit in units {
        let variation = Variation::find(&part.trees(), unit);
        let (told, groups) = chosen(args, &part, &variation, &classes);
        if args.json {
            objects.push(object(&part, unit, &variation, groups, &told));
        } else {
            print(&part, unit, &variation, groups, &told, out)?;
        }
    }
    if args.json {
        serde_json::to_writer(&mut *out, &objects)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The groups that the command line asks for, those with the most context first, and the number of
/// all.
fn chosen<'a>(
    args: &Conflicts,
    part: &Part,
    variation: &'a Variation,
    classes: &[u32],
) -> (Vec<Told<'a>>, usize) {
    let groups = variation.groups();
    let within: Option<Vec<usize>> = args.sentence.map(|number| {
        let place = part.sentences.iter().position(|s| s.index == number).unwrap_or_default();
        variation.of_sentence(place as u32).into_iter().map(|(nucleus, _)| nucleus).collect()
    });
    let (all, unit) = (groups.len(), variation.unit());
    let mut told: Vec<_> = groups
        .into_iter()
        .filter(|group| {
            within.as_ref().is_none_or(|list| group.nuclei.iter().any(|n| list.contains(n)))
        })
        .filter(|group| {
            let head = group.head(variation);
            let long = unit == Unit::Tagging || head.length >= args.min_length;
            head.context >= args.min_context && long
        })
        .collect();
    // What shares most is most telling; the order among equals is that of the nuclei.
    told.sort_by_key(|group| {
        let head = group.head(variation);
        std::cmp::Reverse(head.length + 2 * head.context)
    });
    told.truncate(if args.top == 0 { usize::MAX } else { args.top });
    let told = told.into_iter().map(|group| {
        let nucleus = group.head(variation);
        Told {
            units: variation.units(nucleus),
            counts: variation.counts(nucleus),
            occurrences: variation.merged(nucleus, classes),
            others: group.nuclei.len() - 1,
            nucleus,
        }
    });
    (told.collect(), all)
}

fn print(
    part: &Part,
    unit: Unit,
    variation: &Variation,
    groups: usize,
    told: &[Told],
    out: &mut dyn Write,
) -> Result<()> {
    writeln!(
        out,
        "{}, unit {}: {} in {}, {} shown",
        counted(part.sentences.len(), "sentence"),
        unit.name(),
        nuclei(variation.nuclei().len()),
        counted(groups, "group"),
        told.len()
    )?;
    // Numbers lead to a sentence of one file; of several, files and lines do.
    let file = |sentence: &Annotated| sentence.original.place.file.clone();
    let several = part.sentences.windows(2).any(|pair| file(&pair[0]) != file(&pair[1]));
    for Told { nucleus, units, counts, occurrences, others } in told {
        let counts_told: Vec<String> =
            counts.iter().map(|(label, n)| format!("{label} {n}")).collect();
        let more = match others {
            0 => String::new(),
            n => format!(", around it {}", nuclei(*n)),
        };
        writeln!(
            out,
            "\n{}: {} (context {}{more})",
            units.join(" "),
            counts_told.join(", "),
            nucleus.context
        )?;
        for label in counts.keys() {
            let of_label = || occurrences.iter().filter(|o| o.label == *label);
            for occurrence in of_label().take(SHOWN) {
                let Merged { place, copies, .. } = occurrence;
                let sentence = &part.sentences[place.sentence as usize];
                let copies =
                    if *copies > 1 { format!(" ({copies} copies)") } else { String::new() };
                let (left, middle, right) = around(part, occurrence);
                let place = match several {
                    true => format!("{}:{}", file(sentence), sentence.original.place.line),
                    false => format!("{:>6}", sentence.index),
                };
                writeln!(out, "  {label:12} {place}{copies}  {left} [{middle}] {right}")?;
            }
            let more = of_label().count().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(out, "  {label:12} and {more} more")?;
            }
        }
    }
    Ok(())
}

fn nuclei(n: usize) -> String {
    if n == 1 { "1 nucleus".to_owned() } else { format!("{n} nuclei") }
}

/// Some words before an occurrence, its own, and some behind it.
fn around(part: &Part, occurrence: &Merged) -> (String, String, String) {
    let words = part.sentences[occurrence.place.sentence as usize].tree.words();
    let (start, end) = (occurrence.place.start as usize, occurrence.place.end as usize);
    let from = start.saturating_sub(SIDE);
    let to = (end + SIDE).min(words.len());
    (words[from..start].join(" "), words[start..end].join(" "), words[end..to].join(" "))
}

fn object(part: &Part, unit: Unit, variation: &Variation, groups: usize, told: &[Told]) -> Value {
    let occurrence = |o: &Merged| {
        let sentence = &part.sentences[o.place.sentence as usize];
        json!({
            "sentence": sentence.index,
            "file": sentence.original.place.file,
            "line": sentence.original.place.line,
            "start": o.place.start,
            "end": o.place.end,
            "label": o.label,
            "copies": o.copies,
        })
    };
    let group = |told: &Told| {
        json!({
            "units": told.units,
            "context": told.nucleus.context,
            "counts": told.counts,
            "nuclei": told.others + 1,
            "occurrences": told.occurrences.iter().map(occurrence).collect::<Vec<_>>(),
        })
    };
    json!({
        "unit": unit,
        "sentences": part.sentences.len(),
        "nuclei": variation.nuclei().len(),
        "groups": groups,
        "shown": told.iter().map(group).collect::<Vec<_>>(),
    })
}
