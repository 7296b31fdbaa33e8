//! One sentence under a program of some size, in either order of elimination: what is timed, and
//! what it should cost.

use super::super::failure::Usage;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::order::Order;
use crate::inference::{rank_hmm, rank_pcfg};
use crate::treebank::Batch;
use anyhow::{Context, Result, anyhow};
use clap::ValueEnum;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Family {
    /// Rank-space PCFG
    Pcfg,
    /// Rank-space HMM
    Hmm,
}

impl Family {
    pub const ALL: [Family; 2] = [Family::Pcfg, Family::Hmm];

    pub fn name(self) -> &'static str {
        match self {
            Family::Pcfg => "pcfg",
            Family::Hmm => "hmm",
        }
    }
}

/// What is done with a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// Inside and outside of a grammar that stands still.
    Parse,
    /// The same with the gradients of the matrices and what comes before the first span.
    Train,
}

impl Task {
    pub fn name(self) -> &'static str {
        match self {
            Task::Parse => "parse",
            Task::Train => "train",
        }
    }
}

/// A program's sizes; of a PCFG `states` are the nonterminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    pub length: usize,
    pub states: usize,
    pub rank: usize,
}

/// Sizes in an order of elimination, as `pcfg:state:24,1024,256`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub family: Family,
    pub order: Order,
    pub sizes: Sizes,
}

impl Point {
    /// Reads what [`Point`] writes.
    pub fn parse(text: &str) -> Result<Point, Usage> {
        let wrong = || Usage(format!("`{text}`: expected pcfg:rank:LENGTH,STATES,RANK"));
        let mut parts = text.split(':');
        let mut part = || parts.next().ok_or_else(wrong);
        let (family, order, sizes) = (part()?, part()?, part()?);
        let family = Family::ALL.into_iter().find(|f| f.name() == family).ok_or_else(wrong)?;
        let order = Order::ALL.into_iter().find(|o| o.name() == order).ok_or_else(wrong)?;
        let sizes: Vec<usize> =
            sizes.split(',').map(str::parse).collect::<Result<_, _>>().map_err(|_| wrong())?;
        match sizes[..] {
            [length, states, rank] if length > 1 && states > 0 && rank > 0 => {
                Ok(Point { family, order, sizes: Sizes { length, states, rank } })
            }
            _ => Err(wrong()),
        }
    }

    /// Floating-point operations of matrix products and of sums over splits.
    pub fn operations(&self, task: Task) -> f64 {
        let Sizes { length, states, rank } = self.sizes;
        let (n, r) = (length as f64, rank as f64);
        // Inside and outside; training has one product more, for the gradient of the matrix.
        let passes = match task {
            Task::Parse => 2.0,
            Task::Train => 3.0,
        };
        let (steps, elements, splits, prepared) = match self.family {
            Family::Pcfg => (
                n * (n - 1.0) / 2.0 - 1.0,
                rank_pcfg::elements(self.order, states, rank),
                // Inside once, outside for both children.
                3.0 * r * n * (n * n - 1.0) / 6.0,
                rank_pcfg::preparation(self.order, states, rank),
            ),
            Family::Hmm => (
                n - 1.0,
                rank_hmm::elements(self.order, states, rank),
                0.0,
                rank_hmm::preparation(self.order, states, rank),
            ),
        };
        let prepared = if task == Task::Train { 3.0 * prepared } else { 0.0 };
        2.0 * (passes * steps * elements + splits + prepared)
    }

    /// Bytes of what inside and outside keep beside the parameters.
    pub fn bytes(&self) -> f64 {
        let Sizes { length, states, rank } = self.sizes;
        let (n, m, r) = (length as f64, states as f64, rank as f64);
        let between = if self.order == Order::State { 2.0 * m } else { 0.0 };
        let matrices = if self.order == Order::Rank { r * r } else { 0.0 };
        4.0 * match self.family {
            // A cell has its vector and both sides, each with a gradient; H and I.
            Family::Pcfg => {
                n * (n + 1.0) / 2.0 * 6.0 * r + n * (n - 1.0) / 2.0 * between + 2.0 * matrices
            }
            // What is expected and what is left, each with a gradient, and that of the word.
            Family::Hmm => n * (5.0 * r + between) + matrices,
        }
    }

    /// Bytes of parameters, of their gradients and of what a training step keeps.
    pub fn all_bytes(&self) -> f64 {
        let Sizes { length, states, rank } = self.sizes;
        let (n, m, r) = (length as f64, states as f64, rank as f64);
        let sides = match self.family {
            Family::Pcfg => 3.0,
            Family::Hmm => 2.0,
        };
        4.0 * (2.0 * sides * m * r + 4.0 * r * r + 2.0 * n * r) + self.bytes()
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Sizes { length, states, rank } = self.sizes;
        write!(f, "{}:{}:{length},{states},{rank}", self.family.name(), self.order.name())
    }
}

/// A program with random parameters, and a sentence.
pub trait Program {
    /// H and I, or A.
    fn prepare(&mut self);

    /// Inside and outside, after [`Program::prepare`] in the rank order.
    fn parse(&mut self, order: Order) -> Result<()>;

    /// All of a training step between the networks.
    fn train(&mut self, order: Order) -> Result<()>;
}

/// The program of a family.
pub fn program(family: Family, sizes: Sizes) -> Result<Box<dyn Program>> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let words: Vec<u32> =
        (0..sizes.length).map(|i| u32::try_from(i).context("length")).collect::<Result<_>>()?;
    let batch = Batch::new([words]).ok_or_else(|| anyhow!("a sentence has no words"))?;
    Ok(match family {
        Family::Pcfg => Box::new(Pcfg::new(sizes, batch, &mut rng)),
        Family::Hmm => Box::new(Hmm::new(sizes, batch, &mut rng)),
    })
}

/// Numbers as of a grammar that has learnt little: within a factor of ten.
fn numbers(count: usize, rng: &mut ChaCha8Rng) -> Vec<f32> {
    (0..count).map(|_| rng.random_range(0.1..1.0)).collect()
}

fn product(
    to: &mut Vec<f32>,
    left: Matrix<'_, f32>,
    right: Matrix<'_, f32>,
    shape: (usize, usize),
) {
    to.resize(shape.0 * shape.1, 0.0);
    multiply(MatrixMut::new(to, shape.0, shape.1), Into::Replace, 1.0, left, right);
}

struct Pcfg {
    sizes: Sizes,
    batch: Batch,
    words: Vec<usize>,
    u: Vec<f32>,
    vw: Vec<f32>,
    root: Vec<f32>,
    leaves: Vec<f32>,
    scales: Vec<f64>,
    children: Vec<f32>,
    /// One for each order, so that buffers keep their sizes.
    charts: [rank_pcfg::Chart<f32>; 2],
    gradients: rank_pcfg::RuleGradients<f32>,
    matrix_gradients: [Vec<f32>; 2],
}

impl Pcfg {
    fn new(sizes: Sizes, batch: Batch, rng: &mut ChaCha8Rng) -> Pcfg {
        let Sizes { length, states, rank } = sizes;
        Pcfg {
            sizes,
            batch,
            words: (0..length).collect(),
            u: numbers(states * rank, rng),
            vw: numbers(states * 2 * rank, rng),
            root: numbers(rank, rng),
            leaves: numbers(length * 2 * rank, rng),
            scales: vec![0.0; length],
            children: Vec::new(),
            charts: Default::default(),
            gradients: Default::default(),
            matrix_gradients: Default::default(),
        }
    }

    fn run(&mut self, order: Order, gradients: bool) -> Result<()> {
        let rules = rank_pcfg::Rules {
            rank: self.sizes.rank,
            children: match order {
                Order::Rank => rank_pcfg::Children::Rank(&self.children),
                Order::State => rank_pcfg::Children::State { u: &self.u, vw: &self.vw },
            },
            root: &self.root,
            leaves: &self.leaves,
            leaf_scales: &self.scales,
            floor: 0.0,
        };
        let chart = &mut self.charts[order as usize];
        chart.inside(&rules, &self.batch, &self.words)?;
        chart.outside(&rules, !gradients);
        if gradients {
            chart.gradients(&rules, 1.0, &mut self.gradients)?;
        }
        Ok(())
    }
}

impl Program for Pcfg {
    fn prepare(&mut self) {
        let Sizes { states, rank, .. } = self.sizes;
        let (u, vw) = (Matrix::new(&self.u, states, rank), Matrix::new(&self.vw, states, 2 * rank));
        product(&mut self.children, u.t(), vw, (rank, 2 * rank));
    }

    fn parse(&mut self, order: Order) -> Result<()> {
        self.run(order, false)
    }

    fn train(&mut self, order: Order) -> Result<()> {
        if order == Order::State {
            return self.run(order, true);
        }
        self.prepare();
        self.run(order, true)?;
        let Sizes { states, rank, .. } = self.sizes;
        let (u, vw) = (Matrix::new(&self.u, states, rank), Matrix::new(&self.vw, states, 2 * rank));
        let children = Matrix::new(&self.gradients.children, rank, 2 * rank);
        let [of_u, of_vw] = &mut self.matrix_gradients;
        product(of_u, vw, children.t(), (states, rank));
        product(of_vw, u, children, (states, 2 * rank));
        Ok(())
    }
}

struct Hmm {
    sizes: Sizes,
    batch: Batch,
    words: Vec<usize>,
    u: Vec<f32>,
    v: Vec<f32>,
    start: Vec<f32>,
    emitted: Vec<f32>,
    scales: Vec<f64>,
    chain: Vec<f32>,
    /// One for each order, so that buffers keep their sizes.
    lattices: [rank_hmm::Lattice<f32>; 2],
    chain_gradient: Vec<f32>,
    matrix_gradients: [Vec<f32>; 2],
}

impl Hmm {
    fn new(sizes: Sizes, batch: Batch, rng: &mut ChaCha8Rng) -> Hmm {
        let Sizes { length, states, rank } = sizes;
        Hmm {
            sizes,
            batch,
            words: (0..length).collect(),
            u: numbers(states * rank, rng),
            v: numbers(states * rank, rng),
            start: numbers(rank, rng),
            emitted: numbers(length * rank, rng),
            scales: vec![0.0; length],
            chain: Vec::new(),
            lattices: Default::default(),
            chain_gradient: Vec::new(),
            matrix_gradients: Default::default(),
        }
    }

    fn run(&mut self, order: Order, gradients: bool) -> Result<()> {
        let Sizes { states, rank, .. } = self.sizes;
        let rules = rank_hmm::Rules {
            rank,
            start: &self.start,
            chain: match order {
                Order::Rank => rank_hmm::Chain::Rank { a: &self.chain, states },
                Order::State => rank_hmm::Chain::State { u: &self.u, v: &self.v },
            },
            words: &self.emitted,
            word_scales: &self.scales,
            floor: 0.0,
        };
        let lattice = &mut self.lattices[order as usize];
        lattice.forward(&rules, &self.batch, &self.words)?;
        lattice.backward(&rules);
        if gradients {
            lattice.gradients(&rules, 1.0);
            let steps = lattice.steps(&rules, 1.0);
            let [of_u, of_v] = &mut self.matrix_gradients;
            for to in [&mut *of_u, &mut *of_v] {
                to.resize(states * rank, 0.0);
            }
            if order == Order::State {
                steps.u(0..states, of_u);
                steps.v(0..states, of_v);
                return Ok(());
            }
            self.chain_gradient.resize(rank * rank, 0.0);
            steps.chain(&mut self.chain_gradient);
            let of_chain = Matrix::new(&self.chain_gradient, rank, rank);
            product(of_u, Matrix::new(&self.v, states, rank), of_chain, (states, rank));
            product(of_v, Matrix::new(&self.u, states, rank), of_chain.t(), (states, rank));
        }
        Ok(())
    }
}

impl Program for Hmm {
    fn prepare(&mut self) {
        let Sizes { states, rank, .. } = self.sizes;
        let (u, v) = (Matrix::new(&self.u, states, rank), Matrix::new(&self.v, states, rank));
        product(&mut self.chain, v.t(), u, (rank, rank));
    }

    fn parse(&mut self, order: Order) -> Result<()> {
        self.run(order, false)
    }

    fn train(&mut self, order: Order) -> Result<()> {
        if order == Order::Rank {
            self.prepare();
        }
        self.run(order, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(family: Family, order: Order, sizes: [usize; 3]) -> Point {
        let [length, states, rank] = sizes;
        Point { family, order, sizes: Sizes { length, states, rank } }
    }

    #[test]
    fn a_point_is_read_as_it_is_written_and_nothing_else_is() {
        let given = point(Family::Hmm, Order::State, [7, 30, 5]);
        assert_eq!(Point::parse(&given.to_string()).expect("reads"), given);
        for text in ["", "pcfg", "pcfg:rank:1,2,3", "pcfg:rank:2,3", "lstm:rank:2,3,4"] {
            assert!(Point::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn operations_are_those_counted_by_hand() {
        // Three words, two phrases below the whole; four splits.
        let pcfg = |order, task| point(Family::Pcfg, order, [3, 10, 2]).operations(task);
        assert_eq!(pcfg(Order::Rank, Task::Parse), 2.0 * (2.0 * 2.0 * 8.0 + 3.0 * 4.0 * 2.0));
        assert_eq!(pcfg(Order::State, Task::Parse), 2.0 * (2.0 * 2.0 * 60.0 + 24.0));
        assert_eq!(
            pcfg(Order::Rank, Task::Train),
            2.0 * (3.0 * 2.0 * 8.0 + 24.0 + 3.0 * 2.0 * 10.0 * 4.0)
        );
        let hmm = |order, task| point(Family::Hmm, order, [3, 10, 2]).operations(task);
        assert_eq!(hmm(Order::State, Task::Train), 2.0 * 3.0 * 2.0 * 40.0);
        assert_eq!(hmm(Order::Rank, Task::Train), 2.0 * (3.0 * 2.0 * 4.0 + 3.0 * 40.0));
    }

    #[test]
    fn both_orders_of_a_program_give_the_same_gradients() {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let batch = || Batch::new([vec![0_u32, 1, 2, 3]]).expect("words");
        let sizes = Sizes { length: 4, states: 6, rank: 3 };
        let near = |a: &[f32], b: &[f32]| {
            let most = b.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
            assert!(a.len() == b.len() && most > 0.0);
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4 * most), "{a:?} {b:?}");
        };
        let mut pcfg = Pcfg::new(sizes, batch(), &mut rng);
        pcfg.train(Order::Rank).expect("in range");
        let by_rank = pcfg.matrix_gradients.clone();
        pcfg.train(Order::State).expect("in range");
        near(&by_rank[0], &pcfg.gradients.u);
        near(&by_rank[1], &pcfg.gradients.vw);
        let mut hmm = Hmm::new(sizes, batch(), &mut rng);
        hmm.train(Order::Rank).expect("in range");
        let by_rank = hmm.matrix_gradients.clone();
        hmm.train(Order::State).expect("in range");
        near(&by_rank[0], &hmm.matrix_gradients[0]);
        near(&by_rank[1], &hmm.matrix_gradients[1]);
    }
}
