//! Learned weights, as a parser.

use super::perceptron::Perceptron;
use super::search::{Beam, Input, Rules, Scorers, Scratch};
use super::state::{State, Step};
use super::train::{Taken, walk};
use super::{steps, store};
use crate::checkpoint::TensorFile;
use crate::parser::transitions::{Arena, Move};
use crate::parser::{self, Candidate, Fallback, Parsed, TreeParser};
use crate::treebank::{Place, Tree, TreeBuilder};
use std::collections::HashSet;
use std::sync::Arc;

impl Perceptron {
    fn rules(&self) -> Rules<'_> {
        Rules::new(&self.heads, &self.roles, self.labels.names().len())
    }

    /// The sentence in numbers. A given tag that is not known leaves the choice open.
    fn input(&self, sentence: parser::Words<'_>) -> Input {
        let mut words = Vec::with_capacity(sentence.words.len());
        let mut tags = Vec::with_capacity(sentence.words.len());
        let mut possible = Vec::new();
        for (i, word) in sentence.words.iter().enumerate() {
            let mut seen = self.words.seen(word);
            match sentence.tags.and_then(|tags| self.labels.get(&tags[i])) {
                Some(tag) => {
                    seen.usual = tag;
                    tags.push(vec![tag]);
                }
                None => {
                    self.words.tags(word, &mut possible);
                    tags.push(possible.clone());
                }
            }
            words.push(seen);
        }
        Input { words, tags }
    }

    /// The tree of steps that were taken; a flat one where they do not end.
    fn tree(&self, steps: &[Step], sentence: parser::Words<'_>) -> Tree {
        let mut arena = Arena::default();
        let mut position = 0;
        for step in steps {
            let label = |label| self.labels.name(label).clone();
            arena.make(&match *step {
                Step::Shift(tag) => {
                    let tag = sentence.tags.map_or_else(|| label(tag), |t| t[position].clone());
                    position += 1;
                    Move::Shift((tag, sentence.words[position - 1].clone()))
                }
                Step::Project(l) => Move::Project(label(l)),
                Step::Attach => Move::Attach,
                Step::Modify => Move::Modify,
            });
        }
        match arena.tree() {
            Some(tree) => tree,
            None => self.flat(sentence),
        }
    }

    /// All words under a root, where the search came to no end.
    fn flat(&self, sentence: parser::Words<'_>) -> Tree {
        let none: Arc<str> = "".into();
        let root = self.roles.roots.first().map_or(&none, |root| self.labels.name(*root));
        let mut builder = TreeBuilder::new();
        builder.open(root.clone());
        for (i, (word, tags)) in sentence.words.iter().zip(self.input(sentence).tags).enumerate() {
            let tag = match (sentence.tags, tags.first()) {
                (Some(given), _) => &given[i],
                (None, Some(tag)) => self.labels.name(*tag),
                (None, None) => &none,
            };
            builder.word(tag.clone(), word.clone());
        }
        if sentence.words.is_empty() {
            builder.word(none.clone(), none.clone());
        }
        builder.close();
        builder.finish(Place::default()).expect("a root over words is a tree")
    }

    /// Ended states, the best first, with their steps and scores.
    fn search(&self, sentence: parser::Words<'_>, beam: usize) -> Vec<(Vec<Step>, f64)> {
        let (rules, input) = (self.rules(), self.input(sentence));
        let mut scratch = Scratch::default();
        let scorers = Scorers { structure: &self.structure.table, tagging: &self.tagging.table };
        let mut search = Beam::new(&rules, scorers, &input, beam, &mut scratch);
        while !search.is_done() {
            search.advance(&mut scratch);
        }
        let state = |at: &u32| -> State { search.states.states[*at as usize] };
        let ended = search.beam.iter().filter(|at| state(at).has_ended);
        ended.map(|at| (search.states.steps(*at), state(at).score)).collect()
    }
}

impl TreeParser for Perceptron {
    fn parse(&self, sentence: parser::Words<'_>) -> Parsed {
        match self.search(sentence, self.beam).first() {
            Some((steps, score)) => {
                Parsed { tree: self.tree(steps, sentence), score: *score, fallback: None }
            }
            None => Parsed {
                tree: self.flat(sentence),
                score: f64::NEG_INFINITY,
                fallback: Some(Fallback::Fragments),
            },
        }
    }

    fn k_best(&self, sentence: parser::Words<'_>, k: usize) -> Vec<Candidate> {
        let found = self.search(sentence, self.beam.max(k));
        if found.is_empty() {
            let Parsed { tree, score, .. } = self.parse(sentence);
            return [Candidate { tree, score }].into_iter().take(k).collect();
        }
        // Given tags that are not known may make trees alike.
        let mut seen = HashSet::new();
        let candidates = found.iter().map(|(steps, score)| {
            let tree = self.tree(steps, sentence);
            Candidate { tree, score: *score }
        });
        candidates.filter(|c| seen.insert(c.tree.to_string())).take(k).collect()
    }

    fn tree_score(&self, tree: &Tree) -> f64 {
        if tree.is_discontinuous() {
            return f64::NEG_INFINITY;
        }
        let Some(steps) = steps(tree, &self.labels) else { return f64::NEG_INFINITY };
        let input = Input {
            words: tree.words().iter().map(|word| self.words.seen(word)).collect(),
            tags: Vec::new(),
        };
        let rules = self.rules();
        let mut scores = vec![0.0; rules.decisions.max(self.labels.names().len())];
        let mut rows = Vec::new();
        let mut sum = 0.0;
        walk(&steps, 0, &input, rules.heads(), |features, taken| {
            scores.fill(0.0);
            let (weights, decision) = match taken {
                Taken::Structure(decision) => (&self.structure, decision),
                Taken::Tag(tag) => (&self.tagging, tag),
            };
            weights.table.add(features, &mut rows, &mut scores);
            sum += f64::from(scores[decision as usize]);
        });
        sum
    }

    fn size(&self) -> (usize, &'static str) {
        (self.structure.len() + self.tagging.len(), "weights")
    }

    fn store(&self, file: &mut TensorFile) -> Result<(), candle_core::Error> {
        store::write(self, file)
    }
}
