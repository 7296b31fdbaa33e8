use super::context::{Labelled, widest};
use super::sequences::{Sequences, Unit};
use super::suffixes::Suffixes;
use crate::treebank::Tree;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All nuclei of a treebank for one kind of unit.
#[derive(Debug)]
pub struct Variation {
    unit: Unit,
    pub(super) sequences: Sequences,
    pub(super) suffixes: Suffixes,
    /// Longer ones first, then by their units.
    nuclei: Vec<Nucleus>,
    /// Nuclei by length and place, for looking up.
    index: Vec<(u32, u32, u32)>,
}

/// A sequence of units with at least two labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nucleus {
    /// In units.
    pub length: u32,
    /// Occurrences, of all labels.
    pub count: u32,
    /// The largest number of units to the left and to the right that two occurrences with
    /// different labels have in common.
    pub context: u32,
    /// First of its places in the order of suffixes.
    pub(super) low: u32,
}

impl Nucleus {
    pub(super) fn places(&self) -> std::ops::Range<usize> {
        self.low as usize..(self.low + self.count) as usize
    }
}

/// Where a nucleus stands, and what it is taken for there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occurrence {
    pub place: Place,
    /// Labels over exactly these units from the top, joined by `/`, or [`NIL`](super::NIL).
    pub label: Arc<str>,
}

/// Words `[start, end)` of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Number of its tree.
    pub sentence: u32,
    pub start: u32,
    pub end: u32,
}

impl Variation {
    /// Finds all nuclei. Takes time by what is repeated: seconds for a million tokens.
    pub fn find(trees: &[Arc<Tree>], unit: Unit) -> Variation {
        let sequences = Sequences::of(trees, unit);
        let suffixes = Suffixes::of(&sequences);
        let mut runs = Vec::new();
        suffixes.split(0, suffixes.order.len() as u32, 1, &mut runs);
        let mut nuclei: Vec<Nucleus> = runs
            .into_par_iter()
            .flat_map_iter(|run| within(&sequences, &suffixes, unit, run))
            .collect();
        let names = |n: &Nucleus| {
            let units = &sequences.rest(suffixes.order[n.low as usize])[..n.length as usize];
            units.iter().map(|&unit| &*sequences.unit_names[unit as usize])
        };
        nuclei.par_sort_unstable_by(|a, b| {
            b.length.cmp(&a.length).then_with(|| names(a).cmp(names(b)))
        });
        let mut index: Vec<(u32, u32, u32)> =
            nuclei.iter().enumerate().map(|(i, n)| (n.length, n.low, i as u32)).collect();
        index.par_sort_unstable();
        Variation { unit, sequences, suffixes, nuclei, index }
    }

    pub fn unit(&self) -> Unit {
        self.unit
    }

    /// Longer ones first, then by their units.
    pub fn nuclei(&self) -> &[Nucleus] {
        &self.nuclei
    }

    /// The units of a nucleus.
    pub fn units(&self, nucleus: &Nucleus) -> Vec<Arc<str>> {
        let position = self.suffixes.order[nucleus.low as usize];
        let units = &self.sequences.rest(position)[..nucleus.length as usize];
        units.iter().map(|&unit| self.sequences.unit_names[unit as usize].clone()).collect()
    }

    /// Everywhere that a nucleus stands, in the order of the treebank.
    pub fn occurrences(&self, nucleus: &Nucleus) -> Vec<Occurrence> {
        let mut positions = self.suffixes.order[nucleus.places()].to_vec();
        positions.sort_unstable();
        let occurrence = |position: u32| Occurrence {
            place: self.place(position, nucleus.length),
            label: self.label_name(self.sequences.label(position, nucleus.length)).clone(),
        };
        positions.into_iter().map(occurrence).collect()
    }

    /// How often a nucleus has each of its labels.
    pub fn counts(&self, nucleus: &Nucleus) -> BTreeMap<Arc<str>, u32> {
        let mut counts = BTreeMap::new();
        for &position in &self.suffixes.order[nucleus.places()] {
            let label = self.label_name(self.sequences.label(position, nucleus.length));
            *counts.entry(label.clone()).or_default() += 1;
        }
        counts
    }

    /// The nucleus of `length` units at a position of [`Sequences`], as its number.
    pub(super) fn at(&self, position: u32, length: u32) -> Option<usize> {
        let place = self.suffixes.rank[position as usize];
        let behind = self.index.partition_point(|&(l, low, _)| (l, low) <= (length, place));
        let &(l, low, number) = self.index.get(behind.checked_sub(1)?)?;
        let nucleus = &self.nuclei[number as usize];
        (l == length && place < low + nucleus.count).then_some(number as usize)
    }

    pub(super) fn label_name(&self, label: u32) -> &Arc<str> {
        &self.sequences.label_names[label as usize]
    }

    pub(super) fn place(&self, position: u32, length: u32) -> Place {
        let s = &self.sequences;
        let sequence = s.sequence_of[position as usize] as usize;
        let behind = position + length;
        let end = match behind < s.starts[sequence + 1] {
            true => s.words[behind as usize],
            false => s.ends[sequence],
        };
        Place { sentence: s.sentences[sequence], start: s.words[position as usize], end }
    }

    /// Positions of the sequences of a sentence.
    pub(super) fn positions_of(&self, sentence: u32) -> std::ops::Range<u32> {
        let s = &self.sequences;
        let first = s.sentences.partition_point(|&other| other < sentence);
        let last = s.sentences.partition_point(|&other| other <= sentence);
        s.starts[first]..s.starts[last]
    }
}

/// Nuclei among suffixes that begin with the same unit.
fn within(sequences: &Sequences, suffixes: &Suffixes, unit: Unit, run: (u32, u32)) -> Vec<Nucleus> {
    let mut nuclei = Vec::new();
    let (mut runs, mut next) = (vec![run], Vec::new());
    let mut length = 1;
    while !runs.is_empty() {
        for &(low, high) in &runs {
            if length >= unit.shortest() {
                let positions = &suffixes.order[low as usize..high as usize];
                nuclei.extend(nucleus(sequences, length, low, positions));
            }
            if length < unit.longest() {
                suffixes.split(low, high, length + 1, &mut next);
            }
        }
        length += 1;
        runs.clear();
        std::mem::swap(&mut runs, &mut next);
    }
    nuclei
}

fn nucleus(sequences: &Sequences, length: u32, low: u32, positions: &[u32]) -> Option<Nucleus> {
    let labels = || positions.iter().map(|&position| sequences.label(position, length));
    let first = labels().next()?;
    if labels().all(|label| label == first) {
        return None;
    }
    let occurrences: Vec<Labelled> = positions.iter().copied().zip(labels()).collect();
    let context = widest(sequences, length, occurrences);
    Some(Nucleus { length, count: positions.len() as u32, context, low })
}
