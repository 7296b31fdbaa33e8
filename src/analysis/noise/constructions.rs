use super::changes::bare;
use crate::treebank::Tree;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A phrase by its label and those of its children, without functions and indices.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Construction {
    pub label: Arc<str>,
    pub children: Vec<Arc<str>>,
}

/// Sentence and node of a phrase.
pub(super) type Position = (usize, usize);

/// Everywhere that a construction of two children or more stands.
pub(super) struct Constructions(BTreeMap<Construction, Vec<Position>>);

impl Constructions {
    pub fn of(trees: &[Arc<Tree>]) -> Constructions {
        let mut places: BTreeMap<Construction, Vec<Position>> = BTreeMap::new();
        for (sentence, tree) in trees.iter().enumerate() {
            for (id, node) in tree.nodes() {
                if node.word.is_none() && id != tree.root() && node.children.len() > 1 {
                    let children = node.children.iter().map(|c| bare(tree.node(*c).label).into());
                    let label = bare(node.label).into();
                    let construction = Construction { label, children: children.collect() };
                    places.entry(construction).or_default().push((sentence, id.0 as usize));
                }
            }
        }
        Constructions(places)
    }

    /// One by chance among those that stand about `count` times, or that come nearest to it.
    pub fn near(&self, count: f64, rng: &mut ChaCha8Rng) -> Option<(&Construction, &[Position])> {
        // Twice as often is as far as half as often.
        let distance = |places: &Vec<Position>| (places.len() as f64 / count).ln().abs();
        let mut candidates: Vec<_> = self.0.iter().collect();
        candidates.sort_by(|a, b| distance(a.1).total_cmp(&distance(b.1)));
        let near = candidates.iter().take_while(|(_, places)| distance(places) < 0.25).count();
        let few = near.clamp(1, candidates.len().max(1));
        let chosen = candidates.get(..few)?.choose(rng)?;
        Some((chosen.0, chosen.1))
    }

    /// Other labels of phrases with the same children, with their number.
    pub fn others(&self, construction: &Construction) -> Vec<(Arc<str>, u32)> {
        let same = |other: &&Construction| {
            other.children == construction.children && other.label != construction.label
        };
        let others = self.0.iter().filter(|(other, _)| same(other));
        others.map(|(other, places)| (other.label.clone(), places.len() as u32)).collect()
    }
}
