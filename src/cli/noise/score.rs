//! `noise score`: how well a ranking finds planted errors.

use crate::analysis::noise::{Figures, Kind, Scores, from_tsv, ranking_from_tsv};
use crate::cli::ensemble::args::NoiseScore;
use crate::report::counted;
use anyhow::{Context, Result, bail};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

pub fn run(args: &NoiseScore, out: &mut dyn Write) -> Result<()> {
    let named = |path: &Path| format!("{}", path.display());
    let read = |path: &Path| std::fs::read_to_string(path).with_context(|| named(path));
    let ranking = ranking_from_tsv(&read(&args.ranking)?).with_context(|| named(&args.ranking))?;
    let planted = from_tsv(&read(&args.planted)?).with_context(|| named(&args.planted))?;
    if planted.is_empty() {
        bail!("{}: no planted error stands in it", named(&args.planted));
    }
    let mut seen = BTreeSet::new();
    if let Some((twice, _)) = ranking.iter().find(|(sentence, _)| !seen.insert(*sentence)) {
        bail!("{}: sentence {twice} is ranked twice", named(&args.ranking));
    }
    // Of a part of a ranking, figures would flatter it: what is not planted is missing too.
    let missing: BTreeSet<usize> =
        planted.iter().map(|error| error.sentence).filter(|s| !seen.contains(s)).collect();
    if let Some(first) = missing.first() {
        bail!(
            "{}: not ranked {}, the first of them {first}; a ranking is scored as a whole (`boost \
             ranking` without --top)",
            named(&args.ranking),
            counted(missing.len(), "planted sentence")
        );
    }
    let scores = Scores::of(&ranking, &planted);
    if args.json {
        serde_json::to_writer(&mut *out, &scores)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(
        out,
        "{:12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "kind", "planted", "P@50", "P@100", "P@n", "AP", "AUC"
    )?;
    let kinds = scores.kinds.iter().map(|(kind, figures)| (Kind::name(*kind), figures));
    for (name, figures) in kinds.chain([("all", &scores.all)]) {
        writeln!(out, "{name:12} {}", columns(figures))?;
    }
    Ok(())
}

/// Figures from 0 to 1, a dash where one is not defined.
fn columns(figures: &Figures) -> String {
    let optional = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{x:.4}"));
    format!(
        "{:>8} {:>8.4} {:>8.4} {:>8.4} {:>8} {:>8}",
        figures.planted,
        figures.precision_at_50,
        figures.precision_at_100,
        figures.precision_at_planted,
        optional(figures.average_precision),
        optional(figures.roc_auc)
    )
}
