//! `train`: settings from file or preset and command line, and a job in a new run folder.

use super::args::Train;
use super::attend::attend;
use super::failure::Usage;
use super::file;
use super::plain::tell;
use super::seeds;
use super::values::blame;
use crate::config::{self, Config, ConfigError};
use crate::model;
use crate::run::{self, Group, Job, RunError, RunFolder};
use crate::treebank::{DATA_PRESETS, TreebankError};
use anyhow::{Result, bail};
use std::io::Write;
use std::path::Path;

/// Where runs go without `--out`.
pub const RUNS: &str = "runs";

pub fn train(args: &Train, out: &mut dyn Write) -> Result<()> {
    let mut config = checked_settings(args)?;
    let continues = args.seeds.is_some() && args.out.as_deref().is_some_and(Group::is_one);
    if let Some(path) = &args.out
        && holds_anything(path)
        && !continues
    {
        bail!(
            "{} holds something already, and nothing is overwritten: name a new folder, or go \
             on with `rankspace resume`",
            path.display()
        );
    }
    if let Some(seeds) = args.seeds {
        let group = seeds::group(args.out.as_deref(), &config, seeds, Path::new(RUNS))?;
        run::stop_on_signals()?;
        return seeds::attend(&group, (args.parallel, None), args.json, out);
    }
    run::settle_speeds(&mut config);
    let folder = match &args.out {
        Some(path) => RunFolder::create_at(path, &config)?,
        None => RunFolder::create(Path::new(RUNS), &config)?,
    };
    run::stop_on_signals()?;
    attend(Job::train(config, folder)?, args.json, out)
}

/// The settings of a run that can begin: what it needs is there.
pub fn checked_settings(args: &Train) -> Result<Config> {
    let config = settings(args)?;
    let blame = |key: &str, error: anyhow::Error| match is_changed(args, key) {
        true => Usage(error.to_string()).into(),
        false => error,
    };
    model::placement(&config).map_err(|e| blame("device", e.into()))?;
    run::check_memory(&config, 0)?;
    Job::check(&config).map_err(|e| match key_of(&e) {
        Some(key) => blame(key, e.into()),
        None => e.into(),
    })?;
    tell_idle(args, &config);
    Ok(config)
}

/// Whether a device that the command line names means anything.
pub fn check_device(device: Option<&str>, config: &Config) -> Result<(), Usage> {
    let Some(device) = device else { return Ok(()) };
    let config = Config { device: device.into(), ..config.clone() };
    model::placement(&config).map(drop).map_err(|e| Usage(format!("--device: {e}")))
}

/// The setting whose value is wrong in itself; `None` where it names what is not there.
fn key_of(error: &RunError) -> Option<&'static str> {
    let RunError::Treebank(error) = error else { return None };
    match error {
        TreebankError::Preset { .. } => Some("data.preset"),
        TreebankError::Sections { .. } => Some("data.sections"),
        TreebankError::NoSource { .. } => Some("data.train"),
        _ => None,
    }
}

pub fn holds_anything(path: &Path) -> bool {
    match std::fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_some(),
        Err(_) => path.exists(),
    }
}

/// Whether the command line gives this setting.
fn is_changed(args: &Train, key: &str) -> bool {
    let is_set = args.set.iter().any(|s| s.split('=').next().is_some_and(|k| k.trim() == key));
    is_set || (key == "device" && args.device.is_some())
}

/// Says what of the command line has no effect. The run itself says it of all settings but those
/// that are set to what they are anyway.
fn tell_idle(args: &Train, config: &Config) {
    let told = config.without_effect();
    let is_told = |key: &str| {
        told.iter().any(|t| key.strip_prefix(t).is_some_and(|r| r.is_empty() || r.starts_with('.')))
    };
    // Without a value it is taken away.
    let set = args.set.iter().filter_map(|s| s.split_once('=')).filter(|(_, v)| !v.is_empty());
    let idle: Vec<&str> = set.map(|(key, _)| key.trim()).filter(|key| !is_told(key)).collect();
    if let Some(idle) = config::unused(config.model.family, &idle) {
        tell(&format!("warning: {idle}"));
    }
}

/// The config of a file or preset with the changes of the command line. A fault of the file is
/// a failure; one of the changes, wrong usage.
pub fn settings(args: &Train) -> Result<Config> {
    check_device(args.device.as_deref(), &Config::default())?;
    let mut changes = args.set.clone();
    changes.extend(args.device.as_ref().map(|device| format!("device={device}")));
    let with = |changes: &[String]| -> Result<Config, ConfigError> {
        match (&args.preset, &args.config) {
            (Some(name), _) => config::preset(name)?.config(changes),
            (None, Some(path)) => Config::read(path, changes),
            (None, None) => Ok(Config::default()),
        }
    };
    if let Some(folder) = args.config.as_deref().filter(|path| path.is_dir()) {
        let shown = folder.display();
        match RunFolder::open(folder).is_ok() || Group::is_one(folder) {
            true => bail!(
                "{shown} is a run folder: `rankspace resume {shown}` goes on with it; the \
                 config.toml in it holds its settings"
            ),
            false => return Err(file::is_folder(folder, &["toml"])),
        }
    }
    // The name of a preset alone, where no file has it.
    if let Some(name) = args.config.as_deref().filter(|path| !path.exists()).and_then(Path::to_str)
        && config::preset(name).is_ok()
    {
        let message = format!("{name}: no such file; a preset is named by `--preset {name}`");
        return Err(Usage(message).into());
    }
    if let Err(error) = with(&[]) {
        return Err(match error {
            ConfigError::Preset { name, .. } if DATA_PRESETS.contains(&name.as_str()) => {
                Usage(format!(
                    "--preset {name}: this preset is one for data; `--set data.preset={name}` \
                     changes a config or a preset for training, e.g. pcfg-small"
                ))
                .into()
            }
            ConfigError::Preset { .. } => Usage(error.to_string()).into(),
            other => other.into(),
        });
    }
    with(&changes).map_err(|error| {
        // Some changes are valid only together, so one that fails by itself is to blame only
        // where all together fail.
        let culprit = (1..=changes.len()).find(|&n| with(&changes[..n]).is_err());
        let change = culprit.map_or("", |n| changes[n - 1].as_str());
        blame(change, error).into()
    })
}
