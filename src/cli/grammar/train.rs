//! `grammar train`: a parser from a treebank, into a file.

use super::args::GrammarTrain;
use crate::cli::corpus::output::Output;
use crate::cli::ensemble::{self, args::Supervision};
use crate::cli::file;
use crate::config::Kind;
use crate::parser::{self, ParserFile};
use crate::treebank::Preprocessing;
use anyhow::Result;
use serde_json::json;
use std::io::Write;
use std::time::Instant;

pub fn run(args: &GrammarTrain, out: &mut dyn Write) -> Result<()> {
    let shown = args.out.display();
    file::refuse_existing(&args.out)?;
    // Begun and given up: what cannot be written shows before anything is learned.
    drop(Output::new_file(&args.out)?);
    let supervision =
        Supervision { train: args.train.clone(), test: Vec::new(), set: args.set.clone() };
    // What holds for the trees of ensembles holds for those of one parser.
    let mut config = ensemble::settings(None, Kind::Bag, &supervision, Vec::new())?;
    config.kind = Kind::Train;
    let inducer = parser::build(&config.parser)?;
    let preprocessing = Preprocessing::resolve(&config.data)?;
    let trees = ensemble::trees(&config)?.train.trees();
    let start = Instant::now();
    let parser = inducer.induce(&trees, &vec![1.0; trees.len()])?;
    let seconds = start.elapsed().as_secs_f64();
    let words: usize = trees.iter().map(|tree| tree.len()).sum();
    let (size, what) = parser.size();
    ParserFile { config, preprocessing, parser }.save(&args.out)?;
    if args.json {
        let figures = json!({
            "file": args.out,
            "parser": inducer.name(),
            "trees": trees.len(),
            "words": words,
            what: size,
            "train_seconds": seconds,
        });
        serde_json::to_writer(&mut *out, &figures)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "{}: {size} {what} from {} trees of {words} words in {seconds:.2} s, in {shown}",
            inducer.name(),
            trees.len()
        )?;
    }
    Ok(())
}
