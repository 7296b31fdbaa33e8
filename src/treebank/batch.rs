/// Word ids of several sentences, packed one after the other. Invariant: no sentence is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    words: Vec<u32>,
    offsets: Vec<usize>,
}

impl Batch {
    /// Packs sentences; `None` if one is empty.
    pub fn new<S: AsRef<[u32]>>(sentences: impl IntoIterator<Item = S>) -> Option<Batch> {
        let mut batch = Batch { words: Vec::new(), offsets: vec![0] };
        for sentence in sentences {
            let sentence = sentence.as_ref();
            if sentence.is_empty() {
                return None;
            }
            batch.words.extend_from_slice(sentence);
            batch.offsets.push(batch.words.len());
        }
        Some(batch)
    }

    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of words in all sentences.
    pub fn tokens(&self) -> usize {
        self.words.len()
    }

    /// All word ids, sentence after sentence.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Words of sentence `b`.
    pub fn sentence(&self, b: usize) -> &[u32] {
        &self.words[self.offsets[b]..self.offsets[b + 1]]
    }

    /// Where sentence `b` starts in [`Batch::words`]; one more entry than sentences.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Length of sentence `b` in words.
    pub fn length(&self, b: usize) -> usize {
        self.offsets[b + 1] - self.offsets[b]
    }

    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|b| self.sentence(b))
    }
}

/// Which sentences go into which batch: indices into `lengths`, shortest first.
///
/// With `batch_tokens` 0, batches hold `batch_size` sentences of one length each
/// (the last of a length may hold fewer), as in the published training. Else
/// sentences of nearby lengths share a batch as long as their number times the
/// longest is at most `batch_tokens`; a longer sentence is a batch of its own.
/// The order of equal lengths is that of `lengths`.
pub fn plan_batches(lengths: &[usize], batch_size: usize, batch_tokens: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by_key(|&i| lengths[i]);
    let mut batches: Vec<Vec<usize>> = Vec::new();
    for i in order {
        let joins = batches.last().is_some_and(|batch| match batch_tokens {
            0 => lengths[batch[0]] == lengths[i] && batch.len() < batch_size,
            limit => (batch.len() + 1) * lengths[i] <= limit,
        });
        match batches.last_mut().filter(|_| joins) {
            Some(batch) => batch.push(i),
            None => batches.push(vec![i]),
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_packs_sentences_and_refuses_empty_ones() {
        let batch = Batch::new([&[1u32, 2][..], &[3]]).expect("no sentence is empty");
        assert_eq!((batch.len(), batch.tokens(), batch.length(0)), (2, 3, 2));
        assert_eq!(batch.sentence(1), [3]);
        assert_eq!(Batch::new([&[][..]]), None);
    }

    #[test]
    fn sentences_of_equal_length_share_a_batch() {
        let plan = plan_batches(&[3, 2, 3, 3, 2, 5], 2, 0);
        assert_eq!(plan, [vec![1, 4], vec![0, 2], vec![3], vec![5]]);
    }

    #[test]
    fn a_limit_of_tokens_counts_the_longest_of_a_batch() {
        let lengths = [4, 2, 3, 9, 2];
        let plan = plan_batches(&lengths, 1, 8);
        assert_eq!(plan, [vec![1, 4], vec![2, 0], vec![3]]);
        for batch in &plan {
            let longest = batch.iter().map(|&i| lengths[i]).max().expect("not empty");
            assert!(batch.len() == 1 || batch.len() * longest <= 8);
        }
    }

    #[test]
    fn every_sentence_is_in_one_batch() {
        let lengths: Vec<usize> = (0..100).map(|i| 1 + i * 7 % 13).collect();
        for (size, tokens) in [(16, 0), (1, 0), (0, 40), (16, 1)] {
            let mut seen: Vec<usize> =
                plan_batches(&lengths, size, tokens).into_iter().flatten().collect();
            seen.sort_unstable();
            assert_eq!(seen, (0..100).collect::<Vec<_>>());
        }
    }
}
