//! `presets`: names with descriptions, or the TOML of one. Data presets stand behind those for
//! training; as TOML they are the section `[data]` with everything written out.

use super::args::Presets;
use super::failure::Usage;
use crate::config;
use crate::treebank::{DATA_PRESETS, Preprocessing, describe_data_preset};
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::Write;

/// A config that has no other section.
#[derive(Serialize)]
struct OnlyData {
    data: config::Data,
}

pub fn run(args: &Presets, out: &mut dyn Write) -> Result<()> {
    if let Some(name) = &args.name {
        if DATA_PRESETS.contains(&name.as_str()) {
            let data = Preprocessing::preset(name)?.to_data();
            writeln!(out, "# {}", describe_data_preset(name).unwrap_or_default())?;
            write!(out, "{}", toml::to_string(&OnlyData { data }).context("a preset is TOML")?)?;
            return Ok(());
        }
        let preset = config::preset(name).map_err(|error| {
            match config::nearest(name, 0.85, DATA_PRESETS.iter().copied()) {
                Some(data) => Usage(format!("no preset named `{name}`, did you mean `{data}`?")),
                None => Usage(error.to_string()),
            }
        })?;
        write!(out, "{}", preset.text)?;
        return Ok(());
    }
    let training = config::presets().iter().map(|p| (p.name, p.description()));
    let data = DATA_PRESETS.iter().map(|&n| (n, describe_data_preset(n).unwrap_or_default()));
    let all: Vec<_> = training.chain(data).collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, description) in all {
        writeln!(out, "{name:width$}  {description}")?;
    }
    Ok(())
}
