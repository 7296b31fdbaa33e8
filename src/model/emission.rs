//! Emission probabilities: softmax over the vocabulary of a last linear layer.
//!
//! The matrix (states x vocabulary) is the largest thing in a model, and it is needed in full only
//! for its normalisers. It is computed in blocks of rows; exponentials are kept for the backward
//! pass while they fit a bound, else computed again. The gradient needs no pass over them beside
//! two matrix products: with c the summed gradient of each state's log-probabilities,
//! d logits = scattered gradient - c * softmax.

use super::softmax::{column_sums, exponentiate_rows, join, weighted_sum};
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::{Real, vectorised};
use pulp::Arch;
use rayon::prelude::*;

/// Rows computed at a time.
const BLOCK: usize = 512;
/// Exponentials are kept up to this many bytes where nothing else is said.
const KEEP: usize = 1 << 29;

/// The last layer: logits = hidden weight^T + bias.
#[derive(Clone, Copy)]
pub(super) struct Layer<'a, T> {
    /// (states, d)
    pub hidden: &'a [T],
    /// (vocabulary, d)
    pub weight: &'a [T],
    /// (vocabulary)
    pub bias: &'a [T],
    pub embedding: usize,
}

impl<T: Real> Layer<'_, T> {
    fn states(&self) -> usize {
        self.hidden.len() / self.embedding
    }

    fn vocabulary(&self) -> usize {
        self.bias.len()
    }

    /// Replaces `to` by exp(logit - row maximum) of some states; returns maxima and sums.
    fn exponentials(&self, from: usize, to: &mut [T]) -> Vec<(T, T)> {
        let (d, words) = (self.embedding, self.vocabulary());
        let rows = to.len() / words;
        multiply(
            MatrixMut::new(to, rows, words),
            Into::Replace,
            T::ONE,
            Matrix::new(self.hidden, self.states(), d).rows(from..from + rows),
            Matrix::new(self.weight, words, d).t(),
        );
        exponentiate_rows(to, self.bias)
    }

    /// Probabilities p(word | state) of some states: (states, vocabulary).
    pub fn probabilities(&self, states: std::ops::Range<usize>) -> Vec<T> {
        let words = self.vocabulary();
        let mut out = vec![T::ZERO; states.len() * words];
        for (row, (_, sum)) in self.exponentials(states.start, &mut out).into_iter().enumerate() {
            let factor = T::ONE / sum;
            out[row * words..(row + 1) * words].iter_mut().for_each(|x| *x *= factor);
        }
        out
    }

    /// log p(word | state) of some words: (words, states), nats.
    pub fn log_probabilities(&self, words: &[u32], log_normalisers: &[f64]) -> Vec<T> {
        let (d, states) = (self.embedding, self.states());
        let gathered = self.gather(words);
        let mut out = vec![T::ZERO; words.len() * states];
        multiply(
            MatrixMut::new(&mut out, words.len(), states),
            Into::Replace,
            T::ONE,
            Matrix::new(&gathered, words.len(), d),
            Matrix::new(self.hidden, states, d).t(),
        );
        let arch = Arch::new();
        out.par_chunks_mut(states).zip(words).with_min_len(8).for_each(|(row, &word)| {
            let bias = self.bias[word as usize].to_f64();
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for (x, &normaliser) in row.iter_mut().zip(log_normalisers) {
                        *x = T::from_f64(x.to_f64() + bias - normaliser);
                    }
                },
            );
        });
        out
    }

    fn gather(&self, words: &[u32]) -> Vec<T> {
        let d = self.embedding;
        let row = |&w: &u32| &self.weight[w as usize * d..(w as usize + 1) * d];
        words.iter().flat_map(row).copied().collect()
    }
}

/// What the forward pass leaves for the backward pass; buffers are kept between batches.
#[derive(Debug)]
pub(super) struct Emission<T> {
    /// Exponentials are kept up to this many bytes.
    keep: usize,
    /// Log of every state's normaliser, nats.
    pub log_normalisers: Vec<f64>,
    /// 1 / sum of every row of `exponentials`.
    factors: Vec<T>,
    /// All of them, or one block.
    exponentials: Vec<T>,
    kept: bool,
    /// Expected last-layer weight under each state's softmax: (states, d).
    expected: Vec<T>,
}

/// Gradients of the last layer.
pub(super) struct LayerGradients<T> {
    pub hidden: Vec<T>,
    pub weight: Vec<T>,
    pub bias: Vec<T>,
}

impl<T> Default for Emission<T> {
    fn default() -> Self {
        Emission::keeping(KEEP)
    }
}

impl<T> Emission<T> {
    /// Keeps the exponentials up to this many bytes; else the backward pass computes them again.
    pub fn keeping(bytes: usize) -> Self {
        Emission {
            keep: bytes,
            log_normalisers: Vec::new(),
            factors: Vec::new(),
            exponentials: Vec::new(),
            kept: false,
            expected: Vec::new(),
        }
    }
}

impl<T: Real> Emission<T> {
    /// Computes the normalisers, and what a backward pass will need.
    pub fn forward(&mut self, layer: &Layer<'_, T>, backward: bool) {
        let (states, words, d) = (layer.states(), layer.vocabulary(), layer.embedding);
        self.kept = backward && states * words * size_of::<T>() <= self.keep;
        self.exponentials
            .resize(if self.kept { states } else { BLOCK.min(states) } * words, T::ZERO);
        self.expected.resize(if backward { states * d } else { 0 }, T::ZERO);
        self.log_normalisers.clear();
        self.factors.clear();
        for from in (0..states).step_by(BLOCK) {
            let rows = BLOCK.min(states - from);
            let at = if self.kept { from * words } else { 0 };
            let block = &mut self.exponentials[at..at + rows * words];
            for (top, sum) in layer.exponentials(from, block) {
                self.log_normalisers.push(top.to_f64() + sum.to_f64().ln());
                self.factors.push(T::ONE / sum);
            }
            if backward {
                let expected = &mut self.expected[from * d..(from + rows) * d];
                multiply(
                    MatrixMut::new(expected, rows, d),
                    Into::Replace,
                    T::ONE,
                    Matrix::new(block, rows, words),
                    Matrix::new(layer.weight, words, d),
                );
                for (row, &factor) in expected.chunks_exact_mut(d).zip(&self.factors[from..]) {
                    row.iter_mut().for_each(|x| *x *= factor);
                }
            }
        }
    }

    /// Gradients from those of the log-probabilities of some distinct words, (words, states).
    pub fn backward(
        &mut self,
        layer: &Layer<'_, T>,
        words: &[u32],
        gradient: &[T],
    ) -> LayerGradients<T> {
        let (states, vocabulary, d) = (layer.states(), layer.vocabulary(), layer.embedding);
        let summed = column_sums(gradient, states);
        // Scattered part.
        let scattered = Matrix::new(gradient, words.len(), states);
        let gathered = layer.gather(words);
        let mut hidden = vec![T::ZERO; states * d];
        multiply(
            MatrixMut::new(&mut hidden, states, d),
            Into::Replace,
            T::ONE,
            scattered.t(),
            Matrix::new(&gathered, words.len(), d),
        );
        let mut rows = vec![T::ZERO; words.len() * d];
        multiply(
            MatrixMut::new(&mut rows, words.len(), d),
            Into::Replace,
            T::ONE,
            scattered,
            Matrix::new(layer.hidden, states, d),
        );
        // Softmax part.
        let mut weighted = layer.hidden.to_vec();
        let minus: Vec<T> =
            summed.iter().zip(&self.factors).map(|(&c, &f)| T::ZERO - c * f).collect();
        for (state, row) in weighted.chunks_exact_mut(d).enumerate() {
            row.iter_mut().for_each(|x| *x *= minus[state]);
            let own = &mut hidden[state * d..(state + 1) * d];
            let expected = &self.expected[state * d..(state + 1) * d];
            for (h, &e) in own.iter_mut().zip(expected) {
                *h = *h - summed[state] * e;
            }
        }
        let mut weight = vec![T::ZERO; vocabulary * d];
        let mut bias = Vec::new();
        let step = if self.kept { states } else { BLOCK };
        for from in (0..states).step_by(step) {
            let own = step.min(states - from);
            let block = &mut self.exponentials[..own * vocabulary];
            if !self.kept {
                layer.exponentials(from, block);
            }
            let mode = if from == 0 { Into::Replace } else { Into::Add };
            multiply(
                MatrixMut::new(&mut weight, vocabulary, d),
                mode,
                T::ONE,
                Matrix::new(block, own, vocabulary).t(),
                Matrix::new(&weighted, states, d).rows(from..from + own),
            );
            let own = weighted_sum(block, vocabulary, &minus[from..from + own]);
            bias = if from == 0 { own } else { join(vec![bias, own], |a, b| a + b) };
        }
        for ((&word, row), gradient) in
            words.iter().zip(rows.chunks_exact(d)).zip(gradient.chunks_exact(states))
        {
            let word = word as usize;
            weight[word * d..(word + 1) * d].iter_mut().zip(row).for_each(|(w, &x)| *w += x);
            bias[word] += gradient.iter().fold(T::ZERO, |s, &g| s + g);
        }
        LayerGradients { hidden, weight, bias }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize, by: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919 + by) % 101) as f64 / 50.0 - 1.0).collect()
    }

    #[test]
    fn gradients_equal_finite_differences_kept_or_streamed() {
        let (states, words, d) = (300, 7, 3);
        let parts = [numbers(states * d, 1), numbers(words * d, 2), numbers(words, 3)];
        let chosen = [4, 0, 6];
        let gradient = numbers(3 * states, 5);
        let value = |parts: &[Vec<f64>; 3], keep: usize| {
            let layer =
                Layer { hidden: &parts[0], weight: &parts[1], bias: &parts[2], embedding: d };
            let mut emission = Emission::keeping(keep);
            emission.forward(&layer, true);
            let logs = layer.log_probabilities(&chosen, &emission.log_normalisers);
            let value: f64 = logs.iter().zip(&gradient).map(|(l, g)| l * g).sum();
            let all = emission.backward(&layer, &chosen, &gradient);
            let p = layer.probabilities(2..4);
            assert!((p[words..].iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((p[words + 4].ln() - logs[3]).abs() < 1e-12);
            (value, [all.hidden, all.weight, all.bias])
        };
        for keep in [0, usize::MAX] {
            let (_, analytic) = value(&parts, keep);
            for part in 0..3 {
                for i in (0..parts[part].len()).step_by(11) {
                    let at = |h: f64| {
                        let mut moved = parts.clone();
                        moved[part][i] += h;
                        value(&moved, keep).0
                    };
                    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let error = (difference - analytic[part][i]).abs();
                    assert!(error < 1e-6, "keep {keep} part {part} {i}: {error}");
                }
            }
        }
    }
}
