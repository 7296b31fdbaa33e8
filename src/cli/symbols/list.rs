//! `symbols list`.

use super::args::{Format, Sort, SymbolsList};
use crate::analysis::listing;
use crate::analysis::tables::symbols_table;
use crate::report::counted;
use anyhow::Result;
use std::io::Write;

pub fn run(args: &SymbolsList, out: &mut dyn Write) -> Result<()> {
    let (super::Counted { symbols, .. }, _) = super::count(&args.checkpoint, &args.parsed)?;
    let kind = super::kind(args.listed.kind, &symbols)?;
    let sort = match args.sort {
        Sort::Use => listing::Sort::Use,
        Sort::Purity => listing::Sort::Purity,
        Sort::Number => listing::Sort::Number,
    };
    let mut order = listing::order(kind, kind.of(&symbols), (sort, &args.listed.filter), None);
    if args.listed.limit > 0 {
        order.truncate(args.listed.limit);
    }
    if args.listed.format == Format::Text {
        let sentences = counted(symbols.sentences, "sentence");
        writeln!(out, "{sentences}: {}", super::usage(kind, &symbols))?;
    }
    let table = symbols_table(kind, kind.of(&symbols), &order);
    write!(out, "{}", table.to(super::format(args.listed.format)))?;
    Ok(())
}
