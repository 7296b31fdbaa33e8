//! Arguments of `bag`, `boost`, `learning-curve` and `noise`.

use crate::cli::values::{parts, seed, several};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Which trees parsers learn from, and how.
#[derive(Debug, Args)]
pub struct Supervision {
    /// Training trees: files, folders, patterns or sample:train; may be repeated
    #[arg(long, value_name = "FILE")]
    pub train: Vec<String>,
    /// Test trees
    #[arg(long, value_name = "FILE")]
    pub test: Vec<String>,
    /// Change one setting, e.g. parser.vertical=1 or data.max_length=40; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
}

/// A run of many parsers.
#[derive(Debug, Args)]
pub struct EnsembleRun {
    /// Config file (TOML); without it the defaults hold
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub supervision: Supervision,
    /// Further trees to score on
    #[arg(long, value_name = "FILE")]
    pub dev: Vec<String>,
    /// How many parsers
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub rounds: Option<usize>,
    /// Run folder to make; it must be new or empty [default: runs/DATE-KIND]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Every bag is drawn with replacement; the parsers vote on constituents. \
                        Stopped, it goes on with `rankspace resume DIR`.\n\
                        Example: rankspace bag --train train.mrg --test test.mrg --rounds 15")]
pub struct Bag {
    #[command(flatten)]
    pub run: EnsembleRun,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(after_help = "Stopped, it goes on with `rankspace resume DIR`.\n\
                        Example: rankspace boost --train train.mrg --test test.mrg --rounds 15")]
pub struct Boost {
    #[command(flatten)]
    pub run: EnsembleRun,
    /// How weights change: by the share of wrong constituents, or by the literal sum over
    /// constituents, which after some rounds ranks sentences by length [default: default]
    #[arg(long, value_parser = names(&["default", "literal"]))]
    pub update: Option<String>,
    /// Whether sentences count by their weight or are drawn by it [default: reweight]
    #[arg(long, value_parser = names(&["reweight", "resample"]))]
    pub sampling: Option<String>,
    /// What follows a round that is wrong on half of the weight [default: stop]
    #[arg(long, value_parser = names(&["stop", "reset"]))]
    pub on_failure: Option<String>,
    #[command(subcommand)]
    pub what: Option<BoostWhat>,
}

#[derive(Debug, Subcommand)]
pub enum BoostWhat {
    /// Train one parser a sentence and tell which of them do not give their sentence back
    WeakLearning(WeakLearning),
    /// List the sentences that a run of boost pushes up, or that a run of bag gets wrong most often
    Ranking(Ranking),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Without --trees it is a table (TSV) whose first columns are rank, sentence \
                        (counted from 0) and score, as `noise score` takes it.\n\
                        Example: rankspace boost ranking runs/RUN --by combined --top 50 \
                        --trees"
)]
pub struct Ranking {
    /// Run folder of boost or bag
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// What ranks them: the weight of boosting, that with what is annotated otherwise elsewhere,
    /// what a single change of the tree gains, all of these, what is annotated otherwise alone, or
    /// mean or variance of the share of wrong constituents over the rounds [default: boosting; of a
    /// run of bag mean-error, which also stands for the weight where signals are combined]
    #[arg(long, value_enum)]
    pub by: Option<By>,
    /// How many sentences; 0 lists all
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
          value_parser = crate::cli::values::whole)]
    pub top: usize,
    /// Show annotation and voted analysis of each
    #[arg(long)]
    pub trees: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    Boosting,
    #[value(name = "boosting+conflicts")]
    BoostingConflicts,
    Slips,
    Combined,
    Variation,
    MeanError,
    ErrorVariance,
}

impl By {
    /// Whether it goes by the weights of boosting, which bags have not.
    pub fn weighs(self) -> bool {
        matches!(self, By::Boosting | By::BoostingConflicts)
    }
}

#[derive(Debug, Args)]
#[command(
    after_help = "Example: rankspace boost weak-learning train.mrg --stable stable.mrg, then \
                        rankspace boost --train stable.mrg"
)]
pub struct WeakLearning {
    /// Treebanks: files, folders, patterns or sample:train
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Change one setting, e.g. data.preset=trees; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Only the parser of the settings, with its own tags [default: a table over the order of the
    /// grammar, with a smoothed lexicon or without, and with the tags of the annotation]
    #[arg(long)]
    pub one: bool,
    /// Write the sentences that the parser of the settings reproduces, or ties on, as brackets
    #[arg(long, value_name = "FILE")]
    pub stable: Option<PathBuf>,
    /// Write what became of every sentence as a table
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace learning-curve --train train.mrg --test test.mrg")]
pub struct LearningCurve {
    /// Config file (TOML); without it the defaults hold
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub supervision: Supervision,
    /// Sentences to train on, separated by commas [default: 50, 100, 500, 1000, 5000, 10000, 20000 as far as there are
    /// so many, and all]
    #[arg(long, value_name = "N", value_delimiter = ',', allow_negative_numbers = true,
          value_parser = clap::value_parser!(u64).range(1..))]
    pub sizes: Vec<u64>,
    /// Write the curve as a picture (SVG)
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Noise {
    /// Write a copy of a treebank with known errors in it
    Plant(NoisePlant),
    /// Score a ranking of sentences against planted errors
    Score(NoiseScore),
    /// Plant errors, rank the sentences in every way there is, and score the rankings
    Table(NoiseTable),
}

/// Errors by kind.
const KINDS: [&str; 5] = ["label", "attachment", "bracket", "systematic", "tag"];

#[derive(Debug, Args)]
#[command(after_help = "Writes noisy.mrg, clean.mrg (the same without errors) and planted.tsv. A \
                        sentence has at most one error.\n\
                        Example: rankspace noise plant train.mrg --share 2 --seed 1 --out noise")]
pub struct NoisePlant {
    /// Treebanks: files, folders, patterns or sample:train
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Sentences to get an error, in percent
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, default_value_t = 2.0,
          value_parser = crate::cli::values::share)]
    pub share: f64,
    /// Kinds of errors, in equal parts
    #[arg(long, value_name = "KIND,...", value_delimiter = ',',
          default_values = KINDS, value_parser = names(&KINDS))]
    pub kinds: Vec<String>,
    /// The same seed plants the same errors
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = seed)]
    pub seed: u64,
    /// Folder to make; it must be new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct NoiseScore {
    /// Ranking: a table (TSV) whose first columns are rank, sentence and score
    pub ranking: PathBuf,
    /// The list of planted errors, as `noise plant` writes it
    pub planted: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Called again with the same --out, it goes on where it was stopped.\n\
                        Example: rankspace noise table train.mrg --share 1,2,5 --seeds 3 --out noise")]
pub struct NoiseTable {
    /// Treebanks: files, folders, patterns or sample:train
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Sentences to get an error, in percent; several separated by commas
    #[arg(long, value_name = "PERCENT", value_delimiter = ',', allow_negative_numbers = true,
          default_values_t = [2.0], value_parser = crate::cli::values::share)]
    pub share: Vec<f64>,
    /// How often errors are planted, with seeds from 0 on
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 5, value_parser = several)]
    pub seeds: usize,
    /// Rounds of boosting, and bags
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10, value_parser = several)]
    pub rounds: usize,
    /// Folds of the cross-validation
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10, value_parser = parts)]
    pub folds: usize,
    /// Change one setting, e.g. parser.vertical=1; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Folder for the noisy treebanks, runs and rankings; new, or of an earlier call
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

fn names(names: &[&'static str]) -> impl TypedValueParser<Value = String> + use<> {
    PossibleValuesParser::new(names.to_vec())
}
