//! One training step: forward, chart, backward.
//!
//! Forward: networks up to their last hidden layer, then the wide matrices
//! U = softmax_r(f1 u_H), [V|W] = softmax_symbols([f2|f3] u_H), the leaves of the batch's distinct
//! words and, where the order of elimination asks for them, H and I. Backward is the mirror image,
//! by hand: one copy of each wide matrix and its gradient, activations written once, and nothing
//! but matrix products over the large ones.

use super::Sizes;
use super::grammar::Grammar;
use super::networks::{HiddenGradients, HiddenSlices, Networks};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::rank_pcfg::{Chart, OutOfRange, RuleGradients, Rules, Training};
use crate::model::done::Done;
use crate::model::element::Element;
use crate::model::emission::Emission;
use crate::model::layers::{Collected, Weights};
use crate::model::words::Words;
use crate::model::{Eliminating, ModelError, softmax};
use crate::treebank::Batch;
use std::time::Instant;

/// Buffers of a step, kept between batches.
pub(super) struct Pass<T> {
    eliminating: Eliminating,
    networks: Networks<T>,
    grammar: Grammar<T>,
    emission: Emission<T>,
    chart: Chart<T>,
    wide_gradient: Vec<T>,
    parent_gradient: Vec<T>,
    rule_gradients: RuleGradients<T>,
}

impl<T: Element> Pass<T> {
    pub fn new(eliminating: Eliminating) -> Self {
        Pass {
            eliminating,
            networks: Networks::default(),
            grammar: Grammar::default(),
            emission: Emission::default(),
            chart: Chart::default(),
            wide_gradient: Vec::new(),
            parent_gradient: Vec::new(),
            rule_gradients: RuleGradients::default(),
        }
    }

    /// Log-probabilities and gradients of a batch; every sentence has at least two words.
    pub fn step(
        &mut self,
        sizes: &Sizes,
        floor: f64,
        weights: &Weights<'_>,
        batch: &Batch,
        words: &Words,
    ) -> Result<Done<T>, ModelError> {
        let started = Instant::now();
        self.networks.forward(weights, sizes)?;
        let read = HiddenSlices::new(&self.networks, weights, sizes)?;
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        let plan =
            Training { nonterminals: sizes.nonterminals, rank: sizes.rank, lengths: &lengths };
        let order = self.eliminating.order(&plan);
        self.grammar.compute(sizes, &read, order);
        self.emission.forward(&read.layer, true);
        let mut emitted =
            read.layer.log_probabilities(&words.distinct, &self.emission.log_normalisers);
        let scales = softmax::scale_rows(&mut emitted, sizes.preterminals);
        let leaves = self.grammar.leaves(sizes, &emitted);
        let forward_seconds = started.elapsed().as_secs_f64();

        let inference = Instant::now();
        let rules = self.grammar.rules(&leaves, &scales, floor);
        let log_probs = infer(&rules, batch, words, &mut self.chart, &mut self.rule_gradients)?;
        let inference_seconds = inference.elapsed().as_secs_f64();

        let backward = Instant::now();
        let gradients = self.backward(sizes, floor, weights, words, &emitted)?;
        let network_seconds = forward_seconds + backward.elapsed().as_secs_f64();
        Ok(Done { gradients, log_probs, network_seconds, inference_seconds })
    }

    /// From the gradients of the rules to those of all parameters.
    fn backward(
        &mut self,
        sizes: &Sizes,
        floor: f64,
        weights: &Weights<'_>,
        words: &Words,
        emitted: &[T],
    ) -> Result<Collected<T>, ModelError> {
        let Sizes { nonterminals: nt, rank: r, embedding: d, .. } = *sizes;
        let symbols = sizes.symbols();
        let read = HiddenSlices::new(&self.networks, weights, sizes)?;
        let lower = nt * 2 * r;
        self.wide_gradient.resize(symbols * 2 * r, T::ZERO);
        let (upper_gradient, lower_gradient) = self.wide_gradient.split_at_mut(lower);
        let emitted_gradient = leaves_backward(
            sizes,
            floor,
            &self.grammar.vw[lower..],
            emitted,
            &self.rule_gradients,
            lower_gradient,
        );
        self.parent_gradient.resize(nt * r, T::ZERO);
        let mut start_gradient = vec![T::ZERO; nt];
        rules_backward(
            sizes,
            &self.grammar,
            &self.rule_gradients,
            (&mut self.parent_gradient, upper_gradient, &mut start_gradient),
        );
        // Through the softmaxes.
        softmax::rows_backward(&self.grammar.u, &mut self.parent_gradient, r);
        softmax::columns_backward(&self.grammar.vw, &mut self.wide_gradient, 2 * r);
        softmax::rows_backward(&self.grammar.start, &mut start_gradient, nt);
        let mut collected = Collected::new();
        let wide = Matrix::new(&self.wide_gradient, symbols, 2 * r);
        let scores =
            [Matrix::new(&self.parent_gradient, nt, r), wide.columns(0..r), wide.columns(r..2 * r)];
        let hidden = [read.parent, read.left, read.right];
        let [parent, left, right] = read.projections.backward(hidden, d, scores, &mut collected);
        let layer = self.emission.backward(&read.layer, &words.distinct, &emitted_gradient);

        let hidden =
            HiddenGradients { parent, left, right, start: start_gradient, emission: layer.hidden };
        collected.insert("term_mlp.3.weight".into(), layer.weight);
        collected.insert("term_mlp.3.bias".into(), layer.bias);
        self.networks.backward(weights, sizes, hidden, &mut collected)?;
        Ok(collected)
    }
}

/// Leaves: (words, 2r) = emitted (words, PT) [V_T|W_T]. Fills the gradient of `[V_T|W_T]`, and
/// returns that of the words' log-probabilities, (words, PT).
fn leaves_backward<T: Real>(
    sizes: &Sizes,
    floor: f64,
    lower: &[T],
    emitted: &[T],
    g: &RuleGradients<T>,
    lower_gradient: &mut [T],
) -> Vec<T> {
    let (pt, r) = (sizes.preterminals, sizes.rank);
    let count = emitted.len() / pt;
    multiply(
        MatrixMut::new(lower_gradient, pt, 2 * r),
        Into::Replace,
        T::ONE,
        Matrix::new(emitted, count, pt).t(),
        Matrix::new(&g.leaves, count, 2 * r),
    );
    let mut emitted_gradient = vec![T::ZERO; count * pt];
    multiply(
        MatrixMut::new(&mut emitted_gradient, count, pt),
        Into::Replace,
        T::ONE,
        Matrix::new(&g.leaves, count, 2 * r),
        Matrix::new(lower, pt, 2 * r).t(),
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
        if floor > 0.0 {
            gradient[top] += T::from_f64(g.leaf_scales[w] - sum);
        }
    }
    emitted_gradient
}

/// Gradients of U, `[V_N|W_N]` and s from those of the rules.
fn rules_backward<T: Element>(
    sizes: &Sizes,
    grammar: &Grammar<T>,
    g: &RuleGradients<T>,
    (u_gradient, vw_gradient, start_gradient): (&mut [T], &mut [T], &mut [T]),
) {
    let Sizes { nonterminals: nt, rank: r, .. } = *sizes;
    let u = Matrix::new(&grammar.u, nt, r);
    if g.children.is_empty() {
        u_gradient.copy_from_slice(&g.u);
        vw_gradient.copy_from_slice(&g.vw);
    } else {
        // Children: (r, 2r) = U^T [V_N|W_N].
        let children = Matrix::new(&g.children, r, 2 * r);
        multiply(
            MatrixMut::new(&mut *u_gradient, nt, r),
            Into::Replace,
            T::ONE,
            Matrix::new(grammar.upper(), nt, 2 * r),
            children.t(),
        );
        let to = MatrixMut::new(vw_gradient, nt, 2 * r);
        multiply(to, Into::Replace, T::ONE, u, children);
    }
    // Root: (r) = U^T s.
    multiply(
        MatrixMut::new(u_gradient, nt, r),
        Into::Add,
        T::ONE,
        Matrix::new(&grammar.start, nt, 1),
        Matrix::new(&g.root, 1, r),
    );
    let to = MatrixMut::new(start_gradient, nt, 1);
    multiply(to, Into::Replace, T::ONE, u, Matrix::new(&g.root, r, 1));
}

/// Inside, outside and gradients of -mean log Z; in double precision where `T` is too narrow.
pub(super) fn infer<T: Real>(
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
    let (mut buffers, root, leaves) = (Default::default(), wide(rules.root), wide(rules.leaves));
    let rules = Rules {
        rank: rules.rank,
        children: rules.children.widened(&mut buffers),
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
        u: narrow(&wide_gradients.u),
        vw: narrow(&wide_gradients.vw),
        root: narrow(&wide_gradients.root),
        leaves: narrow(&wide_gradients.leaves),
        leaf_scales: wide_gradients.leaf_scales,
    };
    Ok(log_z)
}

pub(super) fn run<T: Real>(
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
