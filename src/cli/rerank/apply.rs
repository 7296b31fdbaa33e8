use super::args::Apply;
use super::load;
use crate::cli::candidates;
use crate::cli::corpus::output::Output;
use crate::cli::plain::tell;
use crate::evaluation::evalb::{Totals, length_bins};
use crate::evaluation::significance::Method;
use crate::rerank::{Judged, Outcome, RerankerFile, Scored, System, tree_lines};
use anyhow::Result;
use serde_json::{Value, json};
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

pub fn run(args: &Apply, out: &mut dyn Write) -> Result<()> {
    let begin = |path: &Option<PathBuf>| path.as_deref().map(Output::new_file).transpose();
    let (trees_out, table_out) = (begin(&args.trees)?, begin(&args.table)?);
    let RerankerFile { reranker, .. } = load(&args.reranker)?;
    let lists = candidates::read(&args.lists, &args.reading)?.lists;
    let lists = Judged::all(lists, reranker.settings.candidates);
    let start = Instant::now();
    let scored = reranker.score(&lists);
    let seconds = start.elapsed().as_secs_f64();
    if let Some(mut file) = trees_out {
        file.write_all(&tree_lines(&lists, |i| scored[i].chosen))?;
        file.keep()?;
    }
    if let Some(mut file) = table_out {
        table(&lists, &scored, &mut file)?;
        file.keep()?;
    }
    let has_gold = lists.iter().any(|list| list.list.gold.is_some());
    if !has_gold {
        let shown = args.lists.display();
        tell(&format!("note: {shown}: no gold trees and so no figures; --gold FILE gives them"));
    }
    let outcome = has_gold.then(|| Outcome::of(&lists, &scored, args.shuffles, args.seed));
    let changed = scored.iter().filter(|s| s.chosen.is_some_and(|k| k != 0)).count();
    if args.json {
        let mut object = json!({
            "sentences": lists.len(),
            "changed": changed,
            "seconds": seconds,
            // Of the file, from 1, as in the table: sentences may have been left out.
            "numbers": lists.iter().map(|list| list.list.place + 1).collect::<Vec<_>>(),
            "chosen": scored.iter().map(|s| s.chosen.map(|k| k + 1)).collect::<Vec<_>>(),
        });
        if let Some(outcome) = &outcome {
            add_figures(&mut object, outcome, args.by_length);
        }
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
    } else {
        writeln!(
            out,
            "{} sentences, {changed} with another choice than the base parser's; {:.1} ms a \
             sentence",
            lists.len(),
            1e3 * seconds / lists.len().max(1) as f64
        )?;
        if let Some(outcome) = &outcome {
            print(outcome, args.by_length, out)?;
        }
    }
    for fault in outcome.iter().flat_map(|o| o.reranked.errors.iter()).take(10) {
        tell(&format!("warning: evalb: sentence {fault}"));
    }
    Ok(())
}

/// Key, title and figure of a column.
type Column = (&'static str, &'static str, fn(&Totals) -> f64);

const COLUMNS: [Column; 5] = [
    ("precision", "P", Totals::precision),
    ("recall", "R", Totals::recall),
    ("f1", "F1", Totals::f1),
    ("complete_match", "exact", Totals::complete_match),
    ("tagging_accuracy", "tags", Totals::tagging_accuracy),
];

fn figures(totals: &Totals) -> Value {
    let figure = |(key, _, of): &Column| ((*key).to_owned(), json!(of(totals)));
    let mut object: serde_json::Map<String, Value> = COLUMNS.iter().map(figure).collect();
    object.insert("sentences".into(), totals.valid().into());
    object.insert("errors".into(), totals.errors.into());
    object.insert("skipped".into(), totals.skipped.into());
    Value::Object(object)
}

fn add_figures(object: &mut Value, outcome: &Outcome, by_length: Option<u64>) {
    for system in System::ALL {
        let evaluation = outcome.evaluation(system);
        let mut figures_of = figures(&evaluation.totals());
        if let Some(width) = by_length {
            let bins = length_bins(&evaluation.rows, width).into_iter().map(|(lengths, totals)| {
                let mut bin = figures(&totals);
                bin["from"] = lengths.from.into();
                bin["to"] = lengths.to.into();
                bin
            });
            figures_of["lengths"] = bins.collect();
        }
        object[system.name()] = figures_of;
    }
    let [precision, recall, f1] = outcome.p;
    object["p"] = json!({ "precision": precision, "recall": recall, "f1": f1 });
    object["left_out"] = json!(outcome.left_out.either);
}

fn print(outcome: &Outcome, by_length: Option<u64>, out: &mut dyn Write) -> Result<()> {
    write!(out, "\n{:16}", "")?;
    for (_, title, _) in COLUMNS {
        write!(out, " {title:>9}")?;
    }
    writeln!(out)?;
    let row = |name: &str, totals: &Totals, out: &mut dyn Write| -> Result<()> {
        write!(out, "{name:16}")?;
        for (_, _, figure) in COLUMNS {
            write!(out, " {:>9.2}", figure(totals))?;
        }
        Ok(writeln!(out)?)
    };
    for system in System::ALL {
        row(system.name(), &outcome.evaluation(system).totals(), out)?;
    }
    let [precision, recall, f1] = outcome.p;
    let method = match outcome.method {
        Method::Exact => "exact".to_owned(),
        Method::Shuffles(n) => format!("{n} random exchanges"),
    };
    writeln!(
        out,
        "reranked against base: p = {f1:.4} of F1, {precision:.4} of P, {recall:.4} of R ({method})"
    )?;
    let totals = outcome.reranked.totals();
    if totals.errors + totals.skipped > 0 {
        writeln!(
            out,
            "{} sentences could not be scored, {} have no candidate",
            totals.errors, totals.skipped
        )?;
    }
    if let Some(width) = by_length {
        writeln!(
            out,
            "\nF1 by length {:>9} {:>9} {:>9} {:>9}",
            "sentences", "base", "reranked", "oracle"
        )?;
        let [base, reranked, oracle] =
            System::ALL.map(|s| length_bins(&outcome.evaluation(s).rows, width));
        for ((lengths, totals), (base, oracle)) in reranked.iter().zip(base.iter().zip(&oracle)) {
            writeln!(
                out,
                "{:12} {:>9} {:>9.2} {:>9.2} {:>9.2}",
                format!("{}-{}", lengths.from, lengths.to),
                totals.valid(),
                base.1.f1(),
                totals.f1(),
                oracle.1.f1()
            )?;
        }
    }
    Ok(())
}

/// Every candidate with its ranks and scores.
fn table(lists: &[Judged], scored: &[Scored], out: &mut dyn Write) -> Result<()> {
    writeln!(out, "sentence\tid\tbase_rank\trank\tchosen\tlog_prob\tscore\tf1\ttree")?;
    for (list, scored) in lists.iter().zip(scored) {
        let f1 = list.f1();
        for (k, candidate) in list.list.candidates.iter().enumerate() {
            let score = scored.scores[k];
            let before = |(other, s): (usize, &f64)| *s > score || *s == score && other < k;
            let rank = scored.scores.iter().enumerate().filter(|c| before(*c)).count();
            let id = list.list.id.as_deref().unwrap_or("-").replace(['\t', '\n'], " ");
            let f1 = f1.get(k).map_or("-".to_owned(), |f1| format!("{:.2}", 100.0 * f1));
            let chosen = u8::from(scored.chosen == Some(k));
            writeln!(
                out,
                "{}\t{id}\t{}\t{}\t{chosen}\t{}\t{score}\t{f1}\t{}",
                list.list.place + 1,
                k + 1,
                rank + 1,
                candidate.log_prob,
                candidate.tree
            )?;
        }
    }
    Ok(())
}
