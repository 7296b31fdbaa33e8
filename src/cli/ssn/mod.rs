//! `ssn`: the history-based parser, trained and used.

pub mod args;
mod parse;

use super::attend::attend;
use super::ensemble::{need_trees, settings, sources};
use super::seeds;
use crate::config::Kind;
use crate::run::{self, Group, Job, RunFolder};
use crate::treebank::Splits;
use anyhow::{Result, bail};
use args::{Ssn, SsnTrain};
use std::io::Write;
use std::path::Path;

/// Where runs go without `--out`.
const RUNS: &str = "runs";

pub fn run(command: &Ssn, out: &mut dyn Write) -> Result<()> {
    match command {
        Ssn::Train(args) => begin(args, out),
        Ssn::Parse(args) => parse::run(args, out),
    }
}

fn begin(args: &SsnTrain, out: &mut dyn Write) -> Result<()> {
    let dev = sources("dev", &args.dev);
    let config =
        settings(args.config.as_deref(), Kind::Ssn, &args.supervision, dev.into_iter().collect())?;
    need_trees(&config, args.config.as_deref())?;
    // A folder is made only for a run that can begin.
    Splits::check(&config)?;
    if let Some(number) = args.seeds {
        let group = seeds::group(args.out.as_deref(), &config, number, Path::new(RUNS))?;
        run::stop_on_signals()?;
        return seeds::attend(&group, (args.parallel, None), args.json, out);
    }
    if let Some(path) = args.out.as_deref().filter(|path| Group::is_one(path)) {
        let shown = path.display();
        bail!("{shown} holds several seeds: go on with `rankspace resume {shown}`");
    }
    let folder = match &args.out {
        Some(path) => RunFolder::create_at(path, &config)?,
        None => RunFolder::create(Path::new(RUNS), &config)?,
    };
    run::stop_on_signals()?;
    attend(Job::train(config, folder)?, args.json, out)
}
