//! The rank-space HMM: s, U, V and W from small networks, trained by exact gradients
//! (Yang, Liu & Tu 2022, section 4.3 and appendix B).
//!
//! Random numbers of a step, as [`Noise::Given`]: `start_mask` (states, d), `u_mask` and `v_mask`
//! (states, r), bytes, 1 where an entry is dropped.

mod mask;
mod networks;
mod parser;
mod pass;
#[cfg(test)]
mod tests;

use self::mask::Mask;
use self::networks::Masks;
use self::parser::RankHmmParser;
use self::pass::Pass;
use super::element::Element;
use super::layers::Weights;
use super::memory::check_lattice;
use super::start;
use super::words::Words;
use super::{Gradients, Model, ModelError, Noise, Parameters, Parser, StepOutput};
use crate::config::{self, Compat};
use crate::treebank::Batch;
use candle_core::{Device, Tensor};
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
    fn of(config: &config::Model, vocabulary: usize) -> Sizes {
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
    device: Device,
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
            device: Device::Cpu,
            pass: Pass::default(),
        }
    }

    /// The masks of a step; given ones are read from `bytes`.
    fn masks<'a>(&self, noise: Noise<'_>, bytes: &'a [Vec<u8>]) -> Masks<'a> {
        let share = self.config.dropout;
        let of = |number: u64| match (noise, bytes) {
            (Noise::Drawn { seed, step }, _) if share > 0.0 => {
                // Matrices differ in their generators.
                Mask::Drawn { share, seed: seed ^ (number << 56), step }
            }
            (Noise::Given(_), [start, u, v]) => Mask::Given(match number {
                1 => start,
                2 => u,
                _ => v,
            }),
            _ => Mask::Nothing,
        };
        Masks { start: of(1), u: of(2), v: of(3), share }
    }

    /// `start_mask`, `u_mask` and `v_mask` as bytes.
    fn given(&self, tensors: &BTreeMap<String, Tensor>) -> Result<Vec<Vec<u8>>, ModelError> {
        let Sizes { states, rank, embedding, .. } = self.sizes;
        let read = |(name, columns): (&str, usize)| {
            let wrong = |reason: String| ModelError::Shape { name: name.into(), reason };
            let tensor = tensors.get(name).ok_or_else(|| wrong("is missing".into()))?;
            match tensor.dims() {
                dims if dims == [states, columns] => Ok(tensor.flatten_all()?.to_vec1::<u8>()?),
                dims => Err(wrong(format!("expected [{states}, {columns}], found {dims:?}"))),
            }
        };
        [("start_mask", embedding), ("u_mask", rank), ("v_mask", rank)]
            .map(read)
            .into_iter()
            .collect()
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
            Noise::Given(tensors) => self.given(tensors)?,
            _ => Vec::new(),
        };
        let masks = self.masks(noise, &bytes);
        let weights = Weights::new(&self.parameters)?;
        let settings = (self.floor, self.config.elimination);
        let done = self.pass.step(&self.sizes, settings, &weights, &masks, batch, &words)?;
        let mut gradients = Gradients::new();
        for (name, gradient) in done.gradients {
            let shape = self.parameters[&name].shape().clone();
            gradients.insert(name, T::tensor(gradient, shape, &self.device)?);
        }
        Ok(StepOutput {
            loss: -done.log_probs.iter().sum::<f64>() / batch.tokens() as f64,
            log_probs: done.log_probs,
            gradients,
            network_seconds: done.network_seconds,
            inference_seconds: done.inference_seconds,
        })
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(RankHmmParser::<T>::new(
            &self.sizes,
            &self.parameters,
            self.floor,
            self.config.elimination,
        )?))
    }
}
