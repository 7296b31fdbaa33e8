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

    /// Length of the longest sentence, in words; 0 without sentences.
    pub fn longest(&self) -> usize {
        (0..self.len()).map(|b| self.length(b)).max().unwrap_or(0)
    }

    pub fn sentences(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|b| self.sentence(b))
    }
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
}
