//! Labels and words as numbers: which labels may stand where, and which tags a word may have.

use super::features::{Seen, affixes};
use super::state::{Heads, Label};
use crate::parser::heads::HeadRules;
use crate::parser::signature::{Signature, Signatures};
use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A word is rare that is seen less often; its signature stands for it.
const RARE: u32 = 2;

/// A word has no other tags than those seen that is seen so often.
const SURE: u32 = 10;

/// Rare words that a tag must have to be open for new ones.
const OPEN: u32 = 5;

/// Words of a signature below which a coarser one says which tag is usual.
const USUAL: u32 = 5;

/// What numbers of signatures begin with, beside those of words.
const SIGNATURE: u32 = 1 << 31;

/// Labels and tags by number.
#[derive(Clone, Debug, Default)]
pub struct Labels {
    names: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, Label, FixedState>,
}

impl Labels {
    /// Labels in the order of a list; `None` if one stands there twice.
    pub fn from_names(names: Vec<Arc<str>>) -> Option<Labels> {
        let mut labels = Labels::default();
        for name in &names {
            labels.make(name);
        }
        (labels.names.len() == names.len()).then_some(labels)
    }

    /// Gives a label a number where it has none; numbers that do not fit are given out, so that
    /// they can be counted and refused.
    pub fn make(&mut self, name: &Arc<str>) {
        if !self.ids.contains_key(name) {
            self.ids.insert(name.clone(), self.names.len() as Label);
            self.names.push(name.clone());
        }
    }

    pub fn get(&self, name: &str) -> Option<Label> {
        self.ids.get(name).copied()
    }

    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    pub fn name(&self, label: Label) -> &Arc<str> {
        &self.names[label as usize]
    }

    /// Heads by these numbers.
    pub fn heads(&self, rules: &HeadRules) -> Heads {
        let name = |i: usize| &*self.names[i];
        let from_right = self.names.iter().map(|n| rules.is_from_right(n)).collect();
        let rank = |label, child| {
            rules.rank(name(label), name(child)).map_or(u8::MAX, |r| r.min(254) as u8)
        };
        Heads::new(self.names.len(), rank, from_right)
    }
}

/// What the labels of some trees are for.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Roles {
    /// Phrases, in the order of their numbers.
    pub phrases: Vec<Label>,
    /// Roots of whole trees.
    pub roots: BTreeSet<Label>,
    /// Phrases that are also something else than roots.
    pub inner: BTreeSet<Label>,
    /// Most phrases of a single child on top of each other.
    pub longest_chain: u8,
}

impl Roles {
    /// Reads them off trees whose labels are known.
    pub fn of<'a>(trees: impl Iterator<Item = &'a Tree>, labels: &Labels) -> Roles {
        let (mut roles, mut phrases) = (Roles::default(), BTreeSet::new());
        let mut chains: Vec<u8> = Vec::new();
        for tree in trees {
            chains.clear();
            chains.resize(tree.nodes().len(), 0);
            for (id, node) in tree.nodes() {
                let Some(label) = labels.get(node.label) else { continue };
                if node.word.is_none() {
                    phrases.insert(label);
                }
                if node.parent.is_none() {
                    roles.roots.insert(label);
                } else if node.word.is_none() {
                    roles.inner.insert(label);
                }
                if let [only] = node.children {
                    let chain = chains[id.0 as usize].saturating_add(1);
                    chains[only.0 as usize] = chain;
                    roles.longest_chain = roles.longest_chain.max(chain);
                }
            }
        }
        roles.phrases = phrases.into_iter().collect();
        roles
    }

    /// Whether a label is only for roots.
    pub fn is_root_alone(&self, label: Label) -> bool {
        self.roots.contains(&label) && !self.inner.contains(&label)
    }
}

/// Words with their signatures and tags.
#[derive(Clone, Debug)]
pub struct Words {
    ids: HashMap<Arc<str>, u32, FixedState>,
    words: Vec<Arc<str>>,
    counts: Vec<u32>,
    /// Tags of every word with their numbers, ascending.
    tags: Vec<Vec<(Label, u32)>>,
    signatures: Signatures,
    /// The tag that rare words of a signature have most often.
    usual: Vec<Label>,
    /// Tags that new words may have, ascending.
    open: Vec<Label>,
}

/// What is kept of a word.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Entry {
    pub word: Arc<str>,
    pub count: u32,
    pub tags: Vec<(Label, u32)>,
}

impl Words {
    /// The words of trees whose labels are known.
    pub fn of<'a>(trees: impl Iterator<Item = &'a Tree>, labels: &Labels) -> Words {
        let mut entries: Vec<Entry> = Vec::new();
        let mut places: HashMap<Arc<str>, usize, FixedState> = HashMap::default();
        for tree in trees {
            for (word, tag) in tree.words().iter().zip(tree.tags()) {
                let Some(tag) = labels.get(tag) else { continue };
                let place = *places.entry(word.clone()).or_insert(entries.len());
                if place == entries.len() {
                    entries.push(Entry { word: word.clone(), count: 0, tags: Vec::new() });
                }
                let entry = &mut entries[place];
                entry.count = entry.count.saturating_add(1);
                match entry.tags.binary_search_by_key(&tag, |(tag, _)| *tag) {
                    Ok(known) => entry.tags[known].1 = entry.tags[known].1.saturating_add(1),
                    Err(free) => entry.tags.insert(free, (tag, 1)),
                }
            }
        }
        Words::from_entries(entries).expect("every word has one entry")
    }

    /// Words as stored; `None` if one stands there twice.
    pub fn from_entries(entries: Vec<Entry>) -> Option<Words> {
        let mut words = Words {
            ids: HashMap::default(),
            words: Vec::new(),
            counts: Vec::new(),
            tags: Vec::new(),
            signatures: Signatures::default(),
            usual: Vec::new(),
            open: Vec::new(),
        };
        let mut of_rare: HashMap<Label, u32, FixedState> = HashMap::default();
        for Entry { word, count, tags } in entries {
            words.signatures.make(&word);
            if words.ids.insert(word.clone(), words.words.len() as u32).is_some() {
                return None;
            }
            if count <= RARE {
                tags.iter().for_each(|(tag, _)| *of_rare.entry(*tag).or_default() += 1);
            }
            words.words.push(word);
            words.counts.push(count);
            words.tags.push(tags);
        }
        let open = of_rare.iter().filter(|(_, n)| **n >= OPEN).map(|(tag, _)| *tag);
        words.open = open.collect();
        if words.open.is_empty() {
            words.open = words.tags.iter().flatten().map(|(tag, _)| *tag).collect();
        }
        words.open.sort_unstable();
        words.open.dedup();
        words.usual = words.usual_of_signatures();
        Some(words)
    }

    /// For every signature the tag that its words have most often; where these are few, that of
    /// the coarser one. Frequent words, which are unlike new ones, do not count.
    fn usual_of_signatures(&self) -> Vec<Label> {
        let mut counts: Vec<Vec<(Label, u32)>> = vec![Vec::new(); self.signatures.len()];
        for (id, word) in self.words.iter().enumerate().filter(|(id, _)| self.counts[*id] < SURE) {
            for signature in self.signatures.upwards(self.signatures.find(word)) {
                let of_signature = &mut counts[signature as usize];
                for &(tag, n) in &self.tags[id] {
                    match of_signature.iter_mut().find(|(known, _)| *known == tag) {
                        Some((_, known)) => *known = known.saturating_add(n),
                        None => of_signature.push((tag, n)),
                    }
                }
            }
        }
        let mut usual: Vec<Label> = Vec::with_capacity(counts.len());
        for (signature, of_signature) in counts.iter().enumerate() {
            let total: u64 = of_signature.iter().map(|(_, n)| u64::from(*n)).sum();
            // Coarser signatures have smaller numbers; the coarsest takes what there is.
            let above = self.signatures.above(signature as Signature) as usize;
            usual.push(match most(of_signature) {
                Some(tag) if total >= u64::from(USUAL) || signature == above => tag,
                _ => usual.get(above).copied().unwrap_or(self.open[0]),
            });
        }
        usual
    }

    pub fn entries(&self) -> Vec<Entry> {
        let all = self.words.iter().zip(&self.counts).zip(&self.tags);
        all.map(|((word, &count), tags)| Entry { word: word.clone(), count, tags: tags.clone() })
            .collect()
    }

    /// A word as features see it.
    pub fn seen(&self, word: &str) -> Seen {
        let signature = self.signatures.find(word);
        let mut looks = [SIGNATURE; 4];
        let chain: Vec<Signature> = self.signatures.upwards(signature).collect();
        // The root, which is last, says nothing; a word of a new shape has nothing else.
        for (look, signature) in looks.iter_mut().rev().zip(chain.iter().rev().skip(1)) {
            *look = SIGNATURE | signature;
        }
        // What is not known so finely looks as its coarser signature does.
        for i in (0..3).rev() {
            if looks[i] == SIGNATURE {
                looks[i] = looks[i + 1];
            }
        }
        let known = self.ids.get(word).filter(|id| self.counts[**id as usize] >= RARE);
        let usual = known.and_then(|id| most(&self.tags[*id as usize]));
        Seen {
            word: known.copied().unwrap_or(looks[0]),
            looks,
            usual: usual.unwrap_or(self.usual[signature as usize]),
            affixes: affixes(word),
        }
    }

    /// The tags that a word may have, in `into`.
    pub fn tags(&self, word: &str, into: &mut Vec<Label>) {
        into.clear();
        let known = self.ids.get(word).map(|id| *id as usize);
        if let Some(id) = known {
            into.extend(self.tags[id].iter().map(|(tag, _)| *tag));
        }
        if known.is_none_or(|id| self.counts[id] < SURE) {
            into.extend(&self.open);
            into.sort_unstable();
            into.dedup();
        }
    }
}

/// The most frequent tag, the first of equals.
fn most(tags: &[(Label, u32)]) -> Option<Label> {
    let (tag, _) = tags.iter().min_by_key(|(tag, n)| (std::cmp::Reverse(*n), *tag))?;
    Some(*tag)
}
