use super::{Hit, Mark, clean};
use crate::treebank::{Tree, attach};

/// A phrase or a tagged word of a diagram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiagramNode {
    /// Label or tag; empty where the tree is unlabelled.
    pub label: Box<str>,
    pub mark: Mark,
    /// Whether a search found the phrase or tag.
    pub hit: Hit,
    /// Whether a search found the word.
    pub word_hit: Hit,
    /// Words `[start, end)` below the node.
    pub start: u32,
    pub end: u32,
    /// Indices of the children, each larger than that of this node.
    pub children: Vec<usize>,
    /// The word, on preterminals only.
    pub word: Option<Box<str>>,
    /// Whether the vocabulary lacks the word.
    pub unknown: bool,
}

impl DiagramNode {
    /// What stands before the label: that it was found, and how its bracket compares.
    pub(super) fn sign(&self, ascii: bool) -> String {
        [self.hit.symbol(ascii), self.mark.symbol(ascii)].concat()
    }
}

/// A span to build a diagram from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiagramSpan<L> {
    pub start: u32,
    pub end: u32,
    pub label: L,
}

/// A tree ready to be drawn. Invariants: nodes stand in preorder, node 0 is the root (there is
/// none only if there is no word and no phrase), and texts are clean for a terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    nodes: Vec<DiagramNode>,
    words: Vec<usize>,
}

impl Diagram {
    /// The tree as it stands in its file; one with gaps as its phrases stand when what is apart
    /// is attached higher, for words are drawn in their order and lines do not cross.
    pub fn from_tree(tree: &Tree) -> Diagram {
        match attach(tree) {
            Some((tree, _)) => Diagram::from_continuous(&tree),
            None => Diagram::from_continuous(tree),
        }
    }

    fn from_continuous(tree: &Tree) -> Diagram {
        enum Step {
            Open(crate::treebank::NodeId, Option<usize>),
            Close(usize),
        }
        let mut diagram = Diagram::default();
        let mut stack = vec![Step::Open(tree.root(), None)];
        while let Some(step) = stack.pop() {
            match step {
                Step::Close(at) => diagram.nodes[at].end = diagram.words.len() as u32,
                Step::Open(id, parent) => {
                    let node = tree.node(id);
                    let at = diagram.push(node.label, node.word, parent);
                    stack.push(Step::Close(at));
                    stack.extend(node.children.iter().rev().map(|&c| Step::Open(c, Some(at))));
                }
            }
        }
        diagram
    }

    /// A tree of nested spans in any order; of equal spans the first is the outermost. A root
    /// without a label is added where no span covers the sentence. `None` where spans cross,
    /// are empty or reach beyond the words, or where there is not one tag a word.
    pub fn from_spans<W, T, L>(
        words: &[W],
        tags: Option<&[T]>,
        spans: &[DiagramSpan<L>],
    ) -> Option<Diagram>
    where
        W: AsRef<str>,
        T: AsRef<str>,
        L: AsRef<str>,
    {
        let n = words.len() as u32;
        if tags.is_some_and(|tags| tags.len() != words.len())
            || spans.iter().any(|s| s.start >= s.end || s.end > n)
        {
            return None;
        }
        let mut sorted: Vec<(u32, u32, &str)> =
            spans.iter().map(|s| (s.start, s.end, s.label.as_ref())).collect();
        sorted.sort_by_key(|&(start, end, _)| (start, std::cmp::Reverse(end)));
        if n > 1 && sorted.first().is_none_or(|&(start, end, _)| (start, end) != (0, n)) {
            sorted.insert(0, (0, n, ""));
        }
        let mut diagram = Diagram::default();
        let mut open: Vec<usize> = Vec::new();
        let mut next = sorted.into_iter().peekable();
        for (position, word) in words.iter().enumerate() {
            while open.last().is_some_and(|&o| diagram.nodes[o].end as usize <= position) {
                open.pop();
            }
            while let Some((_, end, label)) = next.next_if(|s| s.0 as usize == position) {
                let parent = open.last().copied();
                if parent.is_some_and(|p| diagram.nodes[p].end < end) {
                    return None;
                }
                let at = diagram.push(label, None, parent);
                diagram.nodes[at].end = end;
                open.push(at);
            }
            let tag = tags.map_or("", |tags| tags[position].as_ref());
            diagram.push(tag, Some(word.as_ref()), open.last().copied());
        }
        Some(diagram)
    }

    /// Nodes in preorder.
    pub fn nodes(&self) -> &[DiagramNode] {
        &self.nodes
    }

    /// Indices of the preterminals in sentence order.
    pub fn preterminals(&self) -> &[usize] {
        &self.words
    }

    /// Number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Sets the mark of every phrase by its span.
    pub fn mark(&mut self, mark: impl Fn((u32, u32)) -> Mark) {
        for node in self.nodes.iter_mut().filter(|n| n.word.is_none()) {
            node.mark = mark((node.start, node.end));
        }
    }

    /// Sets the mark of every node, in their order; nodes without one keep theirs.
    pub fn set_marks(&mut self, marks: &[Mark]) {
        for (node, mark) in self.nodes.iter_mut().zip(marks) {
            node.mark = *mark;
        }
    }

    /// Marks words that the vocabulary lacks, by position.
    pub fn mark_unknown(&mut self, unknown: impl Fn(usize) -> bool) {
        for (position, &at) in self.words.iter().enumerate() {
            self.nodes[at].unknown = unknown(position);
        }
    }

    /// Distance of every node from the root.
    pub(super) fn depths(&self) -> Vec<usize> {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            for &child in &node.children {
                depths[child] = depths[i] + 1;
            }
        }
        depths
    }

    pub(super) fn node_mut(&mut self, at: usize) -> Option<&mut DiagramNode> {
        self.nodes.get_mut(at)
    }

    /// Adds a node of another diagram, without its children; its span stays that of the other.
    pub(super) fn adopt(&mut self, node: DiagramNode, parent: Option<usize>) -> usize {
        let at = self.nodes.len();
        if node.word.is_some() {
            self.words.push(at);
        }
        if let Some(parent) = parent {
            self.nodes[parent].children.push(at);
        }
        self.nodes.push(DiagramNode { children: Vec::new(), ..node });
        at
    }

    fn push(&mut self, label: &str, word: Option<&str>, parent: Option<usize>) -> usize {
        let at = self.nodes.len();
        let start = self.words.len() as u32;
        if word.is_some() {
            self.words.push(at);
        }
        if let Some(parent) = parent {
            self.nodes[parent].children.push(at);
        }
        self.nodes.push(DiagramNode {
            label: clean(label).into(),
            mark: Mark::None,
            hit: Hit::None,
            word_hit: Hit::None,
            start,
            end: self.words.len() as u32,
            children: Vec::new(),
            word: word.map(|w| clean(w).into()),
            unknown: false,
        });
        at
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::treebank::{Place, TreeBuilder};
    use proptest::prelude::*;

    fn span(start: u32, end: u32, label: &str) -> DiagramSpan<&str> {
        DiagramSpan { start, end, label }
    }

    /// `(S (NP (DT the) (NN dog)) (VP (VBD barked)))`.
    pub fn dog() -> Diagram {
        Diagram::from_spans(
            &["the", "dog", "barked"],
            Some(&["DT", "NN", "VBD"]),
            &[span(0, 3, "S"), span(0, 2, "NP"), span(2, 3, "VP")],
        )
        .expect("nested")
    }

    /// Any tree of up to a few dozen words, with odd labels and words.
    pub fn any_diagram() -> impl Strategy<Value = Diagram> {
        let word = prop_oneof!["[a-z]{1,9}", "[þæðö言語]{1,4}", "e\u{301}t\\PC{0,3}"];
        let label = prop_oneof!["[A-Z]{1,8}", "", "[A-Z]{1,3}-[0-9]{1,4}"];
        let leaf = (word, label.clone()).prop_map(|(w, t)| vec![(0usize, t, Some(w))]);
        // A tree as (depth, label, word) in preorder.
        leaf.prop_recursive(8, 40, 4, move |inner| {
            (label.clone(), prop::collection::vec(inner, 1..4)).prop_map(|(l, parts)| {
                let below = parts.into_iter().flatten().map(|(d, l, w)| (d + 1, l, w));
                std::iter::once((0, l, None)).chain(below).collect()
            })
        })
        .prop_map(|rows| {
            let mut diagram = Diagram::default();
            let mut path: Vec<usize> = Vec::new();
            for (depth, label, word) in rows {
                path.truncate(depth);
                let at = diagram.push(&label, word.as_deref(), path.last().copied());
                path.push(at);
                for &up in &path {
                    diagram.nodes[up].end = diagram.words.len() as u32;
                }
            }
            diagram
        })
    }

    #[test]
    fn spans_and_the_tree_that_they_describe_give_the_same_diagram() {
        let mut b = TreeBuilder::new();
        b.open("S");
        b.open("NP");
        b.word("DT", "the");
        b.word("NN", "dog");
        b.close();
        b.open("VP");
        b.word("VBD", "barked");
        b.close();
        b.close();
        let tree = b.finish(Place::default()).expect("well formed");
        assert_eq!(Diagram::from_tree(&tree), dog());
    }

    #[test]
    fn crossing_empty_and_outlying_spans_give_no_diagram() {
        let words = ["a", "b", "c"];
        for bad in [[span(0, 2, ""), span(1, 3, "")], [span(1, 1, ""); 2], [span(0, 4, ""); 2]] {
            assert_eq!(Diagram::from_spans(&words, None::<&[&str]>, &bad), None);
        }
    }

    #[test]
    fn a_sentence_without_spans_hangs_on_a_root_and_one_word_on_nothing() {
        let flat = Diagram::from_spans::<_, &str, &str>(&["a", "b"], None, &[]).expect("fits");
        assert_eq!(flat.nodes()[0].children, [1, 2]);
        let one = Diagram::from_spans::<_, &str, &str>(&["a"], None, &[]).expect("fits");
        assert_eq!(one.nodes().len(), 1);
        assert!(Diagram::from_spans::<&str, &str, &str>(&[], None, &[]).expect("fits").is_empty());
    }
}
