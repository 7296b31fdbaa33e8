use super::super::notation::{NO_TAG, atom};
use super::super::{NodeId, Tree};
use super::changes::Notes;
use super::note_annotations;
use std::borrow::Cow;
use std::fmt::{self, Write};

/// Columns that a level of an indented tree is moved by, and where that ends.
const STEP: usize = 2;
const DEEPEST: usize = 80;

/// How brackets are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BracketStyle {
    /// A phrase of phrases over several lines; else a tree is one line.
    pub indented: bool,
}

/// Writes the brackets of a tree without gaps: the edge label of a phrase stands behind its label
/// (`NP-SBJ`), the name of the sentence in an `ID` bracket beside the tree where that is
/// unlabelled above.
pub(crate) fn write_brackets(
    tree: &Tree,
    style: &BracketStyle,
    out: &mut impl Write,
) -> fmt::Result {
    enum Step {
        /// A node, its depth, and whether it begins a line.
        Open(NodeId, usize, bool),
        Close,
    }
    let mut stack = vec![Step::Open(tree.root(), 0, false)];
    while let Some(step) = stack.pop() {
        match step {
            Step::Close => {
                if stack.is_empty()
                    && let Some(name) = name(tree)
                {
                    write!(out, " (ID {})", atom(name))?;
                }
                out.write_str(")")?;
            }
            Step::Open(id, depth, begins) => {
                let node = tree.node(id);
                if depth > 0 {
                    match begins {
                        true => {
                            write!(out, "\n{:width$}", "", width = (depth * STEP).min(DEEPEST))?
                        }
                        false => out.write_str(" ")?,
                    }
                }
                out.write_str("(")?;
                out.write_str(&label(tree, id))?;
                match node.word {
                    Some("") => out.write_str(" _)")?,
                    Some(word) => write!(out, " {})", atom(word))?,
                    None => {
                        stack.push(Step::Close);
                        // Words alone share the line of their phrase; asked once a phrase.
                        let is_word = |&c: &NodeId| tree.node(c).word.is_some();
                        let begin = style.indented && !node.children.iter().all(is_word);
                        let children = node.children.iter().rev();
                        stack.extend(children.map(|&c| Step::Open(c, depth + 1, begin)));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The name of the sentence, where brackets have a place for it.
fn name(tree: &Tree) -> Option<&str> {
    let root = tree.node(tree.root());
    let has_place = root.label.is_empty() && root.word.is_none();
    tree.name().filter(|n| has_place && !n.is_empty()).map(|n| &**n)
}

fn label(tree: &Tree, id: NodeId) -> Cow<'_, str> {
    let node = tree.node(id);
    if node.word.is_some() {
        return match &**node.label {
            "" => NO_TAG.into(),
            "ID" if is_taken_for_a_name(tree, id) => "ID=".into(),
            tag => atom(tag),
        };
    }
    match edge(tree, id) {
        Some(edge) => format!("{}-{}", atom(node.label), atom(edge)).into(),
        None => atom(node.label),
    }
}

/// The edge label that stands behind a phrase label.
fn edge(tree: &Tree, id: NodeId) -> Option<&str> {
    let node = tree.node(id);
    let edge = tree.annotation(id)?.edge.as_deref()?;
    (node.word.is_none() && !node.label.is_empty() && !edge.is_empty()).then_some(edge)
}

/// A word tagged `ID` directly below an unlabelled root and behind another word is what the name
/// of a sentence looks like.
fn is_taken_for_a_name(tree: &Tree, id: NodeId) -> bool {
    let node = tree.node(id);
    node.parent == Some(tree.root())
        && tree.node(tree.root()).label.is_empty()
        && node.position != Some(0)
}

/// Notes what [`write_brackets`] changes.
pub(super) fn note(tree: &Tree, _style: &BracketStyle, notes: &mut Notes) {
    let joined = tree.annotations().filter(|(id, _)| edge(tree, *id).is_some()).count();
    notes.add("edge-labels-joined", joined as u64, None);
    note_annotations(tree, notes, |id| edge(tree, id).is_none(), |_| true);
    if let Some(lost) = tree.name().filter(|_| name(tree).is_none()) {
        notes.add("names-left-out", 1, Some(lost.to_string()));
    }
    for (id, node) in tree.nodes() {
        let written = label(tree, id);
        if edge(tree, id).is_none() && written != **node.label {
            notes.add("labels-changed", 1, Some(format!("{} to {written}", node.label)));
        }
        if let Some(word) = node.word
            && (word.is_empty() || atom(word) != word)
        {
            notes.add("words-escaped", 1, Some(word.to_owned()));
        }
    }
}
