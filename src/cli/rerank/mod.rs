//! `rerank`: a better choice among the candidates of a parser.

mod apply;
pub mod args;
mod explain;
mod train;

use args::Rerank;
use std::io::Write;

pub fn run(args: &Rerank, out: &mut dyn Write) -> anyhow::Result<()> {
    match args {
        Rerank::Train(args) => train::run(args, out),
        Rerank::Apply(args) => apply::run(args, out),
        Rerank::Explain(args) => explain::run(args, out),
    }
}
