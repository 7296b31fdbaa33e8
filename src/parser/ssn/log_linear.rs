//! The network as a log-linear model, from which kernels are derived.

use super::{Part, Pass, Ssn, Weights, Workspace};
use crate::parser::{LogLinear, Rows, Step, Trace};
use crate::treebank::Tree;
use pulp::Arch;

/// The output layer first, so that its rows are numbered as decisions are.
const PARTS: [Part; Part::ALL.len()] = [
    Part::Output,
    Part::Decision,
    Part::Label,
    Part::Word,
    Part::Corner,
    Part::Bias,
    Part::History,
];

impl LogLinear for Ssn {
    fn decisions(&self) -> usize {
        Ssn::decisions(self)
    }

    fn hidden(&self) -> usize {
        Ssn::hidden(self)
    }

    fn rows(&self) -> usize {
        PARTS.iter().map(|part| part.rows(self.weights.sizes())).sum()
    }

    fn row_name(&self, row: u32) -> String {
        let mut row = row as usize;
        for part in PARTS {
            let rows = part.rows(self.weights.sizes());
            match row.checked_sub(rows) {
                None if part == Part::Output => return self.vocabulary.name(row as u32),
                None => return format!("{} {row}", part.name()),
                Some(rest) => row = rest,
            }
        }
        row.to_string()
    }

    fn trace(&self, tree: &Tree, allowed: bool) -> Option<Trace<'_>> {
        let traced = Ssn::trace(self, tree).ok()?;
        let mut probabilities = vec![0.0; Ssn::decisions(self)];
        let step = |(at, step): (usize, &super::TracedStep)| {
            let mut choices = Vec::new();
            if allowed {
                let all = self.probabilities(&traced, at, &mut probabilities);
                for decision in self.possible(step).flatten() {
                    choices.push((decision, f64::from(all[decision as usize])));
                }
            }
            Step {
                decision: step.decision,
                log_prob: step.log_prob,
                allowed: choices.into(),
                history: traced.history(at).iter().map(|h| f64::from(*h)).collect(),
            }
        };
        Some(Trace { steps: traced.steps.iter().enumerate().map(step).collect(), rest: 0.0 })
    }

    fn gradient(&self, tree: &Tree) -> Option<(f64, Rows)> {
        let plan = self.plan(tree).ok()?;
        let mut gradient = Weights::zeros(*self.weights.sizes());
        let mut work = Workspace::default();
        let mut pass = Pass { weights: &self.weights, work: &mut work, arch: Arch::new() };
        let log_prob = pass.gradient(&[&plan], &mut gradient)[0];
        let (mut rows, mut first) = (Rows::new(), 0);
        for part in PARTS {
            let blocks = gradient.part(part).chunks_exact(Ssn::hidden(self));
            for (row, block) in (first..).zip(blocks) {
                // The pass descends -log P.
                if block.iter().any(|x: &f32| *x != 0.0) {
                    rows.push((row, block.iter().map(|x| -f64::from(*x)).collect()));
                }
            }
            first += part.rows(self.weights.sizes()) as u32;
        }
        Some((log_prob, rows))
    }
}
