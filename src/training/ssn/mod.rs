//! Training of the history-based parser: stochastic gradients on the derivations of trees.
//!
//! [`SsnTrainer`] is a state machine like [`Trainer`](super::Trainer): the same steps, evaluations,
//! schedule and state, of sentences with trees instead of batches of words.

mod data;
mod evaluate;
#[cfg(test)]
mod tests;
mod trainer;

pub use data::SsnData;
pub use trainer::{SsnEvaluated, SsnTrainer};
