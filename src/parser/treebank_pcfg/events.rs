//! The rules of all trees of a training, as ids: weights are summed over them as often as asked.

use super::scheme::{Derivation, Rule, Scheme};
use super::symbols::{Symbol, Symbols};
use crate::parser::ParserError;
use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Ids of things in the order in which they came.
#[derive(Clone, Debug)]
pub struct Ids<K> {
    ids: HashMap<K, u32, FixedState>,
    all: Vec<K>,
}

impl<K: Clone + Eq + std::hash::Hash> Ids<K> {
    fn new() -> Ids<K> {
        Ids { ids: HashMap::default(), all: Vec::new() }
    }

    fn id(&mut self, key: &K) -> u32 {
        if let Some(known) = self.ids.get(key) {
            return *known;
        }
        let new = self.all.len() as u32;
        self.all.push(key.clone());
        self.ids.insert(key.clone(), new);
        new
    }

    pub fn get(&self, key: &K) -> Option<u32> {
        self.ids.get(key).copied()
    }

    pub fn all(&self) -> &[K] {
        &self.all
    }
}

/// Rules, roots and tagged words of trees.
#[derive(Clone, Debug)]
pub struct Events {
    pub symbols: Symbols,
    pub rules: Ids<Rule>,
    pub words: Ids<Arc<str>>,
    /// Tag and word.
    pub emissions: Ids<(Symbol, u32)>,
    pub roots: Vec<Symbol>,
    rule_events: Lists,
    emission_events: Lists,
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
}

impl Events {
    pub fn read(trees: &[Arc<Tree>], scheme: &Scheme) -> Result<Events, ParserError> {
        if trees.is_empty() {
            return Err(ParserError::NoTrees);
        }
        let lists = || Lists { ids: Vec::new(), ends: Vec::with_capacity(trees.len()) };
        let mut events = Events {
            symbols: Symbols::default(),
            rules: Ids::new(),
            words: Ids::new(),
            emissions: Ids::new(),
            roots: Vec::with_capacity(trees.len()),
            rule_events: lists(),
            emission_events: lists(),
        };
        let mut derivation = Derivation::default();
        for (i, tree) in trees.iter().enumerate() {
            if tree.is_discontinuous() {
                return Err(ParserError::Discontinuous { tree: i });
            }
            let known = scheme.read(tree, &mut events.symbols, &mut derivation);
            known.expect("in training every symbol is made");
            events.roots.push(derivation.root);
            for rule in &derivation.rules {
                let id = events.rules.id(rule);
                events.rule_events.ids.push(id);
            }
            events.rule_events.ends.push(events.rule_events.ids.len());
            for (&tag, word) in derivation.tags.iter().zip(tree.words()) {
                let word = events.words.id(word);
                let id = events.emissions.id(&(tag, word));
                events.emission_events.ids.push(id);
            }
            events.emission_events.ends.push(events.emission_events.ids.len());
        }
        Ok(events)
    }

    /// Number of trees.
    pub fn len(&self) -> usize {
        self.roots.len()
    }

    /// Sums of the weights of the trees, over their rules, tagged words and roots.
    pub fn count(&self, weights: &[f64]) -> Counts {
        let mut counts = Counts {
            rules: vec![0.0; self.rules.all().len()],
            emissions: vec![0.0; self.emissions.all().len()],
            roots: Vec::new(),
        };
        for (i, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            for &id in self.rule_events.of(i) {
                counts.rules[id as usize] += weight;
            }
            for &id in self.emission_events.of(i) {
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

/// Weighted counts, by the ids of [`Events`].
#[derive(Clone, Debug)]
pub struct Counts {
    pub rules: Vec<f64>,
    pub emissions: Vec<f64>,
    pub roots: Vec<(Symbol, f64)>,
}
