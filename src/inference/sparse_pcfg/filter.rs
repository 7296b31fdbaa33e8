use super::{Posteriors, Spans};
use crate::inference::Real;

/// What may stand over a span.
pub trait Filter {
    /// Whether anything may stand over the words of the cell.
    fn is_open(&self, cell: usize) -> bool;
    fn allows(&self, cell: usize, symbol: u32) -> bool;
}

/// Everything may stand everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl Filter for Everything {
    #[inline(always)]
    fn is_open(&self, _: usize) -> bool {
        true
    }
    #[inline(always)]
    fn allows(&self, _: usize, _: u32) -> bool {
        true
    }
}

/// A symbol may stand where the coarse symbol is likely that it refines.
#[derive(Clone, Debug)]
pub struct Coarse<'a> {
    /// Coarse symbol of every symbol.
    coarse: &'a [u32],
    /// Number of 64-bit words a cell.
    width: usize,
    bits: Vec<u64>,
    open: Vec<bool>,
}

impl<'a> Coarse<'a> {
    /// Lets pass what is at least as likely as `least`; `coarse` gives the symbol of the posteriors
    /// for every symbol of the finer grammar.
    pub fn new<T: Real>(
        coarse: &'a [u32],
        posteriors: &Posteriors<T>,
        spans: Spans,
        least: f64,
    ) -> Coarse<'a> {
        let symbols = posteriors.symbols();
        let width = symbols.div_ceil(64);
        let mut filter = Coarse {
            coarse,
            width,
            bits: vec![0; width * spans.cells()],
            open: vec![false; spans.cells()],
        };
        let n = spans.length();
        let least = T::from_f64(least);
        for start in 0..n {
            for end in start + 1..=n {
                let Some(cell) = spans.cell(start, end) else { continue };
                // A label is at most as likely as its chain is long; chains are short.
                posteriors.each_label(start, end, |symbol, posterior| {
                    if posterior >= least {
                        let symbol = symbol as usize;
                        filter.bits[cell * width + symbol / 64] |= 1 << (symbol % 64);
                        filter.open[cell] = true;
                    }
                });
            }
        }
        filter
    }
}

impl Filter for Coarse<'_> {
    #[inline(always)]
    fn is_open(&self, cell: usize) -> bool {
        self.open[cell]
    }
    #[inline(always)]
    fn allows(&self, cell: usize, symbol: u32) -> bool {
        let coarse = self.coarse[symbol as usize] as usize;
        self.bits[cell * self.width + coarse / 64] >> (coarse % 64) & 1 == 1
    }
}
