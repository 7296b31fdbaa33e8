//! A device opened for one number type, and its matrix products.

use super::driver::{Arg, Block, DeviceError, Driver, Operand, Product};
use super::emulated::Emulated;
use super::slices::{Bytes, Doubles, Ints, Reals};
use super::{Choice, DeviceInfo};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How a device computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// f64 in place of f32.
    pub double: bool,
    /// Factors of matrix products rounded to 11 bits (TF32), sums in f32: quicker on cards with
    /// tensor cores, and less exact.
    pub tf32: bool,
}

/// A device, ready to compute.
#[derive(Clone)]
pub struct Engine {
    driver: Arc<dyn Driver>,
    options: Options,
    /// Bytes of all blocks that are alive.
    taken: Arc<AtomicU64>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Engine({}, {:?})", self.driver.info().name, self.options)
    }
}

impl Engine {
    /// Opens a device.
    ///
    /// # Errors
    /// [`DeviceError::Missing`] with what is missing, in one sentence.
    pub fn open(choice: Choice, options: Options) -> Result<Engine, DeviceError> {
        let driver: Arc<dyn Driver> = match choice {
            Choice::Emulated => Arc::new(Emulated::open(options)?),
            #[cfg(feature = "cuda")]
            Choice::Cuda(number) => Arc::new(super::cuda::Cuda::open(number, options)?),
            #[cfg(not(feature = "cuda"))]
            Choice::Cuda(_) => {
                return Err(DeviceError::Missing(super::list::NOT_BUILT.into()));
            }
        };
        Ok(Engine { driver, options, taken: Arc::default() })
    }

    pub fn options(&self) -> Options {
        self.options
    }

    /// As users write it, with its present memory.
    pub fn info(&self) -> DeviceInfo {
        self.driver.info()
    }

    /// Bytes of a number.
    pub fn unit(&self) -> usize {
        if self.options.double { 8 } else { 4 }
    }

    pub(super) fn allocate(&self, bytes: usize) -> Result<Taken, DeviceError> {
        let block = self.driver.allocate(bytes.max(1))?;
        self.taken.fetch_add(bytes as u64, Ordering::Relaxed);
        Ok(Taken { block, bytes: bytes as u64, all: self.taken.clone() })
    }

    /// Memory that is taken now, bytes.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    pub fn write(&self, to: Reals<'_>, values: &[f64]) -> Result<(), DeviceError> {
        assert_eq!(to.len(), values.len());
        match self.options.double {
            true => self.driver.write(to.at(), bytes_of(values)),
            false => {
                let narrow: Vec<f32> = values.iter().map(|&x| x as f32).collect();
                self.driver.write(to.at(), bytes_of(&narrow))
            }
        }
    }

    /// From numbers that are of the engine's type already.
    ///
    /// # Panics
    /// If the number of bytes differs.
    pub fn write_raw<T: bytemuck::Pod>(
        &self,
        to: Reals<'_>,
        values: &[T],
    ) -> Result<(), DeviceError> {
        assert_eq!(to.bytes(), size_of_val(values));
        self.driver.write(to.at(), bytes_of(values))
    }

    pub fn read_raw<T: bytemuck::Pod>(
        &self,
        from: Reals<'_>,
        to: &mut [T],
    ) -> Result<(), DeviceError> {
        assert_eq!(from.bytes(), size_of_val(to));
        self.driver.read(from.at(), bytemuck::cast_slice_mut(to))
    }

    pub fn read(&self, from: Reals<'_>) -> Result<Vec<f64>, DeviceError> {
        if self.options.double {
            let mut values = vec![0.0; from.len()];
            self.driver.read(from.at(), bytemuck::cast_slice_mut(&mut values))?;
            return Ok(values);
        }
        let mut values = vec![0.0f32; from.len()];
        self.driver.read(from.at(), bytemuck::cast_slice_mut(&mut values))?;
        Ok(values.into_iter().map(f64::from).collect())
    }

    pub fn write_doubles(&self, to: Doubles<'_>, values: &[f64]) -> Result<(), DeviceError> {
        assert_eq!(to.len(), values.len());
        self.driver.write(to.at(), bytes_of(values))
    }

    pub fn read_doubles(&self, from: Doubles<'_>) -> Result<Vec<f64>, DeviceError> {
        let mut values = vec![0.0; from.len()];
        self.driver.read(from.at(), bytemuck::cast_slice_mut(&mut values))?;
        Ok(values)
    }

    pub fn write_ints(&self, to: Ints<'_>, values: &[i32]) -> Result<(), DeviceError> {
        assert_eq!(to.len(), values.len());
        self.driver.write(to.at(), bytes_of(values))
    }

    pub fn write_bytes(&self, to: Bytes<'_>, values: &[u8]) -> Result<(), DeviceError> {
        assert_eq!(to.len(), values.len());
        self.driver.write(to.at(), values)
    }

    pub fn copy(&self, from: Reals<'_>, to: Reals<'_>) -> Result<(), DeviceError> {
        assert_eq!(from.len(), to.len());
        self.driver.copy(from.at(), to.at(), from.bytes())
    }

    /// Sets all to zero.
    pub fn clear(&self, what: Reals<'_>) -> Result<(), DeviceError> {
        self.driver.clear(what.at(), what.bytes())
    }

    /// Waits until all that was asked for is done.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.driver.wait()
    }

    /// Notes the moment in which the device gets here.
    pub fn mark(&self, number: usize) -> Result<(), DeviceError> {
        self.driver.mark(number)
    }

    /// Seconds between two marks, after a wait; 0 where they cannot be told.
    pub fn seconds_between(&self, from: usize, to: usize) -> f64 {
        self.driver.seconds_between(from, to)
    }

    pub(super) fn launch(
        &self,
        kernel: &'static str,
        grid: [usize; 2],
        block: usize,
        args: &[Arg],
    ) -> Result<(), DeviceError> {
        if grid[0] == 0 || grid[1] == 0 {
            return Ok(());
        }
        self.driver.launch(kernel, grid, block, args)
    }

    /// `c = factor * a b + keep * c`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    pub fn multiply(
        &self,
        c: Matrix<'_>,
        keep: f64,
        factor: f64,
        a: Matrix<'_>,
        b: Matrix<'_>,
    ) -> Result<(), DeviceError> {
        assert!(a.rows == c.rows && b.columns == c.columns && a.columns == b.rows && !c.transposed);
        if c.rows == 0 || c.columns == 0 {
            return Ok(());
        }
        let operand =
            |m: Matrix<'_>| Operand { at: m.at, stride: m.stride, transposed: m.transposed };
        self.driver.multiply(&Product {
            shape: [c.rows, c.columns, a.columns],
            a: operand(a),
            b: operand(b),
            c: c.at,
            c_stride: c.stride,
            factor,
            keep,
        })
    }
}

fn bytes_of<T: bytemuck::Pod>(values: &[T]) -> &[u8] {
    bytemuck::cast_slice(values)
}

/// A block that is counted while it is alive.
pub(super) struct Taken {
    block: Box<dyn Block>,
    bytes: u64,
    all: Arc<AtomicU64>,
}

impl Taken {
    pub fn at(&self) -> u64 {
        self.block.at()
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// A view of numbers as a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    at: u64,
    rows: usize,
    columns: usize,
    /// Numbers from one stored row to the next.
    stride: usize,
    transposed: bool,
    unit: usize,
    life: std::marker::PhantomData<&'a ()>,
}

impl<'a> Matrix<'a> {
    /// Row-major.
    ///
    /// # Panics
    /// If the number of elements differs.
    pub fn new(values: Reals<'a>, rows: usize, columns: usize) -> Matrix<'a> {
        assert_eq!(values.len(), rows * columns);
        Matrix {
            at: values.at(),
            rows,
            columns,
            stride: columns,
            transposed: false,
            unit: values.bytes() / values.len().max(1),
            life: std::marker::PhantomData,
        }
    }

    pub fn t(self) -> Matrix<'a> {
        let Matrix { rows, columns, transposed, .. } = self;
        Matrix { rows: columns, columns: rows, transposed: !transposed, ..self }
    }

    /// Some columns of a matrix that is not transposed.
    pub fn columns(self, range: std::ops::Range<usize>) -> Matrix<'a> {
        assert!(range.end <= self.columns && !self.transposed);
        let at = self.at + (range.start * self.unit) as u64;
        Matrix { at, columns: range.len(), ..self }
    }

    /// Some rows of a matrix that is not transposed.
    pub fn rows(self, range: std::ops::Range<usize>) -> Matrix<'a> {
        assert!(range.end <= self.rows && !self.transposed);
        let at = self.at + (range.start * self.stride * self.unit) as u64;
        Matrix { at, rows: range.len(), ..self }
    }
}
