//! How good a parser gets with the size of its training set.

use super::data::Part;
use super::{Analyses, EnsembleError};
use crate::config;
use crate::evaluation::BracketTotals;
use crate::parser;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use std::time::Instant;

/// Sizes of the paper's table, as far as there are so many sentences, and all of them.
const SIZES: [usize; 7] = [50, 100, 500, 1000, 5000, 10_000, 20_000];

/// Sentences parsed between two looks at whether to go on.
const CHUNK: usize = 256;

/// A parser trained on so many sentences.
#[derive(Clone, Debug, PartialEq)]
pub struct CurvePoint {
    pub sentences: usize,
    pub words: usize,
    pub test: BracketTotals,
    /// Test sentences that could not be parsed as asked.
    pub fallbacks: usize,
    /// For induction and for parsing.
    pub seconds: (f64, f64),
}

/// The sizes to train at.
pub fn curve_sizes(all: usize) -> Vec<usize> {
    SIZES.into_iter().filter(|&size| size < all).chain([all]).collect()
}

/// F1 points that twice the training set gives between two sizes: the difference, divided by the
/// number of doublings.
pub fn gain_of_doubling(smaller: &CurvePoint, larger: &CurvePoint) -> f64 {
    let doublings = (larger.sentences as f64 / smaller.sentences as f64).log2();
    (larger.test.f1() - smaller.test.f1()) / doublings
}

/// Trains at every size and parses the test sentences. Smaller sets are parts of the larger ones,
/// drawn by the seed. `point` is told of every size when it is done, and `go_on` after every part
/// of the work; either ends it by `false`.
pub fn learning_curve(
    settings: &config::Parser,
    (train, test): (&Part, &Part),
    sizes: &[usize],
    seed: u64,
    mut point: impl FnMut(CurvePoint) -> bool,
    mut go_on: impl FnMut() -> bool,
) -> Result<(), EnsembleError> {
    let inducer = parser::build(settings)?;
    let mut order: Vec<usize> = (0..train.sentences.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    for &size in sizes {
        let mut chosen = order[..size.min(order.len())].to_vec();
        // In the order of the corpus, which is that of all of it.
        chosen.sort_unstable();
        let trees: Vec<Arc<_>> = chosen.iter().map(|&i| train.sentences[i].tree.clone()).collect();
        let start = Instant::now();
        let parser = inducer.induce(&trees, &vec![1.0; trees.len()])?;
        let induced = Instant::now();
        let mut analyses = Analyses::default();
        while analyses.trees.len() < test.sentences.len() {
            analyses.extend(&*parser, test, CHUNK);
            if !go_on() {
                return Ok(());
            }
        }
        let done = CurvePoint {
            sentences: trees.len(),
            words: trees.iter().map(|tree| tree.len()).sum(),
            test: analyses.agreements().iter().collect(),
            fallbacks: analyses.fallbacks(),
            seconds: ((induced - start).as_secs_f64(), induced.elapsed().as_secs_f64()),
        };
        if !point(done) {
            return Ok(());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(sentences: usize, correct: u64) -> CurvePoint {
        let test =
            BracketTotals { correct, hypothesis: 100, reference: 100, exact: 0, sentences: 9 };
        CurvePoint { sentences, words: 0, test, fallbacks: 0, seconds: (0.0, 0.0) }
    }

    #[test]
    fn sizes_are_those_of_the_paper_up_to_all() {
        assert_eq!(curve_sizes(3541), [50, 100, 500, 1000, 3541]);
        assert_eq!(curve_sizes(500), [50, 100, 500]);
        assert_eq!(curve_sizes(3), [3]);
    }

    #[test]
    fn the_gain_is_by_doubling() {
        assert!((gain_of_doubling(&point(50, 40), &point(100, 46)) - 6.0).abs() < 1e-12);
        assert!((gain_of_doubling(&point(100, 40), &point(1600, 60)) - 5.0).abs() < 1e-12);
    }
}
