//! The network as a log-linear model, from which kernels are derived.

use super::{Part, Pass, Ssn, Weights, Workspace};
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply_alone};
use crate::parser::{Asked, LogLinear, OutputGradient, Rows, Step, Trace};
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

    fn output_gradient(&self, tree: &Tree, asked: Asked) -> Option<OutputGradient> {
        let plan = self.plan(tree).ok()?;
        let rows = self.histories(&plan);
        let hidden = Ssn::hidden(self);
        let mut log_prob = 0.0;
        let mut gradient = OutputGradient::default();
        if asked.normalisers {
            let mut whole = vec![0.0; Ssn::decisions(self) * hidden];
            self.softmaxes(&plan, &rows, |some| {
                log_prob += some.log_probs.iter().sum::<f64>();
                let n = some.steps.len();
                for (at, row) in
                    some.steps.iter().zip(some.probabilities.chunks_exact_mut(some.width))
                {
                    row[plan.steps[*at].decision as usize] -= 1.0;
                }
                let p = Matrix::new(&*some.probabilities, n, some.width);
                let h = Matrix::new(some.histories, n, hidden);
                let to = MatrixMut::new(&mut whole[..some.width * hidden], some.width, hidden);
                multiply_alone(to, Into::Add, -1.0, p.t(), h);
            });
            for (row, block) in (0..).zip(whole.chunks_exact(hidden)) {
                if block.iter().any(|x: &f32| *x != 0.0) {
                    gradient.rows.push(row);
                    gradient.values.extend(block.iter().map(|x| f64::from(*x)));
                }
            }
        } else {
            if asked.log_prob {
                self.softmaxes(&plan, &rows, |some| log_prob += some.log_probs.iter().sum::<f64>());
            }
            // Of equal decisions the first comes first, so that equal derivations have equal sums.
            let mut order: Vec<usize> = (0..plan.steps.len()).collect();
            order.sort_by_key(|at| plan.steps[*at].decision);
            for at in order {
                let decision = plan.steps[at].decision;
                if gradient.rows.last() != Some(&decision) {
                    gradient.rows.push(decision);
                    gradient.values.resize(gradient.rows.len() * hidden, 0.0);
                }
                let to = gradient.values.len() - hidden;
                let sum = gradient.values[to..].iter_mut();
                sum.zip(&rows[at * hidden..]).for_each(|(sum, h)| *sum += f64::from(*h));
            }
        }
        gradient.log_prob = asked.log_prob.then_some(log_prob);
        Some(gradient)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::ssn::testing::{sharp, treebank};

    /// The gradient by theta, step by step.
    fn summed(ssn: &Ssn, tree: &Tree, normalisers: bool) -> Vec<f64> {
        let hidden = Ssn::hidden(ssn);
        let mut all = vec![0.0; Ssn::decisions(ssn) * hidden];
        let mut add = |decision: u32, scale: f64, h: &[f64]| {
            let to = &mut all[decision as usize * hidden..][..hidden];
            to.iter_mut().zip(h).for_each(|(to, h)| *to += scale * h);
        };
        for step in LogLinear::trace(ssn, tree, normalisers).expect("its own tree").steps {
            add(step.decision, 1.0, &step.history);
            step.allowed.iter().for_each(|(d, p)| add(*d, -p, &step.history));
        }
        all
    }

    #[test]
    fn gradients_in_one_piece_are_the_sums_over_the_steps() {
        let ssn = sharp(5);
        let hidden = Ssn::hidden(&ssn);
        for tree in treebank() {
            let own = Ssn::trace(&ssn, &tree).expect("its own tree").log_prob;
            for normalisers in [false, true] {
                let expected = summed(&ssn, &tree, normalisers);
                let asked = Asked { normalisers, log_prob: true };
                let found = ssn.output_gradient(&tree, asked).expect("its own tree");
                assert!((found.log_prob.expect("asked for") - own).abs() < 1e-5);
                assert!(found.rows.is_sorted());
                let mut all = vec![0.0; expected.len()];
                for (row, block) in found.rows.iter().zip(found.values.chunks_exact(hidden)) {
                    all[*row as usize * hidden..][..hidden].copy_from_slice(block);
                }
                for (found, expected) in all.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-5, "{tree}: {found}, not {expected}");
                }
                let asked = Asked { log_prob: false, ..asked };
                let unscored = ssn.output_gradient(&tree, asked).expect("its own tree");
                assert_eq!(unscored, OutputGradient { log_prob: None, ..found });
            }
        }
    }
}
