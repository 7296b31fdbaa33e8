//! The modified voted perceptron (Henderson & Titov 2005, figure 1): every candidate of a sentence
//! is compared with the one of highest F1, and a mistake counts as much as the F1 that it costs.

mod dual;
mod primal;
mod vote;

pub use dual::Dual;
pub use primal::{Features, Over, Primal, Vector};
pub use vote::{Version, Votes, versions};

use crate::config::{FirstWeights, Loss};

/// How the perceptron learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    pub epochs: usize,
    pub loss: Loss,
    pub init: FirstWeights,
}

/// What weights are, and how they score: dense, sparse, or sums over kernels.
pub trait Space {
    /// The features of a sentence's candidates, ready for scoring.
    type List;

    /// <w, phi> of a candidate, by the weights of now.
    fn score(&self, list: &Self::List, candidate: usize) -> f64;

    /// w += delta (phi(reference) - phi(candidate)).
    fn update(&mut self, list: &mut Self::List, update: Update);
}

/// A mistake and what was done about it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Update {
    /// Comparisons before this one, over all epochs.
    pub step: u64,
    /// From 1.
    pub epoch: usize,
    /// Number of the list.
    pub sentence: usize,
    pub candidate: usize,
    pub reference: usize,
    pub delta: f64,
}

/// What training came to, beside the weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Comparisons over all epochs, with or without an update.
    pub steps: u64,
    pub updates: Vec<Update>,
}

/// The candidate of highest F1, the first of equal ones: y_1 of the paper.
pub fn reference(f1: &[f64]) -> usize {
    let best = |best: usize, k: usize| if f1[k] > f1[best] { k } else { best };
    (0..f1.len()).fold(0, best)
}

impl Loss {
    /// Delta(y_k, y_1): what preferring a candidate to the reference costs.
    pub fn of(self, f1: &[f64], reference: usize, candidate: usize) -> f64 {
        let lost = f1[reference] - f1[candidate];
        match self {
            Loss::F1 => lost,
            Loss::ZeroOne => f64::from(u8::from(lost > 0.0)),
        }
    }
}

/// Compares every candidate of a sentence with its reference; `f1` is of the candidates of all
/// sentences in order, `done` what the sentences before came to.
pub fn learn_from<S: Space>(
    space: &mut S,
    list: &mut S::List,
    (epoch, sentence): (usize, usize),
    f1: &[f64],
    loss: Loss,
    done: &mut Run,
) {
    let reference = reference(f1);
    // The reference's score by the weights of now, where it is known.
    let mut known = None;
    for candidate in (0..f1.len()).filter(|k| *k != reference) {
        let step = done.steps;
        done.steps += 1;
        let delta = loss.of(f1, reference, candidate);
        if delta <= 0.0 {
            continue;
        }
        let best = *known.get_or_insert_with(|| space.score(list, reference));
        if space.score(list, candidate) >= best {
            known = None;
            let update = Update { step, epoch, sentence, candidate, reference, delta };
            space.update(list, update);
            done.updates.push(update);
        }
    }
}

/// Trains over lists that are all at hand.
pub fn learn<S: Space>(
    space: &mut S,
    lists: &mut [S::List],
    f1: &[Vec<f64>],
    settings: Settings,
) -> Run {
    let mut run = Run::default();
    for epoch in 1..=settings.epochs {
        for (sentence, (list, f1)) in lists.iter_mut().zip(f1).enumerate() {
            learn_from(space, list, (epoch, sentence), f1, settings.loss, &mut run);
        }
    }
    run
}

/// The candidate of highest score, the first of equal ones.
pub fn best(scores: impl IntoIterator<Item = f64>) -> Option<usize> {
    let mut best: Option<(usize, f64)> = None;
    for (k, score) in scores.into_iter().enumerate() {
        if best.is_none_or(|(_, most)| score > most) {
            best = Some((k, score));
        }
    }
    best.map(|(k, _)| k)
}
