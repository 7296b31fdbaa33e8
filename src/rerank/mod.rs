//! Floor 4: a better choice among the candidates of a parser. Kernels derived from a probabilistic
//! model of the trees (Henderson & Titov 2005), or from their fragments (Collins & Duffy 2002), and
//! the modified voted perceptron.
//!
//! Candidate lists come in with gold trees for training ([`Judged`]); features of a list are made
//! when they are needed, and forgotten, so that no more than a few lists' are kept. The arithmetic
//! ([`gradient`], [`tree_kernel`], [`perceptron`]) knows numbers and trees, no files.

mod base;
mod cost;
mod error;
mod evaluate;
mod features;
mod file;
pub mod gradient;
mod judged;
mod making;
pub mod perceptron;
mod reranker;
mod statistics;
#[cfg(test)]
mod tests;
mod train;
pub mod tree_kernel;
mod weights;

pub use base::{Base, folds};
pub use cost::{FeatureCost, costs};
pub use error::RerankError;
pub use evaluate::{Choices, Outcome, System, significance, tree_lines};
pub use file::{RerankerFile, TrainingFacts};
pub use judged::Judged;
pub use making::{Sentences, candidates_of};
pub use reranker::{Parts, Reranker};
pub use statistics::{Comparison, ListStatistics};
pub use train::{Epoch, Lessons, Position, Trained, train};
pub use weights::Scored;
