//! One pass over a split: the probability of its trees, then trees for some of its sentences.

use super::data::Part;
use crate::evaluation::{Agreement, BracketTotals, Constituents};
use crate::parser::ssn::{Pass, Plan, Ssn, Workspace};
use crate::parser::{Parsed, TreeParser, Words};
use crate::report::Metrics;
use crate::training::TrainingError;
use pulp::Arch;
use rayon::prelude::*;

/// Sentences of one piece of work.
const PIECE: usize = 32;

/// What was found of a split so far.
#[derive(Debug, Default)]
pub struct Evaluation {
    scored: usize,
    /// Of the trees that have a derivation.
    log_prob: f64,
    sentences: u64,
    words: u64,
    decisions: u64,
    /// Places of the sentences that are to be parsed.
    wanted: Vec<usize>,
    pub parsed: Vec<Parsed>,
    brackets: BracketTotals,
    tags: u64,
    tags_of: u64,
    fallbacks: u64,
}

impl Evaluation {
    /// `parsed` sentences, spread over the split, are given trees.
    pub fn new(part: &Part, parsed: usize) -> Evaluation {
        let n = part.trees.len();
        let parsed = parsed.min(n);
        let wanted = (0..parsed).map(|i| i * n / parsed).collect();
        Evaluation { wanted, ..Evaluation::default() }
    }

    /// Does the next piece; true when nothing is left.
    pub fn advance(
        &mut self,
        part: &Part,
        ssn: &Ssn,
        work: &mut Workspace<f32>,
    ) -> Result<bool, TrainingError> {
        if self.scored < part.plans.len() {
            let end = (self.scored + PIECE).min(part.plans.len());
            let plans: Vec<&Plan> = part.plans[self.scored..end].iter().flatten().collect();
            let mut pass = Pass { weights: ssn.weights(), work, arch: Arch::new() };
            self.log_prob += pass.log_probs(&plans).iter().sum::<f64>();
            self.sentences += plans.len() as u64;
            self.words += plans.iter().map(|plan| plan.words as u64).sum::<u64>();
            self.decisions += plans.iter().map(|plan| plan.steps.len() as u64).sum::<u64>();
            self.scored = end;
        } else if self.parsed.len() < self.wanted.len() {
            let end = (self.parsed.len() + PIECE).min(self.wanted.len());
            let places = &self.wanted[self.parsed.len()..end];
            let parse = |place: &usize| ssn.parse(Words::new(part.trees[*place].tree.words()));
            let parsed: Vec<Parsed> = places.par_iter().map(parse).collect();
            for (place, parsed) in places.iter().zip(&parsed) {
                let gold = &part.trees[*place];
                let found = Constituents::counted_by(&parsed.tree, gold.tree.tags());
                let agreement: Agreement = gold.constituents.agreement(&found);
                self.brackets.add(&agreement);
                let same = gold.tree.tags().zip(parsed.tree.tags()).filter(|(a, b)| a == b);
                self.tags += same.count() as u64;
                self.tags_of += gold.tree.len() as u64;
                self.fallbacks += u64::from(parsed.fallback.is_some());
            }
            self.parsed.extend(parsed);
        }
        Ok(self.scored == part.plans.len() && self.parsed.len() == self.wanted.len())
    }

    /// Places of the parsed sentences.
    pub fn places(&self) -> &[usize] {
        &self.wanted
    }

    /// Figures: `log_likelihood` a sentence and `decision_entropy`, nats; of the parsed sentences
    /// labelled `f1`, `precision`, `recall` and `exact` as evalb counts them, and `tags`, percent.
    pub fn metrics(&self) -> Metrics {
        let mut metrics: Metrics = [
            ("log_likelihood", self.log_prob / self.sentences as f64),
            ("decision_entropy", -self.log_prob / self.decisions as f64),
            ("sentences", self.sentences as f64),
            ("tokens", self.words as f64),
        ]
        .into_iter()
        .collect();
        if !self.parsed.is_empty() {
            for (name, value) in [
                ("f1", self.brackets.f1()),
                ("precision", self.brackets.precision()),
                ("recall", self.brackets.recall()),
                ("exact", self.brackets.exact_match()),
                ("tags", 100.0 * self.tags as f64 / self.tags_of as f64),
                ("parsed", self.parsed.len() as f64),
                ("fallbacks", self.fallbacks as f64),
            ] {
                metrics.set(name, value);
            }
        }
        metrics
    }
}
