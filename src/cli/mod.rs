//! Floor 7: arguments, exit codes and plain output. Every command has a file of its own; it
//! gets its parsed arguments and standard output, and knows nothing of how things are computed.

mod analysis;
mod args;
mod attend;
mod bench;
mod candidates;
mod card;
mod checkpoint_args;
mod completions;
mod conflicts;
mod consensus;
mod corpus;
mod curves;
mod doctor;
mod ensemble;
mod eval;
mod evalb;
mod failure;
mod fgg;
mod file;
mod grammar;
mod keys;
mod ledger;
mod lines;
mod members;
mod mistakes;
mod noise;
mod open;
mod parse;
mod plain;
mod plan;
mod presets;
mod progress;
mod published;
mod rerank;
mod resume;
mod sample;
mod scaling;
mod score;
mod seeds;
mod sentences;
mod signals;
mod significance;
mod ssn;
mod sweep;
mod symbols;
mod teller;
mod train;
mod values;
mod verdicts_args;
mod watch;

use anyhow::Result;
use args::{Arguments, Command};
use clap::Parser;
use plain::Plain;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Entry point of the binary: parses the command line, runs the command, gives the exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            if let Some(word) = open::mistyped(&error) {
                return failure::exit(Err(open::no_such_path(&word)));
            }
            let words: Vec<String> =
                std::env::args_os().skip(1).map(|w| w.to_string_lossy().into_owned()).collect();
            if let Some(usage) = mistakes::explain(&error, &words) {
                return failure::exit(Err(usage.into()));
            }
            // Help and version too arrive here; a closed pipe is no fault of theirs.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let for_programs = arguments.command.as_ref().is_some_and(Command::is_json);
    // A treebank on a terminal is for people, whatever else it is for.
    let mut out: Box<dyn Write> = match for_programs && !io::stdout().is_terminal() {
        true => Box::new(io::BufWriter::new(io::stdout())),
        false => Box::new(Plain::new(io::BufWriter::new(io::stdout()))),
    };
    failure::exit(run(arguments, &mut *out).and_then(|()| Ok(out.flush()?)))
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<()> {
    match arguments.command {
        None => open::run(arguments.paths, arguments.theme),
        Some(Command::Presets(args)) => presets::run(&args, out),
        Some(Command::Keys(args)) => keys::run(&args, out),
        Some(Command::Doctor(args)) => doctor::run(&args, out),
        Some(Command::Completions(args)) => completions::run(&args, out),
        Some(Command::Train(args)) => train::train(&args, out),
        Some(Command::Resume(args)) => resume::run(&args, out),
        Some(Command::Card(args)) => card::run(&args, out),
        Some(Command::Sweep(args)) => sweep::run(&args, out),
        Some(Command::Bag(args)) => ensemble::bag(&args, out),
        Some(Command::Boost(args)) => ensemble::boost(&args, out),
        Some(Command::Grammar(args)) => grammar::run(&args, out),
        Some(Command::LearningCurve(args)) => ensemble::learning_curve(&args, out),
        Some(Command::Conflicts(args)) => conflicts::run(&args, out),
        Some(Command::Noise(args)) => noise::run(&args, out),
        Some(Command::Ssn(args)) => ssn::run(&args, out),
        Some(Command::Ledger(args)) => ledger::run(&args, out),
        Some(Command::Plan(args)) => plan::run(&args, out),
        Some(Command::Scaling(args)) => scaling::run(&args, out),
        Some(Command::Fgg(args)) => fgg::run(&args, out),
        Some(Command::Watch(args)) => watch::run(&args, out),
        Some(Command::Curves(args)) => curves::run(&args, out),
        Some(Command::Bench(args)) => bench::run(&args, out),
        Some(Command::Eval(args)) => eval::run(&args, out),
        Some(Command::Evalb(args)) => evalb::run(&args, out),
        Some(Command::Significance(args)) => significance::run(&args, out),
        Some(Command::Parse(args)) => parse::run(&args, out),
        Some(Command::Score(args)) => score::run(&args, out),
        Some(Command::Sample(args)) => sample::run(&args, out),
        Some(Command::Consensus(args)) => consensus::run(&args, out),
        Some(Command::Symbols(args)) => symbols::run(&args, out),
        Some(Command::Import(args)) => published::import(&args, out),
        Some(Command::Export(args)) => published::export(&args, out),
        Some(Command::Corpus(args)) => corpus::run(&args, out),
        Some(Command::Candidates(args)) => candidates::run(&args, out),
        Some(Command::Rerank(args)) => rerank::run(&args, out),
    }
}
