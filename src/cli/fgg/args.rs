//! What may stand behind `rankspace fgg`.

use crate::cli::values::{seed, whole};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Check, rewrite, infer with and train factor graph grammars
#[derive(Debug, Subcommand)]
pub enum Fgg {
    /// Tell what is in a grammar, whether it is cyclic and whether it can go to rank space
    Check(Check),
    /// Rewrite a grammar to rank space and show the rules, the new factors and the messages
    Rewrite(Rewrite),
    /// Sum over all derivations, in state space and in rank space, and count the operations of both
    Infer(Infer),
    /// Train the factors on sentences by expectation maximisation
    Train(Train),
    /// List the grammars that come with the program, or print one as JSON
    Examples(Examples),
}

impl Fgg {
    pub fn is_json(&self) -> bool {
        match self {
            Fgg::Check(args) => args.json,
            Fgg::Rewrite(args) => args.json,
            Fgg::Infer(args) => args.json,
            Fgg::Train(args) => args.json,
            Fgg::Examples(_) => false,
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace fgg check hsmm")]
pub struct Check {
    /// Grammar file (JSON), - for standard input, or the name of an example
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "`step.2` is the second matrix of the factor `step`, `emit[·,w]` its column at \
                        a word; U is the matrix of a rule's external node, V that of the node of a \
                        nonterminal, c a weight of the rank node.\n\
                        Example: rankspace fgg rewrite pcfg"
)]
pub struct Rewrite {
    /// Grammar file (JSON), - for standard input, or the name of an example
    pub file: PathBuf,
    /// Rewrite the grammar conjoined with this sentence, words between blanks
    pub sentence: Option<String>,
    /// Print one JSON object, with all numbers
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace fgg infer hmm \"the old dog sleeps\" \"a cat\"")]
pub struct Infer {
    /// Grammar file (JSON), - for standard input, or the name of an example
    pub file: PathBuf,
    /// Sentences to conjoin the grammar with, each in quotes, words between blanks; without any the
    /// grammar is summed out as it is
    #[arg(value_name = "SENTENCE")]
    pub sentences: Vec<String>,
    /// Print one JSON object a sentence
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "What sums to one in the file goes on to: a table given its first dimensions, \
                        the rows of a CPD's first matrix, the columns of the others, or several \
                        tables together. What sums to one in no direction stays as it is.\n\
                        Example: rankspace fgg train hsmm sentences.txt --seed 1 --out trained.json"
)]
pub struct Train {
    /// Grammar file (JSON), or the name of an example
    pub file: PathBuf,
    /// Sentences, one a line, words between blanks; - is standard input
    pub data: PathBuf,
    /// Grammar file to make; it must be new
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Steps at most; it ends before where a step no longer gains
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100,
          value_parser = whole)]
    pub steps: usize,
    /// Begin with random factors of this seed [default: with those of the file]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = seed)]
    pub seed: Option<u64>,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Examples {
    /// Print this one, ready to be saved and changed
    pub name: Option<String>,
}
