//! Frozen weights: scores, trees, labels and expected counts.

use super::Sizes;
use super::grammar::Grammar;
use super::networks::{HiddenSlices, Networks};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::rank_pcfg::{Cells, Chart, OutOfRange, Parsing, Rules};
use crate::model::collect::{self, Collect, single};
use crate::model::element::Element;
use crate::model::emission::{Emission, Layer};
use crate::model::layers::Weights;
use crate::model::memory::check_chart;
use crate::model::softmax::scale_rows;
use crate::model::words::Words;
use crate::model::{
    Eliminating, Factors, GrammarView, ModelError, Parameters, Parse, Parser, RuleView, SymbolUse,
    Wanted,
};
use crate::treebank::Batch;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Numbers of one block of label scores; bounds the memory of labelled decoding.
const BLOCK: usize = 1 << 22;

/// A rank-space PCFG with everything that does not depend on the sentence computed once.
pub(super) struct RankPcfgParser<T> {
    sizes: Sizes,
    floor: f64,
    grammar: Grammar<T>,
    /// The last emission layer: hidden (PT, d), weight (o, d), bias (o).
    hidden: Vec<T>,
    weight: Vec<T>,
    bias: Vec<T>,
    log_normalisers: Vec<f64>,
    /// Leaves of the words met so far.
    leaves: Mutex<LeafTable<T>>,
    /// Charts not in use, kept for their buffers.
    charts: Mutex<Vec<Chart<T>>>,
    view: OnceLock<[Vec<f32>; 3]>,
}

#[derive(Debug, Default)]
struct LeafTable<T> {
    row_of: HashMap<u32, usize>,
    /// [J^T|K^T]: (words met, 2 r), scaled.
    rows: Vec<T>,
    scales: Vec<f64>,
}

impl<T: Element> RankPcfgParser<T> {
    pub fn new(
        sizes: &Sizes,
        parameters: &Parameters,
        floor: f64,
        eliminating: Eliminating,
    ) -> Result<Self, ModelError> {
        let weights = Weights::new(parameters)?;
        let mut networks = Networks::default();
        networks.forward(&weights, sizes)?;
        let read = HiddenSlices::new(&networks, &weights, sizes)?;
        let mut grammar = Grammar::default();
        let plan = Parsing { nonterminals: sizes.nonterminals, rank: sizes.rank };
        let order = eliminating.order(&plan);
        grammar.compute(sizes, &read, order);
        let mut emission = Emission::default();
        emission.forward(&read.layer, false);
        Ok(RankPcfgParser {
            sizes: sizes.clone(),
            floor,
            grammar,
            hidden: read.layer.hidden.to_vec(),
            weight: read.layer.weight.to_vec(),
            bias: read.layer.bias.to_vec(),
            log_normalisers: emission.log_normalisers,
            leaves: Mutex::default(),
            charts: Mutex::default(),
            view: OnceLock::new(),
        })
    }

    fn layer(&self) -> Layer<'_, T> {
        Layer {
            hidden: &self.hidden,
            weight: &self.weight,
            bias: &self.bias,
            embedding: self.sizes.embedding,
        }
    }

    /// Leaves and their log-scales of some distinct words.
    fn leaves_of(&self, words: &[u32]) -> (Vec<T>, Vec<f64>) {
        let width = 2 * self.sizes.rank;
        let mut table = self.leaves.lock().unwrap_or_else(PoisonError::into_inner);
        let missing: Vec<u32> =
            words.iter().copied().filter(|w| !table.row_of.contains_key(w)).collect();
        if !missing.is_empty() {
            let mut emitted = self.layer().log_probabilities(&missing, &self.log_normalisers);
            let scales = scale_rows(&mut emitted, self.sizes.preterminals);
            let rows = self.grammar.leaves(&self.sizes, &emitted);
            let next = table.scales.len();
            table.row_of.extend(missing.iter().enumerate().map(|(i, &w)| (w, next + i)));
            table.rows.extend(rows);
            table.scales.extend(scales);
        }
        let (mut rows, mut scales) = (Vec::with_capacity(words.len() * width), Vec::new());
        for word in words {
            let row = table.row_of[word];
            rows.extend_from_slice(&table.rows[row * width..(row + 1) * width]);
            scales.push(table.scales[row]);
        }
        (rows, scales)
    }

    /// Runs the program on a batch of sentences of two words and more and hands its results to
    /// `with`; sentence by sentence in double precision where `T` is too narrow.
    fn analyse(
        &self,
        batch: &Batch,
        wanted: Wanted,
        collect: &mut impl Collect,
    ) -> Result<(), ModelError> {
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        check_chart(batch, self.sizes.values_per_span(), size_of::<T>())?;
        let (leaves, scales) = self.leaves_of(&words.distinct);
        let emitted = if wanted.labels {
            let mut emitted =
                self.layer().log_probabilities(&words.distinct, &self.log_normalisers);
            scale_rows(&mut emitted, self.sizes.preterminals);
            emitted
        } else {
            Vec::new()
        };
        let mut chart = self.charts.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let chart = chart.get_or_insert_default();
        let numbers = Numbers {
            rules: self.grammar.rules(&leaves, &scales, self.floor),
            sizes: &self.sizes,
            start: &self.grammar.start,
            u: &self.grammar.u,
            vw: &self.grammar.vw,
            emitted: &emitted,
        };
        if numbers.run(chart, batch, &words, wanted).is_ok() {
            numbers.collect(chart, batch, &words, wanted, 0, collect);
            self.charts.lock().unwrap_or_else(PoisonError::into_inner).push(std::mem::take(chart));
            return Ok(());
        }
        let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let narrow = numbers.rules.children;
        let (mut buffers, root, leaves) =
            (Default::default(), wide(&self.grammar.root), wide(&leaves));
        let (start, u, vw) = if wanted.labels {
            (wide(&self.grammar.start), wide(&self.grammar.u), wide(&self.grammar.vw))
        } else {
            Default::default()
        };
        let emitted = wide(&emitted);
        let numbers = Numbers {
            rules: Rules {
                rank: self.sizes.rank,
                children: narrow.widened(&mut buffers),
                root: &root,
                leaves: &leaves,
                leaf_scales: &scales,
                floor: self.floor,
            },
            sizes: &self.sizes,
            start: &start,
            u: &u,
            vw: &vw,
            emitted: &emitted,
        };
        for b in 0..batch.len() {
            let Some(alone) = Batch::new([batch.sentence(b)]) else { continue };
            let own = Words {
                distinct: words.distinct.clone(),
                of_token: words.of_token[batch.offsets()[b]..batch.offsets()[b + 1]].to_vec(),
            };
            let mut chart = Chart::<f64>::default();
            match numbers.run(&mut chart, &alone, &own, wanted) {
                Ok(()) => numbers.collect(&chart, &alone, &own, wanted, b, collect),
                Err(_) => collect.log_prob(b, f64::NEG_INFINITY),
            }
        }
        Ok(())
    }
}

/// The grammar in the number type that the program runs in.
struct Numbers<'a, N> {
    rules: Rules<'a, N>,
    sizes: &'a Sizes,
    start: &'a [N],
    u: &'a [N],
    vw: &'a [N],
    /// (distinct words, PT), scaled; only where labels are wanted.
    emitted: &'a [N],
}

impl<N: Real> Numbers<'_, N> {
    fn run(
        &self,
        chart: &mut Chart<N>,
        batch: &Batch,
        words: &Words,
        wanted: Wanted,
    ) -> Result<(), OutOfRange> {
        chart.inside(&self.rules, batch, &words.of_token)?;
        if wanted.tree || wanted.labels {
            chart.outside(&self.rules, true);
            let broken = |b: usize| chart.posteriors(b).iter().any(|p| !p.is_finite());
            if let Some(sentence) = (0..batch.len()).find(|&b| broken(b)) {
                return Err(OutOfRange { sentence });
            }
        }
        Ok(())
    }

    /// Hands over what was computed; sentence numbers are counted from `first`.
    fn collect(
        &self,
        chart: &Chart<N>,
        batch: &Batch,
        words: &Words,
        wanted: Wanted,
        first: usize,
        to: &mut impl Collect,
    ) {
        for b in 0..batch.len() {
            to.log_prob(first + b, chart.log_z()[b]);
            if wanted.tree {
                to.posteriors(first + b, chart.posteriors(b));
            }
        }
        if !wanted.labels {
            return;
        }
        let Sizes { nonterminals: nt, preterminals: pt, rank: r, .. } = *self.sizes;
        // mu_ij(A) = (U alpha)_A (V_N dZ/d left + W_N dZ/d right + [root] s)_A / Z
        let phrases = chart.phrases();
        let mut inside = Vec::new();
        for_blocks(&phrases, nt, |rows, outside| {
            let upper = Matrix::new(&self.vw[..nt * 2 * r], nt, 2 * r);
            self.outside_scores(&phrases, rows.clone(), upper, outside);
            inside.resize(rows.len() * nt, N::ZERO);
            multiply(
                MatrixMut::new(&mut inside, rows.len(), nt),
                Into::Replace,
                N::ONE,
                Matrix::new(phrases.alpha, phrases.len, r).rows(rows.clone()),
                Matrix::new(self.u, nt, r).t(),
            );
            for (row, (inside, outside)) in
                rows.zip(inside.chunks_exact(nt).zip(outside.chunks_exact_mut(nt)))
            {
                let (b, start, end) = phrases.span(row);
                if end - start == batch.length(b) {
                    let factor = N::from_f64(chart.inverse_z(b));
                    outside.iter_mut().zip(self.start).for_each(|(o, &s)| *o += s * factor);
                }
                outside.iter_mut().zip(inside).for_each(|(o, &i)| *o *= i);
                to.span(first + b, (start, end), &single(outside));
            }
        });
        let leaves = chart.words();
        for_blocks(&leaves, pt, |rows, outside| {
            let lower = Matrix::new(&self.vw[nt * 2 * r..], pt, 2 * r);
            self.outside_scores(&leaves, rows.clone(), lower, outside);
            for (row, outside) in rows.zip(outside.chunks_exact_mut(pt)) {
                let (b, start, _) = leaves.span(row);
                let word = words.of_token[batch.offsets()[b] + start];
                let emitted = &self.emitted[word * pt..(word + 1) * pt];
                outside.iter_mut().zip(emitted).for_each(|(o, &e)| *o *= e);
                to.word(first + b, start, &single(outside));
            }
        });
    }

    fn outside_scores(
        &self,
        cells: &Cells<'_, N>,
        rows: Range<usize>,
        symbols: Matrix<'_, N>,
        to: &mut [N],
    ) {
        let count = rows.len();
        let r = self.sizes.rank;
        multiply(
            MatrixMut::new(to, count, to.len() / count),
            Into::Replace,
            N::ONE,
            Matrix::new(cells.side_gradient, cells.len, 2 * r).rows(rows),
            symbols.t(),
        );
    }
}

/// Calls `block` with consecutive rows and a buffer of (rows, columns).
fn for_blocks<N: Real>(
    cells: &Cells<'_, N>,
    columns: usize,
    mut block: impl FnMut(Range<usize>, &mut [N]),
) {
    let rows = (BLOCK / columns).max(1);
    let mut buffer = Vec::new();
    for from in (0..cells.len).step_by(rows) {
        let range = from..(from + rows).min(cells.len);
        buffer.resize(range.len() * columns, N::ZERO);
        block(range, &mut buffer);
    }
}

impl<T: Element> Parser for RankPcfgParser<T> {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        collect::parse(batch, wanted, |batch, wanted, to| self.analyse(batch, wanted, to))
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        collect::expect(batch, into, |batch, wanted, to| self.analyse(batch, wanted, to))
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        let g = &self.grammar;
        let [start, u, vw] =
            self.view.get_or_init(|| [&g.start, &g.u, &g.vw].map(|x| T::to_f32(x).into_owned()));
        Some(GrammarView {
            nonterminals: self.sizes.nonterminals,
            preterminals: self.sizes.preterminals,
            vocabulary: self.sizes.vocabulary,
            start,
            rules: RuleView::Factors(Factors { rank: self.sizes.rank, u, vw }),
        })
    }

    fn emissions(&self, preterminals: Range<usize>) -> Result<Vec<f32>, ModelError> {
        Ok(T::to_f32(&self.layer().probabilities(preterminals)).into_owned())
    }
}
