//! The networks; parameter names are those of the published LHMM code.
//!
//! LHMM: with log features `a = x_z . P` of a state before a transition and `b = y . P` of one
//! after it, T[z,y] is proportional to sum_f exp(a[z,f] + b[y,f]) over y. Numerically that is
//! u[z] = softmax_f(a[z] + log C), v[:,f] = softmax_y(b[:,f]), C[f] = sum_y exp b[y,f]. The start
//! is softmax_y of logsumexp_f (x . P + b[y,f]) - |y|^2 / 2 with x from a network.
//! Dense HMM: T = softmax_y(x_z . y), start = softmax_y(x . y).

use super::Sizes;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::model::element::Element;
use crate::model::emission::Layer;
use crate::model::hmm::mask::Mask;
use crate::model::layers::{Collected, Naming, Residual, Weights};
use crate::model::start::{self, Draw, Shapes};
use crate::model::{ModelError, Parameters, softmax};
use candle_core::DType;

/// Transition logits that a step leaves out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'a> {
    /// (features, states), or (states, states) where transitions are dense.
    pub u: Mask<'a>,
    /// (features, states)
    pub v: Mask<'a>,
}

impl Masks<'_> {
    pub const OFF: Masks<'static> = Masks { u: Mask::Nothing, v: Mask::Nothing };
}

/// Probabilities that the program reads, without the words': buffers are kept between batches.
#[derive(Debug)]
pub(super) struct Networks<T> {
    /// s: (states)
    pub start: Vec<T>,
    /// LHMM: u transposed, (features, states), columns sum to 1. Dense: T, (states, states), rows
    /// sum to 1.
    pub u: Vec<T>,
    /// v transposed: (features, states), rows sum to 1; empty where transitions are dense.
    pub v: Vec<T>,
    /// Share of each feature in the start score of each state: (features, states).
    shares: Vec<T>,
    start_hidden: Residual<T>,
    word_hidden: Residual<T>,
    zeros: Vec<T>,
}

impl<T: Element> Default for Networks<T> {
    fn default() -> Self {
        Networks {
            start: Vec::new(),
            u: Vec::new(),
            v: Vec::new(),
            shares: Vec::new(),
            start_hidden: Residual::default(),
            word_hidden: Residual::named(Naming::Blocks),
            zeros: Vec::new(),
        }
    }
}

/// Gradients of what the networks give.
pub(super) struct Incoming<T> {
    /// Of s: (states)
    pub start: Vec<T>,
    /// Of `u` and `v` as [`Networks`] holds them.
    pub u: Vec<T>,
    pub v: Vec<T>,
    /// Of the hidden states of the emissions, (states, d), and of the word embeddings, (o, d).
    pub hidden: Vec<T>,
    pub words: Vec<T>,
}

impl<T: Element> Networks<T> {
    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        masks: &Masks<'_>,
    ) -> Result<(), ModelError> {
        let Sizes { states, embedding: d, vocabulary, .. } = *sizes;
        self.start_hidden.forward(weights, "start_mlp", weights.get("start_emb")?)?;
        let before = Matrix::new(weights.get("state_emb")?, states, d);
        let after = Matrix::new(weights.get("next_state_emb")?, states, d);
        self.start.resize(states, T::ZERO);
        match sizes.features {
            Some(features) => self.low_rank(weights, features, (before, after), masks)?,
            None => {
                let x = Matrix::new(self.start_hidden.output(), d, 1);
                let to = MatrixMut::new(&mut self.start, states, 1);
                multiply(to, Into::Replace, T::ONE, after, x);
                self.u.resize(states * states, T::ZERO);
                let to = MatrixMut::new(&mut self.u, states, states);
                multiply(to, Into::Replace, T::ONE, before, after.t());
                masks.u.drop_in_rows(&mut self.u, states);
                softmax::rows(&mut self.u, states);
            }
        }
        softmax::rows(&mut self.start, states);
        self.zeros.resize(vocabulary, T::ZERO);
        self.word_hidden.forward(weights, "terminal_mlp", weights.get("preterminal_emb")?)
    }

    fn low_rank(
        &mut self,
        weights: &Weights<'_>,
        features: usize,
        (before, after): (Matrix<'_, T>, Matrix<'_, T>),
        masks: &Masks<'_>,
    ) -> Result<(), ModelError> {
        let states = self.start.len();
        let embeddings: &[T] = weights.get("next_state_emb")?;
        let d = embeddings.len() / states;
        let projection = Matrix::new(weights.get("_projection")?, d, features);
        for (to, own) in [(&mut self.u, before), (&mut self.v, after)] {
            to.resize(features * states, T::ZERO);
            let to = MatrixMut::new(to, features, states);
            multiply(to, Into::Replace, T::ONE, projection.t(), own.t());
        }
        // Start scores: before any logit is dropped.
        let mut x = vec![T::ZERO; features];
        multiply(
            MatrixMut::new(&mut x, features, 1),
            Into::Replace,
            T::ONE,
            projection.t(),
            Matrix::new(self.start_hidden.output(), d, 1),
        );
        self.shares.clear();
        let rows = self.v.chunks_exact(states).zip(&x);
        self.shares.extend(rows.flat_map(|(row, &x)| row.iter().map(move |&y| x + y)));
        self.start = softmax::columns(&mut self.shares, states);
        let half = T::from_f64(0.5);
        for (score, y) in self.start.iter_mut().zip(embeddings.chunks_exact(d)) {
            *score = *score - half * y.iter().map(|&y| y * y).sum();
        }
        masks.v.drop_in_rows(&mut self.v, states);
        let zeros = vec![T::ZERO; states];
        let sums = softmax::exponentiate_rows(&mut self.v, &zeros);
        for ((v, u), (top, sum)) in
            self.v.chunks_exact_mut(states).zip(self.u.chunks_exact_mut(states)).zip(sums)
        {
            let (factor, log_c) = (T::ONE / sum, T::from_f64(top.to_f64() + sum.to_f64().ln()));
            v.iter_mut().for_each(|v| *v *= factor);
            u.iter_mut().for_each(|u| *u += log_c);
        }
        masks.u.drop_in_columns(&mut self.u, states);
        softmax::columns(&mut self.u, states);
        Ok(())
    }

    /// Emissions: the last layer of a softmax over words.
    pub fn layer<'a>(
        &'a self,
        weights: &'a Weights<'_>,
        sizes: &Sizes,
    ) -> Result<Layer<'a, T>, ModelError> {
        Ok(Layer {
            hidden: self.word_hidden.output(),
            weight: weights.get("terminal_emb")?,
            bias: &self.zeros,
            embedding: sizes.embedding,
        })
    }

    /// Gradients of all parameters.
    pub fn backward(
        &mut self,
        weights: &Weights<'_>,
        sizes: &Sizes,
        mut incoming: Incoming<T>,
    ) -> Result<Collected<T>, ModelError> {
        let Sizes { states, embedding: d, .. } = *sizes;
        let mut to = Collected::new();
        softmax::rows_backward(&self.start, &mut incoming.start, states);
        let before = Matrix::new(weights.get("state_emb")?, states, d);
        let after = Matrix::new(weights.get("next_state_emb")?, states, d);
        let (mut own_before, mut own_after) =
            (vec![T::ZERO; states * d], vec![T::ZERO; states * d]);
        let mut x = vec![T::ZERO; d];
        match sizes.features {
            Some(features) => {
                let Incoming { start, u, v, .. } = &mut incoming;
                softmax::columns_backward(&self.u, u, states);
                softmax::rows_backward(&self.v, v, states);
                let mut from_start = vec![T::ZERO; features];
                for (f, from_start) in from_start.iter_mut().enumerate() {
                    let row = f * states..(f + 1) * states;
                    let log_c = u[row.clone()].iter().copied().sum::<T>();
                    let shares = self.shares[row.clone()].iter().zip(&*start);
                    for ((g, &v), (&share, &s)) in
                        v[row.clone()].iter_mut().zip(&self.v[row]).zip(shares)
                    {
                        *g += v * log_c + share * s;
                        *from_start += share * s;
                    }
                }
                let projection = Matrix::new(weights.get("_projection")?, d, features);
                let (u, v) = (Matrix::new(u, features, states), Matrix::new(v, features, states));
                for (own, g) in [(&mut own_before, u), (&mut own_after, v)] {
                    let to = MatrixMut::new(own, states, d);
                    multiply(to, Into::Replace, T::ONE, g.t(), projection.t());
                }
                let mut own = vec![T::ZERO; d * features];
                let hidden = Matrix::new(self.start_hidden.output(), d, 1);
                let from_start = Matrix::new(&from_start, 1, features);
                for (left, right, mode) in [
                    (before.t(), u.t(), Into::Replace),
                    (after.t(), v.t(), Into::Add),
                    (hidden, from_start, Into::Add),
                ] {
                    multiply(MatrixMut::new(&mut own, d, features), mode, T::ONE, left, right);
                }
                to.insert("_projection".into(), own);
                to.insert("next_start_emb".into(), vec![T::ZERO; d]);
                let to = MatrixMut::new(&mut x, d, 1);
                multiply(to, Into::Replace, T::ONE, projection, from_start.t());
                let embeddings: &[T] = weights.get("next_state_emb")?;
                let rows = own_after.chunks_exact_mut(d).zip(embeddings.chunks_exact(d));
                for ((own, y), &s) in rows.zip(&*start) {
                    own.iter_mut().zip(y).for_each(|(own, &y)| *own = *own - s * y);
                }
            }
            None => {
                let Incoming { start, u, .. } = &mut incoming;
                softmax::rows_backward(&self.u, u, states);
                let u = Matrix::new(u, states, states);
                let start = Matrix::new(start, states, 1);
                let hidden = Matrix::new(self.start_hidden.output(), 1, d);
                let to_before = MatrixMut::new(&mut own_before, states, d);
                multiply(to_before, Into::Replace, T::ONE, u, after);
                for (left, right, mode) in
                    [(u.t(), before, Into::Replace), (start, hidden, Into::Add)]
                {
                    let to_after = MatrixMut::new(&mut own_after, states, d);
                    multiply(to_after, mode, T::ONE, left, right);
                }
                let to = MatrixMut::new(&mut x, d, 1);
                multiply(to, Into::Replace, T::ONE, after.t(), start);
            }
        }
        to.insert("state_emb".into(), own_before);
        to.insert("next_state_emb".into(), own_after);
        let mut own = vec![T::ZERO; d];
        let into = (&mut own[..], Into::Replace);
        let input = weights.get("start_emb")?;
        self.start_hidden.backward(weights, "start_mlp", input, &mut x, into, &mut to)?;
        to.insert("start_emb".into(), own);
        let mut own = vec![T::ZERO; states * d];
        let into = (&mut own[..], Into::Replace);
        let input = weights.get("preterminal_emb")?;
        let hidden = &mut incoming.hidden;
        self.word_hidden.backward(weights, "terminal_mlp", input, hidden, into, &mut to)?;
        to.insert("preterminal_emb".into(), own);
        to.insert("terminal_emb".into(), incoming.words);
        Ok(to)
    }
}

/// Name and shape of every parameter.
pub(super) fn shapes(sizes: &Sizes) -> Shapes {
    let Sizes { states, features, embedding: d, vocabulary } = *sizes;
    let mut all: Shapes = vec![
        ("start_emb".into(), vec![d]),
        ("state_emb".into(), vec![states, d]),
        ("next_state_emb".into(), vec![states, d]),
        ("preterminal_emb".into(), vec![states, d]),
        ("terminal_emb".into(), vec![vocabulary, d]),
    ];
    if let Some(features) = features {
        all.push(("_projection".into(), vec![d, features]));
        all.push(("next_start_emb".into(), vec![d]));
    }
    all.extend(Naming::Sequential.inner_shapes("start_mlp", d));
    all.extend(Naming::Blocks.inner_shapes("terminal_mlp", d));
    all.sort();
    all
}

/// Random start: Xavier normal for matrices, embeddings included (the squared norms of the
/// published start scores want short ones); vectors uniform within 1/sqrt(d).
pub(super) fn initial(sizes: &Sizes, seed: u64, dtype: DType) -> Result<Parameters, ModelError> {
    start::random(shapes(sizes), seed, dtype, |_, shape| match shape {
        [_, _] => Draw::Xavier,
        _ => Draw::Uniform(sizes.embedding),
    })
}
