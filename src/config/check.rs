//! What a config must hold to be one.

use super::ensemble::SUPERVISED;
use super::error::SMALLER;
use super::ssn::HISTORY_BASED;
use super::{Config, ConfigError, Decode, Every, Kind, Select};

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
            Kind::Bag | Kind::Boost | Kind::Rerank => SUPERVISED,
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
                return bad(key, value.to_string(), SMALLER);
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
