//! PCFGs with a rule tensor: neural (N-PCFG) and compound (C-PCFG) of Kim, Dyer & Rush 2019, and
//! the matricised low-rank PCFG (LPCFG) of Chiu et al. 2021.

mod encoder;
mod grammar;
mod networks;
mod parser;
mod pass;

use self::parser::DensePcfgParser;
use self::pass::Pass;
use super::element::Element;
use super::layers::Weights;
use super::memory::{check_chart, check_lattice, check_tensor};
use super::words::Words;
use super::{Model, ModelError, Noise, Parameters, Parser, StepOutput, start};
use crate::config::{self, Config, Decode, Family};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which of the families it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// N-PCFG: T = softmax of a linear layer.
    Neural,
    /// C-PCFG: the same with a latent vector for every sentence.
    Compound,
    /// LPCFG: T = U V, softmax over ranks and over pairs.
    LowRank,
}

impl Kind {
    /// The embeddings that lead to the rows of pairs.
    fn rule_input(self) -> &'static str {
        match self {
            Kind::LowRank => "rank_emb",
            Kind::Neural | Kind::Compound => "nonterm_emb",
        }
    }
}

/// Numbers of symbols and dimensions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub kind: Kind,
    pub nonterminals: usize,
    pub preterminals: usize,
    /// Of the matricised tensor.
    pub rank: usize,
    pub embedding: usize,
    /// Latent dimensions; 0 unless compound.
    pub latent: usize,
    /// Hidden units of the inference network in each direction.
    pub encoder: usize,
    pub encoder_embedding: usize,
    pub vocabulary: usize,
}

impl Sizes {
    fn of(config: &config::Model, vocabulary: usize) -> Sizes {
        let kind = match config.family {
            Family::CPcfg => Kind::Compound,
            Family::Lpcfg => Kind::LowRank,
            _ => Kind::Neural,
        };
        Sizes {
            kind,
            nonterminals: config.nonterminals,
            preterminals: config.preterminals,
            rank: config.rank,
            embedding: config.embedding,
            latent: if kind == Kind::Compound { config.latent } else { 0 },
            encoder: config.encoder,
            encoder_embedding: config.encoder_embedding,
            vocabulary,
        }
    }

    fn symbols(&self) -> usize {
        self.nonterminals + self.preterminals
    }

    /// Rows of weights over pairs: left-hand sides, or ranks.
    fn rule_rows(&self) -> usize {
        match self.kind {
            Kind::LowRank => self.rank,
            Kind::Neural | Kind::Compound => self.nonterminals,
        }
    }

    /// Refuses a batch whose charts would not fit: inside scores and their gradients for every
    /// span, and the products of children for every span of one width.
    fn check(&self, batch: &Batch, size: usize) -> Result<(), ModelError> {
        check_chart(batch, 2 * self.nonterminals, size)?;
        let tensors = if self.kind == Kind::Compound { 3 * self.rule_rows() } else { 0 };
        let pairs = self.symbols() * self.symbols();
        check_lattice(batch, pairs * (1 + tensors.div_ceil(batch.longest())), size)
    }
}

pub(super) fn shapes(config: &config::Model, vocabulary: usize) -> start::Shapes {
    networks::shapes(&Sizes::of(config, vocabulary))
}

pub(super) fn parameter_count(config: &config::Model, vocabulary: usize) -> u128 {
    start::count(&shapes(config, vocabulary))
}

/// Trainable PCFG with a rule tensor in the precision `T`.
pub(super) struct DensePcfg<T> {
    sizes: Sizes,
    parameters: Parameters,
    decode: Decode,
    pass: Pass<T>,
}

impl<T: Element> DensePcfg<T> {
    /// A random start by seed.
    pub fn new(config: &Config, vocabulary: usize) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        check_tensor(sizes.rule_rows(), sizes.symbols(), size_of::<T>())?;
        let parameters = networks::initial(&sizes, config.seed, T::DTYPE)?;
        Ok(Self::with(config, sizes, parameters))
    }

    /// From stored tensors; names and shapes are checked.
    pub fn restore(
        config: &Config,
        vocabulary: usize,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Self, ModelError> {
        let sizes = Sizes::of(&config.model, vocabulary);
        check_tensor(sizes.rule_rows(), sizes.symbols(), size_of::<T>())?;
        let parameters = start::stored(networks::shapes(&sizes), tensors, T::DTYPE)?;
        Ok(Self::with(config, sizes, parameters))
    }

    fn with(config: &Config, sizes: Sizes, parameters: Parameters) -> Self {
        DensePcfg { sizes, parameters, decode: config.evaluation.decode, pass: Pass::default() }
    }
}

impl<T: Element> Model for DensePcfg<T> {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn min_length(&self) -> usize {
        2
    }

    /// The noise of a compound PCFG is called `noise`: (sentences, z), standard normal.
    fn step(&mut self, batch: &Batch, noise: Noise<'_>) -> Result<StepOutput, ModelError> {
        if let Some(b) = (0..batch.len()).find(|&b| batch.length(b) < 2) {
            return Err(ModelError::Sentence {
                sentence: b,
                reason: "one word has no derivation".into(),
            });
        }
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        self.sizes.check(batch, size_of::<T>())?;
        let weights = Weights::new(&self.parameters)?;
        let noise = pass::latent_noise::<T>(&self.sizes, batch.len(), noise)?;
        let done = self.pass.step(&self.sizes, &weights, batch, &words, &noise)?;
        done.output(&self.parameters, batch.len())
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(Arc::new(DensePcfgParser::<T>::new(&self.sizes, &self.parameters, self.decode)?))
    }
}
