//! Frozen weights: log-probabilities, surprisals, likeliest states and expected counts.

use super::Sizes;
use super::networks::{Masks, Networks};
use super::pass::{chain_of, start_ranks};
use crate::config::Elimination;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use crate::inference::order::Order;
use crate::inference::rank_hmm::{Chain, Lattice, OutOfRange, Rules, Scoring};
use crate::model::element::Element;
use crate::model::emission::{Emission, Layer};
use crate::model::layers::Weights;
use crate::model::memory::check_lattice;
use crate::model::softmax::scale_rows;
use crate::model::words::Words;
use crate::model::{
    ChainView, GrammarView, ModelError, Parameters, Parse, Parser, SymbolUse, Transitions, Wanted,
    order_of,
};
use crate::treebank::Batch;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// Ranks whose words are computed at a time, so that W need not be held as a whole.
const RANKS: usize = 256;

/// A rank-space HMM with everything that does not depend on the sentence computed once.
pub(super) struct RankHmmParser<T> {
    sizes: Sizes,
    floor: f64,
    order: Order,
    /// s: (states)
    start: Vec<T>,
    /// U and V: (states, r).
    u: Vec<T>,
    v: Vec<T>,
    /// s U: (r)
    pi: Vec<T>,
    /// V^T U: (r, r), where the order of elimination asks for it.
    chain: Vec<T>,
    /// The last layer of the words: ranks (r, d), words (o, d).
    ranks: Vec<T>,
    words: Vec<T>,
    zeros: Vec<T>,
    log_normalisers: Vec<f64>,
    /// Lattices not in use, kept for their buffers.
    lattices: Mutex<Vec<Lattice<T>>>,
    view: OnceLock<[Vec<f32>; 3]>,
}

impl<T: Element> RankHmmParser<T> {
    pub fn new(
        sizes: &Sizes,
        parameters: &Parameters,
        floor: f64,
        elimination: Elimination,
    ) -> Result<Self, ModelError> {
        let weights = Weights::new(parameters)?;
        let mut networks = Networks::default();
        networks.forward(&weights, sizes, &Masks::OFF)?;
        let layer = networks.layer(&weights, sizes)?;
        let mut emission = Emission::default();
        emission.forward(&layer, false);
        let order = order_of(elimination, &Scoring { states: sizes.states, rank: sizes.rank });
        let (ranks, words, zeros) =
            (layer.hidden.to_vec(), layer.weight.to_vec(), layer.bias.to_vec());
        let Networks { start, u, v, .. } = networks;
        let mut chain = Vec::new();
        if order == Order::Rank {
            chain_of(&u, &v, sizes.rank, &mut chain);
        }
        Ok(RankHmmParser {
            sizes: sizes.clone(),
            floor,
            order,
            pi: start_ranks(&start, &u, sizes.rank),
            start,
            u,
            v,
            chain,
            ranks,
            words,
            zeros,
            log_normalisers: emission.log_normalisers,
            lattices: Mutex::default(),
            view: OnceLock::new(),
        })
    }

    fn layer(&self) -> Layer<'_, T> {
        Layer {
            hidden: &self.ranks,
            weight: &self.words,
            bias: &self.zeros,
            embedding: self.sizes.embedding,
        }
    }

    /// W transposed, of some ranks: (ranks, vocabulary), rows sum to 1.
    pub fn rank_words(&self, ranks: Range<usize>) -> Vec<T> {
        self.layer().probabilities(ranks)
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
        words.check(self.sizes.vocabulary)?;
        check_lattice(batch, self.sizes.values_per_token(), size_of::<T>())?;
        let mut emitted = self.layer().log_probabilities(&words.distinct, &self.log_normalisers);
        let scales = scale_rows(&mut emitted, self.sizes.rank);
        let rules = Rules {
            rank: self.sizes.rank,
            start: &self.pi,
            chain: match self.order {
                Order::Rank => Chain::Rank { a: &self.chain, states: self.sizes.states },
                Order::State => Chain::State { u: &self.u, v: &self.v },
            },
            words: &emitted,
            word_scales: &scales,
            floor: self.floor,
        };
        let mut lattice =
            self.lattices.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let factors = states.then_some([&self.start[..], &self.u, &self.v]);
        let found = run(&mut lattice, &rules, batch, &words.of_token, factors);
        if let Ok(found) = found {
            found.into_iter().enumerate().for_each(|(b, found)| collect(b, found));
            self.lattices.lock().unwrap_or_else(PoisonError::into_inner).push(lattice);
            return Ok(());
        }
        let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
        let (mut buffers, start, emitted) = (Default::default(), wide(&self.pi), wide(&emitted));
        let rules = Rules {
            rank: self.sizes.rank,
            start: &start,
            chain: rules.chain.widened(&mut buffers),
            words: &emitted,
            word_scales: &scales,
            floor: self.floor,
        };
        let factors = states.then(|| [wide(&self.start), wide(&self.u), wide(&self.v)]);
        let factors = factors.as_ref().map(|f| [&f[0][..], &f[1], &f[2]]);
        for b in 0..batch.len() {
            let Some(alone) = Batch::new([batch.sentence(b)]) else { continue };
            let own = &words.of_token[batch.offsets()[b]..batch.offsets()[b + 1]];
            match run(&mut Lattice::default(), &rules, &alone, own, factors) {
                Ok(found) => found.into_iter().for_each(|found| collect(b, found)),
                Err(_) => collect(b, Found::default()),
            }
        }
        Ok(())
    }
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

/// `factors` are s, U and V where the states are asked for.
fn run<N: Real>(
    lattice: &mut Lattice<N>,
    rules: &Rules<'_, N>,
    batch: &Batch,
    words: &[usize],
    factors: Option<[&[N]; 3]>,
) -> Result<Vec<Found>, OutOfRange> {
    lattice.forward(rules, batch, words)?;
    if factors.is_some() {
        lattice.backward(rules);
    }
    let found = |b: usize| Found {
        log_prob: lattice.log_p()[b],
        surprisals: lattice.surprisals(b),
        posteriors: factors.map_or(Vec::new(), |[s, u, v]| lattice.state_posteriors(b, s, u, v)),
    };
    Ok((0..batch.len()).map(found).collect())
}

impl<T: Element> Parser for RankHmmParser<T> {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        let mut all = vec![Parse::default(); batch.len()];
        self.analyse(batch, wanted.labels, |b, found| {
            let rows = found.posteriors.chunks_exact(self.sizes.states);
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
        let states = self.sizes.states;
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
        let view = || [&self.start, &self.u, &self.v].map(|x| T::to_f32(x).into_owned());
        let [start, u, v] = self.view.get_or_init(view);
        let Sizes { states, rank, vocabulary, .. } = self.sizes;
        let transitions = Transitions::LowRank { rank, u, v };
        Some(ChainView { states, vocabulary, start, transitions })
    }

    /// p(word | state) = sum_q U[state,q] W[word,q].
    fn emissions(&self, states: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let Sizes { rank, vocabulary, .. } = self.sizes;
        let rows = states.len();
        let mut out = vec![T::ZERO; rows * vocabulary];
        let u = Matrix::new(&self.u[states.start * rank..states.end * rank], rows, rank);
        for from in (0..rank).step_by(RANKS) {
            let ranks = from..(from + RANKS).min(rank);
            let words = self.rank_words(ranks.clone());
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

/// Index of the largest value.
fn likeliest(row: &[f32]) -> u32 {
    let best = row.iter().enumerate().fold(0, |best, (i, &p)| if p > row[best] { i } else { best });
    best as u32
}
