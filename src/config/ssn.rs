use serde::{Deserialize, Serialize};

/// `[ssn]`: the history-based parser (Henderson 2003).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ssn {
    /// Units of a history vector.
    pub hidden: usize,
    /// A word is known with a tag that it has at least so often; the others are the tag's unknown
    /// word.
    pub min_count: u32,
    /// Chains of phrases of one child that occur at least so often become one label; 0: none does.
    pub unary_chains: u32,
    /// Most phrases of one label in a row of single children, less one; more where trees have more.
    pub repeats: u32,
    /// Derivations kept after every word.
    pub beam: usize,
    /// Moves tried of every derivation.
    pub branching: usize,
    /// Development sentences that are parsed at every evaluation.
    pub parsed: usize,
}

impl Default for Ssn {
    fn default() -> Self {
        Ssn {
            hidden: 80,
            min_count: 20,
            unary_chains: 0,
            repeats: 1,
            beam: 10,
            branching: 5,
            parsed: 200,
        }
    }
}

/// Most derivations of a beam; more take memory and help nobody.
const MOST_DERIVATIONS: usize = 100_000;

impl Ssn {
    /// Every whole number with its key.
    pub(super) fn whole_numbers(&self) -> [(&'static str, u64); 7] {
        [
            ("ssn.hidden", self.hidden as u64),
            ("ssn.min_count", self.min_count.into()),
            ("ssn.unary_chains", self.unary_chains.into()),
            ("ssn.repeats", self.repeats.into()),
            ("ssn.beam", self.beam as u64),
            ("ssn.branching", self.branching as u64),
            ("ssn.parsed", self.parsed as u64),
        ]
    }

    /// A key whose value cannot be used, with the value and what is expected.
    pub(super) fn out_of_range(&self) -> Option<(&'static str, String, &'static str)> {
        let Ssn { hidden, repeats, beam, branching, .. } = *self;
        if !(1..=10_000).contains(&hidden) {
            return Some(("ssn.hidden", hidden.to_string(), "a number from 1 to 10000"));
        }
        if repeats > 100 {
            return Some(("ssn.repeats", repeats.to_string(), "a number from 0 to 100"));
        }
        for (key, value) in [("ssn.beam", beam), ("ssn.branching", branching)] {
            if !(1..=MOST_DERIVATIONS).contains(&value) {
                return Some((key, value.to_string(), "a number from 1 to 100000"));
            }
        }
        None
    }
}

/// What holds for a history-based parser where a config says nothing, as TOML: it sees the trees as
/// other supervised parsers do.
pub(super) const HISTORY_BASED: &str = r#"
[data]
preset = "trees"
discontinuous = "attach"
min_length = 1
max_length = 1000000

[training]
epochs = 60
batch_size = 8
learning_rate = 0.001
beta1 = 0.9
clip = 5.0
weight_decay = 0.00001
patience = 3
schedule = { plateau = 1, factor = 0.5 }
"#;
