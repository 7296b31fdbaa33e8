//! Floor 4: what the symbols of an induced grammar, or the states of an HMM, do, and where a
//! treebank contradicts itself ([`conflicts`]), was probably meant otherwise ([`slips`]) or is made to
//! be wrong ([`noise`]).
//!
//! [`symbols`] runs a frozen parser over sentences and tells for every nonterminal and
//! preterminal (or state) how often it is used, what it covers and how that agrees with gold
//! labels; [`likeliest_rules`], [`likeliest_words`] and [`neighbours`] read expansions, words and
//! transitions off the weights, [`similar_nonterminals`] and [`similar_words`] find symbols that do
//! the same, [`Alignment`] those that do it in another grammar. [`listing`] sorts and filters
//! symbols, [`tables`] writes them down. [`Consensus`] makes one tree of those that several models give a
//! sentence. [`alarms`] says what goes wrong in a training. Long work reports
//! its progress to a callback, which can stop it. Who shows the result is not known here.

pub mod alarms;
mod alignment;
pub mod conflicts;
mod consensus;
mod expansions;
#[cfg(test)]
pub(crate) mod fake;
pub mod listing;
mod matching;
mod neighbours;
pub mod noise;
mod similar;
pub mod slips;
mod symbols;
pub mod tables;
mod usage;

pub use alignment::{Aligned, Alignment, Matched, Partner};
pub use consensus::Consensus;
pub use expansions::{Rule, Rules, WordProbability, likeliest_rules, likeliest_words};
pub use neighbours::{Neighbours, neighbours, transitions};
pub use similar::{Similar, similar_nonterminals, similar_words};
pub use symbols::{GoldCover, Labelled, SymbolStatistics, Symbols, Yield, symbols};
pub use usage::{Agreement, Usage};

/// Why an analysis could not be finished.
#[derive(Debug, thiserror::Error)]
pub enum AnalysisError {
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    #[error("the parser gave {given} analyses for a batch of {expected} sentences")]
    Count { given: usize, expected: usize },
}
