//! What a derivation is written in: labels, tags and words with their tags, and the numbers of the
//! decisions.

use super::SsnError;
use crate::treebank::Tree;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Number of a decision, below [`Vocabulary::decisions`]: first the projections by label, then
/// attach, modify, and the shifts by [`Pair`]. What is possible together so lies together.
pub type Decision = u32;

/// Number of a tag with a word, or with the unknown word.
pub type Pair = u32;

/// Number of the root, a label or a tag: what a node on the stack may be called.
pub type Symbol = u32;

/// The root's number.
pub const ROOT: Symbol = 0;

/// A decision by its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    Project(Symbol),
    Attach,
    Modify,
    Shift(Pair),
}

/// Labels, tags and frequent words of training trees. The labels come first among the symbols
/// after the root, the unknown words first among the pairs, by tag.
#[derive(Clone, Debug, PartialEq)]
pub struct Vocabulary {
    labels: Vec<Arc<str>>,
    tags: Vec<Arc<str>>,
    /// Tag and word of the pairs that are known as such.
    words: Vec<(u32, Arc<str>)>,
    label_ids: HashMap<Arc<str>, u32>,
    tag_ids: HashMap<Arc<str>, u32>,
    /// By word: its known pairs, ascending.
    pair_ids: HashMap<Arc<str>, Vec<Pair>>,
}

impl Vocabulary {
    /// From labels, tags and known words with the number of their tag; `None` where something is
    /// there twice or a tag is missing.
    pub fn new(
        labels: Vec<Arc<str>>,
        tags: Vec<Arc<str>>,
        words: Vec<(u32, Arc<str>)>,
    ) -> Option<Vocabulary> {
        let ids = |names: &[Arc<str>]| -> Option<HashMap<Arc<str>, u32>> {
            let ids: HashMap<_, _> = names.iter().cloned().zip(0..).collect();
            (ids.len() == names.len()).then_some(ids)
        };
        let (label_ids, tag_ids) = (ids(&labels)?, ids(&tags)?);
        let mut pair_ids: HashMap<Arc<str>, Vec<Pair>> = HashMap::new();
        for ((tag, word), id) in words.iter().zip(tags.len() as Pair..) {
            let of_word = pair_ids.entry(word.clone()).or_default();
            let is_new = of_word.iter().all(|p| words[*p as usize - tags.len()].0 != *tag);
            if *tag as usize >= tags.len() || !is_new {
                return None;
            }
            of_word.push(id);
        }
        Some(Vocabulary { labels, tags, words, label_ids, tag_ids, pair_ids })
    }

    /// Of training trees: a pair is known from `min_count` occurrences on.
    pub fn of_trees<'a>(
        trees: impl IntoIterator<Item = &'a Tree>,
        min_count: u32,
    ) -> Result<Vocabulary, SsnError> {
        let mut labels: BTreeMap<&'a Arc<str>, u32> = BTreeMap::new();
        let mut pairs: BTreeMap<&'a Arc<str>, BTreeMap<&'a Arc<str>, u32>> = BTreeMap::new();
        for tree in trees {
            for (_, node) in tree.nodes() {
                match node.position {
                    None => *labels.entry(node.label).or_default() += 1,
                    Some(position) => {
                        let word = &tree.words()[position as usize];
                        *pairs.entry(node.label).or_default().entry(word).or_default() += 1;
                    }
                }
            }
        }
        if pairs.is_empty() {
            return Err(SsnError::NoTrees);
        }
        let mut words = Vec::new();
        for (tag, of_tag) in pairs.values().enumerate() {
            let frequent = of_tag.iter().filter(|(_, count)| **count >= min_count.max(1));
            words.extend(frequent.map(|(word, _)| (tag as u32, Arc::clone(word))));
        }
        let labels = labels.into_keys().cloned().collect();
        let tags = pairs.into_keys().cloned().collect();
        Ok(Vocabulary::new(labels, tags, words).expect("keys of maps are there once"))
    }

    pub fn labels(&self) -> &[Arc<str>] {
        &self.labels
    }

    pub fn tags(&self) -> &[Arc<str>] {
        &self.tags
    }

    /// Words that are known with a tag, with the tag's number.
    pub fn words(&self) -> &[(u32, Arc<str>)] {
        &self.words
    }

    /// The root, labels and tags.
    pub fn symbols(&self) -> usize {
        1 + self.labels.len() + self.tags.len()
    }

    /// Unknown words by tag, and known ones.
    pub fn pairs(&self) -> usize {
        self.tags.len() + self.words.len()
    }

    /// Decisions that do not depend on the words: projections, attach and modify.
    pub fn structural(&self) -> usize {
        self.labels.len() + 2
    }

    pub fn decisions(&self) -> usize {
        self.structural() + self.pairs()
    }

    pub fn attach(&self) -> Decision {
        self.labels.len() as Decision
    }

    pub fn modify(&self) -> Decision {
        self.labels.len() as Decision + 1
    }

    pub fn shift(&self, pair: Pair) -> Decision {
        self.structural() as Decision + pair
    }

    /// The projection to the label with this symbol.
    pub fn project(&self, label: Symbol) -> Decision {
        label - 1
    }

    pub fn choice(&self, decision: Decision) -> Choice {
        let labels = self.labels.len() as Decision;
        match decision {
            d if d < labels => Choice::Project(d + 1),
            d if d == labels => Choice::Attach,
            d if d == labels + 1 => Choice::Modify,
            d => Choice::Shift(d - labels - 2),
        }
    }

    pub fn label_symbol(&self, label: &str) -> Option<Symbol> {
        Some(1 + self.label_ids.get(label)?)
    }

    pub fn tag(&self, tag: &str) -> Option<u32> {
        self.tag_ids.get(tag).copied()
    }

    /// Number of the tag of a pair.
    pub fn tag_of(&self, pair: Pair) -> u32 {
        match (pair as usize).checked_sub(self.tags.len()) {
            None => pair,
            Some(known) => self.words[known].0,
        }
    }

    /// What a word with this pair is called on the stack.
    pub fn symbol_of(&self, pair: Pair) -> Symbol {
        1 + self.labels.len() as Symbol + self.tag_of(pair)
    }

    /// The known pairs of a word.
    pub fn known(&self, word: &str) -> &[Pair] {
        self.pair_ids.get(word).map_or(&[], Vec::as_slice)
    }

    /// A word with a tag: known, or the unknown word of the tag.
    pub fn pair(&self, tag: u32, word: &str) -> Pair {
        let known = self.known(word).iter().find(|pair| self.tag_of(**pair) == tag);
        known.copied().unwrap_or(tag)
    }

    /// Whether a pair stands for all words that are not known with its tag.
    pub fn is_unknown(&self, pair: Pair) -> bool {
        (pair as usize) < self.tags.len()
    }

    /// A decision as people write it: `project NP`, `attach`, `shift NN dog`, `shift NN *`.
    pub fn name(&self, decision: Decision) -> String {
        match self.choice(decision) {
            Choice::Project(label) => {
                format!("project {}", self.labels[label as usize - 1].replace(' ', "+"))
            }
            Choice::Attach => "attach".into(),
            Choice::Modify => "modify".into(),
            Choice::Shift(pair) => {
                let word = (pair as usize).checked_sub(self.tags.len());
                let word = word.map_or("*", |known| &*self.words[known].1);
                format!("shift {} {word}", self.tags[self.tag_of(pair) as usize])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::ssn::testing::trees;

    #[test]
    fn decisions_are_numbered_projections_first_and_shifts_last() {
        let trees = trees("(S (NP (D the) (N dog)) (VP (V barks)))\n(S (NP (D the)) (VP (V is)))");
        let v = Vocabulary::of_trees(trees.iter().map(|t| &**t), 2).expect("trees");
        assert_eq!((v.labels().len(), v.tags().len(), v.words().len()), (3, 3, 1));
        let names: Vec<String> = (0..v.decisions() as u32).map(|d| v.name(d)).collect();
        assert_eq!(
            names,
            [
                "project NP",
                "project S",
                "project VP",
                "attach",
                "modify",
                "shift D *",
                "shift N *",
                "shift V *",
                "shift D the"
            ]
        );
        for decision in 0..v.decisions() as u32 {
            let back = match v.choice(decision) {
                Choice::Project(label) => v.project(label),
                Choice::Attach => v.attach(),
                Choice::Modify => v.modify(),
                Choice::Shift(pair) => v.shift(pair),
            };
            assert_eq!(back, decision);
        }
        let (d, n) = (v.tag("D").expect("known"), v.tag("N").expect("known"));
        assert_eq!((v.pair(d, "the"), v.pair(n, "the"), v.pair(d, "dog")), (3, n, d));
        assert_eq!((v.tag_of(3), v.symbol_of(3), v.label_symbol("S")), (d, 4, Some(2)));
    }

    #[test]
    fn what_is_there_twice_is_refused() {
        let names = |names: &[&str]| names.iter().map(|n| Arc::from(*n)).collect::<Vec<Arc<str>>>();
        let words = |tag| vec![(0, "a".into()), (tag, "a".into())];
        assert!(Vocabulary::new(names(&["S"]), names(&["A", "B"]), words(1)).is_some());
        assert!(Vocabulary::new(names(&["S", "S"]), names(&["A", "B"]), words(1)).is_none());
        assert!(Vocabulary::new(names(&["S"]), names(&["A", "B"]), words(0)).is_none());
        assert!(Vocabulary::new(names(&["S"]), names(&["A", "B"]), words(2)).is_none());
    }
}
