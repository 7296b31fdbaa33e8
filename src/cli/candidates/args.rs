//! Arguments of `candidates`.

use crate::cli::ensemble::args::Supervision;
use crate::cli::values::{parts, positive, several};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Candidates {
    /// Make candidates with a treebank grammar; those of training sentences by jackknifing
    Make(Make),
    /// Write candidate lists of other parsers in another format, ours by default
    Convert(Convert),
    /// Count what is in one list, or compare the lists of two parsers for the same sentences
    Stats(Stats),
}

/// How candidate lists are read.
#[derive(Debug, Args)]
pub struct Reading {
    /// Format of the lists [default: as their content shows]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<ListFormat>,
    /// Base of the logarithms in the file [default: 2 of bllip and charniak-johnson, e of others]
    #[arg(long, value_enum, value_name = "BASE")]
    pub log_base: Option<LogBase>,
    /// Gold trees for lists without them, in the same order; traces and functions are taken away
    #[arg(long, value_name = "FILE")]
    pub gold: Option<PathBuf>,
    /// Leave out sentences of more words
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub max_length: Option<usize>,
}

/// Formats of candidate lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    /// `count TAB id`, then a score line and a tree line for every parse
    Bllip,
    /// `score TAB tree` a line, a blank line between sentences
    Berkeley,
    /// `count TAB id`, then a line `field value,` and a tree line for every parse
    BerkeleyEc,
    /// The number of sentences; `nparses goldtree` and `score tree` lines
    CharniakJohnson,
    /// `# Parse 1 with score -42.1`, then a tree over one or more lines
    Stanford,
    /// One JSON object a sentence, with names, gold trees and folds
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogBase {
    #[value(name = "2")]
    Two,
    #[value(name = "e")]
    E,
    #[value(name = "10")]
    Ten,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes train.jsonl, dev.jsonl and test.jsonl into the folder. Called again \
                        with the same --out, it goes on where it was stopped.\n\
                        Example: rankspace candidates make --train train.mrg --dev dev.mrg \
                        --test test.mrg --out candidates"
)]
pub struct Make {
    /// Config file (TOML); without it the defaults hold
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub supervision: Supervision,
    /// Development trees
    #[arg(long, value_name = "FILE")]
    pub dev: Vec<String>,
    /// Most candidates of a sentence [default: 20, by rerank.candidates]
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub k: Option<usize>,
    /// Parts of the training set, each parsed by what the others teach [default: 10, by
    /// rerank.folds]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parts)]
    pub folds: Option<usize>,
    /// Use a trained parser instead of a grammar that is made for it: the file of one, or the run
    /// folder of a history-based one
    #[arg(long, value_name = "FILE")]
    pub parser: Option<PathBuf>,
    /// Parsers that have not seen the sentences of the first fold, of the second and so on; named
    /// once for each fold [default: --parser, which knows the training sentences]
    #[arg(long, value_name = "FILE", requires = "parser", conflicts_with = "folds")]
    pub fold_parser: Vec<PathBuf>,
    /// Give the parser the tags of the annotation
    #[arg(long)]
    pub gold_tags: bool,
    /// Make no candidates for sentences of more words; parsers learn from them all the same
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub max_length: Option<usize>,
    /// Folder for the lists; new, or of an earlier call
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "What was dropped is told on standard error, with line and reason.\n\
                        Example: rankspace candidates convert nbest.bllip --gold dev.mrg --out dev.jsonl")]
pub struct Convert {
    /// Candidate lists, plain or gzip
    #[arg(value_name = "FILE")]
    pub lists: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Format to write
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "jsonl")]
    pub to: ListFormat,
    /// File to write [default: standard output]; gzip by a name that ends in .gz
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long, requires = "out")]
    pub force: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Of one list: sizes, and F1 of the first candidates, of the oracle (the best ones \
                        by the gold trees) and of the anti-oracle (the worst ones). Of two: also \
                        how much they have in common, the oracle of both together, and how many of \
                        a parser's misses the other has."
)]
pub struct Stats {
    /// Candidate lists
    #[arg(value_name = "FILE")]
    pub lists: PathBuf,
    /// Lists of another parser for the same sentences
    #[arg(value_name = "OTHER")]
    pub other: Option<PathBuf>,
    #[command(flatten)]
    pub reading: Reading,
    /// Only the best so many candidates of every sentence
    #[arg(short, long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub k: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
