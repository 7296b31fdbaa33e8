//! Networks of the families with a rule tensor; parameter names are the published checkpoints'.
//!
//! Start symbol and emissions as in rank space (appendix A of Yang, Liu & Tu 2022), the rules by
//! one linear layer from each left-hand side to all pairs of children (Kim, Dyer & Rush 2019). In
//! a compound PCFG a latent vector z stands behind every input, so each sentence has a grammar of
//! its own. Through a linear layer that is W_e e + W_z z + b: the first part is computed once for
//! all sentences, the second once for all symbols.

use super::{Kind, Sizes};
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::model::element::Element;
use crate::model::emission::Layer;
use crate::model::layers::{Collected, Naming, Residual, Weights, linear, linear_backward};
use crate::model::start::{self, Draw, Shapes};
use crate::model::{ModelError, Parameters, lstm, softmax};
use candle_core::DType;

/// Layers that the grammars are computed from; buffers are kept between batches.
#[derive(Debug, Default)]
pub(super) struct Networks<T> {
    /// Number of grammars: one, or one for each latent vector.
    grammars: usize,
    /// z of every grammar: (grammars, z).
    latents: Vec<T>,
    /// Inputs of the residual networks: (grammars, d + z) and (grammars * PT, d + z).
    root_input: Vec<T>,
    term_input: Vec<T>,
    root: Residual<T>,
    emission: Residual<T>,
    /// Scores of the start symbol: (grammars, NT).
    pub start: Vec<T>,
    /// Scores of the pairs that all grammars share: (rule rows, pairs).
    base: Vec<T>,
    /// What z adds to them: (grammars, pairs).
    shift: Vec<T>,
    /// Scores of the ranks: (NT, r), of a matricised tensor only.
    pub ranks: Vec<T>,
}

/// Gradients with respect to the scores.
pub(super) struct ScoreGradients<T> {
    /// (grammars, NT)
    pub start: Vec<T>,
    /// Summed over the grammars: (rule rows, pairs).
    pub base: Vec<T>,
    /// Of every grammar, summed over the rows: (grammars, pairs); empty without z.
    pub shift: Vec<T>,
    /// (NT, r), or empty.
    pub ranks: Vec<T>,
    /// Of the emission network's output: (grammars * PT, d).
    pub emission: Vec<T>,
}

impl<T: Element> Networks<T> {
    /// `latents`: (grammars, z); without z there is one grammar.
    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        latents: Vec<T>,
    ) -> Result<(), ModelError> {
        let (d, z) = (sizes.embedding, sizes.latent);
        self.grammars = latents.len().checked_div(z).unwrap_or(1);
        self.latents = latents;
        let all = |embeddings: &[T]| beside(embeddings, d, &self.latents, self.grammars);
        self.root_input = all(weights.get("root_emb")?);
        self.term_input = all(weights.get("term_emb")?);
        self.root.forward(weights, "root_mlp", &self.root_input)?;
        linear(weights, "root_mlp.3", self.root.output(), &mut self.start)?;
        self.emission.forward(weights, "term_mlp", &self.term_input)?;

        let rows: &[T] = weights.get(sizes.kind.rule_input())?;
        let (weight, bias): (&[T], &[T]) =
            (weights.get("rule_mlp.weight")?, weights.get("rule_mlp.bias")?);
        let (count, pairs) = (rows.len() / d, bias.len());
        let weight = Matrix::new(weight, pairs, d + z);
        self.base.resize(count * pairs, T::ZERO);
        multiply(
            MatrixMut::new(&mut self.base, count, pairs),
            Into::Replace,
            T::ONE,
            Matrix::new(rows, count, d),
            weight.columns(0..d).t(),
        );
        for row in self.base.chunks_exact_mut(pairs) {
            row.iter_mut().zip(bias).for_each(|(x, &b)| *x += b);
        }
        if z > 0 {
            self.shift.resize(self.grammars * pairs, T::ZERO);
            multiply(
                MatrixMut::new(&mut self.shift, self.grammars, pairs),
                Into::Replace,
                T::ONE,
                Matrix::new(&self.latents, self.grammars, z),
                weight.columns(d..d + z).t(),
            );
        }
        if sizes.kind == Kind::LowRank {
            let (nt, r) = (sizes.nonterminals, sizes.rank);
            self.ranks.resize(nt * r, T::ZERO);
            multiply(
                MatrixMut::new(&mut self.ranks, nt, r),
                Into::Replace,
                T::ONE,
                Matrix::new(weights.get("nonterm_emb")?, nt, d),
                Matrix::new(weights.get("rank_proj")?, d, r),
            );
        }
        Ok(())
    }

    pub fn grammars(&self) -> usize {
        self.grammars
    }

    /// Scores of all pairs of one grammar: (rule rows, pairs).
    pub fn pairs(&self, grammar: usize) -> Vec<T> {
        let mut scores = self.base.clone();
        if !self.latents.is_empty() {
            let pairs = self.shift.len() / self.grammars;
            let shift = &self.shift[grammar * pairs..(grammar + 1) * pairs];
            for row in scores.chunks_exact_mut(pairs) {
                row.iter_mut().zip(shift).for_each(|(x, &s)| *x += s);
            }
        }
        scores
    }

    /// Hidden layer and last layer of the emissions; states are the preterminals of the first
    /// grammar, then those of the second, and so on.
    pub fn layer<'a>(
        &'a self,
        weights: &'a Weights<'_>,
        sizes: &Sizes,
    ) -> Result<Layer<'a, T>, ModelError> {
        Ok(Layer {
            hidden: self.emission.output(),
            weight: weights.get("term_mlp.3.weight")?,
            bias: weights.get("term_mlp.3.bias")?,
            embedding: sizes.embedding,
        })
    }

    /// Gradients of all parameters of the networks, the last emission layer left out; returns
    /// those of the latent vectors, (grammars, z).
    pub fn backward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        mut scores: ScoreGradients<T>,
        to: &mut Collected<T>,
    ) -> Result<Vec<T>, ModelError> {
        let (d, z, grammars) = (sizes.embedding, sizes.latent, self.grammars);
        let mut latents = vec![T::ZERO; self.latents.len()];

        let mut output = vec![T::ZERO; grammars * d];
        let into = (&mut output[..], Into::Replace);
        linear_backward(weights, "root_mlp.3", self.root.output(), &scores.start, into, to)?;
        let mut input = vec![T::ZERO; self.root_input.len()];
        let into = (&mut input[..], Into::Replace);
        self.root.backward(weights, "root_mlp", &self.root_input, &mut output, into, to)?;
        to.insert("root_emb".into(), apart(&input, d, z, 1, &mut latents));

        let mut input = vec![T::ZERO; self.term_input.len()];
        let into = (&mut input[..], Into::Replace);
        let own = &mut scores.emission;
        self.emission.backward(weights, "term_mlp", &self.term_input, own, into, to)?;
        let terms = sizes.preterminals;
        to.insert("term_emb".into(), apart(&input, d, z, terms, &mut latents));

        let rows: &[T] = weights.get(sizes.kind.rule_input())?;
        let count = rows.len() / d;
        let pairs = scores.base.len() / count;
        let weight = Matrix::new(weights.get("rule_mlp.weight")?, pairs, d + z);
        let base = Matrix::new(&scores.base, count, pairs);
        let mut weight_gradient = vec![T::ZERO; pairs * (d + z)];
        let into = MatrixMut::new(&mut weight_gradient, pairs, d + z).columns(0..d);
        multiply(into, Into::Replace, T::ONE, base.t(), Matrix::new(rows, count, d));
        let mut row_gradient = vec![T::ZERO; rows.len()];
        let into = MatrixMut::new(&mut row_gradient, count, d);
        multiply(into, Into::Replace, T::ONE, base, weight.columns(0..d));
        if z > 0 {
            let shift = Matrix::new(&scores.shift, grammars, pairs);
            let own = Matrix::new(&self.latents, grammars, z);
            let into = MatrixMut::new(&mut weight_gradient, pairs, d + z).columns(d..d + z);
            multiply(into, Into::Replace, T::ONE, shift.t(), own);
            let into = MatrixMut::new(&mut latents, grammars, z);
            multiply(into, Into::Add, T::ONE, shift, weight.columns(d..d + z));
        }
        to.insert("rule_mlp.weight".into(), weight_gradient);
        to.insert("rule_mlp.bias".into(), softmax::column_sums(&scores.base, pairs));
        to.insert(sizes.kind.rule_input().into(), row_gradient);

        if sizes.kind == Kind::LowRank {
            let (nt, r) = (sizes.nonterminals, sizes.rank);
            let symbols = Matrix::new(weights.get("nonterm_emb")?, nt, d);
            let projection = Matrix::new(weights.get("rank_proj")?, d, r);
            let ranks = Matrix::new(&scores.ranks, nt, r);
            let mut symbol_gradient = vec![T::ZERO; nt * d];
            let into = MatrixMut::new(&mut symbol_gradient, nt, d);
            multiply(into, Into::Replace, T::ONE, ranks, projection.t());
            let mut projection_gradient = vec![T::ZERO; d * r];
            let into = MatrixMut::new(&mut projection_gradient, d, r);
            multiply(into, Into::Replace, T::ONE, symbols.t(), ranks);
            to.insert("nonterm_emb".into(), symbol_gradient);
            to.insert("rank_proj".into(), projection_gradient);
        }
        Ok(latents)
    }
}

/// Every embedding (rows of `d`) with every latent vector behind it, grammar after grammar.
fn beside<T: Element>(embeddings: &[T], d: usize, latents: &[T], grammars: usize) -> Vec<T> {
    let z = latents.len() / grammars;
    let mut all = Vec::with_capacity(grammars * (embeddings.len() + embeddings.len() / d * z));
    for g in 0..grammars {
        for row in embeddings.chunks_exact(d) {
            all.extend_from_slice(row);
            all.extend_from_slice(&latents[g * z..(g + 1) * z]);
        }
    }
    all
}

/// The reverse for gradients of `rows` embeddings: theirs are returned, those of the latent
/// vectors are added to `latents`.
fn apart<T: Element>(gradient: &[T], d: usize, z: usize, rows: usize, latents: &mut [T]) -> Vec<T> {
    let mut embeddings = vec![T::ZERO; rows * d];
    for (g, own) in gradient.chunks_exact(rows * (d + z)).enumerate() {
        for (to, row) in embeddings.chunks_exact_mut(d).zip(own.chunks_exact(d + z)) {
            to.iter_mut().zip(row).for_each(|(e, &x)| *e += x);
            let latent = &mut latents[g * z..(g + 1) * z];
            latent.iter_mut().zip(&row[d..]).for_each(|(l, &x)| *l += x);
        }
    }
    embeddings
}

/// Name and shape of every parameter.
pub(super) fn shapes(sizes: &Sizes) -> Shapes {
    let Sizes { nonterminals: nt, preterminals: pt, embedding: d, latent: z, .. } = *sizes;
    let pairs = sizes.symbols() * sizes.symbols();
    let mut all: Shapes = vec![
        ("root_emb".into(), vec![1, d]),
        ("term_emb".into(), vec![pt, d]),
        ("nonterm_emb".into(), vec![nt, d]),
        ("rule_mlp.weight".into(), vec![pairs, d + z]),
        ("rule_mlp.bias".into(), vec![pairs]),
    ];
    for (name, out) in [("root_mlp", nt), ("term_mlp", sizes.vocabulary)] {
        let first = Naming::Sequential.first(name).map(|layer| format!("{layer}.weight"));
        all.extend(Naming::Sequential.shapes(name, d, out).into_iter().map(|(name, shape)| {
            let shape = if Some(&name) == first.as_ref() { vec![d, d + z] } else { shape };
            (name, shape)
        }));
    }
    match sizes.kind {
        Kind::Neural => {}
        Kind::LowRank => all.extend([
            ("rank_emb".into(), vec![sizes.rank, d]),
            ("rank_proj".into(), vec![d, sizes.rank]),
        ]),
        Kind::Compound => {
            let (h, w) = (sizes.encoder, sizes.encoder_embedding);
            all.extend([
                ("enc_emb.weight".into(), vec![sizes.vocabulary, w]),
                ("enc_out.weight".into(), vec![2 * z, 2 * h]),
                ("enc_out.bias".into(), vec![2 * z]),
            ]);
            for reverse in [false, true] {
                let parts = [
                    ("weight_ih", vec![4 * h, w]),
                    ("weight_hh", vec![4 * h, h]),
                    ("bias_ih", vec![4 * h]),
                    ("bias_hh", vec![4 * h]),
                ];
                all.extend(
                    parts.map(|(part, shape)| (lstm::parameter("enc_rnn", part, reverse), shape)),
                );
            }
        }
    }
    all.sort();
    all
}

/// Random start: Xavier normal for matrices, embeddings included; biases uniform within
/// 1/sqrt(inputs), as layers of the published code start.
pub(super) fn initial(sizes: &Sizes, seed: u64, dtype: DType) -> Result<Parameters, ModelError> {
    start::random(shapes(sizes), seed, dtype, |name, shape| match shape {
        [_, _] => Draw::Xavier,
        _ if name.starts_with("enc_rnn") => Draw::Uniform(sizes.encoder),
        _ if name.starts_with("enc_out") => Draw::Uniform(2 * sizes.encoder),
        _ => Draw::Uniform(sizes.embedding),
    })
}
