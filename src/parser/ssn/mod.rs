//! The history-based, generative left-corner parser of Henderson 2003: the simple synchrony
//! network.
//!
//! A tree is derived by [moves](super::transitions), each a decision of the [`Vocabulary`]. A
//! network reads what was decided so far into a history vector, by way of the vectors of nodes that
//! are near in the tree, and one softmax over all that is possible gives the next decision its
//! probability. [`Ssn::trace`] takes a given tree through it; the beam search finds trees.

mod file;
mod form;
mod lexicon;
mod log_linear;
mod network;
mod parser;
mod plan;
mod search;
#[cfg(test)]
mod search_tests;
mod stack;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod trace;
mod vocabulary;
mod weights;

use crate::config;
use crate::treebank::Tree;
use std::sync::Arc;

pub use file::SsnFile;
pub use form::Form;
pub use lexicon::{Lexicon, Rare, Reading};
pub use network::{Pass, Workspace};
pub use plan::Plan;
pub use search::Width;
pub use trace::{Trace, TracedStep};
pub use vocabulary::{Choice, Decision, Pair, Symbol, Vocabulary};
pub use weights::{Part, Sizes, Weights};

/// Why a tree has no derivation, or trees no parser.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SsnError {
    #[error("there is no tree to learn from")]
    NoTrees,
    #[error("a phrase has a gap; `discontinuous = \"attach\"` closes it")]
    Discontinuous,
    #[error("no training tree has the label {0}")]
    Label(Arc<str>),
    #[error("no training tree has the tag {0}")]
    Tag(Arc<str>),
    #[error("more than {limit} phrases in a row have their own label below them alone")]
    Repeats { limit: u32 },
}

/// A network with the words and labels that it knows: a parser.
#[derive(Clone, Debug)]
pub struct Ssn {
    settings: config::Ssn,
    form: Form,
    vocabulary: Vocabulary,
    lexicon: Lexicon,
    /// Phrases of one label that may stand in a row of single children, less one.
    repeats: u32,
    weights: Weights<f32>,
}

impl Ssn {
    /// An untrained one, with the labels and words of the trees that it is to be trained on.
    pub fn start(settings: &config::Ssn, trees: &[Arc<Tree>], seed: u64) -> Result<Ssn, SsnError> {
        let form = Form::of_trees(trees, settings.unary_chains);
        let derived: Result<Vec<Tree>, SsnError> =
            trees.iter().map(|tree| form.put_on(tree)).collect();
        let derived = derived?;
        let vocabulary = Vocabulary::of_trees(&derived, settings.min_count)?;
        let lexicon = Lexicon::of_trees(&derived, &vocabulary);
        let repeats = derived.iter().map(repeats).max().unwrap_or(0).max(settings.repeats);
        let mut counts = vec![1.0; vocabulary.decisions()];
        for tree in &derived {
            let plan = Plan::new(tree, &vocabulary, repeats)?;
            plan.steps.iter().for_each(|step| counts[step.decision as usize] += 1.0);
        }
        let all: f64 = counts.iter().sum();
        counts.iter_mut().for_each(|count| *count /= all);
        let sizes = sizes(&vocabulary, settings.hidden);
        let weights = Weights::random(sizes, &counts, seed);
        Ok(Ssn { settings: *settings, form, vocabulary, lexicon, repeats, weights })
    }

    pub fn settings(&self) -> &config::Ssn {
        &self.settings
    }

    /// The same with another beam.
    pub fn with_beam(self, beam: usize) -> Ssn {
        Ssn { settings: config::Ssn { beam, ..self.settings }, ..self }
    }

    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// What words may be where no tag is given.
    pub fn lexicon(&self) -> &Lexicon {
        &self.lexicon
    }

    /// Number of decisions, A: theta has so many rows.
    pub fn decisions(&self) -> usize {
        self.vocabulary.decisions()
    }

    /// Units of a history vector, H: theta has so many columns.
    pub fn hidden(&self) -> usize {
        self.weights.sizes().hidden
    }

    /// The weights of the output layer: (decisions, hidden).
    pub fn theta(&self) -> &[f32] {
        self.weights.part(Part::Output)
    }

    pub fn weights(&self) -> &Weights<f32> {
        &self.weights
    }

    pub fn weights_mut(&mut self) -> &mut Weights<f32> {
        &mut self.weights
    }

    /// The derivation of a tree as the treebank has it.
    pub fn plan(&self, tree: &Tree) -> Result<Plan, SsnError> {
        Plan::new(&self.form.put_on(tree)?, &self.vocabulary, self.repeats)
    }
}

fn sizes(vocabulary: &Vocabulary, hidden: usize) -> Sizes {
    Sizes {
        hidden,
        decisions: vocabulary.decisions(),
        symbols: vocabulary.symbols(),
        pairs: vocabulary.pairs(),
    }
}

/// How often at most phrases of one label have their like below them alone, in a row.
fn repeats(tree: &Tree) -> u32 {
    let mut in_a_row = vec![0; tree.nodes().len()];
    for (id, node) in tree.nodes().rev() {
        if let [only] = *node.children
            && tree.node(only).word.is_none()
            && tree.node(only).label == node.label
        {
            in_a_row[id.0 as usize] = 1 + in_a_row[only.0 as usize];
        }
    }
    in_a_row.into_iter().max().unwrap_or(0)
}
