//! `keys`: the table of the workbench's commands and keys, which is a template of `keys.toml` too.

use super::args::Keys;
use super::failure::Told;
use super::plain::tell;
use crate::workbench::keys_file;
use crate::workbench::start::UserData;
use anyhow::Result;
use std::io::Write;

pub fn run(args: &Keys, out: &mut dyn Write) -> Result<()> {
    let path = UserData::of_user().keys_file();
    let own = path.as_deref().filter(|_| !args.defaults).map(keys_file::read).unwrap_or_default();
    write!(out, "{}", keys_file::template(&own.keymap, path.as_deref()))?;
    if own.problems.is_empty() {
        return Ok(());
    }
    out.flush()?;
    for problem in &own.problems {
        tell(&format!("error: {problem}"));
    }
    Err(Told.into())
}
