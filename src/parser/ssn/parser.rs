//! The network as a parser: sentences in, trees as the treebank has them out.

use super::search::{Found, Search, Width};
use super::vocabulary::Choice;
use super::{Reading, Ssn};
use crate::checkpoint::TensorFile;
use crate::parser::transitions::{Arena, Move};
use crate::parser::{Candidate, Fallback, Parsed, TreeParser, Words};
use crate::treebank::{Place, Tree, TreeBuilder};
use std::collections::HashSet;

/// How much wider the beam is where nothing of it was left at the end.
const WIDER: usize = 10;

impl Ssn {
    /// The best trees of a sentence, at most as many as the beam is wide; none where the search
    /// came to nothing.
    pub fn search(&self, sentence: Words<'_>, width: Width) -> Vec<Candidate> {
        let readings = self.readings(sentence);
        let mut seen = HashSet::new();
        let found = Search::new(self, width).derivations(&readings);
        let candidates = found
            .into_iter()
            .map(|found| Candidate { tree: self.tree(&found, sentence), score: found.score });
        // Chains that are one label may also be derived phrase by phrase.
        candidates.filter(|candidate| seen.insert(candidate.tree.to_string())).collect()
    }

    fn readings(&self, sentence: Words<'_>) -> Vec<Vec<Reading>> {
        let tags = sentence.tags.into_iter().flatten().map(|tag| Some(&**tag));
        let tags = tags.chain(std::iter::repeat(None));
        let words = sentence.words.iter().zip(tags).map(|(word, tag)| {
            let mut readings = Vec::new();
            self.lexicon.readings(word, tag, &self.vocabulary, &mut readings);
            readings
        });
        words.collect()
    }

    fn tree(&self, found: &Found, sentence: Words<'_>) -> Tree {
        let mut arena = Arena::default();
        let mut position = 0;
        for decision in &found.decisions {
            arena.make(&match self.vocabulary.choice(*decision) {
                Choice::Project(label) => {
                    Move::Project(self.vocabulary.labels()[label as usize - 1].clone())
                }
                Choice::Attach => Move::Attach,
                Choice::Modify => Move::Modify,
                Choice::Shift(pair) => {
                    let tag = &self.vocabulary.tags()[self.vocabulary.tag_of(pair) as usize];
                    // Given tags stay as given.
                    let tag = sentence.tags.map_or(tag, |tags| &tags[position]);
                    position += 1;
                    Move::Shift((tag.clone(), sentence.words[position - 1].clone()))
                }
            });
        }
        self.form.take_off(&arena.tree().expect("a complete derivation has a tree"))
    }

    /// All words side by side.
    pub(super) fn flat(&self, sentence: Words<'_>) -> Tree {
        let label = self.form.root().or(self.vocabulary.labels().first()).cloned();
        let readings = self.readings(sentence);
        let mut builder = TreeBuilder::new();
        builder.open(label.unwrap_or_else(|| "X".into()));
        for (position, word) in sentence.words.iter().enumerate() {
            let tag = match sentence.tags {
                Some(tags) => &tags[position],
                None => {
                    let pair = readings[position][0].pair;
                    &self.vocabulary.tags()[self.vocabulary.tag_of(pair) as usize]
                }
            };
            builder.word(tag.clone(), word.clone());
        }
        builder.close();
        builder.finish(Place::default()).expect("words below one phrase")
    }
}

impl TreeParser for Ssn {
    fn parse(&self, sentence: Words<'_>) -> Parsed {
        let best = self.k_best(sentence, 1).into_iter().next().expect("every sentence has a tree");
        let fallback = (best.score == f64::NEG_INFINITY).then_some(Fallback::Fragments);
        Parsed { tree: best.tree, score: best.score, fallback }
    }

    fn k_best(&self, sentence: Words<'_>, k: usize) -> Vec<Candidate> {
        let empty = ["".into()];
        let sentence = match sentence.words {
            [] => Words::new(&empty),
            _ => sentence,
        };
        let beam = self.settings.beam.max(k);
        for beam in [beam, beam.saturating_mul(WIDER)] {
            let width = Width { beam, branching: self.settings.branching };
            let mut found = self.search(sentence, width);
            found.truncate(k);
            if !found.is_empty() || k == 0 {
                return found;
            }
        }
        vec![Candidate { tree: self.flat(sentence), score: f64::NEG_INFINITY }]
    }

    fn tree_score(&self, tree: &Tree) -> f64 {
        self.trace(tree).map_or(f64::NEG_INFINITY, |trace| trace.log_prob)
    }

    fn size(&self) -> (usize, &'static str) {
        (self.weights.count(), "weights")
    }

    fn store(&self, file: &mut TensorFile) -> Result<(), candle_core::Error> {
        self.write(file)
    }
}
