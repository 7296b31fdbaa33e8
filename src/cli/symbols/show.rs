//! `symbols show`.

use super::Counted;
use super::args::SymbolsShow;
use crate::analysis::listing::Kind;
use crate::analysis::{
    Similar, SymbolStatistics, likeliest_rules, likeliest_words, neighbours, similar_nonterminals,
    similar_words,
};
use crate::model::{nonterminal_name, preterminal_name};
use anyhow::{Result, anyhow};
use serde::Serialize;
use std::io::Write;

/// Products that the search for expansions may take.
const SEARCH: usize = 2_000_000_000;

/// All that is known of a symbol; names of what a symbol of its kind has not are left out.
#[derive(Serialize)]
struct Shown {
    symbol: String,
    expected: f64,
    in_trees: u32,
    sentences: usize,
    gold: Vec<Gold>,
    yields: Vec<Words>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    expansions: Vec<Likely>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<Likely>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    successors: Vec<Likely>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    predecessors: Vec<Likely>,
    similar: Vec<Like>,
}

#[derive(Serialize)]
struct Gold {
    label: String,
    count: u32,
    /// Percent.
    recall: f64,
    purity: f64,
}

#[derive(Serialize)]
struct Words {
    words: String,
    count: u32,
}

#[derive(Serialize)]
struct Likely {
    name: String,
    probability: f64,
}

#[derive(Serialize)]
struct Like {
    symbol: String,
    /// Jensen-Shannon divergence in bits, 0 to 1.
    divergence: f64,
}

pub fn run(args: &SymbolsShow, out: &mut dyn Write) -> Result<()> {
    let (counted, _) = super::count(&args.checkpoint, &args.parsed)?;
    let (kind, symbol) = super::symbol(&args.symbol, &counted.symbols)?;
    let shown = look(&counted, (kind, symbol), args.limit)?;
    if args.json {
        serde_json::to_writer(&mut *out, &shown)?;
        writeln!(out)?;
        return Ok(());
    }
    print(&shown, kind, out)
}

fn look(counted: &Counted, (kind, symbol): (Kind, usize), limit: usize) -> Result<Shown> {
    let Counted { checkpoint, parser, symbols } = counted;
    let all = kind.of(symbols);
    let statistics = &all[symbol];
    let mut shown = Shown::of(kind.name_of(symbol), statistics, limit);
    let similar = match (kind, parser.grammar()) {
        (Kind::Nonterminals, Some(grammar)) => {
            let rules =
                likeliest_rules(&grammar, symbol, limit, SEARCH / grammar.cost().max(1), &|| false);
            let name = |child: usize| match child.checked_sub(grammar.nonterminals) {
                None => nonterminal_name(child as u32),
                Some(preterminal) => preterminal_name(preterminal as u32),
            };
            shown.expansions = rules
                .rules
                .iter()
                .map(|rule| Likely {
                    name: format!("{} {}", name(rule.left), name(rule.right)),
                    probability: rule.probability,
                })
                .collect();
            similar_nonterminals(&grammar, symbol, limit)
        }
        _ => {
            let words = likeliest_words(&**parser, symbol..symbol + 1, limit)?;
            let known =
                words.iter().flatten().filter(|w| (w.word as usize) < checkpoint.vocabulary.len());
            shown.words = known
                .map(|w| Likely {
                    name: checkpoint.vocabulary.word(w.word).to_string(),
                    probability: f64::from(w.probability),
                })
                .collect();
            if let Some(chain) = parser.chain() {
                let expected: Vec<f64> = all.iter().map(|s| s.expected).collect();
                let around = neighbours(&chain, symbol, &expected, limit);
                let likely = |states: &[(usize, f64)]| -> Vec<Likely> {
                    let one = |&(state, probability): &(usize, f64)| Likely {
                        name: kind.name_of(state),
                        probability,
                    };
                    states.iter().map(one).collect()
                };
                shown.successors = likely(&around.successors);
                shown.predecessors = likely(&around.predecessors);
            }
            similar_words(&**parser, symbol, all.len(), limit, &mut |_| true)?
                .ok_or_else(|| anyhow!("stopped"))?
        }
    };
    let like = |s: &Similar| Like { symbol: kind.name_of(s.symbol), divergence: s.divergence };
    shown.similar = similar.iter().map(like).collect();
    Ok(shown)
}

impl Shown {
    fn of(symbol: String, statistics: &SymbolStatistics, limit: usize) -> Shown {
        let gold = statistics.gold.iter().take(limit).map(|cover| Gold {
            label: cover.label.to_string(),
            count: cover.count,
            recall: 100.0 * cover.recall,
            purity: 100.0 * cover.purity,
        });
        let yields = statistics.yields.iter().take(limit);
        Shown {
            symbol,
            expected: statistics.expected,
            in_trees: statistics.decoded,
            sentences: statistics.sentences.len(),
            gold: gold.collect(),
            yields: yields.map(|y| Words { words: y.words.clone(), count: y.count }).collect(),
            expansions: Vec::new(),
            words: Vec::new(),
            successors: Vec::new(),
            predecessors: Vec::new(),
            similar: Vec::new(),
        }
    }
}

fn print(shown: &Shown, kind: Kind, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{}  expected {} {:.1}  in trees {}  in {} sentences",
        shown.symbol,
        kind.expected(),
        shown.expected,
        shown.in_trees,
        shown.sentences
    )?;
    writeln!(out, "gold  count  recall  purity")?;
    for Gold { label, count, recall, purity } in &shown.gold {
        writeln!(out, "  {count:>7}  {recall:>6.1}  {purity:>6.1}  {label}")?;
    }
    writeln!(out, "yields")?;
    for Words { words, count } in &shown.yields {
        writeln!(out, "  {count:>7}  {words}")?;
    }
    let lists = [
        ("likeliest expansions", &shown.expansions),
        ("likeliest words", &shown.words),
        ("successors", &shown.successors),
        ("predecessors", &shown.predecessors),
    ];
    for (title, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        writeln!(out, "{title}")?;
        for Likely { name, probability } in list {
            writeln!(out, "  {probability:>9.5}  {name}")?;
        }
    }
    writeln!(out, "similar symbols, Jensen-Shannon divergence in bits")?;
    for Like { symbol, divergence } in &shown.similar {
        writeln!(out, "  {divergence:>9.5}  {symbol}")?;
    }
    Ok(())
}
