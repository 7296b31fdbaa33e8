//! Floor 4: what the symbols of an induced grammar do.
//!
//! [`symbols`] runs a frozen parser over sentences and tells for every nonterminal and
//! preterminal how often it is used, what it covers and how that agrees with gold labels;
//! [`likeliest_rules`] and [`likeliest_words`] read expansions off the weights. [`Consensus`] makes
//! one tree of those that several models give a sentence. Long work reports
//! its progress to a callback, which can stop it. Who shows the result is not known here.

mod consensus;
mod expansions;
#[cfg(test)]
pub(crate) mod fake;
mod symbols;
mod usage;

pub use consensus::Consensus;
pub use expansions::{Rule, Rules, WordProbability, likeliest_rules, likeliest_words};
pub use symbols::{GoldCover, SymbolStatistics, Symbols, Yield, symbols};
pub use usage::{Agreement, Usage};

/// Why an analysis could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    #[error("the parser gave {given} analyses for a batch of {expected} sentences")]
    Count { given: usize, expected: usize },
}
