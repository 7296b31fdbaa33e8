//! Weights of the tree kernel. <w, phi(T)> is a sum of kernels with the trees of all mistakes, which
//! is a sum over the subtrees in them: those that a candidate shares with its reference cancel.

use super::subtrees::{Nodes, SubtreeId, Subtrees};
use crate::config::FirstWeights;
use crate::rerank::perceptron::{Space, Update};
use std::sync::Arc;

/// Weights of the log-probability and of subtrees.
#[derive(Clone, Debug)]
pub struct TreeSpace {
    /// All that are met, those of the lists to come among them.
    subtrees: Arc<Subtrees>,
    /// Every tree counts as one of length 1.
    normalise: bool,
    first: Averaged,
    is_first_fixed: bool,
    /// By subtree; later ones have none.
    weights: Vec<Averaged>,
    /// Subtrees that have or had a weight, by production.
    by_production: Vec<Vec<SubtreeId>>,
    /// What every update changed, where it is kept for voting.
    history: Option<Vec<TreeUpdate>>,
}

/// A weight with what its mean over the steps needs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Averaged {
    now: f64,
    /// Sum over updates of the update times its step.
    late: f64,
    /// It stands in the list by production.
    is_listed: bool,
}

impl Averaged {
    fn add(&mut self, change: f64, step: u64) {
        self.now += change;
        self.late += change * step as f64;
    }
}

/// What an update changed: the weight of the log-probability, and weights of subtrees by production.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeUpdate {
    pub first: f64,
    pub changes: Vec<(SubtreeId, f64)>,
}

/// The candidates of a sentence as subtrees.
#[derive(Clone, Debug)]
pub struct TreeList {
    /// Scaled log-probabilities.
    first: Vec<f64>,
    candidates: Vec<Nodes>,
    /// 1, or 1 over the length of phi without the log-probability.
    norms: Vec<f64>,
    /// Subtrees of all candidates, by production, each once.
    subtrees: Vec<SubtreeId>,
    /// Sum over weighted subtrees s of their weight times C(s, n), for each of them.
    values: Vec<f64>,
}

impl TreeList {
    /// Number of candidates.
    pub fn len(&self) -> usize {
        self.candidates.len()
    }

    pub fn is_empty(&self) -> bool {
        self.candidates.is_empty()
    }

    /// Scaled log-probabilities.
    pub fn first(&self) -> &[f64] {
        &self.first
    }
}

impl TreeSpace {
    pub fn new(subtrees: Arc<Subtrees>, normalise: bool, init: FirstWeights) -> TreeSpace {
        let now = if init == FirstWeights::Zero { 0.0 } else { 1.0 };
        TreeSpace {
            subtrees,
            normalise,
            first: Averaged { now, ..Averaged::default() },
            is_first_fixed: init == FirstWeights::LogProbFixed,
            weights: Vec::new(),
            by_production: Vec::new(),
            history: None,
        }
    }

    /// From here on, what updates change is kept for voting.
    pub fn keep_history(&mut self) {
        self.history = Some(Vec::new());
    }

    /// Weights as read from a file: of the log-probability and of subtrees.
    pub fn with_weights(
        subtrees: Arc<Subtrees>,
        normalise: bool,
        first: f64,
        weights: impl IntoIterator<Item = (SubtreeId, f64)>,
    ) -> TreeSpace {
        let mut space = TreeSpace {
            first: Averaged { now: first, ..Averaged::default() },
            is_first_fixed: false,
            subtrees,
            normalise,
            weights: Vec::new(),
            by_production: Vec::new(),
            history: None,
        };
        weights.into_iter().for_each(|(id, weight)| space.change(id, weight, 0));
        space
    }

    pub fn subtrees(&self) -> &Arc<Subtrees> {
        &self.subtrees
    }

    /// The same weights where further subtrees were met.
    pub fn with_subtrees(&self, subtrees: Arc<Subtrees>) -> TreeSpace {
        TreeSpace { subtrees, ..self.clone() }
    }

    pub fn is_normalised(&self) -> bool {
        self.normalise
    }

    /// Weight of the log-probability.
    pub fn first(&self) -> f64 {
        self.first.now
    }

    /// Subtrees with their weights, ascending.
    pub fn weights(&self) -> impl Iterator<Item = (SubtreeId, f64)> {
        let all = self.weights.iter().enumerate();
        all.filter(|(_, w)| w.now != 0.0).map(|(id, w)| (id as SubtreeId, w.now))
    }

    /// The same with the mean of the weights over so many steps.
    pub fn averaged(&self, steps: u64) -> TreeSpace {
        let share = 1.0 / steps.max(1) as f64;
        let mean = |w: &Averaged| w.now - w.late * share;
        let weights = self.weights.iter().enumerate();
        let weights = weights.map(|(id, w)| (id as SubtreeId, mean(w))).filter(|(_, w)| *w != 0.0);
        let subtrees = self.subtrees.clone();
        TreeSpace::with_weights(subtrees, self.normalise, mean(&self.first), weights)
    }

    /// What updates changed, as far as it was kept.
    pub fn history(&self) -> &[TreeUpdate] {
        self.history.as_deref().unwrap_or_default()
    }

    fn change(&mut self, id: SubtreeId, change: f64, step: u64) {
        let at = id as usize;
        if self.weights.len() <= at {
            self.weights.resize(at + 1, Averaged::default());
        }
        self.weights[at].add(change, step);
        if !std::mem::replace(&mut self.weights[at].is_listed, true) {
            let production = self.subtrees.production(id) as usize;
            if self.by_production.len() <= production {
                self.by_production.resize(production + 1, Vec::new());
            }
            self.by_production[production].push(id);
        }
    }

    /// The candidates of a sentence, by their nodes; `first` are their scaled log-probabilities.
    pub fn list(&self, candidates: &[Nodes], first: Vec<f64>) -> TreeList {
        let mut subtrees: Vec<SubtreeId> =
            candidates.iter().flat_map(|nodes| nodes.0.iter().map(|(id, _)| *id)).collect();
        subtrees.sort_unstable_by_key(|id| (self.subtrees.production(*id), *id));
        subtrees.dedup();
        let norm = |nodes: &Nodes| match self.normalise {
            true => 1.0 / self.subtrees.kernel(nodes, nodes).sqrt(),
            false => 1.0,
        };
        let norms = candidates.iter().map(norm).collect();
        let candidates = candidates.to_vec();
        let values = subtrees.iter().map(|&id| self.value(id)).collect();
        TreeList { first, candidates, norms, subtrees, values }
    }

    /// Sum over weighted subtrees of their weight times C with this one.
    fn value(&self, id: SubtreeId) -> f64 {
        let production = self.subtrees.production(id) as usize;
        let weighted = self.by_production.get(production).map_or(&[][..], Vec::as_slice);
        let of = |&other: &SubtreeId| match self.weights[other as usize].now {
            0.0 => 0.0,
            weight => weight * self.subtrees.common(other, id),
        };
        weighted.iter().map(of).sum()
    }

    /// The score of every subtree of a candidate with its number of occurrences: they sum to the
    /// score without the log-probability.
    pub fn parts<'a>(
        &'a self,
        list: &'a TreeList,
        candidate: usize,
    ) -> impl Iterator<Item = (SubtreeId, f64)> + 'a {
        let norm = list.norms[candidate];
        list.candidates[candidate].0.iter().map(move |&(id, count)| {
            (id, norm * f64::from(count) * list.values[self.place(list, id)])
        })
    }

    fn place(&self, list: &TreeList, id: SubtreeId) -> usize {
        let key = |id: SubtreeId| (self.subtrees.production(id), id);
        let place = list.subtrees.binary_search_by_key(&key(id), |id| key(*id));
        place.expect("the list has the subtrees of its candidates")
    }

    /// What an update of the history adds to the scores of all candidates of a list.
    pub fn gains(&self, list: &TreeList, update: &TreeUpdate) -> Vec<f64> {
        let values = self.products(list, &update.changes);
        let of = |candidate: usize| {
            let nodes = list.candidates[candidate].0.iter();
            let products =
                nodes.map(|&(id, count)| f64::from(count) * values[self.place(list, id)]);
            update.first * list.first[candidate] + list.norms[candidate] * products.sum::<f64>()
        };
        (0..list.candidates.len()).map(of).collect()
    }

    /// Sums of weight times C, of these weighted subtrees with every subtree of the list; both are
    /// by production.
    fn products(&self, list: &TreeList, changes: &[(SubtreeId, f64)]) -> Vec<f64> {
        let production = |id: SubtreeId| self.subtrees.production(id);
        let mut from = 0;
        let mut of = |&id: &SubtreeId| {
            let own = production(id);
            while changes.get(from).is_some_and(|(other, _)| production(*other) < own) {
                from += 1;
            }
            let partners =
                changes[from..].iter().take_while(|(other, _)| production(*other) == own);
            partners.map(|&(other, change)| change * self.subtrees.common(other, id)).sum()
        };
        list.subtrees.iter().map(&mut of).collect()
    }

    /// What an update changes.
    fn update_of(&self, list: &TreeList, update: Update) -> TreeUpdate {
        let Update { candidate, reference, delta, .. } = update;
        let first = match self.is_first_fixed {
            true => 0.0,
            false => delta * (list.first[reference] - list.first[candidate]),
        };
        let mut changes: Vec<(SubtreeId, f64)> = Vec::new();
        for (k, delta) in [(reference, delta), (candidate, -delta)] {
            let nodes = list.candidates[k].0.iter();
            changes.extend(nodes.map(|&(id, n)| (id, delta * list.norms[k] * f64::from(n))));
        }
        changes.sort_unstable_by_key(|(id, _)| (self.subtrees.production(*id), *id));
        changes.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 += later.1;
            }
            same
        });
        changes.retain(|(_, change)| *change != 0.0);
        TreeUpdate { first, changes }
    }
}

impl Space for TreeSpace {
    type List = TreeList;

    fn score(&self, list: &TreeList, candidate: usize) -> f64 {
        let parts = self.parts(list, candidate).map(|(_, part)| part);
        self.first.now * list.first[candidate] + parts.sum::<f64>()
    }

    fn update(&mut self, list: &mut TreeList, update: Update) {
        let changed = self.update_of(list, update);
        self.first.add(changed.first, update.step);
        for &(id, change) in &changed.changes {
            self.change(id, change, update.step);
        }
        let products = self.products(list, &changed.changes);
        list.values.iter_mut().zip(products).for_each(|(value, more)| *value += more);
        if let Some(history) = &mut self.history {
            history.push(changed);
        }
    }
}
