//! Floor 4: many parsers instead of one. Bagging and boosting a treebank parser (Henderson & Brill
//! 2000), their vote, and what the weights of boosting say about the treebank.
//!
//! [`Rounds`] is a state machine: every call of [`Rounds::advance`] does a small piece of work, so
//! that whoever owns the loop can answer commands in between; a complete [`Round`] is all that the
//! next one needs. The arithmetic ([`boosting`], [`cartography`], [`sampling`], [`voting`]) knows
//! numbers and trees, no files and no threads. What people
//! make of it all is kept in a [`ledger`].

mod analyses;
pub mod boosting;
pub mod cartography;
mod curve;
mod data;
pub mod detect;
mod error;
pub mod ledger;
mod round;
mod rounds;
pub mod sampling;
mod skeleton;
#[cfg(test)]
mod tests;
pub mod voting;
mod weak;

pub use analyses::{Analyses, Analysis, set_figures};
pub use curve::{CurvePoint, curve_sizes, gain_of_doubling, learning_curve};
pub use data::{Annotated, Data, Part, ROOT, rooted};
pub use error::EnsembleError;
pub use ledger::fingerprint;
pub use round::{Round, vote_on, voted_trees};
pub use rounds::{Ending, Progress, Rounds};
pub use skeleton::{Labels, Phrase, Skeleton};
pub use weak::{Learned, Trial, WeakCounts, weak_learning};
