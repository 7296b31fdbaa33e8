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
}

impl Vocabulary {
    /// Ids of the two words that no text holds, as in the published PCFG files.
    pub const PAD: u32 = 0;
    pub const UNKNOWN: u32 = 1;

    /// Most frequent words first, ties by first occurrence, after `<pad>` and `<unk>`.
    pub fn from_counts<'a>(
        words: impl IntoIterator<Item = &'a Arc<str>>,
        max_size: usize,
        min_count: usize,
    ) -> Vocabulary {
        let mut counts: HashMap<&Arc<str>, (usize, usize), FixedState> = HashMap::default();
        for (i, word) in words.into_iter().enumerate() {
            counts.entry(word).or_insert((0, i)).0 += 1;
        }
        let mut sorted: Vec<_> = counts.into_iter().collect();
        sorted.sort_unstable_by(|(_, a), (_, b)| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
        // The limit comes before the threshold: the published preprocessing cuts to the
        // most frequent words first.
        let kept = sorted.into_iter().take(max_size).filter(|(_, (count, _))| *count >= min_count);
        let special = ["<pad>", "<unk>"].into_iter().map(Arc::from);
        Vocabulary::from_words(special.chain(kept.map(|(w, _)| w.clone())).collect(), Self::UNKNOWN)
            .expect("counted words are distinct and the unknown word is among them")
    }

    /// A vocabulary as stored; `None` if a word stands twice or `unknown` is out of range.
    pub fn from_words(words: Vec<Arc<str>>, unknown: u32) -> Option<Vocabulary> {
        let ids: WordMap<u32> =
            words.iter().enumerate().map(|(i, w)| (w.clone(), i as u32)).collect();
        (ids.len() == words.len() && (unknown as usize) < words.len()).then_some(Vocabulary {
            words,
            ids,
            unknown,
        })
    }

    /// Id of a word, or of the unknown word.
    pub fn id(&self, word: &str) -> u32 {
        self.ids.get(word).copied().unwrap_or(self.unknown)
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
