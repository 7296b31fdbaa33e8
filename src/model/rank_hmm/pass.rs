//! One training step: networks, lattice, and back.

use super::Sizes;
use super::networks::{Factor, Incoming, Masks, Networks};
use crate::config::Elimination;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::order::Order;
use crate::inference::rank_hmm::{Chain, Lattice, OutOfRange, RuleGradients, Rules, Training};
use crate::model::element::Element;
use crate::model::emission::Emission;
use crate::model::layers::{Collected, Weights};
use crate::model::words::Words;
use crate::model::{ModelError, order_of, softmax};
use crate::treebank::Batch;
use std::time::Instant;

/// Buffers of a step, kept between batches.
#[derive(Default)]
pub(super) struct Pass<T: Element> {
    networks: Networks<T>,
    emission: Emission<T>,
    chain: Vec<T>,
    lattice: Lattice<T>,
    rule_gradients: RuleGradients<T>,
    buffer: Vec<T>,
}

/// What a step has found.
pub(super) struct Done<T> {
    /// Gradients of -mean log p over tokens.
    pub gradients: Collected<T>,
    /// By batch index, nats.
    pub log_probs: Vec<f64>,
    pub network_seconds: f64,
    pub inference_seconds: f64,
}

impl<T: Element> Pass<T> {
    /// Log-probabilities and gradients of a batch.
    pub fn step(
        &mut self,
        sizes: &Sizes,
        (floor, elimination): (f64, Elimination),
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
        let order = order_of(elimination, &Training { states, rank, lengths: &lengths });
        let Networks { start, u, v, .. } = &self.networks;
        let pi = start_ranks(start, u, rank);
        let rank_order = order == Order::Rank;
        if rank_order {
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
        let log_probs = infer(&rules, batch, words, &mut self.lattice, &mut self.rule_gradients)?;
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let g = &self.rule_gradients;
        // pi = s U: what s gets through U, and U through s.
        let mut start_gradient = vec![T::ZERO; states];
        multiply(
            MatrixMut::new(&mut start_gradient, states, 1),
            Into::Replace,
            T::ONE,
            Matrix::new(&self.networks.u, states, rank),
            Matrix::new(&g.start, rank, 1),
        );
        let own = self.emission.backward(
            &self.networks.layer(weights, sizes)?,
            &words.distinct,
            &g.log_words,
        );
        let incoming = Incoming {
            start: start_gradient,
            words: own.weight,
            ranks: own.hidden,
            buffer: &mut self.buffer,
        };
        let to_states = |factor: Factor, networks: &Networks<T>, to: &mut [T]| {
            let Networks { start, u, v, .. } = networks;
            // A = V^T U.
            let (own, other, ready) = match factor {
                Factor::U => (Matrix::new(&g.chain, rank_of(rank_order, rank), rank), v, &g.u),
                Factor::V => (Matrix::new(&g.chain, rank_of(rank_order, rank), rank).t(), u, &g.v),
            };
            if rank_order {
                let other = Matrix::new(other, states, rank);
                multiply(MatrixMut::new(to, states, rank), Into::Replace, T::ONE, other, own);
            } else {
                to.copy_from_slice(ready);
            }
            if factor == Factor::U {
                multiply(
                    MatrixMut::new(to, states, rank),
                    Into::Add,
                    T::ONE,
                    Matrix::new(start, states, 1),
                    Matrix::new(&g.start, 1, rank),
                );
            }
        };
        let gradients = self.networks.backward(weights, sizes, masks, incoming, to_states)?;
        let network_seconds = forward_seconds + backward.elapsed().as_secs_f64();
        Ok(Done { gradients, log_probs, network_seconds, inference_seconds })
    }
}

/// Rows of the chain's gradient: it has none where the states are kept.
fn rank_of(rank_order: bool, rank: usize) -> usize {
    if rank_order { rank } else { 0 }
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

/// Forward, backward and gradients of -mean log p over tokens; in double precision where `T` is
/// too narrow.
fn infer<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    lattice: &mut Lattice<T>,
    gradients: &mut RuleGradients<T>,
) -> Result<Vec<f64>, ModelError> {
    if run(rules, batch, words, lattice, gradients).is_ok() {
        return Ok(lattice.log_p().to_vec());
    }
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (mut buffers, start, wide_words) =
        (Default::default(), wide(rules.start), wide(rules.words));
    let rules = Rules {
        rank: rules.rank,
        start: &start,
        chain: rules.chain.widened(&mut buffers),
        words: &wide_words,
        word_scales: rules.word_scales,
        floor: rules.floor,
    };
    let (mut lattice, mut own) = (Lattice::default(), RuleGradients::default());
    run(&rules, batch, words, &mut lattice, &mut own).map_err(|e| ModelError::Sentence {
        sentence: e.sentence,
        reason: format!(
            "the probability of its word {} is zero or not a number with these weights",
            e.position + 1
        ),
    })?;
    let narrow = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    *gradients = RuleGradients {
        start: narrow(&own.start),
        chain: narrow(&own.chain),
        u: narrow(&own.u),
        v: narrow(&own.v),
        log_words: narrow(&own.log_words),
    };
    Ok(lattice.log_p().to_vec())
}

fn run<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    lattice: &mut Lattice<T>,
    gradients: &mut RuleGradients<T>,
) -> Result<(), OutOfRange> {
    lattice.forward(rules, batch, &words.of_token)?;
    lattice.backward(rules);
    lattice.gradients(rules, -1.0 / batch.tokens() as f64, gradients);
    Ok(())
}
