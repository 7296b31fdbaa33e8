//! Lattice, backward pass and gradients of a batch.

use crate::inference::Real;
use crate::inference::rank_hmm::{Lattice, OutOfRange, RuleGradients, Rules, Steps};
use crate::model::ModelError;
use crate::model::words::Words;
use crate::treebank::Batch;

/// What the program finds of -mean log p over tokens.
pub(in crate::model) struct Inferred<T> {
    /// By batch index, nats.
    pub log_probs: Vec<f64>,
    pub gradients: RuleGradients<T>,
    pub steps: Steps<T>,
}

/// Forward, backward and gradients; in double precision where `T` is too narrow.
pub(in crate::model) fn infer<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    lattice: &mut Lattice<T>,
) -> Result<Inferred<T>, ModelError> {
    if let Ok(inferred) = run(rules, batch, words, lattice) {
        return Ok(inferred);
    }
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (mut buffers, start, wide_words) =
        (Default::default(), wide(rules.start), wide(rules.words));
    let rules = Rules {
        rank: rules.rank,
        start: &start,
        chain: rules.chain.widened(&mut buffers),
        words: &wide_words,
        word_scales: rules.word_scales,
        floor: rules.floor,
    };
    let Inferred { log_probs, gradients, steps } =
        run(&rules, batch, words, &mut Lattice::default()).map_err(|e| ModelError::Sentence {
            sentence: e.sentence,
            reason: format!(
                "the probability of its word {} is zero or not a number with these weights",
                e.position + 1
            ),
        })?;
    let narrow = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    let RuleGradients { start, log_words } = &gradients;
    let gradients = RuleGradients { start: narrow(start), log_words: narrow(log_words) };
    Ok(Inferred { log_probs, gradients, steps: steps.cast() })
}

fn run<T: Real>(
    rules: &Rules<'_, T>,
    batch: &Batch,
    words: &Words,
    lattice: &mut Lattice<T>,
) -> Result<Inferred<T>, OutOfRange> {
    let weight = -1.0 / batch.tokens() as f64;
    lattice.forward(rules, batch, &words.of_token)?;
    lattice.backward(rules);
    lattice.check()?;
    Ok(Inferred {
        log_probs: lattice.log_p().to_vec(),
        gradients: lattice.gradients(rules, weight),
        steps: lattice.steps(rules, weight),
    })
}
