//! How good the trees of a parser are.

use crate::evaluation::{Agreement, BracketTotals, Constituents};
use crate::parser::Fallback;
use crate::report::counted;
use crate::rerank::perceptron::best;
use crate::treebank::Tree;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// Figures over all sentences; those of gold trees are there if these are.
#[derive(Debug, Default)]
pub struct Figures {
    pub sentences: u64,
    pub words: u64,
    pub seconds: f64,
    fallbacks: BTreeMap<Fallback, u64>,
    best: BracketTotals,
    /// Of the best tree of every list.
    oracle: BracketTotals,
    right_tags: u64,
    tags: u64,
}

impl Figures {
    pub fn sentence(&mut self, words: usize, fallback: Option<Fallback>) {
        self.sentences += 1;
        self.words += words as u64;
        if let Some(fallback) = fallback {
            *self.fallbacks.entry(fallback).or_default() += 1;
        }
    }

    /// Compares the trees of a sentence, the best first, with the gold tree over the same words.
    pub fn compare(&mut self, gold: &Tree, trees: &[&Tree]) {
        let reference = Constituents::counted(gold);
        let agreements: Vec<Agreement> = trees
            .iter()
            .map(|tree| reference.agreement(&Constituents::counted_by(tree, gold.tags())))
            .collect();
        // The first of equal ones: of what is as good by F1 the corpus' figures may be worse.
        if let Some(oracle) = best(agreements.iter().map(Agreement::f1)) {
            self.best.add(&agreements[0]);
            self.oracle.add(&agreements[oracle]);
        }
        if let Some(best) = trees.first() {
            let tags = gold.tags().zip(best.tags());
            self.tags += tags.len() as u64;
            self.right_tags += tags.filter(|(a, b)| a == b).count() as u64;
        }
    }

    fn tagging_accuracy(&self) -> f64 {
        100.0 * self.right_tags as f64 / self.tags as f64
    }

    fn fallback_share(&self) -> f64 {
        100.0 * self.fallbacks.values().sum::<u64>() as f64 / self.sentences as f64
    }

    fn speed(&self) -> f64 {
        self.sentences as f64 / self.seconds
    }

    /// All figures; the oracle's where there are lists.
    pub fn json(&self, lists: bool) -> Value {
        let mut object = json!({
            "sentences": self.sentences,
            "words": self.words,
            "fallbacks": self.fallbacks.iter().map(|(k, n)| (name(*k), *n)).collect::<BTreeMap<_, _>>(),
            "fallback_share": self.fallback_share(),
            "seconds": self.seconds,
            "sentences_per_s": self.speed(),
        });
        if self.best.sentences > 0 {
            object["precision"] = self.best.precision().into();
            object["recall"] = self.best.recall().into();
            object["f1"] = self.best.f1().into();
            object["exact"] = self.best.exact_match().into();
            object["tagging_accuracy"] = self.tagging_accuracy().into();
            if lists {
                object["oracle_f1"] = self.oracle.f1().into();
            }
        }
        object
    }

    /// The same in lines for people.
    pub fn print(&self, lists: bool, out: &mut dyn Write) -> io::Result<()> {
        if self.best.sentences > 0 {
            let best = &self.best;
            writeln!(
                out,
                "P {:.2}  R {:.2}  F1 {:.2}  exact {:.2}  tags {:.2}",
                best.precision(),
                best.recall(),
                best.f1(),
                best.exact_match(),
                self.tagging_accuracy()
            )?;
            if lists {
                writeln!(out, "oracle of the lists: F1 {:.2}", self.oracle.f1())?;
            }
        }
        let reasons: Vec<String> =
            self.fallbacks.iter().map(|(kind, n)| format!("{n} {}", name(*kind))).collect();
        let reasons = match reasons.is_empty() {
            true => String::new(),
            false => format!(" ({})", reasons.join(", ")),
        };
        writeln!(
            out,
            "{}, {}, {:.1} sentences/s, fallback {:.2}%{reasons}",
            counted(self.sentences, "sentence"),
            counted(self.words, "word"),
            self.speed(),
            self.fallback_share()
        )
    }
}

fn name(fallback: Fallback) -> &'static str {
    match fallback {
        Fallback::Relaxed => "relaxed",
        Fallback::Fragments => "fragments",
        Fallback::TooLong => "too-long",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    fn tree(text: &str) -> Tree {
        Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole")
    }

    #[test]
    fn of_equally_good_trees_the_oracle_is_the_first() {
        let gold = tree("(TOP (S (NP (A a) (B b)) (VP (C c) (D d))))");
        // Both F1 40, by 1 of 2 and by 2 of 7 constituents, 3 being annotated.
        let first = tree("(TOP (S (X (A a) (B b)) (C c) (D d)))");
        let second = tree("(TOP (S (NP (X (X (X (X (X (A a) (B b))))))) (C c) (D d)))");
        let reference = Constituents::counted(&gold);
        let f1 = |tree: &Tree| reference.agreement(&Constituents::counted(tree)).f1();
        assert_eq!((f1(&first), f1(&second)), (40.0, 40.0));
        let mut figures = Figures::default();
        figures.sentence(4, None);
        figures.compare(&gold, &[&first, &second]);
        assert_eq!(figures.best.precision(), 50.0);
        assert_eq!(figures.oracle.precision(), figures.best.precision());
    }
}
