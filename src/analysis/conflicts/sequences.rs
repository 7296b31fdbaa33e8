use crate::treebank::{NodeId, Tree};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Label of a sequence that is no constituent.
pub const NIL: &str = "NIL";

/// What sequences are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// Words of a sentence, as written.
    Word,
    /// Tags of a sentence.
    Tag,
    /// Labels of the children of a phrase: a sequence is a local tree, not a sentence.
    Yield,
    /// Single words whose label is their tag (Dickinson & Meurers 2003, on part-of-speech tags).
    Tagging,
}

impl Unit {
    pub const ALL: [Unit; 4] = [Unit::Word, Unit::Tag, Unit::Yield, Unit::Tagging];

    /// The name on the command line and in files.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Word => "word",
            Unit::Tag => "tag",
            Unit::Yield => "yield",
            Unit::Tagging => "tagging",
        }
    }

    /// Fewest units of a nucleus. That a single label stands beside others says nothing.
    pub(super) fn shortest(self) -> u32 {
        match self {
            Unit::Word | Unit::Tag | Unit::Tagging => 1,
            Unit::Yield => 2,
        }
    }

    /// Most units of a nucleus.
    pub(super) fn longest(self) -> u32 {
        match self {
            Unit::Word | Unit::Tag | Unit::Yield => u32::MAX,
            Unit::Tagging => 1,
        }
    }
}

/// Sequences one behind the other, with the labels of their constituents. A position counts the
/// units of all sequences.
#[derive(Debug)]
pub(super) struct Sequences {
    pub units: Vec<u32>,
    /// First position of every sequence, and the end of the last.
    pub starts: Vec<u32>,
    /// Sequence of every position.
    pub sequence_of: Vec<u32>,
    /// Sentence of every sequence.
    pub sentences: Vec<u32>,
    /// Where the words of every position begin in its sentence.
    pub words: Vec<u32>,
    /// Where the words of every sequence end in its sentence.
    pub ends: Vec<u32>,
    /// Constituents that begin at position `p` are `first[p]..first[p + 1]`.
    first: Vec<u32>,
    /// Length in units, and label.
    constituents: Vec<(u32, u32)>,
    pub unit_names: Vec<Arc<str>>,
    pub label_names: Vec<Arc<str>>,
}

impl Sequences {
    pub fn of(trees: &[Arc<Tree>], unit: Unit) -> Sequences {
        let mut builder = Builder::new();
        for (number, tree) in trees.iter().enumerate() {
            match unit {
                Unit::Word => builder.sentence(number, tree, tree.words().iter(), chains(tree)),
                Unit::Tag => builder.sentence(number, tree, tree.tags(), chains(tree)),
                Unit::Tagging => {
                    let tags = tree.tags().zip(0..).map(|(tag, i)| (i, i + 1, tag.clone()));
                    builder.sentence(number, tree, tree.words().iter(), tags.collect());
                }
                Unit::Yield => builder.local_trees(number, tree),
            }
        }
        builder.finish()
    }

    /// Units from a position to the end of its sequence.
    pub fn rest(&self, position: u32) -> &[u32] {
        let end = self.starts[self.sequence_of[position as usize] as usize + 1];
        &self.units[position as usize..end as usize]
    }

    /// Label of the sequence of `length` units at a position; 0 is [`NIL`].
    pub fn label(&self, position: u32, length: u32) -> u32 {
        let p = position as usize;
        let here = &self.constituents[self.first[p] as usize..self.first[p + 1] as usize];
        here.iter().find(|(l, _)| *l == length).map_or(0, |(_, label)| *label)
    }
}

type Ids = HashMap<Arc<str>, u32, FixedState>;

/// Gives every text a number, counted from `names.len()`.
fn number(ids: &mut Ids, names: &mut Vec<Arc<str>>, text: &Arc<str>) -> u32 {
    if let Some(&id) = ids.get(text) {
        return id;
    }
    let id = names.len() as u32;
    ids.insert(text.clone(), id);
    names.push(text.clone());
    id
}

struct Builder {
    sequences: Sequences,
    units: Ids,
    labels: Ids,
}

impl Builder {
    fn new() -> Builder {
        let nil: Arc<str> = NIL.into();
        // A phrase labelled NIL is another thing than no phrase, so the name is not looked up.
        Builder {
            sequences: Sequences {
                units: Vec::new(),
                starts: vec![0],
                sequence_of: Vec::new(),
                sentences: Vec::new(),
                words: Vec::new(),
                ends: Vec::new(),
                first: Vec::new(),
                constituents: Vec::new(),
                unit_names: Vec::new(),
                label_names: vec![nil],
            },
            units: Ids::default(),
            labels: Ids::default(),
        }
    }

    fn unit(&mut self, name: &Arc<str>, word: u32) {
        let id = number(&mut self.units, &mut self.sequences.unit_names, name);
        self.sequences.units.push(id);
        self.sequences.words.push(word);
        self.sequences.sequence_of.push(self.sequences.sentences.len() as u32);
    }

    fn label(&mut self, name: &Arc<str>) -> u32 {
        number(&mut self.labels, &mut self.sequences.label_names, name)
    }

    /// Ends the sequence whose units were added; `constituents` are start, length and label by
    /// ascending start.
    fn end(&mut self, sentence: usize, end: u32, constituents: &[(u32, u32, u32)]) {
        let s = &mut self.sequences;
        let begin = s.starts[s.starts.len() - 1];
        let mut left = constituents.iter().peekable();
        for offset in 0..s.units.len() as u32 - begin {
            s.first.push(s.constituents.len() as u32);
            while let Some((_, length, label)) = left.next_if(|(start, ..)| *start == offset) {
                s.constituents.push((*length, *label));
            }
        }
        s.starts.push(s.units.len() as u32);
        s.sentences.push(sentence as u32);
        s.ends.push(end);
    }

    fn sentence<'a>(
        &mut self,
        sentence: usize,
        tree: &Tree,
        names: impl Iterator<Item = &'a Arc<str>>,
        labels: Vec<(u32, u32, Arc<str>)>,
    ) {
        for (i, name) in names.enumerate() {
            self.unit(name, i as u32);
        }
        let constituents: Vec<_> = labels
            .into_iter()
            .map(|(start, end, label)| (start, end - start, self.label(&label)))
            .collect();
        self.end(sentence, tree.len() as u32, &constituents);
    }

    fn local_trees(&mut self, sentence: usize, tree: &Tree) {
        let yields = tree.yields();
        for (id, node) in tree.nodes() {
            if node.word.is_some() {
                continue;
            }
            let extent = |child: &NodeId| yields[child.0 as usize];
            // Children side by side, so that units and words go along with each other.
            let in_order = node.children.windows(2).all(|w| extent(&w[0]).1 == extent(&w[1]).0);
            let whole = node.children.iter().all(|c| extent(c).1 - extent(c).0 == extent(c).2);
            if !in_order || !whole {
                continue;
            }
            for child in node.children {
                self.unit(tree.node(*child).label, extent(child).0);
            }
            let constituents = match id == tree.root() {
                true => Vec::new(),
                false => vec![(0, node.children.len() as u32, self.label(node.label))],
            };
            self.end(sentence, yields[id.0 as usize].1, &constituents);
        }
    }

    fn finish(mut self) -> Sequences {
        self.sequences.first.push(self.sequences.constituents.len() as u32);
        self.sequences
    }
}

/// Every span with a phrase: start, end and the labels over it from the top, joined by `/`; by
/// ascending start. Without the root and without phrases that have gaps.
pub fn chains(tree: &Tree) -> Vec<(u32, u32, Arc<str>)> {
    let yields = tree.yields();
    let mut phrases: Vec<(u32, u32, &Arc<str>)> = tree
        .nodes()
        .filter(|(id, node)| node.word.is_none() && *id != tree.root())
        .map(|(id, node)| (yields[id.0 as usize], node.label))
        .filter(|((start, end, words), _)| end - start == *words)
        .map(|((start, end, _), label)| (start, end, label))
        .collect();
    // Parents stand before children, and stay there.
    phrases.sort_by_key(|(start, end, _)| (*start, u32::MAX - end));
    let chain = |chain: &[(u32, u32, &Arc<str>)]| match chain {
        [(start, end, label)] => (*start, *end, (*label).clone()),
        several => {
            let labels: Vec<&str> = several.iter().map(|(.., label)| &***label).collect();
            (several[0].0, several[0].1, labels.join("/").into())
        }
    };
    phrases.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).map(chain).collect()
}
