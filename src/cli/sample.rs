//! `sample`: sentences drawn from a model.

use super::args::{Drawn, Sample};
use super::plain::tell;
use super::sentences;
use crate::model::{self, ParsedSpan};
use crate::render::{Diagram, DiagramSpan, to_brackets};
use crate::report::counted;
use crate::treebank::Vocabulary;
use anyhow::{Result, bail};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

/// Sentences given up for their length, in a row, before nothing more is tried: the weights of a
/// PCFG may give endless derivations a probability.
const PATIENCE: usize = 1000;

#[derive(Serialize)]
struct Line {
    /// From 1.
    sentence: usize,
    words: Vec<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    spans: Option<Vec<Span>>,
}

#[derive(Serialize)]
struct Span {
    start: u32,
    end: u32,
    label: String,
}

pub fn run(args: &Sample, out: &mut dyn Write) -> Result<()> {
    let checkpoint = sentences::checkpoint(&args.checkpoint)?;
    let family = checkpoint.config.model.family;
    if args.format == Some(Drawn::Bracket) && !family.has_trees() {
        bail!(
            "{} is a language model and draws no trees: leave out --format",
            family.with_article()
        );
    }
    let format = args.format.unwrap_or(match family.has_trees() {
        true => Drawn::Bracket,
        false => Drawn::Text,
    });
    let parser = checkpoint.parser()?;
    let vocabulary = &checkpoint.vocabulary;
    let (mut given_up, mut in_a_row) = (0, 0);
    let mut number = 0;
    while number < args.number {
        // A stream a sentence: how long others are makes no difference to it.
        let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
        rng.set_stream((number + given_up) as u64);
        let drawn = parser.sample(vocabulary.end(), args.max_length, &mut rng)?;
        if !drawn.complete {
            (given_up, in_a_row) = (given_up + 1, in_a_row + 1);
            if in_a_row == PATIENCE {
                bail!(
                    "{PATIENCE} sentences in a row had more than {}: try --max-length, or a \
                     model that has learned more",
                    counted(args.max_length, "word")
                );
            }
            continue;
        }
        (number, in_a_row) = (number + 1, 0);
        let words: Vec<Arc<str>> = words_of(&drawn.words, vocabulary);
        match format {
            Drawn::Text => writeln!(out, "{}", words.join(" "))?,
            Drawn::Bracket => {
                let tags: Vec<String> =
                    drawn.tags.iter().map(|&t| model::preterminal_name(t)).collect();
                let spans: Vec<_> = drawn
                    .spans
                    .iter()
                    .map(|s| DiagramSpan { start: s.start, end: s.end, label: label(s) })
                    .collect();
                match Diagram::from_spans(&words, Some(&tags), &spans) {
                    Some(tree) => writeln!(out, "{}", to_brackets(&tree))?,
                    None => bail!("sentence {number}: the spans are no tree"),
                }
            }
            Drawn::Json => {
                let span = |s: &ParsedSpan| Span { start: s.start, end: s.end, label: label(s) };
                let tag = |&t: &u32| model::preterminal_name(t);
                let line = Line {
                    sentence: number,
                    words,
                    tags: family.has_trees().then(|| drawn.tags.iter().map(tag).collect()),
                    spans: family.has_trees().then(|| drawn.spans.iter().map(span).collect()),
                };
                serde_json::to_writer(&mut *out, &line)?;
                writeln!(out)?;
            }
        }
    }
    if given_up > 0 {
        tell(&format!(
            "note: drawn and left out: {} of more than {}",
            counted(given_up, "sentence"),
            counted(args.max_length, "word")
        ));
    }
    Ok(())
}

fn words_of(ids: &[u32], vocabulary: &Vocabulary) -> Vec<Arc<str>> {
    ids.iter().map(|&id| vocabulary.word(id).clone()).collect()
}

fn label(span: &ParsedSpan) -> String {
    span.label.map(model::nonterminal_name).unwrap_or_default()
}
