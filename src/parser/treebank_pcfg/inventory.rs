//! All symbols, rules and tagged words of some trees, and what follows from them whatever their
//! weights are.

use super::scheme::Rule;
use super::symbols::{CoarseKey, NONE, Symbol, Symbols};
use crate::parser::signature::{Signature, Signatures};
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
    pub fn new() -> Ids<K> {
        Ids { ids: HashMap::default(), all: Vec::new() }
    }

    /// Ids in the order of a list; `None` if something stands there twice.
    pub fn from_all(all: Vec<K>) -> Option<Ids<K>> {
        let ids: HashMap<K, u32, FixedState> = all.iter().cloned().zip(0..).collect();
        (ids.len() == all.len()).then_some(Ids { ids, all })
    }

    /// The id of what is there, or a new one.
    pub fn id(&mut self, key: &K) -> u32 {
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

/// What trees are made of.
#[derive(Clone, Debug)]
pub struct Inventory {
    pub symbols: Symbols,
    pub rules: Ids<Rule>,
    pub words: Ids<Arc<str>>,
    /// Tag and word.
    pub emissions: Ids<(Symbol, u32)>,
    /// Most unary rules that follow each other.
    pub longest_chain: u32,
    pub signatures: Signatures,
    /// The finest signature of every word.
    pub signature_of_word: Vec<Signature>,
    pub coarse: CoarseRules,
}

impl Inventory {
    /// Makes signatures and coarse rules of the rest.
    pub fn new(
        symbols: Symbols,
        rules: Ids<Rule>,
        words: Ids<Arc<str>>,
        emissions: Ids<(Symbol, u32)>,
        longest_chain: u32,
    ) -> Inventory {
        let mut signatures = Signatures::default();
        let signature_of_word = words.all().iter().map(|word| signatures.make(word)).collect();
        let coarse = CoarseRules::new(&symbols, rules.all());
        Inventory {
            symbols,
            rules,
            words,
            emissions,
            longest_chain,
            signatures,
            signature_of_word,
            coarse,
        }
    }
}

/// Symbols and rules with little annotation, which finer ones are projected to.
#[derive(Clone, Debug)]
pub struct CoarseRules {
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

impl CoarseRules {
    fn new(symbols: &Symbols, rules: &[Rule]) -> CoarseRules {
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
        CoarseRules { symbols, rules: coarse_rules, of_symbol, example, of_rule }
    }
}
