//! Grammars with explicit rules, as treebanks give them: thousands of symbols, of which few fit
//! each span. Charts keep lists of items and walk only the rules whose children are there.
//!
//! A derivation is a tree whose nodes are symbols; over one word it may be a leaf. Unary rules
//! may form circles: as no probability is above 1, the best derivation has none.

mod compact;
mod filter;
mod grammar;
mod inside;
mod k_best;
mod outside;
mod pairs;
mod posterior;
mod products;
mod rule;
mod spans;
#[cfg(test)]
mod tests;
mod viterbi;

pub use compact::CompactGrammar;
pub use filter::{Coarse, Everything, Filter, Refinement};
pub use grammar::Grammar;
pub use k_best::KBest;
pub use posterior::{Posteriors, posteriors};
pub use rule::{BinaryRule, UnaryRule};
pub use spans::Spans;
pub use viterbi::{Chart, Item};

/// One node of a derivation; nodes stand in preorder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    pub symbol: u32,
    pub start: u32,
    pub end: u32,
    /// 0 for a leaf over one word.
    pub children: u8,
}

/// A derivation and its log-probability, nats.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    pub nodes: Vec<Node>,
    pub log_prob: f64,
}

/// What may stand over every word: symbols with their log-probabilities.
pub type Leaves = [Vec<(u32, f64)>];
