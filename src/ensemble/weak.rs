//! Whether a sentence can be learned at all: boosting needs a parser that gets a sentence right
//! when it is trained on nothing else (Henderson & Brill 2000, section 5).

use super::EnsembleError;
use super::data::Part;
use crate::config;
use crate::evaluation::Agreement;
use crate::parser::{self, Inducer, Words};
use rayon::prelude::*;

/// Sentences between two looks at whether to go on.
const CHUNK: usize = 512;

/// Log-probabilities that differ by no more are equal, nats.
const TIED: f64 = 1e-9;

/// What became of one sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Learned {
    /// Its parser gives its constituents back.
    Reproduced,
    /// It does not, but holds the annotation for just as good: another order of its rules would
    /// have given it back.
    Tied,
    /// Its parser prefers another analysis: the sentence violates weak learnability.
    Failed,
}

/// A sentence and the parser that was trained on it alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    pub learned: Learned,
    /// Of the analysis with the annotation, by what evalb counts.
    pub agreement: Agreement,
    /// The parser could not parse it as asked.
    pub fallback: bool,
}

/// Trains one parser a sentence and parses the sentence back, with the tags of the annotation or
/// with those that the parser finds. `go_on` is told how many are done, and ends it by `false`;
/// then there is no result.
pub fn weak_learning(
    settings: &config::Parser,
    gold_tags: bool,
    part: &Part,
    mut go_on: impl FnMut(usize) -> bool,
) -> Result<Option<Vec<Trial>>, EnsembleError> {
    let inducer = parser::build(settings)?;
    let mut trials = Vec::with_capacity(part.sentences.len());
    for chunk in part.sentences.chunks(CHUNK) {
        let of_chunk: Result<Vec<Trial>, EnsembleError> =
            chunk.par_iter().map(|sentence| trial(&*inducer, gold_tags, sentence)).collect();
        trials.extend(of_chunk?);
        if !go_on(trials.len()) {
            return Ok(None);
        }
    }
    Ok(Some(trials))
}

fn trial(
    inducer: &dyn Inducer,
    gold_tags: bool,
    sentence: &super::Annotated,
) -> Result<Trial, EnsembleError> {
    let tree = &sentence.tree;
    let parser = inducer.induce(std::slice::from_ref(tree), &[1.0])?;
    let tags: Vec<_> = tree.tags().cloned().collect();
    let parsed = parser.parse(Words { words: tree.words(), tags: gold_tags.then_some(&tags[..]) });
    let agreement = sentence.agreement(&parsed.tree);
    let learned = match agreement.is_exact() {
        true => Learned::Reproduced,
        false if parser.tree_score(tree) >= parsed.score - TIED => Learned::Tied,
        false => Learned::Failed,
    };
    Ok(Trial { learned, agreement, fallback: parsed.fallback.is_some() })
}

/// Sentences by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct WeakCounts {
    pub sentences: usize,
    pub reproduced: usize,
    pub tied: usize,
    pub failed: usize,
    pub fallbacks: usize,
}

impl<'a> FromIterator<&'a Trial> for WeakCounts {
    fn from_iter<I: IntoIterator<Item = &'a Trial>>(trials: I) -> Self {
        let mut counts = WeakCounts::default();
        for trial in trials {
            counts.sentences += 1;
            counts.fallbacks += usize::from(trial.fallback);
            *match trial.learned {
                Learned::Reproduced => &mut counts.reproduced,
                Learned::Tied => &mut counts.tied,
                Learned::Failed => &mut counts.failed,
            } += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::super::Annotated;
    use super::*;
    use crate::treebank::{Preprocessing, Reader, Removed};
    use std::sync::Arc;

    fn part(lines: &[&str]) -> Part {
        let rules = Preprocessing::preset("trees").expect("known");
        let tree = |text: &&str| {
            let tree = Reader::new(text.as_bytes(), "test").next().expect("a tree");
            Annotated::new(Arc::new(tree.expect("whole")), 0, &rules, &mut Removed::default())
        };
        Part { name: "train", sentences: lines.iter().filter_map(tree).collect() }
    }

    fn plain() -> config::Parser {
        let (vertical, horizontal) = (1, config::Horizontal::Last(0));
        config::Parser { vertical, horizontal, ..config::Parser::plain() }
    }

    #[test]
    fn a_sentence_without_choices_is_reproduced_and_one_that_contradicts_itself_is_not() {
        // X -> X A is twice as frequent as X -> A X, so a tree without the latter is better.
        let contradiction = "(TOP (X (X (A a) (X (X (A a) (A a)) (A a))) (A a)))";
        // And here both are as frequent: four trees are as good.
        let tie = "(TOP (X (A a) (X (X (A a) (A a)) (A a))))";
        let part = part(&["(TOP (S (NP (A a)) (VP (B b))))", "(TOP (A a))", contradiction, tie]);
        let trials = weak_learning(&plain(), false, &part, |_| true).expect("parses").expect("all");
        assert_eq!(trials[0].learned, Learned::Reproduced);
        assert_eq!(trials[1].learned, Learned::Reproduced);
        assert_eq!(trials[2].learned, Learned::Failed);
        assert!(trials[2].agreement.error() > 0.0);
        assert_ne!(trials[3].learned, Learned::Failed);
        let counts: WeakCounts = trials.iter().collect();
        assert_eq!((counts.sentences, counts.failed, counts.fallbacks), (4, 1, 0));
        assert_eq!(counts.tied + counts.reproduced, 3);
    }

    #[test]
    fn it_ends_where_it_is_told_to() {
        let part = part(&["(TOP (S (A a) (B b)))"; 3]);
        let mut told = Vec::new();
        let ended = weak_learning(&plain(), true, &part, |done| {
            told.push(done);
            false
        });
        assert_eq!((ended.expect("parses"), told), (None, vec![3]));
    }
}
