use crate::device::DeviceError;
use crate::model::{Diverged, ModelError};
use crate::parser::ssn::SsnError;
use crate::report::counted;
use std::sync::Arc;

/// Why training cannot start or go on.
#[derive(Debug, thiserror::Error)]
pub enum TrainingError {
    #[error("{0}{advice}", advice = advice(.0))]
    Model(#[from] ModelError),
    #[error("tensor operation failed: {0}")]
    Tensor(#[from] candle_core::Error),
    #[error("parameter `{name}` {reason}")]
    Parameter { name: String, reason: String },
    #[error("no training sentence of {} or more is left after preprocessing: look at data.max_length, data.min_length and data.punctuation", counted(*.min_length, "word"))]
    NoSentences { min_length: usize },
    #[error(
        "training.select = \"s_f1\" needs gold trees, and the development set has none: leave it out, or name trees as data.dev"
    )]
    NoGold,
    #[error(
        "{what} is {value} at step {step} (epoch {epoch}, {} of {}). A lower learning rate (resume --learning-rate RATE) or a smaller clip may help",
        counted(*.sentences, "sentence"),
        counted(*.length, "word")
    )]
    Diverged { what: Diverged, value: f64, step: u64, epoch: u64, sentences: usize, length: usize },
    #[error(
        "diverged at step {step}: {source}; a lower learning rate may help (resume --learning-rate RATE)"
    )]
    NoProbability { step: u64, source: ModelError },
    #[error("{name} has no trees: a history-based parser learns from trees")]
    NoTrees { name: String },
    #[error(
        "no tree of the development set has a derivation, for its labels or tags are in no training tree, so that nothing tells which weights are best: name other trees as data.dev"
    )]
    NoDerivation,
    #[error(
        "training.select = \"s_f1\" needs development sentences that are parsed, and ssn.parsed is 0: set it to 1 or more, or leave training.select out"
    )]
    NoneParsed,
    #[error(transparent)]
    Ssn(#[from] SsnError),
    #[error("{file}:{line}: the tree has no derivation: {source}")]
    Derivation { file: Arc<str>, line: u32, source: SsnError },
    #[error("cannot resume: {0}")]
    Resume(String),
}

impl TrainingError {
    /// Whether the weights at the time of the error are good: a gradient that is no number was not
    /// applied, but weights that give no loss are the work of an earlier step.
    pub fn spares_weights(&self) -> bool {
        !matches!(
            self,
            TrainingError::Diverged { what: Diverged::Loss, .. }
                | TrainingError::NoProbability { .. }
        )
    }

    pub(super) fn parameter(name: &str, reason: impl Into<String>) -> TrainingError {
        TrainingError::Parameter { name: name.to_owned(), reason: reason.into() }
    }
}

/// What can be done about a device that is full.
fn advice(error: &ModelError) -> &'static str {
    match error {
        ModelError::Device(DeviceError::Memory { .. }) => {
            "; smaller batches (training.batch_size, training.batch_tokens) or sizes (model.rank) \
             need less, and the run can go on by `rankspace resume DIR --device cpu`"
        }
        _ => "",
    }
}
