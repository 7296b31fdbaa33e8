//! The networks of appendix B of Yang, Liu & Tu 2022; parameter names are the published
//! checkpoints'.

use super::Sizes;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::model::element::Element;
use crate::model::emission::Layer;
use crate::model::hmm::mask::Mask;
use crate::model::layers::{Collected, Naming, Residual, Weights, linear, linear_backward};
use crate::model::start::{self, Draw, Shapes};
use crate::model::{ModelError, Parameters, softmax};
use candle_core::DType;
use std::ops::Range;

/// States whose gradients are computed at a time.
const BLOCK: usize = 1024;

/// Entries that a step leaves out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'a> {
    /// Of the start embeddings: (states, d).
    pub start: Mask<'a>,
    /// Of the logits of U and of V: (states, r).
    pub u: Mask<'a>,
    pub v: Mask<'a>,
    /// Share dropped of the start embeddings, by which the others grow.
    pub share: f64,
}

impl Masks<'_> {
    pub const OFF: Masks<'static> =
        Masks { start: Mask::Nothing, u: Mask::Nothing, v: Mask::Nothing, share: 0.0 };
}

/// Probabilities that the program reads, without the words': buffers are kept between batches.
#[derive(Debug)]
pub(super) struct Networks<T> {
    /// s: (states)
    pub start: Vec<T>,
    /// U: (states, r), rows sum to 1.
    pub u: Vec<T>,
    /// V: (states, r), columns sum to 1.
    pub v: Vec<T>,
    /// Start embeddings after dropout: (states, d).
    dropped: Vec<T>,
    start_hidden: Residual<T>,
    word_hidden: Residual<T>,
    zeros: Vec<T>,
    /// Gradient of some rows of U or V.
    block: Vec<T>,
}

impl<T: Element> Default for Networks<T> {
    fn default() -> Self {
        Networks {
            start: Vec::new(),
            u: Vec::new(),
            v: Vec::new(),
            dropped: Vec::new(),
            start_hidden: Residual::named(Naming::Numbered),
            word_hidden: Residual::named(Naming::Numbered),
            zeros: Vec::new(),
            block: Vec::new(),
        }
    }
}

impl<T: Element> Networks<T> {
    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        masks: &Masks<'_>,
    ) -> Result<(), ModelError> {
        let Sizes { states, rank, embedding: d, .. } = *sizes;
        self.dropped.clear();
        self.dropped.extend_from_slice(weights.get("start_emb")?);
        masks.start.scale(&mut self.dropped, d, masks.share);
        self.start_hidden.forward(weights, "start_mlp", &self.dropped)?;
        linear(weights, &last("start_mlp"), self.start_hidden.output(), &mut self.start)?;
        softmax::rows(&mut self.start, states);

        let projection = Matrix::new(weights.get("projection")?, rank, d).t();
        let logits = |name: &str, to: &mut Vec<T>| -> Result<(), ModelError> {
            to.resize(states * rank, T::ZERO);
            let own = Matrix::new(weights.get(name)?, states, d);
            multiply(MatrixMut::new(to, states, rank), Into::Replace, T::ONE, own, projection);
            Ok(())
        };
        logits("state_emb", &mut self.u)?;
        logits("next_state_emb", &mut self.v)?;
        masks.u.drop_in_rows(&mut self.u, rank);
        softmax::rows(&mut self.u, rank);
        masks.v.drop_in_columns(&mut self.v, rank);
        softmax::columns(&mut self.v, rank);
        self.words(weights, sizes)
    }

    /// The hidden layer of the words alone.
    pub fn words(&mut self, weights: &Weights<'_>, sizes: &Sizes) -> Result<(), ModelError> {
        self.zeros.resize(sizes.vocabulary, T::ZERO);
        self.word_hidden.forward(weights, "vocab_emission_mlp", weights.get("vocab_emb")?)
    }

    /// W as the last layer of a softmax over words, with ranks in the place of states: the
    /// network's own bias, one a rank, is the same for every word and cancels.
    pub fn layer<'a>(
        &'a self,
        weights: &'a Weights<'_>,
        sizes: &Sizes,
    ) -> Result<Layer<'a, T>, ModelError> {
        Ok(Layer {
            hidden: weights.get(&format!("{}.weight", last("vocab_emission_mlp")))?,
            weight: self.word_hidden.output(),
            bias: &self.zeros,
            embedding: sizes.embedding,
        })
    }

    /// Gradients of all parameters from those of s, U, V and of the layer of the words. Those of U
    /// and V are asked for some rows at a time, for they are as large as U and V.
    pub fn backward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        masks: &Masks<'_>,
        incoming: Incoming<T>,
        rows_of: impl Fn(Factor, &Self, Range<usize>, &mut [T]),
    ) -> Result<Collected<T>, ModelError> {
        let Sizes { states, rank, embedding: d, .. } = *sizes;
        let Incoming { mut start, v_dots, mut words, ranks } = incoming;
        let mut to = Collected::new();

        // U and V, through their softmaxes and the projection they share: (r, d).
        let projection = Matrix::new(weights.get("projection")?, rank, d);
        let mut shared = vec![T::ZERO; rank * d];
        self.block.resize(BLOCK.min(states) * rank, T::ZERO);
        let mut block = std::mem::take(&mut self.block);
        for (factor, name) in [(Factor::U, "state_emb"), (Factor::V, "next_state_emb")] {
            let mut own = vec![T::ZERO; states * d];
            let embeddings = Matrix::new(weights.get(name)?, states, d);
            for from in (0..states).step_by(BLOCK) {
                let rows = from..(from + BLOCK).min(states);
                let count = rows.len();
                let block = &mut block[..count * rank];
                rows_of(factor, self, rows.clone(), block);
                let own_rows = from * rank..(from + count) * rank;
                match factor {
                    Factor::U => softmax::rows_backward(&self.u[own_rows], block, rank),
                    Factor::V => softmax::columns_backward_with(&self.v[own_rows], block, &v_dots),
                }
                let gradient = Matrix::new(block, count, rank);
                let to = MatrixMut::new(&mut own[from * d..][..count * d], count, d);
                multiply(to, Into::Replace, T::ONE, gradient, projection);
                let mode = match (factor, from) {
                    (Factor::U, 0) => Into::Replace,
                    _ => Into::Add,
                };
                let to = MatrixMut::new(&mut shared, rank, d);
                multiply(to, mode, T::ONE, gradient.t(), embeddings.rows(rows));
            }
            to.insert(name.into(), own);
        }
        self.block = block;
        to.insert("projection".into(), shared);

        softmax::rows_backward(&self.start, &mut start, states);
        let mut hidden = vec![T::ZERO; states * d];
        let x = self.start_hidden.output();
        let into = (&mut hidden[..], Into::Replace);
        linear_backward(weights, &last("start_mlp"), x, &start, into, &mut to)?;
        let mut own = vec![T::ZERO; states * d];
        let into = (&mut own[..], Into::Replace);
        self.start_hidden.backward(
            weights,
            "start_mlp",
            &self.dropped,
            &mut hidden,
            into,
            &mut to,
        )?;
        masks.start.scale(&mut own, d, masks.share);
        to.insert("start_emb".into(), own);

        let name = last("vocab_emission_mlp");
        to.insert(format!("{name}.weight"), ranks);
        to.insert(format!("{name}.bias"), vec![T::ZERO; rank]);
        let mut own = vec![T::ZERO; sizes.vocabulary * d];
        let into = (&mut own[..], Into::Replace);
        let x = weights.get("vocab_emb")?;
        self.word_hidden.backward(weights, "vocab_emission_mlp", x, &mut words, into, &mut to)?;
        to.insert("vocab_emb".into(), own);
        Ok(to)
    }
}

/// Which of the two factors over states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Factor {
    U,
    V,
}

/// What [`Networks::backward`] starts from.
pub(super) struct Incoming<T> {
    /// Gradient of s: (states)
    pub start: Vec<T>,
    /// Sum over states of V times its gradient: (r)
    pub v_dots: Vec<T>,
    /// Gradients of the hidden words, (o, d), and of their last layer's weight, (r, d).
    pub words: Vec<T>,
    pub ranks: Vec<T>,
}

fn last(name: &str) -> String {
    Naming::Numbered.last(name)
}

/// Name and shape of every parameter.
pub(super) fn shapes(sizes: &Sizes) -> Shapes {
    let Sizes { states, rank, embedding: d, vocabulary } = *sizes;
    let mut all: Shapes = vec![
        ("projection".into(), vec![rank, d]),
        ("start_emb".into(), vec![states, d]),
        ("state_emb".into(), vec![states, d]),
        ("next_state_emb".into(), vec![states, d]),
        ("vocab_emb".into(), vec![vocabulary, d]),
    ];
    all.extend(Naming::Numbered.shapes("start_mlp", d, 1));
    all.extend(Naming::Numbered.shapes("vocab_emission_mlp", d, rank));
    all.sort();
    all
}

/// Random start (appendix D): embeddings standard normal, other matrices Xavier normal, biases
/// uniform within 1/sqrt(fan-in).
pub(super) fn initial(sizes: &Sizes, seed: u64, dtype: DType) -> Result<Parameters, ModelError> {
    start::random(shapes(sizes), seed, dtype, |name, shape| match shape {
        [_, _] if name.ends_with("_emb") => Draw::Normal,
        [_, _] => Draw::Xavier,
        _ => Draw::Uniform(sizes.embedding),
    })
}
