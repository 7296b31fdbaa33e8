//! Single slips of annotation: the one change of a tree that makes it likelier by most, judged by
//! the trees of all other sentences.
//!
//! Somebody who annotates slips now and then: a wrong tag or label, a bracket too many or too few, a
//! phrase one bracket too high or too low. Read as a noisy channel, an annotated tree t was meant as
//! another tree t' with the odds `P(t') / P(t)`, times how likely just that slip is. Every such t'
//! differs from t in two or three local trees, so that all of them are gone through and nothing is
//! parsed. `P` counts what follows what in the local trees of the *other* sentences, so that an
//! error cannot speak for itself; it is smoothed (Witten & Bell), so that what is rare has odds, too.
//!
//! In come trees as parsers see them, without functions and empty elements.

mod counts;
mod search;
mod sketch;
#[cfg(test)]
mod tests;

use crate::treebank::Tree;
use counts::{Counts, Rest};
use rayon::prelude::*;
use search::Search;
use sketch::{Names, Sketch};
use std::sync::Arc;

/// Trees between two questions whether to go on.
const CHUNK: usize = 256;

/// What was probably meant instead of what is annotated.
#[derive(Clone, Debug, PartialEq)]
pub struct Slip {
    /// `ln P(t') - ln P(t)`, in nats; below 0 where the annotation is the likeliest as it is.
    pub gain: f64,
    pub change: Change,
    /// Words `[start, end)` of the word or phrase that is changed.
    pub span: (u32, u32),
}

/// One change of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    Tag {
        from: Arc<str>,
        to: Arc<str>,
    },
    Label {
        from: Arc<str>,
        to: Arc<str>,
    },
    /// The bracket is taken away.
    Remove {
        label: Arc<str>,
    },
    /// A bracket is put around words that have none of that label.
    Add {
        label: Arc<str>,
    },
    /// The phrase is moved out of the one above it, or into the one beside it.
    Move {
        label: Arc<str>,
        from: Arc<str>,
        to: Arc<str>,
    },
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Change::Tag { from, to } => write!(f, "tag {to} for {from}"),
            Change::Label { from, to } => write!(f, "{to} for {from}"),
            Change::Remove { label } => write!(f, "no {label}"),
            Change::Add { label } => write!(f, "a new {label}"),
            Change::Move { label, from, to } => write!(f, "{label} in {to}, not {from}"),
        }
    }
}

/// The best change of every tree. `None` for a tree that none makes likelier than `e^-30` times
/// what it is, such as one that has nothing to be changed.
pub fn slips(trees: &[Arc<Tree>]) -> Vec<Option<Slip>> {
    slips_while(trees, |_| true).unwrap_or_default()
}

/// The same, as long as `go_on`, which is told how many trees are done: a million words take half a
/// minute.
pub fn slips_while(
    trees: &[Arc<Tree>],
    mut go_on: impl FnMut(usize) -> bool,
) -> Option<Vec<Option<Slip>>> {
    let mut names = Names::default();
    let sketches: Vec<Sketch> = trees.iter().map(|tree| Sketch::of(tree, &mut names)).collect();
    let mut all = Counts::default();
    sketches.iter().for_each(|sketch| all.add(sketch));
    let choices = names.choices(&sketches);
    let best = |(sketch, tree): (&Sketch, &Arc<Tree>)| {
        let rest = Rest::without(&all, sketch, names.len());
        let found = Search::of(sketch, &rest, &choices).best()?;
        Some(found.named(sketch, tree, &names))
    };
    let mut slips = Vec::with_capacity(trees.len());
    for (sketches, trees) in sketches.chunks(CHUNK).zip(trees.chunks(CHUNK)) {
        if !go_on(slips.len()) {
            return None;
        }
        slips.par_extend(sketches.par_iter().zip(trees).map(best));
    }
    Some(slips)
}
