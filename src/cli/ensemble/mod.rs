//! `bag` and `boost`: many supervised parsers, trained and scored in a run folder.

pub mod args;
mod curve;
pub mod figures;
mod ranking;
mod weak;

pub use curve::run as learning_curve;
pub use weak::load as trees;

use super::attend::attend;
use super::failure::Usage;
use super::values::blame;
use crate::config::{Config, ConfigError, Kind};
use crate::parser;
use crate::run::{self, Job, RunFolder};
use anyhow::{Result, bail};
use args::{Bag, Boost, BoostWhat, EnsembleRun, Supervision};
use std::io::Write;
use std::path::Path;

/// Where runs go without `--out`.
const RUNS: &str = "runs";

pub fn bag(args: &Bag, out: &mut dyn Write) -> Result<()> {
    begin(&args.run, Kind::Bag, Vec::new(), out)
}

pub fn boost(args: &Boost, out: &mut dyn Write) -> Result<()> {
    match &args.what {
        Some(BoostWhat::WeakLearning(args)) => return weak::run(args, out),
        Some(BoostWhat::Ranking(args)) => return ranking::run(args, out),
        None => {}
    }
    let flags =
        [("update", &args.update), ("sampling", &args.sampling), ("on_failure", &args.on_failure)];
    let flags = flags
        .into_iter()
        .filter_map(|(key, value)| Some(format!("ensemble.{key}={}", value.as_ref()?)));
    begin(&args.run, Kind::Boost, flags.collect(), out)
}

/// Makes a run of the kind, with these changes to its settings.
pub fn begin(
    args: &EnsembleRun,
    kind: Kind,
    mut changes: Vec<String>,
    out: &mut dyn Write,
) -> Result<()> {
    changes.extend(args.rounds.map(|n| format!("ensemble.rounds={n}")));
    changes.extend(sources("dev", &args.dev));
    let config = settings(args.config.as_deref(), kind, &args.supervision, changes)?;
    need_trees(&config, args.config.as_deref())?;
    // A folder is made only for a run that can begin.
    parser::build(&config.parser)?;
    Job::check(&config)?;
    let folder = match &args.out {
        Some(path) => RunFolder::create_at(path, &config)?,
        None => RunFolder::create(Path::new(RUNS), &config)?,
    };
    run::stop_on_signals()?;
    attend(Job::train(config, folder)?, args.json, out)
}

/// Refuses settings that name no training trees.
pub fn need_trees(config: &Config, file: Option<&Path>) -> Result<()> {
    if !config.data.train.0.is_empty() {
        return Ok(());
    }
    match file {
        Some(file) => bail!(
            "{}: no training trees: name some in it as data.train, or by --train FILE",
            file.display()
        ),
        None => {
            let text = "no training trees: name some by --train FILE, or in a config as data.train";
            Err(Usage(text.into()).into())
        }
    }
}

/// The config of a file, or the defaults, with the changes of the command line.
pub fn settings(
    path: Option<&Path>,
    kind: Kind,
    supervision: &Supervision,
    flags: Vec<String>,
) -> Result<Config> {
    let mut changes = vec![format!("kind={}", kind.name())];
    changes.extend(sources("train", &supervision.train));
    changes.extend(sources("test", &supervision.test));
    changes.extend(flags);
    changes.extend(supervision.set.iter().cloned());
    let with = |changes: &[String]| -> Result<Config, ConfigError> {
        match path {
            Some(path) => Config::read(path, changes),
            None => Config::from_toml("the defaults", "", changes),
        }
    };
    with(&changes[..1])?;
    with(&changes).map_err(|error| {
        let culprit = (1..=changes.len()).find(|&n| with(&changes[..n]).is_err());
        match culprit {
            Some(n) => blame(&changes[n - 1], error).into(),
            None => Usage(error.to_string()).into(),
        }
    })
}

/// A setting that names files.
pub fn sources(split: &str, files: &[String]) -> Option<String> {
    let list: Vec<String> = files.iter().map(|file| format!("{file:?}")).collect();
    (!files.is_empty()).then(|| format!("data.{split}=[{}]", list.join(", ")))
}
