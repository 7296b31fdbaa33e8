//! The rules of all trees of a training, as ids: weights are summed over them as often as asked.

use super::inventory::{Ids, Inventory};
use super::scheme::{Derivation, Scheme, SplitWords};
use super::symbols::{Symbol, Symbols};
use crate::parser::ParserError;
use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Trees as ids of what they are made of.
#[derive(Clone, Debug)]
pub struct Events {
    pub inventory: Arc<Inventory>,
    roots: Vec<Symbol>,
    rules: Lists,
    emissions: Lists,
}

/// Lists of ids, one behind the other.
#[derive(Clone, Debug)]
struct Lists {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl Lists {
    fn of(&self, i: usize) -> &[u32] {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.ids[start..self.ends[i]]
    }

    fn push(&mut self, list: impl Iterator<Item = u32>) {
        self.ids.extend(list);
        self.ends.push(self.ids.len());
    }
}

impl Events {
    /// Reads the trees; labels that are seen less often than `min_count` know less.
    pub fn read(
        trees: &[Arc<Tree>],
        scheme: &Scheme,
        min_count: u32,
    ) -> Result<Events, ParserError> {
        if trees.is_empty() {
            return Err(ParserError::NoTrees);
        }
        if let Some(tree) = trees.iter().position(|tree| tree.is_discontinuous()) {
            return Err(ParserError::Discontinuous { tree });
        }
        const MADE: &str = "in training every symbol is made";
        let mut derivation = Derivation::default();
        let mut symbols = Symbols::new(min_count, |symbols| {
            for tree in trees {
                scheme.read(tree, &mut *symbols, &mut derivation).expect(MADE);
            }
        });
        let (mut rule_ids, mut words, mut emission_ids) = (Ids::new(), Ids::new(), Ids::new());
        let mut roots = Vec::with_capacity(trees.len());
        let mut longest = 0;
        let lists = || Lists { ids: Vec::new(), ends: Vec::with_capacity(trees.len()) };
        let (mut rules, mut emissions) = (lists(), lists());
        for tree in trees {
            scheme.read(tree, &mut symbols, &mut derivation).expect(MADE);
            roots.push(derivation.root);
            longest = longest_chain(tree).max(longest);
            rules.push(derivation.rules.iter().map(|rule| rule_ids.id(rule)));
            let tagged = derivation.tags.iter().zip(tree.words());
            emissions.push(tagged.map(|(&tag, word)| emission_ids.id(&(tag, words.id(word)))));
        }
        let inventory = Inventory::new(symbols, rule_ids, words, emission_ids, longest);
        Ok(Events { inventory: Arc::new(inventory), roots, rules, emissions })
    }

    /// Tagged words that occur at least so often, which have a tag of their own; 0: none.
    pub fn frequent_words(trees: &[Arc<Tree>], at_least: u32) -> SplitWords {
        if at_least == 0 {
            return SplitWords::default();
        }
        let mut counts: HashMap<(&Arc<str>, &Arc<str>), u32, FixedState> = HashMap::default();
        for tree in trees {
            for pair in tree.tags().zip(tree.words()) {
                *counts.entry(pair).or_insert(0) += 1;
            }
        }
        let frequent = counts.into_iter().filter(|(_, count)| *count >= at_least);
        frequent.map(|((tag, word), _)| (tag.clone(), word.clone())).collect()
    }

    /// Number of trees.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Sums of the weights of the trees, over their rules, tagged words and roots.
    pub fn count(&self, weights: &[f64]) -> Counts {
        let weighted = weights.iter().filter(|w| **w > 0.0);
        let mut counts = Counts {
            unit: weighted.clone().count() as f64 / weighted.sum::<f64>(),
            rules: vec![0.0; self.inventory.rules.all().len()],
            emissions: vec![0.0; self.inventory.emissions.all().len()],
            roots: Vec::new(),
        };
        for (i, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for &id in self.rules.of(i) {
                counts.rules[id as usize] += weight;
            }
            for &id in self.emissions.of(i) {
                counts.emissions[id as usize] += weight;
            }
            match counts.roots.iter_mut().find(|(root, _)| *root == self.roots[i]) {
                Some((_, sum)) => *sum += weight,
                None => counts.roots.push((self.roots[i], weight)),
            }
        }
        counts
    }
}

/// Most phrases of a single child that stand directly over each other.
fn longest_chain(tree: &Tree) -> u32 {
    let mut chains = vec![0u32; tree.nodes().len()];
    for (id, node) in tree.nodes() {
        if let [only] = node.children {
            chains[only.0 as usize] = chains[id.0 as usize] + 1;
        }
    }
    chains.into_iter().max().unwrap_or(0)
}

/// Weighted counts, by the ids of an [`Inventory`].
#[derive(Clone, Debug)]
pub struct Counts {
    /// What makes the mean weight 1 of all trees that have weight.
    pub unit: f64,
    pub rules: Vec<f64>,
    pub emissions: Vec<f64>,
    pub roots: Vec<(Symbol, f64)>,
}
