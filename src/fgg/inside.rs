//! Sum-product in state space: the value of every nonterminal, children first.

use super::cycles::children_first;
use super::error::FggError;
use super::grammar::{Grammar, table_len};
use super::graph::{Graph, words};
use super::weight::Weight;

/// The sums over all derivations of every nonterminal.
#[derive(Clone, Debug)]
pub struct Inside {
    /// By nonterminal, a table over its type.
    pub(super) messages: Vec<Vec<Weight>>,
    pub(super) children_first: Vec<usize>,
    derivations: Vec<f64>,
    start: usize,
}

impl Inside {
    /// Sums out an acyclic grammar.
    ///
    /// # Errors
    /// [`FggError::Cyclic`], [`FggError::TooLarge`].
    pub fn new(grammar: &Grammar) -> Result<Inside, FggError> {
        let children_first = children_first(grammar)?;
        let rules = grammar.rules_by_nonterminal();
        let count = grammar.nonterminals().len();
        let mut messages: Vec<Vec<Weight>> = vec![Vec::new(); count];
        let mut derivations = vec![0.0; count];
        for &nonterminal in &children_first {
            let sizes = grammar.sizes(&grammar.nonterminals()[nonterminal].domains);
            // The grammar's constructor has looked at the sizes.
            let mut sum = vec![Weight::ZERO; table_len(&sizes).unwrap_or(0)];
            for &number in &rules[nonterminal] {
                let rule = &grammar.rules()[number];
                let ways = rule.nonterminals().map(|(child, _)| derivations[child]);
                derivations[nonterminal] += ways.product::<f64>();
                let words = words(grammar, rule);
                let known = Some(&messages[..]);
                let graph = Graph::new(grammar, (number, rule), &words, known, &rule.externals);
                let (variables, places) = graph.places(&rule.externals);
                let table = graph.sum_out(None, None, &variables)?;
                for (place, value) in places.positions().zip(table.values) {
                    sum[place] += value;
                }
            }
            messages[nonterminal] = sum;
        }
        Ok(Inside { messages, children_first, derivations, start: grammar.start() })
    }

    /// The value of a nonterminal for every assignment to its nodes, row-major.
    pub fn message(&self, nonterminal: usize) -> &[Weight] {
        &self.messages[nonterminal]
    }

    /// The sum over all derivations of the start symbol.
    pub fn z(&self) -> Weight {
        self.messages[self.start][0]
    }

    /// How many derivations the start symbol has; exact up to 2^53.
    pub fn derivations(&self) -> f64 {
        self.derivations[self.start]
    }
}
