use crate::treebank::{Annotation, Tree, TreeBuilder};
use std::sync::Arc;

/// A tree that can be changed. Nodes are numbered; those that are taken out of the tree keep their
/// number.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub nodes: Vec<DraftNode>,
    root: usize,
    original: Arc<Tree>,
}

#[derive(Clone, Debug)]
pub(super) struct DraftNode {
    pub label: Arc<str>,
    pub word: Option<Arc<str>>,
    pub children: Vec<usize>,
    /// `None` at the root, and of what is taken out.
    pub parent: Option<usize>,
    /// Whether the word stands for nothing said.
    empty: bool,
    annotation: Option<Annotation>,
}

impl Draft {
    /// A tree without gaps.
    pub fn of(tree: &Arc<Tree>) -> Draft {
        let node = |(id, node): (_, crate::treebank::Node)| DraftNode {
            label: node.label.clone(),
            word: node.position.map(|p| tree.words()[p as usize].clone()),
            children: node.children.iter().map(|c| c.0 as usize).collect(),
            parent: node.parent.map(|p| p.0 as usize),
            empty: node.position.is_some_and(|p| tree.is_empty_element(p as usize)),
            // Secondary edges name nodes, whose numbers change.
            annotation: tree
                .annotation(id)
                .map(|a| Annotation { secondary: Vec::new(), ..a.clone() }),
        };
        let nodes = tree.nodes().map(node).collect();
        Draft { nodes, root: tree.root().0 as usize, original: tree.clone() }
    }

    pub fn is_root(&self, node: usize) -> bool {
        node == self.root
    }

    /// Whether the node is a phrase below the root.
    pub fn is_phrase(&self, node: usize) -> bool {
        self.nodes[node].word.is_none() && !self.is_root(node)
    }

    /// Place of a node among its sisters.
    pub fn place(&self, node: usize) -> Option<(usize, usize)> {
        let parent = self.nodes[node].parent?;
        Some((parent, self.nodes[parent].children.iter().position(|c| *c == node)?))
    }

    /// Whether a word below the node is more than an empty element.
    pub fn has_words(&self, node: usize) -> bool {
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            let DraftNode { word, empty, children, .. } = &self.nodes[node];
            if word.is_some() && !empty {
                return true;
            }
            stack.extend(children);
        }
        false
    }

    /// Takes a node out of its phrase.
    pub fn detach(&mut self, node: usize) {
        if let Some((parent, place)) = self.place(node) {
            self.nodes[parent].children.remove(place);
            self.nodes[node].parent = None;
        }
    }

    /// Puts a node that is in no phrase into one.
    pub fn insert(&mut self, parent: usize, place: usize, node: usize) {
        self.nodes[parent].children.insert(place, node);
        self.nodes[node].parent = Some(parent);
    }

    /// Takes a bracket away: its children go to the phrase above.
    pub fn splice(&mut self, node: usize) {
        let Some((parent, place)) = self.place(node) else { return };
        let children = std::mem::take(&mut self.nodes[node].children);
        for &child in &children {
            self.nodes[child].parent = Some(parent);
        }
        self.nodes[parent].children.splice(place..=place, children);
        self.nodes[node].parent = None;
    }

    /// Puts a bracket around some neighbouring children of a phrase, and gives its number.
    pub fn wrap(&mut self, parent: usize, range: std::ops::Range<usize>, label: Arc<str>) -> usize {
        let new = self.nodes.len();
        let place = range.start;
        let children: Vec<usize> = self.nodes[parent].children.splice(range, [new]).collect();
        for &child in &children {
            self.nodes[child].parent = Some(new);
        }
        debug_assert_eq!(self.nodes[parent].children[place], new);
        self.nodes.push(DraftNode {
            label,
            word: None,
            children,
            parent: Some(parent),
            empty: false,
            annotation: None,
        });
        new
    }

    /// Words before and up to the end of a node.
    pub fn extent(&self, node: usize) -> (u32, u32) {
        let (mut words, mut start) = (0, None);
        let mut stack = vec![(self.root, false)];
        while let Some((at, left)) = stack.pop() {
            if left {
                break;
            }
            if at == node {
                start = Some(words);
                // Met again when all below it is done.
                stack.push((at, true));
            }
            words += u32::from(self.nodes[at].word.is_some());
            stack.extend(self.nodes[at].children.iter().rev().map(|&child| (child, false)));
        }
        (start.unwrap_or(words), words)
    }

    /// The brackets of what is below a node.
    pub fn brackets(&self, node: usize) -> String {
        self.build(node).map_or_else(String::new, |tree| tree.to_string())
    }

    /// The changed tree; `None` where a phrase is left without a word.
    pub fn finish(&self) -> Option<Tree> {
        self.build(self.root)
    }

    fn build(&self, top: usize) -> Option<Tree> {
        let mut builder = TreeBuilder::new();
        let mut stack = vec![Some(top)];
        while let Some(step) = stack.pop() {
            let Some(node) = step else {
                builder.close();
                continue;
            };
            let DraftNode { label, word, children, annotation, .. } = &self.nodes[node];
            let id = match word {
                Some(word) => builder.word(label.clone(), word.clone()),
                None => {
                    stack.push(None);
                    stack.extend(children.iter().rev().map(|&child| Some(child)));
                    builder.open(label.clone())
                }
            };
            if let Some(annotation) = annotation {
                builder.annotate(id, annotation.clone());
            }
        }
        if let Some(name) = self.original.name().filter(|_| top == self.root) {
            builder.name(name.clone());
        }
        builder.finish(self.original.place.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    fn draft(brackets: &str) -> Draft {
        let tree = Reader::new(brackets.as_bytes(), "test").next().expect("a tree");
        Draft::of(&Arc::new(tree.expect("well formed")))
    }

    const TREE: &str = "(TOP (S (NP (NN a)) (VP (VB b) (NP (NN c)) (PP (IN d) (NN e)))))";

    #[test]
    fn an_unchanged_draft_is_the_tree() {
        let draft = draft(TREE);
        assert_eq!(draft.finish().expect("whole").to_string(), TREE);
        let extents: Vec<_> = (0..draft.nodes.len()).map(|n| draft.extent(n)).collect();
        let tree = Reader::new(TREE.as_bytes(), "test").next().expect("a tree").expect("whole");
        assert_eq!(extents, tree.extents());
    }

    #[test]
    fn brackets_are_taken_away_put_around_and_moved() {
        let mut draft = draft(TREE);
        let vp = 4;
        let new = draft.wrap(vp, 1..3, "NP".into());
        let wrapped = "(VP (VB b) (NP (NP (NN c)) (PP (IN d) (NN e))))";
        assert_eq!((draft.brackets(vp).as_str(), draft.extent(new)), (wrapped, (2, 5)));
        draft.splice(new);
        assert_eq!(draft.finish().expect("whole").to_string(), TREE);
        draft.splice(2);
        assert_eq!(draft.brackets(1), TREE[5..TREE.len() - 1].replace("(NP (NN a))", "(NN a)"));
        let pp = 8;
        draft.detach(pp);
        draft.insert(1, 2, pp);
        let moved = "(TOP (S (NN a) (VP (VB b) (NP (NN c))) (PP (IN d) (NN e))))";
        assert_eq!(draft.finish().expect("whole").to_string(), moved);
    }

    #[test]
    fn a_phrase_that_lost_everything_is_no_tree() {
        let mut draft = draft("(TOP (S (NP (NN a)) (VB b)))");
        draft.detach(3);
        assert!(draft.finish().is_none());
    }
}
