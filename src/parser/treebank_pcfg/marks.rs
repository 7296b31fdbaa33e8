//! What a node may know of itself beyond its label (Klein & Manning 2003, sections 3 to 5).

use crate::config;
use crate::parser::heads::HeadRules;
use crate::treebank::{NodeId, Tree};
use std::fmt;

/// A set of marks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(u8);

impl Marks {
    const UNARY: Marks = Marks(1);
    const ALONE: Marks = Marks(2);
    const BASE: Marks = Marks(4);
    const RIGHT_RECURSIVE: Marks = Marks(8);
    const DOMINATES: Marks = Marks(16);

    /// The marks as a number, for files.
    pub fn number(self) -> u32 {
        self.0.into()
    }

    /// The marks of [`Marks::number`].
    pub fn from_number(number: u32) -> Option<Marks> {
        u8::try_from(number).ok().filter(|n| *n < 32).map(Marks)
    }

    fn with(self, mark: Marks, holds: bool) -> Marks {
        if holds { Marks(self.0 | mark.0) } else { self }
    }
}

/// `-U` and so on.
impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let names = [
            (Marks::UNARY, "-U"),
            (Marks::ALONE, "-A"),
            (Marks::BASE, "-B"),
            (Marks::RIGHT_RECURSIVE, "-R"),
            (Marks::DOMINATES, "-V"),
        ];
        names.iter().filter(|(mark, _)| self.0 & mark.0 != 0).try_for_each(|(_, n)| f.write_str(n))
    }
}

/// Which marks are made.
#[derive(Clone, Debug)]
pub struct Marking {
    unary_internal: bool,
    unary_external: bool,
    unary_tags: Labels,
    base: Labels,
    right_recursive: Labels,
    dominates: Labels,
    head_tags: Labels,
}

/// Labels, of which those that end in `*` stand for all that begin so.
#[derive(Clone, Debug)]
pub struct Labels(Vec<String>);

impl Labels {
    pub fn new(labels: &[String]) -> Labels {
        Labels(labels.to_vec())
    }

    pub fn holds(&self, label: &str) -> bool {
        self.0.iter().any(|known| match known.strip_suffix('*') {
            Some(beginning) => label.starts_with(beginning),
            None => label == known,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Marking {
    pub fn new(settings: &config::Parser) -> Marking {
        Marking {
            unary_internal: settings.unary_internal,
            unary_external: settings.unary_external,
            unary_tags: Labels::new(&settings.unary_tags),
            base: Labels::new(&settings.base),
            right_recursive: Labels::new(&settings.right_recursive),
            dominates: Labels::new(&settings.dominates),
            head_tags: Labels::new(&settings.head_tags),
        }
    }

    /// The marks of every node.
    pub fn marks(&self, tree: &Tree) -> Vec<Marks> {
        let dominating = match self.dominates.is_empty() {
            true => Vec::new(),
            false => self.dominating(tree),
        };
        let marks = tree.nodes().map(|(id, node)| {
            let alone = node.parent.is_some_and(|p| tree.node(p).children.len() == 1);
            let marks = Marks::default();
            if node.word.is_some() {
                return marks.with(Marks::ALONE, alone && self.unary_tags.holds(node.label));
            }
            let is_word = |child: &NodeId| tree.node(*child).word.is_some();
            let is_base = || self.base.holds(node.label) && node.children.iter().all(is_word);
            let recursive = || self.right_recursive.holds(node.label) && ends_in_its_kind(tree, id);
            marks
                .with(Marks::UNARY, self.unary_internal && node.children.len() == 1)
                .with(Marks::ALONE, self.unary_external && alone)
                .with(Marks::BASE, is_base())
                .with(Marks::RIGHT_RECURSIVE, recursive())
                .with(Marks::DOMINATES, dominating.get(id.0 as usize) == Some(&true))
        });
        marks.collect()
    }

    /// Whether some tag below is one of those that are to be known.
    fn dominating(&self, tree: &Tree) -> Vec<bool> {
        let mut dominating = vec![false; tree.nodes().len()];
        for (id, node) in tree.nodes().rev() {
            let here = id.0 as usize;
            dominating[here] |= node.word.is_some() && self.dominates.holds(node.label);
            if let (true, Some(parent)) = (dominating[here], node.parent) {
                dominating[parent.0 as usize] = true;
            }
        }
        dominating
    }

    /// The preterminal that is the head of a phrase that is to know it.
    pub fn head_tag(&self, tree: &Tree, id: NodeId, heads: &HeadRules) -> Option<NodeId> {
        if self.head_tags.is_empty() || !self.head_tags.holds(tree.node(id).label) {
            return None;
        }
        let mut at = id;
        while tree.node(at).word.is_none() {
            at = head_child(tree, at, heads);
        }
        Some(at)
    }
}

/// The head among the children of a phrase.
pub fn head_child(tree: &Tree, phrase: NodeId, heads: &HeadRules) -> NodeId {
    let node = tree.node(phrase);
    let labels: Vec<&str> = node.children.iter().map(|c| &**tree.node(*c).label).collect();
    node.children[heads.head(node.label, &labels)]
}

fn ends_in_its_kind(tree: &Tree, id: NodeId) -> bool {
    let own = tree.node(id).label;
    let mut at = id;
    while let Some(last) = tree.node(at).children.last() {
        at = *last;
        if tree.node(at).word.is_none() && tree.node(at).label == own {
            return true;
        }
    }
    false
}
