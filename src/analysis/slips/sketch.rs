use crate::treebank::Tree;
use foldhash::fast::FixedState;
use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;
use std::sync::Arc;

/// A label or a tag by number. A tag is not the label of the same name.
pub type Symbol = u32;

/// Behind the last child.
pub const STOP: Symbol = 0;
/// Before the first child.
pub const START: Symbol = 1;
/// Above the root.
pub const ABOVE: Symbol = 2;

/// A tree of symbols, in the numbers of the tree's own nodes.
pub struct Sketch {
    pub nodes: Vec<SketchNode>,
}

pub struct SketchNode {
    pub symbol: Symbol,
    pub parent: Option<usize>,
    /// Place among the children of the parent.
    pub place: usize,
    pub children: Vec<usize>,
    /// What a word is known by, from the vaguest to the word itself; `None` on phrases.
    pub word: Option<[u64; 5]>,
}

impl Sketch {
    pub fn of(tree: &Tree, names: &mut Names) -> Sketch {
        let mut nodes: Vec<SketchNode> = tree
            .nodes()
            .map(|(_, node)| SketchNode {
                symbol: names.number(node.label, node.word.is_some()),
                parent: node.parent.map(|p| p.0 as usize),
                place: 0,
                children: node.children.iter().map(|c| c.0 as usize).collect(),
                word: node.word.map(looks),
            })
            .collect();
        for parent in 0..nodes.len() {
            for place in 0..nodes[parent].children.len() {
                let child = nodes[parent].children[place];
                nodes[child].place = place;
            }
        }
        Sketch { nodes }
    }

    pub fn symbol(&self, node: Option<usize>) -> Symbol {
        node.map_or(ABOVE, |node| self.nodes[node].symbol)
    }

    /// Symbol of the phrase above a node.
    pub fn above(&self, node: usize) -> Symbol {
        self.symbol(self.nodes[node].parent)
    }

    pub fn child_symbols(&self, node: usize) -> impl ExactSizeIterator<Item = Symbol> + Clone + '_ {
        self.nodes[node].children.iter().map(|&child| self.nodes[child].symbol)
    }
}

/// What an unknown word can be told by: of what kind its letters are, its last letters, itself.
fn looks(word: &str) -> [u64; 5] {
    let class = (
        word.chars().next().is_some_and(char::is_uppercase),
        word.chars().any(char::is_numeric),
        word.chars().any(char::is_alphabetic),
        word.contains('-'),
    );
    let hash = |length: u8, letters: &str| FixedState::default().hash_one((length, class, letters));
    let lower = word.to_lowercase();
    let tail = |length: usize| {
        let start = lower.char_indices().rev().nth(length - 1).map_or(0, |(at, _)| at);
        hash(length as u8, &lower[start..])
    };
    [hash(0, ""), tail(1), tail(2), tail(3), hash(u8::MAX, word)]
}

/// The names of all symbols.
#[derive(Default)]
pub struct Names {
    labels: HashMap<Arc<str>, Symbol, FixedState>,
    tags: HashMap<Arc<str>, Symbol, FixedState>,
    names: Vec<Arc<str>>,
}

/// What annotated symbols may be changed to.
pub struct Choices {
    pub labels: Vec<Symbol>,
    pub tags: Vec<Symbol>,
}

/// Sentences that must have a symbol before another one is taken to be meant for it.
const MET: u32 = 2;

impl Names {
    fn number(&mut self, name: &Arc<str>, is_tag: bool) -> Symbol {
        let table = if is_tag { &mut self.tags } else { &mut self.labels };
        if let Some(&number) = table.get(name) {
            return number;
        }
        let number = ABOVE + 1 + self.names.len() as Symbol;
        table.insert(name.clone(), number);
        self.names.push(name.clone());
        number
    }

    /// Symbols, with those around the children.
    pub fn len(&self) -> usize {
        self.names.len() + ABOVE as usize + 1
    }

    pub fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names[(symbol - ABOVE - 1) as usize]
    }

    /// The labels below roots, and the tags, of more than one sentence.
    pub fn choices(&self, sketches: &[Sketch]) -> Choices {
        let mut met: BTreeMap<(bool, Symbol), u32> = BTreeMap::new();
        for sketch in sketches {
            let below = sketch.nodes.iter().filter(|node| node.parent.is_some());
            let mut own: Vec<_> = below.map(|node| (node.word.is_some(), node.symbol)).collect();
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|key| *met.entry(key).or_default() += 1);
        }
        let of = |tags: bool| {
            let keep = |((is_tag, symbol), n): (&(bool, Symbol), &u32)| {
                (*is_tag == tags && *n >= MET).then_some(*symbol)
            };
            met.iter().filter_map(keep).collect()
        };
        Choices { labels: of(false), tags: of(true) }
    }
}
