//! Floor 3: supervised parsers, induced from weighted trees.
//!
//! Trees come in as preprocessing leaves them ([`Preprocessing::clean`]): without gaps and empty
//! elements, with the labels that are to be learned. Weights are multiplicities or the weights of
//! boosting; only their ratios matter to the grammar. A parser gives every sentence a tree, with
//! the labels that the treebank has: what it could not do as asked is told ([`Fallback`]), never
//! left out.
//!
//! [`Preprocessing::clean`]: crate::treebank::Preprocessing::clean

mod file;
mod heads;
mod shift_reduce;
mod signature;
pub mod ssn;
#[cfg(test)]
mod tests;
mod trace;
pub mod transitions;
mod treebank_pcfg;

use crate::checkpoint::TensorFile;
use crate::config::{self, ParserFamily};
use crate::report::counted;
use crate::treebank::Tree;
use std::sync::Arc;

pub use file::ParserFile;
pub use heads::{Direction, HeadRules};
pub use shift_reduce::ShiftReduce;
pub use trace::{Asked, LogLinear, OutputGradient, Rows, Step, Trace};
pub use treebank_pcfg::{PcfgDecisions, PcfgParser, PreparedTrees, TreebankPcfg};

/// Why no parser could be induced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParserError {
    #[error("there is no tree to learn from")]
    NoTrees,
    #[error("{} and {}: expected as many", counted(*.trees, "tree"), counted(*.weights, "weight"))]
    WeightCount { trees: usize, weights: usize },
    #[error("tree {tree} has the weight {weight}: expected a finite number, 0 or more")]
    Weight { tree: usize, weight: String },
    #[error("all trees have the weight 0: give one of them more")]
    NoWeight,
    #[error("tree {tree}: a phrase has a gap; `discontinuous = \"attach\"` closes it")]
    Discontinuous { tree: usize },
    #[error("the trees have {labels} labels, the parser takes {most}")]
    TooManyLabels { labels: usize, most: usize },
}

/// An algorithm that makes parsers of trees.
pub trait Inducer: Send + Sync {
    /// What the user calls it, with the settings that matter: `treebank-pcfg v=2 h=2`.
    fn name(&self) -> String;

    /// Reads off the trees, once, all that induction needs of them.
    fn prepare(&self, trees: &[Arc<Tree>]) -> Result<Box<dyn Prepared>, ParserError>;

    /// A parser from trees with weights; [`Inducer::prepare`] pays where there are several
    /// weightings.
    fn induce(
        &self,
        trees: &[Arc<Tree>],
        weights: &[f64],
    ) -> Result<Arc<dyn TreeParser>, ParserError> {
        self.prepare(trees)?.induce(weights)
    }
}

/// Trees ready for one weighting after the other.
pub trait Prepared: Send + Sync {
    /// A parser from the trees with these weights, one a tree in the order of
    /// [`Inducer::prepare`]; a tree of weight 0 is as if it were not there.
    fn induce(&self, weights: &[f64]) -> Result<Arc<dyn TreeParser>, ParserError>;
}

/// A sentence to parse.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// At least one, as in the trees of the training.
    pub words: &'a [Arc<str>],
    /// The tags to take, one a word; without them the parser finds its own.
    pub tags: Option<&'a [Arc<str>]>,
}

impl<'a> Words<'a> {
    /// Words alone.
    pub fn new(words: &'a [Arc<str>]) -> Words<'a> {
        Words { words, tags: None }
    }
}

/// A parsed sentence.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// A tree over the words.
    pub tree: Tree,
    /// What the parser says of the tree, nats: of a grammar log P(words, tree), of a perceptron
    /// the sum of its weights. -infinity where the parser has no figure for it.
    pub score: f64,
    /// Why the tree is not the one that the parser as induced finds best.
    pub fallback: Option<Fallback>,
}

/// What had to be given up for a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// The grammar has no tree for the sentence: a coarser one was taken.
    Relaxed,
    /// No grammar has a tree: phrases side by side under the root.
    Fragments,
    /// The sentence is too long for the chart, which was pruned tighter.
    TooLong,
}

/// One of several trees of a sentence.
#[derive(Clone, Debug)]
pub struct Candidate {
    pub tree: Tree,
    /// As [`Parsed::score`].
    pub score: f64,
}

/// Stands in lists for the log-probability of a tree that its parser gives none: that of a sentence
/// which its grammar does not derive, whose one candidate has nothing to be compared with.
pub const UNSCORED: f64 = -1e6;

impl Candidate {
    /// The score as lists have it, where every candidate needs a finite one.
    pub fn listed_score(&self) -> f64 {
        if self.score.is_finite() { self.score } else { UNSCORED }
    }
}

/// An induced parser; cheap to share between threads.
pub trait TreeParser: Send + Sync {
    /// The best tree. A sentence without words is the caller's fault, and gets a tree of one
    /// empty word.
    fn parse(&self, sentence: Words<'_>) -> Parsed;

    /// At most `k` different trees, the best first; where [`Parsed::fallback`] would say so, the
    /// one tree that [`TreeParser::parse`] gives.
    fn k_best(&self, sentence: Words<'_>, k: usize) -> Vec<Candidate>;

    /// What the parser says of a given tree, as [`Parsed::score`]; -infinity for one that it could
    /// not have given.
    fn tree_score(&self, tree: &Tree) -> f64;

    /// How many numbers it learned, and what they are: `rules`, `weights`.
    fn size(&self) -> (usize, &'static str);

    /// Puts into a file what [`ParserFile::load`] makes the same parser of.
    fn store(&self, file: &mut TensorFile) -> Result<(), candle_core::Error>;
}

/// The inducer that the settings describe.
pub fn build(settings: &config::Parser) -> Result<Box<dyn Inducer>, ParserError> {
    match settings.family {
        ParserFamily::TreebankPcfg => Ok(Box::new(TreebankPcfg::new(settings))),
        ParserFamily::ShiftReduce => Ok(Box::new(ShiftReduce::new(settings))),
    }
}

/// A parser as it was stored; says what is wrong with the file.
fn restore(settings: &config::Parser, file: &TensorFile) -> Result<Arc<dyn TreeParser>, String> {
    match settings.family {
        ParserFamily::TreebankPcfg => Ok(Arc::new(PcfgParser::restore(settings, file)?)),
        ParserFamily::ShiftReduce => Ok(Arc::new(shift_reduce::restore(settings, file)?)),
    }
}

/// Refuses weights that no induction can use.
fn check_weights(trees: usize, weights: &[f64]) -> Result<(), ParserError> {
    if trees != weights.len() {
        return Err(ParserError::WeightCount { trees, weights: weights.len() });
    }
    if let Some(tree) = weights.iter().position(|w| !(w.is_finite() && *w >= 0.0)) {
        return Err(ParserError::Weight { tree, weight: weights[tree].to_string() });
    }
    if weights.iter().all(|w| *w == 0.0) {
        return Err(ParserError::NoWeight);
    }
    Ok(())
}
