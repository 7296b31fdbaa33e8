//! One training step: networks, lattice, and back.

use super::Sizes;
use super::networks::{Factor, Incoming, Masks, Networks};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::order::Order;
use crate::inference::rank_hmm::{Chain, Lattice, Rules, Training};
use crate::model::done::Done;
use crate::model::element::Element;
use crate::model::emission::Emission;
use crate::model::hmm::infer::{Inferred, infer};
use crate::model::layers::Weights;
use crate::model::words::Words;
use crate::model::{Eliminating, ModelError, softmax};
use crate::treebank::Batch;
use std::ops::Range;
use std::time::Instant;

/// Buffers of a step, kept between batches.
pub(super) struct Pass<T: Element> {
    networks: Networks<T>,
    emission: Emission<T>,
    /// A and its gradient: (r, r).
    chain: Vec<T>,
    chain_gradient: Vec<T>,
    lattice: Lattice<T>,
}

/// Exponentials of the emissions that are kept, bytes: beside U and V of the paper's size they
/// would be a sixth of all memory, and to compute them again costs a fortieth of the time.
const KEEP: usize = 1 << 27;

impl<T: Element> Default for Pass<T> {
    fn default() -> Self {
        Pass {
            networks: Networks::default(),
            emission: Emission::keeping(KEEP),
            chain: Vec::new(),
            chain_gradient: Vec::new(),
            lattice: Lattice::default(),
        }
    }
}

impl<T: Element> Pass<T> {
    /// Log-probabilities and gradients of a batch.
    pub fn step(
        &mut self,
        sizes: &Sizes,
        (floor, eliminating): (f64, Eliminating),
        weights: &Weights<'_>,
        masks: &Masks<'_>,
        batch: &Batch,
        words: &Words,
    ) -> Result<Done<T>, ModelError> {
        let Sizes { states, rank, .. } = *sizes;
        let started = Instant::now();
        self.networks.forward(weights, sizes, masks)?;
        let layer = self.networks.layer(weights, sizes)?;
        self.emission.forward(&layer, true);
        let mut emitted = layer.log_probabilities(&words.distinct, &self.emission.log_normalisers);
        let scales = softmax::scale_rows(&mut emitted, rank);
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        let order = eliminating.order(&Training { states, rank, lengths: &lengths });
        let Networks { start, u, v, .. } = &self.networks;
        let pi = start_ranks(start, u, rank);
        if order == Order::Rank {
            chain_of(u, v, rank, &mut self.chain);
        }
        let forward_seconds = started.elapsed().as_secs_f64();

        let inference = Instant::now();
        let rules = Rules {
            rank,
            start: &pi,
            chain: match order {
                Order::Rank => Chain::Rank { a: &self.chain, states },
                Order::State => Chain::State { u, v },
            },
            words: &emitted,
            word_scales: &scales,
            floor,
        };
        let Inferred { log_probs, gradients, steps } =
            infer(&rules, batch, words, &mut self.lattice)?;
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let g = &gradients;
        // pi = s U: what s gets through U, and U through s.
        let mut start_gradient = vec![T::ZERO; states];
        multiply(
            MatrixMut::new(&mut start_gradient, states, 1),
            Into::Replace,
            T::ONE,
            Matrix::new(u, states, rank),
            Matrix::new(&g.start, rank, 1),
        );
        // A = V^T U: the sum over states of V and its gradient is that over A and its own.
        let v_dots = match order {
            Order::State => steps.v_dots(),
            Order::Rank => {
                self.chain_gradient.resize(rank * rank, T::ZERO);
                steps.chain(&mut self.chain_gradient);
                let rows =
                    self.chain.chunks_exact(rank).zip(self.chain_gradient.chunks_exact(rank));
                let dot = |(a, g): (&[T], &[T])| a.iter().zip(g).map(|(&a, &g)| a * g).sum();
                rows.map(dot).collect()
            }
        };
        let layer = self.networks.layer(weights, sizes)?;
        let own = self.emission.backward(&layer, &words.distinct, &g.log_words);
        let incoming =
            Incoming { start: start_gradient, v_dots, words: own.weight, ranks: own.hidden };
        let (chain_rows, chain_gradient) = match order {
            Order::Rank => (rank, &self.chain_gradient[..]),
            Order::State => (0, &[][..]),
        };
        let chain_gradient = Matrix::new(chain_gradient, chain_rows, rank);
        let rows_of = |factor: Factor, networks: &Networks<T>, rows: Range<usize>, to: &mut [T]| {
            let Networks { start, u, v, .. } = networks;
            let count = rows.len();
            let (other, chain) = match factor {
                Factor::U => (v, chain_gradient),
                Factor::V => (u, chain_gradient.t()),
            };
            match (order, factor) {
                (Order::Rank, _) => {
                    let other = Matrix::new(other, states, rank).rows(rows.clone());
                    let to = MatrixMut::new(to, count, rank);
                    multiply(to, Into::Replace, T::ONE, other, chain);
                }
                (Order::State, Factor::U) => steps.u(rows.clone(), to),
                (Order::State, Factor::V) => steps.v(rows.clone(), to),
            }
            if factor == Factor::U {
                multiply(
                    MatrixMut::new(to, count, rank),
                    Into::Add,
                    T::ONE,
                    Matrix::new(&start[rows], count, 1),
                    Matrix::new(&g.start, 1, rank),
                );
            }
        };
        let gradients = self.networks.backward(weights, sizes, masks, incoming, rows_of)?;
        let network_seconds = forward_seconds + backward.elapsed().as_secs_f64();
        Ok(Done { gradients, log_probs, network_seconds, inference_seconds })
    }
}

/// pi = s U: (r).
pub(super) fn start_ranks<T: Real>(start: &[T], u: &[T], rank: usize) -> Vec<T> {
    let mut pi = vec![T::ZERO; rank];
    multiply(
        MatrixMut::new(&mut pi, 1, rank),
        Into::Replace,
        T::ONE,
        Matrix::new(start, 1, start.len()),
        Matrix::new(u, start.len(), rank),
    );
    pi
}

/// A = V^T U: (r, r).
pub(super) fn chain_of<T: Real>(u: &[T], v: &[T], rank: usize, to: &mut Vec<T>) {
    let states = u.len() / rank;
    to.resize(rank * rank, T::ZERO);
    multiply(
        MatrixMut::new(to, rank, rank),
        Into::Replace,
        T::ONE,
        Matrix::new(v, states, rank).t(),
        Matrix::new(u, states, rank),
    );
}
