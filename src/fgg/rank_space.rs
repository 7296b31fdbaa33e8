//! Inference in rank space: the message of a nonterminal is a vector over rank for each of its U.

use super::cycles::children_first;
use super::error::FggError;
use super::grammar::Grammar;
use super::matrix::Matrix;
use super::rewrite::{RankRule, Rewriting};
use super::weight::Weight;
use std::collections::HashMap;

/// A message behind one U.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// Number of U, none for the start symbol.
    pub head: Option<usize>,
    pub values: Vec<Weight>,
    /// Of one rule without slots and c, at rank 1: nothing is to be multiplied.
    pub is_one: bool,
}

/// The sums over all derivations, in rank space.
#[derive(Clone, Debug)]
pub struct RankSpace {
    /// By nonterminal.
    pub(super) messages: Vec<Vec<Message>>,
    pub(super) start: usize,
}

impl RankSpace {
    /// Sums out an acyclic grammar by its rewriting.
    ///
    /// # Errors
    /// [`FggError::Cyclic`].
    pub fn new(grammar: &Grammar, rewriting: &Rewriting) -> Result<RankSpace, FggError> {
        let rules = grammar.rules_by_nonterminal();
        let mut messages: Vec<Vec<Message>> = vec![Vec::new(); rules.len()];
        let mut products = Products { matrices: &rewriting.matrices, known: HashMap::new() };
        for nonterminal in children_first(grammar)? {
            let mut own: Vec<Message> = Vec::new();
            for &number in &rules[nonterminal] {
                let rule = &rewriting.rules[number];
                let values = contribution(rule, &messages, &mut products);
                match own.iter_mut().find(|m| m.head == rule.head && rule.head.is_some()) {
                    Some(message) => {
                        message.values.iter_mut().zip(values).for_each(|(x, y)| *x += y);
                        message.is_one = false;
                    }
                    None => {
                        let is_one =
                            rule.slots.is_empty() && rule.weights.is_none() && rule.rank == 1;
                        own.push(Message { head: rule.head, values, is_one });
                    }
                }
            }
            messages[nonterminal] = own;
        }
        Ok(RankSpace { messages, start: grammar.start() })
    }

    /// The sum over all derivations of the start symbol.
    pub fn z(&self) -> Weight {
        self.messages[self.start].iter().flat_map(|m| m.values.iter().copied()).sum()
    }
}

/// c * prod_k (sum over U' of the k-th child of (V_k^T U') alpha_U').
fn contribution(
    rule: &RankRule,
    messages: &[Vec<Message>],
    products: &mut Products<'_>,
) -> Vec<Weight> {
    let mut values = match &rule.weights {
        Some(c) => c.iter().map(|&c| Weight::from(c)).collect(),
        None => vec![Weight::ONE; rule.rank],
    };
    for slot in &rule.slots {
        let mut sum = vec![Weight::ZERO; rule.rank];
        for message in &messages[slot.child] {
            // A start symbol has no head, and touches no node: no slot has it in a B-FGG.
            let Some(head) = message.head else { continue };
            let product = products.of(slot.matrix, head);
            for (to, row) in sum.iter_mut().zip(product.chunks_exact(message.values.len())) {
                *to += row.iter().zip(&message.values).map(|(&m, &a)| m * a).sum();
            }
        }
        values.iter_mut().zip(sum).for_each(|(x, y)| *x = *x * y);
    }
    values
}

/// The new factors V^T U, each made once.
struct Products<'a> {
    matrices: &'a [Matrix],
    known: HashMap<(usize, usize), Vec<Weight>>,
}

impl Products<'_> {
    fn of(&mut self, v: usize, u: usize) -> &[Weight] {
        let matrices = self.matrices;
        self.known.entry((v, u)).or_insert_with(|| {
            let (v, u) = (&matrices[v], &matrices[u]);
            let mut product = vec![Weight::ZERO; v.columns() * u.columns()];
            for x in 0..v.rows() {
                for (row, &left) in product.chunks_exact_mut(u.columns()).zip(v.row(x)) {
                    let left = Weight::from(left);
                    for (to, &right) in row.iter_mut().zip(u.row(x)) {
                        *to += left * Weight::from(right);
                    }
                }
            }
            product
        })
    }
}
