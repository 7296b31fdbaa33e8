//! What bagging and boosting come to: the table of the paper, with significance.

use crate::config::{Config, Kind};
use crate::ensemble::{Part, vote_on};
use crate::evaluation::significance::{EXACT_UP_TO, Figure, Method, Sample, Samples, randomise};
use crate::evaluation::{Agreement, BracketTotals};
use crate::report::{RunState, counted};
use crate::run::{KeptRound, RunFolder, borrowed};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;

/// Exchanges for the p-values.
const SHUFFLES: u64 = 10_000;

/// Figures of a part, in the order of printing.
const FIGURES: [(&str, &str); 4] =
    [("precision", "P"), ("recall", "R"), ("f1", "F1"), ("exact", "exact")];

/// A row of the table: what it is, and the round whose figures it has.
struct Row<'a> {
    name: &'static str,
    round: &'a KeptRound,
    /// Of the member alone, not of the vote up to it.
    alone: bool,
}

impl Row<'_> {
    fn figure(&self, part: &str, name: &str) -> Option<f64> {
        let prefix = if self.alone { "member_" } else { "" };
        self.round.metrics.get(&format!("{prefix}{part}_{name}"))
    }
}

/// Prints how the members do: initial, best by train and final, as the paper has them.
pub fn conclude(
    folder: &RunFolder,
    config: &Config,
    state: RunState,
    as_json: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let rounds = folder.kept_rounds()?;
    let rows = rows(&rounds, config.kind);
    let mut parts = Vec::new();
    for name in ["train", "dev", "test"] {
        if let Some(part) = folder.kept_part(name)?.and_then(|kept| kept.part(name)) {
            parts.push(part);
        }
    }
    let tests = match rounds.iter().filter(|r| r.vote.is_some()).count() {
        0 | 1 => Vec::new(),
        _ => significances(folder, &rounds, &parts, config.seed)?,
    };
    if as_json {
        let mut object = object(folder, &rounds, &rows, &parts, &tests);
        object["state"] = json!(state);
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    if rounds.is_empty() {
        let what = if config.kind == Kind::Bag { "bag" } else { "round" };
        return Ok(writeln!(out, "no {what} is complete: there are no figures yet")?);
    }
    for part in &parts {
        let fallbacks =
            rounds.last().and_then(|r| r.metrics.get(&format!("{}_fallbacks", part.name)));
        writeln!(
            out,
            "\n{} ({}, {} in the last round)",
            part.name,
            counted(part.sentences.len(), "sentence"),
            counted(fallbacks.unwrap_or(0.0), "fallback parse")
        )?;
        write!(out, "{:24}", "")?;
        for (_, title) in FIGURES {
            write!(out, " {title:>7}")?;
        }
        writeln!(out)?;
        for row in &rows {
            let name = match row.round.number {
                0 => row.name.to_owned(),
                n => format!("{} (round {n})", row.name),
            };
            write!(out, "{name:24}")?;
            for (figure, _) in FIGURES {
                write!(out, " {:>7.2}", row.figure(part.name, figure).unwrap_or(f64::NAN))?;
            }
            writeln!(out)?;
        }
        if let Some(test) = tests.iter().find(|test| test.part == part.name) {
            writeln!(
                out,
                "final against single parser: F1 {:+.2}, p = {:.4} ({})",
                test.difference,
                test.p,
                match test.method {
                    Method::Exact => "exact".to_owned(),
                    Method::Shuffles(n) => format!("{n} random exchanges"),
                }
            )?;
        }
    }
    Ok(())
}

fn rows(rounds: &[KeptRound], kind: Kind) -> Vec<Row<'_>> {
    let voting = || rounds.iter().filter(|round| round.vote.is_some());
    let f1 = |round: &&KeptRound| round.metrics.get("train_f1").unwrap_or(f64::NEG_INFINITY);
    // Of equal ones the first.
    let best = voting().rev().max_by(|a, b| f1(a).total_cmp(&f1(b)));
    let (initial, all) = match kind {
        Kind::Bag => ("first bag", "all bags"),
        _ => ("initial", "final"),
    };
    let mut rows = Vec::new();
    if let Some(round) = rounds.first() {
        rows.push(Row { name: "single parser", round, alone: true });
    }
    for (name, round) in
        [(initial, voting().next()), ("best by train", best), (all, voting().next_back())]
    {
        rows.extend(round.map(|round| Row { name, round, alone: false }));
    }
    rows
}

/// Whether the vote of all differs from the single parser by more than chance.
struct Significance {
    part: &'static str,
    /// F1 points.
    difference: f64,
    p: f64,
    method: Method,
}

fn significances(
    folder: &RunFolder,
    rounds: &[KeptRound],
    parts: &[Part],
    seed: u64,
) -> Result<Vec<Significance>> {
    let mut tests = Vec::new();
    for part in parts.iter().filter(|part| part.name != "train") {
        let single = folder.kept_analyses(rounds[0].number, part.name)?.agreements();
        let members = folder.kept_members(part.name)?;
        let voted = vote_on(part, &borrowed(&members));
        let samples = Samples {
            sentences: voted.iter().zip(&single).map(|(a, b)| [sample(a), sample(b)]).collect(),
            ..Samples::default()
        };
        let (method, p) = randomise(&samples, &[Figure::F1], SHUFFLES, seed, EXACT_UP_TO);
        let f1 = |agreements: &[Agreement]| agreements.iter().collect::<BracketTotals>().f1();
        let difference = f1(&voted) - f1(&single);
        tests.push(Significance { part: part.name, difference, p: p[0], method });
    }
    Ok(tests)
}

fn sample(agreement: &Agreement) -> Sample {
    Sample {
        matched: u64::from(agreement.correct),
        gold: u64::from(agreement.correct + agreement.missing),
        test: u64::from(agreement.correct + agreement.spurious),
        f1: None,
    }
}

fn object(
    folder: &RunFolder,
    rounds: &[KeptRound],
    rows: &[Row],
    parts: &[Part],
    tests: &[Significance],
) -> Value {
    let of_row = |row: &Row| {
        let mut object = json!({ "round": row.round.number });
        for part in parts {
            let figures = FIGURES
                .iter()
                .map(|(name, _)| ((*name).to_owned(), json!(row.figure(part.name, name))));
            object[part.name] = Value::Object(figures.collect());
        }
        (row.name.replace(' ', "_"), object)
    };
    let rows: serde_json::Map<String, Value> = rows.iter().map(of_row).collect();
    let tests: Vec<Value> = tests
        .iter()
        .map(|test| json!({ "part": test.part, "f1_difference": test.difference, "p": test.p }))
        .collect();
    json!({
        "run": folder.path().display().to_string(),
        "rounds": rounds.iter().map(|r| json!({
            "round": r.number, "vote": r.vote, "metrics": r.metrics, "seconds": r.seconds,
        })).collect::<Vec<_>>(),
        "table": rows,
        "significance": tests,
    })
}
