use crate::inference::Real;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Sizes of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Units of a history vector.
    pub hidden: usize,
    pub decisions: usize,
    /// The root, labels and tags.
    pub symbols: usize,
    /// Tags with words.
    pub pairs: usize,
}

/// Earlier history vectors that one is computed from.
pub const NEAR: usize = 4;

/// A matrix of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Of the last decision: (decisions + 1, hidden), the last row before there is one.
    Decision,
    /// Of what the top is called: (symbols, hidden).
    Label,
    /// Of the last shifted pair: (pairs + 1, hidden), the last row before there is one.
    Word,
    /// Of the top's leftmost pair: (pairs + 1, hidden), the last row for the root.
    Corner,
    /// (1, hidden).
    Bias,
    /// Of the history vectors nearby, one below the other: (4 hidden, hidden).
    History,
    /// theta: (decisions, hidden).
    Output,
}

impl Part {
    pub const ALL: [Part; 7] = [
        Part::Decision,
        Part::Label,
        Part::Word,
        Part::Corner,
        Part::Bias,
        Part::History,
        Part::Output,
    ];

    /// The name in files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Decision => "decision",
            Part::Label => "label",
            Part::Word => "word",
            Part::Corner => "corner",
            Part::Bias => "bias",
            Part::History => "history",
            Part::Output => "output",
        }
    }

    /// Number of rows, each as long as a history vector.
    pub fn rows(self, sizes: &Sizes) -> usize {
        match self {
            Part::Decision => sizes.decisions + 1,
            Part::Label => sizes.symbols,
            Part::Word | Part::Corner => sizes.pairs + 1,
            Part::Bias => 1,
            Part::History => NEAR * sizes.hidden,
            Part::Output => sizes.decisions,
        }
    }
}

/// All numbers of the network, or one for each of them. Matrices are row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights<T> {
    sizes: Sizes,
    parts: [Vec<T>; Part::ALL.len()],
}

impl<T: Real> Weights<T> {
    pub fn zeros(sizes: Sizes) -> Weights<T> {
        let parts = Part::ALL.map(|part| vec![T::ZERO; part.rows(&sizes) * sizes.hidden]);
        Weights { sizes, parts }
    }

    /// Small random numbers, but for the output: with history vectors of one half, as they are at
    /// the start, it gives every decision the logarithm of its `frequency`.
    pub fn random(sizes: Sizes, frequency: &[f64], seed: u64) -> Weights<T> {
        let mut weights = Weights::zeros(sizes);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let recurrent = (1.0 / (NEAR * sizes.hidden) as f64).sqrt();
        for part in Part::ALL {
            let range = match part {
                Part::Bias => continue,
                Part::History => 2.0 * recurrent,
                Part::Output => 0.05,
                _ => 0.1,
            };
            for value in weights.part_mut(part) {
                *value = T::from_f64(random.random_range(-range..range));
            }
        }
        // The sum of the near vectors' part is drawn around zero, so that no unit is saturated.
        let output = weights.part_mut(Part::Output);
        for (row, frequency) in output.chunks_exact_mut(sizes.hidden).zip(frequency) {
            let start = T::from_f64(frequency.ln() * 2.0 / sizes.hidden as f64);
            row.iter_mut().for_each(|value| *value += start);
        }
        weights
    }

    /// From matrices in the order of [`Part::ALL`]; `None` where one has another size.
    pub fn from_parts(sizes: Sizes, parts: [Vec<T>; Part::ALL.len()]) -> Option<Weights<T>> {
        let fits = Part::ALL
            .iter()
            .zip(&parts)
            .all(|(part, values)| values.len() == part.rows(&sizes) * sizes.hidden);
        fits.then_some(Weights { sizes, parts })
    }

    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    pub fn part(&self, part: Part) -> &[T] {
        &self.parts[part as usize]
    }

    pub fn part_mut(&mut self, part: Part) -> &mut [T] {
        &mut self.parts[part as usize]
    }

    /// All parts, to be changed.
    pub fn parts_mut(&mut self) -> impl Iterator<Item = (Part, &mut [T])> {
        Part::ALL.into_iter().zip(self.parts.iter_mut().map(Vec::as_mut_slice))
    }

    /// One row of a part.
    pub fn row(&self, part: Part, row: u32) -> &[T] {
        let hidden = self.sizes.hidden;
        &self.part(part)[row as usize * hidden..][..hidden]
    }

    pub fn row_mut(&mut self, part: Part, row: u32) -> &mut [T] {
        let hidden = self.sizes.hidden;
        &mut self.part_mut(part)[row as usize * hidden..][..hidden]
    }

    /// Sets all numbers to zero.
    pub fn clear(&mut self) {
        self.parts.iter_mut().for_each(|values| values.fill(T::ZERO));
    }

    /// Number of weights.
    pub fn count(&self) -> usize {
        self.parts.iter().map(Vec::len).sum()
    }
}
