//! Memory that is kept between batches.

use super::driver::DeviceError;
use super::engine::{Engine, Taken};
use super::slices::{Bytes, Doubles, Ints, Reals};

/// Memory for a buffer that is kept between batches: it grows and does not shrink.
#[derive(Default)]
pub struct Room {
    block: Option<Taken>,
    bytes: usize,
}

impl std::fmt::Debug for Room {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Room({} bytes)", self.bytes)
    }
}

impl Room {
    /// Room for so many numbers of the engine's type; what was there may be lost.
    pub fn reals(&mut self, engine: &Engine, len: usize) -> Result<Reals<'_>, DeviceError> {
        self.grow(engine, len * engine.unit())?;
        Ok(Reals::new(self.at(), len, engine.unit()))
    }

    pub fn doubles(&mut self, engine: &Engine, len: usize) -> Result<Doubles<'_>, DeviceError> {
        self.grow(engine, len * size_of::<f64>())?;
        Ok(Doubles::new(self.at(), len, size_of::<f64>()))
    }

    pub fn ints(&mut self, engine: &Engine, len: usize) -> Result<Ints<'_>, DeviceError> {
        self.grow(engine, len * size_of::<i32>())?;
        Ok(Ints::new(self.at(), len, size_of::<i32>()))
    }

    /// Holds these numbers.
    pub fn hold_ints(&mut self, engine: &Engine, values: &[i32]) -> Result<Ints<'_>, DeviceError> {
        let ints = self.ints(engine, values.len())?;
        engine.write_ints(ints, values)?;
        Ok(ints)
    }

    pub fn hold_bytes(&mut self, engine: &Engine, values: &[u8]) -> Result<Bytes<'_>, DeviceError> {
        self.grow(engine, values.len())?;
        let bytes = Bytes::new(self.at(), values.len(), 1);
        engine.write_bytes(bytes, values)?;
        Ok(bytes)
    }

    /// What it was last made for, or the beginning of it.
    pub fn as_reals(&self, engine: &Engine, len: usize) -> Reals<'_> {
        assert!(len * engine.unit() <= self.bytes);
        Reals::new(self.at(), len, engine.unit())
    }

    pub fn as_doubles(&self, len: usize) -> Doubles<'_> {
        assert!(len * size_of::<f64>() <= self.bytes);
        Doubles::new(self.at(), len, size_of::<f64>())
    }

    pub fn as_ints(&self, len: usize) -> Ints<'_> {
        assert!(len * size_of::<i32>() <= self.bytes);
        Ints::new(self.at(), len, size_of::<i32>())
    }

    /// Whether nothing was asked of it yet.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    fn at(&self) -> u64 {
        self.block.as_ref().map_or(0, |block| block.at())
    }

    fn grow(&mut self, engine: &Engine, bytes: usize) -> Result<(), DeviceError> {
        if self.bytes < bytes {
            // Old contents are never read: freed first, both need not be there at once.
            (self.block, self.bytes) = (None, 0);
            self.block = Some(engine.allocate(bytes)?);
            self.bytes = bytes;
        }
        Ok(())
    }
}
