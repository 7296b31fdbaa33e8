use super::tree::{Annotation, NodeId, Place, Rare, Record, Tree};
use std::sync::Arc;

/// Builds trees by opening and closing brackets.
#[derive(Debug)]
pub struct TreeBuilder {
    records: Vec<Record>,
    open: Vec<NodeId>,
    preterminals: Vec<NodeId>,
    words: Vec<Arc<str>>,
    rare: Option<Box<Rare>>,
    /// Every word stands where it was added.
    in_order: bool,
    /// An opened phrase was closed over nothing, or a second root was opened.
    broken: bool,
}

impl Default for TreeBuilder {
    fn default() -> Self {
        TreeBuilder {
            records: Vec::new(),
            open: Vec::new(),
            preterminals: Vec::new(),
            words: Vec::new(),
            rare: None,
            in_order: true,
            broken: false,
        }
    }
}

impl TreeBuilder {
    pub fn new() -> Self {
        Self::default()
    }

    /// Brackets that are open now.
    pub fn depth(&self) -> usize {
        self.open.len()
    }

    /// Words added so far.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Opens a phrase.
    pub fn open(&mut self, label: impl Into<Arc<str>>) -> NodeId {
        let id = self.push(label.into(), 0, 0);
        self.open.push(id);
        id
    }

    /// Adds a tagged word under the open phrase.
    pub fn word(&mut self, tag: impl Into<Arc<str>>, word: impl Into<Arc<str>>) -> NodeId {
        let id = self.push(tag.into(), self.words.len() as u32, Record::WORD);
        self.words.push(word.into());
        self.preterminals.push(id);
        id
    }

    /// Adds a tagged word that stands at `position` of the sentence: all words of a tree are
    /// added so where phrases have gaps.
    pub fn word_at(
        &mut self,
        position: u32,
        tag: impl Into<Arc<str>>,
        word: impl Into<Arc<str>>,
    ) -> NodeId {
        let id = self.word(tag, word);
        self.records[id.index()].first = position;
        self.in_order &= position as usize + 1 == self.words.len();
        id
    }

    /// Closes the innermost phrase; `None` when none is open.
    pub fn close(&mut self) -> Option<NodeId> {
        let id = self.open.pop()?;
        self.broken |= self.records[id.index()].count == 0;
        Some(id)
    }

    /// Says more about a node.
    pub fn annotate(&mut self, id: NodeId, annotation: Annotation) {
        self.rare.get_or_insert_default().annotations.insert(id, annotation);
    }

    /// Gives the tree the name that stands beside it in the file.
    pub fn name(&mut self, id: impl Into<Arc<str>>) {
        self.rare.get_or_insert_default().name = Some(id.into());
    }

    /// The label of the outermost bracket that is open.
    pub(super) fn root_label(&self) -> Option<&Arc<str>> {
        self.open.first().map(|id| &self.records[id.index()].label)
    }

    /// The label of the innermost bracket that is open.
    pub(super) fn open_label(&self) -> Option<&Arc<str>> {
        self.open.last().map(|id| &self.records[id.index()].label)
    }

    /// The tree, when everything is closed, there is exactly one root, no
    /// phrase is empty and the words stand at positions from 0 on without gaps;
    /// the builder then is as new either way.
    pub fn take(&mut self, place: Place) -> Option<Tree> {
        if !self.in_order {
            self.put_in_order();
        }
        let complete = self.open.is_empty() && !self.records.is_empty() && !self.broken;
        let tree = complete.then(|| Tree {
            links: self.place_children(),
            records: self.records.as_slice().into(),
            words: self.words.as_slice().into(),
            rare: self.rare.take(),
            place,
        });
        self.clear();
        tree
    }

    /// [`TreeBuilder::take`] for a single tree.
    pub fn finish(mut self, place: Place) -> Option<Tree> {
        self.take(place)
    }

    /// Forgets what was built.
    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.open.clear();
        self.preterminals.clear();
        self.words.clear();
        self.rare = None;
        self.in_order = true;
        self.broken = false;
    }

    /// Sorts words and preterminals by position.
    fn put_in_order(&mut self) {
        let n = self.words.len();
        let mut order = vec![usize::MAX; n];
        for (added, id) in self.preterminals.iter().enumerate() {
            match order.get_mut(self.records[id.index()].first as usize) {
                Some(free) if *free == usize::MAX => *free = added,
                _ => {
                    self.broken = true;
                    return;
                }
            }
        }
        self.words = order.iter().map(|&added| self.words[added].clone()).collect();
        self.preterminals = order.iter().map(|&added| self.preterminals[added]).collect();
    }

    /// Gives every phrase its part of one list of children, in order of opening;
    /// the preterminals follow.
    fn place_children(&mut self) -> Box<[NodeId]> {
        let mut next = 0;
        for record in self.records.iter_mut().filter(|r| r.count != Record::WORD) {
            record.first = next;
            next += record.count;
        }
        let mut filled = vec![0u32; self.records.len()];
        let mut links = Vec::with_capacity(next as usize + self.preterminals.len());
        links.resize(next as usize, NodeId(0));
        for i in 1..self.records.len() {
            let parent = self.records[i].parent as usize;
            links[(self.records[parent].first + filled[parent]) as usize] = NodeId(i as u32);
            filled[parent] += 1;
        }
        links.extend(&self.preterminals);
        links.into_boxed_slice()
    }

    fn push(&mut self, label: Arc<str>, first: u32, count: u32) -> NodeId {
        let id = NodeId(self.records.len() as u32);
        let parent = match self.open.last() {
            Some(parent) => {
                self.records[parent.index()].count += 1;
                parent.0
            }
            None => {
                self.broken |= !self.records.is_empty();
                Record::NONE
            }
        };
        self.records.push(Record { label, parent, first, count });
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_built_tree_prints_as_brackets() {
        let mut b = TreeBuilder::new();
        b.open("S");
        b.open("NP");
        b.word("NN", "dogs");
        b.close();
        b.word("VBP", "bark");
        b.close();
        let tree = b.finish(Place::default()).expect("one root, all closed");
        assert_eq!(tree.to_string(), "(S (NP (NN dogs)) (VBP bark))");
    }

    #[test]
    fn an_open_bracket_two_roots_or_an_empty_phrase_give_no_tree() {
        let mut b = TreeBuilder::new();
        b.open("S");
        assert!(b.finish(Place::default()).is_none());
        let mut b = TreeBuilder::new();
        b.word("NN", "a");
        b.word("NN", "b");
        assert!(b.finish(Place::default()).is_none());
        let mut b = TreeBuilder::new();
        b.open("S");
        b.close();
        assert!(b.take(Place::default()).is_none());
        b.word("NN", "a");
        assert!(b.take(Place::default()).is_some(), "the builder is as new after a failure");
    }
}
