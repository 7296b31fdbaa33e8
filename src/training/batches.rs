//! Batches of sentences of equal or of nearby length, and their order in every epoch.

use crate::config::{Config, Family};
use crate::treebank::Batch;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;

/// Which sentences may share a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// Those of one length.
    EqualLengths,
    /// Neighbours by length; the room of the longest counts for each.
    NearbyLengths,
}

impl Packing {
    /// Charts want sentences of one length; a chain takes any side by side.
    pub fn of(family: Family) -> Packing {
        if family.has_trees() { Packing::EqualLengths } else { Packing::NearbyLengths }
    }
}

/// Training batches: built once, visited in another order every epoch. Invariant: none is empty.
#[derive(Clone, Debug)]
pub struct Batches {
    batches: Vec<Batch>,
    seed: u64,
    /// Epochs over which the longest sentence grows; 0: none.
    curriculum: u64,
    longest: usize,
    shortest: usize,
}

impl Batches {
    /// Groups sentences (word ids, none empty) by length, those of one length in their given order.
    pub fn new<'a>(sentences: impl IntoIterator<Item = &'a [u32]>, config: &Config) -> Batches {
        let Config { seed, training: config, model, .. } = config;
        let batches: Vec<Batch> = group(sentences, Packing::of(model.family), |length| {
            if model.family.is_counted() {
                usize::MAX
            } else if config.batch_tokens > 0 {
                (config.batch_tokens / length).max(1)
            } else {
                config.batch_size
            }
        })
        .into_iter()
        .map(|(batch, _)| batch)
        .collect();
        let lengths = || batches.iter().map(Batch::longest);
        Batches {
            seed: *seed,
            curriculum: config.curriculum,
            longest: lengths().max().unwrap_or(0),
            shortest: lengths().min().unwrap_or(0),
            batches,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    pub fn batch(&self, index: usize) -> &Batch {
        &self.batches[index]
    }

    /// Longest sentence of an epoch (from 1): grows in equal parts over the curriculum's epochs.
    pub fn longest_in(&self, epoch: u64) -> usize {
        if epoch >= self.curriculum {
            return self.longest;
        }
        let grown = (self.longest as u128 * u128::from(epoch)).div_ceil(self.curriculum.into());
        (grown as usize).max(self.shortest)
    }

    /// Number of steps in an epoch (from 1).
    pub fn steps_in(&self, epoch: u64) -> u64 {
        let longest = self.longest_in(epoch);
        self.batches.iter().filter(|b| b.longest() <= longest).count() as u64
    }

    /// Steps in the first `epochs` epochs.
    pub fn steps_until(&self, epochs: u64) -> u64 {
        let growing = self.curriculum.min(epochs);
        let grown = (1..=growing).map(|e| self.steps_in(e)).sum::<u64>();
        grown.saturating_add((epochs - growing).saturating_mul(self.batches.len() as u64))
    }

    /// Indices of batches in the order of an epoch: a function of seed and epoch alone, so
    /// that the place in an epoch is all that a resumption needs.
    pub fn order(&self, epoch: u64) -> Vec<usize> {
        let longest = self.longest_in(epoch);
        let mut order: Vec<usize> =
            (0..self.batches.len()).filter(|&i| self.batches[i].longest() <= longest).collect();
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(epoch);
        order.shuffle(&mut random);
        order
    }

    /// A hash (64-bit FNV-1a) over all words and their grouping: tells whether a resumed run
    /// sees the sentences that it was started with.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |value: u32| {
            for byte in value.to_le_bytes() {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        };
        for batch in &self.batches {
            add(batch.len() as u32);
            let length = batch.length(0);
            add(length as u32);
            if (0..batch.len()).any(|b| batch.length(b) != length) {
                (0..batch.len()).for_each(|b| add(batch.length(b) as u32));
            }
            batch.words().iter().for_each(|&w| add(w));
        }
        hash
    }
}

/// Batches, shortest first, each with the places of its sentences in the input; `size` gives the
/// number of sentences a batch for its longest one.
pub fn group<'a>(
    sentences: impl IntoIterator<Item = &'a [u32]>,
    packing: Packing,
    size: impl Fn(usize) -> usize,
) -> Vec<(Batch, Vec<usize>)> {
    let mut by_length: BTreeMap<usize, Vec<(usize, &[u32])>> = BTreeMap::new();
    for (place, words) in sentences.into_iter().enumerate() {
        by_length.entry(words.len()).or_default().push((place, words));
    }
    by_length.remove(&0);
    let groups: Vec<Vec<(usize, &[u32])>> = match packing {
        Packing::EqualLengths => by_length
            .iter()
            .flat_map(|(&length, group)| group.chunks(size(length).max(1)).map(<[_]>::to_vec))
            .collect(),
        Packing::NearbyLengths => {
            let mut groups: Vec<Vec<_>> = vec![Vec::new()];
            for sentence in by_length.into_values().flatten() {
                // Lengths rise: the newcomer is the longest.
                let length = sentence.1.len();
                match groups.last_mut() {
                    Some(last) if last.len() < size(length).max(1) => last.push(sentence),
                    _ => groups.push(vec![sentence]),
                }
            }
            groups.retain(|group| !group.is_empty());
            groups
        }
    };
    let pack = |group: Vec<(usize, &[u32])>| {
        let batch = Batch::new(group.iter().map(|(_, words)| *words))
            .expect("sentences of length 0 were removed");
        (batch, group.into_iter().map(|(place, _)| place).collect())
    };
    groups.into_iter().map(pack).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Training;

    fn sentences() -> Vec<Vec<u32>> {
        [3, 2, 3, 5, 3, 8, 2, 3].iter().map(|&n| (0..n).map(|w| w + n).collect()).collect()
    }

    fn batches(change: impl FnOnce(&mut Training)) -> Batches {
        batches_of(Family::RankPcfg, change)
    }

    fn batches_of(family: Family, change: impl FnOnce(&mut Training)) -> Batches {
        let mut config = config();
        config.model.family = family;
        change(&mut config.training);
        Batches::new(sentences().iter().map(Vec::as_slice), &config)
    }

    fn config() -> Config {
        let training = Training { batch_size: 2, ..Training::default() };
        Config { seed: 7, training, ..Config::default() }
    }

    #[test]
    fn every_sentence_is_in_one_batch_of_its_length() {
        let sentences = sentences();
        let grouped = group(sentences.iter().map(Vec::as_slice), Packing::EqualLengths, |_| 3);
        let mut seen: Vec<usize> = Vec::new();
        for (batch, places) in &grouped {
            for (b, &place) in places.iter().enumerate() {
                assert_eq!(batch.sentence(b), sentences[place]);
                assert_eq!(batch.length(b), batch.length(0));
            }
            seen.extend(places);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..sentences.len()).collect::<Vec<_>>());
        assert_eq!(grouped.len(), 5);
    }

    #[test]
    fn order_is_a_permutation_that_depends_on_seed_and_epoch_alone() {
        let b = batches(|_| {});
        let mut first = b.order(1);
        assert_eq!(first, batches(|_| {}).order(1));
        let orders: std::collections::BTreeSet<_> = (1..20).map(|e| b.order(e)).collect();
        assert!(orders.len() > 5, "epochs differ");
        first.sort_unstable();
        assert_eq!(first, (0..5).collect::<Vec<_>>());
    }

    #[test]
    fn token_batches_hold_as_many_sentences_as_fit_and_at_least_one() {
        let b = batches(|c| c.batch_tokens = 6);
        let sizes: Vec<_> = b.batches.iter().map(|b| (b.length(0), b.len())).collect();
        assert_eq!(sizes, [(2, 2), (3, 2), (3, 2), (5, 1), (8, 1)]);
    }

    #[test]
    fn the_curriculum_grows_to_the_longest_sentence() {
        let b = batches(|c| c.curriculum = 4);
        let longest: Vec<_> = (1..=5).map(|e| b.longest_in(e)).collect();
        assert_eq!(longest, [2, 4, 6, 8, 8]);
        assert_eq!((1..=5).map(|e| b.steps_in(e)).sum::<u64>(), b.steps_until(5));
        assert_eq!(b.steps_in(1), 1);
        assert_eq!(b.order(1).len(), 1);
    }

    #[test]
    fn other_words_or_another_grouping_give_another_fingerprint() {
        let one = batches(|_| {}).fingerprint();
        assert_eq!(one, batches(|_| {}).fingerprint());
        assert_ne!(one, batches(|c| c.batch_size = 3).fingerprint());
        let mut other = sentences();
        other[0][0] += 1;
        let other = Batches::new(other.iter().map(Vec::as_slice), &config());
        assert_ne!(one, other.fingerprint());
    }

    #[test]
    fn nearby_lengths_share_a_batch_while_the_room_of_the_longest_fits() {
        let b = batches_of(Family::RankHmm, |c| c.batch_tokens = 12);
        let lengths = |b: &Batch| (0..b.len()).map(|i| b.length(i)).collect::<Vec<_>>();
        let all: Vec<_> = b.batches.iter().map(lengths).collect();
        assert_eq!(all, [vec![2, 2, 3, 3], vec![3, 3], vec![5], vec![8]]);
        let counted = batches_of(Family::Ngram, |c| c.batch_tokens = 12);
        assert_eq!((counted.steps_in(1), counted.batch(0).len()), (1, sentences().len()));
        let swapped = batches_of(Family::RankHmm, |c| c.batch_tokens = 9);
        assert_ne!(b.fingerprint(), swapped.fingerprint());
    }
}
