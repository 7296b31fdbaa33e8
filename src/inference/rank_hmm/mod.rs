//! Forward and backward of an HMM in rank space (Yang, Liu & Tu 2022, section 4.3).
//!
//! With `p(next, word | state) = sum_q U[state,q] V[next,q] W[word,q]` and start probabilities s,
//!
//! ```text
//! e_0 = s U,   e_t = a_{t-1} V^T U                  (what is expected of the word at t)
//! a_t = e_t * W[w_t] / z_t,   z_t = sum_q e_t[q] W[w_t,q]
//! log p(w) = sum_t log z_t
//! ```
//!
//! so z_t is the probability of a word after those before it, and -log z_t its surprisal. V^T U is
//! the chain A (r x r) summed out beforehand, or two products through the states ([`Chain`]): the
//! values are the same, and which is cheaper depends on sizes and batch. A word's vector sums to
//! one, so nothing underflows on long sentences. All sentences go in
//! lockstep, the longest first, so that one product serves a whole time step and padding does not
//! exist.

mod chain;
pub mod device;
mod steps;
#[cfg(test)]
mod tests;

use super::Real;
use super::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::treebank::Batch;
use chain::Between;
pub use chain::{Chain, Scoring, Training, elements, preparation};
use rayon::prelude::*;
pub use steps::Steps;

/// What the program reads.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a, T> {
    pub rank: usize,
    /// pi = s U: (r), probabilities.
    pub start: &'a [T],
    pub chain: Chain<'a, T>,
    /// W for the distinct words of the batch: (words, r), each row divided by its scale.
    pub words: &'a [T],
    /// Log of what each row of `words` was divided by, nats.
    pub word_scales: &'a [f64],
    /// Added to every e_t where the published code takes its logarithm: 1e-9, or 0 for exact values.
    pub floor: f64,
}

/// Gradient of `weight * sum of log p` with respect to the parts of [`Rules`] beside the chain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleGradients<T> {
    /// (r)
    pub start: Vec<T>,
    /// With respect to log W: (words, r).
    pub log_words: Vec<T>,
}

/// A word's probability left the range of the number type, or may have lost to underflow what
/// counts, or is truly zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {position} of sentence {sentence} has no probability in this number type")]
pub struct OutOfRange {
    /// Number in the batch.
    pub sentence: usize,
    /// Counted from 0.
    pub position: usize,
}

/// Rows of all time steps: step after step, within a step the sentences still going, longest
/// first.
#[derive(Clone, Debug, Default)]
struct Layout {
    /// Batch index of the sentence at each place; longest first.
    order: Vec<usize>,
    /// First row of each step, and the end behind the last.
    base: Vec<usize>,
}

impl Layout {
    fn new(batch: &Batch) -> Layout {
        let mut order: Vec<usize> = (0..batch.len()).collect();
        order.sort_by_key(|&b| std::cmp::Reverse(batch.length(b)));
        let mut base = vec![0];
        for t in 0..order.first().map_or(0, |&b| batch.length(b)) {
            let going = order.partition_point(|&b| batch.length(b) > t);
            base.push(base[t] + going);
        }
        Layout { order, base }
    }

    fn steps(&self) -> usize {
        self.base.len() - 1
    }

    fn rows(&self) -> usize {
        self.base[self.steps()]
    }

    /// Sentences that have a word at a step.
    fn going(&self, t: usize) -> usize {
        self.base[t + 1] - self.base[t]
    }
}

/// The sequences of a batch; buffers are kept between batches.
#[derive(Debug, Default)]
pub struct Lattice<T> {
    rank: usize,
    layout: Layout,
    /// A^T for the way back, or nothing.
    turned: Vec<T>,
    /// Row of `Rules::words` of every row.
    word_of: Vec<usize>,
    /// e_t with the floor added: (rows, r).
    expected: Vec<T>,
    /// a_t, sums to 1: (rows, r).
    alpha: Vec<T>,
    /// Probabilities of the state that follows a row, and their gradients.
    between: Between<T>,
    /// sum_q of e_t W, in the scale of the word.
    sums: Vec<T>,
    /// log z_t of every row, nats.
    log_z: Vec<f64>,
    /// d log p / d e_t: (rows, r).
    expected_gradient: Vec<T>,
    /// d log p / d a_t: (rows, r).
    alpha_gradient: Vec<T>,
    /// d log p / d log W of every row: (rows, r).
    word_gradient: Vec<T>,
    /// By batch index, nats.
    log_p: Vec<f64>,
}

fn resized<T: Real>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        // Old contents are never read: growing from empty avoids copying them.
        buffer.clear();
        buffer.resize(len, T::ZERO);
    }
    &mut buffer[..len]
}

impl<T: Real> Lattice<T> {
    /// Forward. `words` holds, packed like the batch's words, the row of each in `rules.words`.
    ///
    /// # Errors
    /// [`OutOfRange`] where a word's probability is zero, no number, or so small in its scale that
    /// underflow may have taken most of it; not to be used then.
    pub fn forward(
        &mut self,
        rules: &Rules<'_, T>,
        batch: &Batch,
        words: &[usize],
    ) -> Result<(), OutOfRange> {
        let r = rules.rank;
        assert_eq!(words.len(), batch.tokens());
        assert_eq!(rules.start.len(), r);
        assert_eq!(rules.words.len(), rules.word_scales.len() * r);
        rules.chain.check(r);
        self.rank = r;
        self.layout = Layout::new(batch);
        let layout = &self.layout;
        let rows = layout.rows();
        self.word_of.clear();
        for t in 0..layout.steps() {
            let going = &layout.order[..layout.going(t)];
            self.word_of.extend(going.iter().map(|&b| words[batch.offsets()[b] + t]));
        }
        let floor = T::from_f64(rules.floor);
        let expected = resized(&mut self.expected, rows * r);
        let alpha = resized(&mut self.alpha, rows * r);
        self.between.resize(rows, rules.chain.states(r));
        self.sums.resize(rows, T::ZERO);
        for t in 0..layout.steps() {
            let (from, to) = (layout.base[t], layout.base[t + 1]);
            let own = &mut expected[from * r..to * r];
            if t == 0 {
                own.chunks_exact_mut(r).for_each(|row| row.copy_from_slice(rules.start));
            } else {
                let before = layout.base[t - 1];
                let last = &alpha[before * r..(before + to - from) * r];
                rules.chain.forward(r, last, self.between.values(before, to - from), own);
            }
            let rows = own
                .par_chunks_exact_mut(r)
                .zip(alpha[from * r..to * r].par_chunks_exact_mut(r))
                .zip(&mut self.sums[from..to])
                .zip(&self.word_of[from..to]);
            rows.for_each(|(((expected, alpha), sum), &word)| {
                let word = &rules.words[word * r..(word + 1) * r];
                *sum = T::ZERO;
                for ((e, a), &w) in expected.iter_mut().zip(&mut *alpha).zip(word) {
                    *e += floor;
                    *a = *e * w;
                    *sum += *a;
                }
                let factor = T::ONE / *sum;
                alpha.iter_mut().for_each(|a| *a *= factor);
            });
        }
        self.log_z.clear();
        let scaled = self.sums[..rows].iter().zip(&self.word_of);
        self.log_z.extend(scaled.map(|(z, &w)| z.to_f64().ln() + rules.word_scales[w]));
        self.log_p.clear();
        self.log_p.resize(batch.len(), self.end(rules));
        for t in 0..layout.steps() {
            let rows = layout.base[t]..layout.base[t + 1];
            let found = self.log_z[rows.clone()].iter().zip(&self.sums[rows]);
            for (place, (&log_z, sum)) in found.enumerate() {
                let sentence = layout.order[place];
                if !log_z.is_finite() || sum.to_f64() < T::SURE {
                    return Err(OutOfRange { sentence, position: t });
                }
                self.log_p[sentence] += log_z;
            }
        }
        Ok(())
    }

    /// The published code adds its floor to every state that may follow the last word, and sums.
    fn end(&self, rules: &Rules<'_, T>) -> f64 {
        match rules.chain {
            Chain::Rank { states, .. } => (rules.floor * states as f64).ln_1p(),
            Chain::State { u, .. } => (rules.floor * (u.len() / rules.rank) as f64).ln_1p(),
        }
    }

    /// log p of every sentence of the batch, nats.
    pub fn log_p(&self) -> &[f64] {
        &self.log_p
    }

    /// -log p(word | words before) of every word of a sentence, nats.
    pub fn surprisals(&self, sentence: usize) -> Vec<f64> {
        let place = self.place(sentence);
        let steps = (0..self.layout.steps()).take_while(|&t| place < self.layout.going(t));
        steps.map(|t| -self.log_z[self.layout.base[t] + place]).collect()
    }

    fn place(&self, sentence: usize) -> usize {
        self.layout.order.iter().position(|&b| b == sentence).expect("a sentence of the batch")
    }

    /// Backward, after [`Lattice::forward`] with the same rules.
    pub fn backward(&mut self, rules: &Rules<'_, T>) {
        let r = self.rank;
        let layout = &self.layout;
        let rows = layout.rows();
        let expected_gradient = resized(&mut self.expected_gradient, rows * r);
        let alpha_gradient = resized(&mut self.alpha_gradient, rows * r);
        let word_gradient = resized(&mut self.word_gradient, rows * r);
        rules.chain.turn(r, &mut self.turned);
        for t in (0..layout.steps()).rev() {
            let (from, to) = (layout.base[t], layout.base[t + 1]);
            let own = &mut alpha_gradient[from * r..to * r];
            // Sentences that end here have nothing behind them.
            let further = if t + 1 < layout.steps() { layout.going(t + 1) } else { 0 };
            own[further * r..].fill(T::ZERO);
            if further > 0 {
                let next = &expected_gradient[to * r..(to + further) * r];
                let between = self.between.gradients(from, further);
                rules.chain.backward(r, &self.turned, next, between, &mut own[..further * r]);
            }
            let rows = own
                .par_chunks_exact(r)
                .zip(expected_gradient[from * r..to * r].par_chunks_exact_mut(r))
                .zip(word_gradient[from * r..to * r].par_chunks_exact_mut(r))
                .zip(self.alpha[from * r..to * r].par_chunks_exact(r))
                .zip(&self.sums[from..to])
                .zip(&self.word_of[from..to]);
            rows.for_each(|(((((own, expected), log_word), alpha), &sum), &word)| {
                let word = &rules.words[word * r..(word + 1) * r];
                let mut dot = T::ZERO;
                for (&g, &a) in own.iter().zip(alpha) {
                    dot += g * a;
                }
                // a = y / z with y = e W and z its sum, and log z is part of log p.
                let factor = T::ONE / sum;
                for i in 0..r {
                    let b = T::ONE + own[i] - dot;
                    expected[i] = b * word[i] * factor;
                    log_word[i] = b * alpha[i];
                }
            });
        }
    }

    /// Whether the gradients stayed in the range of the number type, after [`Lattice::backward`].
    ///
    /// # Errors
    /// [`OutOfRange`] at the last word that they left it at.
    pub fn check(&self) -> Result<(), OutOfRange> {
        let (r, layout) = (self.rank, &self.layout);
        for t in (0..layout.steps()).rev() {
            for place in 0..layout.going(t) {
                let row = (layout.base[t] + place) * r..(layout.base[t] + place + 1) * r;
                let all = [&self.expected_gradient, &self.alpha_gradient, &self.word_gradient];
                if !all.iter().all(|g| g[row.clone()].iter().all(|x| x.is_finite())) {
                    return Err(OutOfRange { sentence: layout.order[place], position: t });
                }
            }
        }
        Ok(())
    }

    /// Gradient of `weight * sum of log p`, after [`Lattice::backward`]; that of the chain comes
    /// from [`Lattice::steps`].
    pub fn gradients(&self, rules: &Rules<'_, T>, weight: f64) -> RuleGradients<T> {
        let r = self.rank;
        let factor = T::from_f64(weight);
        let add = |to: &mut [T], row: &[T]| {
            to.iter_mut().zip(row).for_each(|(to, &g)| *to += g * factor);
        };
        let mut start = vec![T::ZERO; r];
        for row in self.expected_gradient[..self.layout.order.len() * r].chunks_exact(r) {
            add(&mut start, row);
        }
        let mut log_words = vec![T::ZERO; rules.words.len()];
        for (row, &word) in self.word_gradient.chunks_exact(r).zip(&self.word_of) {
            add(&mut log_words[word * r..(word + 1) * r], row);
        }
        RuleGradients { start, log_words }
    }

    /// All steps between two words, for the gradients of `weight * sum of log p`; after
    /// [`Lattice::backward`].
    pub fn steps(&self, rules: &Rules<'_, T>, weight: f64) -> Steps<T> {
        let (r, layout) = (self.rank, &self.layout);
        let states = rules.chain.states(r);
        // Pairs of a row and the row of the same sentence one step later, brought together.
        let pairs: Vec<(usize, usize)> = (1..layout.steps())
            .flat_map(|t| {
                let (before, from) = (layout.base[t - 1], layout.base[t]);
                (0..layout.going(t)).map(move |place| (before + place, from + place))
            })
            .collect();
        let gather = |values: &[T], row: &dyn Fn(&(usize, usize)) -> usize, width: usize| {
            let mut rows = Vec::with_capacity(pairs.len() * width);
            pairs
                .iter()
                .for_each(|pair| rows.extend_from_slice(&values[row(pair) * width..][..width]));
            rows
        };
        Steps {
            rank: r,
            states,
            weight: T::from_f64(weight),
            alpha: gather(&self.alpha, &|p| p.0, r),
            alpha_gradient: gather(&self.alpha_gradient, &|p| p.0, r),
            next_gradient: gather(&self.expected_gradient, &|p| p.1, r),
            between: gather(&self.between.values, &|p| p.0, states),
            between_gradient: gather(&self.between.gradients, &|p| p.0, states),
        }
    }

    /// Posterior of the rank node that each word of a sentence hangs on: (words, r), after
    /// [`Lattice::backward`].
    pub fn posteriors(&self, sentence: usize) -> Vec<f32> {
        let place = self.place(sentence);
        let steps = (0..self.layout.steps()).take_while(|&t| place < self.layout.going(t));
        let row = |t: usize| {
            let row = self.layout.base[t] + place;
            &self.word_gradient[row * self.rank..(row + 1) * self.rank]
        };
        steps.flat_map(row).map(|p| p.to_f64() as f32).collect()
    }

    /// Posterior of the state that each word of a sentence is emitted from: (words, states), after
    /// [`Lattice::backward`]. `start` is s, and `u` and `v` are U and V, whichever chain was used.
    pub fn state_posteriors(&self, sentence: usize, start: &[T], u: &[T], v: &[T]) -> Vec<f32> {
        let (r, states) = (self.rank, start.len());
        let place = self.place(sentence);
        let steps = (0..self.layout.steps()).take_while(|&t| place < self.layout.going(t));
        let rows: Vec<usize> = steps.map(|t| self.layout.base[t] + place).collect();
        let through = |values: &[T], rows: &[usize], factor: &[T]| {
            let own: Vec<T> =
                rows.iter().flat_map(|row| &values[row * r..(row + 1) * r]).copied().collect();
            let mut out = vec![T::ZERO; rows.len() * states];
            multiply(
                MatrixMut::new(&mut out, rows.len(), states),
                Into::Replace,
                T::ONE,
                Matrix::new(&own, rows.len(), r),
                Matrix::new(factor, states, r).t(),
            );
            out
        };
        // What the words before say of the state, and what those from this one on say.
        let prior = start.iter().copied().chain(match rows.split_last() {
            Some((_, before)) => through(&self.alpha, before, v),
            None => Vec::new(),
        });
        let ahead = through(&self.expected_gradient, &rows, u);
        prior.zip(ahead).map(|(prior, ahead)| (prior.to_f64() * ahead.to_f64()) as f32).collect()
    }
}
