//! `score`: the log-probability of every sentence, in nats.

use super::args::Score;
use super::sentences;
use crate::model::Wanted;
use crate::report::numbers;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Line {
    /// Number of the sentence in the file, from 1.
    sentence: usize,
    /// How many words the model saw.
    words: usize,
    #[serde(with = "numbers")]
    log_prob: f64,
}

pub fn run(args: &Score, out: &mut dyn Write) -> Result<()> {
    let checkpoint = sentences::checkpoint(&args.checkpoint)?;
    let parser = checkpoint.parser()?;
    let given = sentences::read(&args.file, &checkpoint.preprocessing)?;
    let read = sentences::prepare(&given, &checkpoint.preprocessing);
    let parses = sentences::parse(
        &*parser,
        &checkpoint,
        read.iter().map(Option::as_ref),
        Wanted::default(),
    )?;
    for (i, (sentence, parse)) in read.iter().zip(parses).enumerate() {
        let line = Line {
            sentence: i + 1,
            words: sentence.as_ref().map_or(0, |s| s.len()),
            // No words, no derivation.
            log_prob: parse.map_or(f64::NEG_INFINITY, |p| p.log_prob),
        };
        if args.json {
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        } else {
            let words = sentence.as_ref().map(|s| s.surface.join(" ")).unwrap_or_default();
            writeln!(out, "{:.6}\t{words}", line.log_prob)?;
        }
    }
    Ok(())
}
