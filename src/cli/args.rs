//! What may stand on the command line: every flag is defined here once and feeds parsing, help
//! and shell completion. What a command means is in the file of its name.

use super::candidates::args::Candidates;
use super::corpus::args::Corpus;
use super::ensemble::args::{Bag, Boost, BoostWhat, LearningCurve, Noise};
use super::fgg::args::Fgg;
use super::grammar::args::Grammar;
use super::rerank::args::Rerank;
use super::ssn::args::Ssn;
use super::sweep::args::Sweep;
use super::values::{confidence, positive, seed, several, whole};
pub use super::verdicts_args::{Conflicts, Ledger, LedgerExport};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Train, inspect and compare latent-variable grammars and language models in a terminal.
#[derive(Debug, Parser)]
#[command(
    name = "rankspace",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Without a command the workbench opens, on the bundled sample or on what PATH \
                  names: treebanks, run folders and checkpoints.\n\
                  Exit codes: 0 done, 1 data or a run failed, 2 wrong usage."
)]
pub struct Arguments {
    /// Treebanks, run folders or checkpoints to open in the workbench
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// Colours of the workbench [default: dark, or mono where NO_COLOR is set]
    #[arg(long, value_enum)]
    pub theme: Option<Theme>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Colours of the workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    Dark,
    Light,
    /// No colour: bold, reverse and signs
    Mono,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train a model in a new run folder
    Train(Train),
    /// Go on with a run from its last checkpoint
    Resume(Resume),
    /// Write down what is needed to get the figures of a run again, or get them again
    Card(Card),
    /// Train with several values of some settings, and tabulate what they give
    Sweep(Sweep),
    /// Score a checkpoint on a treebank or plain text
    Eval(Eval),
    /// Score predicted trees against gold trees as the classic scorer does
    Evalb(Evalb),
    /// Tell whether two predictions differ by more than chance
    Significance(Significance),
    /// Parse sentences with a checkpoint of a grammar
    Parse(Parse),
    /// Print the log-probability of every sentence, and the surprisal of every token
    Score(Score),
    /// Draw sentences from a checkpoint
    Sample(Sample),
    /// Parse with several checkpoints at once: the trees that they agree on most, scored
    Consensus(Consensus),
    /// Make a checkpoint of one that the published PyTorch code saved
    Import(Import),
    /// Write a checkpoint's weights as the published PyTorch code saves them
    Export(Export),
    /// List the presets for training and for data, or print one as TOML
    Presets(Presets),
    /// Count, convert, split, clean and generate treebanks
    #[command(subcommand)]
    Corpus(Corpus),
    /// Learn a supervised parser from a treebank, and parse with it
    #[command(subcommand)]
    Grammar(Grammar),
    /// Bag supervised parsers and let them vote
    Bag(Bag),
    /// Boost a supervised parser round by round
    Boost(Boost),
    /// Show how good a supervised parser gets with more trees
    LearningCurve(LearningCurve),
    /// List where a treebank annotates the same thing in different ways
    Conflicts(Conflicts),
    /// Plant errors in a treebank, and score what finds them
    #[command(subcommand)]
    Noise(Noise),
    /// Train and use the history-based parser (simple synchrony network)
    #[command(subcommand)]
    Ssn(Ssn),
    /// Use the verdicts that people gave on suspicious sentences
    #[command(subcommand)]
    Ledger(Ledger),
    /// Show what every order of elimination costs, and which is chosen
    Plan(Plan),
    /// Check, rewrite, infer with and train factor graph grammars
    #[command(subcommand)]
    Fgg(Fgg),
    /// Make, convert and count lists of the trees that a parser ranks highest
    #[command(subcommand)]
    Candidates(Candidates),
    /// Choose better among the candidates of a parser
    #[command(subcommand)]
    Rerank(Rerank),
    /// Follow a live or finished run in plain lines
    Watch(Watch),
    /// Measure training steps on random words
    Bench(Bench),
    /// Show what this machine and terminal offer, and what is missing
    Doctor(Doctor),
    /// Print a completion script for a shell
    Completions(Completions),
}

impl Command {
    /// Whether standard output is for programs to read.
    pub fn is_json(&self) -> bool {
        match self {
            Command::Train(args) => args.json,
            Command::Resume(args) => args.json,
            Command::Sweep(args) => args.json,
            Command::Card(args) => args.json,
            Command::Eval(args) => args.json,
            Command::Evalb(args) => args.json,
            Command::Significance(args) => args.json,
            Command::Parse(args) => args.format == Format::Json,
            Command::Score(args) => args.json,
            Command::Sample(args) => args.format == Some(Drawn::Json),
            Command::Consensus(args) => args.json,
            Command::Import(args) => args.json,
            Command::Grammar(Grammar::Train(args)) => args.json,
            Command::Grammar(Grammar::Parse(args)) => args.parsing.json,
            Command::Corpus(Corpus::Stats(args)) => args.json,
            // What is written is a treebank, or the report of it.
            Command::Corpus(Corpus::Convert(_) | Corpus::Clean(_)) => true,
            Command::Corpus(Corpus::Split(args)) => args.writing.json,
            Command::Bench(args) => args.json || args.in_process,
            Command::Doctor(args) => args.json,
            Command::Watch(args) => args.json,
            Command::Plan(args) => args.json,
            Command::Fgg(args) => args.is_json(),
            Command::Bag(args) => args.run.json,
            Command::Boost(args) => match &args.what {
                Some(BoostWhat::WeakLearning(args)) => args.json,
                Some(BoostWhat::Ranking(_)) => false,
                None => args.run.json,
            },
            Command::LearningCurve(args) => args.json,
            Command::Conflicts(args) => args.json,
            Command::Noise(Noise::Plant(args)) => args.json,
            Command::Noise(Noise::Score(args)) => args.json,
            Command::Noise(Noise::Table(args)) => args.json,
            Command::Ledger(Ledger::Export(args)) => args.json,
            Command::Candidates(Candidates::Make(args)) => args.json,
            // What is written is lists.
            Command::Candidates(Candidates::Convert(_)) => true,
            Command::Candidates(Candidates::Stats(args)) => args.json,
            Command::Rerank(Rerank::Train(args)) => args.json,
            Command::Rerank(Rerank::Apply(args)) => args.json,
            Command::Rerank(Rerank::Explain(args)) => args.json,
            Command::Ssn(Ssn::Train(args)) => args.json,
            Command::Ssn(Ssn::Parse(args)) => args.parsing.json,
            Command::Corpus(Corpus::Generate(_))
            | Command::Export(_)
            | Command::Presets(_)
            | Command::Completions(_) => false,
        }
    }
}

#[derive(Debug, Args)]
#[command(group(clap::ArgGroup::new("settings").required(true).args(["config", "preset"])))]
#[command(after_help = "Example: rankspace train --preset pcfg-small --seeds 4 --parallel 2")]
pub struct Train {
    /// Config file (TOML)
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// A named preset instead of a file; `rankspace presets` lists them
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Change one setting, e.g. training.epochs=3 or data.train=corpus.mrg; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Run folder to make; it must be new or empty [default: runs/DATE-FAMILY]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Train so many runs that differ in their seed, counted up from the config's, in a folder
    /// of their own; called again with the same --out, it goes on where it was stopped
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub seeds: Option<usize>,
    /// How many of them at a time, as far as they fit into the memory
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          requires = "seeds", value_parser = several)]
    pub parallel: usize,
    /// Device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "Example: rankspace card runs/RUN --out card, then rankspace card card \
                        --rerun again")]
pub struct Card {
    /// Run folder, or the folder of several seeds; with --check or --rerun the card's folder
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Folder to make, with the card as card.json and card.md and the config as config.toml
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "rerun"])]
    pub out: Option<PathBuf>,
    /// Compare the data with the card
    #[arg(long, conflicts_with = "json")]
    pub check: bool,
    /// Compare the data, run it all again in a new folder, and compare the figures
    #[arg(long, value_name = "DIR", conflicts_with = "json")]
    pub rerun: Option<PathBuf>,
    /// Print the card as a JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Resume {
    /// Run folder, or the folder of several seeds or of a sweep
    #[arg(value_name = "DIR")]
    pub run: PathBuf,
    /// Device to go on with: auto, cpu or cuda:N [default: that of the run's config]
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
    /// How many runs of several seeds at a time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = several)]
    pub parallel: usize,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Eval {
    /// Checkpoint file, or a run folder (its best checkpoint)
    pub checkpoint: PathBuf,
    /// Treebank or tokenised text, one sentence a line; a folder, a pattern or sample:dev
    pub corpus: PathBuf,
    /// Leave out sentences of more words, counted after preprocessing
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
    /// Leave out sentences of more words, counted after preprocessing
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

#[derive(Debug, Args)]
pub struct Presets {
    /// Print this preset as TOML, ready to be saved and changed
    pub name: Option<String>,
}

#[derive(Debug, Args)]
pub struct Watch {
    /// Run folder
    pub run: PathBuf,
    /// Print every event as one JSON object a line, as events.jsonl has them
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Bench {
    /// What to measure, e.g. pcfg:batch=16,n=20,r=256,nt=256,pt=512,vocab=10000,dim=256; may be
    /// repeated [default: three sizes up to the paper's]
    #[arg(long = "case", value_name = "SPEC")]
    pub cases: Vec<String>,
    /// Device to compute on: auto, cpu or cuda:N
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    pub device: String,
    /// Cores used; 0 takes all
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 0,
          value_parser = whole)]
    pub threads: usize,
    /// Steps measured for each case, after two to warm up
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 10,
          value_parser = whole)]
    pub steps: usize,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// Compare the device with golden values and with the CPU instead of measuring; exits with 1
    /// where a number is outside its bounds
    #[arg(long)]
    pub check: bool,
    /// Folder of the golden values for --check [default: $RANKSPACE_SHARED/golden]
    #[arg(long, value_name = "DIR", requires = "check")]
    pub golden: Option<PathBuf>,
    /// Matrix products of a card with factors rounded to TF32
    #[arg(long)]
    pub tf32: bool,
    /// Measure in this process; set by `bench` itself for its child processes
    #[arg(long, hide = true)]
    pub in_process: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "An order says what is summed out first: the states (rank), once a batch, or \
                        the ranks (state), span by span or word by word. The numbers are the same. \
                        Predicted seconds are those of what the orders differ in, measured ones \
                        those of a whole step. Without a config twelve sizes are planned, some for \
                        each order.\n\
                        Example: rankspace plan --preset hmm-paper-14 --measure"
)]
pub struct Plan {
    /// Config file (TOML)
    #[arg(value_name = "CONFIG")]
    pub config: Option<PathBuf>,
    /// A named preset instead of a file; `rankspace presets` lists them
    #[arg(long, value_name = "NAME", conflicts_with = "config")]
    pub preset: Option<String>,
    /// Change one setting, e.g. model.rank=64; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Sentences in lockstep [default: those of the config's batches]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub batch: Option<usize>,
    /// Tokens of every sentence [default: 20]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = several)]
    pub length: Option<usize>,
    /// Sizes instead of a config, as `bench` takes them; may be repeated
    #[arg(long = "case", value_name = "SPEC", conflicts_with_all = ["config", "preset"])]
    pub cases: Vec<String>,
    /// Also measure a training step in every order
    #[arg(long)]
    pub measure: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definitions_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn a_negative_number_is_refused_as_a_number_not_as_an_unknown_flag() {
        let mut root = Arguments::command();
        root.build();
        let mut left = vec![&root];
        while let Some(command) = left.pop() {
            for arg in command.get_arguments() {
                let names = arg.get_value_names().unwrap_or_default();
                let number = names.iter().any(|name| ["N", "PERCENT"].contains(&name.as_str()));
                let name = command.get_name();
                assert_eq!(arg.is_allow_negative_numbers_set(), number, "{name} {}", arg.get_id());
            }
            left.extend(command.get_subcommands());
        }
        let error = Arguments::try_parse_from(["rankspace", "corpus", "generate", "--seed", "-1"]);
        let text = error.expect_err("a seed is not negative").to_string();
        assert!(text.contains("expected a whole number from 0"), "{text}");
    }

    #[test]
    fn every_command_and_flag_has_a_line_of_help() {
        let mut root = Arguments::command();
        root.build();
        let mut left = vec![&root];
        while let Some(command) = left.pop() {
            assert!(command.get_about().is_some(), "{}", command.get_name());
            for arg in command.get_arguments() {
                // A shell's own name says it all.
                let described = arg.get_help().is_some() || arg.get_id() == "shell";
                assert!(described, "{} {}", command.get_name(), arg.get_id());
            }
            left.extend(command.get_subcommands());
        }
    }
}
