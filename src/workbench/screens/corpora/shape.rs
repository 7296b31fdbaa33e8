//! How deep trees are and how they branch.

use crate::treebank::{LabelledSpan, Sentence, Tree};
use std::collections::BTreeMap;

/// Counts over the trees of a corpus.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// Trees by the largest number of brackets around a word, its tag not counted.
    pub depths: BTreeMap<usize, u64>,
    /// Phrases by the number of their parts.
    pub branching: BTreeMap<usize, u64>,
}

impl Shape {
    /// Of the trees as they stand in the files.
    pub fn as_read(sentences: &[Sentence]) -> Shape {
        let mut shape = Shape::default();
        for tree in sentences.iter().filter_map(|s| s.tree.as_deref()) {
            shape.tree(tree);
        }
        shape
    }

    /// Of the gold spans that scores see.
    pub fn scored(sentences: &[Sentence]) -> Shape {
        let mut shape = Shape::default();
        for spans in sentences.iter().filter_map(|s| s.gold.as_deref()) {
            shape.spans(spans);
        }
        shape
    }

    fn tree(&mut self, tree: &Tree) {
        let mut deepest = 0;
        let mut depths: Vec<usize> = Vec::with_capacity(tree.nodes().len());
        // Parents come before their children.
        for (_, node) in tree.nodes() {
            let above = node.parent.map_or(0, |parent| depths[parent.0 as usize]);
            let phrase = node.word.is_none();
            depths.push(above + usize::from(phrase));
            deepest = deepest.max(above + usize::from(phrase));
            if phrase {
                *self.branching.entry(node.children.len()).or_default() += 1;
            }
        }
        *self.depths.entry(deepest).or_default() += 1;
    }

    fn spans(&mut self, spans: &[LabelledSpan]) {
        /// A span that may still get parts: where it ends, its parts, the words in none of them.
        struct Open {
            end: u32,
            parts: usize,
            words: u32,
        }
        let mut deepest = 0;
        let mut open: Vec<Open> = Vec::new();
        let mut close = |span: Open| {
            *self.branching.entry(span.parts + span.words as usize).or_default() += 1;
        };
        for span in spans {
            while let Some(ended) = open.pop_if(|o| o.end <= span.start) {
                close(ended);
            }
            if let Some(parent) = open.last_mut() {
                parent.parts += 1;
                parent.words = parent.words.saturating_sub(span.end - span.start);
            }
            open.push(Open { end: span.end, parts: 0, words: span.end - span.start });
            deepest = deepest.max(open.len());
        }
        open.into_iter().rev().for_each(&mut close);
        *self.depths.entry(deepest).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::{Preprocessing, Reader, Removed};
    use std::sync::Arc;

    #[test]
    fn depth_and_branching_are_those_of_the_tree_as_read_and_as_scored() {
        let text = "( (S (NP (-NONE- *)) (VP (VB go) (NP (NP (DT the) (JJ old) (NN way)))) (. .)))";
        let tree = Reader::new(text.as_bytes(), "a").next().expect("a tree").expect("well formed");
        let mut removed = Removed::default();
        let sentence = Preprocessing::default().sentence(Arc::new(tree), 0, &mut removed);
        let sentences = [sentence.expect("words are left")];
        let read = Shape::as_read(&sentences);
        assert_eq!(read.depths, [(5, 1)].into());
        // The outer bracket, both unary NPs; VP; the three parts of S and of the inner NP.
        assert_eq!(read.branching, [(1, 3), (2, 1), (3, 2)].into());
        let scored = Shape::scored(&sentences);
        assert_eq!(scored.depths, [(4, 1)].into());
        // S and the outer NP have one part each once the trace and the full stop are gone.
        assert_eq!(scored.branching, [(1, 2), (2, 1), (3, 1)].into());
    }
}
