//! The same program on a device: the host lays out the rows, the kernels fill them, a product or
//! two between time steps; nothing is waited for.

use super::Layout;
use crate::device::{
    By, Columns, DeviceError, Doubles, Engine, Groups, LatticeValues, Matrix, Reals, Room,
};
use crate::inference::rank_pcfg::device::grouped;
use crate::treebank::Batch;
use std::ops::Range;

/// Where every word of a batch lives: made on the host, on any thread, before the work begins.
#[derive(Debug)]
pub struct Prepared {
    layout: Layout,
    /// Distinct-word number of every row, and the rows by word.
    word_of: Vec<i32>,
    first: Vec<i32>,
    rows: Vec<i32>,
    /// Rows before and behind each step from one word to the next.
    before: Vec<i32>,
    behind: Vec<i32>,
}

impl Prepared {
    /// `words` holds, packed like the batch's words, the number of each among `distinct` words.
    pub fn new(batch: &Batch, words: &[usize], distinct: usize) -> Prepared {
        let layout = Layout::new(batch);
        let mut word_of = Vec::new();
        for t in 0..layout.steps() {
            let going = &layout.order[..layout.going(t)];
            word_of.extend(going.iter().map(|&b| words[batch.offsets()[b] + t] as i32));
        }
        let (first, rows) = grouped(&word_of, distinct);
        let (before, behind) = (1..layout.steps())
            .flat_map(|t| {
                let (before, from) = (layout.base[t - 1], layout.base[t]);
                (0..layout.going(t)).map(move |p| ((before + p) as i32, (from + p) as i32))
            })
            .unzip();
        Prepared { layout, word_of, first, rows, before, behind }
    }
}

/// What the program reads, on the device: see [`Rules`](super::Rules).
#[derive(Clone, Copy, Debug)]
pub struct DeviceRules<'a> {
    pub rank: usize,
    pub start: Reals<'a>,
    pub chain: DeviceChain<'a>,
    pub words: Reals<'a>,
    pub word_scales: Doubles<'a>,
    pub floor: f64,
    /// States that may follow the last word: the published floor counts them.
    pub states: usize,
}

/// See [`Chain`](super::Chain).
#[derive(Clone, Copy, Debug)]
pub enum DeviceChain<'a> {
    /// A: (r, r)
    Rank(Reals<'a>),
    /// U and V: (states, r); the chain is V^T U.
    State { u: Reals<'a>, v: Reals<'a> },
}

impl DeviceChain<'_> {
    fn between(&self, rank: usize) -> usize {
        match self {
            DeviceChain::Rank(_) => 0,
            DeviceChain::State { u, .. } => u.len() / rank,
        }
    }

    /// `to = from A`, or with its transpose.
    fn through(
        &self,
        engine: &Engine,
        rank: usize,
        forth: bool,
        [from, between, to]: [Reals<'_>; 3],
    ) -> Result<(), DeviceError> {
        let rows = from.len() / rank;
        let (from, to) = (Matrix::new(from, rows, rank), Matrix::new(to, rows, rank));
        match self {
            DeviceChain::Rank(a) => {
                let a = Matrix::new(*a, rank, rank);
                engine.multiply(to, 0.0, 1.0, from, if forth { a } else { a.t() })
            }
            DeviceChain::State { u, v } => {
                let states = u.len() / rank;
                let (first, second) = if forth { (*v, *u) } else { (*u, *v) };
                let between = Matrix::new(between, rows, states);
                let first = Matrix::new(first, states, rank).t();
                engine.multiply(between, 0.0, 1.0, from, first)?;
                engine.multiply(to, 0.0, 1.0, between, Matrix::new(second, states, rank))
            }
        }
    }
}

/// The sequences of a batch on a device; buffers are kept between batches.
#[derive(Debug, Default)]
pub struct DeviceLattice {
    layout: Layout,
    rank: usize,
    states: usize,
    groups: usize,
    steps: usize,
    word_of: Room,
    first: Room,
    group_rows: Room,
    before: Room,
    behind: Room,
    expected: Room,
    alpha: Room,
    sums: Room,
    log_z: Room,
    expected_gradient: Room,
    alpha_gradient: Room,
    word_gradient: Room,
    between: Room,
    between_gradient: Room,
    /// Both sides of every step, brought together.
    gathered: [Room; 5],
    columns: Columns,
}

/// Values brought together at each step, shaped (steps, r) or (steps, states).
#[derive(Clone, Copy, Debug)]
struct Sides<'a> {
    alpha: Reals<'a>,
    alpha_gradient: Reals<'a>,
    next_gradient: Reals<'a>,
    between: Reals<'a>,
    between_gradient: Reals<'a>,
}

impl DeviceLattice {
    /// Makes room and copies the layout; `states` is 0 where they are summed out beforehand.
    pub fn load(
        &mut self,
        engine: &Engine,
        prepared: &Prepared,
        rank: usize,
        states: usize,
    ) -> Result<(), DeviceError> {
        self.layout = prepared.layout.clone();
        (self.rank, self.states) = (rank, states);
        (self.groups, self.steps) = (prepared.first.len() - 1, prepared.before.len());
        for (room, values) in [
            (&mut self.word_of, &prepared.word_of),
            (&mut self.first, &prepared.first),
            (&mut self.group_rows, &prepared.rows),
            (&mut self.before, &prepared.before),
            (&mut self.behind, &prepared.behind),
        ] {
            room.hold_ints(engine, values)?;
        }
        let rows = self.layout.rows();
        for (room, len) in [
            (&mut self.expected, rows * rank),
            (&mut self.alpha, rows * rank),
            (&mut self.sums, rows),
            (&mut self.expected_gradient, rows * rank),
            (&mut self.alpha_gradient, rows * rank),
            (&mut self.word_gradient, rows * rank),
            (&mut self.between, rows * states),
            (&mut self.between_gradient, rows * states),
        ] {
            room.reals(engine, len)?;
        }
        self.log_z.doubles(engine, rows)?;
        Ok(())
    }

    fn values<'a>(&'a self, engine: &Engine, rules: &DeviceRules<'a>) -> LatticeValues<'a> {
        let (rows, r) = (self.layout.rows(), self.rank);
        LatticeValues {
            rank: r,
            words: rules.words,
            word_scales: rules.word_scales,
            word_of: self.word_of.as_ints(rows),
            expected: self.expected.as_reals(engine, rows * r),
            alpha: self.alpha.as_reals(engine, rows * r),
            sums: self.sums.as_reals(engine, rows),
            log_z: self.log_z.as_doubles(rows),
        }
    }

    fn rows_of<'a>(&self, all: Reals<'a>, rows: Range<usize>, width: usize) -> Reals<'a> {
        all.slice(rows.start * width..rows.end * width)
    }

    /// Forward.
    pub fn forward(&self, engine: &Engine, rules: &DeviceRules<'_>) -> Result<(), DeviceError> {
        let (r, rows) = (self.rank, self.layout.rows());
        assert_eq!((rules.rank, rules.chain.between(r)), (r, self.states));
        let values = self.values(engine, rules);
        let between = self.between.as_reals(engine, rows * self.states);
        for t in 0..self.layout.steps() {
            let (from, to) = (self.layout.base[t], self.layout.base[t + 1]);
            let own = self.rows_of(values.expected, from..to, r);
            if t == 0 {
                engine.repeat_row(own, rules.start)?;
            } else {
                let before = self.layout.base[t - 1];
                let last = before..before + to - from;
                let alpha = self.rows_of(values.alpha, last.clone(), r);
                let between = self.rows_of(between, last, self.states);
                rules.chain.through(engine, r, true, [alpha, between, own])?;
            }
            engine.hmm_forward(&values, rules.floor, (from, to - from))?;
        }
        Ok(())
    }

    /// log p(word | words before) of every word of every sentence, nats; waits. Not finite where a
    /// probability left the range of the number type.
    pub fn log_z(&self, engine: &Engine) -> Result<Vec<Vec<f64>>, DeviceError> {
        let all = engine.read_doubles(self.log_z.as_doubles(self.layout.rows()))?;
        let mut out = vec![Vec::new(); self.layout.order.len()];
        for t in 0..self.layout.steps() {
            for place in 0..self.layout.going(t) {
                out[self.layout.order[place]].push(all[self.layout.base[t] + place]);
            }
        }
        Ok(out)
    }

    /// Backward, after [`DeviceLattice::forward`] with the same rules.
    pub fn backward(&self, engine: &Engine, rules: &DeviceRules<'_>) -> Result<(), DeviceError> {
        let (r, rows) = (self.rank, self.layout.rows());
        let values = self.values(engine, rules);
        let [expected_gradient, alpha_gradient, word_gradient] =
            [&self.expected_gradient, &self.alpha_gradient, &self.word_gradient]
                .map(|room| room.as_reals(engine, rows * r));
        let between = self.between_gradient.as_reals(engine, rows * self.states);
        for t in (0..self.layout.steps()).rev() {
            let (from, to) = (self.layout.base[t], self.layout.base[t + 1]);
            // Sentences that end here have nothing behind them.
            let further = if t + 1 < self.layout.steps() { self.layout.going(t + 1) } else { 0 };
            engine.clear(self.rows_of(alpha_gradient, from + further..to, r))?;
            if further > 0 {
                let next = self.rows_of(expected_gradient, to..to + further, r);
                let own = from..from + further;
                let between = self.rows_of(between, own.clone(), self.states);
                let own = self.rows_of(alpha_gradient, own, r);
                rules.chain.through(engine, r, false, [next, between, own])?;
            }
            let gradients = [alpha_gradient, expected_gradient, word_gradient];
            engine.hmm_backward(&values, gradients, (from, to - from))?;
        }
        Ok(())
    }

    /// `weight` times the gradients of the start, (r), and of log W, (words, r), after
    /// [`DeviceLattice::backward`].
    pub fn gradients(
        &mut self,
        engine: &Engine,
        weight: f64,
        start: Reals<'_>,
        log_words: Reals<'_>,
    ) -> Result<(), DeviceError> {
        let (r, rows) = (self.rank, self.layout.rows());
        let expected = self.expected_gradient.as_reals(engine, rows * r);
        let first = self.layout.order.len() * r;
        let first = expected.slice(0..first);
        engine.column_sums(start, first, By::Nothing, (weight, false), &mut self.columns)?;
        let groups = Groups {
            first: self.first.as_ints(self.groups + 1),
            rows: self.group_rows.as_ints(rows),
        };
        let words = self.word_gradient.as_reals(engine, rows * r);
        engine.sum_groups(log_words, words, groups, weight)
    }

    /// Brings both sides of every step together, for the gradients of the chain.
    pub fn gather(&mut self, engine: &Engine) -> Result<(), DeviceError> {
        let (r, rows, steps) = (self.rank, self.layout.rows(), self.steps);
        let sources = [
            (&self.alpha, &self.before, r),
            (&self.alpha_gradient, &self.before, r),
            (&self.expected_gradient, &self.behind, r),
            (&self.between, &self.before, self.states),
            (&self.between_gradient, &self.before, self.states),
        ];
        for (room, (source, numbers, width)) in self.gathered.iter_mut().zip(sources) {
            let to = room.reals(engine, steps * width)?;
            if steps * width > 0 {
                let source = source.as_reals(engine, rows * width);
                engine.gather_rows(to, source, numbers.as_ints(steps))?;
            }
        }
        Ok(())
    }

    fn sides(&self, engine: &Engine) -> Sides<'_> {
        let part = |number: usize, width: usize| {
            self.gathered[number].as_reals(engine, self.steps * width)
        };
        Sides {
            alpha: part(0, self.rank),
            alpha_gradient: part(1, self.rank),
            next_gradient: part(2, self.rank),
            between: part(3, self.states),
            between_gradient: part(4, self.states),
        }
    }

    /// `weight` times the gradient of A: (r, r); after [`DeviceLattice::gather`], as are the
    /// others below.
    pub fn chain_gradient(
        &self,
        engine: &Engine,
        weight: f64,
        to: Reals<'_>,
    ) -> Result<(), DeviceError> {
        let sides = self.sides(engine);
        let alpha = Matrix::new(sides.alpha, self.steps, self.rank);
        let to = (to, Matrix::new(to, self.rank, self.rank));
        self.product(engine, weight, to, alpha, sides.next_gradient)
    }

    /// `weight` times rows of the gradient of U: (rows, r).
    pub fn u_gradient(
        &self,
        engine: &Engine,
        weight: f64,
        states: Range<usize>,
        to: Reals<'_>,
    ) -> Result<(), DeviceError> {
        let sides = self.sides(engine);
        let matrix = Matrix::new(to, states.len(), self.rank);
        let between = Matrix::new(sides.between, self.steps, self.states).columns(states);
        self.product(engine, weight, (to, matrix), between, sides.next_gradient)
    }

    /// `weight` times rows of the gradient of V: (rows, r).
    pub fn v_gradient(
        &self,
        engine: &Engine,
        weight: f64,
        states: Range<usize>,
        to: Reals<'_>,
    ) -> Result<(), DeviceError> {
        let sides = self.sides(engine);
        let matrix = Matrix::new(to, states.len(), self.rank);
        let between = Matrix::new(sides.between_gradient, self.steps, self.states).columns(states);
        self.product(engine, weight, (to, matrix), between, sides.alpha)
    }

    /// `weight` times the sum over states of V times its gradient: (r).
    pub fn v_dots(
        &mut self,
        engine: &Engine,
        weight: f64,
        to: Reals<'_>,
    ) -> Result<(), DeviceError> {
        if self.steps == 0 {
            return engine.clear(to);
        }
        let mut columns = std::mem::take(&mut self.columns);
        let sides = self.sides(engine);
        let by = By::Elements(sides.alpha_gradient);
        let done = engine.column_sums(to, sides.alpha, by, (weight, false), &mut columns);
        self.columns = columns;
        done
    }

    /// `to = weight * left^T right`; zero where no sentence has a second word.
    fn product(
        &self,
        engine: &Engine,
        weight: f64,
        (to, matrix): (Reals<'_>, Matrix<'_>),
        left: Matrix<'_>,
        right: Reals<'_>,
    ) -> Result<(), DeviceError> {
        match self.steps {
            0 => engine.clear(to),
            steps => {
                let right = Matrix::new(right, steps, self.rank);
                engine.multiply(matrix, 0.0, weight, left.t(), right)
            }
        }
    }
}
