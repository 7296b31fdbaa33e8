//! Floor 4: many parsers instead of one. Bagging and boosting a treebank parser (Henderson & Brill
//! 2000), their vote, and what the weights of boosting say about the treebank.
//!
//! The arithmetic ([`boosting`], [`cartography`], [`voting`]) knows numbers and trees, no files and
//! no threads.

pub mod boosting;
pub mod cartography;
pub mod voting;
