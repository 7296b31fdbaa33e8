use serde::{Deserialize, Serialize};

/// What a run does; named in `status.json` and in the names of folders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Fits a latent-variable model by gradients, or counts one.
    #[default]
    Train,
    /// Bags supervised parsers.
    Bag,
    /// Boosts supervised parsers.
    Boost,
    /// Trains a history-based parser.
    Ssn,
    /// Trains a reranker; its data are candidate lists.
    Rerank,
}

impl Kind {
    /// The name in configs, folders and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Train => "train",
            Kind::Bag => "bag",
            Kind::Boost => "boost",
            Kind::Ssn => "ssn",
            Kind::Rerank => "rerank",
        }
    }

    /// Whether supervised parsers are induced and vote.
    pub fn is_ensemble(self) -> bool {
        matches!(self, Kind::Bag | Kind::Boost)
    }

    pub(super) fn is_train(&self) -> bool {
        *self == Kind::Train
    }
}

/// What holds for an ensemble where a config says nothing, as TOML: supervised parsers learn all
/// that is in the trees but empty elements and grammatical functions.
pub(super) const SUPERVISED: &str = r#"
[data]
preset = "trees"
discontinuous = "attach"
min_length = 1
max_length = 1000000
"#;

/// `[ensemble]`: how parsers are bagged or boosted (Henderson & Brill 2000).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ensemble {
    /// Bags, or rounds of boosting.
    pub rounds: usize,
    pub update: Update,
    pub on_failure: OnFailure,
    pub sampling: Sampling,
}

impl Default for Ensemble {
    fn default() -> Self {
        Ensemble {
            rounds: 15,
            update: Update::Default,
            on_failure: OnFailure::Stop,
            sampling: Sampling::Reweight,
        }
    }
}

/// How boosting changes the weight of a sentence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Update {
    /// By the share of its constituents that are wrong.
    #[default]
    Default,
    /// By the sum over its constituents, as printed: about the length of the sentence as well.
    Literal,
}

/// What follows a round of boosting that is wrong on half of the weight or more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// Boosting ends there.
    #[default]
    Stop,
    /// All sentences weigh the same again, and boosting goes on.
    Reset,
}

/// How a round of boosting gets its training set from the weights. Bags are always drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// Every sentence counts by its weight.
    #[default]
    Reweight,
    /// As many sentences as there are, drawn with replacement.
    Resample,
}
