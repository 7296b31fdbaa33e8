use super::{Run, best};

/// Weights between two updates, as a voter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Updates behind these weights.
    pub updates: usize,
    /// Steps after which the weights were these.
    pub survival: u64,
}

/// All versions of a run, the first weights among them.
pub fn versions(run: &Run) -> Vec<Version> {
    let mut begins = vec![0];
    begins.extend(run.updates.iter().map(|update| update.step));
    let ends = begins[1..].iter().copied().chain([run.steps]);
    let version =
        |(updates, (begin, end)): (usize, (&u64, u64))| Version { updates, survival: end - begin };
    begins.iter().zip(ends).enumerate().map(version).collect()
}

/// The votes of all versions on one list: every version votes for its best candidate, by the steps
/// that it survived.
#[derive(Clone, Debug, PartialEq)]
pub struct Votes {
    scores: Vec<f64>,
    votes: Vec<u64>,
}

impl Votes {
    /// Begins with the scores by the first weights, which survived so many steps.
    pub fn new(scores: Vec<f64>, survival: u64) -> Votes {
        let votes = vec![0; scores.len()];
        let mut all = Votes { scores, votes };
        all.cast(survival);
        all
    }

    /// The next version: what its update adds to every score, and how long it survived.
    pub fn next(&mut self, gains: impl IntoIterator<Item = f64>, survival: u64) {
        self.scores.iter_mut().zip(gains).for_each(|(score, gain)| *score += gain);
        self.cast(survival);
    }

    fn cast(&mut self, survival: u64) {
        if let Some(best) = best(self.scores.iter().copied()) {
            self.votes[best] += survival;
        }
    }

    /// Votes by candidate.
    pub fn votes(&self) -> &[u64] {
        &self.votes
    }

    /// The candidate with most votes, the first of equal ones.
    pub fn elected(&self) -> Option<usize> {
        best(self.votes.iter().map(|&votes| votes as f64))
    }
}
