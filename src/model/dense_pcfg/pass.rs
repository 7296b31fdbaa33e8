//! One training step: forward, charts, backward.

use super::encoder::Encoder;
use super::grammar::{Grammar, wide};
use super::networks::{Networks, ScoreGradients};
use super::{Kind, Sizes};
use crate::inference::Real;
use crate::inference::dense_pcfg::{Chart, OutOfRange, RuleGradients};
use crate::model::done::Done;
use crate::model::element::{Element, Reading};
use crate::model::emission::Emission;
use crate::model::layers::{Collected, Weights};
use crate::model::words::Words;
use crate::model::{ModelError, Noise, softmax};
use crate::treebank::Batch;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::time::Instant;

/// Buffers of a step, kept between batches.
#[derive(Default)]
pub(super) struct Pass<T> {
    encoder: Encoder<T>,
    networks: Networks<T>,
    emission: Emission<T>,
    /// One for each grammar.
    charts: Vec<Chart<T>>,
}

/// Standard normal numbers for every sentence: (sentences, z); zeros where none are wanted.
pub(super) fn latent_noise<T: Element>(
    sizes: &Sizes,
    sentences: usize,
    noise: Noise<'_>,
) -> Result<Vec<T>, ModelError> {
    let count = sentences * sizes.latent;
    match noise {
        _ if count == 0 => Ok(Vec::new()),
        Noise::Off => Ok(vec![T::ZERO; count]),
        Noise::Drawn { seed, step } => {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(step);
            let draw = |_| T::from_f64(StandardNormal.sample(&mut rng));
            Ok((0..count).map(draw).collect())
        }
        Noise::Given(tensors) => {
            let wrong = |reason: String| ModelError::Shape { name: "noise".into(), reason };
            let given = tensors.get("noise").ok_or_else(|| wrong("is missing".into()))?;
            if given.dims() != [sentences, sizes.latent] {
                let shape = [sentences, sizes.latent];
                return Err(wrong(format!("expected {shape:?}, found {:?}", given.dims())));
            }
            let given = given.to_dtype(T::DTYPE)?.contiguous()?;
            Ok(Reading::new(&given)?.slice::<T>()?.to_vec())
        }
    }
}

/// The sentences of each grammar: all, or each its own.
pub(super) fn groups(sizes: &Sizes, batch: &Batch, words: &Words) -> Vec<(Batch, Vec<usize>)> {
    let of = |sentences: std::ops::Range<usize>| {
        let words =
            &words.of_token[batch.offsets()[sentences.start]..batch.offsets()[sentences.end]];
        let own = Batch::new(sentences.map(|b| batch.sentence(b)));
        (own.expect("no sentence of a batch is empty"), words.to_vec())
    };
    match sizes.kind {
        Kind::Compound => (0..batch.len()).map(|b| of(b..b + 1)).collect(),
        Kind::Neural | Kind::LowRank => vec![of(0..batch.len())],
    }
}

/// Columns of one grammar's preterminals out of (words, grammars * PT).
pub(super) fn own_columns<T: Real>(all: &[T], pt: usize, grammars: usize, number: usize) -> Vec<T> {
    let rows = all.chunks_exact(pt * grammars);
    rows.flat_map(|row| &row[number * pt..(number + 1) * pt]).copied().collect()
}

impl<T: Element> Pass<T> {
    /// Log-probabilities and gradients of a batch; every sentence has at least two words. `noise`
    /// is that of the latent vectors, (sentences, z).
    pub fn step(
        &mut self,
        sizes: &Sizes,
        weights: &Weights<'_>,
        batch: &Batch,
        words: &Words,
        noise: &[T],
    ) -> Result<Done<T>, ModelError> {
        let started = Instant::now();
        let compound = sizes.kind == Kind::Compound;
        let mut latents = Vec::new();
        if compound {
            self.encoder.forward(weights, sizes, batch)?;
            latents = self.encoder.sample(noise);
        }
        self.networks.forward(weights, sizes, latents)?;
        let layer = self.networks.layer(weights, sizes)?;
        self.emission.forward(&layer, true);
        let logs = layer.log_probabilities(&words.distinct, &self.emission.log_normalisers);
        let forward_seconds = started.elapsed().as_secs_f64();

        let inference = Instant::now();
        let groups = groups(sizes, batch, words);
        self.charts.resize_with(groups.len(), Chart::default);
        let (networks, grammars) = (&self.networks, groups.len());
        let share = -1.0 / batch.len() as f64;
        let found: Vec<Result<_, ModelError>> = groups
            .par_iter()
            .zip(&mut self.charts)
            .enumerate()
            .map(|(number, ((own, leaves), chart))| {
                let grammar = Grammar::of(networks, sizes, number);
                let emitted = own_columns(&logs, sizes.preterminals, grammars, number);
                let first = if compound { number } else { 0 };
                let narrow = infer(&grammar, &emitted, own, leaves, share, chart);
                let (log_z, mut gradients) = match narrow {
                    Ok(found) => found,
                    Err(_) => infer_widely(
                        &Grammar::widely(networks, sizes, number),
                        &emitted,
                        own,
                        leaves,
                        share,
                    )
                    .map_err(|e| ModelError::Sentence {
                        sentence: first + e.sentence,
                        reason: "its probability is zero or not a number with these weights".into(),
                    })?,
                };
                grammar.through_softmax(&mut gradients);
                Ok((log_z, gradients))
            })
            .collect();
        let mut log_probs = Vec::with_capacity(batch.len());
        let mut gradients = Vec::with_capacity(grammars);
        for own in found {
            let (log_z, own) = own?;
            log_probs.extend(log_z);
            gradients.push(own);
        }
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let (pt, columns) = (sizes.preterminals, sizes.preterminals * grammars);
        let mut emitted = vec![T::ZERO; words.distinct.len() * columns];
        for (number, own) in gradients.iter().enumerate() {
            for (to, from) in emitted.chunks_exact_mut(columns).zip(own.leaves.chunks_exact(pt)) {
                to[number * pt..(number + 1) * pt].copy_from_slice(from);
            }
        }
        let layer = self.networks.layer(weights, sizes)?;
        let layer = self.emission.backward(&layer, &words.distinct, &emitted);
        let mut collected: Collected<T> = [
            ("term_mlp.3.weight".to_owned(), layer.weight),
            ("term_mlp.3.bias".to_owned(), layer.bias),
        ]
        .into();
        let scores = summed(sizes, gradients, layer.hidden);
        let latents = self.networks.backward(weights, sizes, scores, &mut collected)?;
        if compound {
            self.encoder.backward(weights, sizes, noise, &latents, &mut collected)?;
            for (b, log_prob) in log_probs.iter_mut().enumerate() {
                *log_prob -= self.encoder.divergence(b);
            }
        }
        let network_seconds = forward_seconds + backward.elapsed().as_secs_f64();
        Ok(Done { gradients: collected, log_probs, network_seconds, inference_seconds })
    }
}

/// The gradients of all grammars as the networks want them.
fn summed<T: Real>(
    sizes: &Sizes,
    gradients: Vec<RuleGradients<T>>,
    emission: Vec<T>,
) -> ScoreGradients<T> {
    let pairs = sizes.symbols() * sizes.symbols();
    let mut all =
        ScoreGradients { start: vec![], base: vec![], shift: vec![], ranks: vec![], emission };
    for own in gradients {
        all.start.extend(own.root);
        if sizes.kind == Kind::Compound {
            all.shift.extend(softmax::column_sums(&own.pairs, pairs));
        }
        all.ranks = own.u;
        if all.base.is_empty() {
            all.base = own.pairs;
        } else {
            all.base.iter_mut().zip(own.pairs).for_each(|(x, g)| *x += g);
        }
    }
    all
}

/// log Z of the sentences of one grammar and the gradient of `weight` times their sum with respect
/// to all log-probabilities. `emitted` are log-probabilities, (words, PT).
fn infer<N: Real>(
    grammar: &Grammar<N>,
    emitted: &[N],
    batch: &Batch,
    leaves: &[usize],
    weight: f64,
    chart: &mut Chart<N>,
) -> Result<(Vec<f64>, RuleGradients<N>), OutOfRange> {
    let mut emitted = emitted.to_vec();
    let scales = softmax::scale_rows(&mut emitted, grammar.pairs.preterminals());
    let rules = grammar.rules(&emitted, &scales);
    chart.inside(&rules, batch, leaves)?;
    chart.outside(&rules, true);
    let mut gradients = RuleGradients::default();
    chart.gradients(&rules, weight, &mut gradients)?;
    Ok((chart.log_z().to_vec(), gradients))
}

/// The same in double precision, where `T` is too narrow.
fn infer_widely<T: Real>(
    grammar: &Grammar<f64>,
    emitted: &[T],
    batch: &Batch,
    leaves: &[usize],
    weight: f64,
) -> Result<(Vec<f64>, RuleGradients<T>), OutOfRange> {
    let chart = &mut Chart::default();
    let (log_z, found) = infer(grammar, &wide(emitted), batch, leaves, weight, chart)?;
    let narrow = |x: Vec<f64>| x.into_iter().map(T::from_f64).collect();
    let gradients = RuleGradients {
        pairs: narrow(found.pairs),
        u: narrow(found.u),
        root: narrow(found.root),
        leaves: narrow(found.leaves),
    };
    Ok((log_z, gradients))
}
