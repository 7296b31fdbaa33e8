//! Slices of device memory, borrowed for reading and writing alike, because the device does its
//! work in the order of the calls.

use std::marker::PhantomData;
use std::ops::Range;

macro_rules! slice {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name<'a> {
            at: u64,
            len: usize,
            unit: usize,
            life: PhantomData<&'a ()>,
        }

        impl<'a> $name<'a> {
            pub(super) fn new(at: u64, len: usize, unit: usize) -> Self {
                $name { at, len, unit, life: PhantomData }
            }

            pub fn len(&self) -> usize {
                self.len
            }

            pub fn is_empty(&self) -> bool {
                self.len == 0
            }

            pub(super) fn at(&self) -> u64 {
                self.at
            }

            /// Part of it, counted in elements.
            ///
            /// # Panics
            /// If the range is not within it.
            pub fn slice(&self, range: Range<usize>) -> $name<'a> {
                assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {}", self.len);
                $name::new(self.at + (range.start * self.unit) as u64, range.len(), self.unit)
            }

            pub fn split_at(&self, at: usize) -> ($name<'a>, $name<'a>) {
                (self.slice(0..at), self.slice(at..self.len))
            }
        }
    };
}

slice!(
    /// Numbers of the engine's type.
    Reals
);

impl Reals<'_> {
    pub(super) fn bytes(&self) -> usize {
        self.len * self.unit
    }
}

slice!(
    /// Double precision, whatever the engine's type: scales and sums.
    Doubles
);
slice!(Ints);
slice!(Bytes);
