//! `ssn parse`: the trees of a history-based parser, and how good they are.

use super::args::SsnParse;
use crate::cli::plain::tell;
use crate::cli::{grammar, sentences};
use crate::parser::ssn::SsnFile;
use crate::run::{self, Group};
use anyhow::Result;
use std::io::Write;

pub fn run(args: &SsnParse, out: &mut dyn Write) -> Result<()> {
    let path = match Group::is_one(&args.checkpoint) {
        true => run::ssn_file(&args.checkpoint)?,
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
