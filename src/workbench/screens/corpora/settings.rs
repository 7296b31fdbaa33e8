//! The settings of preprocessing, one a line, and how a key changes them.

use super::entries::ANY_LENGTH;
use crate::config::{
    Data, Discontinuous, Encoding, Format, FunctionLabels, Punctuation, UnaryChains,
};
use crate::treebank::{DATA_PRESETS, Preprocessing, PunctuationRule};

/// Limits to choose from, in words.
const LENGTHS: [usize; 6] = [10, 20, 40, 60, 100, ANY_LENGTH];

/// What is shown of a setting that is not set; a config leaves it out.
const UNSET: &str = "by content";

/// One setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Preset,
    Punctuation,
    Lowercase,
    Numbers,
    Traces,
    FunctionLabels,
    UnaryChains,
    Discontinuous,
    MinLength,
    MaxLength,
    Format,
    Encoding,
}

impl Setting {
    pub const ALL: [Setting; 12] = [
        Setting::Preset,
        Setting::Punctuation,
        Setting::Lowercase,
        Setting::Numbers,
        Setting::Traces,
        Setting::FunctionLabels,
        Setting::UnaryChains,
        Setting::Discontinuous,
        Setting::MinLength,
        Setting::MaxLength,
        Setting::Format,
        Setting::Encoding,
    ];

    /// The key in `[data]`.
    pub fn key(self) -> &'static str {
        match self {
            Setting::Preset => "preset",
            Setting::Punctuation => "punctuation",
            Setting::Lowercase => "lowercase",
            Setting::Numbers => "numbers",
            Setting::Traces => "traces",
            Setting::FunctionLabels => "function_labels",
            Setting::UnaryChains => "unary_chains",
            Setting::Discontinuous => "discontinuous",
            Setting::MinLength => "min_length",
            Setting::MaxLength => "max_length",
            Setting::Format => "format",
            Setting::Encoding => "encoding",
        }
    }

    /// What the values mean.
    pub fn help(self) -> &'static str {
        match self {
            Setting::Preset => "tags and rules of a kind of treebank; sets what is not set below",
            Setting::Punctuation => "remove or keep punctuation",
            Setting::Lowercase => "write words in lower case",
            Setting::Numbers => "write every number as N",
            Setting::Traces => "keep empty elements",
            Setting::FunctionLabels => "cut NP-SBJ to NP, or keep it",
            Setting::UnaryChains => {
                "phrases of the same words: keep all, the topmost, or one joined"
            }
            Setting::Discontinuous => "phrases with gaps: keep them, or attach parts elsewhere",
            Setting::MinLength => "shortest sentence in words",
            Setting::MaxLength => "longest sentence in words, of training sentences",
            Setting::Format => "format of the files, where their content shall not tell",
            Setting::Encoding => "bytes of the files, where they are not UTF-8",
        }
    }

    /// The value as it stands in a config.
    pub fn value(self, data: &Data) -> String {
        let quoted = |text: &str| format!("\"{text}\"");
        let p = Preprocessing::resolve(data).unwrap_or_default();
        match self {
            Setting::Preset => quoted(&data.preset),
            Setting::Punctuation if p.punctuation == PunctuationRule::Keep => quoted("keep"),
            Setting::Punctuation => quoted("remove"),
            Setting::Lowercase => p.lowercase.to_string(),
            Setting::Numbers => p.numbers.to_string(),
            Setting::Traces => p.traces.to_string(),
            Setting::FunctionLabels if p.function_labels == FunctionLabels::Keep => quoted("keep"),
            Setting::FunctionLabels => quoted("cut"),
            Setting::UnaryChains => quoted(match p.unary_chains {
                UnaryChains::Keep => "keep",
                UnaryChains::Collapse => "collapse",
                UnaryChains::Join => "join",
            }),
            Setting::Discontinuous => quoted(match p.discontinuous {
                Discontinuous::Keep => "keep",
                Discontinuous::Attach => "attach",
            }),
            Setting::MinLength => data.min_length.to_string(),
            Setting::MaxLength => data.max_length.to_string(),
            Setting::Format => data.format.map_or(UNSET.to_owned(), |f| quoted(f.name())),
            Setting::Encoding => data.encoding.map_or(UNSET.to_owned(), |e| quoted(e.name())),
        }
    }

    /// Turns to the next value.
    pub fn change(self, data: &mut Data) {
        let p = Preprocessing::resolve(data).unwrap_or_default();
        match self {
            Setting::Preset => {
                let at = DATA_PRESETS.iter().position(|name| *name == data.preset);
                let next = at.map_or(0, |i| (i + 1) % DATA_PRESETS.len());
                data.preset = DATA_PRESETS[next].into();
            }
            Setting::Punctuation => {
                let keeps = p.punctuation == PunctuationRule::Keep;
                data.punctuation =
                    Some(if keeps { Punctuation::Remove } else { Punctuation::Keep });
            }
            Setting::Lowercase => data.lowercase = Some(!p.lowercase),
            Setting::Numbers => data.numbers = Some(!p.numbers),
            Setting::Traces => data.traces = Some(!p.traces),
            Setting::FunctionLabels => {
                let keeps = p.function_labels == FunctionLabels::Keep;
                data.function_labels =
                    Some(if keeps { FunctionLabels::Cut } else { FunctionLabels::Keep });
            }
            Setting::UnaryChains => {
                data.unary_chains = Some(match p.unary_chains {
                    UnaryChains::Keep => UnaryChains::Collapse,
                    UnaryChains::Collapse => UnaryChains::Join,
                    UnaryChains::Join => UnaryChains::Keep,
                });
            }
            Setting::Discontinuous => {
                data.discontinuous = Some(match p.discontinuous {
                    Discontinuous::Keep => Discontinuous::Attach,
                    Discontinuous::Attach => Discontinuous::Keep,
                });
            }
            Setting::MinLength => data.min_length = data.min_length % 3 + 1,
            Setting::Format => data.format = next_of(&Format::ALL, data.format),
            Setting::Encoding => data.encoding = next_of(&Encoding::ALL, data.encoding),
            Setting::MaxLength => {
                let next = LENGTHS.iter().find(|n| **n > data.max_length);
                data.max_length = *next.unwrap_or(&LENGTHS[0]);
            }
        }
    }
}

/// The value behind the present one; none behind the last and before the first.
fn next_of<T: Copy + PartialEq>(all: &[T], present: Option<T>) -> Option<T> {
    match present.and_then(|p| all.iter().position(|v| *v == p)) {
        None => all.first().copied(),
        Some(at) => all.get(at + 1).copied(),
    }
}

/// The lines of `[data]` that differ between two settings.
pub fn changed_lines(before: &Data, after: &Data) -> String {
    let changed = Setting::ALL
        .iter()
        .filter(|s| s.value(before) != s.value(after) && s.value(after) != UNSET);
    let lines: Vec<String> =
        changed.map(|s| format!("{} = {}\n", s.key(), s.value(after))).collect();
    if lines.is_empty() { String::new() } else { format!("[data]\n{}", lines.concat()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    #[test]
    fn every_setting_changes_and_comes_back_round() {
        for setting in Setting::ALL {
            let before = Data::default();
            let mut data = before.clone();
            let mut seen = vec![setting.value(&data)];
            loop {
                setting.change(&mut data);
                let value = setting.value(&data);
                if seen.contains(&value) {
                    break;
                }
                seen.push(value);
            }
            assert!(seen.len() > 1, "{setting:?} {seen:?}");
            assert_eq!(setting.value(&data), setting.value(&before), "{seen:?}");
        }
    }

    #[test]
    fn changed_lines_are_a_config_that_has_the_same_effect() {
        let before = Data::default();
        assert_eq!(changed_lines(&before, &before), "");
        let mut after = before.clone();
        for setting in Setting::ALL {
            setting.change(&mut after);
        }
        let text = changed_lines(&before, &after);
        let config = Config::from_toml("edited", &text, &[]).expect("is a config");
        let resolved = |data| Preprocessing::resolve(data).expect("a known preset");
        assert_eq!(resolved(&config.data), resolved(&after));
        let lengths = |data: &Data| (data.min_length, data.max_length);
        assert_eq!(lengths(&config.data), lengths(&after));
    }
}
