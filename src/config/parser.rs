use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `[parser]`: how a supervised parser is induced, and how it searches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parser {
    pub family: ParserFamily,
    /// Labels that a phrase knows: its own, and from 2 on its parent's.
    pub vertical: usize,
    /// Sisters that a part of a phrase knows.
    pub horizontal: Horizontal,
    pub binarisation: Binarisation,
    pub heads: Heads,
}

impl Default for Parser {
    fn default() -> Self {
        Parser {
            family: ParserFamily::TreebankPcfg,
            vertical: 2,
            horizontal: Horizontal::Last(2),
            binarisation: Binarisation::Head,
            heads: Heads::English,
        }
    }
}

/// Supervised parsers by the names users write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ParserFamily {
    /// A markovised treebank grammar (Klein & Manning 2003).
    #[default]
    TreebankPcfg,
    /// Transitions chosen by an averaged perceptron.
    ShiftReduce,
}

impl ParserFamily {
    /// The name in configs, folders and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            ParserFamily::TreebankPcfg => "treebank-pcfg",
            ParserFamily::ShiftReduce => "shift-reduce",
        }
    }
}

/// Where a phrase of more than two children is taken apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Binarisation {
    /// From the head: its right sisters first, then its left ones.
    #[default]
    Head,
    LeftToRight,
}

/// Which child of a phrase is its head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heads {
    /// By a table for the labels of the Penn Treebank.
    #[default]
    English,
    First,
    Last,
}

/// A number of sisters, or `"all"`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizontal {
    Last(usize),
    All,
}

impl Serialize for Horizontal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Horizontal::Last(n) => serializer.serialize_u64(*n as u64),
            Horizontal::All => serializer.serialize_str("all"),
        }
    }
}

impl<'de> Deserialize<'de> for Horizontal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a number of sisters or \"all\"")]
        enum WordOrNumber {
            Word(String),
            Number(usize),
        }
        match WordOrNumber::deserialize(deserializer)? {
            WordOrNumber::Word(w) if w == "all" => Ok(Horizontal::All),
            WordOrNumber::Number(n) => Ok(Horizontal::Last(n)),
            WordOrNumber::Word(_) => {
                Err(serde::de::Error::custom("expected a number of sisters or \"all\""))
            }
        }
    }
}
