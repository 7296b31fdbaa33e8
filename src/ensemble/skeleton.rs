//! Trees without their words, by numbers: small enough that the analyses of many rounds stay in
//! memory and in files.

use crate::treebank::{Place, Tree, TreeBuilder};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::sync::Arc;

/// Labels and tags by number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    names: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, u32, FixedState>,
}

/// A tree less its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skeleton {
    /// Tags in the order of the words.
    pub tags: Box<[u32]>,
    /// Phrases in preorder, the root first.
    pub phrases: Box<[Phrase]>,
}

/// A bracket around words `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phrase {
    pub label: u32,
    pub start: u32,
    pub end: u32,
}

impl Labels {
    /// Labels in the order of their numbers; `None` if one is there twice.
    pub fn from_names(names: Vec<Arc<str>>) -> Option<Labels> {
        let ids: HashMap<_, _, _> =
            names.iter().enumerate().map(|(i, name)| (name.clone(), i as u32)).collect();
        (ids.len() == names.len()).then_some(Labels { names, ids })
    }

    pub fn names(&self) -> &[Arc<str>] {
        &self.names
    }

    fn id(&mut self, name: &Arc<str>) -> u32 {
        if let Some(&id) = self.ids.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.clone());
        self.ids.insert(name.clone(), id);
        id
    }

    /// The skeleton of a tree without gaps.
    pub fn skeleton(&mut self, tree: &Tree) -> Skeleton {
        let extents = tree.extents();
        let tags = tree.tags().map(|tag| self.id(tag)).collect();
        let phrases = tree
            .nodes()
            .filter(|(_, node)| node.word.is_none())
            .map(|(id, node)| {
                let (start, end) = extents[id.0 as usize];
                Phrase { label: self.id(node.label), start, end }
            })
            .collect();
        Skeleton { tags, phrases }
    }

    /// The tree with its words again; `None` where the skeleton is none of so many words, is no
    /// tree, or has labels that are not known.
    pub fn tree(&self, skeleton: &Skeleton, words: &[Arc<str>], place: &Place) -> Option<Tree> {
        if skeleton.tags.len() != words.len() {
            return None;
        }
        let name = |id: u32| self.names.get(id as usize);
        let mut builder = TreeBuilder::new();
        let mut ends = Vec::new();
        let mut phrases = skeleton.phrases.iter().peekable();
        for (i, (word, tag)) in words.iter().zip(&skeleton.tags).enumerate() {
            while let Some(phrase) = phrases.next_if(|p| p.start as usize == i) {
                builder.open(name(phrase.label)?.clone());
                ends.push(phrase.end as usize);
            }
            builder.word(name(*tag)?.clone(), word.clone());
            while ends.last() == Some(&(i + 1)) {
                ends.pop();
                builder.close();
            }
        }
        // What is left over, or open, was nested wrongly.
        if phrases.next().is_some() { None } else { builder.finish(place.clone()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    const TREES: [&str; 3] =
        ["(TOP (S (NP (NP (NN a)) (. .)) (VP (VB b) (X (X (NN c))))))", "(TOP (NN a))", "(NN a)"];

    #[test]
    fn a_skeleton_becomes_the_tree_again() {
        let mut labels = Labels::default();
        for text in TREES {
            let tree = Reader::new(text.as_bytes(), "test").next().expect("a tree").expect("whole");
            let skeleton = labels.skeleton(&tree);
            let again = labels.tree(&skeleton, tree.words(), &tree.place);
            assert_eq!(again.as_ref(), Some(&tree));
            assert_eq!(
                Labels::from_names(labels.names().to_vec()).map(|l| l.ids),
                Some(labels.ids.clone())
            );
        }
    }

    #[test]
    fn what_is_no_tree_of_these_words_is_none() {
        let mut labels = Labels::default();
        let tree = Reader::new(TREES[0].as_bytes(), "test").next().expect("a tree").expect("whole");
        let good = labels.skeleton(&tree);
        let tree_of = |skeleton: &Skeleton| labels.tree(skeleton, tree.words(), &tree.place);
        let changed = |change: &dyn Fn(&mut Vec<Phrase>)| {
            let mut phrases = good.phrases.to_vec();
            change(&mut phrases);
            tree_of(&Skeleton { phrases: phrases.into(), ..good.clone() })
        };
        assert!(changed(&|_| ()).is_some());
        assert!(changed(&|p| p[0].end = 2).is_none(), "brackets cross");
        assert!(changed(&|p| p[1].end = 90).is_none());
        assert!(changed(&|p| p[1].start = 90).is_none());
        assert!(changed(&|p| p[2].label = 90).is_none());
        assert!(labels.tree(&good, &tree.words()[1..], &tree.place).is_none());
        assert!(Labels::from_names(vec!["a".into(), "a".into()]).is_none());
    }
}
