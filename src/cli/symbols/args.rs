//! Arguments of `symbols`.

use crate::cli::values::whole;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Symbols {
    /// List the symbols of a grammar, or the states of an HMM: use, gold labels, yields
    List(SymbolsList),
    /// Show one symbol: use, gold labels, yields, expansions or words, and symbols like it
    Show(SymbolsShow),
    /// Print the sentences that use a symbol
    Sentences(SymbolsSentences),
    /// Set the symbols of one checkpoint beside those of another that do the same
    Align(SymbolsAlign),
}

/// Which sentences are parsed.
#[derive(Debug, Args)]
pub struct Parsed {
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:dev
    pub corpus: PathBuf,
    /// Leave out sentences of more words, counted after preprocessing; 0: however long
    /// [default: the checkpoint's evaluation.max_length]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub max_length: Option<usize>,
}

/// Which symbols, and in which order.
#[derive(Debug, Args)]
pub struct Listed {
    /// Which kind of symbols [default: nonterminals, of an HMM its states]
    #[arg(long, value_enum)]
    pub kind: Option<Kind>,
    /// Only symbols with this text in their name, a gold label, a word or a yield
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
    pub filter: String,
    /// Print so many symbols; 0 prints all
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
          value_parser = whole)]
    pub limit: usize,
    /// How to print them
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    Nonterminals,
    Preterminals,
    States,
}

/// How tables are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Columns, behind a line on the whole
    Text,
    /// One line a symbol
    Csv,
    /// An array of objects
    Json,
    /// A tabular of the package booktabs
    Latex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Sort {
    /// Expected use, the largest first
    Use,
    /// Purity of the gold label that a symbol mostly covers
    Purity,
    Number,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AlignedSort {
    /// Expected use, the largest first
    Use,
    Purity,
    Number,
    /// F1 with the partner
    Partner,
}

#[derive(Debug, Args)]
#[command(after_help = "Figures are those of the Grammar screen: expected numbers under the \
                        posterior, and the labelled MBR trees against gold trees.\n\
                        Example: rankspace symbols list runs/RUN sample:dev --filter NP")]
pub struct SymbolsList {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    #[command(flatten)]
    pub parsed: Parsed,
    /// What to sort by
    #[arg(long, value_enum, default_value_t = Sort::Use)]
    pub sort: Sort,
    #[command(flatten)]
    pub listed: Listed,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace symbols show runs/RUN sample:dev N12")]
pub struct SymbolsShow {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    #[command(flatten)]
    pub parsed: Parsed,
    /// Name of the symbol, as in trees: N12, T7, or S3 of an HMM
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Print so many of everything
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10,
          value_parser = whole)]
    pub limit: usize,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "A line has the number of the sentence, its words, and behind them where \
                        the symbol stands, first word and behind the last, from 0.\n\
                        Example: rankspace symbols sentences runs/RUN sample:dev N12")]
pub struct SymbolsSentences {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    #[command(flatten)]
    pub parsed: Parsed,
    /// Name of the symbol, as in trees: N12, T7, or S3 of an HMM
    #[arg(value_name = "SYMBOL")]
    pub symbol: String,
    /// Print one JSON object a sentence
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Both parse the same sentences. Symbols are matched one to one, so that as \
                        many spans (words, of preterminals and states) of both trees as can be \
                        have partners as their symbols.\n\
                        Example: rankspace symbols align runs/SEED-1 runs/SEED-2 sample:dev \
                        --format csv"
)]
pub struct SymbolsAlign {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// The other one
    pub other: PathBuf,
    #[command(flatten)]
    pub parsed: Parsed,
    /// What to sort by
    #[arg(long, value_enum, default_value_t = AlignedSort::Use)]
    pub sort: AlignedSort,
    #[command(flatten)]
    pub listed: Listed,
}

impl Symbols {
    /// Whether standard output is for programs to read.
    pub fn is_json(&self) -> bool {
        match self {
            Symbols::List(args) => args.listed.format == Format::Json,
            Symbols::Align(args) => args.listed.format == Format::Json,
            Symbols::Show(args) => args.json,
            Symbols::Sentences(args) => args.json,
        }
    }
}
