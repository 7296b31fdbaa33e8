//! Models on a device: weights, gradients and moments stay there; the host lays out batches and
//! reads log-probabilities, one wait a step. What a device cannot do (labels, sampling, numbers
//! outside the range of its type) is done by the host's model of the same weights.

mod hmm;
mod layers;
mod parser;
mod pcfg;
mod state_hmm;
mod store;
#[cfg(test)]
mod tests;
mod words;

use self::parser::DeviceParser;
use self::store::Store;
use super::element::Element;
use super::hmm::mask::given;
use super::words::Words;
use super::{Model, ModelError, Noise, Parameters, Parser, Resident, StepOutput, Trained};
use crate::config::{Compat, Config, Elimination, Family, Precision};
use crate::device::{AdamFactors, Choice, DeviceError, DeviceInfo, Dropped, Engine, Options, Room};
use crate::inference::{rank_hmm, rank_pcfg};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::cell::Cell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::thread::JoinHandle;

/// The published code adds this inside every logarithm.
const PUBLISHED_FLOOR: f64 = 1e-9;

/// What a family needs to know beside its weights.
#[derive(Clone, Debug)]
enum Kind {
    Pcfg {
        sizes: super::rank_pcfg::Sizes,
        elimination: Elimination,
    },
    Hmm {
        sizes: super::rank_hmm::Sizes,
        elimination: Elimination,
    },
    /// LHMM or dense HMM.
    StateHmm {
        sizes: super::state_hmm::Sizes,
    },
}

impl Kind {
    fn of(config: &Config, vocabulary: usize) -> Option<Kind> {
        let setting = config.model.elimination;
        match config.model.family {
            Family::RankPcfg | Family::TdPcfg => {
                let sizes = super::rank_pcfg::Sizes::of(&config.model, vocabulary);
                Some(Kind::Pcfg { elimination: setting, sizes })
            }
            Family::RankHmm => {
                let sizes = super::rank_hmm::Sizes::of(&config.model, vocabulary);
                Some(Kind::Hmm { sizes, elimination: setting })
            }
            Family::Lhmm | Family::Hmm => {
                let sizes = super::state_hmm::Sizes::of(&config.model, vocabulary);
                Some(Kind::StateHmm { sizes })
            }
            _ => None,
        }
    }

    fn vocabulary(&self) -> usize {
        match self {
            Kind::Pcfg { sizes, .. } => sizes.vocabulary,
            Kind::Hmm { sizes, .. } => sizes.vocabulary,
            Kind::StateHmm { sizes } => sizes.vocabulary,
        }
    }

    fn least(&self) -> usize {
        match self {
            Kind::Pcfg { .. } => 2,
            Kind::Hmm { .. } | Kind::StateHmm { .. } => 1,
        }
    }
}

/// Whether a family has kernels.
pub(super) fn supports(family: Family) -> bool {
    use Family::{Hmm, Lhmm, RankHmm, RankPcfg, TdPcfg};
    matches!(family, RankPcfg | TdPcfg | RankHmm | Lhmm | Hmm)
}

fn floor(config: &Config) -> f64 {
    match (config.model.family, config.model.compat) {
        // Only the rank-space programs of the published code have one.
        (Family::RankPcfg | Family::RankHmm, Compat::Published) => PUBLISHED_FLOOR,
        _ => 0.0,
    }
}

/// A batch laid out on the host.
struct Ready {
    words: Words,
    layout: Laid,
}

enum Laid {
    Chart(rank_pcfg::device::Prepared),
    Lattice(rank_hmm::device::Prepared),
}

impl Ready {
    fn new(kind: &Kind, batch: &Batch) -> Ready {
        let words = Words::of(batch);
        let distinct = words.distinct.len();
        let layout = match kind {
            Kind::Pcfg { .. } => {
                Laid::Chart(rank_pcfg::device::Prepared::new(batch, &words.of_token, distinct))
            }
            Kind::Hmm { .. } | Kind::StateHmm { .. } => {
                Laid::Lattice(rank_hmm::device::Prepared::new(batch, &words.of_token, distinct))
            }
        };
        Ready { words, layout }
    }
}

enum Pass {
    Pcfg(pcfg::Pass),
    Hmm(hmm::Pass),
    StateHmm(state_hmm::Pass),
}

/// A model whose weights live on a device; `T` is the number type of both sides.
pub(super) struct DeviceModel<T> {
    config: Config,
    kind: Kind,
    floor: f64,
    /// The same model on the host. Its weights are those of the device unless that is ahead.
    host: Box<dyn Model>,
    ahead: Cell<bool>,
    store: Store,
    pass: Pass,
    masks: [Room; 3],
    /// Batches that were announced, being laid out.
    next: VecDeque<(Batch, JoinHandle<Ready>)>,
    number: std::marker::PhantomData<T>,
}

impl<T: Element + bytemuck::Pod> DeviceModel<T> {
    /// Takes over the weights of the host's model.
    pub fn around(
        host: Box<dyn Model>,
        config: &Config,
        vocabulary: usize,
        choice: Choice,
    ) -> Result<Self, ModelError> {
        let options = Options { double: config.precision == Precision::F64, tf32: config.tf32 };
        let engine = Engine::open(choice, options)?;
        let kind = Kind::of(config, vocabulary).ok_or_else(|| {
            ModelError::Unsupported(format!("{} has no kernels", config.model.family.name()))
        })?;
        let store = Store::new(engine, host.parameters())?;
        store.upload::<T>(host.parameters())?;
        Ok(DeviceModel {
            config: config.clone(),
            floor: floor(config),
            pass: match &kind {
                Kind::Pcfg { .. } => Pass::Pcfg(pcfg::Pass::default()),
                Kind::Hmm { .. } => Pass::Hmm(hmm::Pass::default()),
                Kind::StateHmm { .. } => Pass::StateHmm(state_hmm::Pass::default()),
            },
            kind,
            host,
            ahead: Cell::new(false),
            store,
            masks: Default::default(),
            next: VecDeque::new(),
            number: std::marker::PhantomData,
        })
    }

    /// Brings the host's weights up to date.
    fn catch_up(&self) -> Result<(), ModelError> {
        if self.ahead.get() {
            self.store.download::<T>(self.host.parameters())?;
            self.ahead.set(false);
        }
        Ok(())
    }

    fn check(&self, batch: &Batch) -> Result<(), ModelError> {
        let least = self.kind.least();
        match (0..batch.len()).find(|&b| batch.length(b) < least) {
            Some(sentence) => {
                Err(ModelError::Sentence { sentence, reason: "one word has no derivation".into() })
            }
            None => Ok(()),
        }
    }

    /// The batch laid out, by whoever was asked before or now.
    fn ready(&mut self, batch: &Batch) -> Result<Ready, ModelError> {
        let mut ready = None;
        while ready.is_none() {
            // Those before it did not come, whatever the reason.
            let Some((next, thread)) = self.next.pop_front() else { break };
            if next == *batch {
                ready = thread.join().ok();
            }
        }
        let ready = ready.unwrap_or_else(|| Ready::new(&self.kind, batch));
        ready.words.check(self.kind.vocabulary())?;
        Ok(ready)
    }

    /// Loss and gradients of a batch, on the device; nothing is waited for.
    fn run(&mut self, batch: &Batch, noise: Noise<'_>) -> Result<(), ModelError> {
        self.check(batch)?;
        let ready = self.ready(batch)?;
        let (floor, store) = (self.floor, &self.store);
        match (&mut self.pass, &self.kind, &ready.layout) {
            (Pass::Pcfg(pass), Kind::Pcfg { sizes, elimination }, Laid::Chart(prepared)) => {
                let laid = (&ready.words, prepared);
                pass.run(store, sizes, (floor, *elimination), batch, laid)
            }
            (Pass::Hmm(pass), Kind::Hmm { sizes, elimination }, Laid::Lattice(prepared)) => {
                let share = self.config.model.dropout;
                let names = [
                    ("start_mask", sizes.states, sizes.embedding),
                    ("u_mask", sizes.states, sizes.rank),
                    ("v_mask", sizes.states, sizes.rank),
                ];
                let [start, u, v] = drawn(&store.engine, &names, share, noise, &mut self.masks)?;
                let dropped = !matches!(start, Dropped::Nothing);
                let share = if dropped { share } else { 0.0 };
                let masks = hmm::Masks { start, u, v, share };
                let laid = (&ready.words, prepared);
                pass.run(store, sizes, (floor, *elimination), &masks, batch, laid)
            }
            (Pass::StateHmm(pass), Kind::StateHmm { sizes }, Laid::Lattice(prepared)) => {
                let share = self.config.model.dropout;
                let rows = sizes.features.unwrap_or(sizes.states);
                let names = [("u_mask", rows, sizes.states), ("v_mask", rows, sizes.states)];
                let names = &names[..if sizes.features.is_some() { 2 } else { 1 }];
                let [u, v, _] = drawn(&store.engine, names, share, noise, &mut self.masks)?;
                let laid = (&ready.words, prepared);
                pass.run(store, sizes, &state_hmm::Masks { u, v }, batch, laid)
            }
            _ => unreachable!("pass, kind and layout are of the same family"),
        }
    }

    /// Log-probabilities of the batch; waits.
    fn log_probs(&self) -> Result<Vec<f64>, ModelError> {
        match (&self.pass, &self.kind) {
            (Pass::Pcfg(pass), _) => pass.log_probs(&self.store.engine),
            (Pass::Hmm(pass), Kind::Hmm { sizes, .. }) => {
                pass.log_probs(&self.store.engine, self.floor, sizes.states)
            }
            (Pass::StateHmm(pass), Kind::StateHmm { sizes }) => {
                let log_z = pass.lattice.log_z(&self.store.engine)?;
                Ok(log_z.iter().map(|z| hmm::log_prob(z, 0.0, sizes.states)).collect())
            }
            _ => unreachable!("pass and kind are of the same family"),
        }
    }

    fn count(&self, batch: &Batch) -> usize {
        match self.kind {
            Kind::Pcfg { .. } => batch.len(),
            Kind::Hmm { .. } | Kind::StateHmm { .. } => batch.tokens(),
        }
    }

    fn norm(&mut self) -> Result<f64, ModelError> {
        self.store.norm_squared()?;
        self.store.norm()
    }

    /// Seconds in the networks and in the dynamic program of the last step, after a wait.
    fn seconds(&self) -> [f64; 2] {
        let engine = &self.store.engine;
        [engine.seconds_between(0, 1) + engine.seconds_between(2, 3), engine.seconds_between(1, 2)]
    }
}

/// What a step leaves out of up to three matrices, told apart as model/hmm/mask.rs does; given
/// masks are copied to `rooms`.
fn drawn<'a>(
    engine: &Engine,
    names: &[(&str, usize, usize)],
    share: f64,
    noise: Noise<'_>,
    rooms: &'a mut [Room; 3],
) -> Result<[Dropped<'a>; 3], ModelError> {
    let mut all = [Dropped::Nothing; 3];
    match noise {
        Noise::Off => {}
        Noise::Drawn { .. } if share <= 0.0 => {}
        Noise::Drawn { seed, step } => {
            for (number, to) in (1u64..).zip(&mut all) {
                *to = Dropped::Drawn { share, seed: seed ^ (number << 56), step };
            }
        }
        Noise::Given(tensors) => {
            for ((room, (name, rows, columns)), to) in rooms.iter_mut().zip(names).zip(&mut all) {
                let bytes = given(tensors, name, [*rows, *columns])?;
                *to = Dropped::Given(room.hold_bytes(engine, &bytes)?);
            }
        }
    }
    Ok(all)
}

impl<T: Element + bytemuck::Pod> Model for DeviceModel<T> {
    /// Values are behind those of the device after [`Resident::train`] until
    /// [`Model::tensors`] or [`Model::freeze`] is called.
    fn parameters(&self) -> &Parameters {
        self.host.parameters()
    }

    fn tensors(&self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        self.catch_up()?;
        // Copies: what is on the host changes in place when it catches up.
        self.host.tensors()?.into_iter().map(|(name, tensor)| Ok((name, tensor.copy()?))).collect()
    }

    fn min_length(&self) -> usize {
        self.kind.least()
    }

    fn step(&mut self, batch: &Batch, noise: Noise<'_>) -> Result<StepOutput, ModelError> {
        self.catch_up()?;
        self.store.upload::<T>(self.host.parameters())?;
        self.run(batch, noise)?;
        let log_probs = self.log_probs()?;
        let finite = log_probs.iter().all(|p| p.is_finite()) && self.norm()?.is_finite();
        if !finite {
            return self.host.step(batch, noise);
        }
        let [network_seconds, inference_seconds] = self.seconds();
        Ok(StepOutput {
            loss: -log_probs.iter().sum::<f64>() / self.count(batch) as f64,
            log_probs,
            gradients: self.store.gradients::<T>()?,
            network_seconds,
            inference_seconds,
        })
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        self.catch_up()?;
        self.store.upload::<T>(self.host.parameters())?;
        let parser = DeviceParser::<T>::new(
            &self.config,
            self.kind.clone(),
            self.floor,
            Store::new(self.store.engine.clone(), self.host.parameters())?,
            self.host.parameters(),
        )?;
        Ok(Arc::new(parser))
    }

    fn resident(&self) -> Option<&dyn Resident> {
        Some(self)
    }

    fn resident_mut(&mut self) -> Option<&mut dyn Resident> {
        Some(self)
    }
}

impl<T: Element + bytemuck::Pod> Resident for DeviceModel<T> {
    fn train(
        &mut self,
        batch: &Batch,
        noise: Noise<'_>,
        factors: AdamFactors,
    ) -> Result<Trained, ModelError> {
        self.run(batch, noise)?;
        self.store.norm_squared()?;
        self.store.update(factors)?;
        self.store.engine.mark(4)?;
        // From here the device may hold other weights than the host.
        self.ahead.set(true);
        let mut log_probs = self.log_probs()?;
        let mut gradient_norm = self.store.norm()?;
        if !(gradient_norm.is_finite() && log_probs.iter().all(|p| p.is_finite())) {
            // Nothing was updated. The host has the numbers in double precision where it must.
            self.catch_up()?;
            let output = self.host.step(batch, noise)?;
            self.store.put_gradients::<T>(&output.gradients)?;
            self.store.norm_squared()?;
            self.store.update(factors)?;
            self.ahead.set(true);
            log_probs = output.log_probs;
            gradient_norm = self.store.norm()?;
        }
        let [network_seconds, inference_seconds] = self.seconds();
        Ok(Trained {
            loss: -log_probs.iter().sum::<f64>() / self.count(batch) as f64,
            log_probs,
            gradient_norm,
            network_seconds,
            inference_seconds,
            optimizer_seconds: self.store.engine.seconds_between(3, 4),
        })
    }

    fn announce(&mut self, next: &Batch) {
        if self.check(next).is_err() {
            return;
        }
        let (batch, kind) = (next.clone(), self.kind.clone());
        let thread = std::thread::Builder::new().name("batches".into());
        // Where no thread can be had, the batch is laid out when it is needed.
        if let Ok(thread) = thread.spawn(move || Ready::new(&kind, &batch)) {
            self.next.push_back((next.clone(), thread));
        }
    }

    fn moments(&self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        self.store.moments::<T>()
    }

    fn put_moments(&mut self, tensors: &BTreeMap<String, Tensor>) -> Result<(), ModelError> {
        self.store.put_moments::<T>(tensors)
    }

    fn info(&self) -> DeviceInfo {
        self.store.engine.info()
    }

    fn bytes(&self) -> u64 {
        self.store.engine.taken()
    }
}

impl From<DeviceError> for ModelError {
    fn from(error: DeviceError) -> ModelError {
        ModelError::Device(error)
    }
}
