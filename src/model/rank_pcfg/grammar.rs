//! The wide matrices of the grammar and their products with all state nodes summed out.

use super::Sizes;
use super::networks::HiddenSlices;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::order::Order;
use crate::inference::rank_pcfg::{Children, Rules};
use crate::model::element::Element;
use crate::model::softmax;

/// Probabilities: T[A,B,C] = sum_q U[A,q] V[B,q] W[C,q].
#[derive(Debug, Default)]
pub(super) struct Grammar<T> {
    pub rank: usize,
    /// s: (NT)
    pub start: Vec<T>,
    /// U: (NT, r)
    pub u: Vec<T>,
    /// V and W side by side: (NT + PT, 2 r)
    pub vw: Vec<T>,
    /// [H^T|I^T]: (r, 2 r); empty where the order of elimination keeps the states.
    pub children: Vec<T>,
    /// L: (r)
    pub root: Vec<T>,
}

impl<T: Element> Grammar<T> {
    /// From the hidden layers, for charts in this order; buffers are reused.
    pub fn compute(&mut self, sizes: &Sizes, hidden: &HiddenSlices<'_, T>, order: Order) {
        let Sizes { nonterminals: nt, rank: r, embedding: d, .. } = *sizes;
        let symbols = sizes.symbols();
        self.rank = r;
        self.u.resize(nt * r, T::ZERO);
        let to = MatrixMut::new(&mut self.u, nt, r);
        hidden.projections.forward(0, Matrix::new(hidden.parent, nt, d), d, to);
        softmax::rows(&mut self.u, r);

        self.vw.resize(symbols * 2 * r, T::ZERO);
        for (half, own) in [hidden.left, hidden.right].into_iter().enumerate() {
            let to = MatrixMut::new(&mut self.vw, symbols, 2 * r).columns(half * r..(half + 1) * r);
            hidden.projections.forward(1 + half, Matrix::new(own, symbols, d), d, to);
        }
        softmax::columns(&mut self.vw, 2 * r);

        self.start.clear();
        self.start.extend_from_slice(hidden.start);
        softmax::rows(&mut self.start, nt);

        let u_t = Matrix::new(&self.u, nt, r).t();
        self.children.clear();
        if order == Order::Rank {
            self.children.resize(2 * r * r, T::ZERO);
            multiply(
                MatrixMut::new(&mut self.children, r, 2 * r),
                Into::Replace,
                T::ONE,
                u_t,
                Matrix::new(&self.vw[..nt * 2 * r], nt, 2 * r),
            );
        }
        self.root.resize(r, T::ZERO);
        let to = MatrixMut::new(&mut self.root, r, 1);
        multiply(to, Into::Replace, T::ONE, u_t, Matrix::new(&self.start, nt, 1));
    }

    /// [V_N|W_N]: (NT, 2 r)
    pub fn upper(&self) -> &[T] {
        &self.vw[..2 * self.u.len()]
    }

    /// [J^T|K^T] of some words from their (scaled) emission probabilities (words, PT).
    pub fn leaves(&self, sizes: &Sizes, emitted: &[T]) -> Vec<T> {
        let (r, pt) = (self.rank, sizes.preterminals);
        let words = emitted.len() / pt;
        let mut leaves = vec![T::ZERO; words * 2 * r];
        multiply(
            MatrixMut::new(&mut leaves, words, 2 * r),
            Into::Replace,
            T::ONE,
            Matrix::new(emitted, words, pt),
            Matrix::new(&self.vw[sizes.nonterminals * 2 * r..], pt, 2 * r),
        );
        leaves
    }

    /// What the chart reads.
    pub fn rules<'a>(&'a self, leaves: &'a [T], scales: &'a [f64], floor: f64) -> Rules<'a, T> {
        Rules {
            rank: self.rank,
            children: if self.children.is_empty() {
                Children::State { u: &self.u, vw: self.upper() }
            } else {
                Children::Rank(&self.children)
            },
            root: &self.root,
            leaves,
            leaf_scales: scales,
            floor,
        }
    }
}
