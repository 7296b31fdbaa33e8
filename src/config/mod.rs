//! Typed settings of a run, read from TOML, with every default in one place.
//!
//! Unknown keys are refused with the nearest known one; `--set a.b=value` edits
//! the table before it is typed, so that both ways give the same errors. Only
//! plain data lives here: what a setting *means* is the business of the floor
//! that uses it.

mod check;
mod data;
mod ensemble;
mod error;
mod family;
mod idle;
mod keys;
mod parser;
mod presets;
mod rerank;
mod sections;
mod speeds;
mod ssn;
mod uses;
mod words;

pub use data::{
    Data, Discontinuous, Encoding, Format, FunctionLabels, Punctuation, Sources, UnaryChains,
    VocabularyLimits,
};
pub use ensemble::{Ensemble, Kind, OnFailure, Sampling, Update};
pub use error::ConfigError;
pub use family::Family;
pub use keys::setting;
pub use parser::{Binarisation, Heads, Horizontal, LexiconKind, Parser, ParserFamily};
pub use presets::{Preset, preset, presets};
pub use rerank::{FirstWeights, Gradients, Kernel, Loss, Rerank, ScoreOf, Vote};
pub use sections::{
    Compat, Config, Decode, Elimination, Evaluation, Every, Model, Optimizer, Precision, Run,
    Schedule, Select, Training,
};
pub use speeds::Speeds;
pub use ssn::Ssn;
pub use uses::unused;
pub use words::nearest;

use std::path::Path;

impl Config {
    /// Reads a config from TOML text; `name` stands in error messages.
    pub fn from_toml(name: &str, text: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let typed = |source: &str| -> Result<Config, ConfigError> {
            let read = |source: &str| -> Result<Config, ConfigError> {
                toml::from_str(source).map_err(|e| ConfigError::syntax(name, source, &e))
            };
            let mut config = read(source)?;
            let defaults = config.defaults();
            if !defaults.is_empty() {
                let table = |text: &str| -> Result<toml::Table, ConfigError> {
                    toml::from_str(text).map_err(|e| ConfigError::invalid(name, &e))
                };
                let mut all = table(defaults)?;
                overlay(&mut all, table(source)?);
                let text = toml::to_string(&all).map_err(|e| ConfigError::invalid(name, &e))?;
                config = read(&text)?;
            }
            config.check(name)?;
            Ok(config)
        };
        // Errors point into the user's own text while nothing was overridden.
        if overrides.is_empty() {
            return typed(text);
        }
        let mut table: toml::Table =
            toml::from_str(text).map_err(|e| ConfigError::syntax(name, text, &e))?;
        for setting in overrides {
            set(&mut table, setting)?;
        }
        typed(&toml::to_string(&table).map_err(|e| ConfigError::invalid(name, &e))?)
    }

    /// The defaults of a family.
    pub fn of_family(family: Family) -> Config {
        let text = format!("[model]\nfamily = \"{}\"\n", family.name());
        Config::from_toml("defaults", &text, &[]).expect("the defaults of a family are valid")
    }

    /// Reads a config file.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        let name = path.display().to_string();
        let failed = |reason: String| ConfigError::Read { path: name.clone(), reason };
        let bytes = std::fs::read(path).map_err(|e| failed(e.to_string()))?;
        let not_a_config = |what: &str| {
            failed(format!(
                "this is not a config: {what}; a corpus is named by a setting, as in \
                 `--set data.train=FILE`"
            ))
        };
        let text = String::from_utf8(bytes).map_err(|_| not_a_config("it is not text"))?;
        if text.trim_start().starts_with('(') {
            return Err(not_a_config("it looks like a treebank"));
        }
        let mut lines =
            text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        if lines.clone().next().is_some() && !lines.any(|l| l.starts_with('[') || l.contains('=')) {
            return Err(not_a_config("no line of it is a setting, e.g. seed = 1"));
        }
        Config::from_toml(&name, &text, overrides)
    }

    /// The config with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config holds only TOML values")
    }
}

/// Puts the values of `over` into `table`, section by section. A schedule is one value.
fn overlay(table: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(new)) if key != "schedule" => {
                overlay(own, new);
            }
            (_, value) => drop(table.insert(key, value)),
        }
    }
}

/// The key of a `key.path=value`.
pub(super) fn key_of(setting: &str) -> &str {
    setting.split('=').next().unwrap_or_default().trim()
}

/// Applies one `key.path=value`; the value is TOML, or a bare string. No value at all takes the
/// key away, so that its default holds.
fn set(table: &mut toml::Table, setting: &str) -> Result<(), ConfigError> {
    let (key, value) = setting.split_once('=').ok_or_else(|| ConfigError::Setting {
        setting: setting.to_owned(),
        reason: "expected key=value, e.g. training.epochs=3".to_owned(),
    })?;
    if value.trim().is_empty() {
        return unset(table, setting);
    }
    let parsed = toml::from_str::<toml::Table>(&format!("v = {value}"))
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
    // As a bare string it would be told to be of the wrong type.
    let number = value.trim().replace('_', "");
    let digits = number.strip_prefix('-').unwrap_or(&number);
    if parsed.is_str() && !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) {
        let is_below = digits.len() < number.len();
        let reason =
            format!("expected {}", if is_below { error::WHOLE_NUMBER } else { error::SMALLER });
        return Err(ConfigError::Setting { setting: setting.to_owned(), reason });
    }
    let mut parts = key.trim().split('.').collect::<Vec<_>>();
    let last = parts.pop().unwrap_or_default();
    let mut place = table;
    for part in parts {
        place = place
            .entry(part)
            .or_insert_with(|| toml::Value::Table(toml::Table::new()))
            .as_table_mut()
            .ok_or_else(|| ConfigError::Setting {
                setting: setting.to_owned(),
                reason: format!("`{part}` is a value, not a section"),
            })?;
    }
    place.insert(last.to_owned(), parsed);
    Ok(())
}

/// Takes a key away; one that no config has is refused as it is everywhere.
fn unset(table: &mut toml::Table, setting: &str) -> Result<(), ConfigError> {
    let key = key_of(setting);
    // As the only key of a config it can be wrong only in its value, which does not matter.
    let mut alone = toml::Table::new();
    set(&mut alone, &format!("{key}=0"))?;
    if let Err(error) = alone.try_into::<Config>()
        && error.message().starts_with("unknown field")
    {
        let reason = error::with_suggestion(error.message());
        return Err(ConfigError::Setting { setting: setting.to_owned(), reason });
    }
    let mut parts = key.split('.').collect::<Vec<_>>();
    let last = parts.pop().unwrap_or_default();
    let mut place = Some(table);
    for part in parts {
        place = place.and_then(|t| t.get_mut(part)).and_then(toml::Value::as_table_mut);
    }
    if let Some(place) = place {
        place.remove(last);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_config_is_all_defaults_and_survives_a_round_trip() {
        let config = Config::from_toml("x", "", &[]).expect("defaults are valid");
        assert_eq!(config, Config::default());
        let again = Config::from_toml("x", &config.to_toml(), &[]).expect("reads itself");
        assert_eq!(config, again);
    }

    #[test]
    fn a_family_has_defaults_of_its_own_which_the_config_overrides() {
        let hmm = Config::of_family(Family::RankHmm);
        assert_eq!((hmm.training.batch_tokens, hmm.data.min_length), (256, 1));
        assert_eq!(hmm.training.schedule, Some(Schedule { plateau: 2, factor: 0.5 }));
        assert_eq!(Config::from_toml("x", &hmm.to_toml(), &[]).expect("reads itself"), hmm);
        let text = "[training]\nepochs = 3\nschedule = { plateau = 0, factor = 0.5 }\n";
        let set = ["model.family=rank-hmm".to_owned()];
        let config = Config::from_toml("x", text, &set).expect("valid");
        assert_eq!((config.training.epochs, config.training.beta1), (3, 0.99));
        assert_eq!(config.training.schedule.map(|s| s.plateau), Some(0));
        assert_eq!(Config::of_family(Family::RankPcfg), Config::default());
    }

    #[test]
    fn unknown_keys_are_refused_with_the_nearest_known_one() {
        let error = Config::from_toml("c.toml", "[training]\nepoch = 3\n", &[]).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("c.toml:2"), "{text}");
        assert!(text.contains("`epoch`") && text.contains("did you mean `epochs`"), "{text}");
        let error = Config::from_toml("c.toml", "", &["modell.rank=3".into()]).unwrap_err();
        assert!(error.to_string().contains("did you mean `model`"), "{error}");
    }

    #[test]
    fn settings_override_the_file() {
        let config = Config::from_toml(
            "c.toml",
            "[training]\nepochs = 3\n",
            &["training.epochs=5".into(), "data.train=a b.mrg".into(), "seed=9".into()],
        )
        .expect("valid");
        assert_eq!(config.training.epochs, 5);
        assert_eq!(config.seed, 9);
        assert_eq!(config.data.train.0, ["a b.mrg"]);
    }

    #[test]
    fn a_setting_without_a_value_takes_the_key_away() {
        let text = "seed = 4\n[data]\ntest = \"a.mrg\"\n[training]\nepochs = 3\n";
        let changes = ["data.test=", "seed = ", "training.epochs=", "data.numbers="];
        let config = Config::from_toml("c", text, &changes.map(str::to_owned)).expect("valid");
        assert_eq!(config, Config::default());
        let error = Config::from_toml("c", text, &["data.tset=".into()]).unwrap_err().to_string();
        assert!(error.contains("did you mean `test`"), "{error}");
    }

    #[test]
    fn values_out_of_range_are_named() {
        for (text, key) in [
            ("[model]\nrank = 0\n", "model.rank"),
            ("[training]\nlearning_rate = -1.0\n", "training.learning_rate"),
            ("[model]\npreterminals = 99999999999\n", "model.preterminals"),
            ("[model]\nembedding = 1000001\n", "model.embedding"),
            ("[model]\nlatent = 0\n", "model.latent"),
            ("[evaluation]\ndecode = \"viterbi\"\n", "evaluation.decode"),
            ("threads = 100000\n", "threads"),
            ("[data]\nmax_length = 1\n", "data.max_length"),
            ("[data]\nmin_length = 41\n", "data.max_length"),
            ("[training]\nbeta1 = 1.0\n", "training.beta1"),
            ("[model]\nfamily = \"hmm\"\n[training]\nselect = \"s_f1\"\n", "training.select"),
            ("[training]\nschedule = { plateau = 2, factor = 1.5 }\n", "training.schedule.factor"),
        ] {
            let error = Config::from_toml("c", text, &[]).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }

    #[test]
    fn whole_numbers_that_toml_cannot_hold_are_refused_by_key_and_range() {
        for key in [
            "seed",
            "training.max_steps",
            "training.epochs",
            "evaluation.every",
            "run.checkpoint_every",
            "data.max_length",
        ] {
            let setting = format!("{key}=9223372036854775808");
            let error = Config::from_toml("c", "", &[setting]).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("9223372036854775807"), "{error}");
            let line = match key.rsplit_once('.') {
                Some((section, key)) => format!("[{section}]\n{key} = 18446744073709551615\n"),
                None => format!("{key} = 18446744073709551615\n"),
            };
            let error = Config::from_toml("c", &line, &[]).unwrap_err().to_string();
            assert!(error.contains(key) && error.contains("9223372036854775807"), "{error}");
            let error = Config::from_toml("c", &line, &["model.rank=3".into()]).unwrap_err();
            assert!(error.to_string().contains("9223372036854775807"), "{error}");
            let config = Config::from_toml("c", "", &[format!("{key}=9223372036854775807")])
                .expect("the largest that TOML holds");
            assert_eq!(Config::from_toml("c", &config.to_toml(), &[]).expect("reads"), config);
        }
    }

    #[test]
    fn what_is_no_whole_number_is_refused_in_words() {
        for value in ["-1", "1.5", "abc", "18446744073709551616", "-9223372036854775809"] {
            let error = Config::from_toml("c", "", &[format!("seed={value}")]).unwrap_err();
            let error = error.to_string();
            let said = match value.starts_with("1844") {
                true => "a whole number up to 9223372036854775807",
                false => "a whole number, 0 or more",
            };
            assert!(error.contains(said) && !error.contains("u64"), "{error}");
        }
        let error = Config::from_toml("c", "seed = -1\n", &[]).unwrap_err().to_string();
        assert!(error.starts_with("c:1:8: expected a whole number, 0 or more"), "{error}");
    }

    #[test]
    fn what_a_setting_expects_is_said_in_words() {
        for (setting, said) in [
            ("training.learning_rate=abc", "expected a number, found string \"abc\""),
            ("ssn.min_count=-1", "expected a whole number, 0 or more, found"),
            ("rerank.scales=3", "expected a list, e.g. [1, 2], found"),
            ("rerank.normalise=3", "expected true or false, found"),
            (
                "training.schedule=2",
                "expected { plateau = NUMBER, factor = NUMBER }, found integer",
            ),
            ("data.vocabulary=5", "expected a section, whose settings are given one by one, found"),
            ("model=5", "expected a section, whose settings are given one by one, found"),
        ] {
            let error = Config::from_toml("c", "", &[setting.into()]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }

    #[test]
    fn a_word_that_is_none_of_those_expected_is_refused_with_them() {
        let error = Config::from_toml("c", "", &["training.optimizer=sgd".into()]).unwrap_err();
        let error = error.to_string();
        assert!(error.contains("unknown value `sgd`, expected `adam` or `adamw`"), "{error}");
    }

    #[test]
    fn what_is_not_a_config_is_said_to_be_none() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let path = base.path().join("a");
        for content in [&b"( (S (NN a)))\n"[..], b"\x00\xff\xfe{}", b"Some words here.\n"] {
            std::fs::write(&path, content).expect("writes");
            let error = Config::read(&path, &[]).unwrap_err().to_string();
            assert!(error.contains("this is not a config: "), "{error}");
        }
        std::fs::write(&path, "seed = = 3\n").expect("writes");
        assert!(Config::read(&path, &[]).unwrap_err().to_string().contains(":1:8"));
    }

    #[test]
    fn every_number_of_the_config_is_checked_to_fit_into_toml() {
        fn numbers(prefix: &str, table: &toml::Table, found: &mut Vec<String>) {
            for (key, value) in table {
                match value {
                    toml::Value::Table(inner) => numbers(&format!("{prefix}{key}."), inner, found),
                    toml::Value::Integer(_) => found.push(format!("{prefix}{key}")),
                    _ => {}
                }
            }
        }
        let mut config = Config::default();
        config.training.schedule = Some(Schedule { plateau: 2, factor: 0.5 });
        config.evaluation.every = Every::Steps(3);
        config.data.split_seed = Some(3);
        let mut found = Vec::new();
        numbers("", &toml::from_str(&config.to_toml()).expect("TOML"), &mut found);
        found.sort();
        let mut checked: Vec<_> =
            config.whole_numbers().into_iter().map(|(key, _)| key.to_owned()).collect();
        checked.sort();
        assert_eq!(found, checked);
    }
}
