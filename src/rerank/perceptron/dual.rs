use super::{Space, Update};
use crate::config::FirstWeights;

/// Weights as a sum over the mistakes, seen only through a kernel: for any `K(a, b) =
/// <phi(a), phi(b)>` of candidates, which are numbered by sentence and place in the list.
pub struct Dual<K, L> {
    kernel: K,
    /// The first component of phi, a log-probability.
    log_prob: L,
    init: FirstWeights,
    /// Mistakes with the lists that they were made on.
    updates: Vec<Update>,
}

impl<K, L> Dual<K, L>
where
    K: Fn((usize, usize), (usize, usize)) -> f64,
    L: Fn((usize, usize)) -> f64,
{
    pub fn new(kernel: K, log_prob: L, init: FirstWeights) -> Dual<K, L> {
        Dual { kernel, log_prob, init, updates: Vec::new() }
    }

    /// <w, phi> with every update weighted: by 1 for the weights of now, by the share of the steps
    /// that it was there for the mean over them.
    pub fn score_with(&self, item: (usize, usize), share: impl Fn(&Update) -> f64) -> f64 {
        let first = match self.init {
            FirstWeights::Zero => 0.0,
            FirstWeights::LogProbOne | FirstWeights::LogProbFixed => (self.log_prob)(item),
        };
        let of_update = |update: &Update| share(update) * self.gain(update, item);
        first + self.updates.iter().map(of_update).sum::<f64>()
    }

    /// What an update added to the score of a candidate.
    pub fn gain(&self, update: &Update, item: (usize, usize)) -> f64 {
        let Update { sentence, candidate, reference, delta, .. } = *update;
        let against = |k: usize| {
            let fixed = match self.init {
                FirstWeights::LogProbFixed => {
                    (self.log_prob)((sentence, k)) * (self.log_prob)(item)
                }
                _ => 0.0,
            };
            (self.kernel)((sentence, k), item) - fixed
        };
        delta * (against(reference) - against(candidate))
    }
}

impl<K, L> Space for Dual<K, L>
where
    K: Fn((usize, usize), (usize, usize)) -> f64,
    L: Fn((usize, usize)) -> f64,
{
    /// Number of the sentence.
    type List = usize;

    fn score(&self, sentence: &usize, candidate: usize) -> f64 {
        self.score_with((*sentence, candidate), |_| 1.0)
    }

    fn update(&mut self, _: &mut usize, update: Update) {
        self.updates.push(update);
    }
}
