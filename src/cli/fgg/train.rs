//! `fgg train`: expectation maximisation for the factors of a grammar.

use super::args::Train;
use super::load;
use crate::checkpoint::write_atomically;
use crate::cli::evalb;
use crate::cli::file::refuse_existing;
use crate::cli::plain::tell;
use crate::fgg::{self, FggError, Trainer, to_json};
use crate::report::counted;
use crate::report::numbers::Number;
use anyhow::{Context, Result, anyhow, bail};
use serde_json::json;
use std::io::Write;

/// A step that gains less for a word ends the training, nats.
const GAIN: f64 = 1e-9;

pub fn run(args: &Train, out: &mut dyn Write) -> Result<()> {
    refuse_existing(&args.out)?;
    let loaded = load(&args.file)?;
    let bytes = evalb::read(&args.data, &["txt"])?;
    let text = String::from_utf8_lossy(&bytes);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut lines: Vec<(usize, Vec<String>)> =
        (1..).zip(text.lines().map(words)).filter(|(_, sentence)| !sentence.is_empty()).collect();
    let data = args.data.display();
    if lines.is_empty() {
        bail!("{data}: there are no sentences: expected one a line");
    }
    let read = lines.len();
    let mut unknown = None;
    lines.retain(|(line, sentence)| {
        let sentence: Vec<&str> = sentence.iter().map(String::as_str).collect();
        match fgg::conjoin(&loaded.grammar, &sentence) {
            Err(error @ FggError::UnknownWord { .. }) => {
                unknown.get_or_insert((*line, error));
                false
            }
            _ => true,
        }
    });
    if let Some((line, error)) = unknown {
        if lines.is_empty() {
            bail!("{data}: line {line}: {error}");
        }
        let n = counted(read - lines.len(), "sentence");
        tell(&format!("warning: {data}: {n} left out; the first, line {line}: {error}"));
    }
    let numbers: Vec<usize> = lines.iter().map(|(line, _)| *line).collect();
    let sentences: Vec<Vec<String>> = lines.into_iter().map(|(_, sentence)| sentence).collect();
    let tokens: usize = sentences.iter().map(Vec::len).sum();
    let failed = |(sentence, error): (Option<usize>, FggError)| match sentence {
        Some(number) => anyhow!("{data}: line {}: {error}", numbers[number]),
        None => anyhow!("{}: {error}", loaded.name),
    };
    let mut trainer = Trainer::new(loaded.grammar.clone(), &sentences).map_err(failed)?;
    let say = |line: String, out: &mut dyn Write| -> Result<()> {
        if args.json {
            tell(&line);
        } else {
            writeln!(out, "{line}")?;
        }
        Ok(())
    };
    for line in trainer.sums().describe(trainer.grammar()) {
        say(line, out)?;
    }
    if let Some(seed) = args.seed {
        trainer.randomise(seed);
    }
    let mut before = f64::NEG_INFINITY;
    let mut last = None;
    for step in 0..=args.steps {
        // The last round only tells what the last step has given.
        let kept = trainer.grammar().clone();
        let progress = trainer.step().map_err(failed)?;
        if step == 0 && progress.impossible > 0 {
            let left_out = counted(progress.impossible, "sentence");
            say(format!("{left_out} without a derivation, left out"), out)?;
        }
        let per_word = progress.log_likelihood / tokens as f64;
        let perplexity = (-per_word).exp();
        let log_likelihood = progress.log_likelihood;
        let line = format!(
            "step {step}  log-likelihood {log_likelihood:.4}  per word {per_word:.6}  perplexity {perplexity:.3}"
        );
        say(line, out)?;
        last = Some((step, progress, kept));
        if per_word - before < GAIN {
            break;
        }
        before = per_word;
    }
    let Some((steps, progress, grammar)) = last else { return Ok(()) };
    write_atomically(&args.out, to_json(&grammar).as_bytes())
        .with_context(|| args.out.display().to_string())?;
    say(format!("wrote {}", args.out.display()), out)?;
    if args.json {
        let per_word = progress.log_likelihood / tokens as f64;
        let object = json!({
            "out": args.out,
            "steps": steps,
            "sentences": sentences.len() - progress.impossible,
            "left_out": read - sentences.len() + progress.impossible,
            "words": tokens,
            "log_likelihood": Number(progress.log_likelihood),
            "perplexity": Number((-per_word).exp()),
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
    }
    Ok(())
}
