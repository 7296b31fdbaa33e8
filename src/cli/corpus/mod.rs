//! `corpus`: what a treebank file holds, other forms of it, and new treebanks from a grammar.

pub mod args;
mod convert;
pub mod output;
mod report;
mod search;
mod split;
mod stats;

use super::failure::Usage;
use super::file;
use super::signals::clean_up_on_signals;
use crate::report::counted;
use crate::treebank::Problem;
use crate::treebank::generate::{Grammar, generate};
use anyhow::{Context, Result, bail};
use args::{Corpus, CorpusGenerate};
use serde::Serialize;
use std::io::Write;

pub fn run(args: &Corpus, out: &mut dyn Write) -> Result<()> {
    clean_up_on_signals()?;
    match args {
        Corpus::Stats(args) => stats::stats(args, out),
        Corpus::Convert(args) => convert::convert(args, out),
        Corpus::Split(args) => split::split(args, out),
        Corpus::Clean(args) => convert::clean(args, out),
        Corpus::Search(args) => search::search(args, out),
        Corpus::Generate(args) => generated(args, out),
    }
}

#[derive(Serialize)]
struct Fault<'a> {
    file: &'a str,
    line: u32,
    column: u32,
    kind: &'a str,
    message: &'a str,
}

impl<'a> Fault<'a> {
    fn of(Problem { file, line, column, kind, message }: &'a Problem) -> Fault<'a> {
        Fault { file, line: *line, column: *column, kind, message }
    }
}

fn generated(args: &CorpusGenerate, out: &mut dyn Write) -> Result<()> {
    if args.sentences == 0 {
        return Err(Usage("--sentences 0: expected a number above 0".into()).into());
    }
    if args.min_length > args.max_length {
        let (min, max) = (args.min_length, args.max_length);
        return Err(Usage(format!("--min-length {min} is above --max-length {max}")).into());
    }
    let grammar = match &args.grammar {
        None => Grammar::bundled(),
        Some(path) => {
            let name = path.display();
            let text = String::from_utf8(file::read(path, &["txt"])?);
            let text = text.with_context(|| format!("{name}: no UTF-8 text"))?;
            Grammar::parse(&text).with_context(|| format!("{name}"))?
        }
    };
    let trees = generate(&grammar, args.sentences, args.seed, args.min_length, args.max_length);
    for tree in &trees {
        writeln!(out, "{tree}")?;
    }
    if trees.len() < args.sentences {
        out.flush()?;
        bail!(
            "only {} of {}: the grammar all but never gives one of {} to {}",
            trees.len(),
            counted(args.sentences, "sentence"),
            args.min_length,
            counted(args.max_length, "word")
        );
    }
    Ok(())
}
