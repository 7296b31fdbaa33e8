//! Arguments of `rerank`.

use crate::cli::candidates::args::Reading;
use crate::cli::values::{place, seed, several};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Rerank {
    /// Learn to choose among candidates
    Train(Train),
    /// Choose among candidates, and score the choices where there are gold trees
    Apply(Apply),
    /// Tell which decisions made a candidate better than the base parser's choice
    Explain(Explain),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Training candidates must come from parsers that have not seen the sentence, \
                        as `rankspace candidates make` makes them.\n\
                        Example: rankspace rerank train candidates/train.jsonl \
                        --dev candidates/dev.jsonl --kernel top-efficient --out reranker.safetensors"
)]
pub struct Train {
    /// Candidate lists with gold trees
    #[arg(value_name = "TRAIN")]
    pub train: PathBuf,
    /// Lists that the scale of the log-probability and the epoch are chosen on
    #[arg(long, value_name = "FILE")]
    pub dev: Option<PathBuf>,
    /// Config file (TOML) with sections [rerank] and [parser]; without it the defaults hold
    #[arg(long, value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// What candidates are compared by [default: top-efficient, by rerank.kernel]
    #[arg(long, value_name = "KERNEL",
          value_parser = PossibleValuesParser::new(["fisher", "top", "top-efficient", "tree"]))]
    pub kernel: Option<String>,
    /// Derive the kernel from a history-based parser: its file, or the run folder of its training
    /// [default: from a treebank grammar of the lists' gold trees]
    #[arg(long, value_name = "FILE")]
    pub ssn: Option<PathBuf>,
    /// Change one setting, e.g. rerank.epochs=3; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub reading: Reading,
    /// Train on the first so many lists instead, one number after the other, and show how good the
    /// reranker gets; nothing is written
    #[arg(long, value_name = "N", value_delimiter = ',', allow_negative_numbers = true,
          requires = "dev", value_parser = clap::value_parser!(u64).range(1..))]
    pub sizes: Vec<u64>,
    /// Only make the features of the first so many lists by every derived kernel, and show how many
    /// and how fast they are
    #[arg(long, value_name = "N", allow_negative_numbers = true, num_args = 0..=1, require_equals = true,
          default_missing_value = "100", conflicts_with = "sizes",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub cost: Option<u64>,
    /// File for the reranker
    #[arg(long, value_name = "FILE", required_unless_present_any = ["sizes", "cost"])]
    pub out: Option<PathBuf>,
    /// Write over a file that is there
    #[arg(long)]
    pub force: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: rankspace rerank apply reranker.safetensors candidates/test.jsonl \
                        --trees test-reranked.mrg"
)]
pub struct Apply {
    /// Reranker, as `rerank train` writes it, or the run folder of its training
    #[arg(value_name = "RERANKER")]
    pub reranker: PathBuf,
    /// Candidate lists
    #[arg(value_name = "FILE")]
    pub lists: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Write the chosen trees as brackets, one a line
    #[arg(long, value_name = "FILE")]
    pub trees: Option<PathBuf>,
    /// Write every candidate with its rank by the base parser and by the reranker, its scores and
    /// its F1, as a table (TSV)
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Also the figures by sentence length, so many lengths at a time
    #[arg(long, value_name = "WIDTH", num_args = 0..=1, require_equals = true,
          default_missing_value = "10", value_parser = clap::value_parser!(u64).range(1..))]
    pub by_length: Option<u64>,
    /// Random exchanges for the p-values; few differing sentences are exchanged in all ways
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10_000,
          value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub shuffles: u64,
    /// The same seed draws the same exchanges
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
          value_parser = seed)]
    pub seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: rankspace rerank explain reranker.safetensors candidates/test.jsonl \
                        --sentence 12"
)]
pub struct Explain {
    /// Reranker, as `rerank train` writes it, or the run folder of its training
    #[arg(value_name = "RERANKER")]
    pub reranker: PathBuf,
    /// Candidate lists
    #[arg(value_name = "FILE")]
    pub lists: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    /// Number of the sentence in the file, from 1
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = place)]
    pub sentence: usize,
    /// Candidate to explain, by its rank in the base parser's order, from 1 [default: the
    /// reranker's choice]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = place)]
    pub candidate: Option<usize>,
    /// Candidate to compare it with
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = place)]
    pub against: usize,
    /// Decisions to show
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10,
          value_parser = several)]
    pub top: usize,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
