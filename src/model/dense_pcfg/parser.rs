//! Frozen weights: scores, trees, labels and expected counts.

use super::encoder::Encoder;
use super::grammar::{Grammar, wide};
use super::networks::Networks;
use super::pass::{groups, own_columns};
use super::{Kind, Sizes};
use crate::config::Decode;
use crate::inference::Real;
use crate::inference::dense_pcfg::{Binary, Chart, Derivation, OutOfRange, Rules, viterbi};
use crate::model::collect::{self, Collect, single};
use crate::model::element::Element;
use crate::model::emission::Emission;
use crate::model::layers::Weights;
use crate::model::sample::derivation;
use crate::model::softmax::scale_rows;
use crate::model::words::Words;
use crate::model::{
    GrammarView, ModelError, Parameters, Parse, Parser, RuleView, Sample, SymbolUse, Wanted,
};
use crate::treebank::Batch;
use candle_core::Var;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A PCFG with a rule tensor and what does not depend on the sentence computed once.
pub(super) struct DensePcfgParser<T> {
    sizes: Sizes,
    decode: Decode,
    parameters: Parameters,
    /// The only grammar, or that of z = 0, the mean of the prior.
    central: Grammars<T>,
    /// Charts not in use, kept for their buffers.
    charts: Mutex<Vec<Chart<T>>>,
    view: OnceLock<[Vec<f32>; 2]>,
}

/// Grammars of some latent vectors, with their emissions before the softmax.
struct Grammars<T> {
    networks: Networks<T>,
    log_normalisers: Vec<f64>,
    all: Vec<Grammar<T>>,
}

impl<T: Element> Grammars<T> {
    fn of(weights: &Weights<'_>, sizes: &Sizes, latents: Vec<T>) -> Result<Self, ModelError> {
        let mut networks = Networks::default();
        networks.forward(weights, sizes, latents)?;
        let mut emission = Emission::default();
        emission.forward(&networks.layer(weights, sizes)?, false);
        let numbers = (0..networks.grammars()).into_par_iter();
        let all = numbers.map(|g| Grammar::of(&networks, sizes, g)).collect();
        Ok(Grammars { networks, log_normalisers: emission.log_normalisers, all })
    }
}

impl<T: Element> DensePcfgParser<T> {
    pub fn new(sizes: &Sizes, parameters: &Parameters, decode: Decode) -> Result<Self, ModelError> {
        // Training goes on in the same storage.
        let copy = |(name, var): (&String, &Var)| -> Result<_, ModelError> {
            Ok((name.clone(), Var::from_tensor(&var.as_tensor().copy()?)?))
        };
        let parameters: Parameters = parameters.iter().map(copy).collect::<Result<_, _>>()?;
        let weights = Weights::new(&parameters)?;
        let central = Grammars::of(&weights, sizes, vec![T::ZERO; sizes.latent])?;
        drop(weights);
        Ok(DensePcfgParser {
            sizes: sizes.clone(),
            decode,
            parameters,
            central,
            charts: Mutex::default(),
            view: OnceLock::new(),
        })
    }

    fn view_of<'a>(&self, start: &'a [f32], tensor: &'a [f32]) -> GrammarView<'a> {
        GrammarView {
            nonterminals: self.sizes.nonterminals,
            preterminals: self.sizes.preterminals,
            vocabulary: self.sizes.vocabulary,
            start,
            rules: RuleView::Tensor(tensor),
        }
    }

    /// Runs the program on a batch of sentences of two words and more and hands its results over;
    /// sentence by sentence in double precision where `T` is too narrow.
    fn analyse(
        &self,
        batch: &Batch,
        wanted: Wanted,
        decode: Decode,
        to: &mut impl Collect,
    ) -> Result<(), ModelError> {
        let words = Words::of(batch);
        words.check(self.sizes.vocabulary)?;
        self.sizes.check(batch, size_of::<T>())?;
        let weights = Weights::new(&self.parameters)?;
        let mut divergences = vec![0.0; batch.len()];
        let own;
        let grammars = if self.sizes.kind == Kind::Compound {
            let mut encoder = Encoder::default();
            encoder.forward(&weights, &self.sizes, batch)?;
            (0..batch.len()).for_each(|b| divergences[b] = encoder.divergence(b));
            let means = encoder.sample(&vec![T::ZERO; batch.len() * self.sizes.latent]);
            own = Grammars::of(&weights, &self.sizes, means)?;
            &own
        } else {
            &self.central
        };
        let layer = grammars.networks.layer(&weights, &self.sizes)?;
        let logs = layer.log_probabilities(&words.distinct, &grammars.log_normalisers);
        let groups = groups(&self.sizes, batch, &words);
        let run = |(number, (own, leaves)): (usize, &(Batch, Vec<usize>))| {
            let mut emitted =
                own_columns(&logs, self.sizes.preterminals, grammars.all.len(), number);
            let scales = scale_rows(&mut emitted, self.sizes.preterminals);
            let free = self.charts.lock().unwrap_or_else(PoisonError::into_inner).pop();
            let mut chart = free.unwrap_or_default();
            let rules = grammars.all[number].rules(&emitted, &scales);
            let done = run(&rules, own, leaves, wanted, decode, &mut chart);
            (emitted, scales, chart, done)
        };
        let found: Vec<_> = groups.par_iter().enumerate().map(run).collect();
        let mut first = 0;
        for (number, (emitted, scales, chart, done)) in found.into_iter().enumerate() {
            let (own, leaves) = &groups[number];
            let grammar = &grammars.all[number];
            let mut shifted = Shifted { to: &mut *to, first, divergences: &divergences };
            match done {
                Ok(derivations) => {
                    let rules = grammar.rules(&emitted, &scales);
                    hand_over(&rules, own, wanted, &chart, derivations, &mut shifted);
                    self.charts.lock().unwrap_or_else(PoisonError::into_inner).push(chart);
                }
                Err(_) => {
                    let pt = self.sizes.preterminals;
                    let mut emitted = wide(&own_columns(&logs, pt, grammars.all.len(), number));
                    let scales = scale_rows(&mut emitted, pt);
                    let grammar = Grammar::widely(&grammars.networks, &self.sizes, number);
                    let rules = grammar.rules(&emitted, &scales);
                    one_by_one(&rules, own, leaves, wanted, decode, &mut shifted);
                }
            }
            first += own.len();
        }
        Ok(())
    }
}

/// Runs the program; the best derivations where they are asked for, else none.
fn run<N: Real>(
    rules: &Rules<'_, N>,
    batch: &Batch,
    leaves: &[usize],
    wanted: Wanted,
    decode: Decode,
    chart: &mut Chart<N>,
) -> Result<Vec<Derivation>, OutOfRange> {
    chart.inside(rules, batch, leaves)?;
    if !(wanted.tree || wanted.labels) {
        return Ok(Vec::new());
    }
    chart.outside(rules, false);
    let broken = |b: usize| chart.posteriors(b).iter().any(|p| !p.is_finite());
    if let Some(sentence) = (0..batch.len()).find(|&b| broken(b)) {
        return Err(OutOfRange { sentence });
    }
    match decode {
        Decode::Mbr => Ok(Vec::new()),
        Decode::Viterbi => {
            let multiplied;
            let binary = match rules.binary {
                Binary::Factors { .. } => {
                    multiplied = rules.binary.multiplied();
                    Binary::Full(&multiplied)
                }
                whole => whole,
            };
            let rules = Rules { binary, ..*rules };
            let of = |b: usize| &leaves[batch.offsets()[b]..batch.offsets()[b + 1]];
            (0..batch.len()).into_par_iter().map(|b| viterbi(&rules, of(b))).collect()
        }
    }
}

/// Hands over what was computed.
fn hand_over<N: Real>(
    rules: &Rules<'_, N>,
    batch: &Batch,
    wanted: Wanted,
    chart: &Chart<N>,
    derivations: Vec<Derivation>,
    to: &mut impl Collect,
) {
    for b in 0..batch.len() {
        to.log_prob(b, chart.log_z()[b]);
        if wanted.tree {
            to.posteriors(b, chart.posteriors(b));
        }
    }
    for (b, derivation) in derivations.into_iter().enumerate() {
        to.derivation(b, derivation);
    }
    if wanted.labels {
        for b in 0..batch.len() {
            chart.spans(b, |start, end, labels| to.span(b, (start, end), &single(labels)));
            chart.words(rules, b, |position, tags| to.word(b, position, &single(tags)));
        }
    }
}

/// The program sentence by sentence; what has no probability has -infinity.
fn one_by_one(
    rules: &Rules<'_, f64>,
    batch: &Batch,
    leaves: &[usize],
    wanted: Wanted,
    decode: Decode,
    to: &mut Shifted<'_, impl Collect>,
) {
    let first = to.first;
    for b in 0..batch.len() {
        let Some(alone) = Batch::new([batch.sentence(b)]) else { continue };
        let leaves = &leaves[batch.offsets()[b]..batch.offsets()[b + 1]];
        let mut chart = Chart::default();
        to.first = first + b;
        match run(rules, &alone, leaves, wanted, decode, &mut chart) {
            Ok(derivations) => hand_over(rules, &alone, wanted, &chart, derivations, to),
            Err(_) => to.log_prob(0, f64::NEG_INFINITY),
        }
    }
}

/// Counts sentences from `first` and takes their divergences off what is said of them.
struct Shifted<'a, C> {
    to: &'a mut C,
    first: usize,
    divergences: &'a [f64],
}

impl<C: Collect> Collect for Shifted<'_, C> {
    fn log_prob(&mut self, b: usize, log_prob: f64) {
        let b = self.first + b;
        self.to.log_prob(b, log_prob - self.divergences[b]);
    }

    fn posteriors(&mut self, b: usize, posteriors: Vec<f64>) {
        self.to.posteriors(self.first + b, posteriors);
    }

    fn derivation(&mut self, b: usize, mut derivation: Derivation) {
        let b = self.first + b;
        derivation.log_prob -= self.divergences[b];
        self.to.derivation(b, derivation);
    }

    fn span(&mut self, b: usize, span: (usize, usize), labels: &[f32]) {
        self.to.span(self.first + b, span, labels);
    }

    fn word(&mut self, b: usize, position: usize, tags: &[f32]) {
        self.to.word(self.first + b, position, tags);
    }
}

impl<T: Element> Parser for DensePcfgParser<T> {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        collect::parse(batch, wanted, |batch, wanted, to| {
            self.analyse(batch, wanted, self.decode, to)
        })
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        collect::expect(batch, into, |batch, wanted, to| {
            self.analyse(batch, wanted, Decode::Mbr, to)
        })
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        let grammar = &self.central.all[0];
        let [start, tensor] = self.view.get_or_init(|| {
            [single(&grammar.start), single(&grammar.binary().multiplied().usual())]
        });
        Some(self.view_of(start, tensor))
    }

    fn sample(
        &self,
        end: Option<u32>,
        longest: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Sample, ModelError> {
        let _ = end;
        let weights = Weights::new(&self.parameters)?;
        // Of a compound PCFG every sentence has a grammar of its own.
        let drawn;
        let (grammars, grammar);
        let tensors;
        let view = if self.sizes.kind == Kind::Compound {
            let latent: Vec<T> =
                (0..self.sizes.latent).map(|_| T::from_f64(StandardNormal.sample(rng))).collect();
            drawn = Grammars::of(&weights, &self.sizes, latent)?;
            grammars = &drawn;
            grammar = &drawn.all[0];
            tensors = [single(&grammar.start), single(&grammar.binary().multiplied().usual())];
            let [start, tensor] = &tensors;
            self.view_of(start, tensor)
        } else {
            grammars = &self.central;
            self.grammar().expect("a PCFG has a grammar")
        };
        let layer = grammars.networks.layer(&weights, &self.sizes)?;
        let emissions =
            |preterminal| Ok(single(&layer.probabilities(preterminal..preterminal + 1)));
        derivation(&view, emissions, longest, rng)
    }

    fn emissions(&self, preterminals: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let weights = Weights::new(&self.parameters)?;
        let layer = self.central.networks.layer(&weights, &self.sizes)?;
        Ok(single(&layer.probabilities(preterminals)))
    }
}
