//! The features of a list by a kernel that is derived from a log-linear model.

use super::Judged;
use super::gradient::{self, Blocks, Sum};
use super::perceptron::Vector;
use crate::config::{Gradients, Kernel, Rerank, ScoreOf};
use crate::parser::{Asked, LogLinear};
use crate::treebank::Tree;

/// How much less probable, nats, a candidate is than all others where the model cannot give it.
const IMPOSSIBLE: f64 = 20.0;

/// Makes vectors of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    kernel: Kernel,
    score: ScoreOf,
    weights: Gradients,
}

impl Derived {
    pub fn new(settings: &Rerank) -> Derived {
        let Rerank { kernel, score, weights, .. } = *settings;
        Derived { kernel, score, weights }
    }

    /// Rows that vectors may have.
    pub fn rows(&self, model: &dyn LogLinear) -> usize {
        match self.weights {
            Gradients::Output => model.decisions(),
            Gradients::All => model.rows(),
        }
    }

    /// Whether most rows of a vector have a value.
    pub fn is_dense(&self, model: &dyn LogLinear) -> bool {
        self.kernel != Kernel::TopEfficient && model.hidden() > 1
    }

    /// The gradient of a tree and its log-probability, -infinity where the model cannot give it and
    /// absent where nobody asks for it.
    fn gradient(
        &self,
        model: &dyn LogLinear,
        tree: &Tree,
        sum: &mut Sum,
    ) -> Option<(Option<f64>, Blocks)> {
        let has_more = model.rows() > model.decisions();
        if self.weights == Gradients::All && has_more {
            let (log_prob, rows) = model.gradient(tree)?;
            let mut blocks = Blocks::default();
            for (row, block) in rows {
                blocks.rows.push(row);
                blocks.values.extend(block);
            }
            return Some((Some(log_prob), blocks));
        }
        let is_whole = self.kernel != Kernel::TopEfficient;
        let asked = Asked { normalisers: is_whole, log_prob: self.score == ScoreOf::Model };
        if let Some(found) = model.output_gradient(tree, asked) {
            return Some((found.log_prob, Blocks { rows: found.rows, values: found.values }));
        }
        let trace = model.trace(tree, is_whole)?;
        let make = if is_whole { gradient::whole } else { gradient::taken };
        Some((Some(trace.log_prob()), make(&trace, sum)))
    }

    /// The vectors of a list's candidates. Their first component is the log-probability (log-odds
    /// against the rest of the list, of TOP reranking), not scaled. `sum` is for the model's rows.
    /// A candidate that the model cannot read has the log-probability alone.
    pub fn vectors(&self, model: &dyn LogLinear, list: &Judged, sum: &mut Sum) -> Vec<Vector> {
        let mut by_model = Vec::with_capacity(list.len());
        let mut gradients: Vec<Blocks> = Vec::with_capacity(list.len());
        for tree in &list.trees {
            let made = self.gradient(model, tree, sum);
            by_model.push(made.as_ref().and_then(|made| made.0).filter(|p| p.is_finite()));
            gradients.push(made.map(|made| made.1).unwrap_or_default());
        }
        let log_probs = match self.score {
            ScoreOf::List => list.log_probs(),
            ScoreOf::Model => possible(&by_model),
        };
        if self.kernel == Kernel::Fisher || list.len() < 2 {
            let vector = |(first, blocks)| Vector { first, blocks };
            return log_probs.into_iter().zip(gradients).map(vector).collect();
        }
        let odds = gradient::odds(&log_probs);
        let blocks = gradient::top(&log_probs, &gradients, sum);
        let vector = |(odds, blocks): (gradient::Odds, Blocks)| Vector { first: odds.v, blocks };
        odds.into_iter().zip(blocks).map(vector).collect()
    }
}

/// Log-probabilities with those put in that the model has not.
fn possible(log_probs: &[Option<f64>]) -> Vec<f64> {
    let least = log_probs.iter().flatten().copied().fold(0.0, f64::min);
    log_probs.iter().map(|p| p.unwrap_or(least - IMPOSSIBLE)).collect()
}
