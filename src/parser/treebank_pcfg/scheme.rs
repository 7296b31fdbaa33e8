//! From a tree to the rules that derive it: annotation of labels and binarisation. One to one:
//! the tree is got back by leaving parts and annotation out.

use super::marks::{Labels, Marking, Marks, head_child};
use super::symbols::{Key, Label, NONE, Naming, Symbol};
use crate::config::{self, Binarisation, Horizontal};
use crate::parser::heads::HeadRules;
use crate::treebank::{NodeId, Tree};
use foldhash::fast::FixedState;
use std::collections::HashSet;
use std::sync::Arc;

/// A rule with two children, or one where `right` is [`NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rule {
    pub lhs: Symbol,
    pub left: Symbol,
    pub right: Symbol,
}

/// The rules of a tree; the word of position `i` comes from `tags[i]`.
#[derive(Clone, Debug, Default)]
pub struct Derivation {
    pub root: Symbol,
    pub rules: Vec<Rule>,
    pub tags: Vec<Symbol>,
}

/// Tags and words, of which the pair is a tag of its own.
pub type SplitWords = HashSet<(Arc<str>, Arc<str>), FixedState>;

/// How trees are annotated and taken apart.
#[derive(Clone, Debug)]
pub struct Scheme {
    vertical: usize,
    /// Sisters that a part knows; `usize::MAX` for all.
    horizontal: usize,
    is_head_outward: bool,
    heads: HeadRules,
    marking: Marking,
    tag_parent: bool,
    tag_grandparent: Labels,
    pub split_words: SplitWords,
}

impl Scheme {
    pub fn new(settings: &config::Parser) -> Scheme {
        Scheme::with_heads(settings, HeadRules::of(settings.heads))
    }

    /// The same with head rules of one's own.
    pub fn with_heads(settings: &config::Parser, heads: HeadRules) -> Scheme {
        let horizontal = match settings.horizontal {
            Horizontal::Last(n) => n,
            Horizontal::All => usize::MAX,
        };
        Scheme {
            vertical: settings.vertical,
            horizontal,
            is_head_outward: settings.binarisation == Binarisation::Head,
            heads,
            marking: Marking::new(settings),
            tag_parent: settings.tag_parent,
            tag_grandparent: Labels::new(&settings.tag_grandparent),
            split_words: SplitWords::default(),
        }
    }

    /// Reads the rules of a tree into `into`, which is emptied first; `None` where `naming` does
    /// not know a symbol of it.
    pub fn read(&self, tree: &Tree, mut naming: impl Naming, into: &mut Derivation) -> Option<()> {
        into.rules.clear();
        into.tags.clear();
        into.tags.resize(tree.len(), NONE);
        let marks = self.marking.marks(tree);
        let labels: Vec<Label> =
            tree.nodes().map(|(_, node)| naming.label(node.label)).collect::<Option<_>>()?;
        let mut symbols: Vec<Symbol> = Vec::with_capacity(labels.len());
        for (id, node) in tree.nodes() {
            let at = Place { tree, id, labels: &labels, marks: marks[index(id)] };
            let symbol = match node.position {
                Some(_) => self.tag(at, &mut naming)?,
                None => self.phrase(at, &mut naming)?,
            };
            if let Some(position) = node.position {
                into.tags[position as usize] = symbol;
            }
            symbols.push(symbol);
        }
        into.root = symbols[0];
        let known = self.horizontal;
        let mut parts = Parts { naming, labels: &labels, symbols: &symbols, context: Vec::new() };
        for (id, node) in tree.nodes() {
            let lhs = symbols[index(id)];
            match *node.children {
                [] => {}
                [only] => into.rules.push(Rule { lhs, left: symbols[index(only)], right: NONE }),
                [a, b] => {
                    let (left, right) = (symbols[index(a)], symbols[index(b)]);
                    into.rules.push(Rule { lhs, left, right });
                }
                _ if self.is_head_outward => {
                    let head = head_child(tree, id, &self.heads);
                    let head = node.children.iter().position(|c| *c == head);
                    parts.take_from_head(lhs, node.children, head?, known, into)?;
                }
                _ => parts.take_from_left(lhs, node.children, known, into)?,
            }
        }
        Some(())
    }

    fn tag(&self, at: Place, naming: &mut impl Naming) -> Option<Symbol> {
        let node = at.tree.node(at.id);
        let label = at.label();
        let parent = if self.tag_parent { at.above(1) } else { NONE };
        let grandparent = match self.tag_grandparent.holds(node.label) {
            true => at.above(2),
            false => NONE,
        };
        let word = &at.tree.words()[node.position? as usize];
        let word = match self.split_words.contains(&(node.label.clone(), word.clone())) {
            true => naming.label(word)?,
            false => NONE,
        };
        let marks = at.marks;
        naming.symbol(&[
            Key::Tag { label, parent, grandparent, word, marks },
            Key::Tag { label, parent, grandparent: NONE, word, marks },
            Key::Tag { label, parent: NONE, grandparent: NONE, word, marks },
            Key::tag(label),
        ])
    }

    fn phrase(&self, at: Place, naming: &mut impl Naming) -> Option<Symbol> {
        let label = at.label();
        let parent = if self.vertical > 1 { at.above(1) } else { NONE };
        let head = self.marking.head_tag(at.tree, at.id, &self.heads);
        let head = head.map_or(NONE, |tag| at.labels[index(tag)]);
        let marks = at.marks;
        naming.symbol(&[
            Key::Phrase { label, parent, head, marks },
            Key::Phrase { label, parent, head: NONE, marks },
            Key::Phrase { label, parent: NONE, head: NONE, marks },
            Key::phrase(label),
        ])
    }
}

/// A node with what is known of the nodes around it.
#[derive(Clone, Copy)]
struct Place<'a> {
    tree: &'a Tree,
    id: NodeId,
    labels: &'a [Label],
    marks: Marks,
}

impl Place<'_> {
    fn label(&self) -> Label {
        self.labels[index(self.id)]
    }

    /// The label so many nodes above.
    fn above(&self, steps: usize) -> Label {
        let mut at = Some(self.id);
        for _ in 0..steps {
            at = at.and_then(|id| self.tree.node(id).parent);
        }
        at.map_or(NONE, |id| self.labels[index(id)])
    }
}

fn index(id: NodeId) -> usize {
    id.0 as usize
}

/// Takes phrases of three children and more apart.
struct Parts<'a, N> {
    naming: N,
    labels: &'a [Label],
    symbols: &'a [Symbol],
    /// Scratch: plain labels of the children added so far.
    context: Vec<Label>,
}

impl<N: Naming> Parts<'_, N> {
    /// The symbol of the part behind the children in `context`.
    fn part(&mut self, of: Symbol, head: Label, right: bool, known: usize) -> Option<Symbol> {
        let known = known.min(self.context.len());
        let mut keys = Vec::with_capacity(known + 1);
        for known in (0..=known).rev() {
            let last = &self.context[self.context.len() - known..];
            // No symbol has a context that was never seen.
            let context = self.naming.context(last).unwrap_or(NONE);
            keys.push(Key::Part { of, head, right, context });
        }
        self.naming.symbol(&keys)
    }

    fn take_from_left(
        &mut self,
        phrase: Symbol,
        children: &[NodeId],
        known: usize,
        into: &mut Derivation,
    ) -> Option<()> {
        self.context.clear();
        let mut lhs = phrase;
        let last = children.len() - 1;
        for (i, child) in children[..last].iter().enumerate() {
            let left = self.symbols[index(*child)];
            self.context.push(self.labels[index(*child)]);
            let right = match i + 1 == last {
                true => self.symbols[index(children[last])],
                false => self.part(phrase, NONE, true, known)?,
            };
            into.rules.push(Rule { lhs, left, right });
            lhs = right;
        }
        Some(())
    }

    fn take_from_head(
        &mut self,
        phrase: Symbol,
        children: &[NodeId],
        head: usize,
        known: usize,
        into: &mut Derivation,
    ) -> Option<()> {
        self.context.clear();
        let head_label = self.labels[index(children[head])];
        let mut so_far = self.symbols[index(children[head])];
        let outwards = (head + 1..children.len()).chain((0..head).rev());
        for (added, i) in outwards.enumerate() {
            let child = self.symbols[index(children[i])];
            self.context.push(self.labels[index(children[i])]);
            let lhs = match added + 2 == children.len() {
                true => phrase,
                false => self.part(phrase, head_label, i > head, known)?,
            };
            let (left, right) = if i > head { (so_far, child) } else { (child, so_far) };
            into.rules.push(Rule { lhs, left, right });
            so_far = lhs;
        }
        Some(())
    }
}
