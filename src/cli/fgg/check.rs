//! `fgg check`: what is in a grammar, and what can be done with it.

use super::args::Check;
use super::load;
use crate::fgg::{self, Factor, Grammar, Terminal};
use crate::report::counted;
use anyhow::Result;
use serde_json::{Map, Value, json};
use std::io::Write;

pub fn run(args: &Check, out: &mut dyn Write) -> Result<()> {
    let loaded = load(&args.file)?;
    let grammar = &loaded.grammar;
    let cycle = fgg::cycle(grammar);
    let reasons = fgg::check(grammar);
    if args.json {
        let reason: Vec<Value> =
            reasons.iter().map(|(rule, reason)| json!([rule, reason.name()])).collect();
        let object = json!({
            "file": loaded.name,
            "domains": sizes(grammar),
            "terminals": grammar.terminals().iter().map(|t| (t.name.clone(), terminal(grammar, t)))
                .collect::<Map<_, _>>(),
            "nonterminals": grammar.nonterminals().iter()
                .map(|n| (n.name.clone(), json!({"type": names(grammar, &n.domains)})))
                .collect::<Map<_, _>>(),
            "start": grammar.nonterminals()[grammar.start()].name,
            "rules": grammar.rules().len(),
            "cyclic": cycle.is_some(),
            "cycle": cycle,
            "is_b_fgg": reasons.is_empty(),
            "reason": if reasons.is_empty() { Value::Null } else { reason.into() },
        });
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)?;
        return Ok(());
    }
    writeln!(out, "{}", loaded.name)?;
    let list = |parts: Vec<String>| if parts.is_empty() { "none".into() } else { parts.join(", ") };
    let domains = grammar.domains().iter().map(|d| format!("{} {}", d.name, d.values.len()));
    writeln!(out, "domains       {}", list(domains.collect()))?;
    let typed =
        |name: &str, domains: &[usize]| format!("{name} [{}]", names(grammar, domains).join(", "));
    let terminals = grammar.terminals().iter().map(|t| match &t.factor {
        Factor::Cpd(cpd) => format!("{} of rank {}", typed(&t.name, &t.domains), cpd.rank()),
        _ => typed(&t.name, &t.domains),
    });
    writeln!(out, "factors       {}", list(terminals.collect()))?;
    let nonterminals = grammar.nonterminals().iter().map(|n| typed(&n.name, &n.domains));
    writeln!(out, "nonterminals  {}", list(nonterminals.collect()))?;
    let start = &grammar.nonterminals()[grammar.start()].name;
    writeln!(out, "rules         {}, start {start}", grammar.rules().len())?;
    match cycle {
        None => writeln!(out, "cyclic        no")?,
        Some(cycle) => {
            let yields = grammar.rules().iter().any(|rule| rule.yields.is_some());
            let needs = if yields { "needs a sentence" } else { "cannot be done" };
            writeln!(out, "cyclic        yes, {}: inference {needs}", cycle.join(" -> "))?;
        }
    }
    if reasons.is_empty() {
        writeln!(out, "B-FGG         yes: it can be rewritten to rank space")?;
        return Ok(());
    }
    writeln!(out, "B-FGG         no: {}", counted(reasons.len(), "fault"))?;
    for (rule, reason) in reasons {
        writeln!(out, "  rule {rule}: {reason}")?;
    }
    Ok(())
}

fn names<'a>(grammar: &'a Grammar, domains: &[usize]) -> Vec<&'a str> {
    domains.iter().map(|&d| grammar.domains()[d].name.as_str()).collect()
}

fn sizes(grammar: &Grammar) -> Map<String, Value> {
    let domains = grammar.domains().iter();
    domains.map(|d| (d.name.clone(), d.values.len().into())).collect()
}

fn terminal(grammar: &Grammar, terminal: &Terminal) -> Value {
    let rank = match &terminal.factor {
        Factor::Cpd(cpd) => Some(cpd.rank()),
        _ => None,
    };
    json!({"type": names(grammar, &terminal.domains), "rank": rank})
}
