//! Why one candidate has another score than the base parser's choice.

use crate::rerank::Parts;
use std::ops::Range;

/// The parts of a margin, which they sum to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributions {
    pub log_prob: f64,
    /// Decisions from the largest part down, whatever its sign.
    pub decisions: Vec<(u32, f64)>,
}

impl Contributions {
    /// Of a candidate's score less another one's.
    pub fn of(parts: &[Parts], candidate: usize, against: usize) -> Option<Contributions> {
        let margin = parts.get(candidate)?.minus(parts.get(against)?);
        let mut decisions: Vec<(u32, f64)> = margin.by_decision.into_iter().collect();
        decisions.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        Some(Contributions { log_prob: margin.log_prob, decisions })
    }

    /// The decisions of these places, and number and sum of all others.
    pub fn split(&self, shown: Range<usize>) -> (&[(u32, f64)], (usize, f64)) {
        let n = self.decisions.len();
        let shown = shown.start.min(n)..shown.end.min(n);
        let others = self.decisions[..shown.start].iter().chain(&self.decisions[shown.end..]);
        let sum = others.map(|(_, part)| part).sum();
        (&self.decisions[shown.clone()], (n - shown.len(), sum))
    }

    /// The largest part, for bars.
    pub fn largest(&self) -> f64 {
        let decision = self.decisions.first().map_or(0.0, |(_, part)| part.abs());
        decision.max(self.log_prob.abs())
    }
}
