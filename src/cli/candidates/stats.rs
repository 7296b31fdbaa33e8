use super::args::Stats;
use super::read;
use crate::cli::plain::tell;
use crate::evaluation::BracketTotals;
use crate::rerank::{Comparison, Judged, ListStatistics};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

pub fn run(args: &Stats, out: &mut dyn Write) -> Result<()> {
    let most = args.k.unwrap_or(usize::MAX);
    let judged = |path: &Path| -> Result<Vec<Judged>> {
        Ok(Judged::all(read(path, &args.reading)?.lists, most))
    };
    let ours = judged(&args.lists)?;
    let theirs = args.other.as_deref().map(judged).transpose()?;
    let mut object =
        json!({ "lists": [statistics_object(&args.lists, &ListStatistics::of(&ours))] });
    if let (Some(path), Some(theirs)) = (&args.other, &theirs) {
        let comparison = Comparison::of(&ours, theirs);
        object["lists"]
            .as_array_mut()
            .expect("made as a list above")
            .push(statistics_object(path, &ListStatistics::of(theirs)));
        object["comparison"] = comparison_object(&comparison);
    }
    if args.json {
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&args.lists, &ListStatistics::of(&ours), out)?;
    if let (Some(path), Some(theirs)) = (&args.other, &theirs) {
        writeln!(out)?;
        print(path, &ListStatistics::of(theirs), out)?;
        writeln!(out)?;
        compare(&Comparison::of(&ours, theirs), out)?;
    }
    Ok(())
}

fn figures(totals: &BracketTotals) -> Value {
    json!({
        "precision": totals.precision(),
        "recall": totals.recall(),
        "f1": totals.f1(),
        "exact": totals.exact_match(),
    })
}

pub fn statistics_object(path: &Path, found: &ListStatistics) -> Value {
    let mut object = json!({
        "file": path.display().to_string(),
        "sentences": found.sentences,
        "empty": found.empty,
        "with_gold": found.with_gold,
        "candidates": found.candidates,
        "fewest": found.fewest,
        "most": found.most,
        "repeated": found.repeated,
    });
    if found.with_gold > 0 {
        object["base"] = figures(&found.base);
        object["oracle"] = figures(&found.oracle);
        object["anti_oracle"] = figures(&found.anti_oracle);
        object["oracle_f1_up_to"] = json!(found.oracle_up_to);
    }
    object
}

fn comparison_object(found: &Comparison) -> Value {
    let mut object = json!({ "sentences": found.sentences, "alone": found.alone });
    if found.sentences > 0 {
        object["overlap"] = json!(found.overlap);
        object["same_first"] = json!(found.same_first);
        object["base"] = json!(found.base.each_ref().map(figures));
        object["oracle"] = json!(found.oracle.each_ref().map(figures));
        object["union_oracle"] = figures(&found.union_oracle);
        object["complementarity"] = json!(found.complementarity);
    }
    object
}

fn print(path: &Path, found: &ListStatistics, out: &mut dyn Write) -> Result<()> {
    let mean = found.candidates as f64 / found.sentences.max(1) as f64;
    writeln!(out, "{}", path.display())?;
    writeln!(out, "{:24} {:>9}", "sentences", found.sentences)?;
    writeln!(out, "{:24} {:>9}", "  without a candidate", found.empty)?;
    writeln!(out, "{:24} {:>9}", "  with a gold tree", found.with_gold)?;
    writeln!(out, "{:24} {:>9}", "candidates", found.candidates)?;
    let (fewest, most) = (found.fewest, found.most);
    writeln!(out, "{:24} {mean:>9.2}   from {fewest} to {most}", "  a sentence")?;
    writeln!(out, "{:24} {:>9}", "  repeated", found.repeated)?;
    if found.with_gold == 0 {
        let shown = path.display();
        tell(&format!("note: {shown}: no gold trees and so no figures; --gold FILE gives them"));
        return Ok(());
    }
    writeln!(out, "{:24} {:>9} {:>9} {:>9} {:>9}", "", "P", "R", "F1", "exact")?;
    for (name, totals) in
        [("first", &found.base), ("oracle", &found.oracle), ("anti-oracle", &found.anti_oracle)]
    {
        row(name, totals, out)?;
    }
    for (length, f1) in &found.oracle_up_to {
        writeln!(out, "{:24} {:>29.2}", format!("  oracle of {length}"), f1)?;
    }
    Ok(())
}

fn row(name: &str, totals: &BracketTotals, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{name:24} {:>9.2} {:>9.2} {:>9.2} {:>9.2}",
        totals.precision(),
        totals.recall(),
        totals.f1(),
        totals.exact_match()
    )?;
    Ok(())
}

fn compare(found: &Comparison, out: &mut dyn Write) -> Result<()> {
    let [a, b] = found.alone;
    writeln!(out, "{:24} {:>9}   {a} and {b} in one only", "sentences of both", found.sentences)?;
    if found.sentences == 0 {
        tell("note: the files have no sentence in common and so no figures");
        return Ok(());
    }
    writeln!(out, "{:24} {:>8.1}%", "trees of both lists", found.overlap)?;
    writeln!(out, "{:24} {:>8.1}%", "the same first tree", found.same_first)?;
    writeln!(out, "{:24} {:>9} {:>9} {:>9} {:>9}", "", "P", "R", "F1", "exact")?;
    row("first of A", &found.base[0], out)?;
    row("first of B", &found.base[1], out)?;
    row("oracle of A", &found.oracle[0], out)?;
    row("oracle of B", &found.oracle[1], out)?;
    row("oracle of both", &found.union_oracle, out)?;
    let [a, b] = found.complementarity;
    writeln!(out, "{:24} {a:>8.1}%", "A's misses that B has")?;
    writeln!(out, "{:24} {b:>8.1}%", "B's misses that A has")?;
    Ok(())
}
