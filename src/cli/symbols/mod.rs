//! `symbols`: what the symbols of a grammar, or the states of an HMM, have learned; the Grammar
//! screen as commands.

mod align;
pub mod args;
mod list;
mod sentences;
mod show;

use super::failure::Usage;
use super::plain::tell;
use super::{progress, sentences as given};
use crate::analysis::listing::Kind;
use crate::analysis::{self, tables::TableFormat};
use crate::checkpoint::Checkpoint;
use crate::config::Sources;
use crate::model::Parser;
use crate::report::counted;
use crate::treebank::{LengthLimits, Sentence, load};
use anyhow::{Context, Result, anyhow, bail};
use args::{Format, Parsed, Symbols};
use std::io::Write;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

pub fn run(args: &Symbols, out: &mut dyn Write) -> Result<()> {
    match args {
        Symbols::List(args) => list::run(args, out),
        Symbols::Show(args) => show::run(args, out),
        Symbols::Sentences(args) => sentences::run(args, out),
        Symbols::Align(args) => align::run(args, out),
    }
}

/// A checkpoint with what its symbols do in some sentences.
struct Counted {
    checkpoint: Checkpoint,
    parser: Arc<dyn Parser>,
    symbols: analysis::Symbols,
}

/// Loads a checkpoint and the sentences, and counts.
fn count(path: &Path, parsed: &Parsed) -> Result<(Counted, Vec<Sentence>)> {
    let checkpoint = given::checkpoint(path)?;
    let max = match parsed.max_length.unwrap_or(checkpoint.config.evaluation.max_length) {
        0 => usize::MAX,
        max => max,
    };
    let source = Sources(vec![parsed.corpus.to_string_lossy().into_owned()]);
    let corpus = load(&source, "", &checkpoint.preprocessing, LengthLimits { min: 1, max })?;
    given::tell_problems(&corpus.problems);
    if corpus.sentences.is_empty() {
        bail!("{}: there is no sentence to parse", parsed.corpus.display());
    }
    Ok((count_in(path, checkpoint, &corpus.sentences)?, corpus.sentences))
}

/// Counts the symbols of a checkpoint in some sentences.
fn count_in(path: &Path, checkpoint: Checkpoint, sentences: &[Sentence]) -> Result<Counted> {
    let parser = checkpoint.parser()?;
    let bar = progress::bar(sentences.len(), "sentences");
    let mut progress = |done: usize, _| {
        bar.set_position(done as u64);
        ControlFlow::Continue(())
    };
    let symbols = analysis::symbols(&*parser, &checkpoint.vocabulary, sentences, &mut progress)
        .with_context(|| path.display().to_string())?;
    bar.finish_and_clear();
    let symbols = symbols.ok_or_else(|| anyhow!("stopped"))?;
    let without = sentences.len().saturating_sub(symbols.sentences);
    if without == sentences.len() {
        bail!(
            "{}: the model gives none of {} a derivation; a training that diverged leaves such weights",
            path.display(),
            counted(without, "sentence")
        );
    }
    if without > 0 {
        let without = counted(without, "sentence");
        tell(&format!("warning: {without} without a derivation, left out"));
    }
    if symbols.preterminals.is_empty() {
        let family = checkpoint.config.model.family;
        bail!("{}: {} has no symbols", path.display(), family.with_article());
    }
    Ok(Counted { checkpoint, parser, symbols })
}

/// The kind that is asked for, if there are symbols of it.
fn kind(asked: Option<args::Kind>, symbols: &analysis::Symbols) -> Result<Kind> {
    let kind = match asked {
        Some(args::Kind::Nonterminals) => Kind::Nonterminals,
        Some(args::Kind::Preterminals) => Kind::Preterminals,
        Some(args::Kind::States) => Kind::States,
        None if symbols.nonterminals.is_empty() => Kind::States,
        None => Kind::Nonterminals,
    };
    check(kind, symbols)?;
    Ok(kind)
}

fn check(kind: Kind, symbols: &analysis::Symbols) -> Result<()> {
    let (has, there) = match symbols.nonterminals.is_empty() {
        true => (kind == Kind::States, "states"),
        false => (kind != Kind::States, "nonterminals and preterminals"),
    };
    if !has {
        let title = kind.title().to_lowercase();
        return Err(Usage(format!("the model has no {title}, but {there}")).into());
    }
    Ok(())
}

/// The symbol of a name.
fn symbol(name: &str, symbols: &analysis::Symbols) -> Result<(Kind, usize)> {
    let (kind, symbol) = Kind::parse(name).ok_or_else(|| {
        Usage(format!("{name}: expected a symbol as in trees, e.g. N12, T7, or S3 of an HMM"))
    })?;
    check(kind, symbols)?;
    let count = kind.of(symbols).len();
    if symbol >= count {
        let last = kind.name_of(count.saturating_sub(1));
        return Err(
            Usage(format!("{name}: there is no such symbol; the last one is {last}")).into()
        );
    }
    Ok((kind, symbol))
}

fn format(format: Format) -> TableFormat {
    match format {
        Format::Text => TableFormat::Text,
        Format::Csv => TableFormat::Csv,
        Format::Json => TableFormat::Json,
        Format::Latex => TableFormat::Latex,
    }
}

/// Of how many symbols the model makes use.
fn usage(kind: Kind, symbols: &analysis::Symbols) -> String {
    let usage = kind.usage(symbols);
    format!(
        "{} of {} {} in use, {:.1} effective (entropy {:.2})",
        usage.in_use,
        kind.of(symbols).len(),
        kind.title().to_lowercase(),
        usage.effective(),
        usage.entropy
    )
}
