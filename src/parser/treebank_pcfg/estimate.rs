//! From weighted counts to the probabilities of rules, fine and coarse.

use super::events::Counts;
use super::inventory::Inventory;
use super::scheme::Rule;
use super::symbols::{NONE, Symbol};
use crate::inference::sparse_pcfg::{BinaryRule, CompactGrammar, Grammar, Refinement, UnaryRule};

/// The coarse grammar: labels without annotation, one part on each side of a phrase's head.
#[derive(Clone, Debug)]
pub struct CoarseGrammar {
    /// For best trees.
    pub grammar: Grammar,
    /// For posteriors.
    pub compact: CompactGrammar<f32>,
    /// log P(root).
    pub roots: Vec<(Symbol, f64)>,
    /// Which symbols refine which of this grammar, and this grammar itself.
    pub refined: Refinement,
    pub itself: Refinement,
}

/// log P(rule | left-hand side) by relative frequency; -infinity for a rule without weight.
pub fn log_probs(symbols: usize, rules: &[Rule], weights: &[f64]) -> Vec<f64> {
    let mut of_lhs = vec![0.0; symbols];
    for (rule, weight) in rules.iter().zip(weights) {
        of_lhs[rule.lhs as usize] += weight;
    }
    let log_prob = |(rule, weight): (&Rule, &f64)| match *weight > 0.0 {
        true => (weight / of_lhs[rule.lhs as usize]).ln().min(0.0),
        false => f64::NEG_INFINITY,
    };
    rules.iter().zip(weights).map(log_prob).collect()
}

/// Rules with their log-probabilities, ready for charts.
pub fn grammar(symbols: usize, rules: &[Rule], log_probs: &[f64]) -> Grammar {
    let (mut binary, mut unary) = (Vec::new(), Vec::new());
    for (rule, &log_prob) in rules.iter().zip(log_probs) {
        let (parent, left) = (rule.lhs, rule.left);
        match rule.right {
            NONE => unary.push(UnaryRule { parent, child: left, log_prob }),
            right => binary.push(BinaryRule { parent, left, right, log_prob }),
        }
    }
    Grammar::new(symbols, binary, unary)
}

/// log P(root), of roots with weight.
pub fn roots(weights: &[(Symbol, f64)]) -> Vec<(Symbol, f64)> {
    let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
    weights.iter().map(|(root, weight)| (*root, (weight / total).ln().min(0.0))).collect()
}

impl CoarseGrammar {
    /// Relative frequencies of the coarse rules, whose weights are sums over those of fine rules.
    pub fn new(inventory: &Inventory, counts: &Counts) -> CoarseGrammar {
        let coarse = &inventory.coarse;
        let mut weights = vec![0.0; coarse.rules.all().len()];
        for (rule, weight) in coarse.of_rule.iter().zip(&counts.rules) {
            weights[*rule as usize] += weight;
        }
        let mut of_root: Vec<(Symbol, f64)> = Vec::new();
        for &(root, weight) in &counts.roots {
            let root = coarse.of_symbol[root as usize];
            match of_root.iter_mut().find(|(r, _)| *r == root) {
                Some((_, sum)) => *sum += weight,
                None => of_root.push((root, weight)),
            }
        }
        let rules = coarse.rules.all();
        let log_probs = log_probs(coarse.symbols, rules, &weights);
        let grammar = grammar(coarse.symbols, rules, &log_probs);
        CoarseGrammar {
            compact: CompactGrammar::new(&grammar),
            grammar,
            roots: roots(&of_root),
            refined: Refinement::new(&coarse.of_symbol, coarse.symbols),
            itself: Refinement::itself(coarse.symbols),
        }
    }
}
