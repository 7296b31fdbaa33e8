//! `noise`: known errors in a treebank, and how well rankings find them.

mod detectors;
mod plant;
mod score;
mod table;

use super::ensemble::args::Noise;
use anyhow::Result;
use std::io::Write;

pub fn run(args: &Noise, out: &mut dyn Write) -> Result<()> {
    match args {
        Noise::Plant(args) => plant::run(args, out),
        Noise::Score(args) => score::run(args, out),
        Noise::Table(args) => table::run(args, out),
    }
}
