use super::Judged;
use super::base::Base;
use super::features::Derived;
use super::gradient::Sum;
use super::perceptron::Vector;
use super::weights::{Scored, Weights, score_trees, score_vectors};
use crate::config::Rerank;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A trained reranker.
pub struct Reranker {
    pub settings: Rerank,
    /// What log-probabilities are multiplied by.
    pub scale: f64,
    pub(super) weights: Weights,
    /// What the kernel is derived from; the tree kernel is from nothing.
    pub(super) base: Option<Base>,
}

/// Why a candidate has its score: the log-probability's part and those of decisions, or of
/// productions of the tree kernel. They sum to the score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub log_prob: f64,
    pub by_decision: BTreeMap<u32, f64>,
}

impl Parts {
    /// The parts of the margin over another candidate, which they sum to.
    pub fn minus(&self, other: &Parts) -> Parts {
        let mut margin = self.clone();
        margin.log_prob -= other.log_prob;
        for (decision, part) in &other.by_decision {
            *margin.by_decision.entry(*decision).or_default() -= part;
        }
        margin.by_decision.retain(|_, part| *part != 0.0);
        margin
    }

    /// The score, or the margin.
    pub fn sum(&self) -> f64 {
        self.log_prob + self.by_decision.values().sum::<f64>()
    }
}

impl Reranker {
    pub(super) fn new(
        settings: Rerank,
        scale: f64,
        weights: Weights,
        base: Option<Base>,
    ) -> Reranker {
        Reranker { settings, scale, weights, base }
    }

    /// Scores all candidates of all lists, on all cores. Only the best candidates by the base
    /// parser are known to lists, as many as [`Rerank::candidates`] says in training.
    pub fn score(&self, lists: &[Judged]) -> Vec<Scored> {
        match &self.weights {
            Weights::Vectors { weights, voters } => lists
                .par_iter()
                .map_init(
                    || self.sum(),
                    |sum, list| score_vectors(weights, voters.as_ref(), &self.vectors(list, sum)),
                )
                .collect(),
            Weights::Trees { space, voters } => {
                let (space, nodes) = self.met(space, lists);
                let score = |(list, nodes): (&Judged, &Vec<_>)| {
                    let list = space.list(nodes, self.scaled(list));
                    score_trees(&space, voters.as_ref(), &list)
                };
                lists.par_iter().zip(&nodes).map(score).collect()
            }
        }
    }

    /// Why the candidates of a list have their scores.
    pub fn explain(&self, list: &Judged) -> Vec<Parts> {
        match &self.weights {
            Weights::Vectors { weights, .. } => {
                let parts = |vector: &Vector| {
                    let width = vector.blocks.width();
                    let part = |(row, block): (u32, &[f64])| {
                        let weights = &weights[1 + row as usize * width..];
                        (row, block.iter().zip(weights).map(|(x, w)| x * w).sum())
                    };
                    Parts {
                        log_prob: vector.first * weights[0],
                        by_decision: vector.blocks.iter().map(part).collect(),
                    }
                };
                self.vectors(list, &mut self.sum()).iter().map(parts).collect()
            }
            Weights::Trees { space, .. } => {
                let (space, nodes) = self.met(space, std::slice::from_ref(list));
                let first = self.scaled(list);
                let prepared = space.list(&nodes[0], first.clone());
                let parts = |(k, first): (usize, &f64)| {
                    let mut parts = Parts { log_prob: first * space.first(), ..Parts::default() };
                    for (id, part) in space.parts(&prepared, k) {
                        let production = space.subtrees().production(id);
                        *parts.by_decision.entry(production).or_default() += part;
                    }
                    parts
                };
                first.iter().enumerate().map(parts).collect()
            }
        }
    }

    /// What the numbers in [`Parts`] mean. Productions of the tree kernel that no training tree had
    /// have no weight, and no number of their own.
    pub fn decision_name(&self, decision: u32) -> String {
        match (&self.weights, &self.base) {
            (Weights::Trees { space, .. }, _) => space.subtrees().production_name(decision),
            (_, Some(base)) => base.model.row_name(decision),
            (_, None) => decision.to_string(),
        }
    }

    /// Number of weights that are not 0.
    pub fn weight_count(&self) -> usize {
        match &self.weights {
            Weights::Vectors { weights, .. } => weights.iter().filter(|w| **w != 0.0).count(),
            Weights::Trees { space, .. } => {
                space.weights().count() + usize::from(space.first() != 0.0)
            }
        }
    }

    fn sum(&self) -> Sum {
        let derived = Derived::new(&self.settings);
        let size = |base: &Base| (derived.rows(&*base.model), base.model.hidden());
        let (rows, hidden) = self.base.as_ref().map_or((0, 0), size);
        Sum::new(rows, hidden)
    }

    /// Scaled log-probabilities.
    fn scaled(&self, list: &Judged) -> Vec<f64> {
        list.log_probs().iter().map(|p| self.scale * p).collect()
    }

    fn vectors(&self, list: &Judged, sum: &mut Sum) -> Vec<Vector> {
        let Some(base) = &self.base else { return Vec::new() };
        let mut vectors = Derived::new(&self.settings).vectors(&*base.model, list, sum);
        vectors.iter_mut().for_each(|vector| vector.first *= self.scale);
        vectors
    }

    /// The weights with the subtrees of these lists met, and the lists' nodes.
    fn met(
        &self,
        space: &super::tree_kernel::TreeSpace,
        lists: &[Judged],
    ) -> (super::tree_kernel::TreeSpace, Vec<Vec<super::tree_kernel::Nodes>>) {
        let mut subtrees = (**space.subtrees()).clone();
        let of_list = |list: &Judged| list.trees.iter().map(|t| subtrees.nodes(t)).collect();
        let nodes = lists.iter().map(of_list).collect();
        (space.with_subtrees(Arc::new(subtrees)), nodes)
    }
}
