//! The chart of one sentence.

use super::Rules;
use super::kernel::{add_columns, add_rows};
use crate::inference::Real;
use pulp::Arch;

/// The chart of one sentence. Spans of two words and more lie by width, then by start.
#[derive(Debug, Default)]
pub(super) struct Cells<T> {
    /// Row of each word in [`Rules::leaves`].
    pub words: Vec<usize>,
    /// Inside scores: (spans, NT), maximum 1.
    pub alpha: Vec<T>,
    /// Log-scales of the spans, nats.
    pub scales: Vec<f64>,
    /// d log Z / d alpha.
    pub gradient: Vec<T>,
    /// d log Z / d the word's leaves: (words, PT).
    pub leaf_gradient: Vec<T>,
    /// Z in the scale of the whole sentence.
    pub scaled_z: f64,
}

/// Number of the span of some width in a sentence of `n` words, from width 2 on.
#[inline(always)]
pub(super) fn span(n: usize, start: usize, width: usize) -> usize {
    (width - 2) * (n + 1) + 1 - width * (width - 1) / 2 + start
}

impl<T: Real> Cells<T> {
    pub fn reset(&mut self, words: &[usize], nt: usize) {
        let n = words.len();
        self.words.clear();
        self.words.extend_from_slice(words);
        let spans = n * (n - 1) / 2;
        self.alpha.resize(spans * nt, T::ZERO);
        self.scales.clear();
        self.scales.resize(spans, 0.0);
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Number of spans of a width.
    pub fn spans(&self, width: usize) -> usize {
        (self.len() + 1).saturating_sub(width)
    }

    /// Inside scores and log-scale of a span: of the nonterminals, or a word's preterminals.
    pub fn child<'s>(
        &'s self,
        rules: &'s Rules<'_, T>,
        start: usize,
        width: usize,
    ) -> (&'s [T], f64) {
        if width == 1 {
            let leaf = self.words[start];
            return (rules.leaf(leaf), rules.leaf_scales[leaf]);
        }
        let (at, nt) = (span(self.len(), start, width), rules.root.len());
        (&self.alpha[at * nt..(at + 1) * nt], self.scales[at])
    }

    /// Sets the scale of every span of a width to the largest of its splits; one that is no number
    /// makes it none.
    pub fn scale_splits(&mut self, rules: &Rules<'_, T>, width: usize) {
        for start in 0..self.spans(width) {
            let splits = (1..width).map(|left| {
                let right = self.child(rules, start + left, width - left).1;
                self.child(rules, start, left).1 + right
            });
            let larger = |top: f64, x: f64| if x.is_nan() { x } else { x.max(top) };
            let top = splits
                .fold(f64::NEG_INFINITY, |top, x| if top.is_nan() { top } else { larger(top, x) });
            let at = span(self.len(), start, width);
            self.scales[at] = top;
        }
    }

    /// M of every span of a width, divided by its scale: (spans, pairs), by way of `add`.
    pub fn products(
        &self,
        arch: Arch,
        rules: &Rules<'_, T>,
        width: usize,
        to: &mut [T],
        add: fn(Arch, &mut [T], T, &[T], &[T]),
    ) {
        let blocks = rules.binary.pairs().blocks(width);
        for (start, row) in to.chunks_exact_mut(blocks.len()).enumerate() {
            row.fill(T::ZERO);
            let scale = self.scales[span(self.len(), start, width)];
            for left_width in 1..width {
                let (left, s) = self.child(rules, start, left_width);
                let (right, t) = self.child(rules, start + left_width, width - left_width);
                let weight = factor(s + t - scale);
                add(
                    arch,
                    &mut row[blocks.block(left_width, width - left_width)],
                    weight,
                    left,
                    right,
                );
            }
        }
    }

    /// Takes the scores of all spans of a width, divided by their present scales.
    pub fn take(&mut self, width: usize, scores: &[T], nt: usize) {
        for (start, row) in scores.chunks_exact(nt).enumerate() {
            let at = span(self.len(), start, width);
            let cell = &mut self.alpha[at * nt..(at + 1) * nt];
            let largest = row.iter().fold(T::ZERO, |m, &x| x.max(m)).to_f64();
            // Where the parts have a probability, most of the whole may have been lost to underflow.
            let is_unsure = largest < T::SURE && self.scales[at] > f64::NEG_INFINITY;
            // `max` passes over NaN, so broken weights are looked for by themselves.
            let is_broken = self.scales[at].is_nan() || row.iter().any(|x| !x.is_finite());
            if is_unsure || is_broken {
                self.scales[at] = f64::NAN;
            } else if largest > 0.0 {
                let by = T::from_f64(1.0 / largest);
                cell.iter_mut().zip(row).for_each(|(to, &x)| *to = x * by);
                self.scales[at] += largest.ln();
            } else {
                cell.fill(T::ZERO);
                self.scales[at] = f64::NEG_INFINITY;
            }
        }
    }

    /// log Z, nats.
    pub fn finish(&mut self, root: &[T]) -> f64 {
        let (nt, top) = (root.len(), self.scales.len() - 1);
        self.scaled_z = dot(&self.alpha[top * nt..], root);
        let log_z = self.scaled_z.ln() + self.scales[top];
        if self.scaled_z < T::SURE { f64::NAN } else { log_z }
    }

    pub fn start_outside(&mut self, rules: &Rules<'_, T>) {
        let nt = rules.root.len();
        self.gradient.clear();
        self.gradient.resize(self.alpha.len(), T::ZERO);
        self.leaf_gradient.clear();
        self.leaf_gradient.resize(self.len() * rules.binary.preterminals(), T::ZERO);
        let by = T::from_f64(1.0 / self.scaled_z);
        let top = self.gradient.len() - nt;
        self.gradient[top..].iter_mut().zip(rules.root).for_each(|(g, &s)| *g = s * by);
    }

    /// Gives the gradient of M of every span of a width to its children.
    pub fn pass_down(&mut self, arch: Arch, rules: &Rules<'_, T>, width: usize, from: &[T]) {
        let n = self.len();
        let blocks = rules.binary.pairs().blocks(width);
        let (nt, pt) = (blocks.nt, blocks.pt);
        let Cells { words, alpha, scales, gradient, leaf_gradient, .. } = self;
        // Values and scale of a child, and where its gradient lies.
        let child = |start: usize, width: usize| {
            if width == 1 {
                let leaf = words[start];
                (rules.leaf(leaf), rules.leaf_scales[leaf], start * pt..(start + 1) * pt)
            } else {
                let at = span(n, start, width);
                let place = at * nt..(at + 1) * nt;
                (&alpha[place.clone()], scales[at], place)
            }
        };
        for (start, row) in from.chunks_exact(blocks.len()).enumerate() {
            let scale = scales[span(n, start, width)];
            for left_width in 1..width {
                let right_width = width - left_width;
                let (left, s, to_left) = child(start, left_width);
                let (right, t, to_right) = child(start + left_width, right_width);
                let weight = factor(s + t - scale);
                let row = &row[blocks.block(left_width, right_width)];
                let to = if left_width == 1 { &mut *leaf_gradient } else { &mut *gradient };
                add_rows(arch, &mut to[to_left], weight, row, right);
                let to = if right_width == 1 { &mut *leaf_gradient } else { &mut *gradient };
                add_columns(arch, &mut to[to_right], weight, left, row);
            }
        }
    }
}

/// exp of a difference of log-scales; a span without probability has no weight.
pub(super) fn factor<T: Real>(log: f64) -> T {
    let weight = log.exp();
    T::from_f64(if weight.is_nan() { 0.0 } else { weight })
}

/// Sum of x * y in double precision.
fn dot<T: Real>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(&a, &b)| a.to_f64() * b.to_f64()).sum()
}
