//! LHMMs and dense HMMs on a device: model/state_hmm/pass.rs step by step.

use super::layers::{Emission, Layer, Residual};
use super::store::Store;
use super::words::DeviceWords;
use crate::device::{By, Columns, Dropped, Engine, Matrix, Room};
use crate::inference::rank_hmm::device::{DeviceChain, DeviceLattice, DeviceRules, Prepared};
use crate::model::ModelError;
use crate::model::layers::Naming;
use crate::model::state_hmm::Sizes;
use crate::model::words::Words;
use crate::treebank::Batch;

type Done = Result<(), ModelError>;

/// Transition logits that a step leaves out: see model/state_hmm/networks.rs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'a> {
    pub u: Dropped<'a>,
    pub v: Dropped<'a>,
}

impl Masks<'_> {
    pub const OFF: Masks<'static> = Masks { u: Dropped::Nothing, v: Dropped::Nothing };
}

/// Probabilities that the program reads; buffers are kept between batches.
#[derive(Debug)]
pub(super) struct Networks {
    /// s: (states)
    start: Room,
    /// LHMM: (features, states), columns sum to 1. Dense: (states, states), rows sum to 1.
    u: Room,
    /// (features, states), rows sum to 1; nothing where transitions are dense.
    v: Room,
    shares: Room,
    start_hidden: Residual,
    word_hidden: Residual,
    zeros: Room,
    small: Room,
    factors: Room,
    logs: Room,
    spare: Room,
    emission: Emission,
    columns: Columns,
}

impl Default for Networks {
    fn default() -> Self {
        Networks {
            start: Room::default(),
            u: Room::default(),
            v: Room::default(),
            shares: Room::default(),
            start_hidden: Residual::default(),
            word_hidden: Residual::named(Naming::Blocks),
            zeros: Room::default(),
            small: Room::default(),
            factors: Room::default(),
            logs: Room::default(),
            spare: Room::default(),
            emission: Emission::default(),
            columns: Columns::default(),
        }
    }
}

/// States that a lattice goes through between: features.
pub(super) fn between(sizes: &Sizes) -> usize {
    sizes.features.unwrap_or(0)
}

fn word_layer<'a>(
    (network, zeros): (&'a Residual, &'a Room),
    store: &'a Store,
    sizes: &Sizes,
) -> Result<Layer<'a>, ModelError> {
    let Sizes { states, embedding, vocabulary, .. } = *sizes;
    Ok(Layer {
        hidden: network.output(&store.engine, states * embedding),
        weight: store.weight("terminal_emb")?,
        bias: zeros.as_reals(&store.engine, vocabulary),
        embedding,
    })
}

impl Networks {
    pub fn forward(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        masks: &Masks<'_>,
        backward: bool,
    ) -> Done {
        let Sizes { states, embedding: d, vocabulary, .. } = *sizes;
        let engine = &store.engine;
        self.start_hidden.forward(store, "start_mlp", store.weight("start_emb")?)?;
        // As wide as what needs zeros: the vocabulary, and states in `exponentials`.
        engine.clear(self.zeros.reals(engine, vocabulary.max(states))?)?;
        match sizes.features {
            Some(features) => self.low_rank(store, sizes, features, masks)?,
            None => {
                let start = self.start.reals(engine, states)?;
                let u = self.u.reals(engine, states * states)?;
                let before = Matrix::new(store.weight("state_emb")?, states, d);
                let after = Matrix::new(store.weight("next_state_emb")?, states, d);
                let x = Matrix::new(self.start_hidden.output(engine, d), d, 1);
                engine.multiply(Matrix::new(start, states, 1), 0.0, 1.0, after, x)?;
                engine.multiply(Matrix::new(u, states, states), 0.0, 1.0, before, after.t())?;
                engine.drop_rows(u, states, masks.u, (f64::NEG_INFINITY, 1.0), true)?;
                engine.softmax_rows(u, states)?;
            }
        }
        engine.softmax_rows(self.start.as_reals(engine, states), states)?;
        self.word_hidden.forward(store, "terminal_mlp", store.weight("preterminal_emb")?)?;
        let layer = word_layer((&self.word_hidden, &self.zeros), store, sizes)?;
        self.emission.forward(engine, &layer, backward)
    }

    fn low_rank(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        features: usize,
        masks: &Masks<'_>,
    ) -> Done {
        let Sizes { states, embedding: d, .. } = *sizes;
        let (engine, n) = (&store.engine, features * states);
        let (u, v) = (self.u.reals(engine, n)?, self.v.reals(engine, n)?);
        let projection = Matrix::new(store.weight("_projection")?, d, features);
        for (to, name) in [(u, "state_emb"), (v, "next_state_emb")] {
            let own = Matrix::new(store.weight(name)?, states, d);
            let to = Matrix::new(to, features, states);
            engine.multiply(to, 0.0, 1.0, projection.t(), own.t())?;
        }
        // Start scores: before any logit is dropped.
        let x = self.small.reals(engine, features.max(states))?;
        let hidden = Matrix::new(self.start_hidden.output(engine, d), d, 1);
        let features_of_start = x.slice(0..features);
        let to = Matrix::new(features_of_start, features, 1);
        engine.multiply(to, 0.0, 1.0, projection.t(), hidden)?;
        let shares = self.shares.reals(engine, n)?;
        engine.add_to_rows(shares, v, features_of_start)?;
        let start = self.start.reals(engine, states)?;
        engine.softmax_columns_with_logs(shares, start, &mut self.columns)?;
        let embeddings = store.weight("next_state_emb")?;
        let squares = x.slice(0..states);
        engine.row_dots(squares, embeddings, embeddings)?;
        engine.subtract_half(start, squares)?;
        engine.drop_rows(v, states, masks.v, (f64::NEG_INFINITY, 1.0), true)?;
        let logs = self.logs.doubles(engine, features)?;
        let factors = self.factors.reals(engine, features)?;
        engine.exponentials(v, self.zeros.as_reals(engine, states), logs, factors)?;
        engine.scale_rows(v, factors)?;
        engine.add_logs_to_rows(u, logs)?;
        engine.drop_columns(u, states, masks.u, &mut self.spare)?;
        Ok(engine.softmax_columns(u, states, &mut self.columns)?)
    }

    /// Scaled probabilities of words, (words, states), and their log-scales.
    pub fn words(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        words: &DeviceWords,
        (emitted, scales): (&mut Room, &mut Room),
    ) -> Done {
        let engine = &store.engine;
        let emitted = emitted.reals(engine, words.len() * sizes.states)?;
        let scales = scales.doubles(engine, words.len())?;
        let layer = word_layer((&self.word_hidden, &self.zeros), store, sizes)?;
        self.emission.words(engine, &layer, words.ids(), emitted, scales)
    }

    pub fn rules<'a>(
        &'a self,
        engine: &Engine,
        sizes: &Sizes,
        (emitted, scales, words): (&'a Room, &'a Room, usize),
    ) -> DeviceRules<'a> {
        let states = sizes.states;
        DeviceRules {
            rank: states,
            start: self.start.as_reals(engine, states),
            // From states over features to states: the factors the other way round.
            chain: match sizes.features {
                Some(features) => DeviceChain::State {
                    u: self.v.as_reals(engine, features * states),
                    v: self.u.as_reals(engine, features * states),
                },
                None => DeviceChain::Rank(self.u.as_reals(engine, states * states)),
            },
            words: emitted.as_reals(engine, words * states),
            word_scales: scales.as_doubles(words),
            floor: 0.0,
            states,
        }
    }
}

/// Buffers of a step, kept between batches.
#[derive(Debug, Default)]
pub(super) struct Pass {
    networks: Networks,
    pub lattice: DeviceLattice,
    words: DeviceWords,
    emitted: Room,
    scales: Room,
    start_gradient: Room,
    word_gradient: Room,
    u_gradient: Room,
    v_gradient: Room,
    x_gradient: Room,
    from_start: Room,
    hidden_gradient: Room,
    bias_gradient: Room,
    columns: Columns,
}

impl Pass {
    /// Everything from the parameters to their gradients; nothing is waited for.
    pub fn run(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        masks: &Masks<'_>,
        batch: &Batch,
        (words, prepared): (&Words, &Prepared),
    ) -> Done {
        let (engine, states) = (&store.engine, sizes.states);
        engine.mark(0)?;
        self.networks.forward(store, sizes, masks, true)?;
        self.words.load(engine, words)?;
        let rooms = (&mut self.emitted, &mut self.scales);
        self.networks.words(store, sizes, &self.words, rooms)?;
        engine.mark(1)?;

        let weight = -1.0 / batch.tokens() as f64;
        let count = self.words.len();
        self.lattice.load(engine, prepared, states, between(sizes))?;
        let emitted = (&self.emitted, &self.scales, count);
        let rules = self.networks.rules(engine, sizes, emitted);
        self.lattice.forward(engine, &rules)?;
        self.lattice.backward(engine, &rules)?;
        let start_gradient = self.start_gradient.reals(engine, states)?;
        let word_gradient = self.word_gradient.reals(engine, count * states)?;
        self.lattice.gradients(engine, weight, start_gradient, word_gradient)?;
        self.lattice.gather(engine)?;
        match sizes.features {
            Some(features) => {
                let u = self.u_gradient.reals(engine, features * states)?;
                let v = self.v_gradient.reals(engine, features * states)?;
                self.lattice.u_gradient(engine, weight, 0..features, v)?;
                self.lattice.v_gradient(engine, weight, 0..features, u)?;
            }
            None => {
                let u = self.u_gradient.reals(engine, states * states)?;
                self.lattice.chain_gradient(engine, weight, u)?;
            }
        }
        engine.mark(2)?;
        self.backward(store, sizes)?;
        Ok(engine.mark(3)?)
    }

    fn backward(&mut self, store: &Store, sizes: &Sizes) -> Done {
        let Sizes { states, embedding: d, vocabulary, features } = *sizes;
        let (engine, count) = (&store.engine, self.words.len());
        let Networks { start, u, v, shares, .. } = &self.networks;
        let start = start.as_reals(engine, states);
        let start_gradient = self.start_gradient.as_reals(engine, states);
        engine.softmax_rows_backward(start, start_gradient, states)?;
        let before = Matrix::new(store.weight("state_emb")?, states, d);
        let after = Matrix::new(store.weight("next_state_emb")?, states, d);
        let (own_before, own_after) =
            (store.gradient("state_emb")?, store.gradient("next_state_emb")?);
        let (to_before, to_after) =
            (Matrix::new(own_before, states, d), Matrix::new(own_after, states, d));
        let x = self.x_gradient.reals(engine, d)?;
        let hidden = self.networks.start_hidden.output(engine, d);
        match features {
            Some(features) => {
                let n = features * states;
                let (u, v) = (u.as_reals(engine, n), v.as_reals(engine, n));
                let u_gradient = self.u_gradient.as_reals(engine, n);
                let v_gradient = self.v_gradient.as_reals(engine, n);
                let dots = self.bias_gradient.reals(engine, states)?;
                let by = By::Elements(u_gradient);
                engine.column_sums(dots, u, by, (1.0, false), &mut self.columns)?;
                engine.softmax_columns_backward(u, u_gradient, dots)?;
                engine.softmax_rows_backward(v, v_gradient, states)?;
                let from_start = self.from_start.reals(engine, features)?;
                let shares = shares.as_reals(engine, n);
                let read = [u_gradient, v, shares, start_gradient];
                engine.features_backward([v_gradient, from_start], read)?;
                let projection = Matrix::new(store.weight("_projection")?, d, features);
                let u = Matrix::new(u_gradient, features, states);
                let v = Matrix::new(v_gradient, features, states);
                for (to, g) in [(to_before, u), (to_after, v)] {
                    engine.multiply(to, 0.0, 1.0, g.t(), projection.t())?;
                }
                let own = Matrix::new(store.gradient("_projection")?, d, features);
                engine.multiply(own, 0.0, 1.0, before.t(), u.t())?;
                engine.multiply(own, 1.0, 1.0, after.t(), v.t())?;
                let row = Matrix::new(from_start, 1, features);
                engine.multiply(own, 1.0, 1.0, Matrix::new(hidden, d, 1), row)?;
                engine.clear(store.gradient("next_start_emb")?)?;
                engine.multiply(Matrix::new(x, d, 1), 0.0, 1.0, projection, row.t())?;
                let embeddings = store.weight("next_state_emb")?;
                engine.subtract_scaled(own_after, embeddings, start_gradient)?;
            }
            None => {
                let u = u.as_reals(engine, states * states);
                let u_gradient = self.u_gradient.as_reals(engine, states * states);
                engine.softmax_rows_backward(u, u_gradient, states)?;
                let u = Matrix::new(u_gradient, states, states);
                let start = Matrix::new(start_gradient, states, 1);
                engine.multiply(to_before, 0.0, 1.0, u, after)?;
                engine.multiply(to_after, 0.0, 1.0, u.t(), before)?;
                engine.multiply(to_after, 1.0, 1.0, start, Matrix::new(hidden, 1, d))?;
                engine.multiply(Matrix::new(x, d, 1), 0.0, 1.0, after.t(), start)?;
            }
        }
        let Networks { emission, start_hidden, word_hidden, zeros, .. } = &mut self.networks;
        let columns = &mut self.columns;
        let to_x = (store.gradient("start_emb")?, 0.0);
        let input = store.weight("start_emb")?;
        start_hidden.backward(store, "start_mlp", input, x, to_x, columns)?;
        let hidden = self.hidden_gradient.reals(engine, states * d)?;
        let bias = self.bias_gradient.reals(engine, vocabulary)?;
        let layer = word_layer((word_hidden, zeros), store, sizes)?;
        let gradient = self.word_gradient.as_reals(engine, count * states);
        let to = [hidden, store.gradient("terminal_emb")?, bias];
        emission.backward(engine, &layer, self.words.ids(), gradient, to)?;
        let (input, to_x) = (store.weight("preterminal_emb")?, store.gradient("preterminal_emb")?);
        word_hidden.backward(store, "terminal_mlp", input, hidden, (to_x, 0.0), columns)
    }
}
