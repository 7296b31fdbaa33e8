//! Symbols of a markovised grammar: small keys that say what a symbol is, and ids for them.

use super::marks::Marks;
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of a plain label or tag of the treebank.
pub type Label = u32;

/// Number of a symbol of the grammar.
pub type Symbol = u32;

/// No label, word or symbol: the parent of a root, the head of a left-to-right part, the second
/// child of a unary rule.
pub const NONE: u32 = u32::MAX;

/// What a symbol stands for. Labels and words around it are [`NONE`] where it does not know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    Tag {
        label: Label,
        parent: Label,
        grandparent: Label,
        /// Number of the word among the labels, of a word with a tag of its own.
        word: Label,
        marks: Marks,
    },
    Phrase {
        label: Label,
        parent: Label,
        /// The tag of its head.
        head: Label,
        marks: Marks,
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

impl Key {
    /// A tag that knows nothing but itself.
    pub fn tag(label: Label) -> Key {
        let none = NONE;
        Key::Tag { label, parent: none, grandparent: none, word: none, marks: Marks::default() }
    }

    /// A phrase that knows nothing but itself.
    pub fn phrase(label: Label) -> Key {
        Key::Phrase { label, parent: NONE, head: NONE, marks: Marks::default() }
    }
}

/// What of a symbol the coarse grammar knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CoarseKey {
    Tag(Label),
    Phrase(Label),
    /// A part that grew on the right or left.
    Part(Label, bool),
}

/// What [`Symbols`] do with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// Counting tags and phrases; parts are not looked at.
    CountNodes,
    /// Counting parts of the phrases that came out of that.
    CountParts,
    /// Making symbols of what is frequent enough.
    Make,
}

/// All symbols, labels and contexts of some trees.
#[derive(Clone, Debug)]
pub struct Symbols {
    labels: Vec<Arc<str>>,
    label_ids: HashMap<Arc<str>, Label, FixedState>,
    contexts: Vec<Box<[Label]>>,
    context_ids: HashMap<Box<[Label]>, u32, FixedState>,
    keys: Vec<Key>,
    ids: HashMap<Key, Symbol, FixedState>,
    stage: Stage,
    /// How often a key must be seen to be a symbol.
    min_count: u32,
    counts: HashMap<Key, u32, FixedState>,
}

/// How the ids of labels, contexts and symbols are found: new ones are made in training, and
/// missed afterwards.
pub trait Naming {
    fn label(&mut self, label: &Arc<str>) -> Option<Label>;
    fn context(&mut self, labels: &[Label]) -> Option<u32>;
    /// The symbol of the first of these keys, from fine to coarse, that is frequent enough; the
    /// last one always is.
    fn symbol(&mut self, keys: &[Key]) -> Option<Symbol>;
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

    fn symbol(&mut self, keys: &[Key]) -> Option<Symbol> {
        let is_part = matches!(keys, [Key::Part { .. }, ..]);
        if self.stage == Stage::CountNodes || (self.stage == Stage::CountParts && is_part) {
            if is_part == (self.stage == Stage::CountParts) {
                keys.iter().for_each(|key| *self.counts.entry(*key).or_insert(0) += 1);
            }
            return Some(0);
        }
        let key = self.frequent(keys)?;
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

    fn symbol(&mut self, keys: &[Key]) -> Option<Symbol> {
        self.ids.get(&self.frequent(keys)?).copied()
    }
}

impl Symbols {
    /// Symbols for keys that are seen at least so often. `see` shows all trees, as often as it is
    /// called.
    pub fn new(min_count: u32, mut see: impl FnMut(&mut Symbols)) -> Symbols {
        let mut symbols = Symbols {
            labels: Vec::new(),
            label_ids: HashMap::default(),
            contexts: Vec::new(),
            context_ids: HashMap::default(),
            keys: Vec::new(),
            ids: HashMap::default(),
            stage: Stage::Make,
            min_count,
            counts: HashMap::default(),
        };
        if min_count > 1 {
            for stage in [Stage::CountNodes, Stage::CountParts] {
                symbols.stage = stage;
                see(&mut symbols);
            }
            symbols.counts.retain(|_, count| *count >= min_count);
            symbols.stage = Stage::Make;
        }
        symbols
    }

    /// Symbols as stored; says what is wrong with them.
    pub fn restore(
        labels: Vec<Arc<str>>,
        contexts: Vec<Box<[Label]>>,
        keys: Vec<Key>,
        min_count: u32,
        frequent: Vec<Key>,
    ) -> Result<Symbols, String> {
        let label = |label: Label| (label as usize) < labels.len();
        let known = |number: Label| number == NONE || label(number);
        // A part belongs to a phrase before it, so that no name runs in a circle.
        let fits = |key: &Key, before: usize| match *key {
            Key::Tag { label: own, parent, grandparent, word, .. } => {
                label(own) && known(parent) && known(grandparent) && known(word)
            }
            Key::Phrase { label: own, parent, head, .. } => {
                label(own) && known(parent) && known(head)
            }
            Key::Part { of, head, context, .. } => {
                let phrase = keys.get(of as usize).filter(|_| (of as usize) < before);
                matches!(phrase, Some(Key::Phrase { .. }))
                    && known(head)
                    && (context as usize) < contexts.len()
            }
        };
        if !contexts.iter().all(|context| context.iter().all(|l| label(*l)))
            || !keys.iter().enumerate().all(|(i, key)| fits(key, i))
            || !frequent.iter().all(|key| fits(key, keys.len()))
        {
            return Err("its symbols name labels or symbols that are not there".into());
        }
        let numbered = |n: usize| n as u32;
        let symbols = Symbols {
            label_ids: labels.iter().enumerate().map(|(i, l)| (l.clone(), numbered(i))).collect(),
            context_ids: contexts.iter().cloned().zip(0..).collect(),
            ids: keys.iter().copied().zip(0..).collect(),
            counts: frequent.into_iter().map(|key| (key, min_count)).collect(),
            labels,
            contexts,
            keys,
            stage: Stage::Make,
            min_count,
        };
        match symbols.ids.len() == symbols.keys.len() {
            true => Ok(symbols),
            false => Err("a symbol of it stands there twice".into()),
        }
    }

    pub fn min_count(&self) -> u32 {
        self.min_count
    }

    pub fn labels(&self) -> &[Arc<str>] {
        &self.labels
    }

    pub fn contexts(&self) -> &[Box<[Label]>] {
        &self.contexts
    }

    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    /// The keys that are frequent enough, where that matters; in no order.
    pub fn frequent_keys(&self) -> impl Iterator<Item = Key> {
        self.counts.keys().copied()
    }

    fn frequent(&self, keys: &[Key]) -> Option<Key> {
        let (last, others) = keys.split_last()?;
        let frequent = |key: &&Key| self.min_count <= 1 || self.is_counted(key);
        Some(*others.iter().find(frequent).unwrap_or(last))
    }

    fn is_counted(&self, key: &Key) -> bool {
        self.counts.get(key).is_some_and(|count| *count >= self.min_count)
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }

    pub fn key(&self, symbol: Symbol) -> Key {
        self.keys[symbol as usize]
    }

    /// The coarse symbol that a symbol is projected to.
    pub fn coarse_key(&self, symbol: Symbol) -> CoarseKey {
        match self.key(symbol) {
            Key::Tag { label, .. } => CoarseKey::Tag(label),
            Key::Phrase { label, .. } => CoarseKey::Phrase(label),
            Key::Part { of, right, .. } => match self.key(of) {
                Key::Tag { label, .. } | Key::Phrase { label, .. } => CoarseKey::Part(label, right),
                Key::Part { .. } => self.coarse_key(of),
            },
        }
    }

    /// The plain label of a tag or phrase; that of the phrase, of a part.
    pub fn plain(&self, symbol: Symbol) -> &Arc<str> {
        match self.key(symbol) {
            Key::Tag { label, .. } | Key::Phrase { label, .. } => &self.labels[label as usize],
            Key::Part { of, .. } => self.plain(of),
        }
    }

    /// Whether the symbol is a part of a phrase, which trees do not show.
    pub fn is_part(&self, symbol: Symbol) -> bool {
        matches!(self.key(symbol), Key::Part { .. })
    }

    /// The symbol as people write it: `NP^S`, `VP[VBZ]^S-U`, `@NP^S|DT,JJ`, `@NP^S[NN]<JJ`.
    pub fn name(&self, symbol: Symbol) -> String {
        let label = |label: Label| &*self.labels[label as usize];
        let known = |sign: &str, number: Label| match number {
            NONE => String::new(),
            number => format!("{sign}{}", label(number)),
        };
        match self.key(symbol) {
            Key::Tag { label: own, parent, grandparent, word, marks } => {
                let above = known("^", parent) + &known("^", grandparent);
                format!("{}{}{above}{marks}", label(own), known("=", word))
            }
            Key::Phrase { label: own, parent, head: NONE, marks } => {
                format!("{}{}{marks}", label(own), known("^", parent))
            }
            Key::Phrase { label: own, parent, head, marks } => {
                format!("{}[{}]{}{marks}", label(own), label(head), known("^", parent))
            }
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
