//! Floor 3: neural parameterisations. Knows words only as ids, and no optimiser or run.
//!
//! Every family stands behind two traits: [`Model`] is what training changes,
//! [`Parser`] is a frozen copy of its weights with everything that does not
//! depend on the sentence computed once. A parser is cheap to share between
//! threads, so a sentence can be parsed while training goes on.

mod collect;
mod dense_pcfg;
mod device;
mod done;
mod element;
mod emission;
mod hmm;
mod layers;
mod lstm;
mod memory;
mod ngram;
#[cfg(test)]
mod pcfg_tests;
mod rank_hmm;
mod rank_pcfg;
mod sample;
mod softmax;
mod start;
mod state_hmm;
mod view;
mod words;

pub use memory::available_memory;
pub use sample::Sample;
pub use view::{
    ChainView, Factors, GrammarView, RuleView, Transitions, nonterminal_name, preterminal_name,
    state_name,
};

use crate::config::{self, Config, Decode, Elimination, Family, Precision};
use crate::device::{self as devices, AdamFactors, Choice, DeviceError, DeviceInfo};
use crate::inference::order::{Order, Plan, Speeds};
use crate::treebank::Batch;
use candle_core::{Tensor, Var};
use dense_pcfg::DensePcfg;
use element::Element;
use ngram::Ngram;
use rand_chacha::ChaCha8Rng;
use rank_hmm::RankHmm;
use rank_pcfg::RankPcfg;
use state_hmm::StateHmm;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// Why a model could not be built or used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("tensor operation failed: {0}")]
    Tensor(#[from] candle_core::Error),
    #[error("tensor `{name}`: {reason}")]
    Shape { name: String, reason: String },
    #[error("sentence {sentence} of the batch: {reason}")]
    Sentence { sentence: usize, reason: String },
    #[error("{0}")]
    Unsupported(String),
    #[error(transparent)]
    Device(DeviceError),
}

/// Named trainable tensors, in a fixed order.
pub type Parameters = BTreeMap<String, Var>;

/// Gradients by parameter name.
pub type Gradients = BTreeMap<String, Tensor>;

/// Loss and gradients of one batch.
#[derive(Debug)]
pub struct StepOutput {
    /// The training objective, nats: PCFG: mean over sentences of -log Z (compound: of -ELBO at
    /// the sampled latent vectors); HMM: mean over tokens of -log p.
    pub loss: f64,
    /// Log-probability of every sentence, nats, in the order of the batch.
    pub log_probs: Vec<f64>,
    pub gradients: Gradients,
    /// Seconds in the networks and in the dynamic program.
    pub network_seconds: f64,
    pub inference_seconds: f64,
}

/// Where a training step takes its random numbers from, if its family needs any.
#[derive(Clone, Copy, Debug)]
pub enum Noise<'a> {
    /// Nothing random: no dropout, means in place of samples.
    Off,
    /// Drawn from the generator of this seed and step: a resumed run draws the same.
    Drawn { seed: u64, step: u64 },
    /// As given, by the names that a family documents.
    Given(&'a BTreeMap<String, Tensor>),
}

/// A trainable family.
pub trait Model: Send {
    fn parameters(&self) -> &Parameters;

    /// All that a checkpoint keeps of the model, by name: its parameters, unless it has none.
    fn tensors(&self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let parameters = self.parameters().iter();
        Ok(parameters.map(|(name, p)| (name.clone(), p.as_tensor().clone())).collect())
    }

    /// Loss and exact gradients of a batch; every sentence has at least [`Model::min_length`]
    /// tokens.
    fn step(&mut self, batch: &Batch, noise: Noise<'_>) -> Result<StepOutput, ModelError>;

    /// Copies the current weights into a parser.
    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError>;

    /// Shortest sentence with a derivation, in tokens (2 for PCFGs).
    fn min_length(&self) -> usize;

    /// The model as one that does whole steps on a device; `None` on the host.
    fn resident(&self) -> Option<&dyn Resident> {
        None
    }

    fn resident_mut(&mut self) -> Option<&mut dyn Resident> {
        None
    }
}

/// A model whose weights and moments live on a device, where whole steps are done.
pub trait Resident {
    /// Loss, gradients and update in one go; nothing is updated where the loss or the norm of the
    /// gradient is no number.
    fn train(
        &mut self,
        batch: &Batch,
        noise: Noise<'_>,
        factors: AdamFactors,
    ) -> Result<Trained, ModelError>;

    /// Names the batch that comes next, so that it can be laid out while the device works.
    fn announce(&mut self, next: &Batch);

    /// Moments of Adam as tensors `NAME.exp_avg` and `NAME.exp_avg_sq`.
    fn moments(&self) -> Result<BTreeMap<String, Tensor>, ModelError>;

    fn put_moments(&mut self, tensors: &BTreeMap<String, Tensor>) -> Result<(), ModelError>;

    /// The device, with its present memory.
    fn info(&self) -> DeviceInfo;

    /// Memory that is taken there for this model, its batches and its frozen copies.
    fn bytes(&self) -> u64;
}

/// What a step on a device has found.
#[derive(Clone, Debug)]
pub struct Trained {
    /// As [`StepOutput::loss`].
    pub loss: f64,
    pub log_probs: Vec<f64>,
    /// Before clipping.
    pub gradient_norm: f64,
    pub network_seconds: f64,
    pub inference_seconds: f64,
    pub optimizer_seconds: f64,
}

/// What is no number in a training that diverged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diverged {
    /// The weights are no good any more.
    Loss,
    /// The weights are good as long as it is not applied.
    Gradient,
}

impl Diverged {
    /// The first of both that is no number.
    pub fn of(loss: f64, gradient_norm: f64) -> Option<(Diverged, f64)> {
        [(Diverged::Loss, loss), (Diverged::Gradient, gradient_norm)]
            .into_iter()
            .find(|(_, value)| !value.is_finite())
    }
}

impl std::fmt::Display for Diverged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Diverged::Loss => "the loss",
            Diverged::Gradient => "the gradient norm",
        })
    }
}

impl Trained {
    /// What is no number, if anything; nothing was updated then.
    pub fn diverged(&self) -> Option<(Diverged, f64)> {
        Diverged::of(self.loss, self.gradient_norm)
    }
}

/// What to compute for a sentence beside its log-probability.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// The tree (MBR, unlabelled, or the best derivation's by the setting `evaluation.decode`) and
    /// the span marginals, of families that have trees.
    pub tree: bool,
    /// Also nonterminal labels and preterminals (labelled MBR), which costs more; the likeliest
    /// state of every token of an HMM.
    pub labels: bool,
}

/// Analysis of one sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parse {
    /// Natural logarithm of the sentence's probability, or a bound ([`Family::bound`]).
    pub log_prob: f64,
    /// Spans of the tree in preorder, width 2 and more, the whole sentence included.
    pub spans: Vec<ParsedSpan>,
    /// Most probable preterminal of every word, or state of every token of an HMM, the end of the
    /// sentence included; empty unless labels were wanted.
    pub tags: Vec<u32>,
    /// -log p of every token given those before it, nats, the end of the sentence included; empty
    /// for families that do not go from left to right.
    pub surprisals: Vec<f32>,
    /// Posterior of span `[i, j)` at `i * (n + 1) + j`, width 2 and more, else 0;
    /// empty unless a tree was wanted.
    pub marginals: Vec<f32>,
    /// Natural logarithm of the tree's probability, if it is that of the best derivation.
    pub derivation_log_prob: Option<f64>,
}

/// One span of an induced tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParsedSpan {
    pub start: u32,
    pub end: u32,
    /// Likeliest nonterminal, if labels were wanted.
    pub label: Option<u32>,
    /// Posterior probability of the span (of the labelled span, if it has a label).
    pub posterior: f32,
}

/// Frozen weights: scores and parses sentences, can be shared between threads.
pub trait Parser: Send + Sync {
    /// Parses a batch; a sentence without a derivation has `log_prob` -infinity and no spans.
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError>;

    /// Expected counts of symbols and their expansions over a batch, added to `into`.
    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError>;

    /// Whether [`Parser::expect`] is to be had for about the cost of a parse: not without symbols, nor
    /// on a device, where the host's parser is made for it first.
    fn counts_symbols(&self) -> bool {
        true
    }

    /// The grammar read off the weights, without the emissions; `None` for families without one.
    fn grammar(&self) -> Option<GrammarView<'_>>;

    /// The states of an HMM and their transitions; `None` for other families.
    fn chain(&self) -> Option<ChainView<'_>> {
        None
    }

    /// Draws a sentence of at most so many words, which may be less than the whole of it. `end` is
    /// the token that ends the sentences of a language model.
    fn sample(
        &self,
        end: Option<u32>,
        longest: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Sample, ModelError> {
        let _ = end;
        let grammar = self.grammar();
        let grammar =
            grammar.ok_or_else(|| ModelError::Unsupported("it has no sentences to draw".into()))?;
        let emissions = |preterminal| self.emissions(preterminal..preterminal + 1);
        sample::derivation(&grammar, emissions, longest, rng)
    }

    /// Emission probabilities p(word | preterminal) of some preterminals, or p(word | state) of
    /// some states, row-major (rows, vocabulary); computed on request, for they do not all fit at
    /// the paper's size.
    fn emissions(&self, rows: Range<usize>) -> Result<Vec<f32>, ModelError>;
}

/// Expected counts under the posterior, summed over sentences.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymbolUse {
    /// Expected number of spans of every nonterminal.
    pub nonterminals: Vec<f64>,
    /// Expected number of words of every preterminal, or of tokens of every state of an HMM.
    pub preterminals: Vec<f64>,
}

/// How the order of elimination is chosen: as the settings say, or by cost.
#[derive(Clone, Copy, Debug)]
struct Eliminating {
    setting: Elimination,
    speeds: Speeds,
}

impl Eliminating {
    fn of(config: &config::Model) -> Eliminating {
        let measured = |s: config::Speeds| Speeds {
            multiply_adds: s.multiply_adds,
            packed: s.packed,
            streamed: s.streamed,
        };
        let speeds = config.speeds.map_or(Speeds::USUAL, measured);
        Eliminating { setting: config.elimination, speeds }
    }

    /// On a device, whose speeds are in another proportion than the host's.
    fn on_device(setting: Elimination) -> Eliminating {
        Eliminating { setting, speeds: Speeds::USUAL }
    }

    /// The order that is set, or the cheaper one.
    fn order(&self, plan: &dyn Plan) -> Order {
        match self.setting {
            Elimination::Auto => plan.cheapest(&self.speeds),
            Elimination::Rank => Order::Rank,
            Elimination::State => Order::State,
        }
    }
}

/// Where a model of these settings computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// `None`: on the host.
    pub device: Option<Choice>,
    /// Why it is not where the settings ask for, in a sentence.
    pub note: Option<String>,
}

/// Where a model of these settings computes on this machine: on the host where the device that is
/// asked for is not there, or the family has no kernels.
///
/// # Errors
/// Where `device` means nothing.
pub fn placement(config: &Config) -> Result<Placement, ModelError> {
    let on_host = |note| Ok(Placement { device: None, note });
    let setting = config.device.as_str();
    if !devices::is_setting(setting) {
        return Err(ModelError::Device(devices::not_a_setting(setting)));
    }
    let family = config.model.family;
    match devices::choose(setting) {
        Ok(Some(_)) if !device::supports(family) => on_host((setting != "auto").then(|| {
            format!("device = \"{setting}\": {} has no kernels for a device yet", family.name())
        })),
        Ok(device) => Ok(Placement { device, note: None }),
        Err(e) => on_host(Some(e.to_string())),
    }
}

/// Whether the family has the trees that are asked for.
fn check_decode(config: &Config) -> Result<(), ModelError> {
    let family = config.model.family;
    match config.evaluation.decode {
        Decode::Viterbi if !family.has_tensor() => Err(ModelError::Unsupported(format!(
            "decode = \"viterbi\": {} has no rule tensor, and without one the best derivation \
             cannot be found; expected mbr",
            family.with_article()
        ))),
        _ => Ok(()),
    }
}

/// Numbers that a model of these sizes has to learn.
pub fn parameter_count(config: &Config, vocabulary: usize) -> u128 {
    match config.model.family {
        Family::RankPcfg | Family::TdPcfg => rank_pcfg::parameter_count(&config.model, vocabulary),
        Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
            dense_pcfg::parameter_count(&config.model, vocabulary)
        }
        Family::RankHmm => rank_hmm::parameter_count(&config.model, vocabulary),
        Family::Lhmm | Family::Hmm => state_hmm::parameter_count(&config.model, vocabulary),
        Family::Ngram => 0,
    }
}

/// Name and shape of every parameter of a model of these sizes.
pub fn shapes(config: &Config, vocabulary: usize) -> Vec<(String, Vec<usize>)> {
    match config.model.family {
        Family::RankPcfg | Family::TdPcfg => rank_pcfg::shapes(&config.model, vocabulary),
        Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
            dense_pcfg::shapes(&config.model, vocabulary)
        }
        Family::RankHmm => rank_hmm::shapes(&config.model, vocabulary),
        Family::Lhmm | Family::Hmm => state_hmm::shapes(&config.model, vocabulary),
        Family::Ngram => Vec::new(),
    }
}

/// A model of the configured family and precision with a random start by seed.
pub fn build(config: &Config, vocabulary: usize) -> Result<Box<dyn Model>, ModelError> {
    check_decode(config)?;
    let host = match config.precision {
        Precision::F32 => build_in::<f32>(config, vocabulary),
        Precision::F64 => build_in::<f64>(config, vocabulary),
    }?;
    placed(config, vocabulary, host)
}

/// The model where its settings want it.
fn placed(
    config: &Config,
    vocabulary: usize,
    host: Box<dyn Model>,
) -> Result<Box<dyn Model>, ModelError> {
    use device::DeviceModel;
    Ok(match (placement(config)?.device, config.precision) {
        (None, _) => host,
        (Some(choice), Precision::F32) => {
            Box::new(DeviceModel::<f32>::around(host, config, vocabulary, choice)?)
        }
        (Some(choice), Precision::F64) => {
            Box::new(DeviceModel::<f64>::around(host, config, vocabulary, choice)?)
        }
    })
}

fn build_in<T: Element>(config: &Config, vocabulary: usize) -> Result<Box<dyn Model>, ModelError> {
    Ok(match config.model.family {
        Family::RankPcfg | Family::TdPcfg => Box::new(RankPcfg::<T>::new(config, vocabulary)?),
        Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
            Box::new(DensePcfg::<T>::new(config, vocabulary)?)
        }
        Family::RankHmm => Box::new(RankHmm::<T>::new(config, vocabulary)?),
        Family::Lhmm | Family::Hmm => Box::new(StateHmm::<T>::new(config, vocabulary)?),
        Family::Ngram => Box::new(Ngram::new(config, vocabulary)?),
    })
}

/// A model from stored tensors; every name and shape is checked.
pub fn restore(
    config: &Config,
    vocabulary: usize,
    tensors: BTreeMap<String, Tensor>,
) -> Result<Box<dyn Model>, ModelError> {
    check_decode(config)?;
    let host = match config.precision {
        Precision::F32 => restore_in::<f32>(config, vocabulary, tensors),
        Precision::F64 => restore_in::<f64>(config, vocabulary, tensors),
    }?;
    placed(config, vocabulary, host)
}

fn restore_in<T: Element>(
    config: &Config,
    vocabulary: usize,
    tensors: BTreeMap<String, Tensor>,
) -> Result<Box<dyn Model>, ModelError> {
    Ok(match config.model.family {
        Family::RankPcfg | Family::TdPcfg => {
            Box::new(RankPcfg::<T>::restore(config, vocabulary, tensors)?)
        }
        Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
            Box::new(DensePcfg::<T>::restore(config, vocabulary, tensors)?)
        }
        Family::RankHmm => Box::new(RankHmm::<T>::restore(config, vocabulary, tensors)?),
        Family::Lhmm | Family::Hmm => {
            Box::new(StateHmm::<T>::restore(config, vocabulary, tensors)?)
        }
        Family::Ngram => Box::new(Ngram::restore(config, vocabulary, tensors)?),
    })
}
