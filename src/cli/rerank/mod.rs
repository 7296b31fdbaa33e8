//! `rerank`: a better choice among the candidates of a parser.

mod apply;
pub mod args;
mod explain;
mod train;

use crate::config::Kind;
use crate::report::RunState;
use crate::rerank::RerankerFile;
use crate::run::{RunFolder, RunSummary};
use anyhow::{Result, bail};
use args::Rerank;
use std::io::Write;
use std::path::Path;

pub fn run(args: &Rerank, out: &mut dyn Write) -> anyhow::Result<()> {
    match args {
        Rerank::Train(args) => train::run(args, out),
        Rerank::Apply(args) => apply::run(args, out),
        Rerank::Explain(args) => explain::run(args, out),
    }
}

/// A reranker's file, or that of the run folder of its training.
fn load(path: &Path) -> Result<RerankerFile> {
    if !path.is_dir() {
        return Ok(RerankerFile::load(path)?);
    }
    let (folder, shown) = (RunFolder::open(path)?, path.display());
    let kind = folder.config()?.kind;
    if kind != Kind::Rerank {
        bail!("{shown} is a run of {}, not of a reranker", kind.name());
    }
    match (folder.best().is_file(), RunSummary::read(&folder).state()) {
        (true, _) => Ok(RerankerFile::load(&folder.best())?),
        (false, Some(RunState::Running | RunState::Paused)) => {
            bail!("{shown} has no reranker yet: its training goes on")
        }
        (false, _) => {
            bail!("{shown} has no reranker: `rankspace resume {shown}` trains it")
        }
    }
}
