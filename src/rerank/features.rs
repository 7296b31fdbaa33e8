//! The features of a list by a kernel that is derived from a log-linear model.

use super::Judged;
use super::gradient::{self, Blocks, Sum};
use super::perceptron::Vector;
use crate::config::{Kernel, ScoreOf};
use crate::parser::{LogLinear, Trace};

/// How much less probable, nats, a candidate is than all others where the model cannot give it.
const IMPOSSIBLE: f64 = 20.0;

/// Makes vectors of one kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derived {
    pub kernel: Kernel,
    pub score: ScoreOf,
}

impl Derived {
    /// The vectors of a list's candidates. Their first component is the log-probability (log-odds
    /// against the rest of the list, of TOP reranking), not scaled. `sum` is for the model's
    /// decisions. A candidate that the model cannot give has the log-probability alone.
    pub fn vectors(&self, model: &dyn LogLinear, list: &Judged, sum: &mut Sum) -> Vec<Vector> {
        let is_whole = self.kernel != Kernel::TopEfficient;
        let mut by_model = Vec::with_capacity(list.len());
        let mut gradients: Vec<Blocks> = Vec::with_capacity(list.len());
        for tree in &list.trees {
            let trace = model.trace(tree, is_whole);
            by_model.push(trace.as_ref().map(Trace::log_prob).filter(|p| p.is_finite()));
            gradients.push(match &trace {
                Some(trace) if is_whole => gradient::whole(trace, sum),
                Some(trace) => gradient::taken(trace, sum),
                None => Blocks::default(),
            });
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
