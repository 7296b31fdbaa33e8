use super::numbers::{self, Number};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

/// Schema of events, run folders and status files; a newer one is refused with a sentence.
pub const SCHEMA: u32 = 1;

/// Named figures: no fixed fields for one family. F1 in percent, log-likelihoods in nats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(pub BTreeMap<String, f64>);

impl Metrics {
    /// The figure of that name, if the family reports it.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds or replaces one figure.
    pub fn set(&mut self, name: impl Into<String>, value: f64) {
        self.0.insert(name.into(), value);
    }
}

impl<S: Into<String>> FromIterator<(S, f64)> for Metrics {
    fn from_iter<I: IntoIterator<Item = (S, f64)>>(pairs: I) -> Self {
        Metrics(pairs.into_iter().map(|(k, v)| (k.into(), v)).collect())
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(k, v)| (k, Number(*v))))
    }
}

impl<'de> Deserialize<'de> for Metrics {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::<String, Number>::deserialize(deserializer)?;
        Ok(map.into_iter().map(|(k, v)| (k, v.0)).collect())
    }
}

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunState {
    Running,
    Paused,
    Stopped,
    Finished,
    Failed,
}

impl RunState {
    /// As in `status.json`.
    pub fn word(self) -> &'static str {
        match self {
            RunState::Running => "running",
            RunState::Paused => "paused",
            RunState::Stopped => "stopped",
            RunState::Finished => "finished",
            RunState::Failed => "failed",
        }
    }
}

/// How much a message matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Debug,
    Info,
    Warning,
    Error,
}

/// One line of `events.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub schema: u32,
    /// Counts up from 0 within a run, across resumptions: the same event that
    /// arrives by channel and by file is counted once.
    pub seq: u64,
    /// Wall clock, seconds since 1970-01-01 UTC.
    pub time: f64,
    /// Seconds of running time of the run so far (pauses and gaps left out).
    pub elapsed: f64,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum EventKind {
    /// The run changed state. `step` is where it stands; on a resumption
    /// (`resumed: true`) events of later steps are superseded and readers drop them.
    State {
        state: RunState,
        step: u64,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resumed: bool,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// One optimiser step. `step` counts from 1, `epoch` from 1.
    Step {
        step: u64,
        epoch: u64,
        /// Mean over the sentences (PCFG) or tokens (HMM) of the batch, nats.
        #[serde(with = "numbers")]
        loss: f64,
        tokens: u64,
        /// Sentences of the batch; early files do not say.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sentences: Option<u64>,
        #[serde(with = "numbers")]
        learning_rate: f64,
        /// Total norm before clipping.
        #[serde(with = "numbers")]
        gradient_norm: f64,
        /// Seconds by part: `network`, `inference`, `optimizer`, `total`.
        seconds: Metrics,
        /// Steps in this epoch and in the whole run, for progress bars.
        #[serde(default)]
        steps_per_epoch: u64,
        #[serde(default)]
        total_steps: u64,
    },
    /// Figures of a split with the weights after `step`: `dev`, `test`; `train` is the mean
    /// over an epoch while the weights moved; `dev.baselines` has what trivial trees score.
    /// `epoch` is 0 at step 0, see [`epoch_at`].
    Evaluation { step: u64, epoch: u64, split: String, metrics: Metrics },
    /// One round of an ensemble: a bag, or a round of boosting. Round 0 is the single parser, which
    /// has no vote.
    Round {
        round: u64,
        /// `error`, `epsilon`, `beta`, `vote`, `effective_size`, `hard_mass`, ...; of the vote of
        /// the members up to here `train_precision`, `test_f1`, `test_exact`, ..., and of this one
        /// alone `member_train_f1`, ...
        metrics: Metrics,
        /// The file of the sentences' weights, below the run folder.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weights: Option<String>,
        /// For `induction`, `parsing` and `voting`.
        #[serde(default, skip_serializing_if = "Metrics::is_empty")]
        seconds: Metrics,
    },
    /// How far a round of an ensemble is: sentences parsed, of all.
    Progress { round: u64, done: u64, of: u64 },
    /// A checkpoint was written: `last` or `best`.
    Checkpoint { step: u64, name: String },
    /// What the device of the run is doing now.
    Device(DeviceUse),
    /// A note for the user.
    Message { level: Level, text: String },
}

/// A device other than the CPU, as it was when it was asked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DeviceUse {
    /// As users write it, like `cuda:0`.
    pub name: String,
    /// The maker's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Bytes that this run has taken there.
    pub taken: u64,
    /// Bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Share of the last moments in which it worked, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<f64>,
}

/// The epoch that a step belongs to: 0 before the first step, whatever the loop was about to begin
/// (early files say 1 there).
pub fn epoch_at(step: u64, epoch: u64) -> u64 {
    if step == 0 { 0 } else { epoch }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_first_step_there_is_no_epoch() {
        assert_eq!([epoch_at(0, 1), epoch_at(1, 1), epoch_at(9, 3)], [0, 1, 3]);
    }

    #[test]
    fn an_event_is_one_flat_object_and_reads_back() {
        let event = Event {
            schema: SCHEMA,
            seq: 7,
            time: 1.5,
            elapsed: 0.5,
            kind: EventKind::Step {
                step: 1,
                epoch: 1,
                loss: f64::NAN,
                tokens: 32,
                sentences: Some(4),
                learning_rate: 0.002,
                gradient_norm: f64::INFINITY,
                seconds: [("network", 0.25)].into_iter().collect(),
                steps_per_epoch: 10,
                total_steps: 100,
            },
        };
        let text = serde_json::to_string(&event).expect("writes");
        assert!(text.contains("\"type\":\"step\"") && text.contains("\"loss\":\"NaN\""), "{text}");
        let back: Event = serde_json::from_str(&text).expect("reads");
        assert_eq!(format!("{back:?}"), format!("{event:?}"));
    }
}
