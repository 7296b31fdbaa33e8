use super::{Data, Ensemble, Family, Kind, Parser, Rerank, Speeds, Ssn};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Every setting of a run. All sections and keys have defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    #[serde(skip_serializing_if = "Kind::is_train")]
    pub kind: Kind,
    pub seed: u64,
    /// `auto`, `cpu` or `cuda:N`.
    pub device: String,
    /// Cores used; 0 takes all.
    pub threads: usize,
    pub precision: Precision,
    /// Matrix products of a card with factors rounded to TF32: quicker and less exact.
    pub tf32: bool,
    pub data: Data,
    pub model: Model,
    pub training: Training,
    pub evaluation: Evaluation,
    pub run: Run,
    pub parser: Parser,
    pub ensemble: Ensemble,
    pub ssn: Ssn,
    pub rerank: Rerank,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            kind: Kind::Train,
            seed: 0,
            device: "auto".into(),
            threads: 0,
            precision: Precision::F32,
            tf32: false,
            data: Data::default(),
            model: Model::default(),
            training: Training::default(),
            evaluation: Evaluation::default(),
            run: Run::default(),
            parser: Parser::default(),
            ensemble: Ensemble::default(),
            ssn: Ssn::default(),
            rerank: Rerank::default(),
        }
    }
}

/// Floating-point type of the weights and of every dynamic program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    #[default]
    F32,
    F64,
}

/// Whose numerics a checkpoint follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Compat {
    /// Exact: no floors.
    #[default]
    None,
    /// The published code's 1e-9 inside every logarithm.
    Published,
}

/// Which nodes of a rule a chart sums out first: the values are the same, the cost is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Elimination {
    /// The cheaper order for each batch.
    #[default]
    Auto,
    /// States first, once a batch.
    Rank,
    /// States last, span by span.
    State,
}

/// `[model]`: family and sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Model {
    pub family: Family,
    pub nonterminals: usize,
    pub preterminals: usize,
    /// Hidden states of an HMM.
    pub states: usize,
    pub rank: usize,
    pub embedding: usize,
    /// Tokens of an n-gram, from 1 to 5.
    pub order: usize,
    /// Share of the start embeddings and of the transition logits of an HMM that a training step
    /// leaves out.
    pub dropout: f64,
    /// Dimensions of the latent vector of a compound PCFG.
    pub latent: usize,
    /// Hidden units, in each direction, of the network that infers it.
    pub encoder: usize,
    /// Size of the word embeddings that this network reads.
    pub encoder_embedding: usize,
    pub compat: Compat,
    pub elimination: Elimination,
    /// What the cheaper order is chosen by; usual proportions where nothing was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeds: Option<Speeds>,
}

impl Default for Model {
    fn default() -> Self {
        Model {
            family: Family::RankPcfg,
            nonterminals: 64,
            preterminals: 128,
            states: 256,
            rank: 128,
            embedding: 256,
            order: 5,
            dropout: 0.0,
            latent: 64,
            encoder: 512,
            encoder_embedding: 512,
            compat: Compat::None,
            elimination: Elimination::Auto,
            speeds: None,
        }
    }
}

/// `[training]`: the loop. Defaults are the paper's for PCFGs (appendix D); families of language
/// models have others (`Family::defaults`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Training {
    pub epochs: u64,
    /// Stops after so many steps; 0: no bound.
    pub max_steps: u64,
    /// Sentences a batch (of equal or nearby length).
    pub batch_size: usize,
    /// Words a batch instead of sentences; 0: `batch_size` holds.
    pub batch_tokens: usize,
    pub optimizer: Optimizer,
    pub learning_rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub weight_decay: f64,
    /// Largest total gradient norm; 0: no clipping.
    pub clip: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule: Option<Schedule>,
    /// Evaluations without a better dev figure before training stops; 0: never.
    pub patience: u64,
    /// Epochs over which the longest sentence grows from short to `max_length`; 0: none.
    pub curriculum: u64,
    /// What `best` and `patience` go by.
    pub select: Select,
}

impl Default for Training {
    fn default() -> Self {
        Training {
            epochs: 10,
            max_steps: 0,
            batch_size: 16,
            batch_tokens: 0,
            optimizer: Optimizer::Adam,
            learning_rate: 0.002,
            beta1: 0.75,
            beta2: 0.999,
            weight_decay: 0.0,
            clip: 3.0,
            schedule: None,
            patience: 5,
            curriculum: 0,
            select: Select::LogLikelihood,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Optimizer {
    #[default]
    Adam,
    Adamw,
}

/// Multiplies the learning rate by `factor` after `plateau` evaluations without a better figure;
/// 0: never.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    pub plateau: u64,
    pub factor: f64,
}

/// The dev figure that chooses `best`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    #[default]
    LogLikelihood,
    /// Uses gold trees, and is marked so wherever figures are shown.
    SF1,
}

/// `[evaluation]`: how often, on what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Evaluation {
    pub every: Every,
    /// Longest dev and test sentence; 0: any.
    pub max_length: usize,
    pub decode: Decode,
}

/// Which tree a sentence is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decode {
    /// The binary tree with the largest sum of span marginals.
    #[default]
    Mbr,
    /// That of the most probable derivation, of families with a rule tensor.
    Viterbi,
}

/// `"epoch"` or a number of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Every {
    #[default]
    Epoch,
    Steps(u64),
}

impl Serialize for Every {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Every::Epoch => serializer.serialize_str("epoch"),
            Every::Steps(n) => serializer.serialize_u64(*n),
        }
    }
}

impl<'de> Deserialize<'de> for Every {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "\"epoch\" or a number of steps")]
        enum WordOrNumber {
            Word(String),
            Number(u64),
        }
        match WordOrNumber::deserialize(deserializer)? {
            WordOrNumber::Word(w) if w == "epoch" => Ok(Every::Epoch),
            WordOrNumber::Number(n) if n > 0 => Ok(Every::Steps(n)),
            _ => Err(serde::de::Error::custom("expected \"epoch\" or a number of steps above 0")),
        }
    }
}

/// `[run]`: what is written beside the figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Run {
    /// Steps between extra `last` checkpoints; 0: only at evaluations and every 60 s.
    pub checkpoint_every: u64,
    /// Dev sentences whose span marginals are kept at every evaluation.
    pub pinned: usize,
}

impl Default for Run {
    fn default() -> Self {
        Run { checkpoint_every: 0, pinned: 8 }
    }
}
