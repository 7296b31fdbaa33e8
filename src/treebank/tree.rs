use super::attach::attach;
use super::write::{BracketStyle, write_brackets};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The tag of empty elements.
pub(super) const TRACE: &str = "-NONE-";

/// Index of a node within its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a tree stands in its file; lines and columns count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
}

/// View of a phrase or a tagged word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node<'a> {
    /// Phrase label or part-of-speech tag; empty for an unlabelled bracket.
    pub label: &'a Arc<str>,
    /// The word, on preterminals only.
    pub word: Option<&'a str>,
    /// In order; empty on preterminals only.
    pub children: &'a [NodeId],
    pub parent: Option<NodeId>,
    /// Position among the words of the tree, on preterminals only. Phrases cover
    /// the set of positions below them, which may have gaps.
    pub position: Option<u32>,
}

/// What some formats (export, TIGER) say about a node beyond label and place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotation {
    /// Grammatical function of the edge to the parent.
    pub edge: Option<Arc<str>>,
    pub morphology: Option<Arc<str>>,
    /// Base form, of words.
    pub lemma: Option<Arc<str>>,
    /// Further parents with their edge labels.
    pub secondary: Vec<(NodeId, Arc<str>)>,
}

/// 32 bytes a node: a corpus in memory must stay within ten times its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub label: Arc<str>,
    /// [`Record::NONE`] at the root.
    pub parent: u32,
    /// Phrases: where their children begin in the list of children. Preterminals: their position.
    pub first: u32,
    /// Number of children; [`Record::WORD`] on preterminals.
    pub count: u32,
}

impl Record {
    pub const NONE: u32 = u32::MAX;
    pub const WORD: u32 = u32::MAX;
}

/// An ordered tree in an arena. Invariants (kept by [`TreeBuilder`](super::TreeBuilder)): one root,
/// every node but the root has exactly one parent, which stands before it;
/// preterminals have a word, a position and no children, phrases have children,
/// and positions count up from 0 without gaps.
/// Dropping and cloning need no recursion, so depth is unlimited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    pub(super) records: Box<[Record]>,
    /// The children of all phrases, one less than nodes, and behind them the preterminals.
    pub(super) links: Box<[NodeId]>,
    pub(super) words: Box<[Arc<str>]>,
    pub(super) rare: Option<Box<Rare>>,
    pub place: Place,
}

/// What few trees have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rare {
    pub annotations: BTreeMap<NodeId, Annotation>,
    pub name: Option<Arc<str>>,
}

impl Tree {
    pub fn root(&self) -> NodeId {
        NodeId(0)
    }

    pub fn node(&self, id: NodeId) -> Node<'_> {
        let record = &self.records[id.index()];
        let first = record.first as usize;
        let is_word = record.count == Record::WORD;
        Node {
            label: &record.label,
            word: is_word.then(|| &*self.words[first]),
            children: if is_word { &[] } else { &self.links[first..][..record.count as usize] },
            parent: (record.parent != Record::NONE).then_some(NodeId(record.parent)),
            position: is_word.then_some(record.first),
        }
    }

    /// All nodes in the order of opening: parents before children, and preorder
    /// for trees read from brackets.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = (NodeId, Node<'_>)> + ExactSizeIterator {
        (0..self.records.len()).map(|i| (NodeId(i as u32), self.node(NodeId(i as u32))))
    }

    /// Preterminals in sentence order.
    pub fn preterminals(&self) -> &[NodeId] {
        &self.links[self.records.len() - 1..]
    }

    /// Number of words, empty elements included.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Words in sentence order, empty elements included.
    pub fn words(&self) -> &[Arc<str>] {
        &self.words
    }

    /// Part-of-speech tags, one a word.
    pub fn tags(&self) -> impl ExactSizeIterator<Item = &Arc<str>> {
        self.preterminals().iter().map(|id| &self.records[id.index()].label)
    }

    /// Whether the word at a position stands for nothing said: tagged `-NONE-`, or, in trees with
    /// an `ID` bracket as CorpusSearch has them, written `0` or between asterisks (`*T*-1`).
    pub fn is_empty_element(&self, position: usize) -> bool {
        let tag = &*self.records[self.preterminals()[position].index()].label;
        if tag == TRACE {
            return true;
        }
        let root = &self.records[0];
        if self.name().is_none() || !root.label.is_empty() {
            return false;
        }
        let word = &*self.words[position];
        let unindexed = word.trim_end_matches(|c: char| c.is_ascii_digit());
        let core = if unindexed == word { word } else { unindexed.trim_end_matches('-') };
        word == "0" && !tag.starts_with("NUM") || core.starts_with('*') && core.ends_with('*')
    }

    /// Edge label, morphology and secondary edges of a node, where the file has them.
    pub fn annotation(&self, id: NodeId) -> Option<&Annotation> {
        self.rare.as_ref()?.annotations.get(&id)
    }

    /// What formats say of nodes beyond label and place.
    pub fn annotations(&self) -> impl Iterator<Item = (NodeId, &Annotation)> {
        self.rare.iter().flat_map(|rare| rare.annotations.iter().map(|(id, a)| (*id, a)))
    }

    /// The content of an `(ID …)` bracket beside the tree, or the file's name for the sentence.
    pub fn name(&self) -> Option<&Arc<str>> {
        self.rare.as_ref()?.name.as_ref()
    }

    /// For every node the smallest `[start, end)` that holds its words.
    pub fn extents(&self) -> Vec<(u32, u32)> {
        self.yields().into_iter().map(|(start, end, _)| (start, end)).collect()
    }

    /// For every node the smallest `[start, end)` that holds its words, and their number, which
    /// is less than `end - start` where they have a gap.
    pub fn yields(&self) -> Vec<(u32, u32, u32)> {
        let mut yields = vec![(u32::MAX, 0, 0); self.records.len()];
        for (i, record) in self.records.iter().enumerate().rev() {
            if record.count == Record::WORD {
                yields[i] = (record.first, record.first + 1, 1);
            }
            let (start, end, count) = yields[i];
            if record.parent != Record::NONE {
                let above = &mut yields[record.parent as usize];
                *above = (above.0.min(start), above.1.max(end), above.2 + count);
            }
        }
        yields
    }

    /// Whether the words of some phrase have a gap.
    pub fn is_discontinuous(&self) -> bool {
        // Nodes stand in preorder, so a word inside a gap has its node before or behind the
        // phrase's own, and out of order.
        !self.preterminals().is_sorted()
    }

    /// Positions of the words below a node, ascending.
    pub fn positions_below(&self, id: NodeId) -> Vec<u32> {
        let mut positions = Vec::new();
        let mut stack = vec![id];
        while let Some(id) = stack.pop() {
            let node = self.node(id);
            positions.extend(node.position);
            stack.extend(node.children);
        }
        positions.sort_unstable();
        positions
    }

    /// Children before parents, without recursion.
    pub fn postorder(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.records.len());
        let mut stack = vec![self.root()];
        while let Some(id) = stack.pop() {
            order.push(id);
            stack.extend(self.node(id).children);
        }
        order.reverse();
        order
    }
}

/// One-line brackets, as `(S (NP (NN dogs)) (VP (VBP bark)))`; what the reader reads back.
/// A tree with gaps is attached first, so that its words stand in order; what brackets cannot
/// hold of a label or word is escaped.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match attach(self) {
            Some((tree, _)) => write_brackets(&tree, &BracketStyle::default(), f),
            None => write_brackets(self, &BracketStyle::default(), f),
        }
    }
}

/// Builds a small tree for tests: `tree("(S (NP (NN dogs)) (VP (VBP bark)))")`.
#[cfg(test)]
pub(crate) fn tree(brackets: &str) -> Tree {
    super::Reader::new(brackets.as_bytes(), "test")
        .next()
        .expect("there is a tree")
        .unwrap_or_else(|p| panic!("{p}"))
}

#[cfg(test)]
mod tests {
    use super::super::TreeBuilder;
    use super::*;

    #[test]
    fn a_tree_knows_its_nodes_and_extents() {
        let tree = tree("(S (NP (NN dogs)) (VP (VBP bark) (ADVP (RB loudly))))");
        assert_eq!(tree.to_string(), "(S (NP (NN dogs)) (VP (VBP bark) (ADVP (RB loudly))))");
        assert_eq!(tree.extents(), [(0, 3), (0, 1), (0, 1), (1, 3), (1, 2), (2, 3), (2, 3)]);
        let verb = tree.node(tree.preterminals()[1]);
        assert_eq!((&**verb.label, verb.word), ("VBP", Some("bark")));
        assert_eq!((verb.position, verb.parent), (Some(1), Some(NodeId(3))));
        assert_eq!(tree.node(NodeId(3)).children, [NodeId(4), NodeId(5)]);
        assert_eq!(tree.tags().map(|t| &**t).collect::<Vec<_>>(), ["NN", "VBP", "RB"]);
    }

    #[test]
    fn postorder_visits_children_before_parents() {
        let tree = tree("(S (NP (NN dogs)) (VP (VBP bark)))");
        let mut seen = vec![false; tree.nodes().len()];
        for id in tree.postorder() {
            assert!(tree.node(id).children.iter().all(|c| seen[c.index()]));
            seen[id.index()] = true;
        }
        assert!(seen.iter().all(|&s| s));
    }

    #[test]
    fn empty_elements_are_told_by_their_tag_or_in_trees_of_corpussearch_by_their_form() {
        let empty = |text: &str| {
            let tree = tree(text);
            (0..tree.len()).filter(|&i| tree.is_empty_element(i)).collect::<Vec<_>>()
        };
        assert_eq!(empty("(S (-NONE- *) (C 0) (NN *a*))"), [0]);
        let words = "(C 0) (NUM 0) (NP *T*-1) (NP *con*) (TO *) (SYM a*) (N b-1)";
        assert_eq!(empty(&format!("( (S {words}) (ID x))")), [0, 2, 3, 4]);
    }

    #[test]
    fn a_node_takes_32_bytes() {
        assert_eq!(size_of::<Record>(), 32);
    }

    #[test]
    fn annotations_are_kept_beside_the_node() {
        let mut b = TreeBuilder::new();
        b.open("S");
        let word = b.word("NN", "dogs");
        b.annotate(word, Annotation { edge: Some("SB".into()), ..Annotation::default() });
        b.close();
        let tree = b.finish(Place::default()).expect("one root, all closed");
        assert_eq!(tree.annotation(word).and_then(|a| a.edge.as_deref()), Some("SB"));
        assert_eq!(tree.annotation(tree.root()), None);
    }
}
