use super::rule::starts;
use super::{Posteriors, Spans};
use crate::inference::Real;

/// What may stand over a span.
pub trait Filter {
    /// Whether anything may stand over the words of the cell.
    fn is_open(&self, cell: usize) -> bool;
    /// All symbols, of so many, that may stand over the words of the cell.
    fn each(&self, cell: usize, symbols: usize, see: impl FnMut(u32));
}

/// Everything may stand everywhere.
#[derive(Clone, Copy, Debug)]
pub struct Everything;

impl Filter for Everything {
    #[inline(always)]
    fn is_open(&self, _: usize) -> bool {
        true
    }
    fn each(&self, _: usize, symbols: usize, see: impl FnMut(u32)) {
        (0..symbols as u32).for_each(see);
    }
}

/// Which symbols of a grammar refine which of another.
#[derive(Clone, Debug)]
pub struct Refinement {
    /// Fine symbols, those of one coarse symbol behind those of the other.
    fine: Vec<u32>,
    starts: Vec<u32>,
}

impl Refinement {
    /// `coarse` has the symbol, one of so many, that every fine symbol refines.
    pub fn new(coarse: &[u32], symbols: usize) -> Refinement {
        let mut fine: Vec<u32> = (0..coarse.len() as u32).collect();
        fine.sort_by_key(|&symbol| coarse[symbol as usize]);
        Refinement { fine, starts: starts(symbols, coarse.iter().copied()) }
    }

    /// A grammar that refines itself.
    pub fn itself(symbols: usize) -> Refinement {
        let all: Vec<u32> = (0..symbols as u32).collect();
        Refinement::new(&all, symbols)
    }

    fn fine(&self, coarse: u32) -> &[u32] {
        let at = coarse as usize;
        &self.fine[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// A symbol may stand where the coarse symbol is likely that it refines.
#[derive(Clone, Debug)]
pub struct Coarse<'a> {
    refinement: &'a Refinement,
    /// Number of 64-bit words a cell.
    width: usize,
    bits: Vec<u64>,
    open: Vec<bool>,
}

impl<'a> Coarse<'a> {
    /// Lets pass what refines a symbol that is at least as likely as `least`.
    pub fn new<T: Real>(
        refinement: &'a Refinement,
        posteriors: &Posteriors<T>,
        spans: Spans,
        least: f64,
    ) -> Coarse<'a> {
        let symbols = posteriors.symbols();
        let width = symbols.div_ceil(64);
        let mut filter = Coarse {
            refinement,
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
    fn each(&self, cell: usize, _: usize, mut see: impl FnMut(u32)) {
        for (place, &bits) in self.bits[cell * self.width..][..self.width].iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let coarse = 64 * place as u32 + bits.trailing_zeros();
                self.refinement.fine(coarse).iter().for_each(|&symbol| see(symbol));
                bits &= bits - 1;
            }
        }
    }
}
