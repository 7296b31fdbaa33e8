//! The kernels as functions: shapes are checked here, equations stand beside the kernels.

mod chart;
mod lattice;
mod softmax;

pub use chart::{ChartPlaces, ChartValues};
pub use lattice::LatticeValues;

use super::driver::Arg::{Double, Int, Long, Pointer, Real};
use super::{Bytes, DeviceError, Doubles, Engine, Ints, Reals, Room};

/// Threads of a block of elementwise kernels.
const ELEMENTS: usize = 256;
/// Most blocks of an elementwise kernel; each then takes several elements a thread.
const BLOCKS: usize = 1 << 14;
/// Rows that a block of a column-wise kernel adds up.
const CHUNK: usize = 256;
/// Parts of a sum of squares.
const PARTS: usize = 1024;

type Done = Result<(), DeviceError>;

fn int(x: usize) -> super::driver::Arg {
    Int(i32::try_from(x).expect("sizes fit 31 bits"))
}

/// A power of two: no more threads than columns, for a block a row.
fn threads(columns: usize) -> usize {
    columns.next_power_of_two().clamp(32, 1024)
}

/// Sums of columns under way: their parts, and what the softmax of columns keeps.
#[derive(Debug, Default)]
pub struct Columns {
    tops: Room,
    sums: Room,
}

/// Rows of a chart or lattice in groups: group g has `rows[first[g]..first[g + 1]]`.
#[derive(Clone, Copy, Debug)]
pub struct Groups<'a> {
    pub first: Ints<'a>,
    pub rows: Ints<'a>,
}

/// What an update of Adam multiplies with, the same for every parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdamFactors {
    /// Largest norm of the gradient; 0: no clipping.
    pub clip: f64,
    pub beta1: f64,
    pub beta2: f64,
    /// Learning rate over 1 - beta1^t.
    pub step_size: f64,
    /// Root of 1 - beta2^t.
    pub root_correction: f64,
    /// AdamW: the parameter is multiplied with it first.
    pub decoupled: f64,
    /// Adam: times the parameter, added to the gradient.
    pub coupled: f64,
}

/// Entries to leave out of a matrix.
#[derive(Clone, Copy, Debug)]
pub enum Dropped<'a> {
    Nothing,
    Drawn { share: f64, seed: u64, step: u64 },
    Given(Bytes<'a>),
}

impl Engine {
    fn each(&self, kernel: &'static str, n: usize, args: &[super::driver::Arg]) -> Done {
        self.launch(kernel, [n.div_ceil(ELEMENTS).min(BLOCKS), 1], ELEMENTS, args)
    }

    /// A block a row of so many columns.
    fn by_row(
        &self,
        kernel: &'static str,
        (rows, columns): (usize, usize),
        args: &[super::driver::Arg],
    ) -> Done {
        self.launch(kernel, [rows, 1], threads(columns), args)
    }

    pub fn fill(&self, x: Reals<'_>, value: f64) -> Done {
        self.each("fill", x.len(), &[Pointer(x.at()), Real(value), Long(x.len() as u64)])
    }

    pub fn add_constant(&self, x: Reals<'_>, value: f64) -> Done {
        self.each("add_constant", x.len(), &[Pointer(x.at()), Real(value), Long(x.len() as u64)])
    }

    /// `to = a + b`
    pub fn add(&self, to: Reals<'_>, a: Reals<'_>, b: Reals<'_>) -> Done {
        assert!(to.len() == a.len() && to.len() == b.len());
        let args = [Pointer(to.at()), Pointer(a.at()), Pointer(b.at()), Long(to.len() as u64)];
        self.each("add", to.len(), &args)
    }

    /// Adds a bias to every row of y, and rectifies where asked.
    pub fn add_bias(&self, y: Reals<'_>, bias: Reals<'_>, relu: bool) -> Done {
        assert_eq!(y.len() % bias.len(), 0);
        let args = [
            Pointer(y.at()),
            Pointer(bias.at()),
            Long(y.len() as u64),
            int(bias.len()),
            Int(relu.into()),
        ];
        self.each("add_bias", y.len(), &args)
    }

    /// Clears the gradient where the rectified output y is zero.
    pub fn mask_relu(&self, gradient: Reals<'_>, y: Reals<'_>) -> Done {
        assert_eq!(gradient.len(), y.len());
        let args = [Pointer(gradient.at()), Pointer(y.at()), Long(y.len() as u64)];
        self.each("mask_relu", y.len(), &args)
    }

    /// Every row of x times its factor.
    pub fn scale_rows(&self, x: Reals<'_>, factors: Reals<'_>) -> Done {
        if x.is_empty() {
            return Ok(());
        }
        let columns = int(x.len() / factors.len());
        let args = [Pointer(x.at()), Pointer(factors.at()), Long(x.len() as u64), columns];
        self.each("scale_rows", x.len(), &args)
    }

    /// `to = -from` with every row times its factor.
    pub fn scaled_copy(&self, to: Reals<'_>, from: Reals<'_>, factors: Reals<'_>) -> Done {
        self.rows_of("scaled_copy", to, from, factors)
    }

    /// `to -= from` with every row times its factor.
    pub fn subtract_scaled(&self, to: Reals<'_>, from: Reals<'_>, factors: Reals<'_>) -> Done {
        self.rows_of("subtract_scaled", to, from, factors)
    }

    fn rows_of(&self, kernel: &'static str, to: Reals, from: Reals, factors: Reals) -> Done {
        assert_eq!(to.len(), from.len());
        let args = [
            Pointer(to.at()),
            Pointer(from.at()),
            Pointer(factors.at()),
            Long(to.len() as u64),
            int(to.len() / factors.len().max(1)),
        ];
        self.each(kernel, to.len(), &args)
    }

    /// `to = factor * a * b`, elementwise.
    pub fn product(&self, to: Reals<'_>, a: Reals<'_>, b: Reals<'_>, factor: f64) -> Done {
        assert!(to.len() == a.len() && to.len() == b.len());
        let args = [
            Pointer(to.at()),
            Pointer(a.at()),
            Pointer(b.at()),
            Real(factor),
            Long(to.len() as u64),
        ];
        self.each("product", to.len(), &args)
    }

    /// Rows of `from` by number.
    pub fn gather_rows(&self, to: Reals<'_>, from: Reals<'_>, rows: Ints<'_>) -> Done {
        self.by_number("gather_rows", to, from, rows)
    }

    /// Adds the rows of `from` to those of `to` by number; no number comes twice.
    pub fn scatter_rows(&self, to: Reals<'_>, from: Reals<'_>, rows: Ints<'_>) -> Done {
        let n = from.len();
        let columns = int(n / rows.len().max(1));
        let args =
            [Pointer(to.at()), Pointer(from.at()), Pointer(rows.at()), Long(n as u64), columns];
        self.each("scatter_rows", n, &args)
    }

    fn by_number(&self, kernel: &'static str, to: Reals, from: Reals, rows: Ints) -> Done {
        let n = to.len();
        let columns = int(n / rows.len().max(1));
        let args =
            [Pointer(to.at()), Pointer(from.at()), Pointer(rows.at()), Long(n as u64), columns];
        self.each(kernel, n, &args)
    }

    /// `factor` times the sums of the rows of each group.
    pub fn sum_groups(&self, to: Reals, from: Reals, groups: Groups, factor: f64) -> Done {
        let count = groups.first.len() - 1;
        let columns = to.len() / count;
        let args = [
            Pointer(to.at()),
            Pointer(from.at()),
            Pointer(groups.first.at()),
            Pointer(groups.rows.at()),
            int(columns),
            Real(factor),
        ];
        self.by_row("sum_groups", (count, columns), &args)
    }

    /// `factor` times the summed dot products of the rows of each group.
    pub fn dot_groups(
        &self,
        to: Doubles<'_>,
        [a, b]: [Reals<'_>; 2],
        columns: usize,
        groups: Groups<'_>,
        factor: f64,
    ) -> Done {
        let args = [
            Pointer(to.at()),
            Pointer(a.at()),
            Pointer(b.at()),
            Pointer(groups.first.at()),
            Pointer(groups.rows.at()),
            int(columns),
            Double(factor),
        ];
        self.by_row("dot_groups", (groups.first.len() - 1, columns), &args)
    }

    /// Dot products of the rows of a and b.
    pub fn row_dots(&self, to: Reals<'_>, a: Reals<'_>, b: Reals<'_>) -> Done {
        assert_eq!(a.len(), b.len());
        let columns = a.len() / to.len();
        let args = [Pointer(to.at()), Pointer(a.at()), Pointer(b.at()), int(columns)];
        self.by_row("row_dots", (to.len(), columns), &args)
    }

    /// `factor` times the sums over rows of a, of a times b, or of a times a weight a row; added
    /// to what is there or not.
    pub fn column_sums(
        &self,
        to: Reals<'_>,
        a: Reals<'_>,
        by: By<'_>,
        (factor, add): (f64, bool),
        scratch: &mut Columns,
    ) -> Done {
        let columns = to.len();
        let rows = a.len() / columns;
        let chunks = rows.div_ceil(CHUNK).max(1);
        let partial = scratch.sums.doubles(self, chunks * columns)?;
        let (b, weights) = match by {
            By::Nothing => (0, 0),
            By::Elements(b) => {
                assert_eq!(a.len(), b.len());
                (b.at(), 0)
            }
            By::Rows(weights) => {
                assert_eq!(rows, weights.len());
                (0, weights.at())
            }
        };
        let args = [
            Pointer(partial.at()),
            Pointer(a.at()),
            Pointer(b),
            Pointer(weights),
            int(rows),
            int(columns),
            int(CHUNK),
        ];
        self.launch("column_sums", [columns.div_ceil(32), chunks], ELEMENTS, &args)?;
        let args = [
            Pointer(to.at()),
            Pointer(partial.at()),
            int(chunks),
            int(columns),
            Real(factor),
            Int(add.into()),
        ];
        self.each("join_columns", columns, &args)
    }

    /// Sum of squares, to one double.
    pub fn norm_squared(&self, to: Doubles<'_>, x: Reals<'_>, scratch: &mut Room) -> Done {
        let partial = scratch.doubles(self, PARTS)?;
        let args = [Pointer(partial.at()), Pointer(x.at()), Long(x.len() as u64)];
        self.launch("squares", [PARTS, 1], ELEMENTS, &args)?;
        let args = [Pointer(to.at()), Pointer(partial.at()), int(PARTS)];
        self.launch("join_squares", [1, 1], ELEMENTS, &args)
    }

    /// Updates parameters and moments; nothing happens where the norm is no number.
    pub fn adam(
        &self,
        [parameter, gradient, first, second]: [Reals<'_>; 4],
        norm_squared: Doubles<'_>,
        factors: AdamFactors,
    ) -> Done {
        let n = parameter.len();
        assert!(gradient.len() == n && first.len() == n && second.len() == n);
        let args = [
            Pointer(parameter.at()),
            Pointer(gradient.at()),
            Pointer(first.at()),
            Pointer(second.at()),
            Pointer(norm_squared.at()),
            Double(factors.clip),
            Double(factors.beta1),
            Double(factors.beta2),
            Double(factors.step_size),
            Double(factors.root_correction),
            Double(factors.decoupled),
            Double(factors.coupled),
            Long(n as u64),
        ];
        self.each("adam", n, &args)
    }

    /// Every row of `to` becomes `from`.
    pub fn repeat_row(&self, to: Reals<'_>, from: Reals<'_>) -> Done {
        let args = [Pointer(to.at()), Pointer(from.at()), Long(to.len() as u64), int(from.len())];
        self.each("repeat_row", to.len(), &args)
    }

    /// Multiplies by `factor` and sets dropped entries to `value`; where `keep_one` is set, no row
    /// loses everything.
    pub fn drop_rows(
        &self,
        x: Reals<'_>,
        columns: usize,
        dropped: Dropped<'_>,
        (value, factor): (f64, f64),
        keep_one: bool,
    ) -> Done {
        let rows = x.len() / columns;
        let keep = Int(keep_one.into());
        let sizes = [int(rows), int(columns)];
        match dropped {
            Dropped::Nothing => Ok(()),
            Dropped::Drawn { share, seed, step } => {
                let [rows_arg, columns_arg] = sizes;
                let args = [
                    Pointer(x.at()),
                    rows_arg,
                    columns_arg,
                    Double(share),
                    Long(seed),
                    Long(step),
                    Real(value),
                    Real(factor),
                    keep,
                ];
                // A thread a row: narrow blocks spread over the card.
                self.launch("drop_rows", [rows.div_ceil(32), 1], 32, &args)
            }
            Dropped::Given(bytes) => {
                assert_eq!(bytes.len(), x.len());
                let [rows_arg, columns_arg] = sizes;
                let args = [
                    Pointer(x.at()),
                    Pointer(bytes.at()),
                    rows_arg,
                    columns_arg,
                    Real(value),
                    Real(factor),
                    keep,
                ];
                self.launch("drop_given", [rows.div_ceil(32), 1], 32, &args)
            }
        }
    }

    /// Sets dropped logits to minus infinity where every column is the group of a softmax, which
    /// keeps one if it would lose everything.
    pub fn drop_columns(
        &self,
        x: Reals<'_>,
        columns: usize,
        dropped: Dropped<'_>,
        scratch: &mut Room,
    ) -> Done {
        if matches!(dropped, Dropped::Nothing) {
            return Ok(());
        }
        let rows = x.len() / columns;
        let spare = scratch.reals(self, columns)?;
        let args = [Pointer(spare.at()), Pointer(x.at()), int(rows), int(columns)];
        self.each("save_spare", columns, &args)?;
        self.drop_rows(x, columns, dropped, (f64::NEG_INFINITY, 1.0), false)?;
        let args = [Pointer(x.at()), Pointer(spare.at()), int(rows), int(columns)];
        self.each("restore_spare", columns, &args)
    }
}

/// What the elements of a sum over rows are multiplied with.
#[derive(Clone, Copy, Debug)]
pub enum By<'a> {
    Nothing,
    Elements(Reals<'a>),
    /// One weight a row.
    Rows(Reals<'a>),
}
