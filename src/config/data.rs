use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `[data]`: where sentences come from and what is done to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Data {
    /// A file, directory, glob or list of them; `sample:train` names the bundled sample.
    pub train: Sources,
    pub dev: Sources,
    pub test: Sources,
    /// Section folders, e.g. `"02-21"`, of a Penn-style directory. Empty: everything.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub sections: String,
    /// How the files write their sentences; where it is not given the content tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Bytes of the files; UTF-8 where it is not given, or what an XML file declares.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<Encoding>,
    /// `plain`, `ptb`, `gum`, `craft`, `icepahc`, `text` or `trees`; sets what the keys below leave
    /// unset.
    pub preset: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub punctuation: Option<Punctuation>,
    /// Tags that mark punctuation; where neither is given, Unicode categories decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub punctuation_tags: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowercase: Option<bool>,
    /// Every run of digits with its `.` and `,` becomes `N`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numbers: Option<bool>,
    /// Keep empty elements (`-NONE-`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<bool>,
    /// Whether `NP-SBJ` stays or is cut to `NP`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function_labels: Option<FunctionLabels>,
    /// What becomes of phrases over the same words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unary_chains: Option<UnaryChains>,
    /// What becomes of phrases whose words have a gap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub discontinuous: Option<Discontinuous>,
    /// Shortest and longest training sentence in words, after preprocessing.
    pub min_length: usize,
    pub max_length: usize,
    /// Draws the development set where `dev` names none; without it the run's seed does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split_seed: Option<u64>,
    pub vocabulary: VocabularyLimits,
}

impl Default for Data {
    fn default() -> Self {
        Data {
            train: Sources::default(),
            dev: Sources::default(),
            test: Sources::default(),
            sections: String::new(),
            format: None,
            encoding: None,
            preset: "plain".into(),
            punctuation: None,
            punctuation_tags: None,
            lowercase: None,
            numbers: None,
            traces: None,
            function_labels: None,
            unary_chains: None,
            discontinuous: None,
            min_length: 2,
            max_length: 40,
            split_seed: None,
            vocabulary: VocabularyLimits::default(),
        }
    }
}

/// One path or a list; written back as it is shortest.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources(pub Vec<String>);

impl Serialize for Sources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => serializer.serialize_str(one),
            many => serializer.collect_seq(many),
        }
    }
}

impl<'de> Deserialize<'de> for Sources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a path or a list of paths")]
        enum OneOrMany {
            One(String),
            Many(Vec<String>),
        }
        Ok(Sources(match OneOrMany::deserialize(deserializer)? {
            OneOrMany::One(path) => vec![path],
            OneOrMany::Many(paths) => paths,
        }))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Punctuation {
    Remove,
    Keep,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FunctionLabels {
    Cut,
    Keep,
}

/// Phrases that stand one directly over the other, over the same words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum UnaryChains {
    #[default]
    Keep,
    /// Only the topmost phrase stays.
    Collapse,
    /// One phrase stays, its label the labels of all, joined by `+` from the top.
    Join,
}

/// Phrases whose words have a gap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Discontinuous {
    /// They stay in the tree as they are, and are no gold spans.
    #[default]
    Keep,
    /// What stands apart from the head is attached higher, until no phrase has a gap.
    Attach,
}

/// How a file writes its sentences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// Penn-style brackets.
    Brackets,
    /// NEGRA export, version 3 or 4.
    Export,
    /// TIGER-XML.
    Tiger,
    /// One word a line with its tag, sentences between blank lines, as CoNLL has it.
    Columns,
    /// One JSON object a line.
    Json,
    /// Plain text, one tokenised sentence a line.
    Text,
}

impl Format {
    pub const ALL: [Format; 6] = [
        Format::Brackets,
        Format::Export,
        Format::Tiger,
        Format::Columns,
        Format::Json,
        Format::Text,
    ];

    /// The name in configs and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Brackets => "brackets",
            Format::Export => "export",
            Format::Tiger => "tiger",
            Format::Columns => "columns",
            Format::Json => "json",
            Format::Text => "text",
        }
    }
}

/// What the bytes of a file mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    #[serde(rename = "utf-8")]
    Utf8,
    /// ISO 8859-1, as older corpora are in.
    #[serde(rename = "latin-1")]
    Latin1,
}

impl Encoding {
    pub const ALL: [Encoding; 2] = [Encoding::Utf8, Encoding::Latin1];

    /// The name in configs and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 => "utf-8",
            Encoding::Latin1 => "latin-1",
        }
    }
}

/// `[data.vocabulary]`: most frequent training words kept; the others become the unknown word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VocabularyLimits {
    pub max_size: usize,
    pub min_count: usize,
}

impl Default for VocabularyLimits {
    fn default() -> Self {
        VocabularyLimits { max_size: 10_000, min_count: 1 }
    }
}
