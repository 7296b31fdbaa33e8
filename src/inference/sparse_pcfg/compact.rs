//! A grammar of few symbols laid out for full vectors: rules by their left child, and chains of
//! unary rules summed up.

use super::Grammar;
use super::rule::starts;
use crate::inference::Real;
use std::ops::Range;

/// A rule seen from its left child.
#[derive(Clone, Copy, Debug)]
pub(super) struct FromLeft<T> {
    pub right: u32,
    pub parent: u32,
    pub prob: T,
}

/// A rule seen from its parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct FromParent<T> {
    pub left: u32,
    pub right: u32,
    pub prob: T,
}

/// The other end of a chain of unary rules, with the summed probability of all such chains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain<T> {
    pub symbol: u32,
    pub prob: T,
}

/// A grammar for [`posteriors`](super::posteriors). Its symbols are renumbered, so that those
/// which can stand over several words come first, and among them those that are children on one
/// side lie together: left children alone, children on both sides, right children alone, roots.
#[derive(Clone, Debug)]
pub struct CompactGrammar<T> {
    /// Own number of every symbol of the grammar.
    pub(super) own: Vec<u32>,
    /// The symbol of every own number.
    pub(super) symbol: Vec<u32>,
    /// Symbols below this number have a rule of their own; the others are leaves alone.
    pub(super) inner: usize,
    /// Of these, the left children.
    pub(super) inner_lefts: Range<usize>,
    /// The right children.
    pub(super) inner_rights: Range<usize>,
    rules: Vec<FromLeft<T>>,
    rule_starts: Vec<u32>,
    rules_of: Vec<FromParent<T>>,
    rules_of_starts: Vec<u32>,
    /// Chains of one step and more from a child up to what may stand over it; every symbol is
    /// also its own chain of no step, which is not listed.
    up: Vec<Vec<Chain<T>>>,
    /// The same chains from the top down.
    down: Vec<Vec<Chain<T>>>,
}

impl<T: Real> CompactGrammar<T> {
    pub fn new(grammar: &Grammar) -> CompactGrammar<T> {
        let symbols = grammar.symbols();
        let mut is_inner = vec![false; symbols];
        for rule in grammar.binary() {
            is_inner[rule.parent as usize] = true;
        }
        for rule in grammar.unary() {
            is_inner[rule.parent as usize] = true;
        }
        let (mut is_left, mut is_right) = (vec![false; symbols], vec![false; symbols]);
        for rule in grammar.binary() {
            is_left[rule.left as usize] = true;
            is_right[rule.right as usize] = true;
        }
        let place = |symbol: usize| match (is_inner[symbol], is_left[symbol], is_right[symbol]) {
            (true, true, false) => 0,
            (true, true, true) => 1,
            (true, false, true) => 2,
            (true, false, false) => 3,
            (false, _, _) => 4,
        };
        let mut counts = [0; 5];
        (0..symbols).for_each(|symbol| counts[place(symbol)] += 1);
        let [left_only, both, right_only, roots, _] = counts;
        let inner = left_only + both + right_only + roots;
        let mut next = [0, left_only, left_only + both, inner - roots, inner];
        let own: Vec<u32> = (0..symbols)
            .map(|symbol| {
                let next = &mut next[place(symbol)];
                *next += 1;
                *next as u32 - 1
            })
            .collect();
        let mut symbol = vec![0; symbols];
        for (given, &own) in own.iter().enumerate() {
            symbol[own as usize] = given as u32;
        }
        let mut all: Vec<(u32, u32, u32, T)> = grammar
            .binary()
            .iter()
            .map(|r| {
                let prob = T::from_f64(r.log_prob.exp());
                let own = |symbol: u32| own[symbol as usize];
                (own(r.parent), own(r.left), own(r.right), prob)
            })
            .collect();
        all.sort_unstable_by_key(|&(parent, left, right, _)| (left, right, parent));
        let rule_starts = starts(symbols, all.iter().map(|(_, left, _, _)| *left));
        let rules =
            all.iter().map(|&(parent, _, right, prob)| FromLeft { right, parent, prob }).collect();
        all.sort_by_key(|(parent, _, _, _)| *parent);
        let rules_of_starts = starts(symbols, all.iter().map(|(parent, _, _, _)| *parent));
        let rules_of =
            all.iter().map(|&(_, left, right, prob)| FromParent { left, right, prob }).collect();
        let mut compact = CompactGrammar {
            inner,
            inner_lefts: 0..left_only + both,
            inner_rights: left_only..inner - roots,
            rules,
            rule_starts,
            rules_of,
            rules_of_starts,
            up: vec![Vec::new(); symbols],
            down: vec![Vec::new(); symbols],
            own,
            symbol,
        };
        compact.sum_chains(grammar);
        compact
    }

    pub(super) fn symbols(&self) -> usize {
        self.own.len()
    }

    /// Rules with this left child.
    pub(super) fn with_left(&self, left: u32) -> &[FromLeft<T>] {
        let at = left as usize;
        &self.rules[self.rule_starts[at] as usize..self.rule_starts[at + 1] as usize]
    }

    /// Rules with this parent.
    pub(super) fn of_parent(&self, parent: u32) -> &[FromParent<T>] {
        let at = parent as usize;
        &self.rules_of[self.rules_of_starts[at] as usize..self.rules_of_starts[at + 1] as usize]
    }

    pub(super) fn up(&self, child: u32) -> &[Chain<T>] {
        &self.up[child as usize]
    }

    pub(super) fn down(&self, parent: u32) -> &[Chain<T>] {
        &self.down[parent as usize]
    }

    /// Sums all chains: with U the matrix of the unary rules, U + U^2 + ... = (I - U)^-1 - I. In a
    /// grammar read off finite trees every chain ends sooner or later, so the inverse exists;
    /// chains that never end count as long as they are likely.
    fn sum_chains(&mut self, grammar: &Grammar) {
        // Only symbols with a unary rule of their own stand above others.
        let mut row_of = vec![usize::MAX; self.symbols()];
        let mut parents: Vec<u32> = Vec::new();
        for rule in grammar.unary() {
            let parent = self.own[rule.parent as usize];
            if row_of[parent as usize] == usize::MAX {
                row_of[parent as usize] = parents.len();
                parents.push(parent);
            }
        }
        let (rows, columns) = (parents.len(), self.symbols());
        if rows == 0 {
            return;
        }
        let mut steps = vec![0.0; rows * columns];
        for rule in grammar.unary() {
            let row = row_of[self.own[rule.parent as usize] as usize];
            steps[row * columns + self.own[rule.child as usize] as usize] += rule.log_prob.exp();
        }
        // (I - U) X = U, U square over the parents in the system and all symbols on the right.
        let mut system = vec![0.0; rows * rows];
        for row in 0..rows {
            for (column, parent) in parents.iter().enumerate() {
                let unit = f64::from(u8::from(row == column));
                system[row * rows + column] = unit - steps[row * columns + *parent as usize];
            }
        }
        solve(&mut system, &mut steps, rows, columns);
        for (row, &parent) in parents.iter().enumerate() {
            for child in 0..columns {
                let prob = T::from_f64(steps[row * columns + child]);
                if prob > T::ZERO {
                    self.up[child].push(Chain { symbol: parent, prob });
                    self.down[parent as usize].push(Chain { symbol: child as u32, prob });
                }
            }
        }
    }
}

/// Smallest pivot: a circle that is left with less probability than this never ends.
const LEAST_PIVOT: f64 = 1e-9;

/// Gauss-Jordan elimination of a diagonally dominant system of `rows` equations with `columns`
/// right-hand sides, which the solution replaces.
fn solve(system: &mut [f64], sides: &mut [f64], rows: usize, columns: usize) {
    for pivot in 0..rows {
        let scale = 1.0 / system[pivot * rows + pivot].max(LEAST_PIVOT);
        system[pivot * rows..][..rows].iter_mut().for_each(|x| *x *= scale);
        sides[pivot * columns..][..columns].iter_mut().for_each(|x| *x *= scale);
        for row in (0..rows).filter(|&row| row != pivot) {
            let factor = system[row * rows + pivot];
            if factor == 0.0 {
                continue;
            }
            for column in 0..rows {
                system[row * rows + column] -= factor * system[pivot * rows + column];
            }
            for column in 0..columns {
                sides[row * columns + column] -= factor * sides[pivot * columns + column];
            }
        }
    }
}
