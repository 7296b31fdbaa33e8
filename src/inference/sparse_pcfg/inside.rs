//! Inside values over full vectors: one cell a span, each in a unit of its own.
//!
//! The work is taken out of the loop over split points: for every span the products of left and
//! right children are summed over the split points first (rows of a small matrix, where vector
//! units are at home), and the rules are walked once a span.

use super::compact::CompactGrammar;
use super::products::{Products, Sides};
use super::{Leaves, Spans};
use crate::inference::{Real, vectorised};
use pulp::Arch;
use std::ops::Range;

/// Where the vectors of cells lie: over one word all symbols, over more those with rules.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub spans: Spans,
    pub symbols: usize,
    pub inner: usize,
}

impl Layout {
    pub fn len(&self) -> usize {
        self.spans.length() * self.symbols + self.spans.cells() * self.inner
    }

    #[inline(always)]
    pub fn at(&self, start: usize, end: usize, cell: usize) -> Range<usize> {
        let (from, len) = match end - start {
            1 => (start * self.symbols, self.symbols),
            _ => (self.spans.length() * self.symbols + cell * self.inner, self.inner),
        };
        from..from + len
    }
}

/// Inside values of all cells, each cell scaled so that its largest is 1.
pub struct Inside<T> {
    pub layout: Layout,
    pub values: Vec<T>,
    /// Log of what a cell's values are to be multiplied by; -infinity for an empty cell.
    pub scales: Vec<f64>,
    /// Symbols with a value above 0 that are left children, one list behind the other.
    lefts: Vec<u32>,
    /// The list of every cell.
    left_ranges: Vec<(u32, u32)>,
    /// All symbols with a value above 0 over every word.
    pub over_word: Vec<Vec<u32>>,
}
/// Smallest inside value, relative to the largest of its cell, that is kept: the outside values
/// of smaller ones would not fit into an `f32`.
const LEAST: f64 = 1e-30;
pub fn inside<T: Real>(
    arch: Arch,
    grammar: &CompactGrammar<T>,
    leaves: &Leaves,
    layout: Layout,
) -> Inside<T> {
    let (n, spans) = (leaves.len(), layout.spans);
    let mut inside = Inside {
        layout,
        values: vec![T::ZERO; layout.len()],
        scales: vec![f64::NEG_INFINITY; spans.cells()],
        lefts: Vec::new(),
        left_ranges: vec![(0, 0); spans.cells()],
        over_word: vec![Vec::new(); n],
    };
    let mut products = Products::new(layout.symbols);
    let mut sides = Sides::new(grammar);
    let mut base = vec![T::ZERO; layout.symbols];
    for width in 1..=n {
        for start in 0..=n - width {
            let end = start + width;
            let Some(cell) = spans.cell(start, end) else { continue };
            base.fill(T::ZERO);
            let scale = match leaves.get(start) {
                Some(leaves) if width == 1 => leaf(grammar, leaves, &mut base),
                _ => {
                    let scratch = (&mut sides, &mut products);
                    inside.combine(arch, grammar, (start, end), scratch, &mut base)
                }
            };
            if scale > f64::NEG_INFINITY {
                inside.close(grammar, start, end, cell, scale, &base);
            }
        }
    }
    inside
}

/// The splits that leave several words on both sides.
#[inline(always)]
pub fn inner(splits: &Range<usize>, start: usize, end: usize) -> Range<usize> {
    splits.start.max(start + 2)..splits.end.min(end.saturating_sub(1))
}

/// The others: those that leave one word on a side.
#[inline(always)]
pub fn edges(splits: &Range<usize>, start: usize, end: usize) -> impl Iterator<Item = usize> {
    let both = [start + 1, end - 1];
    let (splits, len) = (splits.clone(), if both[0] == both[1] { 1 } else { 2 });
    both.into_iter().take(len).filter(move |split| splits.contains(split))
}

/// Puts the leaves of a word into `base`; gives the log of its unit.
fn leaf<T: Real>(grammar: &CompactGrammar<T>, leaves: &[(u32, f64)], base: &mut [T]) -> f64 {
    let scale = leaves.iter().map(|(_, log_prob)| *log_prob).fold(f64::NEG_INFINITY, f64::max);
    if scale > f64::NEG_INFINITY {
        for &(symbol, log_prob) in leaves {
            base[grammar.own[symbol as usize] as usize] += T::from_f64((log_prob - scale).exp());
        }
    }
    scale
}

impl<T: Real> Inside<T> {
    pub fn values(&self, start: usize, end: usize, cell: usize) -> &[T] {
        &self.values[self.layout.at(start, end, cell)]
    }

    /// Both sides of a split, and the log of the unit of their products.
    #[inline(always)]
    pub fn sides(&self, start: usize, split: usize, end: usize) -> (usize, usize, f64) {
        let cell = |start, end| self.layout.spans.cell(start, end).expect("splits lead to cells");
        let (left, right) = (cell(start, split), cell(split, end));
        (left, right, self.scales[left] + self.scales[right])
    }

    /// Sums the binary rules over all split points into `base`; gives the log of its unit.
    fn combine(
        &self,
        arch: Arch,
        grammar: &CompactGrammar<T>,
        (start, end): (usize, usize),
        (sides, products): (&mut Sides<T>, &mut Products<T>),
        base: &mut [T],
    ) -> f64 {
        let splits = self.layout.spans.splits(start, end);
        let scales = splits.clone().map(|split| self.sides(start, split, end).2);
        let unit = scales.fold(f64::NEG_INFINITY, f64::max);
        if unit == f64::NEG_INFINITY {
            return unit;
        }
        sides.clear();
        products.clear();
        vectorised(
            arch,
            #[inline(always)]
            || {
                for split in inner(&splits, start, end) {
                    let (left, right, scale) = self.sides(start, split, end);
                    let factor = T::from_f64((scale - unit).exp());
                    if factor > T::ZERO {
                        let left = self.values(start, split, left);
                        sides.push(factor, left, self.values(split, end, right));
                    }
                }
            },
        );
        if !sides.is_empty() {
            sides.sum(products);
        }
        vectorised(
            arch,
            #[inline(always)]
            || {
                for split in edges(&splits, start, end) {
                    let (left, right, scale) = self.sides(start, split, end);
                    let factor = T::from_f64((scale - unit).exp());
                    let lefts = self.values(start, split, left);
                    let rights = self.values(split, end, right);
                    let (from, to) = self.left_ranges[left];
                    for &symbol in &self.lefts[from as usize..to as usize] {
                        let factor = factor * lefts[symbol as usize];
                        let row = products.row(symbol);
                        if end - split == 1 {
                            for &right in &self.over_word[split] {
                                row[right as usize] += factor * rights[right as usize];
                            }
                        } else {
                            for (sum, &right) in row.iter_mut().zip(rights) {
                                *sum = factor.mul_add(right, *sum);
                            }
                        }
                    }
                }
                for &left in products.rows() {
                    let row = products.get(left);
                    for rule in grammar.with_left(left) {
                        base[rule.parent as usize] += rule.prob * row[rule.right as usize];
                    }
                }
            },
        );
        unit
    }

    /// Adds the chains of unary rules over `base` and stores the cell.
    fn close(
        &mut self,
        grammar: &CompactGrammar<T>,
        start: usize,
        end: usize,
        cell: usize,
        scale: f64,
        base: &[T],
    ) {
        let values = &mut self.values[self.layout.at(start, end, cell)];
        values.copy_from_slice(&base[..values.len()]);
        for (child, &value) in base.iter().enumerate().filter(|(_, v)| **v > T::ZERO) {
            for chain in grammar.up(child as u32) {
                values[chain.symbol as usize] += chain.prob * value;
            }
        }
        let largest = values.iter().copied().fold(T::ZERO, T::max);
        if largest <= T::ZERO {
            return;
        }
        let (unit, least) = (T::ONE / largest, T::from_f64(LEAST));
        let from = self.lefts.len() as u32;
        for (symbol, value) in values.iter_mut().enumerate() {
            *value *= unit;
            if *value <= least {
                *value = T::ZERO;
                continue;
            }
            if !grammar.with_left(symbol as u32).is_empty() {
                self.lefts.push(symbol as u32);
            }
            if end - start == 1 {
                self.over_word[start].push(symbol as u32);
            }
        }
        self.left_ranges[cell] = (from, self.lefts.len() as u32);
        self.scales[cell] = scale + largest.to_f64().ln();
    }
}
