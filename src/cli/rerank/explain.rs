use super::args::Explain;
use super::load;
use crate::cli::candidates;
use crate::rerank::{Judged, Parts, RerankerFile};
use anyhow::{Result, bail};
use serde_json::{Value, json};
use std::io::Write;

pub fn run(args: &Explain, out: &mut dyn Write) -> Result<()> {
    let RerankerFile { reranker, .. } = load(&args.reranker)?;
    let file = candidates::read(&args.lists, &args.reading)?;
    let (asked, n) = (args.sentence, file.sentences);
    let Some(list) = file.lists.into_iter().find(|list| list.place + 1 == asked) else {
        match asked > n {
            true => bail!("--sentence {asked}: there are {n} sentences, numbered from 1"),
            false => bail!("--sentence {asked}: it was left out as said before"),
        }
    };
    let list = Judged::new(list, reranker.settings.candidates);
    let scored = reranker.score(std::slice::from_ref(&list)).remove(0);
    let Some(chosen) = args.candidate.map(|k| k - 1).or(scored.chosen) else {
        bail!("sentence {} has no candidate", args.sentence);
    };
    let against = args.against - 1;
    for k in [chosen, against] {
        if k >= list.len() {
            let n = list.len();
            bail!("candidate {}: there are {n} candidates, numbered from 1", k + 1);
        }
    }
    let parts = reranker.explain(&list);
    let margin = parts[chosen].minus(&parts[against]);
    let mut by_size: Vec<(u32, f64)> = margin.by_decision.iter().map(|(d, p)| (*d, *p)).collect();
    by_size.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
    let shown = &by_size[..by_size.len().min(args.top)];
    let others: f64 = by_size[shown.len()..].iter().map(|(_, part)| part).sum();
    let total = scored.scores[chosen] - scored.scores[against];
    if args.json {
        let decision = |(decision, part): &(u32, f64)| json!({ "decision": reranker.decision_name(*decision), "part": part });
        let object = json!({
            "sentence": args.sentence,
            "id": list.list.id,
            "chosen": candidate(&list, &scored.scores, chosen),
            "against": candidate(&list, &scored.scores, against),
            "margin": total,
            "log_prob": margin.log_prob,
            "decisions": shown.iter().map(decision).collect::<Vec<_>>(),
            "others": { "decisions": by_size.len() - shown.len(), "part": others },
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    for (name, k) in [("chosen", chosen), ("against", against)] {
        let f1 = list.f1().get(k).map_or(String::new(), |f1| format!(", F1 {:.2}", 100.0 * f1));
        let candidate = &list.list.candidates[k];
        writeln!(
            out,
            "{name}: base rank {}, log-probability {:.3}{f1}",
            k + 1,
            candidate.log_prob
        )?;
        writeln!(out, "  {}", candidate.tree)?;
    }
    writeln!(out, "\n{:>12}  margin", signed(total))?;
    let (base, scale) = (reranker.settings.kernel.base_feature(), reranker.scale);
    writeln!(out, "{:>12}  {base}, times {scale}", signed(margin.log_prob))?;
    for (decision, part) in shown {
        writeln!(out, "{:>12}  {}", signed(*part), reranker.decision_name(*decision))?;
    }
    if by_size.len() > shown.len() {
        let n = by_size.len() - shown.len();
        writeln!(out, "{:>12}  {n} others", signed(others))?;
    }
    debug_assert!(sums(&margin, total), "parts sum to the margin");
    Ok(())
}

fn sums(margin: &Parts, total: f64) -> bool {
    (margin.sum() - total).abs() <= 1e-6 * total.abs().max(1.0)
}

fn signed(value: f64) -> String {
    format!("{value:+.6}")
}

fn candidate(list: &Judged, scores: &[f64], k: usize) -> Value {
    let candidate = &list.list.candidates[k];
    json!({
        "base_rank": k + 1,
        "log_prob": candidate.log_prob,
        "score": scores[k],
        "f1": list.f1().get(k).map(|f1| 100.0 * f1),
        "tree": candidate.tree.to_string(),
    })
}
