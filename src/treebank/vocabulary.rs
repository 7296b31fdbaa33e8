use super::intern::WordMap;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Words by id. Invariant: holds its unknown word, and ids count up from 0 without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct Vocabulary {
    words: Vec<Arc<str>>,
    ids: WordMap<u32>,
    unknown: u32,
    /// The token after the last word of every sentence, where a model predicts it.
    end: Option<u32>,
}

impl Vocabulary {
    /// Ids of the two words that no text holds, as in the published PCFG files.
    pub const PAD: u32 = 0;
    pub const UNKNOWN: u32 = 1;

    /// The token that ends every sentence of a language model.
    pub const END: &str = "<eos>";

    /// Most frequent words first, ties by first occurrence, after `<pad>` and `<unk>`.
    pub fn from_counts<'a>(
        words: impl IntoIterator<Item = &'a Arc<str>>,
        max_size: usize,
        min_count: usize,
    ) -> Vocabulary {
        Vocabulary::from_words(list(&["<pad>", "<unk>"], words, max_size, min_count), Self::UNKNOWN)
            .expect("counted words are distinct and the unknown word is among them")
    }

    /// The same for a language model: `<unk>`, `<pad>` and `<eos>` come first, as in the published
    /// HMM files, and every sentence ends in the last.
    pub fn with_end<'a>(
        words: impl IntoIterator<Item = &'a Arc<str>>,
        max_size: usize,
        min_count: usize,
    ) -> Vocabulary {
        let special = ["<unk>", "<pad>", Self::END];
        Vocabulary::from_words(list(&special, words, max_size, min_count), 0)
            .and_then(|vocabulary| vocabulary.ended_by(2))
            .expect("counted words are distinct and the special words are among them")
    }

    /// The words of a published HMM file, counted on its training sentences: `<unk>`, `<pad>`, then
    /// all by frequency, the end of sentence among them, ties by the alphabet.
    pub fn of_published_hmm<'a>(
        sentences: impl IntoIterator<Item = &'a [Arc<str>]>,
        max_size: usize,
    ) -> Vocabulary {
        let mut counts: HashMap<&str, usize, FixedState> = HashMap::default();
        for sentence in sentences {
            for word in sentence.iter().map(|word| &**word).chain([Self::END]) {
                *counts.entry(word).or_insert(0) += 1;
            }
        }
        let special = ["<unk>", "<pad>"];
        let mut sorted: Vec<_> =
            counts.into_iter().filter(|(word, _)| !special.contains(word)).collect();
        sorted.sort_unstable_by(|(v, a), (w, b)| b.cmp(a).then(v.cmp(w)));
        let kept = sorted.iter().take(max_size).map(|(word, _)| *word);
        let words: Vec<Arc<str>> = special.into_iter().chain(kept).map(Arc::from).collect();
        let end = words.iter().position(|word| &**word == Self::END);
        let listed = Vocabulary::from_words(words, 0);
        listed
            .and_then(|listed| match end {
                Some(end) => listed.ended_by(end as u32),
                None => Some(listed),
            })
            .expect("counted words are distinct and the special words are among them")
    }

    /// The same words, with the token of this id behind every sentence; `None` if there is none.
    pub fn ended_by(self, end: u32) -> Option<Vocabulary> {
        ((end as usize) < self.words.len()).then_some(Vocabulary { end: Some(end), ..self })
    }

    /// A vocabulary as stored; `None` if a word stands twice or `unknown` is out of range.
    pub fn from_words(words: Vec<Arc<str>>, unknown: u32) -> Option<Vocabulary> {
        let ids: WordMap<u32> =
            words.iter().enumerate().map(|(i, w)| (w.clone(), i as u32)).collect();
        (ids.len() == words.len() && (unknown as usize) < words.len()).then_some(Vocabulary {
            words,
            ids,
            unknown,
            end: None,
        })
    }

    /// Id of a word, or of the unknown word.
    pub fn id(&self, word: &str) -> u32 {
        self.ids.get(word).copied().unwrap_or(self.unknown)
    }

    /// Ids of the words of a sentence, and of its end where the model predicts one.
    pub fn sentence<W: AsRef<str>>(&self, words: &[W]) -> Vec<u32> {
        words.iter().map(|word| self.id(word.as_ref())).chain(self.end).collect()
    }

    /// The token behind every sentence, if the model predicts one.
    pub fn end(&self) -> Option<u32> {
        self.end
    }

    /// Whether the word has an id of its own.
    pub fn contains(&self, word: &str) -> bool {
        self.ids.contains_key(word)
    }

    /// The word of an id below [`Vocabulary::len`].
    pub fn word(&self, id: u32) -> &Arc<str> {
        &self.words[id as usize]
    }

    pub fn unknown(&self) -> u32 {
        self.unknown
    }

    pub fn words(&self) -> &[Arc<str>] {
        &self.words
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// The special words, then the most frequent ones, ties by first occurrence. A text that writes a
/// special word means it.
fn list<'a>(
    special: &[&str],
    words: impl IntoIterator<Item = &'a Arc<str>>,
    max_size: usize,
    min_count: usize,
) -> Vec<Arc<str>> {
    let mut counts: HashMap<&Arc<str>, (usize, usize), FixedState> = HashMap::default();
    for (i, word) in words.into_iter().filter(|w| !special.contains(&&***w)).enumerate() {
        counts.entry(word).or_insert((0, i)).0 += 1;
    }
    let mut sorted: Vec<_> = counts.into_iter().collect();
    sorted.sort_unstable_by(|(_, a), (_, b)| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    // The limit comes before the threshold: the published preprocessing cuts to the
    // most frequent words first.
    let kept = sorted.into_iter().take(max_size).filter(|(_, (count, _))| *count >= min_count);
    special.iter().map(|&word| word.into()).chain(kept.map(|(word, _)| word.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_model_ends_every_sentence_and_special_words_stand_once() {
        let text: Vec<Arc<str>> =
            "b a b <unk> b a c <eos> <pad>".split(' ').map(Arc::from).collect();
        let plain = Vocabulary::from_counts(&text, 2, 1);
        assert_eq!(plain.words().join(" "), "<pad> <unk> b a");
        assert_eq!(plain.sentence(&["a", "c", "<unk>"]), [3, 1, 1]);
        let ended = Vocabulary::with_end(&text, 2, 1);
        assert_eq!(ended.words().join(" "), "<unk> <pad> <eos> b a");
        assert_eq!(ended.sentence(&["a", "c"]), [4, 0, 2]);
        assert_eq!(ended.sentence::<&str>(&[]), [2]);
        assert!(plain.ended_by(4).is_none());
        let (first, second) = text.split_at(3);
        let published = Vocabulary::of_published_hmm([first, second], 9);
        assert_eq!(published.words().join(" "), "<unk> <pad> <eos> b a c");
        assert_eq!(published.sentence(&["a", "d"]), [4, 0, 2]);
        let few = Vocabulary::of_published_hmm([&text[..2], &text[4..6]], 1);
        assert_eq!((few.words().join(" "), few.end()), ("<unk> <pad> <eos>".into(), Some(2)));
    }
}
