//! The grammar of one latent vector, or the only one, in probabilities.

use super::networks::Networks;
use super::{Kind, Sizes};
use crate::inference::Real;
use crate::inference::dense_pcfg::{Binary, Pairs, RuleGradients, Rules};
use crate::model::element::Element;
use crate::model::softmax;

/// Probabilities of rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Grammar<T> {
    /// s: (NT)
    pub start: Vec<T>,
    /// U: (NT, r) of a matricised tensor, else empty.
    pub u: Vec<T>,
    /// T: (NT, pairs), or V: (r, pairs).
    pub pairs: Pairs<T>,
}

impl<T: Element> Grammar<T> {
    /// The grammar of that number.
    pub fn of(networks: &Networks<T>, sizes: &Sizes, number: usize) -> Grammar<T> {
        let nt = sizes.nonterminals;
        let start = networks.start[number * nt..(number + 1) * nt].to_vec();
        Grammar::from_scores(sizes, start, networks.ranks.clone(), networks.pairs(number))
    }

    /// The same with double precision from the scores on: probabilities that `T` takes for zero
    /// are still there.
    pub fn widely(networks: &Networks<T>, sizes: &Sizes, number: usize) -> Grammar<f64> {
        let nt = sizes.nonterminals;
        let start = wide(&networks.start[number * nt..(number + 1) * nt]);
        let (ranks, pairs) = (wide(&networks.ranks), wide(&networks.pairs(number)));
        Grammar::from_scores(sizes, start, ranks, pairs)
    }
}

/// The same numbers in double precision.
pub(super) fn wide<T: Real>(values: &[T]) -> Vec<f64> {
    values.iter().map(|x| x.to_f64()).collect()
}

impl<T: Real> Grammar<T> {
    /// By softmax from scores: (NT), (NT, r) of a matricised tensor, (rule rows, pairs).
    fn from_scores(sizes: &Sizes, mut start: Vec<T>, mut ranks: Vec<T>, mut pairs: Vec<T>) -> Self {
        let (nt, pt) = (sizes.nonterminals, sizes.preterminals);
        softmax::rows(&mut start, nt);
        if sizes.kind == Kind::LowRank {
            softmax::rows(&mut ranks, sizes.rank);
        }
        softmax::rows(&mut pairs, sizes.symbols() * sizes.symbols());
        Grammar { start, u: ranks, pairs: Pairs::new(nt, pt, &pairs) }
    }

    pub fn binary(&self) -> Binary<'_, T> {
        match self.u.as_slice() {
            [] => Binary::Full(&self.pairs),
            u => Binary::Factors { u, v: &self.pairs },
        }
    }

    /// What the chart reads, with the (scaled) emissions of some words (words, PT).
    pub fn rules<'a>(&'a self, leaves: &'a [T], leaf_scales: &'a [f64]) -> Rules<'a, T> {
        Rules { binary: self.binary(), root: &self.start, leaves, leaf_scales }
    }

    /// Turns gradients with respect to log-probabilities into those of the scores before the
    /// softmaxes; the leaves are left alone.
    pub fn through_softmax(&self, gradients: &mut RuleGradients<T>) {
        let nt = self.start.len();
        softmax::log_rows_backward(&self.start, &mut gradients.root, nt);
        if !self.u.is_empty() {
            softmax::log_rows_backward(&self.u, &mut gradients.u, self.u.len() / nt);
        }
        let pairs = self.pairs.usual();
        let columns = pairs.len() / self.pairs.rows();
        softmax::log_rows_backward(&pairs, &mut gradients.pairs, columns);
    }
}
