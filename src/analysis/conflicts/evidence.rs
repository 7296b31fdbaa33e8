//! Which occurrences of varying nuclei are likely to be the wrong ones.

use super::context::{Labelled, by_context};
use super::{Place, Variation};
use rayon::prelude::*;
use std::sync::Arc;

/// Why a place is suspicious: what looks like it is mostly annotated otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub place: Place,
    /// Number of the nucleus, of [`Variation::nuclei`].
    pub nucleus: usize,
    /// Units to the left and to the right that the counted occurrences have in common.
    pub context: u32,
    /// What the place is annotated as, and what most others are.
    pub label: Arc<str>,
    pub other: Arc<str>,
    /// Occurrences with either label.
    pub own: u32,
    pub others: u32,
    /// From 0 to 1: the share of the others among both, times how much is alike.
    pub strength: f64,
}

/// What a place is annotated as counts for something only where something is alike: words and
/// context, the nucleus counting less its first unit and the context on both sides.
fn strength(length: u32, context: u32, own: u32, others: u32) -> f64 {
    let alike = (length - 1 + 2 * context).min(60);
    let reliability = 1.0 - 0.5f64.powi(alike as i32);
    f64::from(others) / f64::from(own + others) * reliability
}

/// A candidate before its names are looked up.
#[derive(Clone, Copy)]
struct Found {
    strength: f64,
    nucleus: u32,
    position: u32,
    context: u32,
    label: u32,
    other: u32,
    own: u32,
    others: u32,
}

impl Found {
    /// Whether this one is to be shown rather than `other`; ties go by place, so that the number
    /// of threads decides nothing.
    fn beats(&self, other: &Option<Found>) -> bool {
        other.as_ref().is_none_or(|other| {
            let key = |f: &Found| (f.nucleus, f.position, f.context);
            let order = self.strength.total_cmp(&other.strength);
            order.then_with(|| key(other).cmp(&key(self))).is_gt()
        })
    }
}

impl Variation {
    /// The strongest evidence against each of so many sentences; `None` where nothing that looks
    /// like it is annotated otherwise more often, or as often.
    pub fn evidence(&self, sentences: usize) -> Vec<Option<Evidence>> {
        self.weighed_evidence(sentences, |_, _, _| 1.0)
    }

    /// The same where every piece of evidence counts by a factor: of the place, what it is
    /// annotated as, and what most others are.
    pub fn weighed_evidence(
        &self,
        sentences: usize,
        factor: impl Fn(Place, &str, &str) -> f64 + Sync,
    ) -> Vec<Option<Evidence>> {
        let keep = |best: &mut Vec<Option<Found>>, sentence: usize, found: Found| {
            if found.beats(&best[sentence]) {
                best[sentence] = Some(found);
            }
        };
        let none = || vec![None; sentences];
        let best = (0..self.nuclei().len())
            .into_par_iter()
            .fold(none, |mut best, number| {
                let length = self.nuclei()[number].length;
                self.against(number, |mut found| {
                    let place = self.place(found.position, length);
                    let (label, other) =
                        (self.label_name(found.label), self.label_name(found.other));
                    found.strength *= factor(place, label, other);
                    keep(&mut best, place.sentence as usize, found);
                });
                best
            })
            .reduce(none, |mut best, other| {
                for (sentence, found) in other.into_iter().enumerate() {
                    if let Some(found) = found {
                        keep(&mut best, sentence, found);
                    }
                }
                best
            });
        best.into_iter().map(|found| found.map(|found| self.named(&found))).collect()
    }

    /// Occurrences of one nucleus that others outnumber, or that as many others contradict.
    fn against(&self, number: usize, mut take: impl FnMut(Found)) {
        let nucleus = self.nuclei()[number];
        let positions = &self.suffixes.order[nucleus.places()];
        let occurrences: Vec<Labelled> =
            positions.iter().map(|&p| (p, self.sequences.label(p, nucleus.length))).collect();
        let mut counts: Vec<(u32, u32)> = Vec::new();
        by_context(&self.sequences, nucleus.length, occurrences, |context, set| {
            counts.clear();
            for (_, label) in set {
                match counts.iter_mut().find(|(other, _)| other == label) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((*label, 1)),
                }
            }
            // The most frequent labels; of equal ones the first numbered.
            counts.sort_unstable_by_key(|(label, count)| (u32::MAX - count, *label));
            let [(first, most), (second, next), ..] = counts[..] else { return };
            for &(position, label) in set {
                let (other, others) = if label == first { (second, next) } else { (first, most) };
                let own = counts.iter().find(|(l, _)| *l == label).map_or(0, |(_, count)| *count);
                if others >= own {
                    let strength = strength(nucleus.length, context, own, others);
                    let nucleus = number as u32;
                    take(Found { strength, nucleus, position, context, label, other, own, others });
                }
            }
        });
    }

    fn named(&self, found: &Found) -> Evidence {
        let nucleus = found.nucleus as usize;
        Evidence {
            place: self.place(found.position, self.nuclei()[nucleus].length),
            nucleus,
            context: found.context,
            label: self.label_name(found.label).clone(),
            other: self.label_name(found.other).clone(),
            own: found.own,
            others: found.others,
            strength: found.strength,
        }
    }

    /// Nuclei in a sentence with their places, the longest first.
    pub fn of_sentence(&self, sentence: u32) -> Vec<(usize, Place)> {
        let mut found = Vec::new();
        for position in self.positions_of(sentence) {
            let place = self.suffixes.rank[position as usize] as usize;
            let common = |place: usize| self.suffixes.common.get(place).copied().unwrap_or(0);
            // What is longer than that stands nowhere else.
            let longest = common(place).max(common(place + 1)).min(self.unit().longest());
            found.extend((self.unit().shortest()..=longest).filter_map(|length| {
                Some((self.at(position, length)?, self.place(position, length)))
            }));
        }
        found.sort_by_key(|(nucleus, place)| {
            (u32::MAX - self.nuclei()[*nucleus].length, place.start, *nucleus)
        });
        found
    }
}
