//! Candidates by a parser of ours. Those of training sentences must come from parsers that have not
//! seen the sentence: each part of the training set is parsed by what the others teach (Collins
//! 2000).

use super::RerankError;
use crate::ensemble::Annotated;
use crate::parser::{TreeParser, Words};
use crate::treebank::candidates::CandidateList;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Sentences parsed between two looks at whether to go on.
const CHUNK: usize = 64;

/// What candidates are made of.
#[derive(Clone, Copy)]
pub struct Sentences<'a> {
    /// Stands in the names of the lists: `train`.
    pub name: &'a str,
    pub all: &'a [Annotated],
    /// Most candidates of a sentence.
    pub most: usize,
    /// The parser is given the tags of the annotation.
    pub gold_tags: bool,
}

/// The candidates of some of the sentences, on all cores. `go_on` hears how many were parsed, and
/// ends it by `false`.
pub fn candidates_of(
    parser: &dyn TreeParser,
    sentences: Sentences,
    part: Range<usize>,
    go_on: &mut dyn FnMut(usize) -> bool,
) -> Result<Vec<CandidateList>, RerankError> {
    let Sentences { name, all, most, gold_tags } = sentences;
    let of_sentence = |sentence: &Annotated| {
        let tree = &sentence.tree;
        let tags: Option<Vec<Arc<str>>> = gold_tags.then(|| tree.tags().cloned().collect());
        let words = Words { words: tree.words(), tags: tags.as_deref() };
        let scored = parser.k_best(words, most).into_iter().map(|candidate| {
            let log_prob = candidate.listed_score();
            (candidate.tree, log_prob)
        });
        CandidateList::new(format!("{name}-{}", sentence.index), Some(tree), scored)
    };
    let mut lists = Vec::with_capacity(part.len());
    for begin in part.clone().step_by(CHUNK) {
        let chunk = begin..(begin + CHUNK).min(part.end);
        let made: Vec<CandidateList> = all[chunk].par_iter().map(of_sentence).collect();
        let n = made.len();
        lists.extend(made);
        if !go_on(n) {
            return Err(RerankError::Stopped);
        }
    }
    Ok(lists)
}
