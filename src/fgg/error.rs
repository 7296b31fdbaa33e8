//! Why a grammar cannot be read or used.

use super::reason::Reason;

/// Places are written as in the JSON file: `grammar.rules[2].rhs.edges[0]`, counted from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FggError {
    #[error("this is no JSON: {0}")]
    Json(String),
    #[error("{at}: {what}")]
    Invalid { at: String, what: String },
    #[error("the grammar is cyclic: {}", .cycle.join(" -> "))]
    Cyclic { cycle: Vec<String> },
    #[error("no rule has `yield`, which says what a rule contributes to a sentence")]
    NoYield,
    #[error("word {position}, `{word}`, is no value of a word node{}; the domain of the words is in the grammar's file", near(.nearest))]
    UnknownWord { word: String, position: usize, nearest: Option<String> },
    #[error("the grammar is no B-FGG: {}", told(.0))]
    NotB(Vec<(usize, Reason)>),
    #[error(
        "{at}: {what} would take more than {bound} numbers; make the domains smaller, or rules with fewer nodes"
    )]
    TooLarge { at: String, what: String, bound: usize },
    #[error("{sentence} words give more than {bound} rules; take a shorter sentence")]
    TooManyRules { sentence: usize, bound: usize },
    #[error(
        "{at}: products of its factors leave the range of double precision; scale the weights, which scales Z as well"
    )]
    Range { at: String },
    #[error("{at}: {what}; training needs weights from 0 on")]
    Negative { at: String, what: String },
    #[error("nothing can be trained: {0}")]
    Untrainable(String),
}

impl FggError {
    pub(super) fn invalid(at: impl Into<String>, what: impl Into<String>) -> FggError {
        FggError::Invalid { at: at.into(), what: what.into() }
    }
}

fn near(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or_else(String::new, |word| format!(", did you mean `{word}`?"))
}

/// Reasons told before the rest is counted.
const TOLD: usize = 5;

fn told(reasons: &[(usize, Reason)]) -> String {
    let shown = reasons.iter().take(TOLD).map(|(rule, reason)| format!("rule {rule}: {reason}"));
    let mut shown: Vec<String> = shown.collect();
    if let more @ 1.. = reasons.len().saturating_sub(TOLD) {
        shown.push(format!("{more} more"));
    }
    shown.join("; ")
}
