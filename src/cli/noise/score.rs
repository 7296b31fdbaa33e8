//! `noise score`: how well a ranking finds planted errors.

use crate::analysis::noise::{Figures, Kind, Scores, from_tsv, ranking_from_tsv};
use crate::cli::ensemble::args::NoiseScore;
use anyhow::{Context, Result, bail};
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
    let scores = Scores::of(&ranking, &planted).with_context(|| named(&args.ranking))?;
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
