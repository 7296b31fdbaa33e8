//! `ssn parse`: the trees of a history-based parser, and how good they are.

use super::args::SsnParse;
use crate::cli::plain::tell;
use crate::cli::{grammar, sentences};
use crate::config::Select;
use crate::parser::ssn::SsnFile;
use crate::run::{Group, Member, RunFolder};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::{Path, PathBuf};

pub fn run(args: &SsnParse, out: &mut dyn Write) -> Result<()> {
    let path = match Group::is_one(&args.checkpoint) {
        true => best_seed(&args.checkpoint)?,
        false => sentences::checkpoint_file(&args.checkpoint)?,
    };
    if path != args.checkpoint {
        tell(&format!("using {}", path.display()));
    }
    sentences::is_of_kind("ssn", &path, &args.checkpoint)?;
    let SsnFile { ssn, preprocessing, .. } = SsnFile::load(&path)?;
    let ssn = match args.beam {
        Some(beam) => ssn.with_beam(beam),
        None => ssn,
    };
    grammar::parse(&ssn, &preprocessing, &args.parsing, out)
}

/// The best checkpoint of several seeds, by the figure that their training goes by.
fn best_seed(path: &Path) -> Result<PathBuf> {
    let group = Group::open(path)?;
    let figure = match group.config().training.select {
        Select::LogLikelihood => "log_likelihood",
        Select::SF1 => "f1",
    };
    let of = |member: &Member| -> Option<(f64, PathBuf)> {
        let dev = group.summary(member)?.status?.best?.dev;
        let file = RunFolder::open(&group.folder_of(member)).ok()?.best();
        Some((dev.get(figure)?, file)).filter(|(_, file)| file.is_file())
    };
    let best = group.members().iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0));
    match best {
        Some((_, file)) => Ok(file),
        None => bail!("{}: no seed has a checkpoint yet", path.display()),
    }
}
