//! `fgg`: factor graph grammars from files, or those that come with the program.

pub mod args;
mod check;
mod infer;
mod rewrite;
mod train;

use crate::cli::failure::Usage;
use crate::cli::file::is_folder;
use crate::cli::plain::tell;
use crate::config::nearest;
use crate::fgg::{self, FggError, Grammar};
use anyhow::{Context, Result, anyhow, bail};
use args::{Examples, Fgg};
use std::io::{Read, Write};
use std::path::Path;

pub fn run(args: &Fgg, out: &mut dyn Write) -> Result<()> {
    match args {
        Fgg::Check(args) => check::run(args, out),
        Fgg::Rewrite(args) => rewrite::run(args, out),
        Fgg::Infer(args) => infer::run(args, out),
        Fgg::Train(args) => train::run(args, out),
        Fgg::Examples(args) => examples(args, out),
    }
}

fn examples(args: &Examples, out: &mut dyn Write) -> Result<()> {
    match &args.name {
        Some(name) => match fgg::example(name) {
            Some(example) => write!(out, "{}", example.text)?,
            None => return Err(Usage(format!("no example named `{name}`; {}", known(name))).into()),
        },
        None => {
            for example in fgg::examples() {
                writeln!(out, "{:5} {}", example.name, example.description)?;
            }
        }
    }
    Ok(())
}

/// The examples, and the one that was likely meant.
fn known(name: &str) -> String {
    let names: Vec<&str> = fgg::examples().iter().map(|example| example.name).collect();
    match nearest(name, 0.85, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("there are {}", names.join(", ")),
    }
}

/// A grammar and how it is called in messages.
struct Loaded {
    name: String,
    grammar: Grammar,
}

/// Reads a file, standard input or an example; what says nothing in it is told.
fn load(path: &Path) -> Result<Loaded> {
    let name = match path == Path::new("-") {
        true => "standard input".to_owned(),
        false => path.display().to_string(),
    };
    let example = || path.to_str().and_then(fgg::example);
    let text = match (path == Path::new("-"), path.exists()) {
        (true, _) => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text).context("standard input")?;
            text
        }
        (_, true) if path.is_dir() => return Err(is_folder(path, &["json"])),
        (_, true) => String::from_utf8(std::fs::read(path).with_context(|| name.clone())?)
            .map_err(|_| anyhow!("{name}: this is not text: expected a grammar as JSON"))?,
        (_, false) => match example() {
            Some(example) => example.text.to_owned(),
            None => bail!("{name}: there is no such file and no such example; {}", known(&name)),
        },
    };
    let reading = fgg::read(&text).with_context(|| name.clone())?;
    for note in &reading.notes {
        tell(&format!("{name}: {note}"));
    }
    Ok(Loaded { name, grammar: reading.grammar })
}

/// The grammar conjoined with a sentence.
fn conjoined(loaded: &Loaded, sentence: &str) -> Result<Grammar> {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    if words.is_empty() {
        bail!("an empty sentence: expected words between blanks");
    }
    let conjoined = fgg::conjoin(&loaded.grammar, &words).with_context(|| loaded.name.clone())?;
    Ok(conjoined.grammar)
}

/// What a command that was given no sentence says of a grammar that needs one.
fn wants_sentence(loaded: &Loaded, error: FggError, command: &str) -> anyhow::Error {
    let yields = loaded.grammar.rules().iter().any(|rule| rule.yields.is_some());
    let hint = match (&error, yields) {
        (FggError::Cyclic { .. }, true) => format!(
            "; with a sentence it is not: `rankspace fgg {command} {} \"SENTENCE\"`",
            loaded.name
        ),
        _ => String::new(),
    };
    anyhow!("{}: {error}{hint}", loaded.name)
}
