//! Typed settings of a run, read from TOML, with every default in one place.
//!
//! Unknown keys are refused with the nearest known one; `--set a.b=value` edits
//! the table before it is typed, so that both ways give the same errors. Only
//! plain data lives here: what a setting *means* is the business of the floor
//! that uses it.

mod error;
mod presets;
mod sections;

pub use error::ConfigError;
pub use presets::{Preset, preset, presets};
pub use sections::{
    Compat, Config, Data, Evaluation, Every, Family, FunctionLabels, Model, Optimizer, Precision,
    Punctuation, Run, Schedule, Select, Sources, Training, VocabularyLimits,
};

use std::path::Path;

impl Config {
    /// Reads a config from TOML text; `name` stands in error messages.
    pub fn from_toml(name: &str, text: &str, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut table: toml::Table =
            toml::from_str(text).map_err(|e| ConfigError::syntax(name, text, &e))?;
        for setting in overrides {
            set(&mut table, setting)?;
        }
        let rendered = toml::to_string(&table).map_err(|e| ConfigError::invalid(name, &e))?;
        // Errors point into the user's own text while nothing was overridden.
        let source = if overrides.is_empty() { text } else { &rendered };
        let config: Config =
            toml::from_str(source).map_err(|e| ConfigError::syntax(name, source, &e))?;
        config.check(name)?;
        Ok(config)
    }

    /// Reads a config file.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Config, ConfigError> {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(path)
            .map_err(|e| ConfigError::Read { path: name.clone(), reason: e.to_string() })?;
        Config::from_toml(&name, &text, overrides)
    }

    /// The config with every default written out.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).expect("a config holds only TOML values")
    }
}

/// Applies one `key.path=value`; the value is TOML, or a bare string.
fn set(table: &mut toml::Table, setting: &str) -> Result<(), ConfigError> {
    let (key, value) = setting.split_once('=').ok_or_else(|| ConfigError::Setting {
        setting: setting.to_owned(),
        reason: "expected key=value, e.g. training.epochs=3".to_owned(),
    })?;
    let parsed = toml::from_str::<toml::Table>(&format!("v = {value}"))
        .ok()
        .and_then(|mut t| t.remove("v"))
        .unwrap_or_else(|| toml::Value::String(value.to_owned()));
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
    fn values_out_of_range_are_named() {
        for (text, key) in [
            ("[model]\nrank = 0\n", "model.rank"),
            ("[training]\nlearning_rate = -1.0\n", "training.learning_rate"),
            ("[training]\nbeta1 = 1.0\n", "training.beta1"),
            ("[training]\nschedule = { plateau = 2, factor = 1.5 }\n", "training.schedule.factor"),
        ] {
            let error = Config::from_toml("c", text, &[]).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        }
    }
}
