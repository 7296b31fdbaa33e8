//! A parser that chooses left-corner moves by an averaged perceptron, with a beam. It finds tags
//! and structure together: a shift is a decision about the structure and one about the tag.
//!
//! It learns by early update (Collins & Roark 2004): a sentence is parsed until its derivation
//! falls out of the beam, and the first steps of the right and of the best wrong derivation are
//! what is rewarded and punished. So every update is one at a place where the search itself went
//! wrong, which is what makes the perceptron converge under a beam, and sentences that are not
//! learned yet cost little. Updates are multiplied by the sentence's weight, the mean of which is
//! 1: a sentence of weight 2 pulls as two of weight 1 do, in one step of the average. A tree of
//! weight 0 is not there, not even by its words and labels.
//!
//! Moves are limited to what some tree of the treebank could need (labels, roots, length of unary
//! chains), and so that every state can go on to an end: there is a tree for every sentence. Equal
//! scores are decided by the order of the states, so that a seed settles everything.

mod features;
mod lexical;
mod parser;
mod perceptron;
mod search;
mod state;
mod store;
mod train;
mod weights;

use super::heads::HeadRules;
use super::transitions::{Move, each_move};
use super::{Inducer, ParserError, Prepared, TreeParser, check_weights};
use crate::config;
use crate::treebank::Tree;
use lexical::{Labels, Roles, Words};
use perceptron::Perceptron;
use search::{Input, Rules};
use state::{NO_LABEL, Step};
use std::sync::Arc;
use train::{Example, Schedule, train};

pub use store::read as restore;

/// Most labels and tags, so that every decision has a small number.
const MOST_LABELS: usize = 10_000;

/// Induces perceptron parsers.
#[derive(Clone, Debug)]
pub struct ShiftReduce {
    settings: config::Parser,
}

impl ShiftReduce {
    pub fn new(settings: &config::Parser) -> ShiftReduce {
        ShiftReduce { settings: settings.clone() }
    }
}

impl Inducer for ShiftReduce {
    fn name(&self) -> String {
        let config::Parser { beam, passes, .. } = self.settings;
        format!("shift-reduce beam={beam} passes={passes}")
    }

    fn prepare(&self, trees: &[Arc<Tree>]) -> Result<Box<dyn Prepared>, ParserError> {
        if trees.is_empty() {
            return Err(ParserError::NoTrees);
        }
        if let Some(tree) = trees.iter().position(|tree| tree.is_discontinuous()) {
            return Err(ParserError::Discontinuous { tree });
        }
        let mut labels = Labels::default();
        // Phrases come first, so that decisions about the structure have the smallest numbers.
        for is_word in [false, true] {
            for tree in trees {
                let nodes = tree.nodes().filter(|(_, node)| node.word.is_some() == is_word);
                nodes.for_each(|(_, node)| labels.make(node.label));
                if labels.names().len() > MOST_LABELS {
                    let (labels, most) = (labels.names().len(), MOST_LABELS);
                    return Err(ParserError::TooManyLabels { labels, most });
                }
            }
        }
        let steps = trees.iter().map(|tree| steps(tree, &labels).expect("labels are known"));
        let steps = steps.collect();
        Ok(Box::new(PreparedTrees {
            settings: self.settings.clone(),
            trees: trees.to_vec(),
            labels: Arc::new(labels),
            steps,
        }))
    }
}

/// The steps of a tree; `None` where it has a label that is not known.
fn steps(tree: &Tree, labels: &Labels) -> Option<Vec<Step>> {
    let mut steps = Some(Vec::with_capacity(2 * tree.nodes().len()));
    each_move(tree, |step| {
        let label = |id| labels.get(tree.node(id).label);
        let step = match step {
            Move::Shift(id) => label(id).map(Step::Shift),
            Move::Project(id) => label(id).map(Step::Project),
            Move::Attach => Some(Step::Attach),
            Move::Modify => Some(Step::Modify),
        };
        match (&mut steps, step) {
            (Some(steps), Some(step)) => steps.push(step),
            (steps, _) => *steps = None,
        }
    });
    steps
}

/// Trees as steps.
struct PreparedTrees {
    settings: config::Parser,
    trees: Vec<Arc<Tree>>,
    labels: Arc<Labels>,
    steps: Vec<Vec<Step>>,
}

impl Prepared for PreparedTrees {
    fn induce(&self, weights: &[f64]) -> Result<Arc<dyn TreeParser>, ParserError> {
        check_weights(self.trees.len(), weights)?;
        let weighted = || (0..self.trees.len()).filter(|i| weights[*i] > 0.0);
        // Words and roles are those of trees that count; of the others nothing is known.
        let trees = || weighted().map(|i| &*self.trees[i]);
        let roles = Roles::of(trees(), &self.labels);
        let words = Words::of(trees(), &self.labels);
        // The mean weight is 1, so that only the ratios of weights matter.
        let unit = weighted().count() as f64 / weighted().map(|i| weights[i]).sum::<f64>();
        let mut tags = Vec::new();
        let examples: Vec<Example> = weighted()
            .map(|i| {
                let tree = &self.trees[i];
                let input = Input {
                    words: tree.words().iter().map(|word| words.seen(word)).collect(),
                    tags: tree
                        .words()
                        .iter()
                        .map(|word| {
                            words.tags(word, &mut tags);
                            tags.clone()
                        })
                        .collect(),
                };
                Example { input, steps: self.steps[i].clone(), weight: weights[i] * unit }
            })
            .collect();
        let heads = self.labels.heads(&HeadRules::of(self.settings.heads));
        let rules = Rules::new(&heads, &roles, self.labels.names().len());
        let config::Parser { passes, beam, seed, .. } = self.settings;
        let (structure, tagging) = train(&examples, &rules, Schedule { passes, beam, seed });
        let labels = self.labels.clone();
        Ok(Arc::new(Perceptron { beam, heads, labels, roles, words, structure, tagging }))
    }
}

const _: () = assert!(MOST_LABELS < NO_LABEL as usize);
