//! What a reranker has learned, and the scores that it gives.

use super::perceptron::{Features, Run, Vector, Version, Votes, best, versions};
use super::tree_kernel::{TreeList, TreeSpace, TreeUpdate};

/// Weights, and all that there were before them where they vote.
#[derive(Clone, Debug)]
pub enum Weights {
    /// Of the log-probability and of the rows of a log-linear model.
    Vectors {
        weights: Vec<f64>,
        voters: Option<Voters<Vector>>,
    },
    Trees {
        space: TreeSpace,
        voters: Option<Voters<TreeUpdate>>,
    },
}

/// All versions of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Voters<U> {
    /// The first weight of the log-probability; all others begin at 0.
    pub first: f64,
    /// Steps that the weights before every update, and the last ones, survived.
    pub survivals: Vec<u64>,
    /// What every update added.
    pub updates: Vec<U>,
}

impl<U> Voters<U> {
    pub fn new(first: f64, run: &Run, updates: Vec<U>) -> Voters<U> {
        let survivals = versions(run).iter().map(|Version { survival, .. }| *survival).collect();
        Voters { first, survivals, updates }
    }

    fn votes(&self, first: impl Iterator<Item = f64>, gains: impl Fn(&U) -> Vec<f64>) -> Votes {
        let mut survivals = self.survivals.iter().copied();
        let scores = first.map(|first| self.first * first).collect();
        let mut votes = Votes::new(scores, survivals.next().unwrap_or(0));
        for (update, survival) in self.updates.iter().zip(survivals) {
            votes.next(gains(update), survival);
        }
        votes
    }
}

/// How the candidates of a list fare.
#[derive(Clone, Debug, PartialEq)]
pub struct Scored {
    /// <w, phi> of every candidate.
    pub scores: Vec<f64>,
    /// Steps by which it was elected, where all versions vote.
    pub votes: Option<Vec<u64>>,
    /// The candidate taken; `None` of no candidates.
    pub chosen: Option<usize>,
}

impl Scored {
    fn new(scores: Vec<f64>, votes: Option<Votes>) -> Scored {
        let chosen = match &votes {
            Some(votes) => votes.elected(),
            None => best(scores.iter().copied()),
        };
        Scored { scores, votes: votes.map(|v| v.votes().to_vec()), chosen }
    }
}

/// Scores vectors whose first components are scaled.
pub fn score_vectors(
    weights: &[f64],
    voters: Option<&Voters<Vector>>,
    vectors: &[Vector],
) -> Scored {
    let scores = vectors.iter().map(|vector| vector.dot(weights)).collect();
    let votes = voters.map(|voters| {
        let gains = |update: &Vector| vectors.iter().map(|v| product(update, v)).collect();
        voters.votes(vectors.iter().map(|v| v.first), gains)
    });
    Scored::new(scores, votes)
}

/// Scores a list of trees.
pub fn score_trees(
    space: &TreeSpace,
    voters: Option<&Voters<TreeUpdate>>,
    list: &TreeList,
) -> Scored {
    use super::perceptron::Space;
    let scores = (0..list.len()).map(|k| space.score(list, k)).collect();
    let votes =
        voters.map(|voters| voters.votes(list.first().iter().copied(), |u| space.gains(list, u)));
    Scored::new(scores, votes)
}

/// phi(reference) - phi(candidate), times delta.
pub fn difference(better: &Vector, worse: &Vector, delta: f64) -> Vector {
    let width = better.blocks.width().max(worse.blocks.width());
    let mut difference =
        Vector { first: delta * (better.first - worse.first), ..Vector::default() };
    let (mut left, mut right) = (better.blocks.iter().peekable(), worse.blocks.iter().peekable());
    loop {
        let row = match (left.peek(), right.peek()) {
            (Some((a, _)), Some((b, _))) => *a.min(b),
            (Some((row, _)), None) | (None, Some((row, _))) => *row,
            (None, None) => break,
        };
        let mut block = vec![0.0; width];
        for (side, sign) in [(&mut left, delta), (&mut right, -delta)] {
            if let Some((_, values)) = side.next_if(|(other, _)| *other == row) {
                block.iter_mut().zip(values).for_each(|(sum, x)| *sum += sign * x);
            }
        }
        if block.iter().any(|x| *x != 0.0) {
            difference.blocks.rows.push(row);
            difference.blocks.values.extend(block);
        }
    }
    difference
}

/// The inner product of two vectors.
pub fn product(a: &Vector, b: &Vector) -> f64 {
    let (mut left, mut right) = (a.blocks.iter().peekable(), b.blocks.iter().peekable());
    let mut sum = a.first * b.first;
    while let (Some((row, ours)), Some((other, theirs))) = (left.peek(), right.peek()) {
        let order = row.cmp(other);
        if order.is_eq() {
            sum += ours.iter().zip(*theirs).map(|(x, y)| x * y).sum::<f64>();
        }
        if order.is_le() {
            left.next();
        }
        if order.is_ge() {
            right.next();
        }
    }
    sum
}
