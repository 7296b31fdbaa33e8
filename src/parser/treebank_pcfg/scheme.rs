//! From a tree to the rules that derive it: annotation of labels and binarisation. One to one:
//! the tree is got back by leaving parts and annotation out.

use super::heads::HeadRules;
use super::symbols::{Key, Label, NONE, Naming, Symbol};
use crate::config::{self, Binarisation, Horizontal};
use crate::treebank::{NodeId, Tree};

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

/// How trees are annotated and taken apart.
#[derive(Clone, Debug)]
pub struct Scheme {
    vertical: usize,
    /// Sisters that a part knows; `usize::MAX` for all.
    horizontal: usize,
    heads: Option<HeadRules>,
}

impl Scheme {
    pub fn new(settings: &config::Parser) -> Scheme {
        let heads = match settings.binarisation {
            Binarisation::Head => Some(HeadRules::of(settings.heads)),
            Binarisation::LeftToRight => None,
        };
        Scheme::with_heads(settings, heads)
    }

    /// Head-outward by these rules, or from left to right.
    pub fn with_heads(settings: &config::Parser, heads: Option<HeadRules>) -> Scheme {
        let horizontal = match settings.horizontal {
            Horizontal::Last(n) => n,
            Horizontal::All => usize::MAX,
        };
        Scheme { vertical: settings.vertical, horizontal, heads }
    }

    /// Reads the rules of a tree into `into`, which is emptied first; `None` where `naming` does
    /// not know a symbol of it.
    pub fn read(&self, tree: &Tree, mut naming: impl Naming, into: &mut Derivation) -> Option<()> {
        into.rules.clear();
        into.tags.clear();
        into.tags.resize(tree.len(), NONE);
        // Plain label and symbol of every node; parents stand before children.
        let mut labels: Vec<Label> = Vec::with_capacity(tree.nodes().len());
        let mut symbols: Vec<Symbol> = Vec::with_capacity(tree.nodes().len());
        for (_, node) in tree.nodes() {
            let label = naming.label(node.label)?;
            let key = match node.position {
                Some(_) => Key::Tag { label },
                None => {
                    let parent = match node.parent {
                        Some(parent) if self.vertical > 1 => labels[index(parent)],
                        _ => NONE,
                    };
                    Key::Phrase { label, parent }
                }
            };
            let symbol = naming.symbol(key)?;
            if let Some(position) = node.position {
                into.tags[position as usize] = symbol;
            }
            labels.push(label);
            symbols.push(symbol);
        }
        into.root = symbols[0];
        let mut part = Parts { naming, labels: &labels, symbols: &symbols, context: Vec::new() };
        for (id, node) in tree.nodes() {
            let lhs = symbols[index(id)];
            match *node.children {
                [] => {}
                [only] => into.rules.push(Rule { lhs, left: symbols[index(only)], right: NONE }),
                [a, b] => {
                    let (left, right) = (symbols[index(a)], symbols[index(b)]);
                    into.rules.push(Rule { lhs, left, right });
                }
                _ => match &self.heads {
                    None => part.take_from_left(lhs, node.children, self.horizontal, into)?,
                    Some(rules) => {
                        let names: Vec<&str> =
                            node.children.iter().map(|c| &**tree.node(*c).label).collect();
                        let head = rules.head(node.label, &names);
                        part.take_from_head(lhs, node.children, head, self.horizontal, into)?;
                    }
                },
            }
        }
        Some(())
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
        let last = &self.context[self.context.len().saturating_sub(known)..];
        let context = self.naming.context(last)?;
        self.naming.symbol(Key::Part { of, head, right, context })
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
