use super::Ending;
use super::schedule::Plateau;
use crate::config::{Config, Every, Training};
use crate::report::{Metrics, numbers};
use serde::{Deserialize, Serialize};

/// Everything that decides how training goes on, beside weights and moments. Kept in checkpoints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Optimiser steps done.
    pub step: u64,
    /// Running epoch, from 1.
    pub epoch: u64,
    /// Batches of the running epoch that are done; its order follows from seed and epoch.
    pub position: u64,
    #[serde(with = "numbers")]
    pub learning_rate: f64,
    pub plateau: Plateau,
    /// Evaluations in a row without a better figure.
    pub bad_evaluations: u64,
    /// Step of the latest finished evaluation.
    pub evaluated: Option<u64>,
    pub best: Option<Best>,
    /// Sums over the running epoch, for its mean training figures.
    pub partial: Epoch,
    /// Seconds spent in optimiser steps.
    pub train_seconds: f64,
    /// Hash of the training batches ([`Batches::fingerprint`](super::Batches::fingerprint)).
    pub fingerprint: u64,
}

/// The best evaluation so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Best {
    /// The dev figure that `training.select` names.
    #[serde(with = "numbers")]
    pub figure: f64,
    pub step: u64,
    pub epoch: u64,
    pub dev: Metrics,
    /// Test figures with the weights of that step; they choose nothing.
    pub test: Option<Metrics>,
}

/// Sums over the sentences that an epoch has seen so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    pub sentences: u64,
    pub tokens: u64,
    #[serde(with = "numbers")]
    pub log_prob: f64,
}

impl State {
    /// Why nothing is left to do, if nothing is.
    pub(super) fn ending(&self, settings: &Training, at_end_of_epoch: bool) -> Option<Ending> {
        let Training { patience, max_steps, epochs, .. } = *settings;
        if patience > 0 && self.bad_evaluations >= patience {
            Some(Ending::Patience(self.bad_evaluations))
        } else if max_steps > 0 && self.step >= max_steps {
            Some(Ending::MaxSteps(self.step))
        } else if self.epoch > epochs || (self.epoch == epochs && at_end_of_epoch) {
            Some(Ending::Epochs(epochs))
        } else {
            None
        }
    }

    /// Before the first step, as configured, and at the end.
    pub(super) fn evaluation_due(&self, config: &Config, at_end_of_epoch: bool) -> bool {
        let regular = match config.evaluation.every {
            Every::Epoch => at_end_of_epoch,
            Every::Steps(n) => self.step.is_multiple_of(n),
        };
        let due = || self.ending(&config.training, at_end_of_epoch).is_some();
        self.evaluated != Some(self.step) && (self.step == 0 || regular || due())
    }

    pub(super) fn start(learning_rate: f64, fingerprint: u64) -> State {
        State {
            step: 0,
            epoch: 1,
            position: 0,
            learning_rate,
            plateau: Plateau::default(),
            bad_evaluations: 0,
            evaluated: None,
            best: None,
            partial: Epoch::default(),
            train_seconds: 0.0,
            fingerprint,
        }
    }
}

impl Epoch {
    /// Mean log-likelihood a sentence and perplexity over words + sentences.
    pub fn metrics(&self) -> Metrics {
        let (sentences, tokens) = (self.sentences as f64, self.tokens as f64);
        [
            ("log_likelihood", self.log_prob / sentences),
            ("perplexity", (-self.log_prob / (tokens + sentences)).exp()),
            ("sentences", sentences),
            ("tokens", tokens),
        ]
        .into_iter()
        .collect()
    }
}
