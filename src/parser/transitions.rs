//! Left-corner derivations (Henderson 2003): trees as moves on a stack, one to one.
//!
//! The stack starts as `[ROOT]`. A node is made when its first child is complete: [`Move::Project`]
//! puts it in the child's place, and [`Move::Attach`] gives it the further children one by one.
//! [`Move::Modify`] makes a node and gives it both its children at once. There is no move that
//! ends a node: it ends when it is itself attached, adjoined or projected from. So that no tree
//! has two derivations, [`Move::Modify`] stands for all nodes of exactly two children of which the
//! first is a phrase with the node's own label, and for no others.

use crate::treebank::{NodeId, Place, Tree, TreeBuilder};
use std::sync::Arc;

/// A step of a derivation, with `W` a tagged word and `L` a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move<W, L> {
    /// The next word goes onto the stack.
    Shift(W),
    /// The top becomes the first child of a new node, which takes its place.
    Project(L),
    /// The top becomes the last child of the node below it; below it `[ROOT]`, that ends the
    /// derivation.
    Attach,
    /// The top and the node below it become the children of a new node with the latter's label.
    Modify,
}

/// Tag and word.
pub type TaggedWord = (Arc<str>, Arc<str>);

/// Why a move is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("the derivation has ended")]
    AfterEnd,
    #[error("the stack has too few nodes")]
    NeedsNode,
    #[error("a word takes no children, so nothing can be shifted onto it")]
    ShiftOntoTerminal,
    #[error("nothing is adjoined to the root")]
    ModifyRoot,
    #[error("a node made by adjunction has its two children and takes no other")]
    AttachToAdjunction,
    #[error("a node over two children of which the first is its own kind is made by adjunction")]
    EqualLabelBinary,
    #[error("the end is not reached")]
    Incomplete,
}

/// What the stack allows, whatever the labels and words are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    pub shift: bool,
    pub project: bool,
    pub attach: bool,
    pub modify: bool,
}

/// What derivations depend on, of a node on the stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// 0 for a word.
    pub children: u32,
    /// Made by [`Move::Modify`].
    pub is_adjunction: bool,
    /// Projected from a phrase with the same label.
    pub repeats: bool,
}

impl Shape {
    /// Of a word.
    pub const WORD: Shape = Shape { children: 0, is_adjunction: false, repeats: false };

    /// Of a node made by [`Move::Modify`].
    pub const ADJUNCTION: Shape = Shape { children: 2, is_adjunction: true, repeats: false };

    /// Of a new node over a word or phrase.
    pub fn projected(over: Shape, same_label: bool) -> Shape {
        Shape { children: 1, is_adjunction: false, repeats: same_label && !over.is_word() }
    }

    /// After another child.
    pub fn grown(self) -> Shape {
        Shape { children: self.children.saturating_add(1), ..self }
    }

    pub fn is_word(self) -> bool {
        self.children == 0
    }

    /// Must take another child, for with two it would have been made by adjunction.
    fn is_unfinished(self) -> bool {
        self.repeats && self.children == 2
    }
}

/// Why a move is not possible with this top and this node below it. `None` stands for the root, as
/// the top for an empty stack.
pub fn refusal<W, L>(
    step: &Move<W, L>,
    top: Option<Shape>,
    below: Option<Shape>,
) -> Result<(), Refused> {
    let Some(top) = top else {
        return match step {
            Move::Shift(_) => Ok(()),
            _ => Err(Refused::NeedsNode),
        };
    };
    match step {
        Move::Shift(_) if top.is_word() => Err(Refused::ShiftOntoTerminal),
        Move::Shift(_) => Ok(()),
        Move::Modify if below.is_none() => Err(Refused::ModifyRoot),
        _ if top.is_unfinished() => Err(Refused::EqualLabelBinary),
        Move::Project(_) => Ok(()),
        Move::Attach if below.is_some_and(|b| b.is_adjunction) => Err(Refused::AttachToAdjunction),
        Move::Attach => Ok(()),
        Move::Modify if below.is_some_and(Shape::is_unfinished) => Err(Refused::EqualLabelBinary),
        Move::Modify => Ok(()),
    }
}

/// What is possible with this top and this node below it, as in [`refusal`].
pub fn allowed(top: Option<Shape>, below: Option<Shape>) -> Allowed {
    let fits = |step: Move<(), ()>| refusal(&step, top, below).is_ok();
    Allowed {
        shift: fits(Move::Shift(())),
        project: fits(Move::Project(())),
        attach: fits(Move::Attach),
        modify: fits(Move::Modify),
    }
}

/// A stack that knows labels and shapes, for checking derivations step by step.
#[derive(Clone, Debug)]
pub struct Stack<L> {
    nodes: Vec<(Option<L>, Shape)>,
    has_ended: bool,
}

impl<L> Default for Stack<L> {
    fn default() -> Self {
        Stack { nodes: Vec::new(), has_ended: false }
    }
}

impl<L: Clone + PartialEq> Stack<L> {
    /// Whether the derivation is complete.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// What is possible now.
    pub fn allowed(&self) -> Allowed {
        match self.has_ended {
            true => Allowed { shift: false, project: false, attach: false, modify: false },
            false => allowed(self.shape(1), self.shape(2)),
        }
    }

    /// The shape of a node, the top being number 1.
    fn shape(&self, from_top: usize) -> Option<Shape> {
        let at = self.nodes.len().checked_sub(from_top)?;
        Some(self.nodes[at].1)
    }

    /// Makes a move, or says why it is not possible.
    pub fn make<W>(&mut self, step: &Move<W, L>) -> Result<(), Refused> {
        if self.has_ended {
            return Err(Refused::AfterEnd);
        }
        refusal(step, self.shape(1), self.shape(2))?;
        match step {
            Move::Shift(_) => self.nodes.push((None, Shape::WORD)),
            Move::Project(label) => {
                let (over, shape) = self.nodes.pop().expect("checked above");
                let same = over.as_ref() == Some(label);
                self.nodes.push((Some(label.clone()), Shape::projected(shape, same)));
            }
            Move::Attach => {
                self.nodes.pop();
                match self.nodes.last_mut() {
                    Some((_, shape)) => *shape = shape.grown(),
                    None => self.has_ended = true,
                }
            }
            Move::Modify => {
                self.nodes.pop();
                if let Some((_, shape)) = self.nodes.last_mut() {
                    *shape = Shape::ADJUNCTION;
                }
            }
        }
        Ok(())
    }
}

/// The derivation of a tree without gaps.
pub fn derivation(tree: &Tree) -> Vec<Move<TaggedWord, Arc<str>>> {
    let mut moves = Vec::with_capacity(2 * tree.nodes().len());
    each_move(tree, |step| {
        moves.push(match step {
            Move::Shift(id) => {
                let node = tree.node(id);
                let position = node.position.expect("only words are shifted") as usize;
                Move::Shift((node.label.clone(), tree.words()[position].clone()))
            }
            Move::Project(id) => Move::Project(tree.node(id).label.clone()),
            Move::Attach => Move::Attach,
            Move::Modify => Move::Modify,
        });
    });
    moves
}

/// The moves of a tree without gaps, with the nodes that they make; of [`Move::Modify`] that is
/// the parent of the top.
pub fn each_move(tree: &Tree, mut see: impl FnMut(Move<NodeId, NodeId>)) {
    enum Todo {
        Node(NodeId),
        Make(Move<NodeId, NodeId>),
    }
    let mut todo = vec![Todo::Make(Move::Attach), Todo::Node(tree.root())];
    while let Some(next) = todo.pop() {
        let id = match next {
            Todo::Make(step) => {
                see(step);
                continue;
            }
            Todo::Node(id) => id,
        };
        let node = tree.node(id);
        match *node.children {
            [] => see(Move::Shift(id)),
            [first, second] if is_adjunction(tree, id, first) => {
                todo.extend([Todo::Make(Move::Modify), Todo::Node(second), Todo::Node(first)]);
            }
            _ => {
                for child in node.children[1..].iter().rev() {
                    todo.extend([Todo::Make(Move::Attach), Todo::Node(*child)]);
                }
                todo.extend([Todo::Make(Move::Project(id)), Todo::Node(node.children[0])]);
            }
        }
    }
}

fn is_adjunction(tree: &Tree, id: NodeId, first: NodeId) -> bool {
    let first = tree.node(first);
    first.word.is_none() && first.label == tree.node(id).label
}

/// The tree of a derivation, or the number of the first move that is not possible, with the
/// reason; the number of moves where the end is not reached.
pub fn tree<'a>(
    moves: impl IntoIterator<Item = &'a Move<TaggedWord, Arc<str>>>,
) -> Result<Tree, (usize, Refused)> {
    let mut stack = Stack::default();
    let mut arena = Arena::default();
    let mut made = 0;
    for step in moves {
        stack.make(step).map_err(|refused| (made, refused))?;
        arena.make(step);
        made += 1;
    }
    if !stack.has_ended() {
        return Err((made, Refused::Incomplete));
    }
    Ok(arena.tree().expect("a derivation that ended made one tree"))
}

/// Nodes that moves make, to be read off as a tree. Moves must be possible.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Made>,
    stack: Vec<usize>,
    whole: Option<usize>,
}

#[derive(Clone, Debug)]
struct Made {
    label: Arc<str>,
    word: Option<Arc<str>>,
    children: Vec<usize>,
}

impl Arena {
    /// Makes a move that the stack allows.
    pub fn make(&mut self, step: &Move<TaggedWord, Arc<str>>) {
        match step {
            Move::Shift((tag, word)) => self.push(tag.clone(), Some(word.clone()), Vec::new()),
            Move::Project(label) => {
                let child = self.stack.pop();
                self.push(label.clone(), None, child.into_iter().collect());
            }
            Move::Attach => {
                let child = self.stack.pop();
                match self.stack.last() {
                    Some(&below) => self.nodes[below].children.extend(child),
                    None => self.whole = child,
                }
            }
            Move::Modify => {
                let (top, below) = (self.stack.pop(), self.stack.pop());
                if let Some(below) = below {
                    let label = self.nodes[below].label.clone();
                    self.push(label, None, [Some(below), top].into_iter().flatten().collect());
                }
            }
        }
    }

    fn push(&mut self, label: Arc<str>, word: Option<Arc<str>>, children: Vec<usize>) {
        self.stack.push(self.nodes.len());
        self.nodes.push(Made { label, word, children });
    }

    /// The tree, if the derivation has ended.
    pub fn tree(&self) -> Option<Tree> {
        let mut builder = TreeBuilder::new();
        let mut todo = vec![Some(self.whole?)];
        while let Some(next) = todo.pop() {
            let Some(at) = next else {
                builder.close();
                continue;
            };
            let Made { label, word, children } = &self.nodes[at];
            match word {
                Some(word) => drop(builder.word(label.clone(), word.clone())),
                None => {
                    builder.open(label.clone());
                    todo.push(None);
                    todo.extend(children.iter().rev().map(|child| Some(*child)));
                }
            }
        }
        builder.finish(Place::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;
    use proptest::prelude::*;

    fn read(brackets: &str) -> Tree {
        let first = Reader::new(brackets.as_bytes(), "test").next();
        first.expect("a tree").unwrap_or_else(|e| panic!("{e}"))
    }

    fn shown(moves: &[Move<TaggedWord, Arc<str>>]) -> String {
        let one = |step: &Move<TaggedWord, Arc<str>>| match step {
            Move::Shift((_, word)) => word.to_string(),
            Move::Project(label) => label.to_string(),
            Move::Attach => "<".to_owned(),
            Move::Modify => "+".to_owned(),
        };
        moves.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn trees_become_moves_from_their_left_corners() {
        for (brackets, expected) in [
            ("(S (NP (N Mary)) (VP (V runs) (R often)))", "Mary NP S runs VP often < < <"),
            ("(NP (NP (N a)) (PP (P b)))", "a NP b PP + <"),
            ("(NP (NP (N a)) (PP (P b)) (C c))", "a NP NP b PP < c < <"),
            ("(NP (NP (N a)))", "a NP NP <"),
            ("(N (N a) (P b))", "a N b < <"),
            ("(N a)", "a <"),
        ] {
            assert_eq!(shown(&derivation(&read(brackets))), expected);
        }
    }

    #[test]
    fn depth_is_no_bound() {
        let n = 50_000;
        let deep = read(&format!("{}(X (NN a)){}", "(X ".repeat(n), ")".repeat(n)));
        let back = tree(&derivation(&deep)).expect("its own derivation");
        assert_eq!(back.nodes().len(), deep.nodes().len());
    }

    /// Random brackets over few labels, of which tags are some, too.
    fn brackets() -> impl Strategy<Value = String> {
        let word =
            (0..3usize, 0..3).prop_map(|(tag, word)| format!("({} w{word})", ["A", "B", "T"][tag]));
        word.prop_recursive(6, 40, 4, |inner| {
            let children = prop::collection::vec(inner, 1..5);
            (0..2usize, children).prop_map(|(label, children)| {
                format!("({} {})", ["A", "B"][label], children.join(" "))
            })
        })
    }

    proptest! {
        #[test]
        fn every_tree_comes_back_from_its_derivation(brackets in brackets()) {
            let given = read(&brackets);
            let moves = derivation(&given);
            prop_assert_eq!(tree(&moves).expect("its own derivation").to_string(), brackets);
            let mut stack = Stack::default();
            for step in &moves {
                let allowed = stack.allowed();
                let fits = match step {
                    Move::Shift(_) => allowed.shift,
                    Move::Project(_) => allowed.project,
                    Move::Attach => allowed.attach,
                    Move::Modify => allowed.modify,
                };
                prop_assert!(fits);
                prop_assert_eq!(stack.make(step), Ok(()));
            }
            prop_assert!(stack.has_ended());
        }

        #[test]
        fn every_derivation_is_that_of_its_tree(choices in prop::collection::vec(0..6u32, 1..30)) {
            // Moves as they come, those that are refused left out.
            let label = |n: u32| -> Arc<str> { ["A", "B"][n as usize % 2].into() };
            let mut stack = Stack::default();
            let mut moves = Vec::new();
            for choice in choices {
                let step = match choice {
                    0 => Move::Shift((label(0), Arc::from("a"))),
                    1 => Move::Shift((Arc::from("T"), Arc::from("b"))),
                    2 | 3 => Move::Project(label(choice)),
                    4 => Move::Attach,
                    _ => Move::Modify,
                };
                if stack.make(&step).is_ok() {
                    moves.push(step);
                }
            }
            match tree(&moves) {
                Ok(made) => prop_assert_eq!(derivation(&made), moves),
                Err((at, refused)) => {
                    prop_assert_eq!((at, refused), (moves.len(), Refused::Incomplete));
                }
            }
        }
    }
}
