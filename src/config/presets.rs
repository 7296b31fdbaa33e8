//! Training presets: TOML files compiled in from `assets/presets/`.

use super::{Config, ConfigError, key_of, nearest};

/// A named, documented config.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    /// The TOML text; its first comment line is the description.
    pub text: &'static str,
}

impl Preset {
    /// The first comment line of the file.
    pub fn description(&self) -> &'static str {
        self.text.lines().next().unwrap_or_default().trim_start_matches(['#', ' '])
    }

    /// The preset as a config, edited by `--set` overrides. Other training sentences come
    /// without the preset's development and test sets: those belong to its own.
    pub fn config(&self, overrides: &[String]) -> Result<Config, ConfigError> {
        let mut changes = Vec::new();
        if overrides.iter().any(|setting| key_of(setting) == "data.train") {
            changes.extend(["data.dev=", "data.test="].map(str::to_owned));
        }
        // Later changes hold: what is given for dev and test is kept.
        changes.extend_from_slice(overrides);
        Config::from_toml(&format!("preset {}", self.name), self.text, &changes)
    }
}

macro_rules! preset_files {
    ($($name:literal),+ $(,)?) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../../assets/presets/", $name, ".toml")) }),+]
    };
}

/// All presets: by family, smallest first.
pub fn presets() -> &'static [Preset] {
    preset_files![
        "sample",
        "pcfg-small",
        "pcfg-medium",
        "pcfg-paper",
        "tdpcfg-small",
        "npcfg-small",
        "cpcfg-small",
        "lpcfg-toy",
        "hmm-small",
        "lhmm-small",
        "hmm-dense",
        "hmm-medium",
        "hmm-paper-14",
        "hmm-paper-15",
        "hmm-ablation-12",
        "hmm-ablation-13",
        "hmm-ablation-14",
        "hmm-ablation-15",
        "exchange-rank-hmm",
        "exchange-lhmm",
        "ngram-5",
    ]
}

/// The preset of that name.
pub fn preset(name: &str) -> Result<&'static Preset, ConfigError> {
    presets().iter().find(|p| p.name == name).ok_or_else(|| ConfigError::Preset {
        name: name.to_owned(),
        hint: nearest(name, 0.7, presets().iter().map(|p| p.name))
            .map(|n| format!(", did you mean `{n}`?"))
            .unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_valid_and_described() {
        for preset in presets() {
            preset.config(&[]).unwrap_or_else(|e| panic!("{e}"));
            assert!(preset.text.starts_with("# "), "{} has no description", preset.name);
        }
    }

    #[test]
    fn other_training_sentences_drop_the_dev_and_test_sets_of_a_preset() {
        let data = |changes: &[&str]| {
            let changes: Vec<_> = changes.iter().map(|&c| c.to_owned()).collect();
            preset("pcfg-small").and_then(|p| p.config(&changes)).expect("valid").data
        };
        assert_eq!(data(&["seed=1"]).dev.0, ["sample:dev"]);
        let other = data(&["data.train=mine.mrg"]);
        assert_eq!((other.train.0.len(), other.dev.0.len(), other.test.0.len()), (1, 0, 0));
        let given = data(&["data.test=t.mrg", "data.train=mine.mrg"]);
        assert_eq!((given.dev.0.len(), &given.test.0[..]), (0, &["t.mrg".to_owned()][..]));
    }

    #[test]
    fn an_unknown_preset_is_refused_with_the_nearest() {
        let text = preset("pcfg-smal").unwrap_err().to_string();
        assert!(text.contains("did you mean `pcfg-small`"), "{text}");
    }
}
