//! Floor 7: arguments, exit codes and plain output. Every command has a file of its own; it
//! gets its parsed arguments and standard output, and knows nothing of how things are computed.

mod args;
mod bench;
mod completions;
mod corpus;
mod doctor;
mod eval;
mod failure;
mod lines;
mod parse;
mod presets;
mod progress;
mod score;
mod sentences;
mod train;
mod watch;

use anyhow::Result;
use args::{Arguments, Command};
use clap::Parser;
use failure::Usage;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

/// Entry point of the binary: parses the command line, runs the command, gives the exit code.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version too arrive here; a closed pipe is no fault of theirs.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut out = io::BufWriter::new(io::stdout());
    failure::exit(run(arguments, &mut out).and_then(|()| Ok(out.flush()?)))
}

fn run(arguments: Arguments, out: &mut dyn Write) -> Result<()> {
    match arguments.command {
        None => workbench(&arguments.paths),
        Some(Command::Presets(args)) => presets::run(&args, out),
        Some(Command::Doctor(args)) => doctor::run(&args, out),
        Some(Command::Completions(args)) => completions::run(&args, out),
        Some(Command::Train(args)) => train::train(&args, out),
        Some(Command::Resume(args)) => train::resume(&args, out),
        Some(Command::Watch(args)) => watch::run(&args, out),
        Some(Command::Bench(args)) => bench::run(&args, out),
        Some(Command::Eval(args)) => eval::run(&args, out),
        Some(Command::Parse(args)) => parse::run(&args, out),
        Some(Command::Score(args)) => score::run(&args, out),
        Some(Command::Corpus(args)) => corpus::run(&args, out),
    }
}

/// Opens the workbench, unless a name is neither a path nor a command.
fn workbench(paths: &[std::path::PathBuf]) -> Result<()> {
    for path in paths {
        if !path.exists() {
            return Err(no_such_path(path));
        }
    }
    let options = crate::workbench::Options { paths: paths.to_vec(), theme: None };
    crate::workbench::run(options).map_err(|error| match error.exit_code() {
        2 => Usage(error.to_string()).into(),
        _ => error.into(),
    })
}

/// A bare word was most likely meant as a command.
fn no_such_path(path: &Path) -> anyhow::Error {
    use clap::CommandFactory;
    let name = path.to_string_lossy();
    let is_bare = path.components().count() == 1 && path.extension().is_none();
    if !is_bare {
        return anyhow::anyhow!("{name}: no such file or folder");
    }
    let root = Arguments::command();
    let nearest = root
        .get_subcommands()
        .map(|command| (strsim::jaro_winkler(&name, command.get_name()), command.get_name()))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let hint = match nearest {
        Some((_, command)) => format!("did you mean `rankspace {command}`?"),
        None => "`rankspace --help` lists the commands".to_owned(),
    };
    Usage(format!("no command and no file named `{name}`; {hint}")).into()
}
