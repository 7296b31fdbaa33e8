//! Inside, outside and Viterbi of a PCFG whose binary rules are a tensor T\[A,B,C\].
//!
//! ```text
//! M_ij[B,C]   = sum over splits k of a_ik[B] a_kj[C]
//! a_ij[A]     = sum over B, C of T[A,B,C] M_ij[B,C]
//! Z           = s a_0n
//! ```
//!
//! The sum over splits comes first, so that T meets every span once: one matrix product for all
//! spans of a width, O(n^3 m^2 + n^2 m^3). A matricised tensor makes it two narrower ones
//! ([`Binary::Factors`], eq. 12 of Yang, Liu & Tu 2022). A word is a preterminal and a wider span
//! a nonterminal, so only the pairs that a width can have are touched ([`Pairs`]).
//!
//! A cell is a vector with maximum 1 beside an `f64` log-scale, as in rank space; nothing
//! underflows on long sentences. The outside pass makes each M again instead of keeping it.

mod binary;
mod cells;
mod kernel;
mod pairs;
mod viterbi;

pub use super::rank_pcfg::OutOfRange;
pub use binary::Binary;
pub use pairs::Pairs;
pub use viterbi::{Derivation, viterbi};

use super::Real;
use crate::treebank::Batch;
use binary::BinaryGradients;
use cells::{Cells, span};
use kernel::add_outer;
use pulp::Arch;
use rayon::prelude::*;

/// Products of children that are computed at a time, elements; bounds memory.
const PRODUCTS: usize = 1 << 24;

/// What the program reads, probabilities.
#[derive(Clone, Copy, Debug)]
pub struct Rules<'a, T> {
    pub binary: Binary<'a, T>,
    /// s: (NT).
    pub root: &'a [T],
    /// E^T for the distinct words of the batch: (words, PT), each row divided by its scale.
    pub leaves: &'a [T],
    /// Log of what each row of `leaves` was divided by, nats.
    pub leaf_scales: &'a [f64],
}

impl<T: Real> Rules<'_, T> {
    fn leaf(&self, leaf: usize) -> &[T] {
        let pt = self.binary.preterminals();
        &self.leaves[leaf * pt..(leaf + 1) * pt]
    }

    fn check(&self) {
        self.binary.check();
        assert_eq!(self.root.len(), self.binary.nonterminals());
        assert_eq!(self.leaves.len(), self.leaf_scales.len() * self.binary.preterminals());
    }
}

/// Gradient of `weight * sum of log Z` with respect to the *logarithm* of each part of [`Rules`]:
/// `weight` times the expected number of uses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RuleGradients<T> {
    /// Of T, or of V: (NT or r, NT + PT, NT + PT).
    pub pairs: Vec<T>,
    /// Of U, (NT, r), if the tensor has factors; else empty.
    pub u: Vec<T>,
    /// (NT)
    pub root: Vec<T>,
    /// (words, PT)
    pub leaves: Vec<T>,
}

/// Charts of a batch of sentences; buffers are kept between batches.
#[derive(Debug)]
pub struct Chart<T> {
    arch: Arch,
    sentences: Vec<Cells<T>>,
    work: Work<T>,
    binary_gradients: BinaryGradients<T>,
    log_z: Vec<f64>,
}

impl<T: Real> Default for Chart<T> {
    fn default() -> Self {
        Chart {
            arch: Arch::new(),
            sentences: Vec::new(),
            work: Work::default(),
            binary_gradients: BinaryGradients::default(),
            log_z: Vec::new(),
        }
    }
}

/// Buffers for all spans of one width.
#[derive(Debug, Default)]
struct Work<T> {
    products: Vec<T>,
    scores: Vec<T>,
    ranks: [Vec<T>; 2],
}

/// Cuts a buffer of rows for all spans of a width into the parts of the sentences.
fn parts<'b, T: Real>(
    mut buffer: &'b mut [T],
    sentences: &[Cells<T>],
    width: usize,
    columns: usize,
) -> Vec<&'b mut [T]> {
    let cut = |cells: &Cells<T>| {
        let (own, rest) = std::mem::take(&mut buffer).split_at_mut(cells.spans(width) * columns);
        buffer = rest;
        own
    };
    sentences.iter().map(cut).collect()
}

impl<T: Real> Work<T> {
    /// Makes room for the rows of a width: products and scores.
    fn rows(&mut self, sentences: &[Cells<T>], width: usize, columns: usize, nt: usize) {
        let rows: usize = sentences.iter().map(|s| s.spans(width)).sum();
        self.products.resize(rows * columns, T::ZERO);
        self.scores.resize(rows * nt, T::ZERO);
    }

    fn inside(&mut self, arch: Arch, rules: &Rules<'_, T>, sentences: &mut [Cells<T>]) {
        let nt = rules.root.len();
        for width in 2..=longest(sentences) {
            let blocks = rules.binary.pairs().blocks(width);
            self.rows(sentences, width, blocks.len(), nt);
            let own = parts(&mut self.products, sentences, width, blocks.len());
            sentences.par_iter_mut().zip(own).for_each(|(cells, own)| {
                cells.scale_splits(rules, width);
                cells.products(arch, rules, width, own, add_outer);
            });
            rules.binary.forward(&blocks, &self.products, &mut self.scores, &mut self.ranks[0]);
            let own = parts(&mut self.scores, sentences, width, nt);
            for (cells, own) in sentences.iter_mut().zip(own) {
                cells.take(width, own, nt);
            }
        }
    }

    fn outside(
        &mut self,
        arch: Arch,
        rules: &Rules<'_, T>,
        sentences: &mut [Cells<T>],
        mut into: Option<&mut BinaryGradients<T>>,
    ) {
        let nt = rules.root.len();
        sentences.iter_mut().for_each(|cells| cells.start_outside(rules));
        for width in (2..=longest(sentences)).rev() {
            let blocks = rules.binary.pairs().blocks(width);
            self.rows(sentences, width, blocks.len(), nt);
            let own = parts(&mut self.products, sentences, width, blocks.len());
            sentences.par_iter().zip(own).for_each(|(cells, own)| {
                cells.products(arch, rules, width, own, add_outer);
            });
            let own = parts(&mut self.scores, sentences, width, nt);
            for (cells, own) in sentences.iter().zip(own) {
                if !own.is_empty() {
                    let from = span(cells.len(), 0, width) * nt;
                    own.copy_from_slice(&cells.gradient[from..from + own.len()]);
                }
            }
            let into = into.as_deref_mut();
            let (products, scores) = (&mut self.products, &self.scores);
            rules.binary.backward(&blocks, products, scores, into, &mut self.ranks);
            let own = parts(&mut self.products, sentences, width, blocks.len());
            sentences.par_iter_mut().zip(own).for_each(|(cells, own)| {
                cells.pass_down(arch, rules, width, own);
            });
        }
    }
}

fn longest<T: Real>(sentences: &[Cells<T>]) -> usize {
    sentences.iter().map(Cells::len).max().unwrap_or(0)
}

/// Sentences whose products are computed together.
fn group<T: Real>(rules: &Rules<'_, T>, sentences: &[Cells<T>]) -> usize {
    let most = longest(sentences) * rules.binary.pairs().blocks(4).len().max(1);
    (PRODUCTS / most.max(1)).max(1)
}

impl<T: Real> Chart<T> {
    /// Fills the chart. `leaves` holds, packed like the batch's words, the row of each word in
    /// `rules.leaves`; every sentence has at least two words.
    ///
    /// # Errors
    /// [`OutOfRange`] where log Z is not finite, or a span's score is so small beside those of its
    /// parts that underflow may have taken most of it; the chart is then not to be used.
    pub fn inside(
        &mut self,
        rules: &Rules<'_, T>,
        batch: &Batch,
        leaves: &[usize],
    ) -> Result<(), OutOfRange> {
        rules.check();
        assert_eq!(leaves.len(), batch.tokens());
        self.sentences.resize_with(batch.len(), Cells::default);
        for (b, cells) in self.sentences.iter_mut().enumerate() {
            let words = &leaves[batch.offsets()[b]..batch.offsets()[b + 1]];
            assert!(words.len() >= 2, "one word has no derivation");
            cells.reset(words, rules.root.len());
        }
        let size = group(rules, &self.sentences);
        for group in self.sentences.chunks_mut(size) {
            self.work.inside(self.arch, rules, group);
        }
        self.log_z.clear();
        self.log_z.extend(self.sentences.iter_mut().map(|cells| cells.finish(rules.root)));
        match self.log_z.iter().position(|z| !z.is_finite()) {
            Some(sentence) => Err(OutOfRange { sentence }),
            None => Ok(()),
        }
    }

    /// log Z of every sentence of the batch, nats.
    pub fn log_z(&self) -> &[f64] {
        &self.log_z
    }

    /// Fills the gradient of the summed log Z with respect to every cell, after [`Chart::inside`]
    /// with the same rules; that of the rules too where `learn` is set.
    pub fn outside(&mut self, rules: &Rules<'_, T>, learn: bool) {
        if learn {
            self.binary_gradients = BinaryGradients::zeros(&rules.binary);
        }
        let size = group(rules, &self.sentences);
        for group in self.sentences.chunks_mut(size) {
            let into = learn.then_some(&mut self.binary_gradients);
            self.work.outside(self.arch, rules, group, into);
        }
    }

    /// Gradient of `weight * sum of log Z`, after [`Chart::outside`] with `learn`.
    ///
    /// # Errors
    /// [`OutOfRange`] (of sentence 0) where a gradient left the range of the number type.
    pub fn gradients(
        &self,
        rules: &Rules<'_, T>,
        weight: f64,
        into: &mut RuleGradients<T>,
    ) -> Result<(), OutOfRange> {
        let (nt, pt) = (rules.root.len(), rules.binary.preterminals());
        let by = T::from_f64(weight);
        let counts = |g: &[T], p: &[T]| g.iter().zip(p).map(|(&g, &p)| g * p * by).collect();
        let BinaryGradients { pairs, u } = &self.binary_gradients;
        let weighted: Vec<T> = counts(pairs.data(), rules.binary.pairs().data());
        into.pairs = pairs.with(weighted).usual();
        into.u = match rules.binary {
            Binary::Full(_) => Vec::new(),
            Binary::Factors { u: values, .. } => counts(u, values),
        };
        into.root.clear();
        into.root.resize(nt, T::ZERO);
        into.leaves.clear();
        into.leaves.resize(rules.leaves.len(), T::ZERO);
        for cells in &self.sentences {
            let top = cells.alpha.len() - nt;
            let by = T::from_f64(weight / cells.scaled_z);
            for ((g, &a), &s) in into.root.iter_mut().zip(&cells.alpha[top..]).zip(rules.root) {
                *g += a * s * by;
            }
            for (own, &leaf) in cells.leaf_gradient.chunks_exact(pt).zip(&cells.words) {
                let to = into.leaves[leaf * pt..(leaf + 1) * pt].iter_mut();
                for ((g, &x), &p) in to.zip(own).zip(rules.leaf(leaf)) {
                    *g += x * p * T::from_f64(weight);
                }
            }
        }
        let all = [&into.pairs, &into.u, &into.root, &into.leaves];
        let finite = all.into_iter().all(|x| x.iter().all(|x| x.is_finite()));
        if finite { Ok(()) } else { Err(OutOfRange { sentence: 0 }) }
    }

    /// Posterior probability of span `[i, j)` at `i * (n + 1) + j` for width 2 and more, else 0,
    /// for sentence `sentence` of the batch; after [`Chart::outside`].
    pub fn posteriors(&self, sentence: usize) -> Vec<f64> {
        let n = self.sentences[sentence].len();
        let mut out = vec![0.0; (n + 1) * (n + 1)];
        self.spans(sentence, |start, end, labels| {
            out[start * (n + 1) + end] = labels.iter().map(|p| p.to_f64()).sum();
        });
        out
    }

    /// Calls `with` for every span `[start, end)` of two words and more with the posteriors of
    /// all nonterminals, (NT); after [`Chart::outside`].
    pub fn spans(&self, sentence: usize, mut with: impl FnMut(usize, usize, &[T])) {
        let cells = &self.sentences[sentence];
        let (n, nt) = (cells.len(), cells.alpha.len() / cells.scales.len());
        let mut labels = vec![T::ZERO; nt];
        for width in 2..=n {
            for start in 0..=n - width {
                let at = span(n, start, width) * nt;
                let (values, gradients) = (&cells.alpha[at..], &cells.gradient[at..]);
                for ((p, &a), &g) in labels.iter_mut().zip(values).zip(gradients) {
                    *p = a * g;
                }
                with(start, start + width, &labels);
            }
        }
    }

    /// Calls `with` for every word with the posteriors of all preterminals, (PT); after
    /// [`Chart::outside`] with the same rules.
    pub fn words(&self, rules: &Rules<'_, T>, sentence: usize, mut with: impl FnMut(usize, &[T])) {
        let cells = &self.sentences[sentence];
        let pt = rules.binary.preterminals();
        let mut tags = vec![T::ZERO; pt];
        for (i, (own, &leaf)) in cells.leaf_gradient.chunks_exact(pt).zip(&cells.words).enumerate()
        {
            for ((p, &x), &g) in tags.iter_mut().zip(rules.leaf(leaf)).zip(own) {
                *p = x * g;
            }
            with(i, &tags);
        }
    }
}

#[cfg(test)]
mod tests;
