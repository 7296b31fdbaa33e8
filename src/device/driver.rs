//! What a device must be able to do.

use super::DeviceInfo;

/// Why a device could not be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeviceError {
    /// It is not there, or something that it needs is not.
    #[error("{0}")]
    Missing(String),
    /// Bytes.
    #[error(
        "out of memory on {device}: {:.1} MB more were wanted, {:.1} MB are free",
        *wanted as f64 / 1e6,
        *free as f64 / 1e6
    )]
    Memory { device: String, wanted: u64, free: u64 },
    #[error("{device} failed: {reason}")]
    Failed { device: String, reason: String },
}

/// Moments that can be noted.
pub(super) const MARKS: usize = 5;

/// An argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) enum Arg {
    Pointer(u64),
    Int(i32),
    /// size_t or unsigned long long
    Long(u64),
    Double(f64),
    /// In the number type of the engine.
    Real(f64),
}

impl Arg {
    /// As a kernel reads it, at the beginning of eight bytes.
    pub fn bytes(self, double: bool) -> [u8; 8] {
        let mut bytes = [0; 8];
        match self {
            Arg::Pointer(x) | Arg::Long(x) => bytes = x.to_ne_bytes(),
            Arg::Int(x) => bytes[..4].copy_from_slice(&x.to_ne_bytes()),
            Arg::Double(x) => bytes = x.to_ne_bytes(),
            Arg::Real(x) if double => bytes = x.to_ne_bytes(),
            Arg::Real(x) => bytes[..4].copy_from_slice(&(x as f32).to_ne_bytes()),
        }
        bytes
    }
}

/// `c = factor * op(a) op(b) + keep * c`, row-major.
#[derive(Clone, Copy, Debug)]
pub(super) struct Product {
    /// Rows of c, columns of c, and what is summed over.
    pub shape: [usize; 3],
    pub a: Operand,
    pub b: Operand,
    pub c: u64,
    pub c_stride: usize,
    pub factor: f64,
    pub keep: f64,
}

/// A matrix in memory: its elements are `stride` apart from row to row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub at: u64,
    pub stride: usize,
    pub transposed: bool,
}

/// Memory that is freed when dropped.
pub(super) trait Block: Send + Sync {
    fn at(&self) -> u64;
}

/// A device, opened for one number type. Addresses are those of [`Block`]s.
pub(super) trait Driver: Send + Sync {
    /// What is known of it, with its present memory and use.
    fn info(&self) -> DeviceInfo;
    fn allocate(&self, bytes: usize) -> Result<Box<dyn Block>, DeviceError>;
    fn write(&self, at: u64, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Waits until all that was asked for before is done.
    fn read(&self, at: u64, to: &mut [u8]) -> Result<(), DeviceError>;
    fn copy(&self, from: u64, to: u64, bytes: usize) -> Result<(), DeviceError>;
    fn clear(&self, at: u64, bytes: usize) -> Result<(), DeviceError>;
    /// Runs a kernel on a grid of (columns, rows) blocks of so many threads.
    fn launch(
        &self,
        kernel: &'static str,
        grid: [usize; 2],
        block: usize,
        args: &[Arg],
    ) -> Result<(), DeviceError>;
    fn multiply(&self, product: &Product) -> Result<(), DeviceError>;
    fn wait(&self) -> Result<(), DeviceError>;
    /// Notes the moment in which the device gets here.
    fn mark(&self, number: usize) -> Result<(), DeviceError>;
    /// Seconds between two marks, after a wait; 0 where they cannot be told.
    fn seconds_between(&self, from: usize, to: usize) -> f64;
}
