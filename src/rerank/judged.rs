//! Candidate lists with what their gold trees say of them.

use crate::ensemble::rooted;
use crate::evaluation::{Agreement, Constituents};
use crate::treebank::Tree;
use crate::treebank::candidates::CandidateList;
use rayon::prelude::*;
use std::sync::Arc;

/// A list with its gold tree, whose candidates were compared with it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub list: CandidateList,
    /// The candidates below one root, as parsers and kernels see them.
    pub trees: Vec<Arc<Tree>>,
    /// Gold against every candidate; empty without a gold tree.
    pub agreements: Vec<Agreement>,
}

impl Judged {
    /// Compares the best `most` candidates by the base parser, which are kept in that order; equal
    /// ones stay in that of the file.
    pub fn new(mut list: CandidateList, most: usize) -> Judged {
        list.candidates.sort_by(|a, b| b.log_prob.total_cmp(&a.log_prob));
        list.candidates.truncate(most);
        let trees: Vec<Arc<Tree>> =
            list.candidates.iter().map(|c| Arc::new(rooted(&c.tree))).collect();
        let mut agreements = Vec::new();
        if let Some(gold) = &list.gold {
            let counted = Constituents::counted(&rooted(gold));
            // What is punctuation is told by the gold tags, so that positions are the same.
            let of = |tree: &Arc<Tree>| Constituents::counted_by(tree, gold.tags());
            agreements = trees.iter().map(|tree| counted.agreement(&of(tree))).collect();
        }
        Judged { list, trees, agreements }
    }

    /// The same for many lists, on all cores.
    pub fn all(lists: Vec<CandidateList>, most: usize) -> Vec<Judged> {
        lists.into_par_iter().map(|list| Judged::new(list, most)).collect()
    }

    /// The same with the best `most` candidates only.
    pub fn first(&self, most: usize) -> Judged {
        let mut list = self.clone();
        list.list.candidates.truncate(most);
        list.trees.truncate(most);
        list.agreements.truncate(most);
        list
    }

    pub fn len(&self) -> usize {
        self.trees.len()
    }

    pub fn is_empty(&self) -> bool {
        self.trees.is_empty()
    }

    /// F1 of every candidate, from 0 to 1; empty without a gold tree.
    pub fn f1(&self) -> Vec<f64> {
        self.agreements.iter().map(|agreement| agreement.f1() / 100.0).collect()
    }

    /// Whether something can be learned: a gold tree and two candidates.
    pub fn is_lesson(&self) -> bool {
        self.agreements.len() > 1
    }

    /// Why nothing can be learned from lists; `None` where something can.
    pub fn no_lesson(lists: &[Judged]) -> Option<&'static str> {
        if lists.iter().any(Judged::is_lesson) {
            return None;
        }
        Some(match lists.iter().any(|list| list.list.gold.is_some()) {
            true => "no sentence has a gold tree and two candidates: nothing can be learned",
            false => "no list has a gold tree: nothing can be learned",
        })
    }

    /// By the base parser, nats.
    pub fn log_probs(&self) -> Vec<f64> {
        self.list.candidates.iter().map(|c| c.log_prob).collect()
    }

    /// The candidate of highest F1, the first of equal ones.
    pub fn oracle(&self) -> Option<usize> {
        let f1 = self.f1();
        (!f1.is_empty()).then(|| super::perceptron::reference(&f1))
    }
}
