//! The series of runs as they were reported, for files: rows of steps as CSV and JSON, charts as
//! SVG and PNG. The Train screen and `rankspace curves` write the same files.
//!
//! Values are raw, never smoothed. What is not a finite number is one of the words `NaN`,
//! `Infinity` and `-Infinity`, in both formats (as in `events.jsonl`, a string in JSON); a figure
//! that was not reported at a step is empty in CSV and absent in JSON.

mod drawing;

pub use drawing::{Look, png, svg};

use super::names::RunId;
use super::series::Series;
use super::shared::RunEntry;
use crate::run::{Follower, RunFolder};
use std::fmt::Write;
use std::path::Path;

/// What JSON files of series say of their shape.
const SCHEMA: u32 = 1;

/// Dev figures that come first; others follow by name.
const FIRST: [&str; 6] = ["perplexity", "s_f1", "c_f1", "f1", "tags", "log_likelihood"];

/// A figure of a run at its steps.
pub struct Column<'a> {
    /// As in the files, e.g. `dev_perplexity`.
    pub name: String,
    pub series: &'a Series,
}

impl Column<'_> {
    /// The head of a column: short, and another one for every figure.
    pub fn short_name(&self) -> String {
        match self.name.as_str() {
            "loss" => return "loss".into(),
            "loss_a_word" => return "loss/word".into(),
            "learning_rate" => return "rate".into(),
            "gradient_norm" => return "|g|".into(),
            "tokens_per_second" => return "words/s".into(),
            _ => {}
        }
        let (split, figure) = self.name.split_once('_').unwrap_or(("", &self.name));
        let short = match figure {
            "perplexity" => "ppl",
            "log_likelihood" => "ll",
            "s_f1" => "S-F1",
            "c_f1" => "C-F1",
            "f1" => "F1",
            "c_f1_published" => "C-F1 publ.",
            "effective_symbols" => "symbols",
            figure => &figure.replace('_', " "),
        };
        format!("{split} {short}")
    }
}

/// All figures that a run has reported.
pub fn columns(run: &RunEntry) -> Vec<Column<'_>> {
    let history = &run.history;
    let column = |name: &str, series| Column { name: name.to_owned(), series };
    let mut all = vec![column("loss", &history.loss)];
    if let Some(words) = history.loss_a_word().filter(|_| !run.is_language_model()) {
        all.push(column("loss_a_word", words));
    }
    let rank = |name: &str| FIRST.iter().position(|first| *first == name).unwrap_or(FIRST.len());
    let mut dev: Vec<(&String, &Series)> = history.dev.iter().collect();
    dev.sort_by_key(|(name, _)| rank(name));
    all.extend(dev.into_iter().map(|(name, series)| column(&format!("dev_{name}"), series)));
    all.push(column("learning_rate", &history.learning_rate));
    all.push(column("gradient_norm", &history.gradient_norm));
    all.push(column("tokens_per_second", &history.tokens_per_second));
    all.extend(history.other_splits.iter().map(|(name, series)| column(name, series)));
    all.retain(|column| !column.series.is_empty());
    all
}

/// Reads everything that a run folder has reported. `go_on` is asked now and then.
pub fn read(path: &Path, go_on: &dyn Fn() -> bool) -> Result<RunEntry, String> {
    let folder = RunFolder::open(path).map_err(|e| e.to_string())?;
    let mut run = RunEntry::new(RunId(0), folder.path().to_owned());
    run.config = folder.config().ok();
    let mut follower = Follower::new(&folder);
    loop {
        let events = follower.poll().map_err(|e| e.to_string())?;
        if events.is_empty() {
            break;
        }
        for event in &events {
            run.history.push(event);
        }
        if !go_on() {
            return Err("stopped".into());
        }
    }
    run.problem = follower.complaint();
    if run.history.clock.is_empty() {
        return Err(format!("{}: no step and no evaluation was reported yet", path.display()));
    }
    Ok(run)
}

/// A number, or the word for what is none.
pub fn word(value: f64) -> String {
    match value {
        v if v.is_nan() => "NaN".into(),
        f64::INFINITY => "Infinity".into(),
        f64::NEG_INFINITY => "-Infinity".into(),
        v => v.to_string(),
    }
}

/// One row a step of each run: its name, step, running time and wall time in seconds, then the
/// figures of all runs.
pub fn csv(runs: &[RunEntry]) -> String {
    let tables: Vec<_> = runs.iter().map(columns).collect();
    let mut names: Vec<&str> = Vec::new();
    for column in tables.iter().flatten() {
        if !names.contains(&column.name.as_str()) {
            names.push(&column.name);
        }
    }
    let mut out = String::from("run,step,elapsed,time");
    for name in &names {
        out.push(',');
        out.push_str(&field(name));
    }
    out.push('\n');
    for (run, columns) in runs.iter().zip(&tables) {
        let series: Vec<Option<&Series>> = names
            .iter()
            .map(|name| columns.iter().find(|c| c.name == *name).map(|c| c.series))
            .collect();
        let name = field(&run.name);
        let clock = &run.history.clock;
        for i in 0..clock.len() {
            let (step, elapsed, wall) = clock.row(i);
            // Writing to a string cannot fail, so results are dropped.
            let _ = write!(out, "{name},{step},{},{}", word(elapsed), word(wall));
            for series in &series {
                out.push(',');
                if let Some(value) = series.and_then(|s| s.at(step)) {
                    out.push_str(&word(value));
                }
            }
            out.push('\n');
        }
    }
    out
}

/// The same as an object: `{"schema", "runs": [{"run", "rows": [{"step", "elapsed", "time", …}]}]}`,
/// a row a line.
pub fn json(runs: &[RunEntry]) -> String {
    let text = |name: &str| serde_json::Value::from(name).to_string();
    let number = |value: f64| match value.is_finite() {
        true => serde_json::Value::from(value).to_string(),
        false => text(&word(value)),
    };
    let mut out = format!("{{\"schema\":{SCHEMA},\"runs\":[");
    for (k, run) in runs.iter().enumerate() {
        let comma = if k > 0 { "," } else { "" };
        let _ = write!(out, "{comma}\n{{\"run\":{},\"rows\":[", text(&run.name));
        let columns: Vec<(String, &Series)> =
            columns(run).into_iter().map(|c| (text(&c.name), c.series)).collect();
        let clock = &run.history.clock;
        for i in 0..clock.len() {
            let (step, elapsed, wall) = clock.row(i);
            let comma = if i > 0 { "," } else { "" };
            let _ = write!(
                out,
                "{comma}\n{{\"step\":{step},\"elapsed\":{},\"time\":{}",
                number(elapsed),
                number(wall)
            );
            for (name, series) in &columns {
                if let Some(value) = series.at(step) {
                    let _ = write!(out, ",{name}:{}", number(value));
                }
            }
            out.push('}');
        }
        out.push_str("]}");
    }
    out.push_str("\n]}\n");
    out
}

/// A field of CSV, quoted where it must be (RFC 4180). One that a spreadsheet would take for a
/// formula is text all the same, behind a quotation mark.
fn field(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@']) { "'" } else { "" };
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => format!("{guard}{text}"),
    }
}

/// A file of curves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    Json,
    Svg,
    Png,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Csv, Format::Json, Format::Svg, Format::Png];

    /// Its name, the ending of its files, and what they hold.
    pub fn about(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Format::Csv => ("CSV", "csv", "all series, one row a step, raw values"),
            Format::Json => ("JSON", "json", "the same as an object of rows"),
            Format::Svg => ("SVG", "svg", "the charts as they are in view"),
            Format::Png => ("PNG", "png", "the charts as they are in view"),
        }
    }

    /// The format of a file by its ending.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|format| format.about().1 == ending)
    }

    /// The file's bytes. How charts look is `look`; numbers are written whole.
    pub fn bytes(self, runs: &[RunEntry], look: &Look) -> Result<Vec<u8>, String> {
        Ok(match self {
            Format::Csv => csv(runs).into_bytes(),
            Format::Json => json(runs).into_bytes(),
            Format::Svg => svg(runs, look).into_bytes(),
            Format::Png => png(runs, look)?,
        })
    }
}

#[cfg(test)]
mod tests;
