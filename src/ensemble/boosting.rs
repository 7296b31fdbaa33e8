//! The arithmetic of boosting (Henderson & Brill 2000, algorithm 4): from the weights of the
//! sentences and what a round got right to the round's vote and the next weights. Numbers only.

use crate::config::Update;
use crate::evaluation::Agreement;

/// What a round of boosting is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// `sum_i D(i) e_i`.
    pub weighted_error: f64,
    /// What the vote is made of, before it is clamped: the weighted error, or of the literal
    /// update 1 less the pooled accuracy.
    pub epsilon_raw: f64,
    /// At least `1 / 2m`.
    pub epsilon: f64,
    /// Mass of the weights on sentences at least half of whose constituents are wrong.
    pub hard_mass: f64,
    /// `None` where the round failed: it is wrong on half of the weight or more.
    pub verdict: Option<Verdict>,
}

impl Judgement {
    pub fn clamped(&self) -> bool {
        self.epsilon > self.epsilon_raw
    }
}

/// The vote of a round that did not fail, and what follows.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// `epsilon / (1 - epsilon)`.
    pub beta: f64,
    /// `alpha = 1/2 ln(1/beta)`.
    pub vote: f64,
    /// The sum that normalises the next weights.
    pub z: f64,
    /// Weights of the next round; they sum to 1.
    pub next: Vec<f64>,
}

/// Weights to begin with, and those after a failed round that is to start anew: `1/m` each.
pub fn uniform(m: usize) -> Vec<f64> {
    vec![1.0 / m as f64; m]
}

/// Judges a round by the weights `d` that it was trained with and its agreement with the
/// annotation, sentence by sentence. The default update multiplies a weight by
/// `beta (1 - e) + e`, the literal one by `beta a + b + c` (`beta` for a sentence without
/// constituents on either side).
pub fn judge(d: &[f64], agreements: &[Agreement], update: Update) -> Judgement {
    let weighted = |f: &dyn Fn(&Agreement) -> f64| -> f64 {
        d.iter().zip(agreements).map(|(weight, a)| weight * f(a)).sum()
    };
    let weighted_error = weighted(&Agreement::error);
    let epsilon_raw = match update {
        Update::Default => weighted_error,
        Update::Literal => match weighted(&|a| f64::from(a.total())) {
            0.0 => 0.0,
            all => 1.0 - weighted(&|a| f64::from(a.correct)) / all,
        },
    };
    let epsilon = epsilon_raw.max(0.5 / d.len() as f64);
    let verdict = (epsilon < 0.5).then(|| {
        let beta = epsilon / (1.0 - epsilon);
        let factor = |a: &Agreement| match update {
            Update::Default => beta * (1.0 - a.error()) + a.error(),
            Update::Literal if a.total() == 0 => beta,
            Update::Literal => {
                beta * f64::from(a.correct) + f64::from(a.spurious) + f64::from(a.missing)
            }
        };
        let mut next: Vec<f64> = d.iter().zip(agreements).map(|(w, a)| w * factor(a)).collect();
        let z = next.iter().sum::<f64>();
        next.iter_mut().for_each(|weight| *weight /= z);
        Verdict { beta, vote: -0.5 * beta.ln(), z, next }
    });
    let hard_mass = weighted(&|a| f64::from(u8::from(a.error() >= 0.5)));
    Judgement { weighted_error, epsilon_raw, epsilon, hard_mass, verdict }
}

/// How many sentences of equal weight would be as concentrated: `1 / sum_i D(i)^2`.
pub fn effective_size(d: &[f64]) -> f64 {
    1.0 / d.iter().map(|weight| weight * weight).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agreement() -> impl Strategy<Value = Agreement> {
        (0u32..9, 0u32..4, 0u32..4).prop_map(|(correct, spurious, missing)| Agreement {
            correct,
            spurious,
            missing,
        })
    }

    proptest! {
        /// Several rounds, so that weights are unequal.
        #[test]
        fn the_identities_of_adaboost_hold_in_every_unclamped_round(
            rounds in proptest::collection::vec(proptest::collection::vec(agreement(), 7), 1..6)
        ) {
            let mut d = uniform(7);
            for agreements in rounds {
                let judgement = judge(&d, &agreements, Update::Default);
                let Some(Verdict { vote, z, next, .. }) = &judgement.verdict else { break };
                prop_assert!((next.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                if !judgement.clamped() {
                    let epsilon = judgement.epsilon;
                    prop_assert!((z - 2.0 * epsilon).abs() < 1e-12, "Z_t = 2 eps_t");
                    let scaled: f64 = d
                        .iter()
                        .zip(&agreements)
                        .map(|(w, a)| w * ((1.0 - a.error()) * (-vote).exp() + a.error() * vote.exp()))
                        .sum();
                    prop_assert!((scaled - 2.0 * (epsilon * (1.0 - epsilon)).sqrt()).abs() < 1e-12);
                    prop_assert!((scaled - vote.exp() * z).abs() < 1e-12);
                    // A sentence's new mass, spread over its constituents by their factors 1
                    // and beta: what lies on wrong ones.
                    let wrong: f64 =
                        d.iter().zip(&agreements).map(|(w, a)| w * a.error() / z).sum();
                    prop_assert!((wrong - 0.5).abs() < 1e-12, "{wrong}");
                }
                d.clone_from(next);
            }
        }

        #[test]
        fn a_sentence_that_is_right_never_gains_on_one_that_is_wrong(
            agreements in proptest::collection::vec(agreement(), 5)
        ) {
            let d = uniform(5);
            if let Some(verdict) = judge(&d, &agreements, Update::Default).verdict {
                for (a, x) in agreements.iter().zip(&verdict.next) {
                    for (b, y) in agreements.iter().zip(&verdict.next) {
                        prop_assert!(a.error() < b.error() || x >= &(y - 1e-15));
                    }
                }
            }
        }
    }

    #[test]
    fn a_perfect_round_is_clamped_and_a_useless_one_fails() {
        let right = Agreement { correct: 3, ..Agreement::default() };
        let perfect = judge(&uniform(4), &[right; 4], Update::Default);
        assert!(perfect.clamped() && perfect.epsilon == 0.125);
        let verdict = perfect.verdict.expect("it did not fail");
        assert_eq!(verdict.next, uniform(4));
        assert!((verdict.vote - 0.5 * 7f64.ln()).abs() < 1e-15);
        let half = Agreement { correct: 1, spurious: 1, missing: 0 };
        let failed = judge(&uniform(4), &[half; 4], Update::Default);
        assert_eq!((failed.verdict, failed.hard_mass), (None, 1.0));
    }

    #[test]
    fn one_sentence_is_judged_without_dividing_by_nothing() {
        let right = Agreement { correct: 2, ..Agreement::default() };
        for update in [Update::Default, Update::Literal] {
            // 1/2m is one half for m = 1: no single sentence can be boosted.
            assert_eq!(judge(&uniform(1), &[right], update).verdict, None);
            let nothing = judge(&uniform(3), &[Agreement::default(); 3], update);
            assert_eq!(nothing.verdict.expect("clamped").next, uniform(3));
        }
    }

    #[test]
    fn the_literal_update_grows_with_the_length_of_the_sentence() {
        let short = Agreement { correct: 2, spurious: 1, missing: 1 };
        let long = Agreement { correct: 20, spurious: 10, missing: 10 };
        let ratio = |update| {
            // The others are right, so that the round does not fail.
            let right = Agreement { correct: 40, ..Agreement::default() };
            let agreements = [short, long, right, right, right];
            let verdict = judge(&uniform(5), &agreements, update).verdict.expect("good enough");
            verdict.next[1] / verdict.next[0]
        };
        assert!((ratio(Update::Default) - 1.0).abs() < 1e-12);
        assert!((ratio(Update::Literal) - 10.0).abs() < 1e-12);
    }

    #[test]
    fn the_effective_size_counts_sentences_that_matter() {
        assert!((effective_size(&uniform(8)) - 8.0).abs() < 1e-12);
        assert!((effective_size(&[0.5, 0.5, 0.0]) - 2.0).abs() < 1e-12);
    }
}
