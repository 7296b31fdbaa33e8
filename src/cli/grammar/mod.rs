//! `grammar`: supervised parsers, learned from treebanks.

pub mod args;
mod figures;
mod parse;
mod train;

pub use parse::parse;

use anyhow::Result;
use args::Grammar;
use std::io::Write;

pub fn run(args: &Grammar, out: &mut dyn Write) -> Result<()> {
    match args {
        Grammar::Train(args) => train::run(args, out),
        Grammar::Parse(args) => parse::run(args, out),
    }
}
