//! The derivation of a tree, ready for the network: what every history vector is computed from,
//! and what could have been decided.

use super::SsnError;
use super::stack::{Next, Stacks, View, is_allowed};
use super::vocabulary::{Decision, Vocabulary};
use crate::parser::transitions::{self, Allowed, Move};
use crate::treebank::Tree;

/// One decision. Near history vectors are numbers of earlier steps.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub view: View,
    pub allowed: Allowed,
    pub decision: Decision,
}

/// The decisions of a tree in their order.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub words: usize,
}

impl Plan {
    /// Of a tree in the form in which it is derived. What the vocabulary or the masks do not have
    /// is an error.
    pub fn new(tree: &Tree, vocabulary: &Vocabulary, repeats: u32) -> Result<Plan, SsnError> {
        let mut stacks = Stacks::default();
        let mut at = stacks.begin(vocabulary);
        let mut steps = Vec::with_capacity(2 * tree.nodes().len());
        let mut error = None;
        transitions::each_move(tree, |step| {
            if error.is_some() {
                return;
            }
            let decision = match decision(tree, step, vocabulary) {
                Ok(decision) => decision,
                Err(unknown) => return error = Some(unknown),
            };
            let allowed = stacks.allowed(at, repeats);
            if !is_allowed(&allowed, decision, vocabulary) {
                return error = Some(SsnError::Repeats { limit: repeats });
            }
            let number = steps.len() as u32;
            steps.push(Step { view: stacks.view(at), allowed, decision });
            if let Next::Position(next) = stacks.make(at, decision, number, vocabulary) {
                at = next;
            }
        });
        match error {
            Some(error) => Err(error),
            None => Ok(Plan { steps, words: tree.len() }),
        }
    }
}

fn decision(
    tree: &Tree,
    step: Move<crate::treebank::NodeId, crate::treebank::NodeId>,
    vocabulary: &Vocabulary,
) -> Result<Decision, SsnError> {
    Ok(match step {
        Move::Attach => vocabulary.attach(),
        Move::Modify => vocabulary.modify(),
        Move::Project(id) => {
            let label = tree.node(id).label;
            let symbol = vocabulary.label_symbol(label);
            vocabulary.project(symbol.ok_or_else(|| SsnError::Label(label.clone()))?)
        }
        Move::Shift(id) => {
            let node = tree.node(id);
            let tag =
                vocabulary.tag(node.label).ok_or_else(|| SsnError::Tag(node.label.clone()))?;
            vocabulary.shift(vocabulary.pair(tag, node.word.unwrap_or_default()))
        }
    })
}
