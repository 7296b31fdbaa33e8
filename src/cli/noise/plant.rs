//! `noise plant`: a copy of a treebank with known errors in it.

use crate::analysis::noise::{Kind, Planted, Planting, to_tsv};
use crate::checkpoint::write_atomically;
use crate::cli::ensemble::args::NoisePlant;
use crate::cli::plain::tell;
use crate::cli::sentences::{names_of, open_all, tell_problems};
use crate::report::counted;
use crate::treebank::{Entry, FileOptions, Tree};
use anyhow::{Context, Result, bail};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

pub fn run(args: &NoisePlant, out: &mut dyn Write) -> Result<()> {
    let trees = read(&args.files)?;
    let kinds = args.kinds.iter().filter_map(|name| Kind::named(name)).collect();
    let planting = Planting { share: args.share / 100.0, kinds, seed: args.seed };
    std::fs::create_dir_all(&args.out).with_context(|| format!("{}", args.out.display()))?;
    if std::fs::read_dir(&args.out)?.next().is_some() {
        bail!("{} holds something already, and nothing is overwritten", args.out.display());
    }
    let planted = planting.plant(&trees);
    write(&args.out, &trees, &planted)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for error in &planted.errors {
        *counts.entry(error.kind.name()).or_default() += 1;
    }
    if args.json {
        let object = json!({
            "sentences": trees.len(),
            "planted": planted.errors.len(),
            "kinds": counts,
            "notes": planted.notes,
            "out": args.out.display().to_string(),
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    let counts: Vec<String> = counts.iter().map(|(kind, n)| format!("{kind} {n}")).collect();
    writeln!(
        out,
        "{} in {}: {}",
        counted(planted.errors.len(), "error"),
        counted(trees.len(), "sentence"),
        counts.join(", ")
    )?;
    for note in &planted.notes {
        writeln!(out, "{note}")?;
    }
    writeln!(out, "written to {}", args.out.display())?;
    Ok(())
}

/// All trees of the files; sentences without one are told and left out.
pub fn read(files: &[std::path::PathBuf]) -> Result<Vec<Arc<Tree>>> {
    let (mut trees, mut problems, mut others) = (Vec::new(), Vec::new(), 0usize);
    for entry in open_all(files, None, FileOptions::default())?.into_iter().flatten() {
        match entry {
            Ok(Entry::Tree(tree)) => trees.push(Arc::new(tree)),
            Ok(_) => others += 1,
            Err(problem) => problems.push(problem),
        }
    }
    tell_problems(&problems);
    if others > 0 {
        tell(&format!("warning: left out {} without a tree", counted(others, "sentence")));
    }
    match trees.is_empty() {
        true => bail!("{}: no tree could be read", names_of(files)),
        false => Ok(trees),
    }
}

/// The treebank with errors, the same without, and the list of errors, which is written last.
pub fn write(folder: &Path, clean: &[Arc<Tree>], planted: &Planted) -> Result<()> {
    let brackets =
        |trees: &[Arc<Tree>]| -> String { trees.iter().map(|tree| format!("{tree}\n")).collect() };
    for (name, text) in [
        ("noisy.mrg", brackets(&planted.trees)),
        ("clean.mrg", brackets(clean)),
        ("planted.tsv", to_tsv(&planted.errors)),
    ] {
        let path = folder.join(name);
        write_atomically(&path, text.as_bytes()).with_context(|| format!("{}", path.display()))?;
    }
    Ok(())
}
