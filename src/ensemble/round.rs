use super::analyses::{Analyses, set_figures};
use super::boosting::{self, Judgement};
use super::data::{Annotated, Part};
use super::voting;
use crate::evaluation::{Agreement, Constituents};
use crate::report::Metrics;
use crate::treebank::Tree;
use rayon::prelude::*;

/// A round that is done: what it was trained with and what came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Round {
    /// From 1. Round 0 is the single parser, trained on the sentences as they are; it has no vote.
    pub number: u64,
    /// Weights of the training sentences before the round; they sum to 1.
    pub weights: Vec<f64>,
    /// How often each was drawn, where the training set was drawn.
    pub drawn: Option<Vec<u32>>,
    /// Weights after the round; of bags and of the single parser those before. `None` where
    /// boosting ends.
    pub next: Option<Vec<f64>>,
    /// Weight of the member's vote; `None` where it has none.
    pub vote: Option<f64>,
    /// Of every part of the data, the training sentences first.
    pub analyses: Vec<Analyses>,
    /// `error`, `vote`, `effective_size` and so on; of the members up to here `train_f1`,
    /// `test_exact` and so on, and of this one alone `member_train_f1` and so on.
    pub metrics: Metrics,
    /// Seconds for `induction`, `parsing` and `voting`.
    pub seconds: Metrics,
}

impl Round {
    /// What the parser of the round learns from: weights that sum to the number of sentences.
    pub fn training_weights(&self) -> Vec<f64> {
        match &self.drawn {
            Some(counts) => counts.iter().map(|&n| f64::from(n)).collect(),
            None => self.weights.iter().map(|d| d * self.weights.len() as f64).collect(),
        }
    }
}

/// What is told of a judgement.
pub(super) fn set_judgement(metrics: &mut Metrics, judgement: &Judgement) {
    let flag = |is: bool| f64::from(u8::from(is));
    metrics.set("error", judgement.weighted_error);
    metrics.set("epsilon", judgement.epsilon);
    metrics.set("epsilon_raw", judgement.epsilon_raw);
    metrics.set("clamped", flag(judgement.clamped()));
    metrics.set("failed", flag(judgement.verdict.is_none()));
    metrics.set("hard_mass", judgement.hard_mass);
    if let Some(verdict) = &judgement.verdict {
        metrics.set("beta", verdict.beta);
        metrics.set("vote", verdict.vote);
        metrics.set("z", verdict.z);
        metrics.set("effective_size", boosting::effective_size(&verdict.next));
    }
}

/// Figures of one member on all parts.
pub(super) fn set_member(metrics: &mut Metrics, analyses: &[Analyses], parts: &[&Part]) {
    for (analyses, part) in analyses.iter().zip(parts) {
        set_figures(metrics, &format!("member_{}", part.name), &analyses.agreements());
        metrics.set(format!("{}_fallbacks", part.name), analyses.fallbacks() as f64);
    }
}

/// How the vote of the members agrees with the annotation, for every sentence of a part.
/// `members` are their analyses of the part and their votes.
pub fn vote_on(part: &Part, members: &[(&Analyses, f64)]) -> Vec<Agreement> {
    if let [(only, _)] = members {
        return only.agreements();
    }
    let agreement = |(tree, annotated): (Option<Tree>, &Annotated)| {
        let found = tree.map_or_else(Constituents::default, |tree| annotated.counted(&tree));
        annotated.constituents.agreement(&found)
    };
    voted_trees(part, members).into_par_iter().zip(&part.sentences).map(agreement).collect()
}

/// The trees that the members agree on; `None` for sentences that some member has no tree of.
pub fn voted_trees(part: &Part, members: &[(&Analyses, f64)]) -> Vec<Option<Tree>> {
    let weights: Vec<f64> = members.iter().map(|(_, vote)| *vote).collect();
    let voted = |sentence: usize| {
        let trees = members.iter().map(|(analyses, _)| analyses.tree(sentence, part));
        let trees: Vec<Tree> = trees.collect::<Option<_>>()?;
        voting::vote(&trees.iter().collect::<Vec<_>>(), &weights)
    };
    (0..part.sentences.len()).into_par_iter().map(voted).collect()
}
