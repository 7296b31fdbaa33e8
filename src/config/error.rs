use super::keys::meant;
use super::words::{nearest, quoted};
use thiserror::Error;

/// What a setting that counts may be.
pub(super) const WHOLE_NUMBER: &str = "a whole number, 0 or more";

/// The same of a number that TOML cannot hold.
pub(super) const SMALLER: &str = "a whole number up to 9223372036854775807";

/// What stands where one value was given for all settings of a section.
const SECTION: &str = "a section, whose settings are given one by one";

/// Why a config cannot be used; every message names the place and what was expected.
#[derive(Debug, Error)]
pub enum ConfigError {
    #[error("{path}: {reason}")]
    Read { path: String, reason: String },
    #[error("{name}:{line}:{column}: {reason}")]
    Syntax { name: String, line: usize, column: usize, reason: String },
    #[error("--set {setting}: {reason}")]
    Setting { setting: String, reason: String },
    #[error("{name}: {key} = {value}: expected {expected}")]
    Value { name: String, key: &'static str, value: String, expected: &'static str },
    #[error("no preset named `{name}`{hint}; `rankspace presets` lists them")]
    Preset { name: String, hint: String },
    #[error("{name}: {reason}")]
    Invalid { name: String, reason: String },
}

impl ConfigError {
    pub(super) fn syntax(name: &str, text: &str, error: &toml::de::Error) -> ConfigError {
        let start = error.span().map_or(0, |s| s.start.min(text.len()));
        let before = text.get(..start).unwrap_or_default();
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1;
        ConfigError::Syntax {
            name: name.to_owned(),
            line,
            column,
            reason: with_suggestion(error.message()),
        }
    }

    pub(super) fn invalid(name: &str, error: &impl ToString) -> ConfigError {
        ConfigError::Invalid { name: name.to_owned(), reason: error.to_string() }
    }
}

/// Serde says "unknown field `x`, expected one of `a`, `b`": name the nearest first. Of a number
/// that TOML cannot hold it does not say what TOML can.
pub(super) fn with_suggestion(message: &str) -> String {
    if message.contains("value was too large") {
        return format!("expected {SMALLER}");
    }
    // "invalid value: integer `-1`, expected u64" is a programmer's word for it.
    for (kind, word) in [
        ("u64", WHOLE_NUMBER),
        ("u32", WHOLE_NUMBER),
        ("usize", WHOLE_NUMBER),
        ("f64", "a number"),
        ("a boolean", "true or false"),
        ("a string", "a text"),
        ("a sequence", "a list, e.g. [1, 2]"),
        ("struct Schedule", "{ plateau = NUMBER, factor = NUMBER }"),
        ("struct VocabularyLimits", SECTION),
        ("struct Data", SECTION),
        ("struct Model", SECTION),
        ("struct Training", SECTION),
        ("struct Evaluation", SECTION),
        ("struct Run", SECTION),
        ("struct Parser", SECTION),
        ("struct Ensemble", SECTION),
        ("struct Rerank", SECTION),
        ("struct Ssn", SECTION),
    ] {
        if let Some(found) = message.strip_suffix(&format!(", expected {kind}")) {
            let found = found.split_once(": ").map_or(found, |(_, found)| found);
            return format!("expected {word}, found {found}");
        }
    }
    let mut names = quoted(message);
    let known = [("unknown field", "key"), ("unknown variant", "value")];
    let found = known.into_iter().find(|(said, _)| message.starts_with(said));
    let (Some((said, what)), Some(unknown)) = (found, names.next()) else {
        return message.to_owned();
    };
    let best = match what {
        "key" => meant(unknown, names),
        _ => nearest(unknown, 0.7, names).map(|best| format!("`{best}`")),
    };
    match best {
        Some(best) => format!("unknown {what} `{unknown}`, did you mean {best}?"),
        None => message.replacen(said, &format!("unknown {what}"), 1),
    }
}
