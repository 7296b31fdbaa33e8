//! `symbols sentences`.

use super::args::SymbolsSentences;
use crate::cli::plain::tell;
use crate::report::counted;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;
use std::sync::Arc;

#[derive(Serialize)]
struct Line<'a> {
    /// Number of the sentence among those that were read, from 1.
    sentence: usize,
    words: &'a [Arc<str>],
    /// Where the symbol stands: first word and behind the last, from 0.
    spans: Vec<(u32, u32)>,
}

pub fn run(args: &SymbolsSentences, out: &mut dyn Write) -> Result<()> {
    let (counted_symbols, corpus) = super::count(&args.checkpoint, &args.parsed)?;
    let symbols = &counted_symbols.symbols;
    let (kind, symbol) = super::symbol(&args.symbol, symbols)?;
    let using = &kind.of(symbols)[symbol].sentences;
    for &at in using {
        let Some((sentence, tree)) =
            corpus.get(at as usize).zip(symbols.trees.get(at as usize).and_then(Option::as_ref))
        else {
            continue;
        };
        let spans = kind.uses(tree, symbol);
        let line = Line { sentence: at as usize + 1, words: &sentence.surface, spans };
        if args.json {
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
            continue;
        }
        let spans: Vec<String> =
            line.spans.iter().map(|(from, to)| format!("{from}-{to}")).collect();
        writeln!(out, "{}\t{}\t{}", line.sentence, line.words.join(" "), spans.join(" "))?;
    }
    let all = counted(corpus.len(), "sentence");
    tell(&format!("{} in {} of {all}", args.symbol, using.len()));
    Ok(())
}
