use super::context::common_left;
use super::{Nucleus, Place, Variation};
use foldhash::fast::FixedState;
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Arc;

/// Nuclei that always stand together, in the same longer stretch: one thing to look at. Two copies
/// of a long sentence with one difference have a dozen nuclei around it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Numbers of [`Variation::nuclei`], the longest first.
    pub nuclei: Vec<usize>,
}

impl Group {
    /// The longest nucleus.
    pub fn head<'a>(&self, variation: &'a Variation) -> &'a Nucleus {
        &variation.nuclei()[self.nuclei[0]]
    }
}

/// Occurrences with one label in sentences of the same words and the same tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Merged {
    /// The first of them.
    pub place: Place,
    pub label: Arc<str>,
    pub copies: usize,
}

impl Variation {
    /// The nuclei grouped, in the order of their heads.
    pub fn groups(&self) -> Vec<Group> {
        let keys: Vec<(u32, u32)> = self.nuclei().par_iter().map(|n| self.stretch(n)).collect();
        let mut of_key: HashMap<(u32, u32), usize, FixedState> = HashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for (number, key) in keys.into_iter().enumerate() {
            let group = *of_key.entry(key).or_insert_with(|| {
                groups.push(Group { nuclei: Vec::new() });
                groups.len() - 1
            });
            groups[group].nuclei.push(number);
        }
        groups
    }

    /// The longest stretch around a nucleus that all its occurrences share: position of the first
    /// one and its length.
    fn stretch(&self, nucleus: &Nucleus) -> (u32, u32) {
        let positions = &self.suffixes.order[nucleus.places()];
        let first = positions.iter().copied().min().unwrap_or(0);
        let common = &self.suffixes.common[nucleus.places()];
        let right = common.iter().skip(1).copied().min().unwrap_or(nucleus.length);
        let left = common_left(&self.sequences, positions);
        (first - left, left + right)
    }

    /// The occurrences of a nucleus, those of equal sentences merged; `classes` are those of
    /// [`duplicate_classes`].
    pub fn merged(&self, nucleus: &Nucleus, classes: &[u32]) -> Vec<Merged> {
        let mut merged: Vec<Merged> = Vec::new();
        let mut seen: HashMap<(u32, u32, u32), usize, FixedState> = HashMap::default();
        for occurrence in self.occurrences(nucleus) {
            let Place { sentence, start, end } = occurrence.place;
            let key = (classes[sentence as usize], start, end);
            let new = || {
                merged.push(Merged { place: occurrence.place, label: occurrence.label, copies: 0 });
                merged.len() - 1
            };
            let i = *seen.entry(key).or_insert_with(new);
            merged[i].copies += 1;
        }
        merged
    }
}

/// For every tree the number of the first tree with the same words, tags and phrases.
pub fn duplicate_classes(trees: &[Arc<crate::treebank::Tree>]) -> Vec<u32> {
    let mut first: HashMap<String, u32, FixedState> = HashMap::default();
    let class = |(i, tree): (usize, &Arc<crate::treebank::Tree>)| {
        *first.entry(tree.to_string()).or_insert(i as u32)
    };
    trees.iter().enumerate().map(class).collect()
}
