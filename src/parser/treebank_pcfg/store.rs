//! A grammar as tensors and lists, and back: symbols, rules and tagged words with their weights,
//! of which all probabilities are estimated again.

use super::events::Counts;
use super::inventory::{Ids, Inventory};
use super::marks::Marks;
use super::scheme::{Rule, Scheme, SplitWords};
use super::symbols::{Key, NONE, Symbol, Symbols};
use crate::checkpoint::TensorFile;
use candle_core::{Device, Tensor};
use std::sync::Arc;

/// No treebank has longer chains of unary rules.
const LONGEST_CHAIN: u32 = 100;

/// Numbers of a key: its kind and five more.
const KEY: usize = 6;

/// Puts everything into a file that the grammar is estimated from.
pub fn write(
    inventory: &Inventory,
    counts: &Counts,
    scheme: &Scheme,
    file: &mut TensorFile,
) -> Result<(), candle_core::Error> {
    let symbols = &inventory.symbols;
    file.set("labels", &symbols.labels());
    file.set("words", &inventory.words.all());
    let mut split: Vec<_> = scheme.split_words.iter().collect();
    split.sort();
    file.set("split_words", &split);
    file.set("longest_chain", &inventory.longest_chain);
    file.set("min_count", &symbols.min_count());
    file.set("unit", &counts.unit);
    let cpu = &Device::Cpu;
    let mut put =
        |name: &str, tensor: Tensor| file.tensors.insert(format!("grammar.{name}"), tensor);
    let rows = |numbers: Vec<u32>, columns: usize| {
        let shape = (numbers.len() / columns, columns);
        Tensor::from_vec(numbers, shape, cpu)
    };
    let flat = |numbers: Vec<u32>| Tensor::from_iter(numbers, cpu);
    let (mut ends, mut contexts) = (Vec::new(), Vec::new());
    for context in symbols.contexts() {
        contexts.extend_from_slice(context);
        ends.push(contexts.len() as u32);
    }
    put("contexts", flat(contexts)?);
    put("context_ends", flat(ends)?);
    put("symbols", rows(symbols.keys().iter().flat_map(|k| numbers(*k)).collect(), KEY)?);
    let mut frequent: Vec<[u32; KEY]> = symbols.frequent_keys().map(numbers).collect();
    frequent.sort_unstable();
    put("frequent", rows(frequent.concat(), KEY)?);
    let kept = |weights: &[f64]| -> Vec<usize> {
        weights.iter().enumerate().filter(|(_, w)| **w > 0.0).map(|(i, _)| i).collect()
    };
    let rules = kept(&counts.rules);
    let of_rule = |i: &usize| {
        let Rule { lhs, left, right } = inventory.rules.all()[*i];
        [lhs, left, right]
    };
    put("rules", rows(rules.iter().flat_map(of_rule).collect(), 3)?);
    put("rule_weights", Tensor::from_iter(rules.iter().map(|i| counts.rules[*i]), cpu)?);
    let emissions = kept(&counts.emissions);
    let of_emission = |i: &usize| {
        let (tag, word) = inventory.emissions.all()[*i];
        [tag, word]
    };
    put("emissions", rows(emissions.iter().flat_map(of_emission).collect(), 2)?);
    put(
        "emission_weights",
        Tensor::from_iter(emissions.iter().map(|i| counts.emissions[*i]), cpu)?,
    );
    put("roots", flat(counts.roots.iter().map(|(root, _)| *root).collect())?);
    put("root_weights", Tensor::from_iter(counts.roots.iter().map(|(_, w)| *w), cpu)?);
    Ok(())
}

/// Reads what [`write`] wrote; says what is wrong with anything else.
pub fn read(file: &TensorFile, scheme: &mut Scheme) -> Result<(Inventory, Counts), String> {
    let name = |name: &str| format!("grammar.{name}");
    let u32s = |n: &str, columns| file.numbers::<u32>(&name(n), columns);
    let weights = |n: &str, of: usize| {
        let weights = file.numbers::<f64>(&name(n), 1)?;
        let fits = weights.len() == of && weights.iter().all(|w| w.is_finite() && *w > 0.0);
        fits.then_some(weights).ok_or_else(|| format!("its `{n}` are not {of} numbers above 0"))
    };
    let labels: Vec<Arc<str>> = file.get("labels")?;
    let words: Vec<Arc<str>> = file.get("words")?;
    scheme.split_words =
        file.get::<Vec<(Arc<str>, Arc<str>)>>("split_words")?.into_iter().collect::<SplitWords>();
    let (ends, flat) = (u32s("context_ends", 1)?, u32s("contexts", 1)?);
    let mut contexts = Vec::with_capacity(ends.len());
    let mut start = 0;
    for end in ends {
        let context = flat.get(start..end as usize).ok_or("its contexts overlap")?;
        contexts.push(context.into());
        start = end as usize;
    }
    let keys = |n: &str| -> Result<Vec<Key>, String> {
        u32s(n, KEY)?.chunks_exact(KEY).map(key).collect()
    };
    let symbols = Symbols::restore(
        labels,
        contexts,
        keys("symbols")?,
        file.get("min_count")?,
        keys("frequent")?,
    )?;
    let known = |symbol: Symbol| (symbol as usize) < symbols.len();
    let rules = u32s("rules", 3)?;
    let rules: Vec<Rule> =
        rules.chunks_exact(3).map(|r| Rule { lhs: r[0], left: r[1], right: r[2] }).collect();
    let is_phrase = |symbol| known(symbol) && !matches!(symbols.key(symbol), Key::Tag { .. });
    if !rules
        .iter()
        .all(|r| is_phrase(r.lhs) && known(r.left) && (r.right == NONE || known(r.right)))
    {
        return Err("its rules name symbols that are not there".into());
    }
    let emissions = u32s("emissions", 2)?;
    let emissions: Vec<(Symbol, u32)> = emissions.chunks_exact(2).map(|e| (e[0], e[1])).collect();
    let is_tag = |symbol| known(symbol) && matches!(symbols.key(symbol), Key::Tag { .. });
    if !emissions.iter().all(|(tag, word)| is_tag(*tag) && (*word as usize) < words.len()) {
        return Err("its tagged words name tags or words that are not there".into());
    }
    let roots = u32s("roots", 1)?;
    if roots.is_empty() || emissions.is_empty() || !roots.iter().all(|root| known(*root)) {
        return Err("it has no root or no word".into());
    }
    let root_weights = weights("root_weights", roots.len())?;
    let unit: f64 = file.get("unit")?;
    if !(unit.is_finite() && unit > 0.0) {
        return Err("its `unit` is not a number above 0".into());
    }
    let counts = Counts {
        unit,
        rules: weights("rule_weights", rules.len())?,
        emissions: weights("emission_weights", emissions.len())?,
        roots: roots.into_iter().zip(root_weights).collect(),
    };
    let twice = |n: &str| format!("its {n} stand there twice");
    let rules = Ids::from_all(rules).ok_or_else(|| twice("rules"))?;
    let words = Ids::from_all(words).ok_or_else(|| twice("words"))?;
    let emissions = Ids::from_all(emissions).ok_or_else(|| twice("tagged words"))?;
    let longest_chain = file.get::<u32>("longest_chain")?.min(LONGEST_CHAIN);
    Ok((Inventory::new(symbols, rules, words, emissions, longest_chain), counts))
}

fn numbers(key: Key) -> [u32; KEY] {
    match key {
        Key::Tag { label, parent, grandparent, word, marks } => {
            [0, label, parent, grandparent, word, marks.number()]
        }
        Key::Phrase { label, parent, head, marks } => {
            [1, label, parent, head, NONE, marks.number()]
        }
        Key::Part { of, head, right, context } => [2, of, head, u32::from(right), context, 0],
    }
}

fn key(numbers: &[u32]) -> Result<Key, String> {
    let &[kind, a, b, c, d, e] = numbers else {
        return Err("its symbols are cut off".into());
    };
    let marks = || Marks::from_number(e).ok_or("a symbol has marks that do not exist");
    Ok(match kind {
        0 => Key::Tag { label: a, parent: b, grandparent: c, word: d, marks: marks()? },
        1 => Key::Phrase { label: a, parent: b, head: c, marks: marks()? },
        2 if c <= 1 => Key::Part { of: a, head: b, right: c == 1, context: d },
        _ => return Err("a symbol is of no kind that there is".into()),
    })
}
