//! The rank-space PCFG: U, V, W, E and s from small networks, trained by exact gradients; and its
//! forerunner, the TD-PCFG of Yang, Zhao & Tu 2021, with other networks and in state space.
//!
//! Parameters and gradients are tensors, so that optimisers and checkpoints know one type.

mod grammar;
mod networks;
mod parser;
mod pass;
#[cfg(test)]
mod tests;

pub(super) use self::networks::RULE_NETWORKS;
use self::parser::RankPcfgParser;
use self::pass::Pass;
use super::element::Element;
use super::layers::Weights;
use super::memory::check_chart;
use super::start;
use super::words::Words;
use super::{Eliminating, Model, ModelError, Noise, Parameters, Parser, StepOutput};
use crate::config::{self, Compat, Family};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The published code adds this inside every logarithm.
const PUBLISHED_FLOOR: f64 = 1e-9;

/// Which of the families it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// U, V and W through one projection; preterminal embeddings shared with the emissions.
    Rank,
    /// TD-PCFG: U, V and W each through a last layer of its own, and embeddings of its own for
    /// the emissions.
    State,
}

/// Numbers of symbols and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub kind: Kind,
    pub nonterminals: usize,
    pub preterminals: usize,
    pub rank: usize,
    pub embedding: usize,
    pub vocabulary: usize,
}

impl Sizes {
    pub fn of(config: &config::Model, vocabulary: usize) -> Sizes {
        Sizes {
            kind: if config.family == Family::TdPcfg { Kind::State } else { Kind::Rank },
            nonterminals: config.nonterminals,
            preterminals: config.preterminals,
            rank: config.rank,
            embedding: config.embedding,
            vocabulary,
        }
    }

    /// Values that a chart keeps for every span: alpha, both sides, their gradients, and the
    /// inside scores of the nonterminals where they are kept.
    fn values_per_span(&self) -> usize {
        6 * self.rank + 2 * self.nonterminals
    }

    pub fn symbols(&self) -> usize {
        self.nonterminals + self.preterminals
    }
}

pub(super) fn shapes(config: &config::Model, vocabulary: usize) -> Vec<(String, Vec<usize>)> {
    networks::shapes(&Sizes::of(config, vocabulary))
}

pub(super) fn parameter_count(config: &config::Model, vocabulary: usize) -> u128 {
    start::count(&shapes(config, vocabulary))
}

/// Trainable rank-space PCFG in the precision `T`.
pub(super) struct RankPcfg<T> {
    sizes: Sizes,
    parameters: Parameters,
    floor: f64,
    eliminating: Eliminating,
    pass: Pass<T>,
}

impl<T: Element> RankPcfg<T> {
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
        let eliminating = Eliminating::of(config);
        RankPcfg {
            parameters,
            floor: match (sizes.kind, config.compat) {
                (Kind::Rank, Compat::Published) => PUBLISHED_FLOOR,
                // The published TD-PCFG has no floor.
                _ => 0.0,
            },
            sizes,
            eliminating,
            pass: Pass::new(eliminating),
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

    fn step(&mut self, batch: &Batch, _: Noise<'_>) -> Result<StepOutput, ModelError> {
        if let Some(b) = (0..batch.len()).find(|&b| batch.length(b) < 2) {
            return Err(ModelError::Sentence {
                sentence: b,
                reason: "one word has no derivation".into(),
            });
        }
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        check_chart(batch, self.sizes.values_per_span(), size_of::<T>())?;
        let weights = Weights::new(&self.parameters)?;
        let done = self.pass.step(&self.sizes, self.floor, &weights, batch, &words)?;
        done.output(&self.parameters, batch.len())
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(RankPcfgParser::<T>::new(
            &self.sizes,
            &self.parameters,
            self.floor,
            self.eliminating,
        )?))
    }
}
