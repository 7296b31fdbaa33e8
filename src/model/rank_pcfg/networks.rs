//! The small networks (appendix A of Yang, Liu & Tu 2022) up to the last hidden layer; parameter
//! names are the published checkpoints'.

use super::Sizes;
use crate::inference::matrix::Into;
use crate::model::element::Element;
use crate::model::emission::Layer;
use crate::model::layers::{
    Collected, Naming, Residual, Weights, linear, linear_backward, linear_relu,
    linear_relu_backward,
};
use crate::model::start::{self, Draw, Shapes};
use crate::model::{ModelError, Parameters};
use candle_core::DType;

/// Hidden layers that the grammar is computed from; buffers are kept between batches.
#[derive(Debug, Default)]
pub(super) struct Networks<T> {
    /// f1(w) of the nonterminals: (NT, d).
    pub parent: Vec<T>,
    /// f2(w), f3(w) of all symbols: (NT + PT, d).
    pub left: Vec<T>,
    pub right: Vec<T>,
    /// Scores of the start symbol: (NT).
    pub start: Vec<T>,
    root: Residual<T>,
    emission: Residual<T>,
}

/// The hidden layers and the two wide parameters, row-major.
pub(super) struct HiddenSlices<'a, T> {
    pub parent: &'a [T],
    pub left: &'a [T],
    pub right: &'a [T],
    pub start: &'a [T],
    pub projection: &'a [T],
    pub layer: Layer<'a, T>,
}

impl<'a, T: Element> HiddenSlices<'a, T> {
    pub fn new(
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

/// Gradients of the hidden layers, shaped like them; used up by the backward pass.
pub(super) struct HiddenGradients<T> {
    pub parent: Vec<T>,
    pub left: Vec<T>,
    pub right: Vec<T>,
    pub start: Vec<T>,
    pub emission: Vec<T>,
}

impl<T: Element> Networks<T> {
    /// h2(w) before its last layer, of the preterminals: (PT, d).
    pub fn emission(&self) -> &[T] {
        self.emission.output()
    }

    pub fn forward(&mut self, weights: &Weights<'_>, sizes: &Sizes) -> Result<(), ModelError> {
        let symbols: &[T] = weights.get("rule_state_emb")?;
        let (upper, lower) = symbols.split_at(sizes.nonterminals * sizes.embedding);
        linear_relu(weights, "parent_mlp.0", upper, &mut self.parent)?;
        linear_relu(weights, "left_mlp.0", symbols, &mut self.left)?;
        linear_relu(weights, "right_mlp.0", symbols, &mut self.right)?;
        self.root.forward(weights, "root_mlp", weights.get("root_emb")?)?;
        linear(weights, "root_mlp.3", self.root.output(), &mut self.start)?;
        self.emission.forward(weights, "term_mlp", lower)
    }

    /// Gradients of all parameters of the networks, the last emission layer left out.
    pub fn backward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        mut hidden: HiddenGradients<T>,
        to: &mut Collected<T>,
    ) -> Result<(), ModelError> {
        let symbols: &[T] = weights.get("rule_state_emb")?;
        let border = sizes.nonterminals * sizes.embedding;
        let (upper, lower) = symbols.split_at(border);
        let mut all = vec![T::ZERO; symbols.len()];
        let own = (symbols, &self.left[..]);
        let into = (&mut all[..], Into::Replace);
        linear_relu_backward(weights, "left_mlp.0", own, &mut hidden.left, into, to)?;
        let own = (symbols, &self.right[..]);
        let into = (&mut all[..], Into::Add);
        linear_relu_backward(weights, "right_mlp.0", own, &mut hidden.right, into, to)?;
        let own = (upper, &self.parent[..]);
        let into = (&mut all[..border], Into::Add);
        linear_relu_backward(weights, "parent_mlp.0", own, &mut hidden.parent, into, to)?;
        let into = (&mut all[border..], Into::Add);
        self.emission.backward(weights, "term_mlp", lower, &mut hidden.emission, into, to)?;
        to.insert("rule_state_emb".into(), all);

        let mut output = vec![T::ZERO; sizes.embedding];
        let into = (&mut output[..], Into::Replace);
        linear_backward(weights, "root_mlp.3", self.root.output(), &hidden.start, into, to)?;
        let mut root = vec![T::ZERO; sizes.embedding];
        let x = weights.get("root_emb")?;
        let into = (&mut root[..], Into::Replace);
        self.root.backward(weights, "root_mlp", x, &mut output, into, to)?;
        to.insert("root_emb".into(), root);
        Ok(())
    }
}

/// Name and shape of every parameter.
pub(super) fn shapes(sizes: &Sizes) -> Shapes {
    let (d, symbols) = (sizes.embedding, sizes.nonterminals + sizes.preterminals);
    let mut all: Shapes = vec![
        ("root_emb".into(), vec![1, d]),
        ("rule_state_emb".into(), vec![symbols, d]),
        ("rank_proj".into(), vec![d, sizes.rank]),
    ];
    let mut linear = |name: String, out: usize| {
        all.push((format!("{name}.weight"), vec![out, d]));
        all.push((format!("{name}.bias"), vec![out]));
    };
    for name in ["parent_mlp", "left_mlp", "right_mlp"] {
        linear(format!("{name}.0"), d);
    }
    for (name, out) in [("root_mlp", sizes.nonterminals), ("term_mlp", sizes.vocabulary)] {
        all.extend(Naming::Sequential.shapes(name, d, out));
    }
    all.sort();
    all
}

/// Random start: Xavier normal for matrices, embeddings included; biases uniform within
/// 1/sqrt(fan-in), as linear layers of the published code start.
pub(super) fn initial(sizes: &Sizes, seed: u64, dtype: DType) -> Result<Parameters, ModelError> {
    start::random(shapes(sizes), seed, dtype, |_, shape| match shape {
        [_, _] => Draw::Xavier,
        _ => Draw::Uniform(sizes.embedding),
    })
}
