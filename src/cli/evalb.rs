//! `evalb`: bracket scores of predicted trees, by the rules and in the format of the classic
//! scorer.

use super::args::{Evalb, Scoring};
use super::failure::{Told, Usage};
use super::file::{self, TREES};
use super::plain::tell;
use super::sentences::name_of;
use crate::evaluation::evalb::{
    Evaluation, Fault, LabelRow, Lengths, Parameters, Row, Totals, evaluate, length_bins, print,
};
use crate::report::numbers::Number;
use crate::treebank::{Format, unpacked};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{self, Read, Write};
use std::path::Path;

pub fn run(args: &Evalb, out: &mut dyn Write) -> Result<()> {
    let standard = Path::new("-");
    if *args.gold == *standard && *args.test == *standard {
        let text = "standard input can be one of the two files: name the other";
        return Err(Usage(text.to_owned()).into());
    }
    let parameters = parameters(&args.scoring)?;
    let (gold, test) = (read(&args.gold, TREES)?, read(&args.test, TREES)?);
    let evaluation = evaluate(&gold, &test, &parameters);
    if args.json {
        serde_json::to_writer(&mut *out, &object(&evaluation, &parameters, args))?;
        writeln!(out)?;
    } else {
        print(&evaluation, &parameters, out)?;
        if !evaluation.stopped {
            tables(&evaluation, &parameters, args, out)?;
        }
    }
    out.flush()?;
    let mut faults: Vec<_> = evaluation.notes.iter().chain(&evaluation.errors).collect();
    faults.sort_by_key(|fault| fault.line);
    for fault in faults {
        tell(&fault.to_string());
    }
    for (path, text) in [(&args.gold, &gold), (&args.test, &test)] {
        if let Some(hint) = hint(path, text) {
            tell(&hint);
        }
    }
    let one_is_empty = gold.is_empty() != test.is_empty();
    let nothing = evaluation.rows.is_empty() && (evaluation.errors.is_empty() || one_is_empty);
    if nothing {
        let which = match (gold.is_empty(), test.is_empty()) {
            (true, true) => "both files are empty",
            (true, false) => "the gold file is empty",
            (false, true) => "the predicted file is empty",
            (false, false) => "the files have no line in common",
        };
        tell(&format!("nothing was scored: {which}, so no figure has a meaning"));
    }
    // As the classic scorer ends: files of unequal length are told in its words and no failure. One
    // that is empty beside one that is not stands for a parser that failed.
    if evaluation.stopped || (nothing && one_is_empty) { Err(Told.into()) } else { Ok(()) }
}

/// What to do about a file that is not one bracketed tree a line.
pub fn hint(path: &Path, text: &[u8]) -> Option<String> {
    let name = name_of(path);
    let beginning = &text[..text.len().min(1 << 14)];
    let what = match Format::detect(&name, beginning) {
        Format::Brackets if is_broken_over_lines(text) => "has trees over several lines",
        Format::Brackets | Format::Text => return None,
        Format::Export => "is NEGRA export",
        Format::Tiger => "is TIGER-XML",
        Format::Columns => "has columns",
        Format::Json => "has JSON lines",
    };
    Some(format!(
        "{name} {what}, and trees are compared line by line: \
         `rankspace corpus convert {name} --out FILE.mrg` writes one bracketed tree a line"
    ))
}

/// Whether lines end inside of brackets that later lines close.
fn is_broken_over_lines(text: &[u8]) -> bool {
    let (mut depth, mut open_ends, mut lines) = (0_i64, 0, 0);
    for line in text.split(|&b| b == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        depth += line.iter().map(|b| i64::from(*b == b'(') - i64::from(*b == b')')).sum::<i64>();
        lines += 1;
        open_ends += usize::from(depth > 0);
    }
    depth == 0 && open_ends * 4 > lines
}

/// The parameters that the options ask for; says what of them has no effect.
pub fn parameters(scoring: &Scoring) -> Result<Parameters> {
    let mut parameters = Parameters::default();
    if let Some(path) = &scoring.parameters {
        let name = path.display();
        parameters =
            Parameters::parse(&read(path, &["prm"])?).with_context(|| format!("{name}"))?;
        if let Some(line) = parameters.debug_line() {
            tell(&format!("{name}: line {line}: DEBUG has no effect here"));
        }
    }
    parameters.labelled &= !scoring.unlabelled;
    Ok(parameters)
}

/// All bytes of a file or of standard input, decompressed where they are gzip; such files have one
/// of these endings.
pub fn read(path: &Path, endings: &[&str]) -> Result<Vec<u8>> {
    let named = || name_of(path);
    let bytes = match path == Path::new("-") {
        true => {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).with_context(named)?;
            bytes
        }
        false => file::read(path, endings)?,
    };
    let mut text = Vec::new();
    match bytes.starts_with(&[0x1f, 0x8b]) {
        true => unpacked(&bytes[..])
            .and_then(|mut from| from.read_to_end(&mut text))
            .map(drop)
            .with_context(named)?,
        false => text = bytes,
    }
    // Else every line would be complained of, with bytes that a terminal obeys.
    match text.contains(&0) {
        true => bail!("{}: this is not text: expected one bracketed tree a line", named()),
        false => Ok(text),
    }
}

fn object(evaluation: &Evaluation, parameters: &Parameters, args: &Evalb) -> Value {
    let mut object = json!({
        "labelled": parameters.labelled,
        "stopped": evaluation.stopped,
        "all": figures(&evaluation.totals()),
        "cutoff": figures(&evaluation.totals_up_to(parameters.cutoff_length)),
        "errors": faults(&evaluation.errors),
        "notes": faults(&evaluation.notes),
    });
    object["cutoff"]["max_length"] = parameters.cutoff_length.into();
    if args.by_label {
        object["labels"] = evaluation.by_label().iter().map(label).collect();
    }
    if let Some(width) = args.by_length {
        let bin = |(lengths, totals): (Lengths, Totals)| {
            let mut bin = figures(&totals);
            bin["from"] = lengths.from.into();
            bin["to"] = lengths.to.into();
            bin
        };
        object["lengths"] = length_bins(&evaluation.rows, width).into_iter().map(bin).collect();
    }
    if args.by_sentence {
        object["sentences"] = evaluation.rows.iter().map(sentence).collect();
    }
    object
}

fn faults(faults: &[Fault]) -> Value {
    faults.iter().map(|Fault { line, message }| json!({"line": line, "message": message})).collect()
}

fn figures(totals: &Totals) -> Value {
    json!({
        "sentences": totals.sentences,
        "errors": totals.errors,
        "skipped": totals.skipped,
        "valid": totals.valid(),
        "recall": totals.recall(),
        "precision": totals.precision(),
        "f1": Number(totals.f1()),
        "complete_match": totals.complete_match(),
        "average_crossing": totals.average_crossing(),
        "no_crossing": totals.no_crossing(),
        "two_or_less_crossing": totals.two_or_less_crossing(),
        "tagging_accuracy": totals.tagging_accuracy(),
        "counts": totals.counts,
    })
}

fn label(row: &LabelRow) -> Value {
    let LabelRow { label, counts } = row;
    json!({
        "label": label,
        "recall": row.recall(),
        "precision": row.precision(),
        "f1": row.f1(),
        "gold": counts.gold,
        "test": counts.test,
        "matched_gold": counts.matched_gold,
        "matched_test": counts.matched_test,
    })
}

fn sentence(row: &Row) -> Value {
    json!({
        "line": row.line,
        "length": row.length,
        "status": row.status,
        "recall": row.counts.recall(),
        "precision": row.counts.precision(),
        "f1": Number(row.counts.f1()),
        "tagging_accuracy": row.counts.tagging_accuracy(),
        "counts": row.counts,
    })
}

/// The tables behind the classic output, as asked for.
fn tables(
    evaluation: &Evaluation,
    parameters: &Parameters,
    args: &Evalb,
    out: &mut dyn Write,
) -> Result<()> {
    let compared = parameters.compared();
    if args.by_label {
        writeln!(out, "\n-- By label: {compared} --")?;
        writeln!(
            out,
            "{:12} {:>6} {:>6} {:>6} {:>7} {:>7}",
            "label", "R", "P", "F1", "gold", "test"
        )?;
        for row in evaluation.by_label() {
            let (r, p, f1) = (row.recall(), row.precision(), row.f1());
            let name = if row.label.is_empty() { "(none)" } else { &row.label };
            let (gold, test) = (row.counts.gold, row.counts.test);
            writeln!(out, "{name:12} {r:6.2} {p:6.2} {f1:6.2} {gold:7} {test:7}")?;
        }
    }
    if let Some(width) = args.by_length {
        writeln!(out, "\n-- By length: {compared} --")?;
        writeln!(
            out,
            "{:12} {:>6} {:>6} {:>6} {:>9} {:>7} {:>8}",
            "length", "R", "P", "F1", "sentences", "valid", "complete"
        )?;
        for (lengths, totals) in length_bins(&evaluation.rows, width) {
            let name = match lengths {
                Lengths { from, to } if from == to => from.to_string(),
                Lengths { from, to } => format!("{from}-{to}"),
            };
            let (r, p, f1) = (totals.recall(), totals.precision(), totals.f1());
            let (all, valid) = (totals.sentences, totals.valid());
            let complete = totals.complete_match();
            write!(out, "{name:12} {r:6.2} {p:6.2} {} ", percent(f1))?;
            writeln!(out, "{all:9} {valid:7} {complete:8.2}")?;
        }
    }
    if args.by_sentence {
        writeln!(out, "\n-- By sentence: {compared} --")?;
        writeln!(
            out,
            "{:>6} {:>6} {:>6} {:>6} {:>6} {:>8} status",
            "line", "length", "R", "P", "F1", "crossing"
        )?;
        for Row { line, length, status, counts } in &evaluation.rows {
            let (r, p, f1) = (counts.recall(), counts.precision(), percent(counts.f1()));
            let status = format!("{status:?}").to_lowercase();
            let crossing = counts.crossing;
            writeln!(out, "{line:6} {length:6} {r:6.2} {p:6.2} {f1} {crossing:8} {status}")?;
        }
    }
    Ok(())
}

/// A figure in a column of six, a dash where it is not defined.
fn percent(figure: f64) -> String {
    if figure.is_nan() { format!("{:>6}", "-") } else { format!("{figure:6.2}") }
}
