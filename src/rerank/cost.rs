//! What the features of a kernel cost.

use super::Judged;
use super::base::Base;
use super::features::Derived;
use super::gradient::Sum;
use super::perceptron::Vector;
use crate::config::{Kernel, Rerank};
use std::time::Instant;

/// Numbers and time of features.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FeatureCost {
    pub candidates: u64,
    pub non_zeros: u64,
    /// On the clock.
    pub seconds: f64,
}

impl FeatureCost {
    pub(super) fn add(&mut self, vectors: &[Vector], seconds: f64) {
        self.candidates += vectors.len() as u64;
        let non_zeros = vectors.iter().map(|vector| vector.blocks.non_zeros() as u64);
        self.non_zeros += non_zeros.sum::<u64>();
        self.seconds += seconds;
    }

    /// Non-zero features of a candidate.
    pub fn per_candidate(&self) -> f64 {
        self.non_zeros as f64 / self.candidates.max(1) as f64
    }
}

/// The features of the same lists by efficient TOP reranking, by TOP reranking in full and by the
/// Fisher kernel, one list after the other on one core.
pub fn costs(settings: &Rerank, base: &Base, lists: &[Judged]) -> Vec<(Kernel, FeatureCost)> {
    let mut costs = Vec::new();
    for kernel in [Kernel::TopEfficient, Kernel::Top, Kernel::Fisher] {
        let derived = Derived::new(&Rerank { kernel, ..settings.clone() });
        let model = &*base.model;
        let mut sum = Sum::new(derived.rows(model), model.hidden());
        let mut cost = FeatureCost::default();
        for list in lists {
            let start = Instant::now();
            let vectors = derived.vectors(model, list, &mut sum);
            cost.add(&vectors, start.elapsed().as_secs_f64());
        }
        costs.push((kernel, cost));
    }
    costs
}
