//! The rank-space HMM: s, U, V and W from small networks, trained by exact gradients
//! (Yang, Liu & Tu 2022, section 4.3 and appendix B).
//!
//! Random numbers of a step, as [`Noise::Given`]: `start_mask` (states, d), `u_mask` and `v_mask`
//! (states, r), bytes, 1 where an entry is dropped.

mod networks;
mod pass;
#[cfg(test)]
mod tests;

use self::networks::{Masks, Networks};
use self::pass::{Pass, chain_of, start_ranks};
use super::element::Element;
use super::hmm::mask::{Mask, given};
use super::hmm::parser::{HmmParser, Numbers, States};
use super::layers::Weights;
use super::memory::check_lattice;
use super::start;
use super::words::Words;
use super::{Eliminating, Model, ModelError, Noise, Parameters, Parser, StepOutput};
use crate::config::{self, Compat};
use crate::inference::order::Order;
use crate::inference::rank_hmm::Scoring;
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The published code adds this inside every logarithm.
const PUBLISHED_FLOOR: f64 = 1e-9;

/// Numbers of states and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub states: usize,
    pub rank: usize,
    pub embedding: usize,
    pub vocabulary: usize,
}

impl Sizes {
    pub fn of(config: &config::Model, vocabulary: usize) -> Sizes {
        let config::Model { states, rank, embedding, .. } = *config;
        Sizes { states, rank, embedding, vocabulary }
    }

    /// Values that a lattice keeps for every token.
    fn values_per_token(&self) -> usize {
        6 * self.rank + 2 * self.states
    }
}

pub(super) fn shapes(config: &config::Model, vocabulary: usize) -> Vec<(String, Vec<usize>)> {
    networks::shapes(&Sizes::of(config, vocabulary))
}

pub(super) fn parameter_count(config: &config::Model, vocabulary: usize) -> u128 {
    start::count(&shapes(config, vocabulary))
}

/// Trainable rank-space HMM in the precision `T`.
pub(super) struct RankHmm<T: Element> {
    sizes: Sizes,
    parameters: Parameters,
    config: config::Model,
    floor: f64,
    pass: Pass<T>,
}

impl<T: Element> RankHmm<T> {
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
        RankHmm {
            sizes,
            parameters,
            floor: match config.compat {
                Compat::None => 0.0,
                Compat::Published => PUBLISHED_FLOOR,
            },
            config: config.clone(),
            pass: Pass::default(),
        }
    }

    fn parser(&self) -> Result<HmmParser<T>, ModelError> {
        let Sizes { states, rank, .. } = self.sizes;
        let weights = Weights::new(&self.parameters)?;
        let mut networks = Networks::default();
        networks.forward(&weights, &self.sizes, &Masks::OFF)?;
        let Networks { start, u, v, .. } = &mut networks;
        let [start, u, v] = [start, u, v].map(std::mem::take);
        let mut chain = Vec::new();
        if Eliminating::of(&self.config).order(&Scoring { states, rank }) == Order::Rank {
            chain_of(&u, &v, rank, &mut chain);
        }
        let numbers = Numbers {
            width: rank,
            start: start_ranks(&start, &u, rank),
            chain,
            factors: [u, v],
            states: States::Between(start),
        };
        Ok(HmmParser::new(numbers, &networks.layer(&weights, &self.sizes)?, self.floor))
    }

    /// The masks of a step; given ones are read from `bytes`.
    fn masks<'a>(&self, noise: Noise<'_>, bytes: &'a [Vec<u8>]) -> Masks<'a> {
        let share = self.config.dropout;
        let mask = |number: usize| match (noise, bytes.get(number)) {
            (Noise::Drawn { seed, step }, _) => Mask::drawn(share, seed, number as u64 + 1, step),
            (Noise::Given(_), Some(bytes)) => Mask::Given(bytes),
            _ => Mask::Nothing,
        };
        Masks { start: mask(0), u: mask(1), v: mask(2), share }
    }
}

impl<T: Element> Model for RankHmm<T> {
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
        let bytes = match noise {
            Noise::Given(tensors) => {
                let Sizes { states, rank, embedding, .. } = self.sizes;
                let names = [("start_mask", embedding), ("u_mask", rank), ("v_mask", rank)];
                let read = |(name, columns)| given(tensors, name, [states, columns]);
                names.into_iter().map(read).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        let masks = self.masks(noise, &bytes);
        let weights = Weights::new(&self.parameters)?;
        let settings = (self.floor, Eliminating::of(&self.config));
        let done = self.pass.step(&self.sizes, settings, &weights, &masks, batch, &words)?;
        done.output(&self.parameters, batch.tokens())
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(self.parser()?))
    }
}
