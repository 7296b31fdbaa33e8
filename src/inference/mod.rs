//! Floor 2: dynamic programs over numbers.
//!
//! Only plain slices come in and go out: no words, no networks, no treebanks. A program takes
//! the few matrices that it reads and returns log-probabilities, marginals and the gradient with
//! respect to each of those matrices (by a hand-written outside pass), so that the networks
//! above can be trained by any means. Everything is generic over `f32` and `f64`.

pub mod calibrate;
pub mod decode;
pub mod dense_pcfg;
pub mod matrix;
pub mod order;
pub mod rank_hmm;
pub mod rank_pcfg;
mod real;
pub mod sparse_pcfg;
mod thin;

pub use real::{Real, vectorised};
