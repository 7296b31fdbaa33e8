//! A tree as a log-linear model takes it: decision by decision, with what else was allowed.

use crate::treebank::Tree;
use std::borrow::Cow;

/// A parser whose log P(words, tree) is a sum over decisions d, each log-linear in a history vector
/// h: theta_d . h - log sum over the allowed t of exp(theta_t . h).
pub trait LogLinear: Send + Sync {
    /// Number of decisions: rows of theta.
    fn decisions(&self) -> usize;

    /// Size of a history vector.
    fn hidden(&self) -> usize;

    /// Number of rows of all weights, theta's first, each as long as a history vector.
    fn rows(&self) -> usize {
        self.decisions()
    }

    /// A row of the weights as people write it: a decision, of theta's.
    fn row_name(&self, row: u32) -> String;

    /// The decisions that give a tree, as in the trees of the training; `None` for a tree that the
    /// model cannot read, and a log-probability of -infinity where it has no such decision. With
    /// `allowed`, every step has the probabilities of what was allowed.
    fn trace(&self, tree: &Tree, allowed: bool) -> Option<Trace<'_>>;

    /// The gradient of log P with respect to theta in one piece, where a model has it cheaper than
    /// step by step; `None` as well for a tree that it cannot read.
    fn output_gradient(&self, _: &Tree, _: Asked) -> Option<OutputGradient> {
        None
    }

    /// log P of a tree and its gradient with respect to all weights; `None` for a tree that the
    /// model cannot read, and of a model that has no weights but theta.
    fn gradient(&self, _: &Tree) -> Option<(f64, Rows)> {
        None
    }
}

/// What is asked for of a gradient by theta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The normalisers are differentiated too; else they are frozen, and what is left is the sum of
    /// h over the steps at which a decision was taken.
    pub normalisers: bool,
    /// log P as well.
    pub log_prob: bool,
}

/// d log P / d theta.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputGradient {
    /// Nats, where it was asked for.
    pub log_prob: Option<f64>,
    /// Decisions with a value, ascending.
    pub rows: Vec<u32>,
    /// A history vector's size for each of them, one behind the other.
    pub values: Vec<f64>,
}

/// Rows of weights with their numbers, ascending; absent ones are zero.
pub type Rows = Vec<(u32, Vec<f64>)>;

/// The decisions behind a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace<'a> {
    pub steps: Vec<Step<'a>>,
    /// Log-probability of whatever is not log-linear, nats.
    pub rest: f64,
}

/// A decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Step<'a> {
    pub decision: u32,
    /// Of the decision, nats.
    pub log_prob: f64,
    /// The allowed decisions, the one taken among them, with their probabilities.
    pub allowed: Cow<'a, [(u32, f64)]>,
    /// h, by which the model decides.
    pub history: Cow<'a, [f64]>,
}

impl Trace<'_> {
    /// log P(words, tree), nats.
    pub fn log_prob(&self) -> f64 {
        self.rest + self.steps.iter().map(|step| step.log_prob).sum::<f64>()
    }
}
