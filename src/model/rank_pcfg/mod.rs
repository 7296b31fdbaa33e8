//! The rank-space PCFG: U, V, W, E and s from small networks, trained by exact gradients.
//!
//! Forward: networks up to their last hidden layer, then the wide matrices
//! U = softmax_r(f1 u_H), [V|W] = softmax_symbols([f2|f3] u_H), the leaves of the batch's distinct
//! words and H, I, L. Backward is the mirror image, by hand: one copy of each wide matrix and its
//! gradient, activations written once, and nothing but matrix products over the large ones.
//! Parameters and gradients are tensors, so that optimisers and checkpoints know one type.

mod grammar;
mod networks;
mod parser;
#[cfg(test)]
mod tests;

use self::grammar::Grammar;
use self::networks::{HiddenGradients, Networks};
use self::parser::RankPcfgParser;
use super::element::Element;
use super::emission::{Emission, Layer};
use super::layers::{Collected, Weights};
use super::{Gradients, Model, ModelError, Parameters, Parser, StepOutput, softmax};
use crate::config::{self, Compat};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::rank_pcfg::{Chart, OutOfRange, RuleGradients, Rules};
use crate::treebank::Batch;
use candle_core::{Device, Tensor, Var};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

/// The published code adds this inside every logarithm.
const PUBLISHED_FLOOR: f64 = 1e-9;

/// Numbers of symbols and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub nonterminals: usize,
    pub preterminals: usize,
    pub rank: usize,
    pub embedding: usize,
    pub vocabulary: usize,
}

impl Sizes {
    fn of(config: &config::Model, vocabulary: usize) -> Sizes {
        Sizes {
            nonterminals: config.nonterminals,
            preterminals: config.preterminals,
            rank: config.rank,
            embedding: config.embedding,
            vocabulary,
        }
    }

    fn symbols(&self) -> usize {
        self.nonterminals + self.preterminals
    }
}

pub(super) fn parameter_count(config: &config::Model, vocabulary: usize) -> u128 {
    let shapes = networks::shapes(&Sizes::of(config, vocabulary)).into_iter();
    shapes.map(|(_, shape)| shape.iter().map(|&n| n as u128).product::<u128>()).sum()
}

/// Trainable rank-space PCFG in the precision `T`.
pub(super) struct RankPcfg<T> {
    sizes: Sizes,
    parameters: Parameters,
    floor: f64,
    device: Device,
    /// Buffers, kept between batches.
    networks: Networks<T>,
    grammar: Grammar<T>,
    emission: Emission<T>,
    chart: Chart<T>,
    wide_gradient: Vec<T>,
    parent_gradient: Vec<T>,
    rule_gradients: RuleGradients<T>,
}

impl<T: Element> RankPcfg<T> {
    /// A random start by seed.
    pub fn new(config: &config::Config, vocabulary: usize) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        let parameters = networks::initial(&sizes, config.seed, T::DTYPE, &Device::Cpu)?;
        Ok(Self::with(&config.model, sizes, parameters))
    }

    /// From stored tensors; names and shapes are checked.
    pub fn restore(
        config: &config::Config,
        vocabulary: usize,
        mut tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        let mut parameters = Parameters::new();
        for (name, shape) in networks::shapes(&sizes) {
            let wrong = |reason: String| ModelError::Shape { name: name.clone(), reason };
            let tensor = tensors.remove(&name).ok_or_else(|| wrong("is missing".into()))?;
            if tensor.dims() != shape.as_slice() {
                return Err(wrong(format!("expected {shape:?}, found {:?}", tensor.dims())));
            }
            // The published files keep the two input layers as separate storages; a copy is ours.
            let tensor = tensor.to_dtype(T::DTYPE)?.contiguous()?;
            parameters.insert(name, Var::from_tensor(&tensor)?);
        }
        if let Some(name) = tensors.into_keys().next() {
            let reason = "does not belong to this family".into();
            return Err(ModelError::Shape { name, reason });
        }
        Ok(Self::with(&config.model, sizes, parameters))
    }

    fn with(config: &config::Model, sizes: Sizes, parameters: Parameters) -> Self {
        RankPcfg {
            sizes,
            parameters,
            floor: match config.compat {
                Compat::None => 0.0,
                Compat::Published => PUBLISHED_FLOOR,
            },
            device: Device::Cpu,
            networks: Networks::default(),
            grammar: Grammar::default(),
            emission: Emission::default(),
            chart: Chart::default(),
            wide_gradient: Vec::new(),
            parent_gradient: Vec::new(),
            rule_gradients: RuleGradients::default(),
        }
    }
}

/// Inside, outside and gradients of -mean log Z; in double precision where `T` is too narrow.
fn infer<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    chart: &mut Chart<T>,
    gradients: &mut RuleGradients<T>,
) -> Result<Vec<f64>, ModelError> {
    if let Ok(log_z) = run(rules, batch, words, chart, gradients) {
        return Ok(log_z);
    }
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (children, root, leaves) = (wide(rules.children), wide(rules.root), wide(rules.leaves));
    let rules = Rules {
        rank: rules.rank,
        children: &children,
        root: &root,
        leaves: &leaves,
        leaf_scales: rules.leaf_scales,
        floor: rules.floor,
    };
    let mut wide_gradients = RuleGradients::default();
    let log_z =
        run(&rules, batch, words, &mut Chart::default(), &mut wide_gradients).map_err(|e| {
            ModelError::Sentence {
                sentence: e.sentence,
                reason: "its probability is zero or not a number with these weights".into(),
            }
        })?;
    let narrow = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    *gradients = RuleGradients {
        children: narrow(&wide_gradients.children),
        root: narrow(&wide_gradients.root),
        leaves: narrow(&wide_gradients.leaves),
        leaf_scales: wide_gradients.leaf_scales,
    };
    Ok(log_z)
}

fn run<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    chart: &mut Chart<T>,
    gradients: &mut RuleGradients<T>,
) -> Result<Vec<f64>, OutOfRange> {
    chart.inside(rules, batch, &words.of_token)?;
    chart.outside(rules, false);
    chart.gradients(rules, -1.0 / batch.len() as f64, gradients)?;
    Ok(chart.log_z().to_vec())
}

/// The distinct words of a batch.
pub(super) struct Words {
    pub distinct: Vec<u32>,
    /// For every token the number of its word in `distinct`.
    pub of_token: Vec<usize>,
}

impl Words {
    pub fn of(batch: &Batch) -> Words {
        let mut distinct = batch.words().to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let number = |w| distinct.binary_search(w).expect("every word is among the distinct ones");
        let of_token = batch.words().iter().map(number).collect();
        Words { distinct, of_token }
    }

    fn check(&self, vocabulary: usize) -> Result<(), ModelError> {
        match self.distinct.last() {
            Some(&w) if w as usize >= vocabulary => Err(ModelError::Unsupported(format!(
                "word id {w} is outside a vocabulary of {vocabulary}"
            ))),
            _ => Ok(()),
        }
    }
}

impl<T: Element> Model for RankPcfg<T> {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn min_length(&self) -> usize {
        2
    }

    fn step(&mut self, batch: &Batch) -> Result<StepOutput, ModelError> {
        if let Some(b) = (0..batch.len()).find(|&b| batch.length(b) < 2) {
            return Err(ModelError::Sentence {
                sentence: b,
                reason: "one word has no derivation".into(),
            });
        }
        let started = Instant::now();
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        let Sizes { nonterminals: nt, preterminals: pt, rank: r, embedding: d, .. } = self.sizes;
        let symbols = self.sizes.symbols();

        let weights = Weights::new(&self.parameters)?;
        self.networks.forward(&weights, &self.sizes)?;
        let read = HiddenSlices::new(&self.networks, &weights, &self.sizes)?;
        self.grammar.compute(&self.sizes, &read);
        self.emission.forward(&read.layer, true);
        let mut emitted =
            read.layer.log_probabilities(&words.distinct, &self.emission.log_normalisers);
        let scales = softmax::scale_rows(&mut emitted, pt);
        let leaves = self.grammar.leaves(&self.sizes, &emitted);
        let network_forward = started.elapsed().as_secs_f64();

        let inference = Instant::now();
        let rules = self.grammar.rules(&leaves, &scales, self.floor);
        let log_probs = infer(&rules, batch, &words, &mut self.chart, &mut self.rule_gradients)?;
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let g = &self.rule_gradients;
        let (u, vw) = (&self.grammar.u, &self.grammar.vw);
        let count = words.distinct.len();
        // Leaves: (words, 2r) = emitted (words, PT) [V_T|W_T].
        let lower = nt * 2 * r;
        self.wide_gradient.resize(symbols * 2 * r, T::ZERO);
        let (upper_gradient, lower_gradient) = self.wide_gradient.split_at_mut(lower);
        multiply(
            MatrixMut::new(lower_gradient, pt, 2 * r),
            Into::Replace,
            T::ONE,
            Matrix::new(&emitted, count, pt).t(),
            Matrix::new(&g.leaves, count, 2 * r),
        );
        let mut emitted_gradient = vec![T::ZERO; count * pt];
        multiply(
            MatrixMut::new(&mut emitted_gradient, count, pt),
            Into::Replace,
            T::ONE,
            Matrix::new(&g.leaves, count, 2 * r),
            Matrix::new(&vw[lower..], pt, 2 * r).t(),
        );
        for (w, (gradient, own)) in
            emitted_gradient.chunks_exact_mut(pt).zip(emitted.chunks_exact(pt)).enumerate()
        {
            // d / d log p = p d / dp; the scale was the row's maximum.
            let (mut sum, mut top) = (0.0, 0);
            for (i, (g, &e)) in gradient.iter_mut().zip(own).enumerate() {
                *g *= e;
                sum += g.to_f64();
                if e > own[top] {
                    top = i;
                }
            }
            if self.floor > 0.0 {
                gradient[top] += T::from_f64(g.leaf_scales[w] - sum);
            }
        }
        // Children: (r, 2r) = U^T [V_N|W_N]; root: (r) = U^T s.
        self.parent_gradient.resize(nt * r, T::ZERO);
        multiply(
            MatrixMut::new(&mut self.parent_gradient, nt, r),
            Into::Replace,
            T::ONE,
            Matrix::new(&vw[..lower], nt, 2 * r),
            Matrix::new(&g.children, r, 2 * r).t(),
        );
        multiply(
            MatrixMut::new(&mut self.parent_gradient, nt, r),
            Into::Add,
            T::ONE,
            Matrix::new(&self.grammar.start, nt, 1),
            Matrix::new(&g.root, 1, r),
        );
        multiply(
            MatrixMut::new(upper_gradient, nt, 2 * r),
            Into::Replace,
            T::ONE,
            Matrix::new(u, nt, r),
            Matrix::new(&g.children, r, 2 * r),
        );
        let mut start_gradient = vec![T::ZERO; nt];
        multiply(
            MatrixMut::new(&mut start_gradient, nt, 1),
            Into::Replace,
            T::ONE,
            Matrix::new(u, nt, r),
            Matrix::new(&g.root, r, 1),
        );
        // Through the softmaxes.
        softmax::rows_backward(u, &mut self.parent_gradient, r);
        softmax::columns_backward(vw, &mut self.wide_gradient, 2 * r);
        softmax::rows_backward(&self.grammar.start, &mut start_gradient, nt);
        // Through the shared projection u_H: (d, r).
        let projection = Matrix::new(read.projection, d, r);
        let mut projection_gradient = vec![T::ZERO; d * r];
        let wide = Matrix::new(&self.wide_gradient, symbols, 2 * r);
        let mut through = |rows: usize, own: &[T], gradient: Matrix<'_, T>, mode: Into| {
            let mut out = vec![T::ZERO; rows * d];
            let to = MatrixMut::new(&mut out, rows, d);
            multiply(to, Into::Replace, T::ONE, gradient, projection.t());
            multiply(
                MatrixMut::new(&mut projection_gradient, d, r),
                mode,
                T::ONE,
                Matrix::new(own, rows, d).t(),
                gradient,
            );
            out
        };
        let parents = Matrix::new(&self.parent_gradient, nt, r);
        let parent = through(nt, read.parent, parents, Into::Replace);
        let left = through(symbols, read.left, wide.columns(0..r), Into::Add);
        let right = through(symbols, read.right, wide.columns(r..2 * r), Into::Add);
        let layer = self.emission.backward(&read.layer, &words.distinct, &emitted_gradient);

        let hidden =
            HiddenGradients { parent, left, right, start: start_gradient, emission: layer.hidden };
        let mut collected: Collected<T> = [
            ("rank_proj".to_owned(), projection_gradient),
            ("term_mlp.3.weight".to_owned(), layer.weight),
            ("term_mlp.3.bias".to_owned(), layer.bias),
        ]
        .into();
        self.networks.backward(&weights, &self.sizes, hidden, &mut collected)?;
        let mut gradients = Gradients::new();
        for (name, gradient) in collected {
            let shape = self.parameters[&name].shape().clone();
            gradients.insert(name, T::tensor(gradient, shape, &self.device)?);
        }
        let network_seconds = network_forward + backward.elapsed().as_secs_f64();
        let loss = -log_probs.iter().sum::<f64>() / batch.len() as f64;
        Ok(StepOutput { loss, log_probs, gradients, network_seconds, inference_seconds })
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(RankPcfgParser::<T>::new(&self.sizes, &self.parameters, self.floor)?))
    }
}

/// The hidden layers and the two wide parameters, row-major.
struct HiddenSlices<'a, T> {
    pub parent: &'a [T],
    pub left: &'a [T],
    pub right: &'a [T],
    pub start: &'a [T],
    pub projection: &'a [T],
    pub layer: Layer<'a, T>,
}

impl<'a, T: Element> HiddenSlices<'a, T> {
    fn new(
        networks: &'a Networks<T>,
        weights: &'a Weights<'_>,
        sizes: &Sizes,
    ) -> Result<Self, ModelError> {
        Ok(HiddenSlices {
            parent: &networks.parent,
            left: &networks.left,
            right: &networks.right,
            start: &networks.start,
            projection: weights.get("rank_proj")?,
            layer: Layer {
                hidden: networks.emission(),
                weight: weights.get("term_mlp.3.weight")?,
                bias: weights.get("term_mlp.3.bias")?,
                embedding: sizes.embedding,
            },
        })
    }
}
