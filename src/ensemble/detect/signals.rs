use super::super::cartography::Location;
use super::super::data::{Annotated, Part};
use super::super::{Analyses, EnsembleError};
use crate::analysis::conflicts::Evidence;
use crate::analysis::slips::Slip;
use crate::config;
use crate::evaluation::{Agreement, Constituents};
use crate::parser::{self, TreeParser, Words};
use crate::treebank::assign;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Where a sentence has no slip at all, in nats.
const NO_SLIP: f64 = -30.0;

/// What the best single change of every tree gains, less the logarithm of the number of words: in a
/// long sentence something looks likelier by chance. In nats.
pub fn slips(part: &Part, best: &[Option<Slip>]) -> Vec<f64> {
    let score = |(slip, sentence): (&Option<Slip>, &Annotated)| {
        slip.as_ref().map_or(NO_SLIP, |slip| slip.gain) - (sentence.tree.len() as f64).ln()
    };
    best.iter().zip(&part.sentences).map(score).collect()
}

/// By chance.
pub fn random(sentences: usize, seed: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..sentences).map(|_| rng.random()).collect()
}

/// Words of every sentence.
pub fn length(part: &Part) -> Vec<f64> {
    part.sentences.iter().map(|s| s.tree.len() as f64).collect()
}

/// -log P of the annotated tree by a parser, nats a word; the greatest finite value where the
/// parser could not have given the tree, for then nothing is more surprising.
pub fn surprise(part: &Part, parser: &dyn TreeParser) -> Vec<f64> {
    let scores: Vec<f64> = part
        .sentences
        .par_iter()
        .map(|s| -parser.tree_score(&s.tree) / s.tree.len() as f64)
        .collect();
    let most = scores.iter().copied().filter(|s| s.is_finite()).fold(0.0, f64::max);
    scores.into_iter().map(|s| if s.is_finite() { s } else { most }).collect()
}

/// 1 - F1 of every sentence, by a parser of the other folds. `go_on` is told how many folds are
/// done, and ends it by `false`; then there is no result.
pub fn cross_validation(
    settings: &config::Parser,
    part: &Part,
    folds: usize,
    seed: u64,
    mut go_on: impl FnMut(usize) -> bool,
) -> Result<Option<Vec<f64>>, EnsembleError> {
    let trees = part.trees();
    let prepared = parser::build(settings)?.prepare(&trees)?;
    let fold_of = assign(&vec![1; trees.len()], &vec![1.0; folds], seed, None);
    let mut scores = vec![0.0; trees.len()];
    for fold in 0..folds {
        let weights: Vec<f64> = fold_of.iter().map(|&f| f64::from(u8::from(f != fold))).collect();
        if weights.iter().all(|w| *w == 0.0) {
            continue;
        }
        let parser = prepared.induce(&weights)?;
        let parsed: Vec<(usize, f64)> = (0..trees.len())
            .into_par_iter()
            .filter(|&i| fold_of[i] == fold)
            .map(|i| {
                let found = parser.parse(Words::new(trees[i].words())).tree;
                (i, 1.0 - part.sentences[i].agreement(&found).f1() / 100.0)
            })
            .collect();
        for (i, score) in parsed {
            scores[i] = score;
        }
        if !go_on(fold + 1) {
            return Ok(None);
        }
    }
    Ok(Some(scores))
}

/// Mean over all pairs of bags of 1 - F1 between their analyses.
pub fn bag_disagreement(part: &Part, bags: &[Analyses]) -> Vec<f64> {
    (0..part.sentences.len())
        .into_par_iter()
        .map(|i| {
            let trees = bags.iter().filter_map(|bag| bag.tree(i, part));
            let found: Vec<Constituents> = trees.map(|t| part.sentences[i].counted(&t)).collect();
            let pairs = found.iter().enumerate().flat_map(|(k, a)| {
                found[k + 1..].iter().map(move |b| 1.0 - a.agreement(b).f1() / 100.0)
            });
            let (sum, count) = pairs.fold((0.0, 0), |(sum, n), x| (sum + x, n + 1));
            if count == 0 { 0.0 } else { sum / f64::from(count) }
        })
        .collect()
}

/// Mean share of wrong constituents of every sentence over rounds or bags.
pub fn mean_error(rounds: &[Vec<Agreement>]) -> Vec<f64> {
    located(rounds, |place| place.mean_error)
}

/// Variance of that share.
pub fn error_variance(rounds: &[Vec<Agreement>]) -> Vec<f64> {
    located(rounds, |place| place.variance)
}

fn located(rounds: &[Vec<Agreement>], figure: impl Fn(Location) -> f64) -> Vec<f64> {
    let sentences = rounds.first().map_or(0, Vec::len);
    let errors = |i: usize| rounds.iter().map(move |round| round[i].error());
    (0..sentences).map(|i| Location::of(errors(i)).map_or(0.0, &figure)).collect()
}

/// The strongest evidence against every sentence, of any unit.
pub fn variation(evidence: &[Vec<Option<Evidence>>]) -> Vec<f64> {
    let sentences = evidence.first().map_or(0, Vec::len);
    let strength = |of_unit: &Vec<Option<Evidence>>, i: usize| {
        of_unit[i].as_ref().map_or(0.0, |evidence| evidence.strength)
    };
    (0..sentences)
        .map(|i| evidence.iter().map(|unit| strength(unit, i)).fold(0.0, f64::max))
        .collect()
}
