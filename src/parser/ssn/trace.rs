//! A given tree through the network, step by step: what kernels are made of.

use super::network::{histories, logits, normalise, width};
use super::vocabulary::Decision;
use super::{Plan, Ssn, SsnError};
use crate::parser::transitions::Allowed;
use crate::treebank::Tree;
use pulp::Arch;
use std::ops::Range;

/// Steps whose softmaxes are computed at once, at most.
const ROWS: usize = 256;

/// Softmaxes of some steps of a derivation.
pub(super) struct Softmaxes<'a> {
    /// Numbers of the steps.
    pub steps: &'a [usize],
    /// Decisions in a row.
    pub width: usize,
    /// Of what was decided, nats.
    pub log_probs: &'a [f64],
    /// (steps, hidden).
    pub histories: &'a [f32],
    /// (steps, width), 0 for what was not possible.
    pub probabilities: &'a mut [f32],
}

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
        let plan = self.plan(tree)?;
        let rows = self.histories(&plan);
        let mut log_probs = vec![0.0; plan.steps.len()];
        self.softmaxes(&plan, &rows, |some| {
            for (at, log_prob) in some.steps.iter().zip(some.log_probs) {
                log_probs[*at] = *log_prob;
            }
        });
        let steps = plan.steps.iter().zip(&log_probs).map(|(step, log_prob)| TracedStep {
            decision: step.decision,
            allowed: step.allowed,
            log_prob: *log_prob,
        });
        let log_prob = log_probs.iter().sum();
        Ok(Trace { steps: steps.collect(), log_prob, hidden: self.hidden(), histories: rows })
    }

    /// The history vectors of a derivation: (steps, hidden).
    pub(super) fn histories(&self, plan: &Plan) -> Vec<f32> {
        let mut rows = vec![0.0; plan.steps.len() * self.hidden()];
        histories(&self.weights, Arch::new(), &plan.steps, &mut rows);
        rows
    }

    /// The softmaxes of all steps of a derivation, many at a time: first of those at which no shift
    /// was possible, then of the others.
    pub(super) fn softmaxes(&self, plan: &Plan, rows: &[f32], mut with: impl FnMut(Softmaxes)) {
        let (arch, hidden, sizes) = (Arch::new(), self.hidden(), self.weights.sizes());
        let (mut chosen, mut some, mut scores) = (Vec::new(), Vec::new(), Vec::new());
        let mut log_probs = Vec::new();
        for with_shift in [false, true] {
            chosen.clear();
            let fits = |at: &usize| plan.steps[*at].allowed.shift == with_shift;
            chosen.extend((0..plan.steps.len()).filter(fits));
            for steps in chosen.chunks(ROWS) {
                let width = width(sizes, &plan.steps[steps[0]].allowed);
                some.clear();
                for at in steps {
                    some.extend_from_slice(&rows[at * hidden..][..hidden]);
                }
                scores.resize(steps.len() * width, 0.0);
                let scores = &mut scores[..steps.len() * width];
                logits(&self.weights, &some, width, scores);
                log_probs.clear();
                for (at, row) in steps.iter().zip(scores.chunks_exact_mut(width)) {
                    let step = &plan.steps[*at];
                    let own = f64::from(row[step.decision as usize]);
                    let structural = self.vocabulary.structural();
                    log_probs.push(own - normalise(arch, &step.allowed, structural, row));
                }
                let (log_probs, histories) = (&log_probs[..], &some[..]);
                with(Softmaxes { steps, width, log_probs, histories, probabilities: scores });
            }
        }
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
