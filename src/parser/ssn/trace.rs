//! A given tree through the network, step by step: what kernels are made of.

use super::network::{histories, logits, normalise, width};
use super::vocabulary::Decision;
use super::{Ssn, SsnError};
use crate::parser::transitions::Allowed;
use crate::treebank::Tree;
use pulp::Arch;
use std::ops::Range;

/// One decision of a derivation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TracedStep {
    pub decision: Decision,
    /// Kinds of moves that were possible; [`Ssn::possible`] gives the decisions.
    pub allowed: Allowed,
    /// log P(decision | history), nats.
    pub log_prob: f64,
}

/// The derivation of a tree with its history vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub steps: Vec<TracedStep>,
    /// log P(words, tree), nats: the sum over the steps.
    pub log_prob: f64,
    hidden: usize,
    /// (steps, hidden).
    histories: Vec<f32>,
}

impl Trace {
    /// The history vector by which a step was decided.
    pub fn history(&self, step: usize) -> &[f32] {
        &self.histories[step * self.hidden..][..self.hidden]
    }

    /// The history vectors of all steps: (steps, hidden).
    pub fn histories(&self) -> &[f32] {
        &self.histories
    }
}

impl Ssn {
    /// Takes a tree, as the treebank has it, through the network.
    pub fn trace(&self, tree: &Tree) -> Result<Trace, SsnError> {
        let (plan, arch, hidden) = (self.plan(tree)?, Arch::new(), self.hidden());
        let mut rows = vec![0.0; plan.steps.len() * hidden];
        histories(&self.weights, arch, &plan.steps, &mut rows);
        let mut scores = vec![0.0; self.decisions()];
        let steps = plan.steps.iter().zip(rows.chunks_exact(hidden)).map(|(step, row)| {
            let scores = &mut scores[..width(self.weights.sizes(), &step.allowed)];
            logits(&self.weights, row, scores.len(), scores);
            let own = f64::from(scores[step.decision as usize]);
            let log_sum = normalise(arch, &step.allowed, self.vocabulary.structural(), scores);
            TracedStep { decision: step.decision, allowed: step.allowed, log_prob: own - log_sum }
        });
        let steps: Vec<TracedStep> = steps.collect();
        let log_prob = steps.iter().map(|step| step.log_prob).sum();
        Ok(Trace { steps, log_prob, hidden, histories: rows })
    }

    /// The decisions that were possible at a step, as ranges, ascending.
    pub fn possible(&self, step: &TracedStep) -> impl Iterator<Item = Range<Decision>> + use<> {
        let Allowed { shift, project, attach, modify } = step.allowed;
        let (labels, first_shift) = (self.vocabulary.attach(), self.vocabulary.shift(0));
        let all = self.decisions() as Decision;
        let ranges = [
            (project, 0..labels),
            (attach, labels..labels + 1),
            (modify, labels + 1..first_shift),
            (shift, first_shift..all),
        ];
        ranges.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, range)| range)
    }

    /// P(decision | history) of every decision below the length of the result, by number: 0 for
    /// what was not possible, as is all beyond it. `to` is a buffer of any content, of
    /// [`Ssn::decisions`] numbers.
    pub fn probabilities<'a>(&self, trace: &Trace, step: usize, to: &'a mut [f32]) -> &'a [f32] {
        let allowed = &trace.steps[step].allowed;
        let to = &mut to[..width(self.weights.sizes(), allowed)];
        logits(&self.weights, trace.history(step), to.len(), to);
        normalise(Arch::new(), allowed, self.vocabulary.structural(), to);
        to
    }
}
