//! The step from one word's rank vector to what is expected of the next, in either order of
//! elimination.

use super::resized;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply, transpose};
use crate::inference::order::{Order, Plan, Product, Reading};
use crate::inference::{Real, thin};

/// A training step on sentences of some lengths, in lockstep.
#[derive(Clone, Copy, Debug)]
pub struct Training<'a> {
    pub states: usize,
    pub rank: usize,
    pub lengths: &'a [usize],
}

impl Plan for Training<'_> {
    fn products(&self, order: Order) -> Vec<Product> {
        let elements = elements(order, self.states, self.rank);
        let product = |rows, reading| Product { rows, elements, reading };
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        let mut products = Vec::new();
        for t in 1..longest {
            let going = self.lengths.iter().filter(|&&n| n > t).count();
            let reading = match order {
                Order::State if going <= thin::ROWS => Reading::Streamed,
                _ => Reading::Packed,
            };
            // Forward and backward.
            products.extend([product(going as f64, reading); 2]);
            // The gradient of the matrix is one product over all time steps.
            products.push(product(going as f64, Reading::Large));
        }
        let prepared = preparation(order, self.states, self.rank) / self.rank as f64;
        let prepare =
            Product { rows: self.rank as f64, elements: prepared, reading: Reading::Large };
        products.extend([prepare; 3].into_iter().filter(|p| p.elements > 0.0));
        products
    }
}

/// Scoring text, where the parameters stand still: the cost of a word.
#[derive(Clone, Copy, Debug)]
pub struct Scoring {
    pub states: usize,
    pub rank: usize,
}

impl Plan for Scoring {
    fn products(&self, order: Order) -> Vec<Product> {
        let elements = elements(order, self.states, self.rank);
        vec![Product { rows: 1.0, elements, reading: Reading::Large }]
    }
}

/// Multiply-adds before the first word.
pub fn preparation(order: Order, states: usize, rank: usize) -> f64 {
    match order {
        Order::Rank => states as f64 * (rank * rank) as f64,
        Order::State => 0.0,
    }
}

/// Multiply-adds that lead from one word's vector to the next.
pub fn elements(order: Order, states: usize, rank: usize) -> f64 {
    let (m, r) = (states as f64, rank as f64);
    match order {
        Order::Rank => r * r,
        Order::State => 2.0 * m * r,
    }
}

/// What lies between the rank node of a word and that of the next: the state in the middle summed
/// out beforehand, or step by step.
#[derive(Clone, Copy, Debug)]
pub enum Chain<'a, T> {
    /// A = V^T U: (r, r), rows sum to 1; and how many states were summed out.
    Rank { a: &'a [T], states: usize },
    /// U, whose rows sum to 1, and V, whose columns do: (states, r).
    State { u: &'a [T], v: &'a [T] },
}

/// Probabilities of the states after every row, and their gradients: (rows, states), or nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Between<T> {
    states: usize,
    pub values: Vec<T>,
    pub gradients: Vec<T>,
}

impl<T: Real> Between<T> {
    pub fn resize(&mut self, rows: usize, states: usize) {
        self.states = states;
        resized(&mut self.values, rows * states);
        resized(&mut self.gradients, rows * states);
    }

    pub fn values(&mut self, row: usize, count: usize) -> &mut [T] {
        &mut self.values[row * self.states..(row + count) * self.states]
    }

    pub fn gradients(&mut self, row: usize, count: usize) -> &mut [T] {
        &mut self.gradients[row * self.states..(row + count) * self.states]
    }
}

impl<T: Real> Chain<'_, T> {
    /// The same in double precision; `buffers` hold it.
    pub fn widened<'b>(&self, buffers: &'b mut [Vec<f64>; 2]) -> Chain<'b, f64> {
        let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect();
        match *self {
            Chain::Rank { a, states } => {
                buffers[0] = wide(a);
                Chain::Rank { a: &buffers[0], states }
            }
            Chain::State { u, v } => {
                *buffers = [wide(u), wide(v)];
                Chain::State { u: &buffers[0], v: &buffers[1] }
            }
        }
    }

    /// Values that every step leaves between: the number of states, or none.
    pub(super) fn states(&self, rank: usize) -> usize {
        match self {
            Chain::Rank { .. } => 0,
            Chain::State { u, .. } => u.len() / rank,
        }
    }

    pub(super) fn check(&self, rank: usize) {
        match self {
            Chain::Rank { a, .. } => assert_eq!(a.len(), rank * rank),
            Chain::State { u, v } => {
                assert_eq!(u.len() % rank, 0);
                assert_eq!(u.len(), v.len());
            }
        }
    }

    /// `next` (rows, r) from `alpha` (rows, r).
    pub(super) fn forward(&self, rank: usize, alpha: &[T], between: &mut [T], next: &mut [T]) {
        match *self {
            Chain::Rank { a, .. } => times(rank, alpha, a, next),
            Chain::State { u, v } => through(rank, alpha, [v, u], between, next),
        }
    }

    /// What [`Chain::backward`] reads over and over, the way it is read: A^T, or nothing.
    pub(super) fn turn(&self, rank: usize, to: &mut Vec<T>) {
        match *self {
            Chain::Rank { a, .. } => transpose(a, rank, rank, to),
            Chain::State { .. } => to.clear(),
        }
    }

    /// From the gradient of `next` to that of `alpha`; `turned` is by [`Chain::turn`].
    pub(super) fn backward(
        &self,
        rank: usize,
        turned: &[T],
        next: &[T],
        between: &mut [T],
        alpha: &mut [T],
    ) {
        match *self {
            Chain::Rank { .. } => times(rank, next, turned, alpha),
            Chain::State { u, v } => through(rank, next, [u, v], between, alpha),
        }
    }
}

/// `to` = `from` (rows, r) times a matrix (r, r).
fn times<T: Real>(rank: usize, from: &[T], matrix: &[T], to: &mut [T]) {
    let rows = from.len() / rank;
    let (from, to) = (Matrix::new(from, rows, rank), MatrixMut::new(to, rows, rank));
    multiply(to, Into::Replace, T::ONE, from, Matrix::new(matrix, rank, rank));
}

/// `to` = `from` (rows, r) `first`^T `second`; both are (states, r). Forward is x V^T U, and
/// backward x U^T V: the same with U and V exchanged.
fn through<T: Real>(
    rank: usize,
    from: &[T],
    [first, second]: [&[T]; 2],
    between: &mut [T],
    to: &mut [T],
) {
    let (rows, states) = (from.len() / rank, first.len() / rank);
    if rows <= thin::ROWS {
        return thin::through(rank, from, [first, second], between, to);
    }
    let (from, to) = (Matrix::new(from, rows, rank), MatrixMut::new(to, rows, rank));
    let first = Matrix::new(first, states, rank).t();
    multiply(MatrixMut::new(&mut *between, rows, states), Into::Replace, T::ONE, from, first);
    let between = Matrix::new(between, rows, states);
    multiply(to, Into::Replace, T::ONE, between, Matrix::new(second, states, rank));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::order::Speeds;

    #[test]
    fn the_order_follows_sizes_and_sequences_in_lockstep() {
        let order = |states, rank, lengths: &[usize]| {
            Training { states, rank, lengths }.cheapest(&Speeds::USUAL)
        };
        // The paper's size, eight sentences of 32 tokens: A costs more than all steps.
        assert_eq!(order(16_384, 4096, &[32; 8]), Order::State);
        assert_eq!(order(4096, 1024, &[32; 8]), Order::State);
        // Many steps with few states more than ranks.
        assert_eq!(order(512, 256, &[32; 8]), Order::Rank);
        // Where A stands still, it pays but with fewer than half as many states as ranks.
        assert_eq!(Scoring { states: 16_384, rank: 4096 }.cheapest(&Speeds::USUAL), Order::Rank);
        assert_eq!(Scoring { states: 100, rank: 4096 }.cheapest(&Speeds::USUAL), Order::State);
    }

    #[test]
    fn the_order_follows_the_speeds_of_the_machine() {
        let plan = Training { states: 4096, rank: 1024, lengths: &[32; 8] };
        let usual = Speeds::USUAL;
        assert_eq!(plan.cheapest(&usual), Order::State);
        // Memory so slow that U and V cannot be streamed at every step.
        assert_eq!(
            plan.cheapest(&Speeds { streamed: usual.streamed / 20.0, ..usual }),
            Order::Rank
        );
        // More sequences than are streamed by hand: the products are general ones.
        let products = Training { lengths: &[2; 40], ..plan }.products(Order::State);
        assert_eq!(products[0].reading, Reading::Packed);
        assert_eq!(products[0].multiply_adds(), 40.0 * 2.0 * 4096.0 * 1024.0);
    }
}
