//! Little-endian numbers in compressed files, read back with every bound checked.

use crate::checkpoint::write_atomically;
use crate::report::SCHEMA;
use crate::run::RunError;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::io::{Read, Write};
use std::path::Path;

/// Bytes that a decompressed file may have; more is taken for a fault.
const LIMIT: u64 = 1 << 32;

/// Bytes to be written.
pub(super) struct Packed(Vec<u8>);

impl Packed {
    /// Begins with the name of the kind of file.
    pub fn new(name: &[u8; 8]) -> Packed {
        let mut packed = Packed(name.to_vec());
        packed.0.extend(SCHEMA.to_le_bytes());
        packed
    }

    pub fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn f64(&mut self, value: f64) {
        self.0.extend(value.to_le_bytes());
    }

    /// A number in as many bytes as it takes, seven bits each.
    pub fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.0.extend(text.as_bytes());
    }

    pub fn write(self, path: &Path) -> Result<(), RunError> {
        let compress = || -> std::io::Result<()> {
            let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&self.0)?;
            write_atomically(path, &encoder.finish()?)
        };
        compress().map_err(RunError::io(path))
    }
}

/// The content of a file.
pub(super) struct Content(Vec<u8>);

impl Content {
    pub fn read(path: &Path) -> Result<Content, RunError> {
        let file = std::fs::File::open(path).map_err(RunError::io(path))?;
        let mut bytes = Vec::new();
        GzDecoder::new(file).take(LIMIT).read_to_end(&mut bytes).map_err(RunError::io(path))?;
        Ok(Content(bytes))
    }

    /// What follows the head, which must be that of this kind of file; faults name the file.
    pub fn parse<T>(
        &self,
        name: &[u8; 8],
        path: &Path,
        body: impl FnOnce(&mut Unpacked) -> Result<T, String>,
    ) -> Result<T, RunError> {
        let malformed = |reason: String| RunError::Malformed { path: path.to_owned(), reason };
        let mut unpacked = Unpacked(&self.0);
        if unpacked.take(name.len()).ok() != Some(name) {
            return Err(malformed("it is another kind of file".into()));
        }
        let schema = unpacked.take(4).map_err(malformed)?;
        let schema = schema.iter().rev().fold(0u32, |sum, byte| sum << 8 | u32::from(*byte));
        if schema > SCHEMA {
            let (path, found) = (path.to_owned(), schema);
            return Err(RunError::Newer { path, found, known: SCHEMA });
        }
        let value = body(&mut unpacked).map_err(malformed)?;
        match unpacked.0.is_empty() {
            true => Ok(value),
            false => Err(malformed("something stands behind its end".into())),
        }
    }
}

/// Bytes that are left to read.
pub(super) struct Unpacked<'a>(&'a [u8]);

impl<'a> Unpacked<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], String> {
        let (taken, rest) =
            self.0.split_at_checked(n).ok_or_else(|| "it ends too early".to_owned())?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, String> {
        Ok(self.take(1)?[0])
    }

    pub fn f64(&mut self) -> Result<f64, String> {
        let bytes = self.take(8)?.try_into().expect("eight bytes were taken");
        Ok(f64::from_le_bytes(bytes))
    }

    pub fn number(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err("a number in it is too long".into())
    }

    pub fn small(&mut self) -> Result<u32, String> {
        u32::try_from(self.number()?).map_err(|_| "a number in it is too large".into())
    }

    /// How many things follow, each of at least one byte.
    pub fn count(&mut self) -> Result<usize, String> {
        let count = self.number()?;
        match count <= self.0.len() as u64 {
            true => Ok(count as usize),
            false => Err("it ends too early".into()),
        }
    }

    pub fn text(&mut self) -> Result<&'a str, String> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(|e| e.to_string())
    }
}
