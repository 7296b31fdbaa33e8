//! History vectors, the softmax over what is possible, and the gradient of both.
//!
//! h_i = sigmoid(W f_i + b + sum over the vectors nearby of U_r h_rep(r)), and P(d | history) =
//! exp(theta_d . h) / sum over the possible t of exp(theta_t . h) (Henderson 2003; Henderson &
//! Titov 2005, section 3). W is looked up: a row for every feature.

use super::plan::{Plan, Step};
use super::stack::{NONE, View};
use super::weights::{NEAR, Part, Sizes, Weights};
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply, multiply_alone};
use crate::inference::{Real, vectorised};
use crate::parser::transitions::Allowed;
use pulp::Arch;

/// Rows whose products with theta are computed at once, at most: what they take is bounded.
const ROWS: usize = 512;

/// Rows that one thread has multiplied before others have woken.
const FEW: usize = 32;

/// The history vector of what is seen; `earlier` holds those before it, one after the other.
pub fn history<T: Real>(
    weights: &Weights<T>,
    arch: Arch,
    view: &View,
    earlier: &[T],
    to: &mut [T],
) {
    let hidden = weights.sizes().hidden;
    let rows = [
        weights.row(Part::Label, view.symbol),
        weights.row(Part::Word, view.word),
        weights.row(Part::Corner, view.corner),
        weights.row(Part::Bias, 0),
    ];
    let matrix = weights.part(Part::History);
    vectorised(
        arch,
        #[inline(always)]
        || {
            to.copy_from_slice(weights.row(Part::Decision, view.last));
            for row in rows {
                to.iter_mut().zip(row).for_each(|(to, x)| *to += *x);
            }
            for (slot, near) in view.near.into_iter().enumerate().filter(|(_, near)| *near != NONE)
            {
                let x = &earlier[near as usize * hidden..][..hidden];
                let block = &matrix[slot * hidden * hidden..][..hidden * hidden];
                add_product(x, block, to);
            }
            to.iter_mut().for_each(|x| *x = T::ONE / (T::ONE + (T::ZERO - *x).exp()));
        },
    );
}

/// `to += x matrix`, of a square matrix.
#[inline(always)]
fn add_product<T: Real>(x: &[T], matrix: &[T], to: &mut [T]) {
    let hidden = to.len();
    let mut fours = x.chunks_exact(4);
    let mut rows = matrix.chunks_exact(4 * hidden);
    for (x, rows) in (&mut fours).zip(&mut rows) {
        let (a, rest) = rows.split_at(hidden);
        let (b, rest) = rest.split_at(hidden);
        let (c, d) = rest.split_at(hidden);
        for ((((to, a), b), c), d) in to.iter_mut().zip(a).zip(b).zip(c).zip(d) {
            let sum = x[0].mul_add(*a, *to);
            let sum = x[1].mul_add(*b, sum);
            let sum = x[2].mul_add(*c, sum);
            *to = x[3].mul_add(*d, sum);
        }
    }
    let rest = &matrix[matrix.len() - fours.remainder().len() * hidden..];
    for (x, row) in fours.remainder().iter().zip(rest.chunks_exact(hidden)) {
        to.iter_mut().zip(row).for_each(|(to, w)| *to = x.mul_add(*w, *to));
    }
}

/// Decisions in the row of logits of a state: all, or those without shifts.
pub fn width(sizes: &Sizes, allowed: &Allowed) -> usize {
    match allowed.shift {
        true => sizes.decisions,
        false => sizes.decisions - sizes.pairs,
    }
}

/// theta . h for rows of history vectors: (rows, hidden) to (rows, width), the first `width`
/// decisions.
pub fn logits<T: Real>(weights: &Weights<T>, rows: &[T], width: usize, to: &mut [T]) {
    let Sizes { hidden, decisions, .. } = *weights.sizes();
    let n = rows.len() / hidden;
    let theta = Matrix::new(weights.part(Part::Output), decisions, hidden).rows(0..width);
    let (rows, to) = (Matrix::new(rows, n, hidden), MatrixMut::new(to, n, width));
    match n <= FEW {
        true => multiply_alone(to, Into::Replace, T::ONE, rows, theta.t()),
        false => multiply(to, Into::Replace, T::ONE, rows, theta.t()),
    }
}

/// Turns a row of logits into probabilities, 0 for what is not possible; gives the logarithm of
/// the normaliser, nats.
pub fn normalise<T: Real>(arch: Arch, allowed: &Allowed, structural: usize, row: &mut [T]) -> f64 {
    let impossible = T::from_f64(f64::NEG_INFINITY);
    if !allowed.project {
        row[..structural - 2].fill(impossible);
    }
    if !allowed.attach {
        row[structural - 2] = impossible;
    }
    if !allowed.modify {
        row[structural - 1] = impossible;
    }
    let (max, sum) = vectorised(
        arch,
        #[inline(always)]
        || {
            const LANES: usize = 16;
            let mut most = [impossible; LANES];
            let mut chunks = row.chunks_exact(LANES);
            for chunk in &mut chunks {
                most.iter_mut().zip(chunk).for_each(|(most, x)| *most = most.max(*x));
            }
            let rest = chunks.remainder().iter();
            let max = most.iter().chain(rest).fold(impossible, |max, x| max.max(*x));
            let mut sums = [T::ZERO; LANES];
            let mut chunks = row.chunks_exact_mut(LANES);
            for chunk in &mut chunks {
                for (sum, x) in sums.iter_mut().zip(chunk) {
                    *x = (*x - max).exp();
                    *sum += *x;
                }
            }
            let mut sum = T::ZERO;
            for x in chunks.into_remainder() {
                *x = (*x - max).exp();
                sum += *x;
            }
            let sum = sums.into_iter().fold(sum, |sum, x| sum + x);
            let scale = T::ONE / sum;
            row.iter_mut().for_each(|x| *x *= scale);
            (max, sum)
        },
    );
    max.to_f64() + sum.to_f64().ln()
}

/// Buffers of one batch after the other.
#[derive(Clone, Debug, Default)]
pub struct Workspace<T> {
    /// History vectors of all steps of all sentences, and what the loss owes them.
    histories: Vec<T>,
    owed: Vec<T>,
    /// The same times the derivative of the sigmoid, and the vectors nearby, side by side.
    inner: Vec<T>,
    near: Vec<T>,
    /// Steps of one width.
    chosen: Vec<usize>,
    rows: Vec<T>,
    owed_rows: Vec<T>,
    probabilities: Vec<T>,
}

/// Loss and gradients.
pub struct Pass<'a, T> {
    pub weights: &'a Weights<T>,
    pub work: &'a mut Workspace<T>,
    pub arch: Arch,
}

impl<T: Real> Pass<'_, T> {
    /// log P of every derivation, nats.
    pub fn log_probs(&mut self, plans: &[&Plan]) -> Vec<f64> {
        self.forward(plans);
        self.softmax(plans, None)
    }

    /// The same; adds to `gradient` that of the mean of -log P.
    pub fn gradient(&mut self, plans: &[&Plan], gradient: &mut Weights<T>) -> Vec<f64> {
        self.forward(plans);
        self.work.owed.clear();
        self.work.owed.resize(self.work.histories.len(), T::ZERO);
        let log_probs = self.softmax(plans, Some(gradient));
        self.backward(plans, gradient);
        log_probs
    }

    /// History vectors of all steps.
    fn forward(&mut self, plans: &[&Plan]) {
        let hidden = self.weights.sizes().hidden;
        let steps: usize = plans.iter().map(|plan| plan.steps.len()).sum();
        self.work.histories.resize(steps * hidden, T::ZERO);
        let mut rest = &mut self.work.histories[..];
        for plan in plans {
            let (own, others) = rest.split_at_mut(plan.steps.len() * hidden);
            histories(self.weights, self.arch, &plan.steps, own);
            rest = others;
        }
    }

    /// The softmax of all steps, whose gradient goes to theta and into `owed`.
    fn softmax(&mut self, plans: &[&Plan], mut gradient: Option<&mut Weights<T>>) -> Vec<f64> {
        let Sizes { hidden, decisions, pairs, .. } = *self.weights.sizes();
        let scale = T::from_f64(1.0 / plans.len() as f64);
        let mut log_probs = vec![0.0; plans.len()];
        let steps: Vec<(usize, &Step)> = plans
            .iter()
            .enumerate()
            .flat_map(|(sentence, plan)| plan.steps.iter().map(move |step| (sentence, step)))
            .collect();
        let work = &mut *self.work;
        for (with_shift, width) in [(false, decisions - pairs), (true, decisions)] {
            work.chosen.clear();
            let fits = |(_, (_, step)): &(usize, &(usize, &Step))| step.allowed.shift == with_shift;
            work.chosen.extend(steps.iter().enumerate().filter(fits).map(|(at, _)| at));
            for chosen in work.chosen.chunks(ROWS) {
                work.rows.clear();
                for at in chosen {
                    work.rows.extend_from_slice(&work.histories[at * hidden..][..hidden]);
                }
                work.probabilities.resize(chosen.len() * width, T::ZERO);
                let probabilities = &mut work.probabilities[..chosen.len() * width];
                logits(self.weights, &work.rows, width, probabilities);
                for (row, at) in probabilities.chunks_exact_mut(width).zip(chosen) {
                    let (sentence, step) = steps[*at];
                    let own = row[step.decision as usize].to_f64();
                    let log_sum = normalise(self.arch, &step.allowed, decisions - pairs, row);
                    log_probs[sentence] += own - log_sum;
                    row[step.decision as usize] += T::ZERO - T::ONE;
                }
                let Some(gradient) = gradient.as_deref_mut() else { continue };
                let n = chosen.len();
                let (p, rows) = (&*probabilities, &work.rows[..]);
                let to = &mut gradient.part_mut(Part::Output)[..width * hidden];
                let (p, h) = (Matrix::new(p, n, width), Matrix::new(rows, n, hidden));
                multiply(MatrixMut::new(to, width, hidden), Into::Add, scale, p.t(), h);
                work.owed_rows.resize(n * hidden, T::ZERO);
                let theta = Matrix::new(self.weights.part(Part::Output), decisions, hidden);
                let to = MatrixMut::new(&mut work.owed_rows[..n * hidden], n, hidden);
                multiply(to, Into::Replace, scale, p, theta.rows(0..width));
                for (row, at) in work.owed_rows.chunks_exact(hidden).zip(chosen) {
                    work.owed[at * hidden..][..hidden].copy_from_slice(row);
                }
            }
        }
        log_probs
    }

    /// From the last step to the first: what a vector owes goes to the weights and to the vectors
    /// that it was computed from.
    fn backward(&mut self, plans: &[&Plan], gradient: &mut Weights<T>) {
        let hidden = self.weights.sizes().hidden;
        let work = &mut *self.work;
        let n = work.histories.len() / hidden;
        work.inner.resize(n * hidden, T::ZERO);
        work.near.clear();
        work.near.resize(n * NEAR * hidden, T::ZERO);
        let matrix = self.weights.part(Part::History);
        let mut end = n;
        for plan in plans.iter().rev() {
            let begin = end - plan.steps.len();
            for (at, step) in plan.steps.iter().enumerate().rev() {
                let range = (begin + at) * hidden..(begin + at + 1) * hidden;
                let (earlier, own) = work.owed.split_at_mut(range.start);
                let inner = &mut work.inner[range.clone()];
                let view = &step.view;
                vectorised(
                    self.arch,
                    #[inline(always)]
                    || {
                        let owed = own[..hidden].iter().zip(&work.histories[range]);
                        for (inner, (owed, h)) in inner.iter_mut().zip(owed) {
                            *inner = *owed * *h * (T::ONE - *h);
                        }
                        for (slot, near) in view.near.into_iter().enumerate() {
                            if near == NONE {
                                continue;
                            }
                            let block = &matrix[slot * hidden * hidden..][..hidden * hidden];
                            let to = &mut earlier[(begin + near as usize) * hidden..][..hidden];
                            for (to, row) in to.iter_mut().zip(block.chunks_exact(hidden)) {
                                *to += dot(row, inner);
                            }
                        }
                    },
                );
                for (slot, near) in view.near.into_iter().enumerate().filter(|n| n.1 != NONE) {
                    let from = &work.histories[(begin + near as usize) * hidden..][..hidden];
                    let to = ((begin + at) * NEAR + slot) * hidden;
                    work.near[to..][..hidden].copy_from_slice(from);
                }
                for (part, row) in [
                    (Part::Decision, view.last),
                    (Part::Label, view.symbol),
                    (Part::Word, view.word),
                    (Part::Corner, view.corner),
                    (Part::Bias, 0),
                ] {
                    let to = gradient.row_mut(part, row);
                    to.iter_mut().zip(&*inner).for_each(|(to, x)| *to += *x);
                }
            }
            end = begin;
        }
        let near = Matrix::new(&work.near, n, NEAR * hidden);
        let inner = Matrix::new(&work.inner[..n * hidden], n, hidden);
        let to = MatrixMut::new(gradient.part_mut(Part::History), NEAR * hidden, hidden);
        multiply(to, Into::Add, T::ONE, near.t(), inner);
    }
}

/// The history vectors of one derivation, one after the other.
pub fn histories<T: Real>(weights: &Weights<T>, arch: Arch, steps: &[Step], to: &mut [T]) {
    let hidden = weights.sizes().hidden;
    for (at, step) in steps.iter().enumerate() {
        let (earlier, own) = to.split_at_mut(at * hidden);
        history(weights, arch, &step.view, earlier, &mut own[..hidden]);
    }
}

#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    const LANES: usize = 16;
    let mut sums = [T::ZERO; LANES];
    let (mut a, mut b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    for (a, b) in (&mut a).zip(&mut b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum = a.mul_add(*b, *sum);
        }
    }
    let rest = a.remainder().iter().zip(b.remainder());
    let rest = rest.fold(T::ZERO, |sum, (a, b)| a.mul_add(*b, sum));
    sums.into_iter().fold(rest, |sum, x| sum + x)
}
