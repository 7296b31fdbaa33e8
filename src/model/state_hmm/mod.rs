//! HMMs whose forward program goes over the states: the low-rank HMM (LHMM) of Chiu, Deng & Rush
//! 2021, whose transitions have two factors over features, and the dense HMM.
//!
//! `p(w) = sum_z s[z_1] E[z_1,w_1] prod_t T[z_t,z_{t+1}] E[z_{t+1},w_{t+1}]`. A lattice over
//! states is one over ranks ([`inference::rank_hmm`](crate::inference::rank_hmm)) with s, T and E
//! in the places of pi, A and W: O(n m f) with f features, O(n m^2) without.
//!
//! Random numbers of a step, as [`Noise::Given`]: `u_mask` and `v_mask` (features, states) of the
//! LHMM, `u_mask` (states, states) of the dense HMM, bytes, 1 where a logit is dropped.

mod networks;
mod pass;
#[cfg(test)]
mod tests;

use self::networks::{Masks, Networks};
use self::pass::Pass;
use super::element::Element;
use super::hmm::mask::{Mask, given};
use super::hmm::parser::{HmmParser, Numbers, States};
use super::layers::Weights;
use super::memory::check_lattice;
use super::start;
use super::words::Words;
use super::{Model, ModelError, Noise, Parameters, Parser, StepOutput};
use crate::config::{self, Family};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Numbers of states and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub states: usize,
    /// Features between the states; `None`: dense transitions.
    pub features: Option<usize>,
    pub embedding: usize,
    pub vocabulary: usize,
}

impl Sizes {
    pub fn of(config: &config::Model, vocabulary: usize) -> Sizes {
        let config::Model { family, states, rank, embedding, .. } = *config;
        let features = (family == Family::Lhmm).then_some(rank);
        Sizes { states, features, embedding, vocabulary }
    }

    /// Rows of the transition logits: features, or states.
    fn rows(&self) -> usize {
        self.features.unwrap_or(self.states)
    }

    /// Values that a lattice keeps for every token.
    fn values_per_token(&self) -> usize {
        6 * self.states + 2 * self.features.unwrap_or(0)
    }
}

pub(super) fn shapes(config: &config::Model, vocabulary: usize) -> start::Shapes {
    networks::shapes(&Sizes::of(config, vocabulary))
}

pub(super) fn parameter_count(config: &config::Model, vocabulary: usize) -> u128 {
    start::count(&networks::shapes(&Sizes::of(config, vocabulary)))
}

/// Trainable LHMM or dense HMM in the precision `T`.
pub(super) struct StateHmm<T: Element> {
    sizes: Sizes,
    parameters: Parameters,
    dropout: f64,
    pass: Pass<T>,
}

impl<T: Element> StateHmm<T> {
    /// A random start by seed.
    pub fn new(config: &config::Config, vocabulary: usize) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        let parameters = networks::initial(&sizes, config.seed, T::DTYPE)?;
        Ok(Self::with(&config.model, sizes, parameters))
    }

    /// From stored tensors; names and shapes are checked.
    pub fn restore(
        config: &config::Config,
        vocabulary: usize,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        let parameters = start::stored(networks::shapes(&sizes), tensors, T::DTYPE)?;
        Ok(Self::with(&config.model, sizes, parameters))
    }

    fn with(config: &config::Model, sizes: Sizes, parameters: Parameters) -> Self {
        StateHmm { sizes, parameters, dropout: config.dropout, pass: Pass::default() }
    }

    fn parser(&self) -> Result<HmmParser<T>, ModelError> {
        let weights = Weights::new(&self.parameters)?;
        let mut networks = Networks::default();
        networks.forward(&weights, &self.sizes, &Masks::OFF)?;
        let Networks { start, u, v, .. } = &mut networks;
        let [start, u, v] = [start, u, v].map(std::mem::take);
        let (chain, factors) = match self.sizes.features {
            Some(_) => (Vec::new(), [v, u]),
            None => (u, Default::default()),
        };
        let states = States::Own;
        let numbers = Numbers { width: self.sizes.states, start, chain, factors, states };
        Ok(HmmParser::new(numbers, &networks.layer(&weights, &self.sizes)?, 0.0))
    }
}

impl<T: Element> Model for StateHmm<T> {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn min_length(&self) -> usize {
        1
    }

    fn step(&mut self, batch: &Batch, noise: Noise<'_>) -> Result<StepOutput, ModelError> {
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        check_lattice(batch, self.sizes.values_per_token(), size_of::<T>())?;
        let shape = [self.sizes.rows(), self.sizes.states];
        let names =
            if self.sizes.features.is_some() { &["u_mask", "v_mask"][..] } else { &["u_mask"] };
        let bytes = match noise {
            Noise::Given(tensors) => {
                let read = |name: &&str| given(tensors, name, shape);
                names.iter().map(read).collect::<Result<Vec<_>, _>>()?
            }
            _ => Vec::new(),
        };
        let share = self.dropout;
        let mask = |number: usize| match (noise, bytes.get(number)) {
            (Noise::Drawn { seed, step }, _) => Mask::drawn(share, seed, number as u64 + 1, step),
            (Noise::Given(_), Some(bytes)) => Mask::Given(bytes),
            _ => Mask::Nothing,
        };
        let masks = Masks { u: mask(0), v: mask(1) };
        let weights = Weights::new(&self.parameters)?;
        let done = self.pass.step(&self.sizes, &weights, &masks, batch, &words)?;
        done.output(&self.parameters, batch.tokens())
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(self.parser()?))
    }
}
