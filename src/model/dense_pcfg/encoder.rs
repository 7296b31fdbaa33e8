//! The inference network of a compound PCFG (Kim, Dyer & Rush 2019): what a sentence says of its
//! latent vector. Word embeddings, one bidirectional LSTM layer, maximum over time, linear to the
//! mean and the logarithm of the variance.

use super::Sizes;
use crate::inference::matrix::Into;
use crate::model::ModelError;
use crate::model::element::Element;
use crate::model::layers::{Collected, Weights, linear, linear_backward};
use crate::model::lstm::{Lstm, Steps};
use crate::treebank::Batch;

/// Posterior of the latent vectors of a batch, and the activations that led there.
#[derive(Debug, Default)]
pub(super) struct Encoder<T> {
    /// Sentences in the order of the lattice, longest first.
    order: Vec<usize>,
    steps: Steps,
    directions: [Direction<T>; 2],
    /// Largest hidden unit over time, forward then reverse: (sentences, 2 h), by batch index.
    pooled: Vec<T>,
    /// Row of the lattice that it comes from.
    source: Vec<usize>,
    /// Mean and log variance side by side: (sentences, 2 z).
    output: Vec<T>,
}

#[derive(Debug, Default)]
struct Direction<T> {
    lstm: Lstm<T>,
    /// Word of every row.
    words: Vec<usize>,
    /// Their embeddings: (rows, w).
    x: Vec<T>,
}

impl<T: Element> Encoder<T> {
    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        batch: &Batch,
    ) -> Result<(), ModelError> {
        let (h, w) = (sizes.encoder, sizes.encoder_embedding);
        self.order = (0..batch.len()).collect();
        self.order.sort_by_key(|&b| std::cmp::Reverse(batch.length(b)));
        let lengths: Vec<usize> = self.order.iter().map(|&b| batch.length(b)).collect();
        self.steps = Steps::new(&lengths);
        let embeddings: &[T] = weights.get("enc_emb.weight")?;
        self.pooled.clear();
        self.pooled.resize(batch.len() * 2 * h, T::ZERO);
        self.source.clear();
        self.source.resize(batch.len() * 2 * h, 0);
        for (reverse, direction) in [false, true].into_iter().zip(&mut self.directions) {
            direction.words.clear();
            direction.words.resize(self.steps.rows(), 0);
            for (place, &b) in self.order.iter().enumerate() {
                let words = batch.sentence(b);
                for (i, &word) in words.iter().enumerate() {
                    let step = if reverse { words.len() - 1 - i } else { i };
                    direction.words[self.steps.row(place, step)] = word as usize;
                }
            }
            let row = |&word: &usize| &embeddings[word * w..(word + 1) * w];
            direction.x = direction.words.iter().flat_map(row).copied().collect();
            direction.lstm.forward(weights, "enc_rnn", reverse, &self.steps, &direction.x)?;
            let hidden = direction.lstm.hidden();
            for (place, &b) in self.order.iter().enumerate() {
                for k in 0..h {
                    let rows = (0..lengths[place]).map(|step| self.steps.row(place, step));
                    let best = rows.reduce(|best, row| {
                        if hidden[row * h + k] > hidden[best * h + k] { row } else { best }
                    });
                    let best = best.expect("no sentence is empty");
                    let at = b * 2 * h + usize::from(reverse) * h + k;
                    (self.pooled[at], self.source[at]) = (hidden[best * h + k], best);
                }
            }
        }
        linear(weights, "enc_out", &self.pooled, &mut self.output)
    }

    /// Mean and log variance of a sentence's latent vector: (z) each.
    pub fn posterior(&self, sentence: usize) -> (&[T], &[T]) {
        let wide = self.output.len() / self.order.len();
        let (from, middle) = (sentence * wide, sentence * wide + wide / 2);
        (&self.output[from..middle], &self.output[middle..from + wide])
    }

    /// Kullback-Leibler divergence of a sentence's posterior from the standard normal, nats.
    pub fn divergence(&self, sentence: usize) -> f64 {
        let (mean, log_variance) = self.posterior(sentence);
        let term = |(&m, &v): (&T, &T)| {
            let (m, v) = (m.to_f64(), v.to_f64());
            0.5 * (m * m + v.exp() - 1.0 - v)
        };
        mean.iter().zip(log_variance).map(term).sum()
    }

    /// mean + exp(log variance / 2) * noise of every sentence: (sentences, z); `noise` likewise.
    pub fn sample(&self, noise: &[T]) -> Vec<T> {
        let z = self.output.len() / self.order.len() / 2;
        let mut all = Vec::with_capacity(noise.len());
        for (b, noise) in noise.chunks_exact(z).enumerate() {
            let (mean, log_variance) = self.posterior(b);
            let deviations = log_variance.iter().map(|&v| (v * T::from_f64(0.5)).exp());
            all.extend(mean.iter().zip(deviations).zip(noise).map(|((&m, d), &x)| m + d * x));
        }
        all
    }

    /// Gradients of the mean over sentences of the divergence, and of what the latent vectors
    /// (sentences, z) lead to.
    pub fn backward(
        &self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        noise: &[T],
        latent_gradient: &[T],
        to: &mut Collected<T>,
    ) -> Result<(), ModelError> {
        let (z, h, w) = (sizes.latent, sizes.encoder, sizes.encoder_embedding);
        let share = T::from_f64(1.0 / self.order.len() as f64);
        let half = T::from_f64(0.5);
        let mut output = vec![T::ZERO; self.output.len()];
        for (b, own) in output.chunks_exact_mut(2 * z).enumerate() {
            let (mean, log_variance) = self.posterior(b);
            for k in 0..z {
                let (gradient, noise) = (latent_gradient[b * z + k], noise[b * z + k]);
                let variance = log_variance[k].exp();
                let deviation = (log_variance[k] * half).exp();
                own[k] = gradient + mean[k] * share;
                own[z + k] = half * (gradient * noise * deviation + (variance - T::ONE) * share);
            }
        }
        let mut pooled = vec![T::ZERO; self.pooled.len()];
        let into = (&mut pooled[..], Into::Replace);
        linear_backward(weights, "enc_out", &self.pooled, &output, into, to)?;
        let mut embeddings = vec![T::ZERO; sizes.vocabulary * w];
        for (reverse, direction) in [false, true].into_iter().zip(&self.directions) {
            let mut hidden = vec![T::ZERO; self.steps.rows() * h];
            for b in 0..self.order.len() {
                for k in 0..h {
                    let at = b * 2 * h + usize::from(reverse) * h + k;
                    hidden[self.source[at] * h + k] += pooled[at];
                }
            }
            let mut x = vec![T::ZERO; direction.x.len()];
            let (steps, own) = (&self.steps, &direction.x);
            let lstm = &direction.lstm;
            lstm.backward(weights, "enc_rnn", reverse, steps, own, &hidden, &mut x, to)?;
            for (&word, row) in direction.words.iter().zip(x.chunks_exact(w)) {
                let to = &mut embeddings[word * w..(word + 1) * w];
                to.iter_mut().zip(row).for_each(|(e, &g)| *e += g);
            }
        }
        to.insert("enc_emb.weight".into(), embeddings);
        Ok(())
    }
}
