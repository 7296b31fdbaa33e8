//! The small networks (appendix A of Yang, Liu & Tu 2022) up to the last hidden layer; parameter
//! names are the published checkpoints'.

use super::{Kind, Sizes};
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
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

/// From the hidden layers of U, V and W to their scores, (rows, r).
#[derive(Clone, Copy)]
pub(super) enum Projections<'a, T> {
    /// u_H: (d, r).
    Shared(&'a [T]),
    /// Weight (r, d) and bias (r) of parents, left and right children.
    Own([(&'a [T], &'a [T]); 3]),
}

/// Names of the three networks, as [`Projections::Own`] has them.
pub(in crate::model) const RULE_NETWORKS: [&str; 3] = ["parent_mlp", "left_mlp", "right_mlp"];

impl<T: Element> Projections<'_, T> {
    /// Scores of the network of that number from its hidden rows.
    pub fn forward(&self, network: usize, hidden: Matrix<'_, T>, d: usize, to: MatrixMut<'_, T>) {
        match self {
            Projections::Shared(all) => {
                let all = Matrix::new(all, d, all.len() / d);
                multiply(to, Into::Replace, T::ONE, hidden, all);
            }
            Projections::Own(all) => {
                let (weight, bias) = all[network];
                let mut to = to;
                to.fill_rows(bias);
                let weight = Matrix::new(weight, bias.len(), d);
                multiply(to, Into::Add, T::ONE, hidden, weight.t());
            }
        }
    }

    /// From the gradients of all scores (those of V and W beside each other) to those of the
    /// hidden rows, which are returned; parameters go to `to`.
    pub fn backward(
        &self,
        hidden: [&[T]; 3],
        d: usize,
        scores: [Matrix<'_, T>; 3],
        to: &mut Collected<T>,
    ) -> [Vec<T>; 3] {
        let mut shared = Vec::new();
        let mut through = |network: usize| {
            let (hidden, scores) = (hidden[network], scores[network]);
            let rows = hidden.len() / d;
            let hidden = Matrix::new(hidden, rows, d);
            let mut out = vec![T::ZERO; rows * d];
            let own = MatrixMut::new(&mut out, rows, d);
            match self {
                Projections::Shared(all) => {
                    let r = all.len() / d;
                    multiply(own, Into::Replace, T::ONE, scores, Matrix::new(all, d, r).t());
                    let mode = if shared.is_empty() { Into::Replace } else { Into::Add };
                    shared.resize(d * r, T::ZERO);
                    let gradient = MatrixMut::new(&mut shared, d, r);
                    multiply(gradient, mode, T::ONE, hidden.t(), scores);
                }
                Projections::Own(all) => {
                    let (weight, bias) = all[network];
                    let r = bias.len();
                    multiply(own, Into::Replace, T::ONE, scores, Matrix::new(weight, r, d));
                    let mut gradient = vec![T::ZERO; r * d];
                    let into = MatrixMut::new(&mut gradient, r, d);
                    multiply(into, Into::Replace, T::ONE, scores.t(), hidden);
                    // The softmax over symbols leaves out what all symbols have in common, so the
                    // gradient of these biases is zero: sums would only show their rounding.
                    let mut sums = vec![T::ZERO; r];
                    if network == 0 {
                        let ones = vec![T::ONE; rows];
                        let into = MatrixMut::new(&mut sums, 1, r);
                        multiply(into, Into::Replace, T::ONE, Matrix::new(&ones, 1, rows), scores);
                    }
                    let name = RULE_NETWORKS[network];
                    to.insert(format!("{name}.2.weight"), gradient);
                    to.insert(format!("{name}.2.bias"), sums);
                }
            }
            out
        };
        let out = [0, 1, 2].map(&mut through);
        if let Projections::Shared(_) = self {
            to.insert("rank_proj".into(), shared);
        }
        out
    }
}

/// The hidden layers and the wide parameters, row-major.
pub(super) struct HiddenSlices<'a, T> {
    pub parent: &'a [T],
    pub left: &'a [T],
    pub right: &'a [T],
    pub start: &'a [T],
    pub projections: Projections<'a, T>,
    pub layer: Layer<'a, T>,
}

impl<'a, T: Element> HiddenSlices<'a, T> {
    pub fn new(
        networks: &'a Networks<T>,
        weights: &'a Weights<'_>,
        sizes: &Sizes,
    ) -> Result<Self, ModelError> {
        let projections = match sizes.kind {
            Kind::Rank => Projections::Shared(weights.get("rank_proj")?),
            Kind::State => {
                let mut own = [(&[][..], &[][..]); 3];
                for (own, name) in own.iter_mut().zip(RULE_NETWORKS) {
                    let get = |part: &str| weights.get(&format!("{name}.2.{part}"));
                    *own = (get("weight")?, get("bias")?);
                }
                Projections::Own(own)
            }
        };
        Ok(HiddenSlices {
            parent: &networks.parent,
            left: &networks.left,
            right: &networks.right,
            start: &networks.start,
            projections,
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
        let terms = match sizes.kind {
            Kind::Rank => lower,
            Kind::State => weights.get("term_emb")?,
        };
        self.emission.forward(weights, "term_mlp", terms)
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
        match sizes.kind {
            Kind::Rank => {
                let into = (&mut all[border..], Into::Add);
                let own = &mut hidden.emission;
                self.emission.backward(weights, "term_mlp", lower, own, into, to)?;
            }
            Kind::State => {
                let terms: &[T] = weights.get("term_emb")?;
                let mut gradient = vec![T::ZERO; terms.len()];
                let into = (&mut gradient[..], Into::Replace);
                let own = &mut hidden.emission;
                self.emission.backward(weights, "term_mlp", terms, own, into, to)?;
                to.insert("term_emb".into(), gradient);
            }
        }
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
    let mut all: Shapes =
        vec![("root_emb".into(), vec![1, d]), ("rule_state_emb".into(), vec![symbols, d])];
    match sizes.kind {
        Kind::Rank => all.push(("rank_proj".into(), vec![d, sizes.rank])),
        Kind::State => all.push(("term_emb".into(), vec![sizes.preterminals, d])),
    }
    let mut linear = |name: String, out: usize| {
        all.push((format!("{name}.weight"), vec![out, d]));
        all.push((format!("{name}.bias"), vec![out]));
    };
    for name in RULE_NETWORKS {
        linear(format!("{name}.0"), d);
        if sizes.kind == Kind::State {
            linear(format!("{name}.2"), sizes.rank);
        }
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
