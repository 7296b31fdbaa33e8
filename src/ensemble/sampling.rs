//! Training sets drawn with replacement. Numbers only.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How often each sentence is drawn in as many draws as there are sentences, by probabilities that
/// sum to 1. A seed and a round give the same sample everywhere.
pub fn resample(d: &[f64], seed: u64, round: u64) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(round);
    let mut sum = 0.0;
    let cumulative: Vec<f64> = d
        .iter()
        .map(|p| {
            sum += p;
            sum
        })
        .collect();
    let mut counts = vec![0.0; d.len()];
    for _ in 0..d.len() {
        let at = rng.random::<f64>() * sum;
        let i = cumulative.partition_point(|&c| c <= at);
        // Rounding may put a draw behind the last sentence that can be drawn.
        let last = || d.iter().rposition(|p| *p > 0.0).unwrap_or(d.len() - 1);
        counts[if i < d.len() { i } else { last() }] += 1.0;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_are_drawn_as_there_are_and_by_their_weights() {
        let mut d = vec![0.5 / 999.0; 1000];
        d[7] = 0.5;
        d[8] = 0.0;
        let counts = resample(&d, 1, 1);
        assert_eq!(counts.iter().sum::<f64>(), 1000.0);
        assert!((450.0..550.0).contains(&counts[7]) && counts[8] == 0.0);
    }

    #[test]
    fn bags_are_the_same_for_a_seed_and_differ_by_round() {
        let d = vec![0.01; 100];
        assert_eq!(resample(&d, 5, 2), resample(&d, 5, 2));
        assert_ne!(resample(&d, 5, 2), resample(&d, 5, 3));
        assert_ne!(resample(&d, 5, 2), resample(&d, 6, 2));
        // A share of 1 - 1/e of the sentences is in a bag.
        let in_bag = resample(&vec![1e-3; 1000], 0, 0).iter().filter(|n| **n > 0.0).count();
        assert!((600..665).contains(&in_bag), "{in_bag}");
        assert!(resample(&[], 0, 0).is_empty());
    }
}
