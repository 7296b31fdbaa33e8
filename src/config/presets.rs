//! Training presets: TOML files compiled in from `assets/presets/`.

use super::{Config, ConfigError, error::nearest};

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

    /// The preset as a config, edited by `--set` overrides.
    pub fn config(&self, overrides: &[String]) -> Result<Config, ConfigError> {
        Config::from_toml(&format!("preset {}", self.name), self.text, overrides)
    }
}

macro_rules! preset_files {
    ($($name:literal),+ $(,)?) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../../assets/presets/", $name, ".toml")) }),+]
    };
}

/// All presets, smallest first.
pub fn presets() -> &'static [Preset] {
    preset_files!["sample", "pcfg-small", "pcfg-medium", "pcfg-paper"]
}

/// The preset of that name.
pub fn preset(name: &str) -> Result<&'static Preset, ConfigError> {
    presets().iter().find(|p| p.name == name).ok_or_else(|| ConfigError::Preset {
        name: name.to_owned(),
        hint: nearest(name, presets().iter().map(|p| p.name))
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
    fn an_unknown_preset_is_refused_with_the_nearest() {
        let text = preset("pcfg-smal").unwrap_err().to_string();
        assert!(text.contains("did you mean `pcfg-small`"), "{text}");
    }
}
