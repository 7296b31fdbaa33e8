//! Floor 1: how good trees and probabilities are. Knows spans, not models.
//!
//! Conventions, for every figure of this module unless its name says otherwise:
//! spans are `[start, end)` in words after preprocessing and without labels;
//! one-word spans, the whole-sentence span and duplicates are removed on both
//! sides; F1, precision and recall are in percent, log-probabilities in nats.

mod baseline;
mod constituents;
pub mod evalb;
mod literature;
mod ranking;
mod scores;
pub mod significance;
mod span;
mod spread;

pub use baseline::{balanced, left_branching, oracle, random, right_branching};
pub use constituents::{Agreement, BracketTotals, Constituent, Constituents, UNCOUNTED_TAGS};
pub use literature::{Literature, Published};
pub use ranking::Ranking;
pub use scores::{LabelCount, Scores, pcfg_perplexity};
pub use span::{Span, SpanComparison, sentence_f1, span_comparison};
pub use spread::Spread;
