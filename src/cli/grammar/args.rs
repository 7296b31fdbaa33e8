//! Arguments of `grammar`.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Grammar {
    /// Learn a supervised parser from a treebank
    Train(GrammarTrain),
    /// Parse with a supervised parser, and score the trees where gold trees are given
    Parse(GrammarParse),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Families are treebank-pcfg (the default) and shift-reduce; the settings are \
                        those of [parser].\n\
                        Example: rankspace grammar train train.mrg --set parser.horizontal=1 \
                        --out a.safetensors"
)]
pub struct GrammarTrain {
    /// Training trees: files, folders, patterns or sample:train
    #[arg(required = true, value_name = "TRAIN")]
    pub train: Vec<String>,
    /// Change one setting, e.g. parser.family=shift-reduce or data.max_length=40; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// File for the parser; it must be new
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Trees go to standard output, one a line; figures, as evalb counts them with \
                        punctuation told by the gold tags, to standard error.\n\
                        Example: rankspace grammar parse a.safetensors test.mrg --json"
)]
pub struct GrammarParse {
    /// File of the parser
    #[arg(value_name = "FILE")]
    pub parser: PathBuf,
    #[command(flatten)]
    pub parsing: Parsing,
}

/// What a supervised parser is to parse, and what is to be told of it.
#[derive(Debug, Args)]
pub struct Parsing {
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:test; - is
    /// standard input, text as typed
    #[arg(default_value = "-")]
    pub corpus: PathBuf,
    /// Where tags come from
    #[arg(long, value_enum, default_value_t = Tags::Lexicon)]
    pub tags: Tags,
    /// Print so many trees a sentence, the best first, each behind its score and a tab, with a
    /// blank line behind every sentence
    #[arg(long, short, value_name = "N", allow_negative_numbers = true,
          value_parser = crate::cli::values::several)]
    pub k: Option<usize>,
    /// File for the trees, compressed where it ends in .gz [default: standard output, unless it is
    /// for the figures]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print the figures as one JSON object; trees go to --out alone
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tags {
    /// The parser finds them
    Lexicon,
    /// Those of the treebank
    Gold,
}
