//! Arguments of `conflicts` and `ledger`.

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "A nucleus is a sequence that is annotated in at least two ways; the more \
                        context its occurrences share, the likelier one of them is wrong. The \
                        Boost screen calls a sentence's other occurrences its twins.\n\
                        Example: rankspace conflicts train.mrg --min-context 1 --top 50")]
pub struct Conflicts {
    /// Treebanks: files, folders, patterns or sample:train
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// What sequences are made of: words, tags, or the labels of a phrase's children; tagging:
    /// single words whose tags differ
    #[arg(long, default_value = "word",
          value_parser = PossibleValuesParser::new(["word", "tag", "yield", "tagging", "all"]))]
    pub unit: String,
    /// Units on either side that occurrences with different labels must share
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0)]
    pub min_context: u32,
    /// Shortest nucleus in units, of words, tags and yields
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 2)]
    pub min_length: u32,
    /// How many groups to show, those that share most first; 0 shows all
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 20)]
    pub top: usize,
    /// Only what stands in this sentence, counted from 0
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub sentence: Option<usize>,
    /// Change one setting, e.g. data.function_labels=keep; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Print a JSON array, an object for each kind of unit
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum Ledger {
    /// Write the verdicts as a table, a corrected copy of the treebank, and the difference
    Export(LedgerExport),
}

#[derive(Debug, Args)]
#[command(
    after_help = "Writes verdicts.tsv, corrections.diff, and corrected/ with a copy of every \
                        file that a proposal is for. The treebank itself stays as it is.\n\
                        Example: rankspace ledger export runs/2026-11-30-boost --out corrections"
)]
pub struct LedgerExport {
    /// Ledger (verdicts.jsonl), or the folder that holds it
    pub ledger: PathBuf,
    /// Folder to make; it must be new or empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
