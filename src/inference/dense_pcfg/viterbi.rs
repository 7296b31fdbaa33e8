//! The most probable derivation.

use super::cells::{Cells, factor, span};
use super::kernel::{largest_product, max_outer};
use super::{Binary, OutOfRange, Pairs, Rules};
use crate::inference::Real;
use pulp::Arch;

/// A derivation of a sentence.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Derivation {
    /// Natural logarithm of its probability.
    pub log_prob: f64,
    /// Start, end and nonterminal of every span of two words and more, in preorder.
    pub spans: Vec<(usize, usize, usize)>,
    /// Preterminal of every word.
    pub tags: Vec<usize>,
}

/// The most probable derivation of a sentence of two words and more, O(n^3 m^2 + n^2 m^3):
/// maxima over splits come before the rules, as the sums do in the inside pass. Of equally
/// probable ones the first symbols win, then the leftmost split. `leaves` holds the row of each
/// word in `rules.leaves`. The tensor must be whole ([`Binary::multiplied`]).
///
/// # Errors
/// [`OutOfRange`] (of sentence 0) where its probability is not a finite number.
pub fn viterbi<T: Real>(rules: &Rules<'_, T>, leaves: &[usize]) -> Result<Derivation, OutOfRange> {
    let Binary::Full(tensor) = rules.binary else { panic!("the rule tensor must be whole") };
    rules.check();
    let (arch, n, nt) = (Arch::new(), leaves.len(), rules.root.len());
    assert!(n >= 2, "one word has no derivation");
    let mut cells = Cells::default();
    cells.reset(leaves, nt);
    let mut products = Vec::new();
    let mut scores = Vec::new();
    for width in 2..=n {
        let blocks = tensor.blocks(width);
        products.resize((n + 1 - width) * blocks.len(), T::ZERO);
        cells.scale_splits(rules, width);
        cells.products(arch, rules, width, &mut products, max_outer);
        scores.clear();
        for product in products.chunks_exact(blocks.len()) {
            let row = |a: usize| &tensor.data()[a * tensor.columns()..][blocks.all.clone()];
            scores.extend((0..nt).map(|a| largest_product(arch, row(a), product)));
        }
        cells.take(width, &scores, nt);
    }
    let top = cells.scales.len() - 1;
    let scored = || cells.alpha[top * nt..].iter().zip(rules.root).map(|(&a, &s)| a * s);
    let root = first_largest(scored());
    let best = scored().nth(root).map_or(0.0, |x| x.to_f64());
    let log_prob = best.ln() + cells.scales[top];
    if !log_prob.is_finite() {
        return Err(OutOfRange { sentence: 0 });
    }
    let mut found = Derivation { log_prob, spans: Vec::new(), tags: vec![0; n] };
    let mut open = vec![(0, n, root)];
    while let Some((start, width, symbol)) = open.pop() {
        if width == 1 {
            found.tags[start] = symbol;
            continue;
        }
        found.spans.push((start, start + width, symbol));
        let (left_width, b, c) = expansion(arch, rules, tensor, &cells, (start, width), symbol);
        open.push((start + left_width, width - left_width, c));
        open.push((start, left_width, b));
    }
    Ok(found)
}

/// Width of the left child and both children of the best expansion of a symbol over a span.
fn expansion<T: Real>(
    arch: Arch,
    rules: &Rules<'_, T>,
    tensor: &Pairs<T>,
    cells: &Cells<T>,
    (start, width): (usize, usize),
    symbol: usize,
) -> (usize, usize, usize) {
    let blocks = tensor.blocks(width);
    let row = &tensor.data()[symbol * tensor.columns()..][blocks.all.clone()];
    let scale = cells.scales[span(cells.len(), start, width)];
    let mut product = vec![T::ZERO; blocks.len()];
    let mut best = (T::ZERO, (1, 0, 0));
    for left_width in 1..width {
        let right_width = width - left_width;
        let (left, s) = cells.child(rules, start, left_width);
        let (right, t) = cells.child(rules, start + left_width, right_width);
        let block = blocks.block(left_width, right_width);
        let product = &mut product[block.clone()];
        product.fill(T::ZERO);
        max_outer(arch, product, factor(s + t - scale), left, right);
        for (at, (&p, &rule)) in product.iter().zip(&row[block]).enumerate() {
            if p * rule > best.0 {
                best = (p * rule, (left_width, at / right.len(), at % right.len()));
            }
        }
    }
    best.1
}

/// Place of the first largest value.
fn first_largest<T: Real>(values: impl Iterator<Item = T>) -> usize {
    let mut best = (0, T::ZERO);
    for (i, x) in values.enumerate() {
        if i == 0 || x > best.1 {
            best = (i, x);
        }
    }
    best.0
}
