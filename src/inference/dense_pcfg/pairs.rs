//! Weights of pairs of children, arranged by what the children are.

use crate::inference::Real;
use std::ops::Range;

/// Several rows of weights over all pairs of symbols (B, C): the rule tensor with a row for each
/// left-hand side, or the second factor of a matricised one with a row for each rank.
///
/// A word is a preterminal and a wider span a nonterminal, so a span of a given width reads only
/// some of the pairs. In memory they lie side by side: both nonterminals (NN), nonterminal and
/// preterminal (NP), preterminal and nonterminal (PN), both preterminals (PP).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs<T> {
    nonterminals: usize,
    preterminals: usize,
    /// (rows, (NT + PT)^2), each row arranged in blocks.
    data: Vec<T>,
}

impl<T: Real> Pairs<T> {
    /// From the usual order, (rows, NT + PT, NT + PT), nonterminals first.
    pub fn new(nonterminals: usize, preterminals: usize, usual: &[T]) -> Pairs<T> {
        let mut pairs = Pairs { nonterminals, preterminals, data: Vec::new() };
        pairs.data.resize(usual.len(), T::ZERO);
        let all = pairs.columns();
        assert_eq!(usual.len() % all, 0, "whole rows");
        for (to, from) in pairs.data.chunks_exact_mut(all).zip(usual.chunks_exact(all)) {
            let mut at = 0;
            for_runs(nonterminals, preterminals, |run| {
                to[at..at + run.len()].copy_from_slice(&from[run.clone()]);
                at += run.len();
            });
        }
        pairs
    }

    pub(super) fn zeros(like: &Pairs<T>) -> Pairs<T> {
        like.with(vec![T::ZERO; like.data.len()])
    }

    /// Other weights of the same pairs, arranged alike.
    pub(super) fn with(&self, data: Vec<T>) -> Pairs<T> {
        Pairs { data, ..*self }
    }

    /// In the usual order.
    pub fn usual(&self) -> Vec<T> {
        let all = self.columns();
        let mut usual = vec![T::ZERO; self.data.len()];
        for (to, from) in usual.chunks_exact_mut(all).zip(self.data.chunks_exact(all)) {
            let mut at = 0;
            for_runs(self.nonterminals, self.preterminals, |run| {
                let len = run.len();
                to[run].copy_from_slice(&from[at..at + len]);
                at += len;
            });
        }
        usual
    }

    pub fn nonterminals(&self) -> usize {
        self.nonterminals
    }

    pub fn preterminals(&self) -> usize {
        self.preterminals
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.data.len() / self.columns()
    }

    pub(super) fn columns(&self) -> usize {
        (self.nonterminals + self.preterminals).pow(2)
    }

    pub(super) fn data(&self) -> &[T] {
        &self.data
    }

    pub(super) fn data_mut(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// The blocks that spans of a width read.
    pub(super) fn blocks(&self, width: usize) -> Blocks {
        let (nt, pt) = (self.nonterminals, self.preterminals);
        let all = match width {
            2 => nt * nt + 2 * nt * pt..self.columns(),
            3 => nt * nt..nt * nt + 2 * nt * pt,
            _ => 0..nt * nt + 2 * nt * pt,
        };
        Blocks { nt, pt, all }
    }
}

/// Columns of a [`Pairs`] that spans of one width read.
#[derive(Clone, Debug)]
pub(super) struct Blocks {
    pub nt: usize,
    pub pt: usize,
    pub all: Range<usize>,
}

impl Blocks {
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Where the pair of a left and a right child of these widths lies in a row that holds only
    /// these blocks.
    pub fn block(&self, left_width: usize, right_width: usize) -> Range<usize> {
        let (nt, pt) = (self.nt, self.pt);
        let start = self.all.start;
        let range = match (left_width > 1, right_width > 1) {
            (true, true) => 0..nt * nt,
            (true, false) => nt * nt..nt * nt + nt * pt,
            (false, true) => nt * nt + nt * pt..nt * nt + 2 * nt * pt,
            (false, false) => nt * nt + 2 * nt * pt..(nt + pt).pow(2),
        };
        range.start - start..range.end - start
    }
}

/// Calls `with` with the consecutive runs of the usual order in the order of the blocks.
fn for_runs(nt: usize, pt: usize, mut with: impl FnMut(Range<usize>)) {
    let symbols = nt + pt;
    let (upper, lower) = (0..nt, nt..symbols);
    for (lefts, rights) in [(&upper, &upper), (&upper, &lower), (&lower, &upper), (&lower, &lower)]
    {
        for left in lefts.clone() {
            with(left * symbols + rights.start..left * symbols + rights.end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_come_back_in_the_usual_order_and_blocks_hold_what_their_widths_read() {
        let (nt, pt) = (2, 3);
        let usual: Vec<f64> = (0..2 * 25).map(f64::from).collect();
        let pairs = Pairs::new(nt, pt, &usual);
        assert_eq!((pairs.rows(), pairs.usual()), (2, usual.clone()));
        for (left_width, right_width) in [(1, 1), (1, 2), (2, 1), (2, 2), (1, 4), (5, 3)] {
            let blocks = pairs.blocks(left_width + right_width);
            let block = blocks.block(left_width, right_width);
            let row = &pairs.data()[25..][blocks.all.clone()][block];
            let symbols = |width| if width > 1 { 0..nt } else { nt..nt + pt };
            let expected: Vec<f64> = symbols(left_width)
                .flat_map(|b| symbols(right_width).map(move |c| (25 + b * 5 + c) as f64))
                .collect();
            assert_eq!(row, expected);
        }
    }
}
