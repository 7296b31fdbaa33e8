//! From pairs of children to left-hand sides: the whole rule tensor, or a matricised one.

use super::pairs::{Blocks, Pairs};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};

/// Probabilities of binary rules, p(B, C | A).
#[derive(Clone, Copy, Debug)]
pub enum Binary<'a, T> {
    /// T: (NT, pairs).
    Full(&'a Pairs<T>),
    /// T\[A, (B, C)\] = sum_q U\[A, q\] V\[q, (B, C)\] (Chiu et al. 2021; eq. 12 of Yang, Liu &
    /// Tu 2022): U (NT, r) and V (r, pairs).
    Factors { u: &'a [T], v: &'a Pairs<T> },
}

impl<'a, T: Real> Binary<'a, T> {
    /// The matrix whose columns are pairs.
    pub fn pairs(&self) -> &'a Pairs<T> {
        match *self {
            Binary::Full(pairs) => pairs,
            Binary::Factors { v, .. } => v,
        }
    }

    pub fn nonterminals(&self) -> usize {
        self.pairs().nonterminals()
    }

    pub fn preterminals(&self) -> usize {
        self.pairs().preterminals()
    }

    pub(super) fn check(&self) {
        let (nt, rows) = (self.nonterminals(), self.pairs().rows());
        match self {
            Binary::Full(_) => assert_eq!(rows, nt, "a row for each left-hand side"),
            Binary::Factors { u, .. } => assert_eq!(u.len(), nt * rows, "U is (NT, r)"),
        }
    }

    /// The whole tensor, (NT, pairs).
    pub fn multiplied(&self) -> Pairs<T> {
        match *self {
            Binary::Full(pairs) => pairs.clone(),
            Binary::Factors { u, v } => {
                let (nt, pt, r) = (v.nonterminals(), v.preterminals(), v.rows());
                let all = v.columns();
                let mut whole = Pairs::new(nt, pt, &vec![T::ZERO; nt * all]);
                multiply(
                    MatrixMut::new(whole.data_mut(), nt, all),
                    Into::Replace,
                    T::ONE,
                    Matrix::new(u, nt, r),
                    Matrix::new(v.data(), r, all),
                );
                whole
            }
        }
    }

    /// `scores` (spans, NT) of the left-hand sides from the `products` of children (spans, pairs
    /// of the blocks). `ranks` is a buffer.
    pub(super) fn forward(
        &self,
        blocks: &Blocks,
        products: &[T],
        scores: &mut [T],
        ranks: &mut Vec<T>,
    ) {
        let pairs = self.pairs();
        let spans = products.len() / blocks.len();
        let weights = Matrix::new(pairs.data(), pairs.rows(), pairs.columns());
        let weights = weights.columns(blocks.all.clone());
        let products = Matrix::new(products, spans, blocks.len());
        let scores = MatrixMut::new(scores, spans, blocks.nt);
        match *self {
            Binary::Full(_) => multiply(scores, Into::Replace, T::ONE, products, weights.t()),
            Binary::Factors { u, .. } => {
                let r = pairs.rows();
                ranks.resize(spans * r, T::ZERO);
                let to = MatrixMut::new(&mut ranks[..spans * r], spans, r);
                multiply(to, Into::Replace, T::ONE, products, weights.t());
                let ranks = Matrix::new(&ranks[..spans * r], spans, r);
                let u = Matrix::new(u, blocks.nt, r);
                multiply(scores, Into::Replace, T::ONE, ranks, u.t());
            }
        }
    }

    /// Replaces `products` by the gradient with respect to them, from the gradient of the scores;
    /// adds those of the rules to `into` where it is given. `work` holds buffers.
    pub(super) fn backward(
        &self,
        blocks: &Blocks,
        products: &mut [T],
        scores: &[T],
        into: Option<&mut BinaryGradients<T>>,
        work: &mut [Vec<T>; 2],
    ) {
        let pairs = self.pairs();
        let (spans, r, all) = (products.len() / blocks.len(), pairs.rows(), pairs.columns());
        let weights = Matrix::new(pairs.data(), r, all).columns(blocks.all.clone());
        let scores = Matrix::new(scores, spans, blocks.nt);
        let [ranks, rank_gradient] = work;
        // Gradient of the rows of `weights`, (spans, rows).
        let gradient = match *self {
            Binary::Full(_) => scores,
            Binary::Factors { u, .. } => {
                rank_gradient.resize(spans * r, T::ZERO);
                let to = MatrixMut::new(&mut rank_gradient[..spans * r], spans, r);
                multiply(to, Into::Replace, T::ONE, scores, Matrix::new(u, blocks.nt, r));
                Matrix::new(&rank_gradient[..spans * r], spans, r)
            }
        };
        if let Some(BinaryGradients { pairs: pair_gradient, u: u_gradient }) = into {
            let products = Matrix::new(&*products, spans, blocks.len());
            if let Binary::Factors { .. } = self {
                ranks.resize(spans * r, T::ZERO);
                let to = MatrixMut::new(&mut ranks[..spans * r], spans, r);
                multiply(to, Into::Replace, T::ONE, products, weights.t());
                let ranks = Matrix::new(&ranks[..spans * r], spans, r);
                let to = MatrixMut::new(u_gradient, blocks.nt, r);
                multiply(to, Into::Add, T::ONE, scores.t(), ranks);
            }
            let to = MatrixMut::new(pair_gradient.data_mut(), r, all).columns(blocks.all.clone());
            multiply(to, Into::Add, T::ONE, gradient.t(), products);
        }
        let to = MatrixMut::new(products, spans, blocks.len());
        multiply(to, Into::Replace, T::ONE, gradient, weights);
    }
}

/// Gradients with respect to the parts of a [`Binary`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BinaryGradients<T> {
    pub pairs: Pairs<T>,
    pub u: Vec<T>,
}

impl<T: Real> BinaryGradients<T> {
    pub fn zeros(binary: &Binary<'_, T>) -> Self {
        let u = match binary {
            Binary::Full(_) => 0,
            Binary::Factors { u, .. } => u.len(),
        };
        BinaryGradients { pairs: Pairs::zeros(binary.pairs()), u: vec![T::ZERO; u] }
    }
}
