//! Frozen weights on a device: log-probabilities, trees, span marginals and surprisals there;
//! labels, expected counts and views by the host's parser, made when it is first asked for.

use super::store::Store;
use super::words::DeviceWords;
use super::{Kind, Laid, Ready, hmm, pcfg, state_hmm};
use crate::config::{Config, Decode};
use crate::device::Room;
use crate::inference::order::Order;
use crate::inference::rank_hmm::Scoring;
use crate::inference::rank_hmm::device::DeviceLattice;
use crate::inference::rank_pcfg::device::DeviceChart;
use crate::model::collect::{Collect, Parses};
use crate::model::element::Element;
use crate::model::{
    ChainView, Eliminating, GrammarView, ModelError, Parameters, Parse, Parser, Sample, SymbolUse,
    Wanted,
};
use crate::treebank::Batch;
use candle_core::Tensor;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

pub(super) struct DeviceParser<T> {
    config: Config,
    kind: Kind,
    floor: f64,
    order: Order,
    /// One batch at a time: the buffers are one, and so is the device.
    work: Mutex<Work>,
    /// A copy of the weights, for the host's parser.
    weights: BTreeMap<String, Tensor>,
    host: OnceLock<Result<Arc<dyn Parser>, String>>,
    number: std::marker::PhantomData<T>,
}

struct Work {
    store: Store,
    program: Program,
    words: DeviceWords,
    emitted: Room,
    scales: Room,
    leaves: Room,
}

enum Program {
    Pcfg { grammar: pcfg::Grammar, chart: DeviceChart },
    Hmm { networks: hmm::Networks, lattice: DeviceLattice },
    StateHmm { networks: state_hmm::Networks, lattice: DeviceLattice },
}

impl<T: Element + bytemuck::Pod> DeviceParser<T> {
    pub fn new(
        config: &Config,
        kind: Kind,
        floor: f64,
        store: Store,
        parameters: &Parameters,
    ) -> Result<Self, ModelError> {
        store.upload::<T>(parameters)?;
        let copy =
            |(name, var): (&String, &candle_core::Var)| Ok((name.clone(), var.as_tensor().copy()?));
        let weights = parameters.iter().map(copy).collect::<Result<_, ModelError>>()?;
        let (order, program) = match &kind {
            Kind::Pcfg { sizes, elimination } => {
                let order = pcfg::parsing_order(sizes, *elimination);
                let mut grammar = pcfg::Grammar::default();
                grammar.forward(&store, sizes, order, false)?;
                (order, Program::Pcfg { grammar, chart: DeviceChart::default() })
            }
            Kind::Hmm { sizes, elimination } => {
                let scoring = Scoring { states: sizes.states, rank: sizes.rank };
                let order = Eliminating::on_device(*elimination).order(&scoring);
                let mut networks = hmm::Networks::default();
                networks.forward(&store, sizes, &hmm::Masks::OFF, order, false)?;
                (order, Program::Hmm { networks, lattice: DeviceLattice::default() })
            }
            Kind::StateHmm { sizes } => {
                let mut networks = state_hmm::Networks::default();
                networks.forward(&store, sizes, &state_hmm::Masks::OFF, false)?;
                let lattice = DeviceLattice::default();
                (Order::State, Program::StateHmm { networks, lattice })
            }
        };
        let (words, emitted, scales, leaves) = Default::default();
        Ok(DeviceParser {
            config: config.clone(),
            kind,
            floor,
            order,
            work: Mutex::new(Work { store, program, words, emitted, scales, leaves }),
            weights,
            host: OnceLock::new(),
            number: std::marker::PhantomData,
        })
    }

    /// The host's parser of the same weights.
    fn host(&self) -> Result<&dyn Parser, ModelError> {
        let made = self.host.get_or_init(|| {
            let config = Config { device: "cpu".into(), ..self.config.clone() };
            crate::model::restore(&config, self.kind.vocabulary(), self.weights.clone())
                .and_then(|model| model.freeze())
                .map_err(|e| e.to_string())
        });
        match made {
            Ok(parser) => Ok(parser.as_ref()),
            Err(reason) => Err(ModelError::Unsupported(reason.clone())),
        }
    }

    /// Scores of sentences from those of their words; `None` where one is no number.
    fn scored(&self, log_z: &[Vec<f64>], states: usize) -> Option<Vec<Parse>> {
        let finite = log_z.iter().flatten().all(|z| z.is_finite());
        let parse = |z: &Vec<f64>| Parse {
            log_prob: hmm::log_prob(z, self.floor, states),
            surprisals: z.iter().map(|&z| -z as f32).collect(),
            ..Parse::default()
        };
        finite.then(|| log_z.iter().map(parse).collect())
    }

    /// `None` where a number left the range of the device's number type.
    fn on_device(&self, batch: &Batch, wanted: Wanted) -> Result<Option<Vec<Parse>>, ModelError> {
        let ready = Ready::new(&self.kind, batch);
        ready.words.check(self.kind.vocabulary())?;
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let Work { store, program, words, emitted, scales, leaves } = &mut *work;
        let engine = &store.engine;
        words.load(engine, &ready.words)?;
        match (program, &self.kind, &ready.layout) {
            (Program::Pcfg { grammar, chart }, Kind::Pcfg { sizes, .. }, Laid::Chart(laid)) => {
                grammar.leaves(store, sizes, words, (emitted, scales, leaves))?;
                chart.load(engine, laid, sizes.rank, pcfg::between(sizes, self.order))?;
                let leaves = (&*scales, &*leaves, words.len());
                let rules = grammar.rules(engine, sizes, self.order, self.floor, leaves);
                chart.inside(engine, &rules)?;
                if wanted.tree {
                    chart.outside(engine, &rules, true)?;
                }
                let log_z = chart.log_z(engine)?;
                let posteriors = match wanted.tree {
                    true => chart.posteriors(engine)?,
                    false => Vec::new(),
                };
                drop(work);
                let numbers = log_z.iter().chain(posteriors.iter().flatten());
                if numbers.into_iter().any(|x| !x.is_finite()) {
                    return Ok(None);
                }
                let mut parses = Parses::new(batch, wanted);
                for (b, z) in log_z.into_iter().enumerate() {
                    parses.log_prob(b, z);
                }
                for (b, own) in posteriors.into_iter().enumerate() {
                    parses.posteriors(b, own);
                }
                Ok(Some(parses.finish()))
            }
            (Program::Hmm { networks, lattice }, Kind::Hmm { sizes, .. }, Laid::Lattice(laid)) => {
                networks.words(store, sizes, words, (emitted, scales))?;
                lattice.load(engine, laid, sizes.rank, hmm::between(sizes, self.order))?;
                let emitted = (&*emitted, &*scales, words.len());
                let rules = networks.rules(engine, sizes, self.order, self.floor, emitted);
                lattice.forward(engine, &rules)?;
                Ok(self.scored(&lattice.log_z(engine)?, sizes.states))
            }
            (
                Program::StateHmm { networks, lattice },
                Kind::StateHmm { sizes },
                Laid::Lattice(laid),
            ) => {
                networks.words(store, sizes, words, (emitted, scales))?;
                lattice.load(engine, laid, sizes.states, state_hmm::between(sizes))?;
                let rules = networks.rules(engine, sizes, (&*emitted, &*scales, words.len()));
                lattice.forward(engine, &rules)?;
                Ok(self.scored(&lattice.log_z(engine)?, sizes.states))
            }
            _ => unreachable!("program, kind and layout are of the same family"),
        }
    }
}

impl<T: Element + bytemuck::Pod> Parser for DeviceParser<T> {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        let short = (0..batch.len()).any(|b| batch.length(b) < self.kind.least());
        let viterbi = self.config.evaluation.decode == Decode::Viterbi;
        if wanted.labels || short || viterbi || batch.is_empty() {
            return self.host()?.parse(batch, wanted);
        }
        match self.on_device(batch, wanted)? {
            Some(parses) => Ok(parses),
            None => self.host()?.parse(batch, wanted),
        }
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        self.host()?.expect(batch, into)
    }

    fn counts_symbols(&self) -> bool {
        false
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        self.host().ok()?.grammar()
    }

    fn chain(&self) -> Option<ChainView<'_>> {
        self.host().ok()?.chain()
    }

    fn sample(
        &self,
        end: Option<u32>,
        longest: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Sample, ModelError> {
        self.host()?.sample(end, longest, rng)
    }

    fn emissions(&self, rows: Range<usize>) -> Result<Vec<f32>, ModelError> {
        self.host()?.emissions(rows)
    }
}
