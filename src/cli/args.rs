//! What may stand on the command line: every flag is defined here once and feeds parsing, help
//! and shell completion. What a command means is in the file of its name.

use super::candidates::args::Candidates;
pub use super::checkpoint_args::{
    Consensus, Decode, Decoding, Drawn, Eval, Evalb, Export, Format, Import, Parse, Place, Sample,
    Score, Scoring, Significance,
};
use super::corpus::args::Corpus;
use super::ensemble::args::{Bag, Boost, BoostWhat, LearningCurve, Noise};
use super::fgg::args::Fgg;
use super::grammar::args::Grammar;
use super::rerank::args::Rerank;
use super::scaling::args::Scaling;
use super::ssn::args::Ssn;
use super::sweep::args::Sweep;
use super::symbols::args::Symbols;
use super::values::{rate, several, weight, whole};
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
    /// Colours of the workbench [default: as in workbench.toml, mono where NO_COLOR is set, else as
    /// chosen last]
    #[arg(long, value_enum)]
    pub theme: Option<Theme>,
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Colours of the workbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// For a dark ground
    Dark,
    /// For a light ground
    Light,
    /// For any colour vision, on a dark ground
    Safe,
    /// For any colour vision, on a light ground
    SafeLight,
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
    /// Show what the symbols of a grammar, or the states of an HMM, have learned
    #[command(subcommand)]
    Symbols(Symbols),
    /// Make a checkpoint of one that the published PyTorch code saved
    Import(Import),
    /// Write a checkpoint's weights as the published PyTorch code saves them
    Export(Export),
    /// List the presets for training and for data, or print one as TOML
    Presets(Presets),
    /// Count, search, convert, split, clean and generate treebanks
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
    /// Show how time and memory of a sentence grow with states, length and rank
    Scaling(Scaling),
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
    /// Write the series of runs as CSV or JSON, or their charts as SVG or PNG
    Curves(Curves),
    /// Measure training steps on random words
    Bench(Bench),
    /// Print the keys of the workbench, as a template of keys.toml
    Keys(Keys),
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
            Command::Scaling(args) => args.json,
            Command::Card(args) => args.json,
            Command::Eval(args) => args.json,
            Command::Evalb(args) => args.json,
            Command::Significance(args) => args.json,
            Command::Parse(args) => matches!(args.format, Format::Json | Format::Png),
            Command::Score(args) => args.json,
            Command::Sample(args) => args.format == Some(Drawn::Json),
            Command::Consensus(args) => args.json,
            Command::Symbols(args) => args.is_json(),
            Command::Import(args) => args.json,
            Command::Grammar(Grammar::Train(args)) => args.json,
            Command::Grammar(Grammar::Parse(args)) => args.parsing.json,
            Command::Corpus(Corpus::Stats(args)) => args.json,
            // What is written is a treebank, or the report of it.
            Command::Corpus(Corpus::Convert(_) | Corpus::Clean(_)) => true,
            Command::Corpus(Corpus::Split(args)) => args.writing.json,
            Command::Corpus(Corpus::Search(args)) => args.json,
            Command::Bench(args) => args.json || args.in_process,
            Command::Doctor(args) => args.json,
            Command::Watch(args) => args.json,
            Command::Curves(_) => true,
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
            | Command::Keys(_)
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
    /// Learning rate to go on with, as after a divergence [default: the rate it was stopped with]
    #[arg(long, value_name = "RATE", allow_negative_numbers = true, value_parser = rate)]
    pub learning_rate: Option<f64>,
    /// How many runs of several seeds at a time
    #[arg(long, value_name = "N", allow_negative_numbers = true, default_value_t = 1,
          value_parser = several)]
    pub parallel: usize,
    /// End with one JSON object on standard output; all other lines go to standard error
    #[arg(long)]
    pub json: bool,
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
#[command(after_help = "Values are raw, one row a step; what is not a finite number is NaN, \
                        Infinity or -Infinity, in JSON as a string. Smoothing, axes and logarithms \
                        are of charts alone.\n\
                        Example: rankspace curves runs/A runs/B --along time --out curves.png")]
pub struct Curves {
    /// Run folders; several are overlaid
    #[arg(value_name = "RUN", required = true)]
    pub runs: Vec<PathBuf>,
    /// File to write, by its ending csv, json, svg or png [default: CSV on standard output]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// What x is in charts
    #[arg(long, value_enum, default_value_t = Along::Step)]
    pub along: Along,
    /// Logarithmic steps or running times
    #[arg(long)]
    pub log_x: bool,
    /// Logarithmic values
    #[arg(long)]
    pub log_y: bool,
    /// Weight of the past in the curves of steps, 0 for none; the raw line stays behind
    #[arg(long, value_name = "WEIGHT", default_value_t = 0.9, value_parser = weight, allow_negative_numbers = true)]
    pub smoothing: f64,
}

/// What x is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Along {
    Step,
    /// Running time since the start of each run
    Time,
    /// Wall time (UTC)
    Wall,
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
pub struct Keys {
    /// Print the keys as they are without a keys.toml
    #[arg(long)]
    pub defaults: bool,
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
                let number = names
                    .iter()
                    .any(|name| ["N", "PERCENT", "RATE", "WEIGHT"].contains(&name.as_str()));
                let name = command.get_name();
                assert_eq!(arg.is_allow_negative_numbers_set(), number, "{name} {}", arg.get_id());
            }
            left.extend(command.get_subcommands());
        }
        let error = Arguments::try_parse_from(["rankspace", "corpus", "generate", "--seed", "-1"]);
        let text = error.expect_err("a seed is not negative").to_string();
        assert!(text.contains("expected a whole number, 0 or more"), "{text}");
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
