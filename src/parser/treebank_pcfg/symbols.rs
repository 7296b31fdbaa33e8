//! Symbols of a markovised grammar: small keys that say what a symbol is, and ids for them.

use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of a plain label or tag of the treebank.
pub type Label = u32;

/// Number of a symbol of the grammar.
pub type Symbol = u32;

/// No label or symbol: the parent of a root, the head of a left-to-right part, the second child
/// of a unary rule.
pub const NONE: u32 = u32::MAX;

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Tag {
        label: Label,
    },
    Phrase {
        label: Label,
        /// [`NONE`] at the root, and where phrases do not know their parents.
        parent: Label,
    },
    /// Some sisters within a phrase of three children or more.
    Part {
        of: Symbol,
        /// [`NONE`] where parts grow from left to right.
        head: Label,
        /// The child added last stands on the right.
        right: bool,
        /// Number of the list of plain labels of the children added last.
        context: u32,
    },
}

/// All symbols, labels and contexts of some trees.
#[derive(Clone, Debug, Default)]
pub struct Symbols {
    labels: Vec<Arc<str>>,
    label_ids: HashMap<Arc<str>, Label, FixedState>,
    contexts: Vec<Box<[Label]>>,
    context_ids: HashMap<Box<[Label]>, u32, FixedState>,
    keys: Vec<Key>,
    ids: HashMap<Key, Symbol, FixedState>,
}

/// How the ids of labels, contexts and symbols are found: new ones are made in training, and
/// missed afterwards.
pub trait Naming {
    fn label(&mut self, label: &Arc<str>) -> Option<Label>;
    fn context(&mut self, labels: &[Label]) -> Option<u32>;
    fn symbol(&mut self, key: Key) -> Option<Symbol>;
}

/// Makes what is not there.
impl Naming for &mut Symbols {
    fn label(&mut self, label: &Arc<str>) -> Option<Label> {
        if let Some(known) = self.label_ids.get(label) {
            return Some(*known);
        }
        let new = self.labels.len() as Label;
        self.labels.push(label.clone());
        self.label_ids.insert(label.clone(), new);
        Some(new)
    }

    fn context(&mut self, labels: &[Label]) -> Option<u32> {
        if let Some(known) = self.context_ids.get(labels) {
            return Some(*known);
        }
        let new = self.contexts.len() as u32;
        self.contexts.push(labels.into());
        self.context_ids.insert(labels.into(), new);
        Some(new)
    }

    fn symbol(&mut self, key: Key) -> Option<Symbol> {
        let new = self.keys.len() as Symbol;
        let id = *self.ids.entry(key).or_insert(new);
        if id == new {
            self.keys.push(key);
        }
        Some(id)
    }
}

/// Knows only what is there.
impl Naming for &Symbols {
    fn label(&mut self, label: &Arc<str>) -> Option<Label> {
        self.label_ids.get(label).copied()
    }

    fn context(&mut self, labels: &[Label]) -> Option<u32> {
        self.context_ids.get(labels).copied()
    }

    fn symbol(&mut self, key: Key) -> Option<Symbol> {
        self.ids.get(&key).copied()
    }
}

impl Symbols {
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn key(&self, symbol: Symbol) -> Key {
        self.keys[symbol as usize]
    }

    /// The plain label of a tag or phrase; that of the phrase, of a part.
    pub fn plain(&self, symbol: Symbol) -> &Arc<str> {
        match self.key(symbol) {
            Key::Tag { label } | Key::Phrase { label, .. } => &self.labels[label as usize],
            Key::Part { of, .. } => self.plain(of),
        }
    }

    /// Whether the symbol is a part of a phrase, which trees do not show.
    pub fn is_part(&self, symbol: Symbol) -> bool {
        matches!(self.key(symbol), Key::Part { .. })
    }

    /// The symbol as people write it: `NP^S`, `@NP^S|DT,JJ`, `@NP^S[NN]<JJ`.
    pub fn name(&self, symbol: Symbol) -> String {
        let label = |label: Label| &*self.labels[label as usize];
        match self.key(symbol) {
            Key::Tag { label: tag } => label(tag).to_owned(),
            Key::Phrase { label: own, parent: NONE } => label(own).to_owned(),
            Key::Phrase { label: own, parent } => format!("{}^{}", label(own), label(parent)),
            Key::Part { of, head, right, context } => {
                let context = &self.contexts[context as usize];
                let context: Vec<_> = context.iter().map(|&l| label(l)).collect();
                let context = context.join(",");
                let of = self.name(of);
                match (head, right) {
                    (NONE, _) => format!("@{of}|{context}"),
                    (head, true) => format!("@{of}[{}]>{context}", label(head)),
                    (head, false) => format!("@{of}[{}]<{context}", label(head)),
                }
            }
        }
    }
}
