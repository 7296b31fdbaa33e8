use super::check::MAX_SMALLEST_TREE;
use thiserror::Error;

/// What is wrong with a grammar file, and on which line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GrammarError {
    #[error("line {line}: expected {expected}, found `{found}`")]
    Syntax { line: usize, expected: &'static str, found: String },
    #[error("line {line}: expected a weight (a positive, finite number), found `{found}`")]
    Weight { line: usize, found: String },
    #[error("line {line}: the weights of {symbol} add up to more than a number can hold")]
    WeightSum { line: usize, symbol: String },
    #[error("line {line}: this rule of {symbol} already stands on line {first}")]
    DuplicateRule { line: usize, symbol: String, first: usize },
    #[error("line {line}: the word `{word}` is already listed under {tag} on line {first}")]
    DuplicateWord { line: usize, tag: String, word: String, first: usize },
    #[error("line {line}: {symbol} has rules and words; a symbol has one or the other")]
    RulesAndWords { line: usize, symbol: String },
    #[error("line {line}: {symbol} has neither rules nor words")]
    Undefined { line: usize, symbol: String },
    #[error("line {line}: {symbol} is never used by a sentence")]
    Unreachable { line: usize, symbol: String },
    #[error("line {line}: {symbol} never ends in words: each of its rules leads back to itself")]
    Unproductive { line: usize, symbol: String },
    #[error("line {line}: the smallest tree of {symbol} has more than {MAX_SMALLEST_TREE} nodes")]
    TooLarge { line: usize, symbol: String },
    #[error(
        "line {line}: {symbol} draws no bracket and may be a whole sentence, \
         so it needs rules with one symbol on the right"
    )]
    ManyRoots { line: usize, symbol: String },
    #[error("the grammar has no rules: expected a line `[rules]` and rules below it")]
    Empty,
}

impl GrammarError {
    /// The line to open an editor at, counted from 1; none for an empty file.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::Syntax { line, .. }
            | Self::Weight { line, .. }
            | Self::WeightSum { line, .. }
            | Self::DuplicateRule { line, .. }
            | Self::DuplicateWord { line, .. }
            | Self::RulesAndWords { line, .. }
            | Self::Undefined { line, .. }
            | Self::Unreachable { line, .. }
            | Self::Unproductive { line, .. }
            | Self::TooLarge { line, .. }
            | Self::ManyRoots { line, .. } => Some(*line),
            Self::Empty => None,
        }
    }
}
