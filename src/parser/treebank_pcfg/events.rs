//! The rules of all trees of a training, as ids: weights are summed over them as often as asked.

use super::scheme::{Derivation, Rule, Scheme, SplitWords};
use super::signature::{Signature, Signatures};
use super::symbols::{CoarseKey, NONE, Symbol, Symbols};
use crate::parser::ParserError;
use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

/// Ids of things in the order in which they came.
#[derive(Clone, Debug)]
pub struct Ids<K> {
    ids: HashMap<K, u32, FixedState>,
    all: Vec<K>,
}

impl<K: Clone + Eq + Hash> Ids<K> {
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

    pub fn get<Q>(&self, key: &Q) -> Option<u32>
    where
        K: Borrow<Q>,
        Q: ?Sized + Eq + Hash,
    {
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
    pub signatures: Signatures,
    /// The finest signature of every word.
    pub signature_of_word: Vec<Signature>,
    /// Tag and word.
    pub emissions: Ids<(Symbol, u32)>,
    pub roots: Vec<Symbol>,
    pub coarse: CoarseEvents,
    /// Most unary rules that follow each other.
    pub longest_chain: u32,
    rule_events: Lists,
    emission_events: Lists,
}

/// Symbols and rules with little annotation, which finer ones are projected to.
#[derive(Clone, Debug)]
pub struct CoarseEvents {
    /// Number of coarse symbols.
    pub symbols: usize,
    pub rules: Ids<Rule>,
    /// Coarse symbol by symbol.
    pub of_symbol: Vec<Symbol>,
    /// Some symbol of every coarse symbol.
    pub example: Vec<Symbol>,
    /// Coarse rule by rule.
    pub of_rule: Vec<u32>,
}

impl CoarseEvents {
    fn new(symbols: &Symbols, rules: &[Rule]) -> CoarseEvents {
        let mut keys: Ids<CoarseKey> = Ids::new();
        let mut example = Vec::new();
        let mut of_symbol = Vec::with_capacity(symbols.len());
        for symbol in 0..symbols.len() as Symbol {
            let coarse = keys.id(&symbols.coarse_key(symbol));
            if coarse as usize == example.len() {
                example.push(symbol);
            }
            of_symbol.push(coarse);
        }
        let project = |symbol: Symbol| match symbol {
            NONE => NONE,
            symbol => of_symbol[symbol as usize],
        };
        let mut coarse_rules = Ids::new();
        let coarse_rule = |rule: &Rule| {
            let Rule { lhs, left, right } = *rule;
            let (lhs, left, right) = (project(lhs), project(left), project(right));
            coarse_rules.id(&Rule { lhs, left, right })
        };
        let of_rule = rules.iter().map(coarse_rule).collect();
        let symbols = keys.all().len();
        CoarseEvents { symbols, rules: coarse_rules, of_symbol, example, of_rule }
    }
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
        let mut derivation = Derivation::default();
        let symbols = Symbols::new(min_count, |symbols| {
            for tree in trees {
                let known = scheme.read(tree, &mut *symbols, &mut derivation);
                known.expect("in training every symbol is made");
            }
        });
        let lists = || Lists { ids: Vec::new(), ends: Vec::with_capacity(trees.len()) };
        let mut events = Events {
            symbols,
            rules: Ids::new(),
            words: Ids::new(),
            signatures: Signatures::default(),
            signature_of_word: Vec::new(),
            emissions: Ids::new(),
            roots: Vec::with_capacity(trees.len()),
            coarse: CoarseEvents::new(&Symbols::new(1, |_| {}), &[]),
            longest_chain: 0,
            rule_events: lists(),
            emission_events: lists(),
        };
        for tree in trees {
            let known = scheme.read(tree, &mut events.symbols, &mut derivation);
            known.expect("in training every symbol is made");
            events.roots.push(derivation.root);
            events.longest_chain = events.longest_chain.max(longest_chain(tree));
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
        events.coarse = CoarseEvents::new(&events.symbols, events.rules.all());
        let words = events.words.all().iter();
        events.signature_of_word = words.map(|word| events.signatures.make(word)).collect();
        Ok(events)
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

/// Weighted counts, by the ids of [`Events`].
#[derive(Clone, Debug)]
pub struct Counts {
    /// What makes the mean weight 1 of all trees that have weight.
    pub unit: f64,
    pub rules: Vec<f64>,
    pub emissions: Vec<f64>,
    pub roots: Vec<(Symbol, f64)>,
}
