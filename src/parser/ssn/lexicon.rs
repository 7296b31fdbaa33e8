//! Which tags a word may have where none is given, and what it costs to be a tag's unknown word.
//!
//! The network gives (tag, unknown) one probability for all words that are not known with the tag.
//! To compare it with the probability of a known pair, a word takes its share of it: as often as it
//! was seen with the tag, or, never seen at all, as words that look alike.

use super::vocabulary::{Pair, Vocabulary};
use crate::parser::signature::Signatures;
use crate::treebank::Tree;
use std::collections::BTreeMap;
use std::collections::HashMap;
use std::sync::Arc;

/// Tags that are tried of a word that was never seen.
const TAGS: usize = 8;

/// Words seen once that must look like an unseen word, for their tags to tell its own.
const ALIKE: u32 = 10;

/// A pair that may be shifted for a word, with log P(word | pair), nats; where the word was never
/// seen, less a constant that is the same for all its pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reading {
    pub pair: Pair,
    pub log_prob: f64,
}

/// A word that is not known with a tag, with the number of times that it was seen with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rare {
    pub tag: u32,
    pub word: Arc<str>,
    pub count: u32,
}

/// Rare words and what they look like.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    rare: Vec<Rare>,
    /// By word: places in `rare`.
    of_word: HashMap<Arc<str>, Vec<u32>>,
    /// Occurrences of rare words by tag.
    totals: Vec<u32>,
    signatures: Signatures,
    /// By signature: tags of words that were seen once, with their number.
    once: Vec<BTreeMap<u32, u32>>,
}

impl Lexicon {
    /// Of the training trees, with tags and frequent words as the vocabulary has them.
    pub fn of_trees<'a>(
        trees: impl IntoIterator<Item = &'a Tree>,
        vocabulary: &Vocabulary,
    ) -> Lexicon {
        let mut counts: BTreeMap<(&'a Arc<str>, u32), u32> = BTreeMap::new();
        for tree in trees {
            for (tag, word) in tree.tags().zip(tree.words()) {
                if let Some(tag) = vocabulary.tag(tag)
                    && vocabulary.is_unknown(vocabulary.pair(tag, word))
                {
                    *counts.entry((word, tag)).or_default() += 1;
                }
            }
        }
        let rare = counts.into_iter();
        let rare = rare.map(|((word, tag), count)| Rare { tag, word: word.clone(), count });
        Lexicon::new(rare.collect(), vocabulary).expect("tags of the vocabulary")
    }

    /// From rare words; `None` where a tag is missing.
    pub fn new(rare: Vec<Rare>, vocabulary: &Vocabulary) -> Option<Lexicon> {
        let mut lexicon =
            Lexicon { totals: vec![0; vocabulary.tags().len()], rare, ..Lexicon::default() };
        for (at, Rare { tag, word, count }) in lexicon.rare.iter().enumerate() {
            let total = lexicon.totals.get_mut(*tag as usize)?;
            *total = total.saturating_add(*count);
            lexicon.of_word.entry(word.clone()).or_default().push(at as u32);
        }
        for Rare { tag, word, count } in &lexicon.rare {
            let is_only = lexicon.of_word[word].len() == 1 && vocabulary.known(word).is_empty();
            if *count == 1 && is_only {
                let finest = lexicon.signatures.make(word);
                lexicon.once.resize(lexicon.signatures.len(), BTreeMap::new());
                for signature in lexicon.signatures.upwards(finest) {
                    *lexicon.once[signature as usize].entry(*tag).or_default() += 1;
                }
            }
        }
        Some(lexicon)
    }

    pub fn rare(&self) -> &[Rare] {
        &self.rare
    }

    /// What a word may be shifted as, at least one pair; `tag` is the one that is given.
    pub fn readings(
        &self,
        word: &str,
        tag: Option<&str>,
        vocabulary: &Vocabulary,
        to: &mut Vec<Reading>,
    ) {
        to.clear();
        // A tag that no training tree has is as good as none.
        if let Some(tag) = tag.and_then(|tag| vocabulary.tag(tag)) {
            to.push(Reading { pair: vocabulary.pair(tag, word), log_prob: 0.0 });
            return;
        }
        let known = vocabulary.known(word).iter();
        to.extend(known.map(|pair| Reading { pair: *pair, log_prob: 0.0 }));
        let share = |tag: u32, count: u32| {
            let total = self.totals[tag as usize];
            Reading { pair: tag, log_prob: (f64::from(count) / f64::from(total)).ln() }
        };
        for at in self.of_word.get(word).into_iter().flatten() {
            let Rare { tag, count, .. } = self.rare[*at as usize];
            to.push(share(tag, count));
        }
        if !to.is_empty() {
            return;
        }
        let alike = self.signatures.upwards(self.signatures.find(word)).find_map(|signature| {
            let tags = self.once.get(signature as usize)?;
            (tags.values().sum::<u32>() >= ALIKE).then_some(tags)
        });
        let tags = alike.or_else(|| self.once.first());
        let mut tags: Vec<(u32, u32)> =
            tags.into_iter().flatten().map(|(tag, count)| (*tag, *count)).collect();
        tags.sort_by_key(|(tag, count)| (std::cmp::Reverse(*count), *tag));
        to.extend(tags.into_iter().take(TAGS).map(|(tag, count)| share(tag, count)));
        if to.is_empty() {
            let all = 0..vocabulary.tags().len() as u32;
            to.extend(all.map(|pair| Reading { pair, log_prob: 0.0 }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::ssn::testing::trees;

    fn lexicon(text: &str, min_count: u32) -> (Lexicon, Vocabulary) {
        let trees = trees(text);
        let vocabulary = Vocabulary::of_trees(trees.iter().map(|t| &**t), min_count);
        let vocabulary = vocabulary.expect("trees");
        (Lexicon::of_trees(trees.iter().map(|t| &**t), &vocabulary), vocabulary)
    }

    fn readings(word: &str, tag: Option<&str>, of: &(Lexicon, Vocabulary)) -> Vec<(String, f64)> {
        let mut found = Vec::new();
        of.0.readings(word, tag, &of.1, &mut found);
        let name = |r: &Reading| (of.1.name(of.1.shift(r.pair)), r.log_prob.exp());
        found.iter().map(name).collect()
    }

    #[test]
    fn a_word_is_what_it_was_seen_as_and_takes_its_share_of_the_unknown_word() {
        let of = lexicon("(S (N run) (N run) (V run) (V go) (V go) (V go) (V see))", 2);
        let third = 1.0 / 2.0;
        assert_eq!(
            readings("run", None, &of),
            [("shift N run".to_owned(), 1.0), ("shift V *".to_owned(), third)]
        );
        assert_eq!(readings("run", Some("N"), &of), [("shift N run".to_owned(), 1.0)]);
        assert_eq!(readings("go", Some("N"), &of), [("shift N *".to_owned(), 1.0)]);
        assert_eq!(readings("go", Some("X"), &of), [("shift V go".to_owned(), 1.0)]);
    }

    #[test]
    fn an_unseen_word_has_the_tags_of_words_that_look_alike() {
        let adverbs = (0..10).map(|i| format!("(R x{}ly)", char::from(b'a' + i)));
        let nouns = (0..30).map(|i| format!("(N {}at)", char::from(b'A' + i)));
        let all: Vec<String> = adverbs.chain(nouns).collect();
        let of = lexicon(&format!("(S {})", all.join(" ")), 5);
        assert_eq!(readings("newly", None, &of)[0].0, "shift R *");
        assert_eq!(readings("newly", None, &of).len(), 1);
        let any: Vec<String> = readings("77", None, &of).into_iter().map(|r| r.0).collect();
        assert_eq!(any, ["shift N *", "shift R *"]);
        assert_eq!(readings("a", None, &lexicon("(S (A b) (B c) (C d))", 1)).len(), 3);
    }
}
