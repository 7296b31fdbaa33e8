//! Arguments of `ssn`.

use crate::cli::ensemble::args::Supervision;
use crate::cli::grammar::args::Parsing;
use crate::cli::values::{positive, several};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Ssn {
    /// Train a history-based parser on trees, in a new run folder
    Train(SsnTrain),
    /// Parse sentences with a trained one
    Parse(SsnParse),
}

#[derive(Debug, Args)]
#[command(
    after_help = "The best weights are those with the likeliest development trees. Stopped, it \
                        goes on with `rankspace resume DIR`.\n\
                        Example: rankspace ssn train --train train.mrg --dev dev.mrg \
                        --set ssn.min_count=5"
)]
pub struct SsnTrain {
    /// Config file (TOML); without it the defaults hold
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    #[command(flatten)]
    pub supervision: Supervision,
    /// Development trees [default: a tenth of the training trees, drawn by the seed]
    #[arg(long, value_name = "FILE")]
    pub dev: Vec<String>,
    /// Run folder to make; it must be new or empty [default: runs/DATE-ssn]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Train so many runs that differ in their seed, counted up from the config's, in a folder
    /// of their own; called again with the same --out, it goes on where it was stopped
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub seeds: Option<usize>,
    /// How many of them at a time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          requires = "seeds", value_parser = several)]
    pub parallel: usize,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Trees go to standard output, one a line; figures, as evalb counts them with \
                        punctuation told by the gold tags, to standard error.\n\
                        Example: rankspace ssn parse runs/2026-11-29-ssn dev.mrg --json"
)]
pub struct SsnParse {
    /// File of a trained parser, or a run folder (its best), or that of several seeds (the best of
    /// them)
    pub checkpoint: PathBuf,
    #[command(flatten)]
    pub parsing: Parsing,
    /// Derivations kept after every word [default: as the settings of the training say]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = positive)]
    pub beam: Option<usize>,
}
