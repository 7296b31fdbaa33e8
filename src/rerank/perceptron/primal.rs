use super::{Space, Update};
use crate::config::FirstWeights;
use crate::rerank::gradient::Blocks;
use std::marker::PhantomData;

/// A feature vector whose first component is a log-probability.
pub trait Features {
    fn dot(&self, weights: &[f64]) -> f64;
    fn add_to(&self, scale: f64, weights: &mut [f64]);
}

/// All components.
impl Features for Vec<f64> {
    fn dot(&self, weights: &[f64]) -> f64 {
        self.iter().zip(weights).map(|(x, w)| x * w).sum()
    }

    fn add_to(&self, scale: f64, weights: &mut [f64]) {
        weights.iter_mut().zip(self).for_each(|(w, x)| *w += scale * x);
    }
}

/// A log-probability and blocks by decision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector {
    pub first: f64,
    pub blocks: Blocks,
}

impl Features for Vector {
    fn dot(&self, weights: &[f64]) -> f64 {
        self.first * weights[0] + self.blocks.dot(&weights[1..])
    }

    fn add_to(&self, scale: f64, weights: &mut [f64]) {
        weights[0] += scale * self.first;
        self.blocks.add_to(scale, &mut weights[1..]);
    }
}

/// Weights as a vector, and their mean over all steps so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Primal {
    weights: Vec<f64>,
    /// Sum over updates of the update times its step, which tells how long it was not there.
    late: Vec<f64>,
    /// The weight of the log-probability stays as it was.
    is_first_fixed: bool,
}

impl Primal {
    /// The first weights of so many features.
    pub fn new(features: usize, init: FirstWeights) -> Primal {
        let mut weights = vec![0.0; features];
        if let (FirstWeights::LogProbOne | FirstWeights::LogProbFixed, [first, ..]) =
            (init, &mut weights[..])
        {
            *first = 1.0;
        }
        let is_first_fixed = init == FirstWeights::LogProbFixed;
        Primal { late: vec![0.0; features], weights, is_first_fixed }
    }

    /// The weights of now.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Their mean over so many steps, each of which counts with the weights after it.
    pub fn averaged(&self, steps: u64) -> Vec<f64> {
        let share = 1.0 / steps.max(1) as f64;
        self.weights.iter().zip(&self.late).map(|(w, late)| w - late * share).collect()
    }
}

/// Weights with the kind of vectors that they are for.
#[derive(Clone, Debug, PartialEq)]
pub struct Over<F> {
    pub weights: Primal,
    kind: PhantomData<F>,
}

impl<F> Over<F> {
    pub fn new(weights: Primal) -> Over<F> {
        Over { weights, kind: PhantomData }
    }
}

impl<F: Features> Space for Over<F> {
    type List = Vec<F>;

    fn score(&self, list: &Vec<F>, candidate: usize) -> f64 {
        list[candidate].dot(&self.weights.weights)
    }

    fn update(&mut self, list: &mut Vec<F>, update: Update) {
        self.weights.move_by(&list[update.reference], &list[update.candidate], update);
    }
}

impl Primal {
    /// w += delta (phi(better) - phi(worse)).
    pub fn move_by(&mut self, better: &impl Features, worse: &impl Features, update: Update) {
        let Update { delta, step, .. } = update;
        let first = self.weights.first().copied();
        better.add_to(delta, &mut self.weights);
        worse.add_to(-delta, &mut self.weights);
        let late = delta * step as f64;
        better.add_to(late, &mut self.late);
        worse.add_to(-late, &mut self.late);
        if let (true, Some(first)) = (self.is_first_fixed, first) {
            self.weights[0] = first;
            self.late[0] = 0.0;
        }
    }
}
