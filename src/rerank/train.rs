//! Training: one perceptron for every scale of the log-probability, side by side, and the choice
//! among them and their epochs on development sentences.

use super::base::{Base, folds};
use super::cost::FeatureCost;
use super::features::Derived;
use super::gradient::Sum;
use super::perceptron::{Over, Primal, Run, Update, Vector, learn_from};
use super::tree_kernel::{Nodes, Subtrees, TreeList, TreeSpace, TreeUpdate};
use super::weights::{Voters, Weights, difference, score_trees, score_vectors};
use super::{Judged, RerankError, Reranker};
use crate::config::{FirstWeights, Gradients, Kernel, Rerank, Vote};
use crate::evaluation::BracketTotals;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

/// Lists whose features are made at a time, of sparse and of dense ones.
const CHUNK: usize = 64;
const DENSE_CHUNK: usize = 2;

/// What is learned from.
#[derive(Clone, Copy)]
pub struct Lessons<'a> {
    pub train: &'a [Judged],
    /// Chooses scale and epoch; may be empty.
    pub dev: &'a [Judged],
}

/// How an epoch of one scale did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    pub scale: f64,
    pub epoch: usize,
    /// Comparisons and updates so far.
    pub steps: u64,
    pub updates: usize,
    /// On the development lists, percent.
    pub dev_f1: Option<f64>,
}

/// A training's result.
pub struct Trained {
    pub reranker: Reranker,
    /// All scales and epochs in the order of training.
    pub epochs: Vec<Epoch>,
    /// The one taken.
    pub chosen: Epoch,
    /// Of the training lists in the first epoch; of kernels that make vectors.
    pub cost: FeatureCost,
    /// Training lists that something could be learned from.
    pub lessons: usize,
}

/// Where a training is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    pub epoch: usize,
    /// Training lists done in the epoch.
    pub done: usize,
    pub of: usize,
}

/// Trains a reranker; `base` is what the kernel is derived from, which the tree kernel is not.
/// `go_on` hears of progress, and ends the training by `false`.
pub fn train(
    settings: &Rerank,
    base: Option<Base>,
    lessons: Lessons,
    go_on: &mut dyn FnMut(Position) -> bool,
) -> Result<Trained, RerankError> {
    if let Some(why) = Judged::no_lesson(lessons.train) {
        return Err(RerankError::NothingToLearn(why));
    }
    let useful = lessons.train.iter().filter(|list| list.is_lesson()).count();
    let mut trained = match (settings.kernel, base) {
        (Kernel::Tree, _) => train_trees(settings, lessons, go_on),
        (_, Some(base)) => train_vectors(settings, base, lessons, go_on),
        (kernel, None) => Err(RerankError::Unsupported(format!(
            "the kernel {} needs a model that it is derived from",
            kernel.name()
        ))),
    }?;
    trained.lessons = useful;
    Ok(trained)
}

/// One perceptron.
struct Learner<S, U> {
    scale: f64,
    space: S,
    run: Run,
    /// What updates added, where all versions are to vote.
    updates: Vec<U>,
}

impl<S, U> Learner<S, U> {
    fn report(&self, epoch: usize, dev_f1: Option<f64>) -> Epoch {
        let Run { steps, updates } = &self.run;
        Epoch { scale: self.scale, epoch, steps: *steps, updates: updates.len(), dev_f1 }
    }
}

/// The best epoch so far, with its weights.
struct Choice {
    epochs: Vec<Epoch>,
    best: Option<(Epoch, Weights)>,
}

impl Choice {
    /// Takes an epoch if it is better than all before: by development F1, or without development
    /// lists the last epoch of the scale nearest to 1.
    fn consider(&mut self, epoch: Epoch, weights: impl FnOnce() -> Weights) {
        self.epochs.push(epoch);
        let distance = |scale: f64| scale.ln().abs();
        let is_better = match &self.best {
            None => true,
            Some((best, _)) => match (epoch.dev_f1, best.dev_f1) {
                (Some(f1), Some(best)) => f1 > best,
                _ => distance(epoch.scale) <= distance(best.scale),
            },
        };
        if is_better {
            self.best = Some((epoch, weights()));
        }
    }

    fn end(self, reranker: impl FnOnce(Weights, f64) -> Reranker, cost: FeatureCost) -> Trained {
        let (chosen, weights) = self.best.expect("one epoch and scale at least");
        Trained {
            reranker: reranker(weights, chosen.scale),
            epochs: self.epochs,
            chosen,
            cost,
            lessons: 0,
        }
    }
}

/// First weight of the log-probability.
fn first(init: FirstWeights) -> f64 {
    if init == FirstWeights::Zero { 0.0 } else { 1.0 }
}

/// F1 of the candidates chosen.
fn f1(dev: &[Judged], choices: &[Option<usize>]) -> Option<f64> {
    let chosen = dev.iter().zip(choices).filter(|(list, _)| !list.agreements.is_empty());
    let chosen: Vec<_> = chosen.map(|(list, k)| &list.agreements[k.unwrap_or(0)]).collect();
    (!chosen.is_empty()).then(|| chosen.into_iter().collect::<BracketTotals>().f1())
}

/// Weights that decide, and what they were.
struct Deciding {
    weights: Vec<f64>,
    voters: Option<Voters<Vector>>,
}

type VectorLearner = Learner<Over<Vector>, Vector>;

impl VectorLearner {
    /// Learns from a list whose first components are not scaled.
    fn learn(&mut self, settings: &Rerank, at: (usize, usize), raw: &[Vector], f1: &[f64]) {
        let mut list = scaled(raw, self.scale);
        let known = self.run.updates.len();
        learn_from(&mut self.space, &mut list, at, f1, settings.loss, &mut self.run);
        if settings.vote == Vote::Voted {
            let added = self.run.updates[known..].iter();
            self.updates.extend(added.map(|update| of_update(&list, update, settings.init)));
        }
    }

    fn deciding(&self, settings: &Rerank) -> Deciding {
        let weights = match settings.vote {
            Vote::Last => self.space.weights.weights().to_vec(),
            _ => self.space.weights.averaged(self.run.steps),
        };
        let voters = (settings.vote == Vote::Voted)
            .then(|| Voters::new(first(settings.init), &self.run, self.updates.clone()));
        Deciding { weights, voters }
    }
}

fn scaled(raw: &[Vector], scale: f64) -> Vec<Vector> {
    let scaled = |vector: &Vector| Vector { first: scale * vector.first, ..vector.clone() };
    raw.iter().map(scaled).collect()
}

/// Makes the vectors of lists, some at a time.
struct VectorSource<'a> {
    base: &'a Base,
    derived: Derived,
    chunk: usize,
}

impl VectorSource<'_> {
    /// Applies `with` to the vectors of every list, on all cores. A list of the training has its
    /// part.
    fn for_each<R: Send>(
        &self,
        lists: &[(&Judged, Option<u32>)],
        with: impl Fn(&Judged, Vec<Vector>) -> R + Sync,
    ) -> Vec<R> {
        let model = &self.base.model;
        let of_list = |sum: &mut Sum, (list, fold): &(&Judged, Option<u32>)| {
            let model = fold.map_or(&**model, |fold| self.base.of(fold));
            with(list, self.derived.vectors(model, list, sum))
        };
        let sum = || Sum::new(self.derived.rows(&**model), model.hidden());
        lists.par_iter().map_init(sum, of_list).collect()
    }
}

fn train_vectors(
    settings: &Rerank,
    base: Base,
    Lessons { train, dev }: Lessons,
    go_on: &mut dyn FnMut(Position) -> bool,
) -> Result<Trained, RerankError> {
    let derived = Derived::new(settings);
    if settings.kernel == Kernel::TopEfficient && settings.weights == Gradients::All {
        let text = "the kernel top-efficient is of output weights: rerank.weights = \"output\"";
        return Err(RerankError::Unsupported(text.into()));
    }
    let chunk = if derived.is_dense(&*base.model) { DENSE_CHUNK } else { CHUNK };
    let source = VectorSource { base: &base, derived, chunk };
    let features = 1 + derived.rows(&*base.model) * base.model.hidden();
    let learner = |&scale: &f64| Learner {
        scale,
        space: Over::new(Primal::new(features, settings.init)),
        run: Run::default(),
        updates: Vec::new(),
    };
    let mut learners: Vec<VectorLearner> = settings.scales.iter().map(learner).collect();
    let mut choice = Choice { epochs: Vec::new(), best: None };
    let mut cost = FeatureCost::default();
    // Lists to learn from, by their numbers.
    let lessons: Vec<(usize, (&Judged, Option<u32>))> = train
        .iter()
        .zip(folds(train, settings.folds))
        .map(|(list, fold)| (list, Some(fold)))
        .enumerate()
        .filter(|(_, (list, _))| list.is_lesson())
        .collect();
    for epoch in 1..=settings.epochs {
        let mut done = 0;
        for chunk in lessons.chunks(source.chunk) {
            let start = Instant::now();
            let lists: Vec<_> = chunk.iter().map(|(_, list)| *list).collect();
            let made = source.for_each(&lists, |_, vectors| vectors);
            if epoch == 1 {
                made.iter().for_each(|vectors| cost.add(vectors, 0.0));
                cost.seconds += start.elapsed().as_secs_f64();
            }
            for ((i, (list, _)), vectors) in chunk.iter().zip(&made) {
                let f1 = list.f1();
                learners.iter_mut().for_each(|l| l.learn(settings, (epoch, *i), vectors, &f1));
            }
            done += chunk.len();
            if !go_on(Position { epoch, done, of: lessons.len() }) {
                return Err(RerankError::Stopped);
            }
        }
        let deciding: Vec<Deciding> = learners.iter().map(|l| l.deciding(settings)).collect();
        let dev_lists: Vec<_> = dev.iter().map(|list| (list, None)).collect();
        // Choices by development list, of every scale.
        let choices = source.for_each(&dev_lists, |_, vectors| -> Vec<Option<usize>> {
            let choose = |(learner, deciding): (&VectorLearner, &Deciding)| {
                let vectors = scaled(&vectors, learner.scale);
                score_vectors(&deciding.weights, deciding.voters.as_ref(), &vectors).chosen
            };
            learners.iter().zip(&deciding).map(choose).collect()
        });
        for (s, (learner, Deciding { weights, voters })) in
            learners.iter().zip(deciding).enumerate()
        {
            let chosen: Vec<Option<usize>> = choices.iter().map(|by_scale| by_scale[s]).collect();
            let report = learner.report(epoch, f1(dev, &chosen));
            choice.consider(report, || Weights::Vectors { weights, voters });
        }
    }
    let reranker = |weights, scale| Reranker::new(settings.clone(), scale, weights, Some(base));
    Ok(choice.end(reranker, cost))
}

/// What an update added to the weights.
fn of_update(list: &[Vector], update: &Update, init: FirstWeights) -> Vector {
    let mut added = difference(&list[update.reference], &list[update.candidate], update.delta);
    if init == FirstWeights::LogProbFixed {
        added.first = 0.0;
    }
    added
}

fn train_trees(
    settings: &Rerank,
    Lessons { train, dev }: Lessons,
    go_on: &mut dyn FnMut(Position) -> bool,
) -> Result<Trained, RerankError> {
    let mut subtrees = Subtrees::new(settings.lambda);
    let mut nodes = |lists: &[Judged]| -> Vec<Vec<Nodes>> {
        let of_list = |list: &Judged| list.trees.iter().map(|t| subtrees.nodes(t)).collect();
        lists.iter().map(of_list).collect()
    };
    let (train_nodes, dev_nodes) = (nodes(train), nodes(dev));
    let subtrees = Arc::new(subtrees);
    let votes = settings.vote == Vote::Voted;
    let learner = |&scale: &f64| {
        let mut space = TreeSpace::new(subtrees.clone(), settings.normalise, settings.init);
        if votes {
            space.keep_history();
        }
        Learner { scale, space, run: Run::default(), updates: Vec::<TreeUpdate>::new() }
    };
    let mut learners: Vec<Learner<_, _>> = settings.scales.iter().map(learner).collect();
    let mut choice = Choice { epochs: Vec::new(), best: None };
    let list = |space: &TreeSpace, judged: &Judged, nodes: &[Nodes], scale: f64| -> TreeList {
        space.list(nodes, judged.log_probs().iter().map(|p| scale * p).collect())
    };
    for epoch in 1..=settings.epochs {
        for begin in (0..train.len()).step_by(CHUNK) {
            let end = (begin + CHUNK).min(train.len());
            learners.par_iter_mut().for_each(|Learner { scale, space, run, .. }| {
                for i in (begin..end).filter(|&i| train[i].is_lesson()) {
                    let mut list = list(space, &train[i], &train_nodes[i], *scale);
                    let at = (epoch, i);
                    learn_from(space, &mut list, at, &train[i].f1(), settings.loss, run);
                }
            });
            if !go_on(Position { epoch, done: end, of: train.len() }) {
                return Err(RerankError::Stopped);
            }
        }
        for learner in &learners {
            let Learner { scale, space, run, .. } = learner;
            let deciding = match settings.vote {
                Vote::Last => space.clone(),
                _ => space.averaged(run.steps),
            };
            let voters =
                votes.then(|| Voters::new(first(settings.init), run, space.history().to_vec()));
            let choices: Vec<Option<usize>> = dev
                .par_iter()
                .zip(&dev_nodes)
                .map(|(judged, nodes)| {
                    let list = list(&deciding, judged, nodes, *scale);
                    score_trees(&deciding, voters.as_ref(), &list).chosen
                })
                .collect();
            let report = learner.report(epoch, f1(dev, &choices));
            choice.consider(report, || Weights::Trees { space: deciding, voters });
        }
    }
    let reranker = |weights, scale| Reranker::new(settings.clone(), scale, weights, None);
    Ok(choice.end(reranker, FeatureCost::default()))
}
