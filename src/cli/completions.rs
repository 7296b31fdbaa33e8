//! `completions`: a script that teaches a shell our commands and flags.

use super::args::{Arguments, Completions};
use anyhow::Result;
use clap::CommandFactory;
use std::io::Write;

pub fn run(args: &Completions, out: &mut dyn Write) -> Result<()> {
    // The generator panics when it cannot write: let it write to memory.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "rankspace", &mut script);
    out.write_all(&script)?;
    Ok(())
}
