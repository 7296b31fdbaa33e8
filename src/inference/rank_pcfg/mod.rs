//! Inside and outside of a PCFG in rank space (Yang, Liu & Tu 2022, section 4.2).
//!
//! With `T[A,B,C] = sum_q U[A,q] V[B,q] W[C,q]`, all state nodes are summed out beforehand:
//! H = V_N^T U and I = W_N^T U (r x r), J = V_T^T E and K = W_T^T E (r x words), L = s^T U. Then
//! for every span `[i, j)`
//!
//! ```text
//! alpha_ij = sum over splits k of left_ik * right_kj        (elementwise, eq. 9)
//! left_ij  = H alpha_ij,  right_ij = I alpha_ij             (j > i + 1)
//! left_i   = J[:, w_i],   right_i  = K[:, w_i]              (one word)
//! Z        = L alpha_0n
//! ```
//!
//! H alpha = V_N^T (U alpha) may be computed either way: see [`Order`](crate::inference::order::Order).
//!
//! A chart cell is a vector with maximum 1 beside an `f64` log-scale, so the sum over splits needs
//! one exponential a split and none an element, and nothing underflows on long sentences. The
//! outside pass walks the same cells from wide to narrow and *gathers* the gradient of log Z with
//! respect to each cell, so nothing is written twice.

pub mod device;
mod kernel;
mod layout;
mod order;

use super::{Real, vectorised};
use crate::treebank::Batch;
use kernel::{Term, dot, product_sum};
use layout::Layout;
use order::Turned;
pub use order::{Children, Parsing, Training, elements, preparation};
use pulp::Arch;
use rayon::prelude::*;

/// What the program reads: the grammar with its state nodes summed out, or ready to be.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a, T> {
    pub rank: usize,
    pub children: Children<'a, T>,
    /// L = s^T U: (r), probabilities.
    pub root: &'a [T],
    /// `[J^T | K^T]` for the distinct words of the batch: (words, 2 r), each row divided by its scale.
    pub leaves: &'a [T],
    /// Log of what each row of `leaves` was divided by, nats.
    pub leaf_scales: &'a [f64],
    /// Added wherever the published code takes a logarithm: 1e-9, or 0 for exact values.
    pub floor: f64,
}

/// Gradient of `weight * sum of log Z` with respect to each part of [`Rules`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleGradients<T> {
    /// (r, 2 r) of [`Children::Rank`], else empty.
    pub children: Vec<T>,
    /// (NT, r) of [`Children::State`], else empty.
    pub u: Vec<T>,
    /// (NT, 2 r) of [`Children::State`], else empty.
    pub vw: Vec<T>,
    /// (r)
    pub root: Vec<T>,
    /// (words, 2 r), with respect to the scaled rows.
    pub leaves: Vec<T>,
    /// (words), with respect to the log-scales.
    pub leaf_scales: Vec<f64>,
}

/// A sentence's inside score left the range of the number type, or may have lost to underflow what
/// counts, or is truly zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the inside score of sentence {sentence} is outside the range of the number type")]
pub struct OutOfRange {
    /// Number in the batch.
    pub sentence: usize,
}

/// Chart of a batch; its buffers are kept between batches.
#[derive(Debug)]
pub struct Chart<T> {
    arch: Arch,
    rank: usize,
    layout: Layout,
    turned: Turned<T>,
    /// Distinct-word number of every one-word row.
    leaf_of: Vec<usize>,
    /// alpha: (rows, r), maximum 1 (unused for one-word rows).
    alpha: Vec<T>,
    /// left and right side by side: (rows, 2 r), in the scale of their row.
    sides: Vec<T>,
    /// Inside scores of the nonterminals for every row of two words and more: (rows, NT), in the
    /// scale of their row; empty where states were summed out beforehand.
    states: Vec<T>,
    /// Log-scale of every row, nats.
    scales: Vec<f64>,
    /// d log Z / d alpha: (rows, r).
    alpha_gradient: Vec<T>,
    /// d log Z / d (left, right): (rows, 2 r).
    side_gradient: Vec<T>,
    /// d log Z / d states.
    state_gradient: Vec<T>,
    /// Posterior of the span in each row.
    posteriors: Vec<f64>,
    /// Z in the scale of its top row, by place.
    scaled_z: Vec<f64>,
    /// By batch index, nats.
    log_z: Vec<f64>,
}

impl<T: Real> Default for Chart<T> {
    fn default() -> Self {
        Chart {
            arch: Arch::new(),
            rank: 0,
            layout: Layout::default(),
            turned: Turned::default(),
            leaf_of: Vec::new(),
            alpha: Vec::new(),
            sides: Vec::new(),
            states: Vec::new(),
            scales: Vec::new(),
            alpha_gradient: Vec::new(),
            side_gradient: Vec::new(),
            state_gradient: Vec::new(),
            posteriors: Vec::new(),
            scaled_z: Vec::new(),
            log_z: Vec::new(),
        }
    }
}

/// Rows a task takes at least, so that tiny charts are not cut into tasks smaller than their cost.
fn rows_per_task(terms: usize, rank: usize) -> usize {
    (16_384 / (terms.max(1) * rank.max(1))).max(1)
}

fn resized<T: Real>(buffer: &mut Vec<T>, len: usize) -> &mut [T] {
    if buffer.len() < len {
        // Old contents are never read: growing from empty avoids copying them.
        buffer.clear();
        buffer.resize(len, T::ZERO);
    }
    &mut buffer[..len]
}

impl<T: Real> Chart<T> {
    /// Fills the chart. `leaves` holds, packed like the batch's words, the row of each word in
    /// `rules.leaves`; every sentence has at least two words.
    ///
    /// # Errors
    /// [`OutOfRange`] where log Z is not finite, or a span's score is so small beside those of its
    /// parts that underflow may have taken most of it; the chart is then not to be used.
    pub fn inside(
        &mut self,
        rules: &Rules<'_, T>,
        batch: &Batch,
        leaves: &[usize],
    ) -> Result<(), OutOfRange> {
        let r = rules.rank;
        assert_eq!(leaves.len(), batch.tokens());
        rules.children.check(r);
        assert_eq!(rules.root.len(), r);
        assert_eq!(rules.leaves.len(), rules.leaf_scales.len() * 2 * r);
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        assert!(lengths.iter().all(|&n| n >= 2), "one word has no derivation");
        self.rank = r;
        self.layout = Layout::new(&lengths);
        let layout = &self.layout;
        let rows = layout.len();
        let floor = T::from_f64(rules.floor);
        let alpha = resized(&mut self.alpha, rows * r);
        let sides = resized(&mut self.sides, rows * 2 * r);
        self.scales.clear();
        self.scales.resize(rows, 0.0);

        let words = layout.base(2);
        let between = rules.children.between(r);
        let states = resized(&mut self.states, (rows - words) * between);
        self.leaf_of.clear();
        self.leaf_of.extend(layout.cells[..words].iter().map(|&(place, start)| {
            leaves[batch.offsets()[layout.order[place as usize]] + start as usize]
        }));
        for (row, &leaf) in self.leaf_of.iter().enumerate() {
            let source = &rules.leaves[leaf * 2 * r..(leaf + 1) * 2 * r];
            for (to, &x) in sides[row * 2 * r..(row + 1) * 2 * r].iter_mut().zip(source) {
                *to = x + floor;
            }
            self.scales[row] = rules.leaf_scales[leaf];
        }

        let arch = self.arch;
        let turned = &mut self.turned;
        turned.before_forward(&rules.children, r, layout.widest().saturating_sub(2));
        for width in 2..=layout.widest() {
            let (from, to) = (layout.base(width), layout.base(width + 1));
            let (narrow_scales, own_scales) = self.scales.split_at_mut(from);
            let (narrow_sides, own_sides) = sides.split_at_mut(from * 2 * r);
            let own_alpha = &mut alpha[from * r..to * r];
            own_alpha
                .par_chunks_mut(r)
                .zip(&mut own_scales[..to - from])
                .zip(&layout.cells[from..to])
                .with_min_len(rows_per_task(width, r))
                .for_each_init(
                    || (Vec::new(), Vec::new()),
                    |(terms, logs), ((cell, scale), &(place, start))| {
                        let (place, start) = (place as usize, start as usize);
                        *scale = combine(
                            arch,
                            layout,
                            narrow_scales,
                            narrow_sides,
                            cell,
                            terms,
                            logs,
                            place,
                            start,
                            width,
                        );
                    },
                );
            if width < layout.widest() {
                let own = &mut own_sides[..(to - from) * 2 * r];
                let own_states = &mut states[(from - words) * between..(to - words) * between];
                rules.children.forward(r, turned, own_alpha, own_states, own);
                if rules.floor > 0.0 {
                    own.iter_mut().for_each(|x| *x += floor);
                }
            }
        }

        self.scaled_z.clear();
        self.log_z.clear();
        self.log_z.resize(batch.len(), 0.0);
        for (place, &n) in layout.lengths.iter().enumerate() {
            let row = layout.row(place, 0, n);
            let z = dot(&alpha[row * r..(row + 1) * r], rules.root) + rules.floor;
            let log_z = z.ln() + self.scales[row];
            if !log_z.is_finite() || z < T::SURE {
                return Err(OutOfRange { sentence: layout.order[place] });
            }
            self.scaled_z.push(z);
            self.log_z[layout.order[place]] = log_z;
        }
        Ok(())
    }

    /// log Z of every sentence of the batch, nats.
    pub fn log_z(&self) -> &[f64] {
        &self.log_z
    }

    /// Fills the gradient of the summed log Z with respect to every cell, after [`Chart::inside`]
    /// with the same rules. Posteriors of spans come with it where `posteriors` is set.
    pub fn outside(&mut self, rules: &Rules<'_, T>, posteriors: bool) {
        let r = self.rank;
        let layout = &self.layout;
        let rows = layout.len();
        let arch = self.arch;
        let alpha_gradient = resized(&mut self.alpha_gradient, rows * r);
        let side_gradient = resized(&mut self.side_gradient, rows * 2 * r);
        // With a floor the scale of a cell is part of its value: its gradient goes through the
        // maximum that was divided out.
        let with_scales = rules.floor > 0.0;
        if posteriors || with_scales {
            self.posteriors.clear();
            self.posteriors.resize(rows, 0.0);
        }
        let (words, between) = (layout.base(2), rules.children.between(r));
        let state_gradient = resized(&mut self.state_gradient, (rows - words) * between);
        let (sides, scales) = (&self.sides, &self.scales);
        let turned = &mut self.turned;
        turned.before_backward(&rules.children, r, layout.widest().saturating_sub(2));

        for width in (1..=layout.widest()).rev() {
            let (from, to) = (layout.base(width), layout.base(width + 1));
            let (lower, wider) = alpha_gradient.split_at_mut(to * r);
            let own_sides = &mut side_gradient[from * 2 * r..to * 2 * r];
            own_sides
                .par_chunks_mut(2 * r)
                .zip(&layout.cells[from..to])
                .with_min_len(rows_per_task(layout.widest() + 1 - width, 2 * r))
                .for_each_init(Vec::new, |terms, (cell, &(place, start))| {
                    let (place, start) = (place as usize, start as usize);
                    gather(
                        arch, layout, scales, sides, wider, to, cell, terms, place, start, width,
                    );
                });
            if width == 1 {
                break;
            }
            let own_alpha = &mut lower[from * r..];
            if width < layout.widest() {
                let own = &mut state_gradient[(from - words) * between..(to - words) * between];
                rules.children.backward(r, turned, own_sides, own, own_alpha);
            } else {
                own_alpha.fill(T::ZERO);
            }
            for (place, &n) in layout.lengths.iter().enumerate() {
                if n == width {
                    let top = layout.row(place, 0, n) - from;
                    let factor = T::from_f64(1.0 / self.scaled_z[place]);
                    for (g, &l) in own_alpha[top * r..(top + 1) * r].iter_mut().zip(rules.root) {
                        *g += l * factor;
                    }
                }
            }
            if posteriors || with_scales {
                for row in from..to {
                    let alpha = &self.alpha[row * r..(row + 1) * r];
                    let gradient = &mut own_alpha[(row - from) * r..(row - from + 1) * r];
                    let mut posterior = dot(alpha, gradient);
                    if with_scales {
                        let is_top = layout.lengths[layout.cells[row].0 as usize] == width;
                        let own = &own_sides[(row - from) * 2 * r..(row - from + 1) * 2 * r];
                        let by_scale = if is_top {
                            1.0
                        } else {
                            dot(&sides[row * 2 * r..(row + 1) * 2 * r], own)
                        };
                        gradient[largest(alpha)] += T::from_f64(by_scale - posterior);
                        posterior = by_scale;
                    }
                    self.posteriors[row] = posterior;
                }
            }
        }
    }

    /// Gradient of `weight * sum of log Z`, after [`Chart::outside`].
    ///
    /// # Errors
    /// [`OutOfRange`] (of sentence 0) where a gradient left the range of the number type.
    pub fn gradients(
        &self,
        rules: &Rules<'_, T>,
        weight: f64,
        into: &mut RuleGradients<T>,
    ) -> Result<(), OutOfRange> {
        let r = self.rank;
        let layout = &self.layout;
        let factor = T::from_f64(weight);

        into.root.clear();
        into.root.resize(r, T::ZERO);
        for (place, &n) in layout.lengths.iter().enumerate() {
            let row = layout.row(place, 0, n);
            let by = T::from_f64(weight / self.scaled_z[place]);
            for (g, &a) in into.root.iter_mut().zip(&self.alpha[row * r..(row + 1) * r]) {
                *g += a * by;
            }
        }

        let words = layout.base(2);
        into.leaves.clear();
        into.leaves.resize(rules.leaf_scales.len() * 2 * r, T::ZERO);
        into.leaf_scales.clear();
        into.leaf_scales.resize(rules.leaf_scales.len(), 0.0);
        for (row, &leaf) in self.leaf_of.iter().enumerate() {
            let own = &self.side_gradient[row * 2 * r..(row + 1) * 2 * r];
            for (g, &x) in into.leaves[leaf * 2 * r..(leaf + 1) * 2 * r].iter_mut().zip(own) {
                *g += x * factor;
            }
            into.leaf_scales[leaf] +=
                weight * dot(&self.sides[row * 2 * r..(row + 1) * 2 * r], own);
        }

        // Widest spans have no sides; in between, whole sentences have a zero gradient.
        let end = layout.base(layout.widest()).max(words);
        let spans = end - words;
        let between = spans * rules.children.between(r);
        let values = [
            &self.alpha[words * r..end * r],
            &self.states[..between],
            &self.state_gradient[..between],
            &self.side_gradient[words * 2 * r..end * 2 * r],
        ];
        rules.children.gradients(r, factor, values, into);
        let finite = |x: &[T]| {
            vectorised(
                self.arch,
                #[inline(always)]
                || x.iter().all(|x| x.is_finite()),
            )
        };
        let all = [&into.children, &into.u, &into.vw, &into.root, &into.leaves];
        if all.into_iter().all(|x| finite(x)) { Ok(()) } else { Err(OutOfRange { sentence: 0 }) }
    }

    /// Posterior probability of span `[i, j)` at `i * (n + 1) + j` for width 2 and more, else 0,
    /// for sentence `sentence` of the batch; after [`Chart::outside`] with posteriors.
    pub fn posteriors(&self, sentence: usize) -> Vec<f64> {
        let place = self.place(sentence);
        let n = self.layout.lengths[place];
        let mut out = vec![0.0; (n + 1) * (n + 1)];
        for width in 2..=n {
            for start in 0..=n - width {
                out[start * (n + 1) + start + width] =
                    self.posteriors[self.layout.row(place, start, width)];
            }
        }
        out
    }

    /// Rows of all spans of two words and more: see [`Cells`].
    pub fn phrases(&self) -> Cells<'_, T> {
        self.cells(self.layout.base(2), self.layout.len())
    }

    /// Rows of all words; their `alpha` means nothing.
    pub fn words(&self) -> Cells<'_, T> {
        self.cells(0, self.layout.base(2))
    }

    /// 1 / Z in the scale of the top row, for a sentence of the batch.
    pub fn inverse_z(&self, sentence: usize) -> f64 {
        1.0 / self.scaled_z[self.place(sentence)]
    }

    fn cells(&self, from: usize, to: usize) -> Cells<'_, T> {
        let r = self.rank;
        Cells {
            layout: &self.layout,
            from,
            alpha: &self.alpha[from * r..to * r],
            side_gradient: &self.side_gradient[from * 2 * r..to * 2 * r],
            len: to - from,
        }
    }

    fn place(&self, sentence: usize) -> usize {
        self.layout.order.iter().position(|&b| b == sentence).expect("a sentence of the batch")
    }
}

/// Consecutive rows of a chart, for programs that look at labels.
#[derive(Clone, Copy, Debug)]
pub struct Cells<'a, T> {
    layout: &'a Layout,
    from: usize,
    /// (len, r)
    pub alpha: &'a [T],
    /// d log Z / d (left, right): (len, 2 r)
    pub side_gradient: &'a [T],
    pub len: usize,
}

impl<T> Cells<'_, T> {
    /// Sentence (number in the batch) and span `[start, end)` of a row.
    pub fn span(&self, row: usize) -> (usize, usize, usize) {
        let row = row + self.from;
        let (place, start) = self.layout.cells[row];
        let (start, width) = (start as usize, self.layout.width_of(row));
        (self.layout.order[place as usize], start, start + width)
    }
}

/// Eq. 9: fills alpha of one span from all its splits; returns its log-scale.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn combine<T: Real>(
    arch: Arch,
    layout: &Layout,
    scales: &[f64],
    sides: &[T],
    cell: &mut [T],
    terms: &mut Vec<Term<T>>,
    logs: &mut Vec<f64>,
    place: usize,
    start: usize,
    width: usize,
) -> f64 {
    let r = cell.len();
    terms.clear();
    logs.clear();
    let mut top = f64::NEG_INFINITY;
    for left_width in 1..width {
        let left = layout.row(place, start, left_width);
        let right = layout.row(place, start + left_width, width - left_width);
        let log = scales[left] + scales[right];
        top = top.max(log);
        logs.push(log);
        terms.push(Term { weight: T::ZERO, x_at: left * 2 * r, y_at: right * 2 * r + r });
    }
    if logs.iter().any(|log| log.is_nan()) {
        return f64::NAN;
    }
    if top == f64::NEG_INFINITY {
        cell.fill(T::ZERO);
        return top;
    }
    for (term, log) in terms.iter_mut().zip(logs) {
        term.weight = T::from_f64((*log - top).exp());
    }
    let largest = product_sum(arch, cell, sides, sides, terms).to_f64();
    if largest == 0.0 && T::SURE == 0.0 {
        return f64::NEG_INFINITY;
    }
    // Underflow, or NaN from broken weights; log Z will tell.
    if !(largest >= T::SURE && largest.is_finite()) {
        return f64::NAN;
    }
    let factor = T::from_f64(1.0 / largest);
    cell.iter_mut().for_each(|x| *x *= factor);
    top + largest.ln()
}

/// Gathers d log Z / d (left, right) of one span from all wider spans that it is a child of.
/// `wider` holds d log Z / d alpha from row `wider_from` on.
#[allow(clippy::too_many_arguments)]
#[inline(always)]
fn gather<T: Real>(
    arch: Arch,
    layout: &Layout,
    scales: &[f64],
    sides: &[T],
    wider: &[T],
    wider_from: usize,
    cell: &mut [T],
    terms: &mut Vec<Term<T>>,
    place: usize,
    start: usize,
    width: usize,
) {
    let n = layout.lengths[place];
    let (own_scale, end) = (scales[layout.row(place, start, width)], start + width);
    let (left, right) = cell.split_at_mut(cell.len() / 2);
    let r = left.len();
    let term = |parent: usize, sibling: usize, side: usize| {
        // A parent without probability has no gradient; its scale is -infinity.
        let weight = (own_scale + scales[sibling] - scales[parent]).exp();
        let weight = if weight.is_nan() { 0.0 } else { weight };
        Term {
            weight: T::from_f64(weight),
            x_at: sibling * 2 * r + side,
            y_at: (parent - wider_from) * r,
        }
    };
    // As a left child of [start, j), beside the right child [end, j).
    terms.clear();
    terms
        .extend((end + 1..=n).map(|j| {
            term(layout.row(place, start, j - start), layout.row(place, end, j - end), r)
        }));
    product_sum(arch, left, sides, wider, terms);
    // As a right child of [i, end), beside the left child [i, start).
    terms.clear();
    terms.extend(
        (0..start).map(|i| term(layout.row(place, i, end - i), layout.row(place, i, start - i), 0)),
    );
    product_sum(arch, right, sides, wider, terms);
}

/// Index of the first largest element.
fn largest<T: Real>(values: &[T]) -> usize {
    let mut best = 0;
    for (i, &v) in values.iter().enumerate() {
        if v > values[best] {
            best = i;
        }
    }
    best
}

#[cfg(test)]
mod tests;
