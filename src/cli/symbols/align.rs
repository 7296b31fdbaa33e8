//! `symbols align`.

use super::args::{AlignedSort, Format, SymbolsAlign};
use crate::analysis::Alignment;
use crate::analysis::listing::{self, Kind};
use crate::analysis::tables::aligned_table;
use crate::cli::sentences as given;
use crate::report::counted;
use anyhow::{Result, bail};
use std::io::Write;

pub fn run(args: &SymbolsAlign, out: &mut dyn Write) -> Result<()> {
    let (one, corpus) = super::count(&args.checkpoint, &args.parsed)?;
    let other = given::checkpoint(&args.other)?;
    if other.preprocessing != one.checkpoint.preprocessing {
        bail!(
            "{}: it treats sentences otherwise than {}, so that its words are others",
            args.other.display(),
            args.checkpoint.display()
        );
    }
    let other = super::count_in(&args.other, other, &corpus)?;
    let (one, other) = (one.symbols, other.symbols);
    let phrases = !one.nonterminals.is_empty() && !other.nonterminals.is_empty();
    let kind = match args.listed.kind {
        // Words are what a grammar and an HMM have in common.
        None if !phrases => Kind::of_words(&one),
        asked => super::kind(asked, &one)?,
    };
    if kind == Kind::Nonterminals && !phrases {
        bail!(
            "{}: the model has no phrases; --kind preterminals aligns by words",
            args.other.display()
        );
    }
    let alignment = Alignment::new(&one, &other);
    let (matched, other_kind) = match kind {
        Kind::Nonterminals => (&alignment.nonterminals, kind),
        Kind::Preterminals | Kind::States => (&alignment.preterminals, Kind::of_words(&other)),
    };
    let sort = match args.sort {
        AlignedSort::Use => listing::Sort::Use,
        AlignedSort::Purity => listing::Sort::Purity,
        AlignedSort::Number => listing::Sort::Number,
        AlignedSort::Partner => listing::Sort::Partner,
    };
    let sorted = (sort, &*args.listed.filter);
    let mut order = listing::order(kind, kind.of(&one), sorted, Some(matched));
    if args.listed.limit > 0 {
        order.truncate(args.listed.limit);
    }
    if args.listed.format == Format::Text {
        writeln!(
            out,
            "{}: one-to-one {:.2} %, V-measure {:.2} of {} shared {} (one {}, other {})",
            counted(alignment.sentences, "sentence"),
            100.0 * matched.one_to_one(),
            100.0 * matched.agreement.v_measure(),
            matched.shared,
            kind.things(),
            matched.own,
            matched.other
        )?;
    }
    let table = aligned_table((kind, &one), (other_kind, &other), matched, &order);
    write!(out, "{}", table.to(super::format(args.listed.format)))?;
    Ok(())
}
