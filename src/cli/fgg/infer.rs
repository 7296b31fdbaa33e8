//! `fgg infer`: the sum over all derivations, both ways, and what each costs.

use super::args::Infer;
use super::{Loaded, conjoined, load, wants_sentence};
use crate::cli::plain::tell;
use crate::fgg::{self, Costs, FggError, Grammar, Inside, RankSpace, Weight};
use crate::report::counted;
use crate::report::numbers::Number;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::Write;

/// Both sums of a grammar.
struct Sums {
    inside: Inside,
    /// None of a grammar that is no B-FGG, which was told.
    rank_space: Option<(Weight, Costs)>,
}

pub fn run(args: &Infer, out: &mut dyn Write) -> Result<()> {
    let loaded = load(&args.file)?;
    let reasons = fgg::check(&loaded.grammar);
    if !reasons.is_empty() {
        tell(&format!("{}: in state space only: {}", loaded.name, FggError::NotB(reasons)));
    }
    if args.sentences.len() > 1 && args.sentences.iter().all(|s| !s.trim().contains(' ')) {
        let count = args.sentences.len();
        tell(&format!("{count} sentences of one word; quotes make one sentence of several words"));
    }
    if args.sentences.is_empty() {
        let sums = sum(&loaded.grammar).map_err(|e| wants_sentence(&loaded, e, "infer"))?;
        return print(args, &loaded, None, &loaded.grammar, &sums, out);
    }
    let mut failed = 0;
    for sentence in &args.sentences {
        match sum_of(&loaded, sentence) {
            Ok((grammar, sums)) => print(args, &loaded, Some(sentence), &grammar, &sums, out)?,
            Err(error) if args.sentences.len() == 1 => return Err(error),
            Err(error) => {
                tell(&format!("warning: \"{sentence}\": {error:#}"));
                failed += 1;
            }
        }
    }
    match failed {
        0 => Ok(()),
        n => bail!("{n} of {} have no sum", counted(args.sentences.len(), "sentence")),
    }
}

fn sum_of(loaded: &Loaded, sentence: &str) -> Result<(Grammar, Sums)> {
    let grammar = conjoined(loaded, sentence)?;
    let sums = sum(&grammar).with_context(|| format!("{}: \"{sentence}\"", loaded.name))?;
    Ok((grammar, sums))
}

fn sum(grammar: &Grammar) -> Result<Sums, FggError> {
    let inside = Inside::new(grammar)?;
    let rank_space = match fgg::rewrite(grammar) {
        Ok(rewriting) => {
            let sums = RankSpace::new(grammar, &rewriting)?;
            Some((sums.z(), fgg::costs(&rewriting, &sums)))
        }
        Err(FggError::NotB(_)) => None,
        Err(error) => return Err(error),
    };
    Ok(Sums { inside, rank_space })
}

fn print(
    args: &Infer,
    loaded: &Loaded,
    sentence: Option<&str>,
    grammar: &Grammar,
    sums: &Sums,
    out: &mut dyn Write,
) -> Result<()> {
    let (rules, nonterminals) = (grammar.rules().len(), grammar.nonterminals().len());
    let z = sums.inside.z();
    if args.json {
        let value = |z: Weight| json!({"z": Number(z.to_f64()), "log_z": Number(z.ln())});
        let object = json!({
            "sentence": sentence.map(|s| s.split_whitespace().collect::<Vec<_>>()),
            "rules": rules,
            "nonterminals": nonterminals,
            "derivations": Number(sums.inside.derivations()),
            "state_space": value(z),
            "rank_space": sums.rank_space.map(|(z, _)| value(z)),
            "cost": sums.rank_space.map(|(_, costs)| cost(&costs)),
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{}", sentence.unwrap_or(&loaded.name))?;
    let derivations = match sums.inside.derivations() {
        1.0 => "1 derivation".to_owned(),
        many if many < 1e15 => format!("{many} derivations"),
        many => format!("{many:.3e} derivations"),
    };
    let (rules, nonterminals) = (counted(rules, "rule"), counted(nonterminals, "nonterminal"));
    writeln!(out, "  {derivations}, {rules}, {nonterminals}")?;
    let told = |z: Weight| match (z.is_zero(), z.ln()) {
        (true, _) => "Z = 0, log Z = -infinity".to_owned(),
        (_, log) if log.is_nan() => format!("Z = {:e}, which has no logarithm", z.to_f64()),
        (_, log) => format!("log Z = {log:.12}, Z = {:e}", z.to_f64()),
    };
    writeln!(out, "  state space  {}", told(z))?;
    let Some((z, costs)) = sums.rank_space else { return Ok(()) };
    writeln!(out, "  rank space   {}", told(z))?;
    writeln!(out, "  multiply-adds       each time   equal products once")?;
    writeln!(out, "    states, tensors   {:>9}   {:>19}", costs.state_full, "")?;
    writeln!(out, "    states, CPD       {:>9}   {:>19}", costs.state_cpd, costs.state_cpd_shared)?;
    writeln!(out, "    ranks             {:>9}   {:>19}", costs.rank, costs.rank_shared)?;
    writeln!(out, "    new factors       {:>9}   (once for all sentences)", costs.precompute)?;
    Ok(())
}

fn cost(costs: &Costs) -> Value {
    json!({
        "state_full": costs.state_full,
        "state_cpd": costs.state_cpd,
        "state_cpd_shared": costs.state_cpd_shared,
        "rank": costs.rank,
        "rank_shared": costs.rank_shared,
        "precompute": costs.precompute,
    })
}
