//! Frozen weights of HMMs: log-probabilities, surprisals, likeliest states and expected counts.

use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::rank_hmm::{Chain, Lattice, OutOfRange, Rules};
use crate::model::element::Element;
use crate::model::emission::{Emission, Layer};
use crate::model::memory::check_lattice;
use crate::model::sample::draw;
use crate::model::softmax::scale_rows;
use crate::model::words::Words;
use crate::model::{
    ChainView, GrammarView, ModelError, Parse, Parser, Sample, SymbolUse, Transitions, Wanted,
};
use crate::treebank::Batch;
use rand_chacha::ChaCha8Rng;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Ranks whose words are computed at a time, so that W need not be held as a whole.
const RANKS: usize = 256;

/// An HMM with everything that does not depend on the sentence computed once.
pub(in crate::model) struct HmmParser<T> {
    numbers: Numbers<T>,
    /// The last layer of the words: (width, d), (o, d), zeros.
    hidden: Vec<T>,
    weight: Vec<T>,
    zeros: Vec<T>,
    log_normalisers: Vec<f64>,
    floor: f64,
    /// Lattices not in use, kept for their buffers.
    lattices: Mutex<Vec<Lattice<T>>>,
    view: OnceLock<[Vec<f32>; 3]>,
}

/// What the lattice reads, with vectors of `width`: ranks, or the states themselves.
pub(in crate::model) struct Numbers<T> {
    pub width: usize,
    /// (width)
    pub start: Vec<T>,
    /// (width, width); empty where the lattice goes through the factors.
    pub chain: Vec<T>,
    /// Both (middle, width): the chain is `factors[1]^T factors[0]`.
    pub factors: [Vec<T>; 2],
    pub states: States<T>,
}

/// Where the states are.
pub(in crate::model) enum States<T> {
    /// Between the ranks of the lattice: s; U and V are the factors.
    Between(Vec<T>),
    /// They are what the lattice goes over.
    Own,
}

impl<T: Element> Numbers<T> {
    fn states(&self) -> usize {
        match &self.states {
            States::Between(start) => start.len(),
            States::Own => self.width,
        }
    }

    fn chain(&self) -> Chain<'_, T> {
        let [u, v] = &self.factors;
        match self.chain.is_empty() {
            false => Chain::Rank { a: &self.chain, states: self.states() },
            true => Chain::State { u, v },
        }
    }

    /// Values that a lattice keeps for every token.
    fn values_per_token(&self) -> usize {
        6 * self.width + 2 * self.factors[0].len() / self.width
    }
}

impl<T: Element> HmmParser<T> {
    /// `floor` is added where the published code takes logarithms; 0 for exact values.
    pub fn new(numbers: Numbers<T>, layer: &Layer<'_, T>, floor: f64) -> Self {
        let mut emission = Emission::default();
        emission.forward(layer, false);
        HmmParser {
            numbers,
            hidden: layer.hidden.to_vec(),
            weight: layer.weight.to_vec(),
            zeros: layer.bias.to_vec(),
            log_normalisers: emission.log_normalisers,
            floor,
            lattices: Mutex::default(),
            view: OnceLock::new(),
        }
    }

    fn layer(&self) -> Layer<'_, T> {
        Layer {
            hidden: &self.hidden,
            weight: &self.weight,
            bias: &self.zeros,
            embedding: self.hidden.len() / self.numbers.width,
        }
    }

    /// Probabilities of all words under some of what the lattice goes over: (rows, vocabulary),
    /// rows sum to 1.
    pub fn words_of(&self, rows: Range<usize>) -> Vec<T> {
        self.layer().probabilities(rows)
    }

    /// Runs the program on a batch and hands each sentence to `collect`; sentence by sentence in
    /// double precision where `T` is too narrow.
    fn analyse(
        &self,
        batch: &Batch,
        states: bool,
        mut collect: impl FnMut(usize, Found),
    ) -> Result<(), ModelError> {
        if batch.is_empty() {
            return Ok(());
        }
        let words = Words::of(batch);
        words.check(self.zeros.len())?;
        let numbers = &self.numbers;
        check_lattice(batch, numbers.values_per_token(), size_of::<T>())?;
        let mut emitted = self.layer().log_probabilities(&words.distinct, &self.log_normalisers);
        let scales = scale_rows(&mut emitted, numbers.width);
        let rules = Rules {
            rank: numbers.width,
            start: &numbers.start,
            chain: numbers.chain(),
            words: &emitted,
            word_scales: &scales,
            floor: self.floor,
        };
        let mut lattice =
            self.lattices.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let [u, v] = &numbers.factors;
        let wanted = match (states, &numbers.states) {
            (false, _) => Posteriors::None,
            (true, States::Own) => Posteriors::Own,
            (true, States::Between(start)) => Posteriors::Between([start, u, v]),
        };
        let found = run(&mut lattice, &rules, batch, &words.of_token, wanted);
        if let Ok(found) = found {
            found.into_iter().enumerate().for_each(|(b, found)| collect(b, found));
            self.lattices.lock().unwrap_or_else(PoisonError::into_inner).push(lattice);
            return Ok(());
        }
        let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let (mut buffers, start, emitted) =
            (Default::default(), wide(&numbers.start), wide(&emitted));
        let rules = Rules {
            rank: numbers.width,
            start: &start,
            chain: rules.chain.widened(&mut buffers),
            words: &emitted,
            word_scales: &scales,
            floor: self.floor,
        };
        let factors = match wanted {
            Posteriors::Between(factors) => factors.map(wide),
            _ => Default::default(),
        };
        let [start, u, v] = &factors;
        let wanted = match wanted {
            Posteriors::None => Posteriors::None,
            Posteriors::Own => Posteriors::Own,
            Posteriors::Between(_) => Posteriors::Between([start, u, v]),
        };
        for b in 0..batch.len() {
            let Some(alone) = Batch::new([batch.sentence(b)]) else { continue };
            let own = &words.of_token[batch.offsets()[b]..batch.offsets()[b + 1]];
            match run(&mut Lattice::default(), &rules, &alone, own, wanted) {
                Ok(found) => found.into_iter().for_each(|found| collect(b, found)),
                Err(_) => collect(b, Found::default()),
            }
        }
        Ok(())
    }
}

/// Whether states are asked for, and what they are read from.
#[derive(Clone, Copy)]
enum Posteriors<'a, N> {
    None,
    Own,
    /// s, U and V.
    Between([&'a [N]; 3]),
}

/// What is known of a sentence.
struct Found {
    log_prob: f64,
    /// By token, nats.
    surprisals: Vec<f64>,
    /// (tokens, states); empty unless asked for.
    posteriors: Vec<f32>,
}

impl Default for Found {
    fn default() -> Self {
        Found { log_prob: f64::NEG_INFINITY, surprisals: Vec::new(), posteriors: Vec::new() }
    }
}

fn run<N: Real>(
    lattice: &mut Lattice<N>,
    rules: &Rules<'_, N>,
    batch: &Batch,
    words: &[usize],
    wanted: Posteriors<'_, N>,
) -> Result<Vec<Found>, OutOfRange> {
    lattice.forward(rules, batch, words)?;
    if !matches!(wanted, Posteriors::None) {
        lattice.backward(rules);
        lattice.check()?;
    }
    let found = |b: usize| Found {
        log_prob: lattice.log_p()[b],
        surprisals: lattice.surprisals(b),
        posteriors: match wanted {
            Posteriors::None => Vec::new(),
            Posteriors::Own => lattice.posteriors(b),
            Posteriors::Between([s, u, v]) => lattice.state_posteriors(b, s, u, v),
        },
    };
    Ok((0..batch.len()).map(found).collect())
}

impl<T: Element> Parser for HmmParser<T> {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        let mut all = vec![Parse::default(); batch.len()];
        self.analyse(batch, wanted.labels, |b, found| {
            let rows = found.posteriors.chunks_exact(self.numbers.states());
            all[b] = Parse {
                log_prob: found.log_prob,
                tags: rows.map(likeliest).collect(),
                surprisals: found.surprisals.iter().map(|&x| x as f32).collect(),
                ..Parse::default()
            };
        })?;
        Ok(all)
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        let states = self.numbers.states();
        into.preterminals.resize(states, 0.0);
        self.analyse(batch, true, |_, found| {
            for row in found.posteriors.chunks_exact(states) {
                into.preterminals.iter_mut().zip(row).for_each(|(s, &p)| *s += f64::from(p));
            }
        })
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        None
    }

    fn chain(&self) -> Option<ChainView<'_>> {
        let Numbers { width, start, chain, factors: [u, v], states } = &self.numbers;
        let narrow = |x: &[T]| T::to_f32(x).into_owned();
        let [start, u, v] = self.view.get_or_init(|| match states {
            States::Between(start) => [narrow(start), narrow(u), narrow(v)],
            // The factors lie the other way round: from states to what is between them.
            States::Own if chain.is_empty() => {
                [narrow(start), transposed(&narrow(v), *width), transposed(&narrow(u), *width)]
            }
            States::Own => [narrow(start), narrow(chain), Vec::new()],
        });
        let states = self.numbers.states();
        let transitions = match v.is_empty() {
            true => Transitions::Dense(u),
            false => Transitions::LowRank { rank: u.len() / states, u, v },
        };
        Some(ChainView { states, vocabulary: self.zeros.len(), start, transitions })
    }

    /// Draws what the lattice goes over: a rank node and its word, then the next.
    fn sample(
        &self,
        end: Option<u32>,
        longest: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Sample, ModelError> {
        let Numbers { width, start, chain, factors: [u, v], .. } = &self.numbers;
        let row = |matrix: &[T], row: usize, rng: &mut ChaCha8Rng| {
            draw(matrix[row * width..(row + 1) * width].iter().map(|p| p.to_f64()), rng)
        };
        let mut sample = Sample::default();
        let mut at = draw(start.iter().map(|p| p.to_f64()), rng);
        loop {
            let words = self.words_of(at..at + 1);
            let word = draw(words.iter().map(|p| p.to_f64()), rng) as u32;
            if Some(word) == end {
                return Ok(Sample { complete: true, ..sample });
            }
            if sample.words.len() == longest {
                return Ok(sample);
            }
            sample.words.push(word);
            at = if chain.is_empty() {
                let middle = draw(v.iter().skip(at).step_by(*width).map(|p| p.to_f64()), rng);
                row(u, middle, rng)
            } else {
                row(chain, at, rng)
            };
        }
    }

    /// p(word | state), of a rank-space HMM sum_q U[state,q] W[word,q].
    fn emissions(&self, states: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let Numbers { width: rank, factors, states: place, .. } = &self.numbers;
        if let States::Own = place {
            return Ok(T::to_f32(&self.words_of(states)).into_owned());
        }
        let (rows, vocabulary, rank) = (states.len(), self.zeros.len(), *rank);
        let mut out = vec![T::ZERO; rows * vocabulary];
        let u = Matrix::new(&factors[0][states.start * rank..states.end * rank], rows, rank);
        for from in (0..rank).step_by(RANKS) {
            let ranks = from..(from + RANKS).min(rank);
            let words = self.words_of(ranks.clone());
            multiply(
                MatrixMut::new(&mut out, rows, vocabulary),
                if from == 0 { Into::Replace } else { Into::Add },
                T::ONE,
                u.columns(ranks.clone()),
                Matrix::new(&words, ranks.len(), vocabulary),
            );
        }
        Ok(T::to_f32(&out).into_owned())
    }
}

/// The transpose of a row-major matrix of so many columns.
fn transposed(values: &[f32], columns: usize) -> Vec<f32> {
    (0..columns).flat_map(|c| values.iter().skip(c).step_by(columns).copied()).collect()
}

/// Index of the largest value.
fn likeliest(row: &[f32]) -> u32 {
    let best = row.iter().enumerate().fold(0, |best, (i, &p)| if p > row[best] { i } else { best });
    best as u32
}
