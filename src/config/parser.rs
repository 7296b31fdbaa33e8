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
    /// A label knows less of what is around it where with all it knows it is seen less often. 1 for
    /// grammars of few trees, and for those that are to give their trees back.
    pub min_count: u32,
    /// Phrases of one child are told from others (UNARY-INTERNAL).
    pub unary_internal: bool,
    /// Phrases without a sister are told from others (UNARY-EXTERNAL).
    pub unary_external: bool,
    /// Tags that are told apart where they have no sister (UNARY-DT, UNARY-RB). In this list and
    /// those below a label may end in `*`, which stands for any ending.
    pub unary_tags: Vec<String>,
    /// Tags know the label above them (TAG-PA).
    pub tag_parent: bool,
    /// Tags that know the label above that one, too (SPLIT-IN).
    pub tag_grandparent: Vec<String>,
    /// A word that has a tag at least so often makes it a tag of its own (SPLIT-AUX, SPLIT-CC);
    /// 0: none does.
    pub split_words: u32,
    /// Phrases that are told apart where they hold no other phrase (BASE-NP).
    pub base: Vec<String>,
    /// Phrases that are told apart where one of their kind ends as they do (RIGHT-REC-NP).
    pub right_recursive: Vec<String>,
    /// Tags that phrases know to be below them (DOMINATES-V).
    pub dominates: Vec<String>,
    /// Phrases that know the tag of their head (SPLIT-VP).
    pub head_tags: Vec<String>,
    pub lexicon: LexiconKind,
    /// Posterior below which the coarse grammar rules a symbol over a span out.
    pub prune: f64,
    /// Longest sentence in words that gets a whole chart; the chart of a longer one takes no more
    /// memory.
    pub max_length: usize,
    /// States that a shift-reduce parser follows at a time.
    pub beam: usize,
    /// Times that it sees every tree, at least.
    pub passes: u32,
    /// Draws the order in which it sees them.
    pub seed: u64,
}

impl Default for Parser {
    fn default() -> Self {
        let list = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
        Parser {
            family: ParserFamily::TreebankPcfg,
            vertical: 2,
            horizontal: Horizontal::Last(2),
            binarisation: Binarisation::Head,
            heads: Heads::English,
            min_count: 10,
            unary_internal: true,
            unary_external: false,
            unary_tags: list(&["DT", "RB"]),
            tag_parent: true,
            tag_grandparent: list(&["IN"]),
            split_words: 100,
            base: list(&["NP"]),
            right_recursive: Vec::new(),
            dominates: list(&["VB*", "MD"]),
            head_tags: list(&["VP"]),
            lexicon: LexiconKind::Smoothed,
            prune: 1e-4,
            max_length: 200,
            beam: 8,
            passes: 12,
            seed: 0,
        }
    }
}

impl Parser {
    /// Every whole number with its key.
    pub(super) fn whole_numbers(&self) -> [(&'static str, u64); 8] {
        let horizontal = match self.horizontal {
            Horizontal::Last(n) => n,
            Horizontal::All => 0,
        };
        [
            ("parser.vertical", self.vertical as u64),
            ("parser.horizontal", horizontal as u64),
            ("parser.min_count", self.min_count.into()),
            ("parser.split_words", self.split_words.into()),
            ("parser.max_length", self.max_length as u64),
            ("parser.beam", self.beam as u64),
            ("parser.passes", self.passes.into()),
            ("parser.seed", self.seed),
        ]
    }

    /// A key whose value cannot be used, with the value and what is expected.
    pub(super) fn out_of_range(&self) -> Option<(&'static str, String, &'static str)> {
        let Parser { vertical, prune, max_length, beam, passes, .. } = self;
        if !(1..=2).contains(vertical) {
            return Some(("parser.vertical", vertical.to_string(), "1 or 2"));
        }
        if !(0.0..=0.1).contains(prune) {
            return Some(("parser.prune", prune.to_string(), "a number in [0, 0.1]"));
        }
        if !(10..=500).contains(max_length) {
            let expected = "a number from 10 to 500";
            return Some(("parser.max_length", max_length.to_string(), expected));
        }
        for (key, value) in [("parser.beam", *beam), ("parser.passes", *passes as usize)] {
            if !(1..=1000).contains(&value) {
                return Some((key, value.to_string(), "a number from 1 to 1000"));
            }
        }
        None
    }

    /// A grammar without refinements, of labels that know their parents (`vertical`) and sisters
    /// (`horizontal`) alone.
    pub fn plain() -> Parser {
        Parser {
            min_count: 1,
            unary_internal: false,
            unary_external: false,
            unary_tags: Vec::new(),
            tag_parent: false,
            tag_grandparent: Vec::new(),
            split_words: 0,
            base: Vec::new(),
            right_recursive: Vec::new(),
            dominates: Vec::new(),
            head_tags: Vec::new(),
            ..Parser::default()
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

/// How tags of words are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LexiconKind {
    /// Rare words have the tags of words that look alike, too.
    #[default]
    Smoothed,
    /// Relative frequencies, which give an unknown word the probability 0.
    Relative,
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
