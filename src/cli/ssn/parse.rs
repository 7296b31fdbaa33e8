//! `ssn parse`: the trees of sentences, one for every sentence of the input, in order.

use super::args::{Printed, SsnParse};
use crate::cli::plain::tell;
use crate::cli::progress;
use crate::cli::sentences::{self, Given};
use crate::config::Select;
use crate::ensemble::Annotated;
use crate::parser::ssn::SsnFile;
use crate::parser::{Parsed, TreeParser, Words};
use crate::report::{counted, numbers};
use crate::run::{Group, Member, RunFolder};
use crate::treebank::{Preprocessing, Removed};
use anyhow::{Result, bail};
use rayon::prelude::*;
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Sentences parsed before some are printed.
const PIECE: usize = 64;

/// A sentence as the parser sees it.
struct Input {
    words: Vec<Arc<str>>,
    tags: Option<Vec<Arc<str>>>,
}

#[derive(Serialize)]
struct Line<'a> {
    /// Number of the sentence in the input, from 1.
    sentence: usize,
    words: &'a [Arc<str>],
    /// log P(words, tree), nats.
    #[serde(with = "numbers")]
    log_prob: f64,
    tree: Option<String>,
}

pub fn run(args: &SsnParse, out: &mut dyn Write) -> Result<()> {
    let path = match Group::is_one(&args.checkpoint) {
        true => best_seed(&args.checkpoint)?,
        false => sentences::checkpoint_file(&args.checkpoint)?,
    };
    if path != args.checkpoint {
        tell(&format!("using {}", path.display()));
    }
    let SsnFile { ssn, preprocessing, .. } = SsnFile::load(&path)?;
    let ssn = match args.beam {
        Some(beam) => ssn.with_beam(beam),
        None => ssn,
    };
    let given = sentences::read(&args.file, &preprocessing)?;
    let inputs: Vec<Option<Input>> =
        given.iter().enumerate().map(|(i, given)| input(given, i, &preprocessing)).collect();
    if args.gold_tags && !inputs.iter().flatten().any(|input| input.tags.is_some()) {
        tell("warning: --gold-tags: the input has no tags");
    }
    let parse = |input: &Option<Input>| {
        let Input { words, tags } = input.as_ref()?;
        let tags = tags.as_deref().filter(|_| args.gold_tags);
        Some(ssn.parse(Words { words, tags }))
    };
    let start = Instant::now();
    let (mut done, mut fallbacks) = (0, 0);
    let bar = progress::bar(inputs.len(), "sentences");
    for piece in inputs.chunks(PIECE) {
        let parsed: Vec<Option<Parsed>> = piece.par_iter().map(parse).collect();
        for (input, parsed) in piece.iter().zip(parsed) {
            done += 1;
            fallbacks += usize::from(parsed.as_ref().is_some_and(|p| p.fallback.is_some()));
            print(args.format, done, input.as_ref(), parsed.as_ref(), out)?;
        }
        bar.inc(piece.len() as u64);
    }
    bar.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let speed = done as f64 / seconds.max(1e-9);
    tell(&format!("{} in {seconds:.1} s, {speed:.1} a second", counted(done, "sentence")));
    if fallbacks > 0 {
        let what = counted(fallbacks, "sentence");
        tell(&format!("warning: the search came to nothing for {what}, whose words stand alone"));
    }
    Ok(())
}

/// The best checkpoint of several seeds, by the figure that their training goes by.
fn best_seed(path: &Path) -> Result<PathBuf> {
    let group = Group::open(path)?;
    let figure = match group.config().training.select {
        Select::LogLikelihood => "log_likelihood",
        Select::SF1 => "f1",
    };
    let of = |member: &Member| -> Option<(f64, PathBuf)> {
        let dev = group.summary(member)?.status?.best?.dev;
        let file = RunFolder::open(&group.folder_of(member)).ok()?.best();
        Some((dev.get(figure)?, file)).filter(|(_, file)| file.is_file())
    };
    let best = group.members().iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((_, file)) => Ok(file),
        None => bail!("{}: no seed has a checkpoint yet", path.display()),
    }
}

fn print(
    format: Printed,
    number: usize,
    input: Option<&Input>,
    parsed: Option<&Parsed>,
    out: &mut dyn Write,
) -> Result<()> {
    match format {
        Printed::Json => {
            let line = Line {
                sentence: number,
                words: input.map_or(&[], |input| &input.words),
                log_prob: parsed.map_or(f64::NEG_INFINITY, |parsed| parsed.score),
                tree: parsed.map(|parsed| parsed.tree.to_string()),
            };
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
        Printed::Bracket => match parsed {
            Some(parsed) => writeln!(out, "{}", parsed.tree)?,
            None => {
                tell(&format!("warning: sentence {number} has no word"));
                // The output stays in step with the input.
                writeln!(out)?;
            }
        },
    }
    Ok(())
}

/// Words and tags after preprocessing; `None` where no word is left.
fn input(given: &Given, index: usize, rules: &Preprocessing) -> Option<Input> {
    if let Given::Tree(tree) = given {
        let tree = Annotated::new(tree.clone(), index, rules, &mut Removed::default())?.tree;
        let tags = tree.tags().cloned().collect();
        return Some(Input { words: tree.words().to_vec(), tags: Some(tags) });
    }
    let sentence = given.sentence(index, rules)?;
    Some(Input { words: sentence.words, tags: sentence.tags })
}
