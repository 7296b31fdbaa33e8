//! Outside values over full vectors, from the whole sentence down to its words; a cell that is done
//! holds posteriors.

use super::compact::CompactGrammar;
use super::inside::{Inside, Layout, edges, inner};
use super::products::{Products, Sides};
use crate::inference::{Real, vectorised};
use pulp::Arch;
use std::ops::Range;

/// Outside values of nodes that end a chain at the top, each cell in such a unit that outside
/// times inside is a posterior. A cell that is done holds the posteriors of its labels instead.
pub struct Outside<T> {
    pub values: Vec<T>,
    pub spans: Vec<T>,
}

impl<T: Real> Outside<T> {
    pub fn fill(
        &mut self,
        arch: Arch,
        grammar: &CompactGrammar<T>,
        inside: &Inside<T>,
        least: f64,
    ) {
        let Layout { spans, symbols, .. } = inside.layout;
        let n = spans.length();
        let mut products = Products::new(symbols);
        let mut sides = Sides::new(grammar);
        let mut below = vec![T::ZERO; symbols];
        let least = T::from_f64(least);
        for width in (1..=n).rev() {
            for start in 0..=n - width {
                let end = start + width;
                let Some(cell) = spans.cell(start, end) else { continue };
                if self.chains(grammar, inside, (start, end, cell), least, &mut below) && width > 1
                {
                    let scratch = (&mut sides, &mut products);
                    self.hand_down(arch, grammar, inside, (start, end), &below, scratch);
                }
            }
        }
    }

    /// Posteriors of a cell, and the outside values of what a binary rule made, in `below`; whether
    /// the cell is as likely as `least`.
    fn chains(
        &mut self,
        grammar: &CompactGrammar<T>,
        inside: &Inside<T>,
        (start, end, cell): (usize, usize, usize),
        least: T,
        below: &mut [T],
    ) -> bool {
        let values = &mut self.values[inside.layout.at(start, end, cell)];
        let insides = inside.values(start, end, cell);
        let mut span = T::ZERO;
        below[..values.len()].copy_from_slice(values);
        below[values.len()..].fill(T::ZERO);
        for (symbol, (&value, &inside)) in values.iter().zip(insides).enumerate() {
            if value > T::ZERO && inside > T::ZERO {
                span += value * inside;
                for chain in grammar.down(symbol as u32) {
                    below[chain.symbol as usize] += chain.prob * value;
                }
            }
        }
        self.spans[cell] = span;
        let is_likely = span > T::ZERO && span >= least;
        for ((label, below), &inside) in values.iter_mut().zip(below.iter_mut()).zip(insides) {
            *label = *below * inside;
            if *label < least {
                *below = T::ZERO;
            }
        }
        is_likely
    }

    /// Adds to the outside values of all children of a span.
    fn hand_down(
        &mut self,
        arch: Arch,
        grammar: &CompactGrammar<T>,
        inside: &Inside<T>,
        (start, end): (usize, usize),
        below: &[T],
        (sides, products): (&mut Sides<T>, &mut Products<T>),
    ) {
        let layout = inside.layout;
        let here = layout.spans.cell(start, end).expect("the span has a cell");
        products.clear();
        for (parent, &value) in below.iter().enumerate().filter(|(_, value)| **value > T::ZERO) {
            for rule in grammar.of_parent(parent as u32) {
                products.row(rule.left)[rule.right as usize] += rule.prob * value;
            }
        }
        let splits = layout.spans.splits(start, end);
        let factor = |scale: f64| T::from_f64((scale - inside.scales[here]).exp().min(1e30));
        sides.clear();
        vectorised(
            arch,
            #[inline(always)]
            || {
                for split in inner(&splits, start, end) {
                    let (left, right, scale) = inside.sides(start, split, end);
                    let left = inside.values(start, split, left);
                    sides.push(factor(scale), left, inside.values(split, end, right));
                }
            },
        );
        if !sides.is_empty() {
            sides.hand_down(products);
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for (row, split) in inner(&splits, start, end).enumerate() {
                        let (left, right, scale) = inside.sides(start, split, end);
                        let factor = factor(scale);
                        if factor > T::ZERO {
                            let left = layout.at(start, split, left);
                            sides.add_left(row, factor, &mut self.values[left]);
                            let right = layout.at(split, end, right);
                            sides.add_right(row, &mut self.values[right]);
                        }
                    }
                },
            );
        }
        vectorised(
            arch,
            #[inline(always)]
            || self.hand_down_at_edges(inside, (start, end), &splits, factor, products),
        );
    }

    /// The splits that leave one word alone.
    #[inline(always)]
    fn hand_down_at_edges(
        &mut self,
        inside: &Inside<T>,
        (start, end): (usize, usize),
        splits: &Range<usize>,
        factor: impl Fn(f64) -> T,
        products: &Products<T>,
    ) {
        let layout = inside.layout;
        for split in edges(splits, start, end) {
            let (left, right, scale) = inside.sides(start, split, end);
            let factor = factor(scale);
            if factor <= T::ZERO {
                continue;
            }
            let lefts = inside.values(start, split, left);
            let rights = inside.values(split, end, right);
            let left_at = layout.at(start, split, left).start;
            let right_at = layout.at(split, end, right).start;
            for &symbol in products.rows() {
                // Over several words stand only symbols with rules.
                let Some(&left_inside) = lefts.get(symbol as usize) else { continue };
                if left_inside <= T::ZERO {
                    continue;
                }
                let row = products.get(symbol);
                let both = factor * left_inside;
                let sum = if end - split == 1 {
                    let mut sum = T::ZERO;
                    for &right in &inside.over_word[split] {
                        let weight = row[right as usize];
                        sum += weight * rights[right as usize];
                        self.values[right_at + right as usize] += both * weight;
                    }
                    sum
                } else {
                    let outsides = &mut self.values[right_at..][..rights.len()];
                    for (outside, &weight) in outsides.iter_mut().zip(row) {
                        *outside = both.mul_add(weight, *outside);
                    }
                    dot(&row[..rights.len()], rights)
                };
                self.values[left_at + symbol as usize] += factor * sum;
            }
        }
    }
}

/// Inner product in eight sums, so that vector units can do it.
#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let mut sums = [T::ZERO; 8];
    let (a_lanes, a_rest) = a.as_chunks::<8>();
    let (b_lanes, b_rest) = b.as_chunks::<8>();
    for (a, b) in a_lanes.iter().zip(b_lanes) {
        for lane in 0..8 {
            sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
        }
    }
    let mut sum = T::ZERO;
    for (&a, &b) in a_rest.iter().zip(b_rest) {
        sum = a.mul_add(b, sum);
    }
    sums.into_iter().fold(sum, |sum, lane| sum + lane)
}
