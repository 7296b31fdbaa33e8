//! The two orders of elimination that lead from a span's rank vector to its parts as a child.
//!
//! Between the rank node of a span and that of its parent lies the span's own symbol. Summed out
//! beforehand it leaves H and I (r x r), which every batch has to build and to differentiate;
//! summed out span by span it costs two products with U and `[V_N | W_N]` instead, and leaves the
//! inside scores of the nonterminals behind. The values are the same to rounding.

use super::RuleGradients;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply, transpose};
use crate::inference::order::{Order, Plan, Product, Reading};

/// Multiply-adds that lead from one span's vector to its parts as a child.
pub fn elements(order: Order, nonterminals: usize, rank: usize) -> f64 {
    let (nt, r) = (nonterminals as f64, rank as f64);
    match order {
        Order::Rank => 2.0 * r * r,
        Order::State => 3.0 * nt * r,
    }
}

/// Multiply-adds before the first span.
pub fn preparation(order: Order, nonterminals: usize, rank: usize) -> f64 {
    let (nt, r) = (nonterminals as f64, rank as f64);
    match order {
        Order::Rank => 2.0 * nt * r * r,
        Order::State => 0.0,
    }
}

/// A training step on sentences of some lengths.
#[derive(Clone, Copy, Debug)]
pub struct Training<'a> {
    pub nonterminals: usize,
    pub rank: usize,
    pub lengths: &'a [usize],
}

impl Plan for Training<'_> {
    fn products(&self, order: Order) -> Vec<Product> {
        let Training { nonterminals, rank, lengths } = *self;
        let elements = elements(order, nonterminals, rank);
        let product = |rows, reading| Product { rows, elements, reading };
        let widest = lengths.iter().copied().max().unwrap_or(0);
        let mut products = Vec::new();
        for width in 2..widest {
            let rows: usize = lengths.iter().map(|&n| (n + 1).saturating_sub(width)).sum();
            // Inside and outside.
            products.extend([product(rows as f64, Reading::Packed); 2]);
            // The gradient of the matrix is one product over all widths.
            products.push(product(rows as f64, Reading::Large));
        }
        let prepared = preparation(order, nonterminals, rank) / rank as f64;
        let prepare = Product { rows: rank as f64, elements: prepared, reading: Reading::Large };
        products.extend([prepare; 3].into_iter().filter(|p| p.elements > 0.0));
        products
    }
}

/// Parsing, where the grammar stands still: the cost of a span.
#[derive(Clone, Copy, Debug)]
pub struct Parsing {
    pub nonterminals: usize,
    pub rank: usize,
}

impl Plan for Parsing {
    fn products(&self, order: Order) -> Vec<Product> {
        let elements = elements(order, self.nonterminals, self.rank);
        vec![Product { rows: 1.0, elements, reading: Reading::Large }]
    }
}

/// What lies between a span's vector and its parts as a left and as a right child.
#[derive(Clone, Copy, Debug)]
pub enum Children<'a, T> {
    /// `[H^T | I^T] = U^T [V_N | W_N]`: (r, 2 r), probabilities.
    Rank(&'a [T]),
    /// U: (NT, r) and `[V_N | W_N]`: (NT, 2 r), probabilities.
    State { u: &'a [T], vw: &'a [T] },
}

/// Widths from which it pays to turn a matrix round once, and not in every product.
const TURN: usize = 4;

/// The matrices with rows and columns exchanged, so that products of few spans read them as they
/// lie; empty where there are too few widths.
#[derive(Clone, Debug, Default)]
pub(super) struct Turned<T> {
    /// U^T: (r, NT).
    u: Vec<T>,
    /// The transpose of what a span's parts came from: of (r, 2 r) or (NT, 2 r).
    wide: Vec<T>,
}

impl<T: Real> Turned<T> {
    /// For [`Children::forward`] of so many widths.
    pub fn before_forward(&mut self, children: &Children<'_, T>, rank: usize, widths: usize) {
        match children {
            Children::State { u, .. } if widths >= TURN => {
                transpose(u, u.len() / rank, rank, &mut self.u);
            }
            _ => self.u.clear(),
        }
    }

    /// For [`Children::backward`] of so many widths.
    pub fn before_backward(&mut self, children: &Children<'_, T>, rank: usize, widths: usize) {
        match children {
            _ if widths < TURN => self.wide.clear(),
            Children::Rank(wide) | Children::State { vw: wide, .. } => {
                transpose(wide, wide.len() / (2 * rank), 2 * rank, &mut self.wide);
            }
        }
    }
}

/// The transpose of `matrix` (rows, columns), for which `turned` lies ready or is empty.
fn transposed<'a, T: Real>(
    matrix: &'a [T],
    rows: usize,
    columns: usize,
    turned: &'a [T],
) -> Matrix<'a, T> {
    match turned {
        [] => Matrix::new(matrix, rows, columns).t(),
        turned => Matrix::new(turned, columns, rows),
    }
}

impl<T: Real> Children<'_, T> {
    /// Values that every span leaves between: NT, or none.
    pub(super) fn between(&self, rank: usize) -> usize {
        match self {
            Children::Rank(_) => 0,
            Children::State { u, .. } => u.len() / rank,
        }
    }

    pub(super) fn check(&self, rank: usize) {
        match self {
            Children::Rank(children) => assert_eq!(children.len(), 2 * rank * rank),
            Children::State { u, vw } => {
                assert_eq!(u.len() % rank, 0);
                assert_eq!(2 * u.len(), vw.len());
            }
        }
    }

    /// `sides` (spans, 2 r) from `alpha` (spans, r); `between` (spans, NT) is kept for the
    /// gradient.
    pub(super) fn forward(
        &self,
        rank: usize,
        turned: &Turned<T>,
        alpha: &[T],
        between: &mut [T],
        sides: &mut [T],
    ) {
        let spans = alpha.len() / rank;
        let alpha = Matrix::new(alpha, spans, rank);
        let sides = MatrixMut::new(sides, spans, 2 * rank);
        match self {
            Children::Rank(children) => {
                let children = Matrix::new(children, rank, 2 * rank);
                multiply(sides, Into::Replace, T::ONE, alpha, children);
            }
            Children::State { u, vw } => {
                let nt = u.len() / rank;
                let to = MatrixMut::new(&mut *between, spans, nt);
                multiply(to, Into::Replace, T::ONE, alpha, transposed(u, nt, rank, &turned.u));
                let between = Matrix::new(between, spans, nt);
                multiply(sides, Into::Replace, T::ONE, between, Matrix::new(vw, nt, 2 * rank));
            }
        }
    }

    /// The gradient of [`Children::forward`]: from that of `sides` to that of `alpha`.
    pub(super) fn backward(
        &self,
        rank: usize,
        turned: &Turned<T>,
        sides: &[T],
        between: &mut [T],
        alpha: &mut [T],
    ) {
        let spans = alpha.len() / rank;
        let sides = Matrix::new(sides, spans, 2 * rank);
        let alpha = MatrixMut::new(alpha, spans, rank);
        match self {
            Children::Rank(children) => {
                let children = transposed(children, rank, 2 * rank, &turned.wide);
                multiply(alpha, Into::Replace, T::ONE, sides, children);
            }
            Children::State { u, vw } => {
                let nt = u.len() / rank;
                let to = MatrixMut::new(&mut *between, spans, nt);
                let vw = transposed(vw, nt, 2 * rank, &turned.wide);
                multiply(to, Into::Replace, T::ONE, sides, vw);
                let between = Matrix::new(between, spans, nt);
                multiply(alpha, Into::Replace, T::ONE, between, Matrix::new(u, nt, rank));
            }
        }
    }

    /// `factor` times the gradient of the matrices, from values and gradients of some spans.
    pub(super) fn gradients(
        &self,
        rank: usize,
        factor: T,
        [alpha, between, between_gradient, side_gradient]: [&[T]; 4],
        into: &mut RuleGradients<T>,
    ) {
        let spans = alpha.len() / rank;
        let alpha = Matrix::new(alpha, spans, rank);
        let sides = Matrix::new(side_gradient, spans, 2 * rank);
        let product = |to: &mut Vec<T>, left: Matrix<'_, T>, right: Matrix<'_, T>, shape| {
            let (rows, columns): (usize, usize) = shape;
            to.clear();
            to.resize(rows * columns, T::ZERO);
            // Sentences of two words have no span that is a child: zero it stays.
            if spans > 0 {
                let to = MatrixMut::new(to, rows, columns);
                multiply(to, Into::Replace, factor, left.t(), right);
            }
        };
        let RuleGradients { children, u: u_gradient, vw: vw_gradient, .. } = into;
        for part in [&mut *children, &mut *u_gradient, &mut *vw_gradient] {
            part.clear();
        }
        match self {
            Children::Rank(_) => product(children, alpha, sides, (rank, 2 * rank)),
            Children::State { u, .. } => {
                let nt = u.len() / rank;
                product(vw_gradient, Matrix::new(between, spans, nt), sides, (nt, 2 * rank));
                product(u_gradient, Matrix::new(between_gradient, spans, nt), alpha, (nt, rank));
            }
        }
    }

    /// The same in double precision; `buffers` hold it.
    pub fn widened<'b>(&self, buffers: &'b mut [Vec<f64>; 2]) -> Children<'b, f64> {
        let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect();
        match self {
            Children::Rank(children) => {
                buffers[0] = wide(children);
                Children::Rank(&buffers[0])
            }
            Children::State { u, vw } => {
                *buffers = [wide(u), wide(vw)];
                Children::State { u: &buffers[0], vw: &buffers[1] }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::order::Speeds;

    #[test]
    fn the_order_follows_the_sizes() {
        let training = |nonterminals, rank, lengths: &[usize]| {
            Training { nonterminals, rank, lengths }.cheapest(&Speeds::USUAL)
        };
        let parsing = |nonterminals, rank| Parsing { nonterminals, rank }.cheapest(&Speeds::USUAL);
        // As many states as ranks: H and I are cheaper for every span.
        assert_eq!(training(256, 256, &[20; 16]), Order::Rank);
        // Half as many states: 1.5 r^2 a span against 2 r^2, and nothing to prepare.
        assert_eq!(training(500, 1000, &[30; 8]), Order::State);
        assert_eq!(parsing(500, 1000), Order::State);
        // Many states: H and I pay if there are enough spans to use them, and always if they
        // stand still.
        assert_eq!(training(4500, 1000, &[20; 4]), Order::Rank);
        assert_eq!(training(4500, 1000, &[6]), Order::State);
        assert_eq!(parsing(4500, 1000), Order::Rank);
    }
}
