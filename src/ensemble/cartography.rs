//! How hard a sentence is and how much that varies over rounds: a map of the corpus
//! (Swayamdipta et al. 2020). Numbers only.

/// What the rounds say of one sentence.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// Mean share of wrong constituents, `e`, over the rounds.
    pub mean_error: f64,
    /// Divided by the number of rounds.
    pub variance: f64,
    /// Share of the rounds that have the sentence right.
    pub share_exact: f64,
    rounds: usize,
}

impl Location {
    /// Of one sentence's errors, one a round; `None` without rounds.
    pub fn of(errors: impl Iterator<Item = f64> + Clone) -> Option<Location> {
        let rounds = errors.clone().count();
        if rounds == 0 {
            return None;
        }
        let mean = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>() / rounds as f64;
        let mean_error = mean(&mut errors.clone());
        let variance = mean(&mut errors.clone().map(|e| (e - mean_error) * (e - mean_error)));
        let share_exact = mean(&mut errors.map(|e| f64::from(u8::from(e == 0.0))));
        Some(Location { mean_error, variance, share_exact, rounds })
    }

    pub fn mean_correct(&self) -> f64 {
        1.0 - self.mean_error
    }

    pub fn deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// Divided by the number of rounds less one; `None` for a single round.
    pub fn sample_variance(&self) -> Option<f64> {
        let n = self.rounds as f64;
        (self.rounds > 1).then(|| self.variance * n / (n - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_located_by_mean_and_variance() {
        let place = Location::of([0.0, 0.5, 1.0].into_iter()).expect("three rounds");
        assert_eq!((place.mean_error, place.mean_correct()), (0.5, 0.5));
        assert!((place.variance - 1.0 / 6.0).abs() < 1e-15);
        assert!((place.sample_variance().expect("three rounds") - 0.25).abs() < 1e-15);
        assert!((place.share_exact - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn one_round_has_no_sample_variance_and_none_no_place() {
        let place = Location::of([0.25].into_iter()).expect("one round");
        assert_eq!((place.variance, place.sample_variance()), (0.0, None));
        assert_eq!(Location::of([].into_iter()), None);
    }
}
