//! `score`: the log-probability of every sentence, in nats, and the surprisals of its tokens.

use super::args::Score;
use super::sentences;
use crate::model::{Parse, Wanted};
use crate::report::numbers::{self, Number};
use crate::treebank::{Sentence, Vocabulary};
use anyhow::{Result, bail};
use serde::Serialize;
use std::io::Write;

#[derive(Serialize)]
struct Line<'a> {
    /// Number of the sentence in the file, from 1.
    sentence: usize,
    /// How many words the model saw.
    words: usize,
    #[serde(with = "numbers")]
    log_prob: f64,
    #[serde(flatten)]
    tokens: Option<Tokens<'a>>,
}

/// What a language model says of the tokens of a sentence.
#[derive(Serialize)]
struct Tokens<'a> {
    /// exp(-log p / tokens).
    perplexity: Number,
    /// Words as written, and the end of the sentence.
    tokens: Vec<&'a str>,
    /// -log p of every token given those before it, nats.
    surprisals: Vec<Number>,
    /// Which tokens the vocabulary lacks, from 0: they were scored as the unknown word.
    unknown: Vec<usize>,
}

impl<'a> Tokens<'a> {
    fn new(
        sentence: Option<&'a Sentence>,
        parse: Option<&Parse>,
        vocabulary: &Vocabulary,
    ) -> Tokens<'a> {
        let words = sentence.map_or(&[][..], |s| &s.words);
        let ends = sentence.and(vocabulary.end()).map(|_| Vocabulary::END);
        let surface = sentence.into_iter().flat_map(|s| s.surface.iter().map(|w| &**w));
        let tokens: Vec<_> = surface.chain(ends).collect();
        let log_prob = parse.map_or(f64::NEG_INFINITY, |p| p.log_prob);
        // A sentence of probability 0 has no surprisals: which token is to blame is not known.
        let surprisals = parse.map_or(&[][..], |p| &p.surprisals);
        Tokens {
            perplexity: Number((-log_prob / tokens.len().max(1) as f64).exp()),
            surprisals: surprisals.iter().map(|&x| Number(short(x))).collect(),
            unknown: (0..words.len()).filter(|&i| !vocabulary.contains(&words[i])).collect(),
            tokens,
        }
    }
}

/// The digits that single precision has.
fn short(x: f32) -> f64 {
    (f64::from(x) * 1e6).round() / 1e6
}

pub fn run(args: &Score, out: &mut dyn Write) -> Result<()> {
    let checkpoint = sentences::checkpoint(&args.checkpoint)?;
    let family = checkpoint.config.model.family;
    if args.tokens && family.has_trees() {
        bail!(
            "{}: {} gives a sentence its probability as a whole and words no surprisal; \
             --tokens needs a language model",
            args.checkpoint.display(),
            family.with_article()
        );
    }
    let parser = sentences::parser(&checkpoint, &args.place)?;
    let given = sentences::read(&args.file, &checkpoint.preprocessing)?;
    let read = sentences::prepare(&given, &checkpoint.preprocessing);
    let parses = sentences::parse(
        &*parser,
        &checkpoint,
        read.iter().map(Option::as_ref),
        Wanted::default(),
    )?;
    for (i, (sentence, parse)) in read.iter().zip(&parses).enumerate() {
        let tokens = || Tokens::new(sentence.as_ref(), parse.as_ref(), &checkpoint.vocabulary);
        let line = Line {
            sentence: i + 1,
            words: sentence.as_ref().map_or(0, |s| s.len()),
            // No words, no derivation.
            log_prob: parse.as_ref().map_or(f64::NEG_INFINITY, |p| p.log_prob),
            tokens: args.tokens.then(tokens),
        };
        if args.json {
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
            continue;
        }
        let words = sentence.as_ref().map(|s| s.surface.join(" ")).unwrap_or_default();
        writeln!(out, "{:.6}\t{words}", line.log_prob)?;
        if let Some(tokens) = &line.tokens {
            write_tokens(tokens, out)?;
        }
    }
    Ok(())
}

/// A line a token, below that of the sentence.
fn write_tokens(tokens: &Tokens, out: &mut dyn Write) -> Result<()> {
    for (i, (token, Number(surprisal))) in tokens.tokens.iter().zip(&tokens.surprisals).enumerate()
    {
        let unknown = if tokens.unknown.contains(&i) { "\tunknown" } else { "" };
        writeln!(out, "  {surprisal:.6}\t{token}{unknown}")?;
    }
    Ok(())
}
