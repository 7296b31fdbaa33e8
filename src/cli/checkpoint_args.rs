//! Arguments of the commands that use checkpoints, and of those that score trees.

use super::values::{confidence, positive, seed, whole};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct Eval {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:dev
    pub corpus: PathBuf,
    /// Leave out sentences of more words, counted after preprocessing; 0: however long
    /// [default: the checkpoint's evaluation.max_length]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub max_length: Option<usize>,
    #[command(flatten)]
    pub decoding: Decoding,
    /// Also how well the induced tags (preterminals, or states of an HMM) agree with the gold tags:
    /// V-measure, homogeneity and completeness (Rosenberg & Hirschberg 2007), in percent
    #[arg(long)]
    pub tags: bool,
    #[command(flatten)]
    pub place: Place,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// Where a checkpoint is used, wherever it was trained.
#[derive(Debug, Args)]
pub struct Place {
    /// Device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "cpu")]
    pub device: String,
}

/// Which trees a checkpoint gives.
#[derive(Debug, Args)]
pub struct Decoding {
    /// Which trees to give [default: as the checkpoint's settings say]
    #[arg(long, value_enum)]
    pub decode: Option<Decode>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Decode {
    /// Those with the largest sum of span marginals
    Mbr,
    /// Those of the best derivations, of families with a rule tensor: n-pcfg, c-pcfg, lpcfg
    Viterbi,
}

#[derive(Debug, Args)]
#[command(
    after_help = "Trees are compared line by line. Where one file has more of them than the \
                        other, those that both have are scored, and one line on standard error says \
                        so; the exit code is 0, as the classic scorer's."
)]
pub struct Evalb {
    /// Gold trees, one a line; may be gzip, - is standard input
    pub gold: PathBuf,
    /// Predicted trees, one a line, in the same order
    #[arg(value_name = "PRED")]
    pub test: PathBuf,
    #[command(flatten)]
    pub scoring: Scoring,
    /// Also recall, precision, F1 and counts of every label
    #[arg(long)]
    pub by_label: bool,
    /// Also the figures by sentence length, so many lengths at a time
    #[arg(long, value_name = "WIDTH", num_args = 0..=1, require_equals = true,
          default_missing_value = "10", value_parser = clap::value_parser!(u64).range(1..))]
    pub by_length: Option<u64>,
    /// Also the figures of every sentence, with its F1
    #[arg(long)]
    pub by_sentence: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Trees are compared line by line. Where the files have unequal numbers of \
                        them, those that all have are compared, and the exit code is 1.")]
pub struct Significance {
    /// Gold trees, one a line
    pub gold: PathBuf,
    /// Trees predicted by system A, one a line, in the same order
    pub a: PathBuf,
    /// Trees predicted by system B
    pub b: PathBuf,
    #[command(flatten)]
    pub scoring: Scoring,
    /// Also the mean of the sentences' unlabelled F1, as training reports it
    #[arg(long)]
    pub s_f1: bool,
    /// Random exchanges for the p-values; few differing sentences are exchanged in all ways
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10_000,
          value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    pub shuffles: u64,
    /// Resamples for the intervals; 0 leaves them out
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10_000,
          value_parser = clap::value_parser!(u32).range(..=10_000_000))]
    pub resamples: u32,
    /// Probability of the intervals, in percent
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true, default_value_t = 95.0, value_parser = confidence)]
    pub confidence: f64,
    /// The same seed gives the same figures
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = seed)]
    pub seed: u64,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// How brackets are compared.
#[derive(Debug, Args)]
pub struct Scoring {
    /// Parameter file: what is deleted and what is equal [default: the usual scoring of the Penn
    /// Treebank, labels TOP and -NONE- and the punctuation , : . `` '' deleted, ADVP equal to PRT]
    #[arg(short, long = "parameters", value_name = "PRM")]
    pub parameters: Option<PathBuf>,
    /// Compare spans alone, whatever the parameter file says
    #[arg(long)]
    pub unlabelled: bool,
}

#[derive(Debug, Args)]
pub struct Parse {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:dev; - is
    /// standard input, text as typed
    #[arg(default_value = "-")]
    pub file: PathBuf,
    /// How to print the trees
    #[arg(long, value_enum, default_value_t = Format::Bracket)]
    pub format: Format,
    #[command(flatten)]
    pub decoding: Decoding,
    #[command(flatten)]
    pub place: Place,
    /// Name the likeliest nonterminals and preterminals (labelled MBR), or the derivation's
    #[arg(long)]
    pub labels: bool,
    /// Print punctuation that preprocessing removes, too: inside the smallest phrase around it
    /// [default: trees of the words that the model sees]
    #[arg(long)]
    pub keep_punctuation: bool,
}

/// What `parse` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One bracketed tree a line
    Bracket,
    /// One JSON object a line, with spans and their posteriors
    Json,
    /// LaTeX, for the package forest
    Forest,
    /// One SVG picture with all trees
    Svg,
    /// The same as PNG; for a file or a pipe
    Png,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace sample runs/2026-11-29-rank-hmm -n 5 --seed 1")]
pub struct Sample {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// How many sentences
    #[arg(short, long = "number", value_name = "N", allow_negative_numbers = true,
          default_value_t = 10, value_parser = whole)]
    pub number: usize,
    /// The same seed draws the same sentences
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0, value_parser = seed)]
    pub seed: u64,
    /// Leave out sentences of more words
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 100,
          value_parser = positive)]
    pub max_length: usize,
    /// How to print them [default: bracket for grammars, text for language models]
    #[arg(long, value_enum)]
    pub format: Option<Drawn>,
}

/// What `sample` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawn {
    /// The words, one sentence a line
    Text,
    /// One bracketed tree a line: the derivation with its symbols
    Bracket,
    /// One JSON object a line
    Json,
}

#[derive(Debug, Args)]
pub struct Score {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:dev; - is
    /// standard input, text as typed
    #[arg(default_value = "-")]
    pub file: PathBuf,
    /// Print the surprisal of every token as well: -log p given those before it, in nats, the end
    /// of the sentence (<eos>) included; of a language model
    #[arg(long)]
    pub tokens: bool,
    #[command(flatten)]
    pub place: Place,
    /// Print one JSON object a sentence
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Per sentence, the binary tree with the largest sum of the members' span \
                        marginals; its F1 stands beside theirs.\n\
                        Example: rankspace consensus runs/2026-11-29-rank-pcfg-seeds sample:test")]
pub struct Consensus {
    /// Checkpoint files, run folders (their best checkpoints) or the folder of several seeds
    #[arg(value_name = "CHECKPOINT", required = true, num_args = 1..)]
    pub checkpoints: Vec<PathBuf>,
    /// Treebank; a file, a folder, a pattern or sample:dev
    pub corpus: PathBuf,
    /// Let the members' trees vote instead of adding up their span marginals
    #[arg(long)]
    pub votes: bool,
    /// Leave out sentences of more words, counted after preprocessing; 0: however long
    /// [default: the checkpoint's evaluation.max_length]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole)]
    pub max_length: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "The file is a .pt of torch.save, in its zip or its older format, or \
                        .safetensors with the same names. Nothing in it is executed, and what no \
                        file of tensors needs is refused. Sizes are read off the shapes.\n\
                        Example: rankspace import best.pt --family rank-pcfg --corpus \
                        wsj/02-21.mrg --set data.preset=ptb --out ptb.safetensors")]
pub struct Import {
    /// File of the published code
    pub file: PathBuf,
    /// Family of the model, e.g. rank-pcfg
    #[arg(long, value_name = "FAMILY")]
    pub family: String,
    /// The vocabulary: one word a line in the order of their numbers, or a pickle of it
    #[arg(long, value_name = "FILE", required_unless_present = "corpus")]
    pub vocabulary: Option<PathBuf>,
    /// Count the vocabulary on this training corpus as the published code does
    #[arg(long, value_name = "FILE", conflicts_with = "vocabulary")]
    pub corpus: Option<PathBuf>,
    /// A setting of the checkpoint, such as what is done to sentences, e.g. data.preset=ptb; may
    /// be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Checkpoint file to make; it must be new
    #[arg(long, value_name = "CKPT")]
    pub out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace export runs/2026-11-29-rank-pcfg best.pt")]
pub struct Export {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// File to make, ending in .pt or .safetensors; it must be new
    pub file: PathBuf,
}
