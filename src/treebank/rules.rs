//! The rules of preprocessing: data presets, and the settings that override them.

use super::notation::atom;
use super::{FileOptions, TreebankError};
use crate::config::{Data, Discontinuous, FunctionLabels, Punctuation, UnaryChains};
use serde::{Deserialize, Serialize};

/// What is done to a sentence between its file and the vocabulary: the data
/// preset with every key of the config that overrides it. Kept in checkpoints,
/// so that later sentences are treated as those of the training.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preprocessing {
    /// Name of the preset it began with.
    pub preset: String,
    pub punctuation: PunctuationRule,
    pub lowercase: bool,
    /// Every run of digits with its `.` and `,` becomes `N`.
    pub numbers: bool,
    /// Keep empty elements.
    pub traces: bool,
    pub function_labels: FunctionLabels,
    #[serde(default)]
    pub unary_chains: UnaryChains,
    #[serde(default)]
    pub discontinuous: Discontinuous,
    pub tokenizer: Tokenizer,
    /// How the files of the training are read; other files may be written otherwise, so it is
    /// not kept.
    #[serde(skip)]
    pub files: FileOptions,
}

/// Which words are left out as punctuation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PunctuationRule {
    Keep,
    /// Words all of whose characters are punctuation by their Unicode category
    /// (P*, less `%`, `&`, `@`, `§`, `‰`, which are read aloud), and tags without
    /// a letter or digit.
    Categories,
    /// Words under these tags; `.` also stands for `.-TTT`. Where there are no
    /// tags, the tags themselves as words, and the categories.
    Tags(Vec<String>),
}

/// How text is split into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Rules of the Penn Treebank, for English; text that is tokenised already stays as it is.
    Penn,
    /// At blanks.
    Blanks,
}

/// The data presets, by the names of `data.preset`.
pub const DATA_PRESETS: [&str; 7] = ["plain", "ptb", "gum", "craft", "icepahc", "text", "trees"];

/// What a data preset is for, in a line.
pub fn describe_data_preset(name: &str) -> Option<&'static str> {
    Some(match name {
        "plain" => "Data: any treebank; punctuation by Unicode category, lower case, numbers to N",
        "ptb" => "Data: Penn Treebank; its punctuation tags, sections 02-21, 22 and 23 of a folder",
        "gum" => "Data: GUM and other corpora with the tags HYPH, NFP and SYM; as ptb otherwise",
        "craft" => "Data: CRAFT, biomedical articles; tags as in gum, traces and functions removed",
        "icepahc" => "Data: IcePaHC, Icelandic; its punctuation tags, words split at blanks",
        "text" => "Data: text for language models; only lower case, words split at blanks",
        "trees" => "Data: trees for supervised parsers; words as written, no traces and functions",
        _ => return None,
    })
}

const PTB_TAGS: [&str; 9] = [",", ".", ":", "``", "''", "-LRB-", "-RRB-", "$", "#"];
/// OntoNotes-style tags: hyphens, symbols and non-final punctuation have tags of their own.
const GUM_TAGS: [&str; 12] =
    [",", ".", ":", "``", "''", "-LRB-", "-RRB-", "$", "#", "HYPH", "NFP", "SYM"];
const ICEPAHC_TAGS: [&str; 6] = [",", ".", "\"", "-", ":", ";"];

impl Default for Preprocessing {
    fn default() -> Self {
        Preprocessing {
            preset: "plain".into(),
            punctuation: PunctuationRule::Categories,
            lowercase: true,
            numbers: true,
            traces: false,
            function_labels: FunctionLabels::Cut,
            unary_chains: UnaryChains::Keep,
            discontinuous: Discontinuous::Keep,
            tokenizer: Tokenizer::Penn,
            files: FileOptions::default(),
        }
    }
}

impl Preprocessing {
    /// A preset by its name.
    pub fn preset(name: &str) -> Result<Preprocessing, TreebankError> {
        let tags =
            |tags: &[&str]| PunctuationRule::Tags(tags.iter().map(|t| (*t).into()).collect());
        let plain = Preprocessing { preset: name.into(), ..Preprocessing::default() };
        Ok(match name {
            "plain" => plain,
            "ptb" => Preprocessing { punctuation: tags(&PTB_TAGS), ..plain },
            "gum" | "craft" => Preprocessing { punctuation: tags(&GUM_TAGS), ..plain },
            "icepahc" => Preprocessing {
                punctuation: tags(&ICEPAHC_TAGS),
                tokenizer: Tokenizer::Blanks,
                ..plain
            },
            "text" => Preprocessing {
                punctuation: PunctuationRule::Keep,
                numbers: false,
                tokenizer: Tokenizer::Blanks,
                ..plain
            },
            "trees" => Preprocessing {
                punctuation: PunctuationRule::Keep,
                lowercase: false,
                numbers: false,
                ..plain
            },
            _ => {
                return Err(TreebankError::Preset {
                    name: name.into(),
                    known: DATA_PRESETS.join(", "),
                });
            }
        })
    }

    /// The keys of `[data]` that say the same, every one written out.
    pub fn to_data(&self) -> Data {
        let (punctuation, tags) = match &self.punctuation {
            PunctuationRule::Keep => (Punctuation::Keep, None),
            PunctuationRule::Categories => (Punctuation::Remove, None),
            PunctuationRule::Tags(tags) => (Punctuation::Remove, Some(tags.clone())),
        };
        Data {
            preset: self.preset.clone(),
            punctuation: Some(punctuation),
            punctuation_tags: tags,
            lowercase: Some(self.lowercase),
            numbers: Some(self.numbers),
            traces: Some(self.traces),
            function_labels: Some(self.function_labels),
            unary_chains: Some(self.unary_chains),
            discontinuous: Some(self.discontinuous),
            format: self.files.format,
            encoding: self.files.encoding,
            ..Data::default()
        }
    }

    /// The preset of the settings, with the keys that are set explicitly.
    pub fn resolve(data: &Data) -> Result<Preprocessing, TreebankError> {
        let mut p = Preprocessing::preset(&data.preset)?;
        if let Some(tags) = &data.punctuation_tags {
            // As tags stand in trees: `$(` is `$-LRB-` there.
            let tags = tags.iter().map(|tag| atom(tag).into_owned()).collect();
            p.punctuation = PunctuationRule::Tags(tags);
        }
        match data.punctuation {
            Some(Punctuation::Keep) => p.punctuation = PunctuationRule::Keep,
            Some(Punctuation::Remove) if p.punctuation == PunctuationRule::Keep => {
                p.punctuation = PunctuationRule::Categories;
            }
            Some(Punctuation::Remove) | None => {}
        }
        p.lowercase = data.lowercase.unwrap_or(p.lowercase);
        p.numbers = data.numbers.unwrap_or(p.numbers);
        p.traces = data.traces.unwrap_or(p.traces);
        p.function_labels = data.function_labels.unwrap_or(p.function_labels);
        p.unary_chains = data.unary_chains.unwrap_or(p.unary_chains);
        p.discontinuous = data.discontinuous.unwrap_or(p.discontinuous);
        p.files = FileOptions { format: data.format, encoding: data.encoding };
        Ok(p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_settings_override_the_preset() {
        let mut data = Data { preset: "gum".into(), ..Data::default() };
        data.lowercase = Some(false);
        data.punctuation_tags = Some(vec!["NN".into(), "$(".into()]);
        let rules = Preprocessing::resolve(&data).expect("valid");
        assert!(!rules.lowercase && rules.numbers);
        let tags = ["NN", "$-LRB-"].map(str::to_owned).to_vec();
        assert_eq!(rules.punctuation, PunctuationRule::Tags(tags));
        data.punctuation = Some(Punctuation::Keep);
        let rules = Preprocessing::resolve(&data).expect("valid");
        assert_eq!(rules.punctuation, PunctuationRule::Keep);
        let text = Data {
            preset: "text".into(),
            punctuation: Some(Punctuation::Remove),
            ..Data::default()
        };
        let rules = Preprocessing::resolve(&text).expect("valid");
        assert_eq!(rules.punctuation, PunctuationRule::Categories);
        let bad = Data { preset: "gumm".into(), ..Data::default() };
        let message = Preprocessing::resolve(&bad).unwrap_err().to_string();
        assert!(message.contains("gumm") && message.contains("icepahc"), "{message}");
    }

    #[test]
    fn every_preset_survives_serialisation() {
        for name in DATA_PRESETS {
            let rules = Preprocessing::preset(name).expect("known");
            let text = serde_json::to_string(&rules).expect("writes");
            assert_eq!(serde_json::from_str::<Preprocessing>(&text).expect("reads"), rules);
        }
    }

    #[test]
    fn a_preset_written_out_means_the_same() {
        for name in DATA_PRESETS {
            let rules = Preprocessing::preset(name).expect("known");
            assert_eq!(Preprocessing::resolve(&rules.to_data()).expect("valid"), rules);
            assert!(describe_data_preset(name).is_some(), "{name}");
        }
    }

    #[test]
    fn rules_kept_by_early_versions_are_read() {
        let text = r#"{"preset":"plain","punctuation":"categories","lowercase":true,"numbers":true,
            "traces":false,"function_labels":"cut","tokenizer":"penn"}"#;
        let rules: Preprocessing = serde_json::from_str(text).expect("reads");
        assert_eq!(rules, Preprocessing::default());
    }
}
