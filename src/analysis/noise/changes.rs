//! How a tree is made wrong: each function changes a draft somewhere by chance and says which node
//! holds the change, or finds nothing to change.

use super::draft::Draft;
use crate::treebank::Tree;
use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Labels of phrases that are moved.
const MOVED: [&str; 2] = ["PP", "ADVP"];

/// A label without functions and indices.
pub(super) fn bare(label: &str) -> &str {
    let end = label.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '='));
    &label[..end.map_or(label.len(), |(end, _)| end)]
}

/// What a treebank has of labels and tags.
#[derive(Debug, Default)]
pub(super) struct Inventory {
    /// Bare labels of phrases with their number.
    labels: Vec<(Arc<str>, u32)>,
    /// Tags of every word with their number.
    tags_of: BTreeMap<Arc<str>, BTreeMap<Arc<str>, u32>>,
    /// All tags of more than one word type.
    tags: Vec<(Arc<str>, u32)>,
}

impl Inventory {
    pub fn of(trees: &[Arc<Tree>]) -> Inventory {
        let mut labels: BTreeMap<Arc<str>, u32> = BTreeMap::new();
        let mut inventory = Inventory::default();
        for tree in trees {
            for (id, node) in tree.nodes() {
                if node.word.is_none() && id != tree.root() {
                    *labels.entry(bare(node.label).into()).or_default() += 1;
                }
            }
            for (i, (word, tag)) in tree.words().iter().zip(tree.tags()).enumerate() {
                if !tree.is_empty_element(i) {
                    let tags = inventory.tags_of.entry(word.clone()).or_default();
                    *tags.entry(tag.clone()).or_default() += 1;
                }
            }
        }
        let mut types: BTreeMap<Arc<str>, (u32, u32)> = BTreeMap::new();
        for tags in inventory.tags_of.values() {
            for (tag, count) in tags {
                let (types, tokens) = types.entry(tag.clone()).or_default();
                *types += 1;
                *tokens += count;
            }
        }
        // Marks of punctuation have tags of their own, which no word would be given.
        let open = types.into_iter().filter(|(_, (types, _))| *types > 5);
        inventory.tags = open.map(|(tag, (_, tokens))| (tag, tokens)).collect();
        inventory.labels = labels.into_iter().collect();
        inventory
    }

    /// A label drawn by frequency, another one than `than` even where PRT counts as ADVP.
    fn other_label(&self, than: &str, rng: &mut ChaCha8Rng) -> Option<Arc<str>> {
        let same = |label: &str| {
            let class = |l: &str| if l == "PRT" { "ADVP".to_owned() } else { l.to_owned() };
            class(label) == class(bare(than))
        };
        draw(self.labels.iter().filter(|(label, _)| !same(label)), rng)
    }

    /// Another tag of the same word where it has one, else one of the others by frequency.
    fn other_tag(&self, word: &Arc<str>, tag: &Arc<str>, rng: &mut ChaCha8Rng) -> Option<Arc<str>> {
        let known = self.tags_of.get(word).into_iter().flatten();
        let known: Vec<(Arc<str>, u32)> =
            known.filter(|(t, _)| *t != tag).map(|(t, n)| (t.clone(), *n)).collect();
        match known.is_empty() {
            false => draw(known.iter(), rng),
            true => draw(self.tags.iter().filter(|(t, _)| t != tag), rng),
        }
    }

    fn is_open(&self, tag: &Arc<str>) -> bool {
        self.tags.iter().any(|(t, _)| t == tag)
    }
}

/// One of several by their weight.
fn draw<'a>(
    from: impl Iterator<Item = &'a (Arc<str>, u32)> + Clone,
    rng: &mut ChaCha8Rng,
) -> Option<Arc<str>> {
    let all: u64 = from.clone().map(|(_, weight)| u64::from(*weight)).sum();
    let mut left = (all > 0).then(|| rng.random_range(0..all))?;
    for (item, weight) in from {
        match left.checked_sub(u64::from(*weight)) {
            Some(rest) => left = rest,
            None => return Some(item.clone()),
        }
    }
    None
}

/// Phrases below the root that hold a word.
fn phrases(draft: &Draft) -> Vec<usize> {
    (0..draft.nodes.len()).filter(|&n| draft.is_phrase(n) && draft.has_words(n)).collect()
}

/// Gives a phrase another label.
pub(super) fn relabel(
    draft: &mut Draft,
    inventory: &Inventory,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let node = *phrases(draft).choose(rng)?;
    draft.nodes[node].label = inventory.other_label(&draft.nodes[node].label, rng)?;
    Some(node)
}

/// Attaches a prepositional or adverbial phrase higher or lower.
pub(super) fn reattach(draft: &mut Draft, rng: &mut ChaCha8Rng) -> Option<usize> {
    let mut moves = Vec::new();
    for node in phrases(draft) {
        if !MOVED.contains(&bare(&draft.nodes[node].label)) {
            continue;
        }
        let Some((parent, place)) = draft.place(node) else { continue };
        let last = draft.nodes[parent].children.len() - 1;
        let edge = place == 0 || place == last;
        if last > 0 && edge && draft.is_phrase(parent) && has_others(draft, parent, node) {
            moves.push((node, true));
        }
        if place > 0 && last > 1 && draft.is_phrase(draft.nodes[parent].children[place - 1]) {
            moves.push((node, false));
        }
    }
    let &(node, up) = moves.choose(rng)?;
    let (parent, place) = draft.place(node)?;
    if up {
        let (above, at) = draft.place(parent)?;
        draft.detach(node);
        draft.insert(above, if place == 0 { at } else { at + 1 }, node);
        // What is left of an adjunction, (NP (NP a)), is no phrase of its own.
        if let [only] = draft.nodes[parent].children[..]
            && bare(&draft.nodes[only].label) == bare(&draft.nodes[parent].label)
        {
            draft.splice(parent);
        }
        return Some(above);
    }
    // Below the sister on the left, as an adjunct of it.
    let sister = draft.nodes[parent].children[place - 1];
    let label: Arc<str> = bare(&draft.nodes[sister].label).into();
    let first = draft.nodes[sister].children.first().copied();
    let is_adjunction =
        first.is_some_and(|f| draft.is_phrase(f) && bare(&draft.nodes[f].label) == &*label);
    draft.detach(node);
    let host = match is_adjunction {
        true => sister,
        false => draft.wrap(parent, place - 1..place, label),
    };
    let end = draft.nodes[host].children.len();
    draft.insert(host, end, node);
    Some(parent)
}

/// Whether the phrase keeps a word when a child leaves it.
fn has_others(draft: &Draft, parent: usize, leaves: usize) -> bool {
    draft.nodes[parent].children.iter().any(|&child| child != leaves && draft.has_words(child))
}

/// Takes a bracket away, or puts one around neighbours.
pub(super) fn bracket(
    draft: &mut Draft,
    inventory: &Inventory,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    if rng.random_bool(0.5) {
        let below = |n: &usize| draft.nodes[*n].parent.is_some_and(|p| !draft.is_root(p));
        let nodes: Vec<usize> = phrases(draft).into_iter().filter(below).collect();
        return Flip::Flatten.apply(draft, *nodes.choose(rng)?);
    }
    let wide: Vec<usize> =
        phrases(draft).into_iter().filter(|&n| draft.nodes[n].children.len() > 2).collect();
    let parent = *wide.choose(rng)?;
    let n = draft.nodes[parent].children.len();
    let length = rng.random_range(2..n);
    let start = rng.random_range(0..=n - length);
    let label = inventory.other_label("", rng)?;
    let new = draft.wrap(parent, start..start + length, label);
    draft.has_words(new).then_some(parent)
}

/// Gives a word another tag.
pub(super) fn retag(
    draft: &mut Draft,
    inventory: &Inventory,
    rng: &mut ChaCha8Rng,
) -> Option<usize> {
    let is_word = |&n: &usize| draft.nodes[n].word.is_some() && draft.has_words(n);
    let words: Vec<usize> = (0..draft.nodes.len())
        .filter(is_word)
        .filter(|&n| inventory.is_open(&draft.nodes[n].label))
        .collect();
    let node = *words.choose(rng)?;
    let word = draft.nodes[node].word.clone()?;
    draft.nodes[node].label = inventory.other_tag(&word, &draft.nodes[node].label, rng)?;
    Some(node)
}

/// What is done to a construction wherever it is flipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flip {
    /// Its bracket is taken away.
    Flatten,
    Relabel(Arc<str>),
}

impl Flip {
    /// Relabelled as other phrases of the same parts are, where there are any; `others` are their
    /// labels by number.
    pub fn draw(others: &[(Arc<str>, u32)], rng: &mut ChaCha8Rng) -> Flip {
        match rng.random_bool(0.5) {
            true => Flip::Flatten,
            false => draw(others.iter(), rng).map_or(Flip::Flatten, Flip::Relabel),
        }
    }

    /// Flips a phrase, and gives the node that holds the change.
    pub fn apply(&self, draft: &mut Draft, node: usize) -> Option<usize> {
        match self {
            Flip::Flatten => {
                let parent = draft.nodes[node].parent.filter(|&p| !draft.is_root(p))?;
                draft.splice(node);
                Some(parent)
            }
            Flip::Relabel(label) => {
                draft.nodes[node].label = label.clone();
                Some(node)
            }
        }
    }
}
