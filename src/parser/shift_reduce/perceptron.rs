use super::lexical::{Labels, Roles, Words};
use super::state::Heads;
use super::weights::Weights;
use std::sync::Arc;

/// A perceptron that was trained.
pub struct Perceptron {
    pub(super) beam: usize,
    pub(super) heads: Heads,
    pub(super) labels: Arc<Labels>,
    pub(super) roles: Roles,
    pub(super) words: Words,
    pub(super) structure: Weights,
    pub(super) tagging: Weights,
}
