//! Which nodes a program sums out first, states or ranks: the values are the same to rounding, the
//! cost is not, and which is cheaper depends on sizes, batch and machine.

/// Which nodes are summed out first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The states, once a batch: what is left are matrices over ranks.
    Rank,
    /// The ranks, span by span or word by word.
    State,
}

impl Order {
    pub const ALL: [Order; 2] = [Order::Rank, Order::State];

    /// As in settings.
    pub fn name(self) -> &'static str {
        match self {
            Order::Rank => "rank",
            Order::State => "state",
        }
    }
}

/// How fast a machine does what the orders differ in, each a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speeds {
    /// Multiply-adds of a large product.
    pub multiply_adds: f64,
    /// Numbers of a matrix that a general product reads, which with few rows is most of it.
    pub packed: f64,
    /// Numbers of a matrix that are streamed from memory, where a program does that by hand.
    pub streamed: f64,
}

impl Speeds {
    /// Of a machine that was not measured: only the ratios count for the choice. Products of 4 and
    /// of 40 rows with 1000 x 2000 reach a fifth and three quarters of the speed of large ones.
    pub const USUAL: Speeds =
        Speeds { multiply_adds: 140e9, packed: 140e9 / 16.0, streamed: 140e9 / 8.0 };
}

/// How a product reads its matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// So many rows that reading it does not count.
    Large,
    Packed,
    Streamed,
}

/// Rows that are multiplied with a matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Product {
    pub rows: f64,
    /// Numbers of the matrix.
    pub elements: f64,
    pub reading: Reading,
}

impl Product {
    pub fn multiply_adds(self) -> f64 {
        self.rows * self.elements
    }

    /// What it takes, were it alone.
    pub fn seconds(self, speeds: &Speeds) -> f64 {
        // One behind the other: what is packed is multiplied only then.
        let reading = match self.reading {
            Reading::Large => 0.0,
            Reading::Packed => self.elements / speeds.packed,
            Reading::Streamed => self.elements / speeds.streamed,
        };
        reading + self.multiply_adds() / speeds.multiply_adds
    }
}

/// Work that can be done in either order.
pub trait Plan {
    /// The products of an order in which it differs from the other.
    fn products(&self, order: Order) -> Vec<Product>;

    /// Seconds of what the orders differ in.
    fn seconds(&self, order: Order, speeds: &Speeds) -> f64 {
        self.products(order).into_iter().map(|product| product.seconds(speeds)).sum()
    }

    /// The cheaper order; it depends on nothing but sizes and speeds, so that runs which keep both
    /// can be repeated.
    fn cheapest(&self, speeds: &Speeds) -> Order {
        match self.seconds(Order::State, speeds) < self.seconds(Order::Rank, speeds) {
            true => Order::State,
            false => Order::Rank,
        }
    }
}
