//! Which nodes a program sums out first, states or ranks: the values are the same to rounding, the
//! cost is not, and which is cheaper depends on sizes and batch.

/// What a product costs beside its multiply-adds, in rows: with few rows the matrix is packed and
/// streamed for little. Products of 4 and of 40 rows with 1000 x 2000 reach a fifth and three
/// quarters of the speed of large ones.
const OVERHEAD: f64 = 16.0;

/// Which nodes are summed out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The states, once a batch: what is left are matrices over ranks.
    Rank,
    /// The ranks, span by span or word by word.
    State,
}

/// Work that can be done in either order.
pub trait Plan {
    /// Cost of the whole work in an order, in multiply-adds of a large product.
    fn cost(&self, order: Order) -> f64;

    /// The cheaper order; it depends on nothing but the sizes, so that runs can be repeated.
    fn cheapest(&self) -> Order {
        if self.cost(Order::State) < self.cost(Order::Rank) { Order::State } else { Order::Rank }
    }
}

/// Cost of multiplying so many rows with a matrix of so many elements.
pub fn product(rows: f64, elements: f64) -> f64 {
    (rows + OVERHEAD) * elements
}
