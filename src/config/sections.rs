use super::ensemble::SUPERVISED;
use super::ssn::HISTORY_BASED;
use super::{ConfigError, Data, Ensemble, Kind, Parser, Rerank, Speeds, Ssn};
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

/// Model families by the names users write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    #[default]
    RankPcfg,
    /// The rank-space grammar with networks and order of elimination of its forerunner.
    TdPcfg,
    /// A rule tensor in two matrices.
    Lpcfg,
    /// A rule tensor from one network.
    NPcfg,
    /// The same with a latent vector for every sentence.
    CPcfg,
    RankHmm,
    /// Transitions in two factors over features.
    Lhmm,
    /// Transitions in full.
    Hmm,
    Ngram,
}

impl Family {
    pub const ALL: [Family; 9] = [
        Family::RankPcfg,
        Family::TdPcfg,
        Family::Lpcfg,
        Family::NPcfg,
        Family::CPcfg,
        Family::RankHmm,
        Family::Lhmm,
        Family::Hmm,
        Family::Ngram,
    ];

    /// The name in configs, folders and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Family::RankPcfg => "rank-pcfg",
            Family::TdPcfg => "td-pcfg",
            Family::Lpcfg => "lpcfg",
            Family::NPcfg => "n-pcfg",
            Family::CPcfg => "c-pcfg",
            Family::RankHmm => "rank-hmm",
            Family::Lhmm => "lhmm",
            Family::Hmm => "hmm",
            Family::Ngram => "ngram",
        }
    }

    /// One of its models in a sentence, with the article that is spoken.
    pub fn with_article(self) -> &'static str {
        match self {
            Family::RankPcfg => "a rank-pcfg",
            Family::TdPcfg => "a td-pcfg",
            Family::Lpcfg => "an lpcfg",
            Family::NPcfg => "an n-pcfg",
            Family::CPcfg => "a c-pcfg",
            Family::RankHmm => "a rank-hmm",
            Family::Lhmm => "an lhmm",
            Family::Hmm => "an hmm",
            Family::Ngram => "an n-gram model",
        }
    }

    /// Whether it gives sentences trees; else it is a language model, which predicts the next word
    /// and the end of the sentence.
    pub fn has_trees(self) -> bool {
        match self {
            Family::RankPcfg | Family::TdPcfg | Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
                true
            }
            Family::RankHmm | Family::Lhmm | Family::Hmm | Family::Ngram => false,
        }
    }

    /// Whether one step over all sentences makes the whole model: it has no parameters to move.
    pub fn is_counted(self) -> bool {
        self == Family::Ngram
    }

    /// Whether its rules are a tensor over three symbols, which the best derivation needs.
    pub fn has_tensor(self) -> bool {
        matches!(self, Family::Lpcfg | Family::NPcfg | Family::CPcfg)
    }

    /// What its log-likelihoods and perplexities are, where they are not exact.
    pub fn bound(self) -> Option<&'static str> {
        match self {
            Family::CPcfg => Some("ELBO at the posterior mean"),
            _ => None,
        }
    }
}

/// Settings of the paper's HMMs (appendix D) where they differ from those of its PCFGs.
const LANGUAGE_MODEL: &str = r#"
[data]
preset = "text"
min_length = 1
max_length = 1000000

[model]
dropout = 0.1

[training]
epochs = 30
batch_tokens = 256
optimizer = "adamw"
learning_rate = 0.001
beta1 = 0.99
clip = 5.0
patience = 0
schedule = { plateau = 2, factor = 0.5 }
"#;

/// N-grams are counted in one step.
const COUNTED: &str = r#"
[data]
preset = "text"
min_length = 1
max_length = 1000000

[training]
epochs = 1
patience = 0
"#;

impl Family {
    /// What holds for a family where a config says nothing, as TOML; the other defaults are those
    /// of [`Config`].
    pub(super) fn defaults(self) -> &'static str {
        match self {
            Family::RankPcfg | Family::TdPcfg | Family::Lpcfg | Family::NPcfg | Family::CPcfg => "",
            Family::RankHmm | Family::Lhmm | Family::Hmm => LANGUAGE_MODEL,
            Family::Ngram => COUNTED,
        }
    }
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

/// Most symbols, dimensions and words; a model near it fits into no machine.
const MOST: usize = 1_000_000;

/// Most threads; at work they are never more than the cores.
const MOST_THREADS: usize = 1024;

/// Most bags, or rounds of boosting.
const MOST_ROUNDS: usize = 1000;

/// TOML has no larger whole number: a config beyond it could not be written back.
const LARGEST: u64 = i64::MAX as u64;

impl Config {
    /// What holds where a config says nothing and [`Config::default`] does not hold, as TOML.
    pub(super) fn defaults(&self) -> &'static str {
        match self.kind {
            Kind::Train => self.model.family.defaults(),
            Kind::Bag | Kind::Boost => SUPERVISED,
            Kind::Ssn => HISTORY_BASED,
        }
    }

    /// What is trained, in a word: the family of a model, or the kind of the run.
    pub fn what(&self) -> &'static str {
        match self.kind {
            Kind::Train => self.model.family.name(),
            other => other.name(),
        }
    }

    /// Draws the development set where none is named.
    pub fn split_seed(&self) -> u64 {
        self.data.split_seed.unwrap_or(self.seed)
    }

    /// Every whole number of the config with its key.
    pub(super) fn whole_numbers(&self) -> Vec<(&'static str, u64)> {
        let Config { data: d, model: m, training: t, evaluation: e, run: r, parser: p, .. } = self;
        let every = match e.every {
            Every::Epoch => 0,
            Every::Steps(n) => n,
        };
        let mut all = vec![
            ("seed", self.seed),
            ("threads", self.threads as u64),
            ("data.min_length", d.min_length as u64),
            ("data.max_length", d.max_length as u64),
            ("data.split_seed", d.split_seed.unwrap_or(0)),
            ("data.vocabulary.max_size", d.vocabulary.max_size as u64),
            ("data.vocabulary.min_count", d.vocabulary.min_count as u64),
            ("model.nonterminals", m.nonterminals as u64),
            ("model.preterminals", m.preterminals as u64),
            ("model.states", m.states as u64),
            ("model.rank", m.rank as u64),
            ("model.embedding", m.embedding as u64),
            ("model.order", m.order as u64),
            ("model.latent", m.latent as u64),
            ("model.encoder", m.encoder as u64),
            ("model.encoder_embedding", m.encoder_embedding as u64),
            ("training.epochs", t.epochs),
            ("training.max_steps", t.max_steps),
            ("training.batch_size", t.batch_size as u64),
            ("training.batch_tokens", t.batch_tokens as u64),
            ("training.schedule.plateau", t.schedule.map_or(0, |s| s.plateau)),
            ("training.patience", t.patience),
            ("training.curriculum", t.curriculum),
            ("evaluation.every", every),
            ("evaluation.max_length", e.max_length as u64),
            ("run.checkpoint_every", r.checkpoint_every),
            ("run.pinned", r.pinned as u64),
            ("ensemble.rounds", self.ensemble.rounds as u64),
        ];
        all.extend(p.whole_numbers());
        all.extend(self.ssn.whole_numbers());
        all.extend(self.rerank.whole_numbers());
        all
    }

    /// Ranges that serde cannot express.
    pub(super) fn check(&self, name: &str) -> Result<(), ConfigError> {
        let bad = |key: &'static str, value: String, expected: &'static str| {
            Err(ConfigError::Value { name: name.to_owned(), key, value, expected })
        };
        for (key, value) in self.whole_numbers() {
            if value > LARGEST {
                return bad(key, value.to_string(), "a whole number from 0 to 9223372036854775807");
            }
        }
        let m = &self.model;
        for (key, value) in [
            ("model.nonterminals", m.nonterminals),
            ("model.preterminals", m.preterminals),
            ("model.states", m.states),
            ("model.rank", m.rank),
            ("model.embedding", m.embedding),
            ("model.latent", m.latent),
            ("model.encoder", m.encoder),
            ("model.encoder_embedding", m.encoder_embedding),
        ] {
            if !(1..=MOST).contains(&value) {
                return bad(key, value.to_string(), "a number from 1 to 1000000");
            }
        }
        if let Some(speeds) = m.speeds.filter(|speeds| !speeds.are_usable()) {
            return bad("model.speeds", format!("{speeds:?}"), "numbers above 0");
        }
        if !(1..=5).contains(&m.order) {
            return bad("model.order", m.order.to_string(), "a number from 1 to 5");
        }
        if self.threads > MOST_THREADS {
            let expected = "a number from 0 (all cores) to 1024";
            return bad("threads", self.threads.to_string(), expected);
        }
        let d = &self.data;
        if d.vocabulary.max_size == 0 {
            return bad("data.vocabulary.max_size", "0".into(), "a number above 0");
        }
        let shortest = if m.family.has_trees() { 2 } else { 1 };
        if d.max_length < d.min_length.max(shortest) {
            let expected = match shortest {
                1 => "1 or more, and no less than data.min_length",
                _ => "2 or more, and no less than data.min_length: one word has no derivation",
            };
            return bad("data.max_length", d.max_length.to_string(), expected);
        }
        let parser = self.parser.out_of_range().or_else(|| self.ssn.out_of_range());
        if let Some((key, value, expected)) = parser.or_else(|| self.rerank.out_of_range()) {
            return bad(key, value, expected);
        }
        let rounds = self.ensemble.rounds;
        if !(1..=MOST_ROUNDS).contains(&rounds) {
            return bad("ensemble.rounds", rounds.to_string(), "a number from 1 to 1000");
        }
        let t = &self.training;
        if t.batch_size == 0 && t.batch_tokens == 0 {
            return bad("training.batch_size", "0".into(), "a number above 0, or batch_tokens");
        }
        for (key, value, low, high, expected) in [
            (
                "training.learning_rate",
                t.learning_rate,
                0.0,
                f64::MAX,
                "a finite number, 0 or more",
            ),
            ("training.beta1", t.beta1, 0.0, 1.0 - 1e-12, "a number in [0, 1)"),
            ("training.beta2", t.beta2, 0.0, 1.0 - 1e-12, "a number in [0, 1)"),
            ("training.weight_decay", t.weight_decay, 0.0, f64::MAX, "a finite number, 0 or more"),
            ("training.clip", t.clip, 0.0, f64::MAX, "a finite number, 0 or more"),
            ("model.dropout", m.dropout, 0.0, 1.0 - 1e-12, "a number in [0, 1)"),
            (
                "training.schedule.factor",
                t.schedule.map_or(0.5, |s| s.factor),
                f64::MIN_POSITIVE,
                1.0 - 1e-12,
                "a number in (0, 1)",
            ),
        ] {
            if !(low..=high).contains(&value) {
                return bad(key, value.to_string(), expected);
            }
        }
        if self.evaluation.decode == Decode::Viterbi && !m.family.has_tensor() {
            let expected = "mbr: only families with a rule tensor (n-pcfg, c-pcfg, lpcfg) have a \
                            best derivation to find";
            return bad("evaluation.decode", "viterbi".into(), expected);
        }
        if t.select == Select::SF1 && !m.family.has_trees() {
            let expected = "log_likelihood: a language model gives no trees to score";
            return bad("training.select", "s_f1".into(), expected);
        }
        let d = self.device.as_str();
        let cuda = d.strip_prefix("cuda:").is_some_and(|n| n.parse::<usize>().is_ok());
        // The last is for tests: a card's kernels on the host.
        if !(matches!(d, "auto" | "cpu" | "cuda" | "emulated") || cuda) {
            return bad("device", d.into(), "auto, cpu or cuda:N");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    #[test]
    fn a_family_has_the_article_that_is_spoken() {
        // Letters are spoken as such where they are no word.
        let spoken = [(Family::RankHmm, "a rank-hmm"), (Family::NPcfg, "an n-pcfg")];
        for (family, said) in spoken.into_iter().chain([(Family::Lhmm, "an lhmm")]) {
            assert_eq!(family.with_article(), said);
            assert!(said.ends_with(family.name()));
        }
    }
}
