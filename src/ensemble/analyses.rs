//! What a parser says of the sentences of a part.

use super::data::Part;
use super::skeleton::{Labels, Skeleton};
use crate::evaluation::{Agreement, BracketTotals};
use crate::parser::{Fallback, TreeParser, Words};
use crate::report::Metrics;
use crate::treebank::Tree;
use rayon::prelude::*;
use std::sync::Arc;

/// The analyses of all sentences of a part by one parser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Analyses {
    pub labels: Labels,
    pub trees: Vec<Analysis>,
}

/// The analysis of one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    pub skeleton: Skeleton,
    /// Against the annotation, by what evalb counts.
    pub agreement: Agreement,
    /// As [`Parsed::score`](crate::parser::Parsed::score).
    pub score: f64,
    pub fallback: Option<Fallback>,
}

impl Analyses {
    /// Parses the next sentences of the part, in parallel; the result does not depend on the number
    /// of threads.
    pub fn extend(&mut self, parser: &dyn TreeParser, part: &Part, count: usize) {
        let begin = self.trees.len();
        let end = (begin + count).min(part.sentences.len());
        let parsed: Vec<_> = part.sentences[begin..end]
            .par_iter()
            .map(|sentence| {
                let parsed = parser.parse(Words::new(sentence.tree.words()));
                (sentence.agreement(&parsed.tree), parsed)
            })
            .collect();
        self.trees.extend(parsed.into_iter().map(|(agreement, parsed)| Analysis {
            skeleton: self.labels.skeleton(&parsed.tree),
            agreement,
            score: parsed.score,
            fallback: parsed.fallback,
        }));
    }

    /// The tree of a sentence of the part.
    pub fn tree(&self, sentence: usize, part: &Part) -> Option<Tree> {
        let tree: &Arc<Tree> = &part.sentences[sentence].tree;
        self.labels.tree(&self.trees[sentence].skeleton, tree.words(), &tree.place)
    }

    pub fn agreements(&self) -> Vec<Agreement> {
        self.trees.iter().map(|t| t.agreement).collect()
    }

    /// Sentences that the parser could not parse as asked.
    pub fn fallbacks(&self) -> usize {
        self.trees.iter().filter(|t| t.fallback.is_some()).count()
    }
}

/// Precision, recall, F1 and exact match in percent, as `PREFIX_precision` and so on.
pub fn set_figures(metrics: &mut Metrics, prefix: &str, agreements: &[Agreement]) {
    let totals: BracketTotals = agreements.iter().collect();
    for (name, value) in [
        ("precision", totals.precision()),
        ("recall", totals.recall()),
        ("f1", totals.f1()),
        ("exact", totals.exact_match()),
    ] {
        metrics.set(format!("{prefix}_{name}"), value);
    }
}
