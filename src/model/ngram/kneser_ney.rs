//! Interpolated Kneser-Ney smoothing with three discounts (Chen & Goodman 1999, section 3, their
//! "modified" variant):
//!
//! p(w | h) = (a(h w) - D(a(h w))) / a(h) + b(h) p(w | h')
//!
//! h' is h without its first token; below one token stands the uniform distribution over the
//! vocabulary. a is a count for n-grams of the highest order and for those that begin with the
//! start of the sentence, before which nothing can stand; else the number of distinct tokens
//! before the n-gram. b(h) is what the discounts took away, so that p sums to 1.

use super::events::{Events, Gram, LONGEST, distinct, gram};

/// The smoothed distributions of every order, tabulated.
#[derive(Debug)]
pub(super) struct KneserNey {
    vocabulary: usize,
    /// By the number of tokens in the context, from 0.
    levels: Vec<Level>,
}

/// Distributions after contexts of one length.
#[derive(Debug, Default)]
struct Level {
    /// Sorted.
    contexts: Vec<Context>,
    /// Words seen after each context, sorted.
    words: Vec<u32>,
    /// (a - D) / a(h) of every such word.
    shares: Vec<f64>,
}

#[derive(Debug)]
struct Context {
    tokens: [u32; LONGEST - 1],
    /// Where its words begin.
    first: usize,
    /// b(h): the probability that is left for the shorter context.
    left: f64,
}

impl KneserNey {
    /// Estimates over the token ids below `vocabulary`.
    pub fn new(events: &Events, vocabulary: usize) -> KneserNey {
        let order = events.order();
        let mut levels = Vec::new();
        let mut adjusted = events.of_length(order).to_vec();
        for length in (1..=order).rev() {
            levels.push(Level::new(length, &adjusted));
            if length > 1 {
                adjusted = shortened(&adjusted, length, events.of_length(length - 1));
            }
        }
        levels.reverse();
        KneserNey { vocabulary, levels }
    }

    /// p(word | history); the history begins with the start of the sentence, and only its last
    /// tokens matter.
    pub fn probability(&self, history: &[u32], word: u32) -> f64 {
        let mut p = 1.0 / self.vocabulary as f64;
        for (length, level) in self.levels.iter().enumerate() {
            let Some(from) = history.len().checked_sub(length) else { break };
            // A context that was never seen was never seen behind further tokens either.
            let Some(context) = level.find(&history[from..]) else { break };
            p = level.share(context, word) + level.contexts[context].left * p;
        }
        p
    }
}

/// Adjusted counts of the n-grams one token shorter: how many distinct tokens stand before each,
/// and the counts of those that begin a sentence.
fn shortened(grams: &[(Gram, u32)], length: usize, beginning: &[(Gram, u32)]) -> Vec<(Gram, u32)> {
    let mut all = distinct(grams.iter().map(|(g, _)| gram(&g[1..length])).collect());
    all.extend_from_slice(beginning);
    all.sort_unstable();
    all
}

impl Level {
    fn new(length: usize, grams: &[(Gram, u32)]) -> Level {
        let discounts = discounts(&counts_of_counts(grams.iter().map(|(_, count)| *count)));
        let discount = |count: u32| discounts[(count as usize).min(3) - 1];
        let mut level = Level::default();
        for group in grams.chunk_by(|(a, _), (b, _)| a[..length - 1] == b[..length - 1]) {
            let total: f64 = group.iter().map(|(_, count)| f64::from(*count)).sum();
            let taken: f64 = group.iter().map(|(_, count)| discount(*count)).sum();
            let mut tokens = [0; LONGEST - 1];
            tokens[..length - 1].copy_from_slice(&group[0].0[..length - 1]);
            let first = level.words.len();
            level.contexts.push(Context { tokens, first, left: taken / total });
            for (gram, count) in group {
                level.words.push(gram[length - 1]);
                level.shares.push((f64::from(*count) - discount(*count)) / total);
            }
        }
        level
    }

    fn find(&self, tokens: &[u32]) -> Option<usize> {
        self.contexts.binary_search_by(|c| c.tokens[..tokens.len()].cmp(tokens)).ok()
    }

    fn share(&self, context: usize, word: u32) -> f64 {
        let end = self.contexts.get(context + 1).map_or(self.words.len(), |next| next.first);
        let first = self.contexts[context].first;
        match self.words[first..end].binary_search(&word) {
            Ok(place) => self.shares[first + place],
            Err(_) => 0.0,
        }
    }
}

/// How many n-grams have the count 1, 2, 3 and 4.
fn counts_of_counts(counts: impl Iterator<Item = u32>) -> [u64; 4] {
    let mut of = [0; 4];
    for count in counts.filter(|count| (1..=4).contains(count)) {
        of[count as usize - 1] += 1;
    }
    of
}

/// Discounts of the counts 1, 2, and 3 and more: those of Chen & Goodman (1999), eq. 17; their
/// single one (Ney, Essen & Kneser 1994) where a count of counts is missing or leads out of
/// range, as in small corpora; a half where even the n-grams seen once are missing.
pub(super) fn discounts(of: &[u64; 4]) -> [f64; 3] {
    let [n1, n2, n3, n4] = of.map(|n| n as f64);
    if n1 == 0.0 {
        return [0.5; 3];
    }
    let single = n1 / (n1 + 2.0 * n2);
    let three =
        [1.0 - 2.0 * single * n2 / n1, 2.0 - 3.0 * single * n3 / n2, 3.0 - 4.0 * single * n4 / n3];
    let is_sound = |(discount, count): (&f64, f64)| *discount > 0.0 && *discount <= count;
    let sound = of.iter().all(|&n| n > 0) && three.iter().zip([1.0, 2.0, 3.0]).all(is_sound);
    if sound { three } else { [single; 3] }
}
