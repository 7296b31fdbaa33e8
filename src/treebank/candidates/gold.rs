//! Gold trees of another file for lists that came without.

use super::{CandidateList, plain_words};
use crate::report::counted;
use crate::treebank::{self, Preprocessing, Problem, Removed, Tree, TreebankError};
use std::collections::{HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

/// What came of giving lists their gold trees.
#[derive(Clone, Debug, Default)]
pub struct Attached {
    /// Trees of the file, traces and functions taken away.
    pub trees: usize,
    /// What the reader complained about.
    pub problems: Vec<Problem>,
    /// Lists that got their tree by its place, as many trees as sentences being there.
    pub in_place: usize,
    /// And by its words.
    pub by_words: usize,
    /// Lists that had one before.
    pub kept: usize,
    /// Lists that have none, though they have words.
    pub lacking: usize,
}

impl Attached {
    /// Gives every list without a gold tree its own of a file: the one in its place where there are as many trees as
    /// `sentences`, else the next one over its words. Words that could not be found leave lists as
    /// they are.
    pub fn from_file(
        lists: &mut [CandidateList],
        sentences: usize,
        path: &Path,
    ) -> Result<Attached, TreebankError> {
        let reading = treebank::read_file(path)?;
        let rules = Preprocessing::preset("trees")?;
        let mut removed = Removed::default();
        let clean = |tree: Tree| rules.clean(&Arc::new(tree), &mut removed);
        let trees: Vec<Tree> = reading.trees.into_iter().filter_map(clean).collect();
        if trees.is_empty() {
            let reason = match reading.problems.first() {
                Some(problem) => format!("no tree was found; first problem: {problem}"),
                None => "no tree was found".to_owned(),
            };
            return Err(TreebankError::Read { path: path.display().to_string(), reason });
        }
        Ok(Attached { problems: reading.problems, ..Attached::of(lists, sentences, &trees) })
    }

    fn of(lists: &mut [CandidateList], sentences: usize, trees: &[Tree]) -> Attached {
        let mut attached = Attached { trees: trees.len(), ..Attached::default() };
        let mut is_free = vec![true; trees.len()];
        let mut others: Vec<&mut CandidateList> = Vec::new();
        for list in lists {
            if list.gold.is_some() {
                attached.kept += 1;
                continue;
            }
            let own = trees.get(list.place).filter(|_| trees.len() == sentences);
            if own.is_some_and(|tree| list.set_gold(tree)) {
                is_free[list.place] = false;
                attached.in_place += 1;
            } else if !list.words.is_empty() {
                others.push(list);
            }
        }
        let mut by_words: HashMap<Vec<Arc<str>>, VecDeque<&Tree>> = HashMap::new();
        for (tree, _) in trees.iter().zip(is_free).filter(|(_, is_free)| *is_free) {
            by_words.entry(plain_words(tree)).or_default().push_back(tree);
        }
        for list in others {
            let tree = by_words.get_mut(&list.words).and_then(VecDeque::pop_front);
            match tree.is_some_and(|tree| list.set_gold(tree)) {
                true => attached.by_words += 1,
                false => attached.lacking += 1,
            }
        }
        attached
    }

    /// Lists that have a tree of the file now.
    pub fn found(&self) -> usize {
        self.in_place + self.by_words
    }

    /// What came of it in a line; `name` is the file's.
    pub fn told(&self, name: &str) -> String {
        let mut parts = vec![format!("{} of {name}", counted(self.found(), "gold tree"))];
        if self.by_words > 0 {
            parts.push(format!("{} of them found by their words", self.by_words));
        }
        if self.kept > 0 {
            parts.push(format!("{} had one before", counted(self.kept, "sentence")));
        }
        if self.lacking > 0 {
            parts.push(format!("{} without", counted(self.lacking, "sentence")));
        }
        if !self.problems.is_empty() {
            parts.push(format!("{} in the file", counted(self.problems.len(), "problem")));
        }
        parts.join(", ")
    }

    /// Whether no list has a gold tree, though some could have one.
    pub fn is_vain(&self) -> bool {
        self.found() + self.kept == 0 && self.lacking > 0
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::lists_of;
    use super::*;
    use crate::treebank::tree::tree;

    /// Sentences of one word, each with a candidate.
    fn lists(words: &[&str]) -> Vec<CandidateList> {
        lists_of(&words.iter().map(|word| format!("-1\t( (NN {word}))\n\n")).collect::<String>())
    }

    fn trees(words: &[&str]) -> Vec<Tree> {
        words.iter().map(|word| tree(&format!("(X (NN {word}))"))).collect()
    }

    fn counts(attached: &Attached) -> (usize, usize, usize) {
        (attached.in_place, attached.by_words, attached.lacking)
    }

    #[test]
    fn trees_are_found_by_place_and_where_that_fails_by_words() {
        let mut some = lists(&["a", "b", "c"]);
        let attached = Attached::of(&mut some, 3, &trees(&["a", "c", "b"]));
        assert_eq!(counts(&attached), (1, 2, 0));
        assert!(
            some.iter().all(|list| list.gold.as_ref().is_some_and(|g| g.words() == list.words))
        );
        let mut some = lists(&["a", "b"]);
        assert_eq!(counts(&Attached::of(&mut some, 2, &trees(&["x", "y", "b"]))), (0, 1, 1));
        let mut some = lists(&["a", "b"]);
        let vain = Attached::of(&mut some, 2, &trees(&["x", "y"]));
        assert!(counts(&vain) == (0, 0, 2) && vain.is_vain());
    }

    #[test]
    fn a_gold_tree_that_is_there_stays() {
        let mut some = lists(&["a", "b"]);
        assert!(some[0].set_gold(&tree("(Z (NN a))")));
        let attached = Attached::of(&mut some, 2, &trees(&["a", "b"]));
        assert_eq!((attached.kept, attached.in_place), (1, 1));
        assert_eq!(some[0].gold.as_ref().map(|g| g.to_string()).as_deref(), Some("(Z (NN a))"));
        assert!(!Attached::of(&mut some, 2, &trees(&["x"])).is_vain());
    }

    #[test]
    fn the_tree_of_a_sentence_that_was_lost_shifts_no_other() {
        let mut some = lists(&["a", "a", "b"]);
        some.iter_mut().for_each(|list| list.place += 1);
        let mut gold = trees(&["a", "a", "a", "b"]);
        gold[2] = tree("(Y (NN a))");
        assert_eq!(counts(&Attached::of(&mut some, 4, &gold)), (3, 0, 0));
        assert_eq!(some[1].gold.as_ref().map(|g| g.to_string()).as_deref(), Some("(Y (NN a))"));
    }
}
