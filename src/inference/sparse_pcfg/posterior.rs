//! Inside and outside over full vectors, for grammars of up to some hundred symbols: what the
//! coarse pass of a parser needs, for every span and symbol.
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

/// Posterior probabilities of spans and symbols.
#[derive(Clone, Debug)]
pub struct Posteriors<'g, T> {
    /// Logarithm of the sentence's probability, nats.
    pub log_prob: f64,
    grammar: &'g CompactGrammar<T>,
    layout: Layout,
    /// Expected number of nodes of every symbol.
    labels: Vec<T>,
    /// Probability of a node over every cell.
    spans: Vec<T>,
}

impl<T: Real> Posteriors<'_, T> {
    /// Probability that the derivation has a node over the words `[start, end)`; 0 for a span
    /// without a cell.
    pub fn span(&self, start: usize, end: usize) -> T {
        self.layout.spans.cell(start, end).map_or(T::ZERO, |cell| self.spans[cell])
    }

    /// Expected number of nodes with this symbol over the words `[start, end)`, which is their
    /// probability where no unary chain holds a symbol twice.
    pub fn label(&self, start: usize, end: usize, symbol: u32) -> T {
        let own = self.grammar.own[symbol as usize] as usize;
        match self.layout.spans.cell(start, end) {
            Some(cell) if end - start == 1 || own < self.layout.inner => {
                self.labels[self.layout.at(start, end, cell)][own]
            }
            _ => T::ZERO,
        }
    }

    /// Number of symbols of the grammar.
    pub fn symbols(&self) -> usize {
        self.layout.symbols
    }

    /// [`Posteriors::label`] of all symbols that may stand over a span.
    pub fn each_label(&self, start: usize, end: usize, mut see: impl FnMut(u32, T)) {
        if let Some(cell) = self.layout.spans.cell(start, end) {
            let labels = &self.labels[self.layout.at(start, end, cell)];
            for (&symbol, &label) in self.grammar.symbol.iter().zip(labels) {
                see(symbol, label);
            }
        }
    }
}

/// Where the vectors of cells lie: over one word all symbols, over more those with rules.
#[derive(Clone, Copy, Debug)]
struct Layout {
    spans: Spans,
    symbols: usize,
    inner: usize,
}

impl Layout {
    fn len(&self) -> usize {
        self.spans.length() * self.symbols + self.spans.cells() * self.inner
    }

    #[inline(always)]
    fn at(&self, start: usize, end: usize, cell: usize) -> Range<usize> {
        let (from, len) = match end - start {
            1 => (start * self.symbols, self.symbols),
            _ => (self.spans.length() * self.symbols + cell * self.inner, self.inner),
        };
        from..from + len
    }
}

/// Inside values of all cells, each cell scaled so that its largest is 1.
struct Inside<T> {
    layout: Layout,
    values: Vec<T>,
    /// Log of what a cell's values are to be multiplied by; -infinity for an empty cell.
    scales: Vec<f64>,
    /// Symbols with a value above 0 that are left children, one list behind the other.
    lefts: Vec<u32>,
    /// The list of every cell.
    left_ranges: Vec<(u32, u32)>,
    /// All symbols with a value above 0 over every word.
    over_word: Vec<Vec<u32>>,
}

/// Smallest inside value, relative to the largest of its cell, that is kept: the outside values
/// of smaller ones would not fit into an `f32`.
const LEAST: f64 = 1e-30;

/// Posteriors of all spans and symbols; `None` where the sentence has no derivation. Spans and
/// symbols whose posterior is below `least` hand nothing on to what is below them: what is found
/// is then a lower bound, and 0 gives the exact values.
pub fn posteriors<'g, T: Real>(
    grammar: &'g CompactGrammar<T>,
    leaves: &Leaves,
    roots: &[(u32, f64)],
    spans: Spans,
    least: f64,
) -> Option<Posteriors<'g, T>> {
    let n = leaves.len();
    let whole = spans.whole()?;
    let layout = Layout { spans, symbols: grammar.symbols(), inner: grammar.inner };
    let arch = Arch::new();
    let inside = inside(arch, grammar, leaves, layout);
    let top = layout.at(0, n, whole);
    // A leaf as root stands over one word only.
    let roots = roots.iter().map(|&(r, log_prob)| (grammar.own[r as usize] as usize, log_prob));
    let roots: Vec<(usize, f64)> = roots.filter(|(r, _)| *r < top.len()).collect();
    let values = &inside.values[top.clone()];
    let sum: f64 = roots.iter().map(|&(r, log_prob)| log_prob.exp() * values[r].to_f64()).sum();
    if sum <= 0.0 {
        return None;
    }
    let log_prob = sum.ln() + inside.scales[whole];
    let mut outside = vec![T::ZERO; inside.values.len()];
    for (root, prob) in roots {
        outside[top.start + root] += T::from_f64(prob.exp() / sum);
    }
    let mut outside = Outside { values: outside, spans: vec![T::ZERO; spans.cells()] };
    outside.fill(arch, grammar, &inside, least);
    Some(Posteriors { log_prob, grammar, layout, labels: outside.values, spans: outside.spans })
}

fn inside<T: Real>(
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
fn inner(splits: &Range<usize>, start: usize, end: usize) -> Range<usize> {
    splits.start.max(start + 2)..splits.end.min(end.saturating_sub(1))
}

/// The others: those that leave one word on a side.
#[inline(always)]
fn edges(splits: &Range<usize>, start: usize, end: usize) -> impl Iterator<Item = usize> {
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
    fn values(&self, start: usize, end: usize, cell: usize) -> &[T] {
        &self.values[self.layout.at(start, end, cell)]
    }

    /// Both sides of a split, and the log of the unit of their products.
    #[inline(always)]
    fn sides(&self, start: usize, split: usize, end: usize) -> (usize, usize, f64) {
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

/// Outside values of nodes that end a chain at the top, each cell in such a unit that outside
/// times inside is a posterior. A cell that is done holds the posteriors of its labels instead.
struct Outside<T> {
    values: Vec<T>,
    spans: Vec<T>,
}

impl<T: Real> Outside<T> {
    fn fill(&mut self, arch: Arch, grammar: &CompactGrammar<T>, inside: &Inside<T>, least: f64) {
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
