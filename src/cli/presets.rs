//! `presets`: names with descriptions, or the TOML of one.

use super::args::Presets;
use super::failure::Usage;
use crate::config;
use anyhow::Result;
use std::io::Write;

pub fn run(args: &Presets, out: &mut dyn Write) -> Result<()> {
    if let Some(name) = &args.name {
        let preset = config::preset(name).map_err(|e| Usage(e.to_string()))?;
        write!(out, "{}", preset.text)?;
        return Ok(());
    }
    let width = config::presets().iter().map(|p| p.name.len()).max().unwrap_or(0);
    for preset in config::presets() {
        writeln!(out, "{:width$}  {}", preset.name, preset.description())?;
    }
    Ok(())
}
