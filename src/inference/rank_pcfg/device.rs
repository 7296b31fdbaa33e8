//! The same program on a device: the host lays out the chart, the kernels fill it. One launch for
//! all spans of a width, matrix products in between; nothing is waited for.

use super::layout::Layout;
use crate::device::{
    ChartPlaces, ChartValues, DeviceError, Doubles, Engine, Groups, Matrix, Reals, Room,
};
use crate::treebank::Batch;

/// Where every span of a batch lives: made on the host, on any thread, before the work begins.
#[derive(Debug)]
pub struct Prepared {
    layout: Layout,
    places: Vec<i32>,
    starts: Vec<i32>,
    base: Vec<i32>,
    prefix: Vec<i32>,
    lengths: Vec<i32>,
    /// Distinct-word number of every one-word row, and these rows by word.
    leaf_of: Vec<i32>,
    first: Vec<i32>,
    rows: Vec<i32>,
}

fn int(x: usize) -> i32 {
    i32::try_from(x).expect("rows of a chart fit 31 bits")
}

impl Prepared {
    /// `leaves` holds, packed like the batch's words, the number of each among `distinct` words;
    /// every sentence has at least two words.
    pub fn new(batch: &Batch, leaves: &[usize], distinct: usize) -> Prepared {
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        assert!(lengths.iter().all(|&n| n >= 2), "one word has no derivation");
        let layout = Layout::new(&lengths);
        let (places, starts) =
            layout.cells.iter().map(|&(place, start)| (place as i32, start as i32)).unzip();
        let leaf_of: Vec<i32> = layout.cells[..layout.base(2)]
            .iter()
            .map(|&(place, start)| {
                int(leaves[batch.offsets()[layout.order[place as usize]] + start as usize])
            })
            .collect();
        let (first, rows) = grouped(&leaf_of, distinct);
        Prepared {
            places,
            starts,
            base: (0..=layout.widest() + 1).map(|w| int(layout.base(w))).collect(),
            prefix: (0..layout.lengths.len()).map(|p| int(layout.prefix(p))).collect(),
            lengths: layout.lengths.iter().map(|&n| int(n)).collect(),
            leaf_of,
            first,
            rows,
            layout,
        }
    }
}

/// Row numbers by group: those of group g are `rows[first[g]..first[g + 1]]`, in order.
pub(in crate::inference) fn grouped(group_of: &[i32], groups: usize) -> (Vec<i32>, Vec<i32>) {
    let mut first = vec![0; groups + 1];
    for &group in group_of {
        first[group as usize + 1] += 1;
    }
    for group in 0..groups {
        first[group + 1] += first[group];
    }
    let mut next = first.clone();
    let mut rows = vec![0; group_of.len()];
    for (row, &group) in group_of.iter().enumerate() {
        let at = &mut next[group as usize];
        rows[*at as usize] = int(row);
        *at += 1;
    }
    (first, rows)
}

/// What the program reads, on the device: see [`Rules`](super::Rules).
#[derive(Clone, Copy, Debug)]
pub struct DeviceRules<'a> {
    pub rank: usize,
    pub children: DeviceChildren<'a>,
    pub root: Reals<'a>,
    pub leaves: Reals<'a>,
    pub leaf_scales: Doubles<'a>,
    pub floor: f64,
}

/// See [`Children`](super::Children).
#[derive(Clone, Copy, Debug)]
pub enum DeviceChildren<'a> {
    /// (r, 2 r)
    Rank(Reals<'a>),
    /// (NT, r) and (NT, 2 r)
    State { u: Reals<'a>, vw: Reals<'a> },
}

impl DeviceChildren<'_> {
    fn between(&self, rank: usize) -> usize {
        match self {
            DeviceChildren::Rank(_) => 0,
            DeviceChildren::State { u, .. } => u.len() / rank,
        }
    }

    /// `to = from` through the matrices, forth (from r to 2 r values a span) or back.
    fn through(
        &self,
        engine: &Engine,
        rank: usize,
        forth: bool,
        [from, between, to]: [Reals<'_>; 3],
    ) -> Result<(), DeviceError> {
        let (narrow, wide) = if forth { (from, to) } else { (to, from) };
        let spans = narrow.len() / rank;
        let narrow = Matrix::new(narrow, spans, rank);
        let wide = Matrix::new(wide, spans, 2 * rank);
        match self {
            DeviceChildren::Rank(children) => {
                let children = Matrix::new(*children, rank, 2 * rank);
                match forth {
                    true => engine.multiply(wide, 0.0, 1.0, narrow, children),
                    false => engine.multiply(narrow, 0.0, 1.0, wide, children.t()),
                }
            }
            DeviceChildren::State { u, vw } => {
                let nt = u.len() / rank;
                let (u, vw) = (Matrix::new(*u, nt, rank), Matrix::new(*vw, nt, 2 * rank));
                let between = Matrix::new(between, spans, nt);
                match forth {
                    true => {
                        engine.multiply(between, 0.0, 1.0, narrow, u.t())?;
                        engine.multiply(wide, 0.0, 1.0, between, vw)
                    }
                    false => {
                        engine.multiply(between, 0.0, 1.0, wide, vw.t())?;
                        engine.multiply(narrow, 0.0, 1.0, between, u)
                    }
                }
            }
        }
    }
}

/// Where the gradients of the rules go, shaped like them; those of the order that was not used
/// may be empty. The last is given where the rules have a floor.
#[derive(Clone, Copy, Debug)]
pub struct DeviceGradients<'a> {
    pub children: Reals<'a>,
    pub u: Reals<'a>,
    pub vw: Reals<'a>,
    pub root: Reals<'a>,
    pub leaves: Reals<'a>,
    pub leaf_scales: Option<Doubles<'a>>,
}

/// Chart of a batch on a device; its buffers are kept between batches.
#[derive(Debug, Default)]
pub struct DeviceChart {
    layout: Layout,
    rank: usize,
    between: usize,
    words: usize,
    places: Room,
    starts: Room,
    base: Room,
    prefix: Room,
    lengths: Room,
    leaf_of: Room,
    first: Room,
    group_rows: Room,
    groups: usize,
    alpha: Room,
    sides: Room,
    states: Room,
    scales: Room,
    alpha_gradient: Room,
    side_gradient: Room,
    state_gradient: Room,
    posteriors: Room,
    scaled_z: Room,
    log_z: Room,
}

impl DeviceChart {
    /// Makes room and copies the layout; `nonterminals` is 0 where states are summed out
    /// beforehand.
    pub fn load(
        &mut self,
        engine: &Engine,
        prepared: &Prepared,
        rank: usize,
        nonterminals: usize,
    ) -> Result<(), DeviceError> {
        self.layout = prepared.layout.clone();
        (self.rank, self.between) = (rank, nonterminals);
        let (rows, places) = (self.layout.len(), self.layout.lengths.len());
        self.words = self.layout.base(2);
        for (room, values) in [
            (&mut self.places, &prepared.places),
            (&mut self.starts, &prepared.starts),
            (&mut self.base, &prepared.base),
            (&mut self.prefix, &prepared.prefix),
            (&mut self.lengths, &prepared.lengths),
            (&mut self.leaf_of, &prepared.leaf_of),
            (&mut self.first, &prepared.first),
            (&mut self.group_rows, &prepared.rows),
        ] {
            room.hold_ints(engine, values)?;
        }
        self.groups = prepared.first.len() - 1;
        let phrases = rows - self.words;
        for (room, len) in [
            (&mut self.alpha, rows * rank),
            (&mut self.sides, rows * 2 * rank),
            (&mut self.states, phrases * nonterminals),
            (&mut self.alpha_gradient, rows * rank),
            (&mut self.side_gradient, rows * 2 * rank),
            (&mut self.state_gradient, phrases * nonterminals),
        ] {
            room.reals(engine, len)?;
        }
        self.scales.doubles(engine, rows)?;
        self.posteriors.doubles(engine, rows)?;
        self.scaled_z.doubles(engine, places)?;
        self.log_z.doubles(engine, places)?;
        Ok(())
    }

    fn values(&self, engine: &Engine) -> ChartValues<'_> {
        let (rows, places) = (self.layout.len(), self.layout.lengths.len());
        ChartValues {
            rank: self.rank,
            at: ChartPlaces {
                places: self.places.as_ints(rows),
                starts: self.starts.as_ints(rows),
                base: self.base.as_ints(self.layout.widest() + 2),
                prefix: self.prefix.as_ints(places),
                lengths: self.lengths.as_ints(places),
            },
            alpha: self.alpha.as_reals(engine, rows * self.rank),
            sides: self.sides.as_reals(engine, rows * 2 * self.rank),
            scales: self.scales.as_doubles(rows),
        }
    }

    /// Rows of a width, and the part of the states between that belongs to them.
    fn spans(&self, width: usize) -> (usize, usize) {
        let from = self.layout.base(width);
        (from, self.layout.base(width + 1) - from)
    }

    fn states_of<'a>(&self, all: Reals<'a>, from: usize, count: usize) -> Reals<'a> {
        let at = (from - self.words) * self.between;
        all.slice(at..at + count * self.between)
    }

    fn groups(&self) -> Groups<'_> {
        Groups {
            first: self.first.as_ints(self.groups + 1),
            rows: self.group_rows.as_ints(self.words),
        }
    }

    /// Fills the chart with the inside scores.
    pub fn inside(&self, engine: &Engine, rules: &DeviceRules<'_>) -> Result<(), DeviceError> {
        let r = self.rank;
        assert_eq!((rules.rank, rules.children.between(r)), (r, self.between));
        let values = self.values(engine);
        let leaf_of = self.leaf_of.as_ints(self.words);
        engine.leaf_sides(&values, rules.leaves, rules.leaf_scales, leaf_of, rules.floor)?;
        let phrases = self.layout.len() - self.words;
        let states = self.states.as_reals(engine, phrases * self.between);
        for width in 2..=self.layout.widest() {
            let (from, count) = self.spans(width);
            engine.combine(&values, width, from, count)?;
            if width < self.layout.widest() {
                let alpha = values.alpha.slice(from * r..(from + count) * r);
                let sides = values.sides.slice(from * 2 * r..(from + count) * 2 * r);
                let between = self.states_of(states, from, count);
                rules.children.through(engine, r, true, [alpha, between, sides])?;
                if rules.floor > 0.0 {
                    engine.add_constant(sides, rules.floor)?;
                }
            }
        }
        let (scaled_z, log_z) = self.ends();
        engine.inside_end(&values, rules.root, rules.floor, scaled_z, log_z)
    }

    fn ends(&self) -> (Doubles<'_>, Doubles<'_>) {
        let places = self.layout.lengths.len();
        (self.scaled_z.as_doubles(places), self.log_z.as_doubles(places))
    }

    /// log Z of every sentence of the batch, nats; waits. Not finite where a score left the range
    /// of the number type.
    pub fn log_z(&self, engine: &Engine) -> Result<Vec<f64>, DeviceError> {
        let by_place = engine.read_doubles(self.ends().1)?;
        let mut log_z = vec![0.0; by_place.len()];
        for (place, z) in by_place.into_iter().enumerate() {
            log_z[self.layout.order[place]] = z;
        }
        Ok(log_z)
    }

    /// Fills the gradients of the summed log Z, after [`DeviceChart::inside`]; posteriors where
    /// they are wanted.
    pub fn outside(
        &self,
        engine: &Engine,
        rules: &DeviceRules<'_>,
        posteriors: bool,
    ) -> Result<(), DeviceError> {
        let (r, rows) = (self.rank, self.layout.len());
        let values = self.values(engine);
        let alpha_gradient = self.alpha_gradient.as_reals(engine, rows * r);
        let side_gradient = self.side_gradient.as_reals(engine, rows * 2 * r);
        let phrases = rows - self.words;
        let states = self.state_gradient.as_reals(engine, phrases * self.between);
        let with_scales = rules.floor > 0.0;
        let gradients = [alpha_gradient, side_gradient];
        for width in (1..=self.layout.widest()).rev() {
            let (from, count) = self.spans(width);
            engine.gather(&values, gradients, width, (from, count))?;
            if width == 1 {
                break;
            }
            let alpha = alpha_gradient.slice(from * r..(from + count) * r);
            if width < self.layout.widest() {
                let sides = side_gradient.slice(from * 2 * r..(from + count) * 2 * r);
                let between = self.states_of(states, from, count);
                rules.children.through(engine, r, false, [sides, between, alpha])?;
            } else {
                engine.clear(alpha)?;
            }
            let first = self.layout.lengths.partition_point(|&n| n > width);
            let whole = self.layout.lengths[first..].partition_point(|&n| n == width);
            let scaled_z = self.ends().0;
            engine.top_gradient(&values, alpha_gradient, rules.root, scaled_z, (first, whole))?;
            if posteriors || with_scales {
                let to = self.posteriors.as_doubles(rows);
                engine.posteriors(&values, gradients, to, width, (from, count), with_scales)?;
            }
        }
        Ok(())
    }

    /// `weight` times the gradient of the summed log Z, after [`DeviceChart::outside`].
    pub fn gradients(
        &self,
        engine: &Engine,
        rules: &DeviceRules<'_>,
        weight: f64,
        into: &DeviceGradients<'_>,
    ) -> Result<(), DeviceError> {
        let (r, rows) = (self.rank, self.layout.len());
        let values = self.values(engine);
        let side_gradient = self.side_gradient.as_reals(engine, rows * 2 * r);
        engine.root_gradient(&values, into.root, self.ends().0, weight)?;
        engine.sum_groups(into.leaves, side_gradient, self.groups(), weight)?;
        if let Some(to) = into.leaf_scales {
            let pair = [values.sides, side_gradient];
            engine.dot_groups(to, pair, 2 * r, self.groups(), weight)?;
        }
        // Widest spans have no sides; in between, whole sentences have a zero gradient.
        let end = self.layout.base(self.layout.widest()).max(self.words);
        let spans = end - self.words;
        let alpha = Matrix::new(values.alpha.slice(self.words * r..end * r), spans, r);
        let sides = side_gradient.slice(self.words * 2 * r..end * 2 * r);
        let sides = Matrix::new(sides, spans, 2 * r);
        let product = |to: Reals<'_>, shape: (usize, usize), a: Matrix<'_>, b: Matrix<'_>| {
            // Sentences of two words have no span that is a child.
            match spans {
                0 => engine.clear(to),
                _ => engine.multiply(Matrix::new(to, shape.0, shape.1), 0.0, weight, a.t(), b),
            }
        };
        match rules.children {
            DeviceChildren::Rank(_) => product(into.children, (r, 2 * r), alpha, sides),
            DeviceChildren::State { .. } => {
                let nt = self.between;
                let states = Matrix::new(self.states.as_reals(engine, spans * nt), spans, nt);
                let gradient = self.state_gradient.as_reals(engine, spans * nt);
                let gradient = Matrix::new(gradient, spans, nt);
                product(into.vw, (nt, 2 * r), states, sides)?;
                product(into.u, (nt, r), gradient, alpha)
            }
        }
    }

    /// Posterior of span `[i, j)` at `i * (n + 1) + j` for width 2 and more, else 0, of every
    /// sentence of the batch; after [`DeviceChart::outside`] with posteriors; waits.
    pub fn posteriors(&self, engine: &Engine) -> Result<Vec<Vec<f64>>, DeviceError> {
        let all = engine.read_doubles(self.posteriors.as_doubles(self.layout.len()))?;
        let mut out = vec![Vec::new(); self.layout.order.len()];
        for (place, &n) in self.layout.lengths.iter().enumerate() {
            let own = &mut out[self.layout.order[place]];
            own.resize((n + 1) * (n + 1), 0.0);
            for width in 2..=n {
                for start in 0..=n - width {
                    own[start * (n + 1) + start + width] =
                        all[self.layout.row(place, start, width)];
                }
            }
        }
        Ok(out)
    }
}
