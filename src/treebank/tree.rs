use std::fmt;
use std::sync::Arc;

/// Index of a node within its tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    fn index(self) -> usize {
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

/// A phrase or a tagged word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Phrase label or part-of-speech tag; may be empty for an unlabelled bracket.
    pub label: Arc<str>,
    /// The word, on preterminals only.
    pub word: Option<Arc<str>>,
    /// Grammatical function of the edge to the parent (export, TIGER).
    pub edge: Option<Arc<str>>,
    pub morphology: Option<Arc<str>>,
    /// Further parents with their edge labels (export, TIGER).
    pub secondary: Vec<(NodeId, Arc<str>)>,
    pub children: Vec<NodeId>,
    pub parent: Option<NodeId>,
    /// Position among the words of the tree, on preterminals only. Phrases cover
    /// the set of positions below them, which may have gaps.
    pub position: Option<u32>,
}

/// An ordered tree in an arena. Invariants (kept by [`TreeBuilder`]): one root,
/// every node but the root has exactly one parent, preterminals have a word, a
/// position and no children, and positions count up from 0 without gaps.
/// Dropping and cloning need no recursion, so depth is unlimited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<Node>,
    root: NodeId,
    preterminals: Vec<NodeId>,
    pub place: Place,
}

impl Tree {
    pub fn root(&self) -> NodeId {
        self.root
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// All nodes in the order of opening (preorder for trees read from brackets).
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = (NodeId, &Node)> {
        self.nodes.iter().enumerate().map(|(i, n)| (NodeId(i as u32), n))
    }

    /// Preterminals in sentence order.
    pub fn preterminals(&self) -> &[NodeId] {
        &self.preterminals
    }

    /// Number of words, empty elements included.
    pub fn len(&self) -> usize {
        self.preterminals.len()
    }

    pub fn is_empty(&self) -> bool {
        self.preterminals.is_empty()
    }

    pub fn words(&self) -> impl ExactSizeIterator<Item = &str> {
        self.preterminals.iter().map(|&id| self.node(id).word.as_deref().unwrap_or_default())
    }

    pub fn tags(&self) -> impl ExactSizeIterator<Item = &str> {
        self.preterminals.iter().map(|&id| &*self.node(id).label)
    }

    /// For every node the smallest `[start, end)` that holds its words.
    pub fn extents(&self) -> Vec<(u32, u32)> {
        let mut extents = vec![(u32::MAX, 0); self.nodes.len()];
        for id in self.postorder() {
            let node = self.node(id);
            let own = match node.position {
                Some(p) => (p, p + 1),
                None => node.children.iter().fold((u32::MAX, 0), |(s, e), c| {
                    let (cs, ce) = extents[c.index()];
                    (s.min(cs), e.max(ce))
                }),
            };
            extents[id.index()] = own;
        }
        extents
    }

    /// Children before parents, without recursion.
    pub fn postorder(&self) -> Vec<NodeId> {
        let mut order = Vec::with_capacity(self.nodes.len());
        let mut stack = vec![self.root];
        while let Some(id) = stack.pop() {
            order.push(id);
            stack.extend(&self.node(id).children);
        }
        order.reverse();
        order
    }
}

/// One-line brackets, as `(S (NP (NN dogs)) (VP (VBP bark)))`; what the reader reads back.
impl fmt::Display for Tree {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        enum Step {
            Open(NodeId),
            Close,
        }
        let mut stack = vec![Step::Open(self.root)];
        let mut first = true;
        while let Some(step) = stack.pop() {
            match step {
                Step::Close => f.write_str(")")?,
                Step::Open(id) => {
                    if !first {
                        f.write_str(" ")?;
                    }
                    first = false;
                    let node = self.node(id);
                    write!(f, "({}", node.label)?;
                    if let Some(word) = &node.word {
                        write!(f, " {word}")?;
                    }
                    stack.push(Step::Close);
                    stack.extend(node.children.iter().rev().map(|&c| Step::Open(c)));
                }
            }
        }
        Ok(())
    }
}

/// Builds a tree by opening and closing brackets.
#[derive(Debug, Default)]
pub struct TreeBuilder {
    nodes: Vec<Node>,
    open: Vec<NodeId>,
    preterminals: Vec<NodeId>,
}

impl TreeBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Brackets that are open now.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Opens a phrase.
    pub fn open(&mut self, label: impl Into<Arc<str>>) -> NodeId {
        let id = self.push(label.into(), None);
        self.open.push(id);
        id
    }

    /// Adds a tagged word under the open phrase.
    pub fn word(&mut self, tag: impl Into<Arc<str>>, word: impl Into<Arc<str>>) -> NodeId {
        let id = self.push(tag.into(), Some(word.into()));
        self.nodes[id.index()].position = Some(self.preterminals.len() as u32);
        self.preterminals.push(id);
        id
    }

    /// Closes the innermost phrase; `None` when none is open.
    pub fn close(&mut self) -> Option<NodeId> {
        self.open.pop()
    }

    /// The tree, when everything is closed and there is exactly one root.
    pub fn finish(self, place: Place) -> Option<Tree> {
        let one_root = self.nodes.iter().filter(|n| n.parent.is_none()).count() == 1;
        (self.open.is_empty() && one_root).then_some(Tree {
            nodes: self.nodes,
            root: NodeId(0),
            preterminals: self.preterminals,
            place,
        })
    }

    fn push(&mut self, label: Arc<str>, word: Option<Arc<str>>) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let parent = self.open.last().copied();
        if let Some(parent) = parent {
            self.nodes[parent.index()].children.push(id);
        }
        self.nodes.push(Node {
            label,
            word,
            edge: None,
            morphology: None,
            secondary: Vec::new(),
            children: Vec::new(),
            parent,
            position: None,
        });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_tree_prints_as_brackets_and_knows_its_extents() {
        let mut b = TreeBuilder::new();
        b.open("S");
        b.open("NP");
        b.word("NN", "dogs");
        b.close();
        b.word("VBP", "bark");
        b.close();
        let tree = b.finish(Place::default()).expect("one root, all closed");
        assert_eq!(tree.to_string(), "(S (NP (NN dogs)) (VBP bark))");
        assert_eq!(tree.extents(), [(0, 2), (0, 1), (0, 1), (1, 2)]);
        assert_eq!(tree.words().collect::<Vec<_>>(), ["dogs", "bark"]);
    }

    #[test]
    fn an_open_bracket_or_two_roots_give_no_tree() {
        let mut b = TreeBuilder::new();
        b.open("S");
        assert!(b.finish(Place::default()).is_none());
        let mut b = TreeBuilder::new();
        b.word("NN", "a");
        b.word("NN", "b");
        assert!(b.finish(Place::default()).is_none());
    }
}
