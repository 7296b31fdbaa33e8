//! The kernels of lattices: kernels/lattice.cu.

use super::{Done, int};
use crate::device::driver::Arg::{Pointer, Real};
use crate::device::{Doubles, Engine, Ints, Reals};

/// The lattice of an HMM on the device, by row as kernels/lattice.cu has them.
#[derive(Clone, Copy, Debug)]
pub struct LatticeValues<'a> {
    pub rank: usize,
    /// (words, r), scaled, and their log-scales.
    pub words: Reals<'a>,
    pub word_scales: Doubles<'a>,
    pub word_of: Ints<'a>,
    pub expected: Reals<'a>,
    pub alpha: Reals<'a>,
    pub sums: Reals<'a>,
    pub log_z: Doubles<'a>,
}

impl Engine {
    /// The words of a time step: `count` rows from `from` on.
    pub fn hmm_forward(
        &self,
        values: &LatticeValues<'_>,
        floor: f64,
        (from, count): (usize, usize),
    ) -> Done {
        let args = [
            Pointer(values.expected.at()),
            Pointer(values.alpha.at()),
            Pointer(values.sums.at()),
            Pointer(values.log_z.at()),
            Pointer(values.words.at()),
            Pointer(values.word_scales.at()),
            Pointer(values.word_of.at()),
            Real(floor),
            int(from),
            int(values.rank),
        ];
        self.by_row("hmm_forward", (count, values.rank), &args)
    }

    /// Gradients of e_t and of log W from those of a_t.
    pub fn hmm_backward(
        &self,
        values: &LatticeValues<'_>,
        [alpha_gradient, expected_gradient, word_gradient]: [Reals<'_>; 3],
        (from, count): (usize, usize),
    ) -> Done {
        let args = [
            Pointer(expected_gradient.at()),
            Pointer(word_gradient.at()),
            Pointer(alpha_gradient.at()),
            Pointer(values.alpha.at()),
            Pointer(values.sums.at()),
            Pointer(values.words.at()),
            Pointer(values.word_of.at()),
            int(from),
            int(values.rank),
        ];
        self.by_row("hmm_backward", (count, values.rank), &args)
    }
}
