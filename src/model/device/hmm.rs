//! The rank-space HMM on a device: model/rank_hmm/pass.rs step by step.

use super::layers::{Emission, Layer, Residual, linear, linear_backward};
use super::store::Store;
use super::words::DeviceWords;
use crate::config::Elimination;
use crate::device::{Columns, Dropped, Engine, Matrix, Room};
use crate::inference::order::Order;
use crate::inference::rank_hmm::Training;
use crate::inference::rank_hmm::device::{DeviceChain, DeviceLattice, DeviceRules, Prepared};
use crate::model::layers::Naming;
use crate::model::rank_hmm::Sizes;
use crate::model::words::Words;
use crate::model::{Eliminating, ModelError};
use crate::treebank::Batch;

type Done = Result<(), ModelError>;

/// States whose gradients are computed at a time.
const BLOCK: usize = 4096;

/// Entries that a step leaves out.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masks<'a> {
    pub start: Dropped<'a>,
    pub u: Dropped<'a>,
    pub v: Dropped<'a>,
    /// Share dropped of the start embeddings, by which the others grow.
    pub share: f64,
}

impl Masks<'_> {
    pub const OFF: Masks<'static> =
        Masks { start: Dropped::Nothing, u: Dropped::Nothing, v: Dropped::Nothing, share: 0.0 };

    fn growth(&self) -> f64 {
        1.0 / (1.0 - self.share)
    }
}

/// Probabilities that the program reads; buffers are kept between batches.
#[derive(Debug)]
pub(super) struct Networks {
    /// s: (states); U and V: (states, r)
    start: Room,
    u: Room,
    v: Room,
    /// pi = s U: (r)
    pi: Room,
    /// A = V^T U: (r, r), where states are summed out beforehand.
    chain: Room,
    dropped: Room,
    start_hidden: Residual,
    word_hidden: Residual,
    zeros: Room,
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
            pi: Room::default(),
            chain: Room::default(),
            dropped: Room::default(),
            start_hidden: Residual::named(Naming::Numbered),
            word_hidden: Residual::named(Naming::Numbered),
            zeros: Room::default(),
            spare: Room::default(),
            emission: Emission::default(),
            columns: Columns::default(),
        }
    }
}

fn last(name: &str) -> String {
    Naming::Numbered.last(name)
}

/// W as the last layer of a softmax over words: see model/rank_hmm/networks.rs.
fn word_layer<'a>(
    (network, zeros): (&'a Residual, &'a Room),
    store: &'a Store,
    sizes: &Sizes,
) -> Result<Layer<'a>, ModelError> {
    let Sizes { embedding, vocabulary, .. } = *sizes;
    Ok(Layer {
        hidden: store.weight(&format!("{}.weight", last("vocab_emission_mlp")))?,
        weight: network.output(&store.engine, vocabulary * embedding),
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
        order: Order,
        backward: bool,
    ) -> Done {
        let Sizes { states, rank: r, embedding: d, vocabulary } = *sizes;
        let engine = &store.engine;
        let dropped = self.dropped.reals(engine, states * d)?;
        engine.copy(store.weight("start_emb")?, dropped)?;
        engine.drop_rows(dropped, d, masks.start, (0.0, masks.growth()), false)?;
        self.start_hidden.forward(store, "start_mlp", dropped)?;
        let start = self.start.reals(engine, states)?;
        let hidden = self.start_hidden.output(engine, states * d);
        linear(store, &last("start_mlp"), hidden, start, false)?;
        engine.softmax_rows(start, states)?;

        let projection = Matrix::new(store.weight("projection")?, r, d).t();
        let (u, v) = (self.u.reals(engine, states * r)?, self.v.reals(engine, states * r)?);
        for (to, name) in [(u, "state_emb"), (v, "next_state_emb")] {
            let own = Matrix::new(store.weight(name)?, states, d);
            engine.multiply(Matrix::new(to, states, r), 0.0, 1.0, own, projection)?;
        }
        engine.drop_rows(u, r, masks.u, (f64::NEG_INFINITY, 1.0), true)?;
        engine.softmax_rows(u, r)?;
        engine.drop_columns(v, r, masks.v, &mut self.spare)?;
        engine.softmax_columns(v, r, &mut self.columns)?;

        let (u, v) = (Matrix::new(u, states, r), Matrix::new(v, states, r));
        let pi = Matrix::new(self.pi.reals(engine, r)?, 1, r);
        engine.multiply(pi, 0.0, 1.0, Matrix::new(start, 1, states), u)?;
        if order == Order::Rank {
            let chain = Matrix::new(self.chain.reals(engine, r * r)?, r, r);
            engine.multiply(chain, 0.0, 1.0, v.t(), u)?;
        }
        engine.clear(self.zeros.reals(engine, vocabulary)?)?;
        self.word_hidden.forward(store, "vocab_emission_mlp", store.weight("vocab_emb")?)?;
        let layer = word_layer((&self.word_hidden, &self.zeros), store, sizes)?;
        self.emission.forward(engine, &layer, backward)
    }

    /// Scaled probabilities of words, (words, r), and their log-scales.
    pub fn words(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        words: &DeviceWords,
        (emitted, scales): (&mut Room, &mut Room),
    ) -> Done {
        let engine = &store.engine;
        let emitted = emitted.reals(engine, words.len() * sizes.rank)?;
        let scales = scales.doubles(engine, words.len())?;
        let layer = word_layer((&self.word_hidden, &self.zeros), store, sizes)?;
        self.emission.words(engine, &layer, words.ids(), emitted, scales)
    }

    pub fn rules<'a>(
        &'a self,
        engine: &Engine,
        sizes: &Sizes,
        order: Order,
        floor: f64,
        (emitted, scales, words): (&'a Room, &'a Room, usize),
    ) -> DeviceRules<'a> {
        let Sizes { states, rank: r, .. } = *sizes;
        DeviceRules {
            rank: r,
            start: self.pi.as_reals(engine, r),
            chain: match order {
                Order::Rank => DeviceChain::Rank(self.chain.as_reals(engine, r * r)),
                Order::State => DeviceChain::State {
                    u: self.u.as_reals(engine, states * r),
                    v: self.v.as_reals(engine, states * r),
                },
            },
            words: emitted.as_reals(engine, words * r),
            word_scales: scales.as_doubles(words),
            floor,
            states,
        }
    }
}

/// States that a lattice keeps between in an order.
pub(super) fn between(sizes: &Sizes, order: Order) -> usize {
    match order {
        Order::Rank => 0,
        Order::State => sizes.states,
    }
}

/// Sums of log z, with what the published floor adds behind the last word.
pub(super) fn log_prob(log_z: &[f64], floor: f64, states: usize) -> f64 {
    (floor * states as f64).ln_1p() + log_z.iter().sum::<f64>()
}

/// Buffers of a step, kept between batches.
#[derive(Debug, Default)]
pub(super) struct Pass {
    networks: Networks,
    lattice: DeviceLattice,
    words: DeviceWords,
    emitted: Room,
    scales: Room,
    pi_gradient: Room,
    word_gradient: Room,
    start_gradient: Room,
    chain_gradient: Room,
    v_dots: Room,
    block: Room,
    hidden_gradient: Room,
    word_hidden_gradient: Room,
    columns: Columns,
}

impl Pass {
    /// Everything from the parameters to their gradients; nothing is waited for.
    pub fn run(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        (floor, elimination): (f64, Elimination),
        masks: &Masks<'_>,
        batch: &Batch,
        (words, prepared): (&Words, &Prepared),
    ) -> Done {
        let (engine, &Sizes { states, rank, .. }) = (&store.engine, sizes);
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        let order = Eliminating::on_device(elimination).order(&Training {
            states,
            rank,
            lengths: &lengths,
        });
        engine.mark(0)?;
        self.networks.forward(store, sizes, masks, order, true)?;
        self.words.load(engine, words)?;
        let rooms = (&mut self.emitted, &mut self.scales);
        self.networks.words(store, sizes, &self.words, rooms)?;
        engine.mark(1)?;

        let weight = -1.0 / batch.tokens() as f64;
        let count = self.words.len();
        self.lattice.load(engine, prepared, rank, between(sizes, order))?;
        let emitted = (&self.emitted, &self.scales, count);
        let rules = self.networks.rules(engine, sizes, order, floor, emitted);
        self.lattice.forward(engine, &rules)?;
        self.lattice.backward(engine, &rules)?;
        let pi_gradient = self.pi_gradient.reals(engine, rank)?;
        let word_gradient = self.word_gradient.reals(engine, count * rank)?;
        self.lattice.gradients(engine, weight, pi_gradient, word_gradient)?;
        self.lattice.gather(engine)?;
        engine.mark(2)?;
        self.backward(store, sizes, masks, order, weight)?;
        Ok(engine.mark(3)?)
    }

    /// log p of every sentence of the batch, nats; waits.
    pub fn log_probs(
        &self,
        engine: &Engine,
        floor: f64,
        states: usize,
    ) -> Result<Vec<f64>, ModelError> {
        let log_z = self.lattice.log_z(engine)?;
        Ok(log_z.iter().map(|z| log_prob(z, floor, states)).collect())
    }

    fn backward(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        masks: &Masks<'_>,
        order: Order,
        weight: f64,
    ) -> Done {
        let Sizes { states, rank: r, embedding: d, vocabulary } = *sizes;
        let (engine, count) = (&store.engine, self.words.len());
        let Networks { start, u, v, chain, .. } = &self.networks;
        let (start, u) = (start.as_reals(engine, states), u.as_reals(engine, states * r));
        let v = v.as_reals(engine, states * r);
        // pi = s U.
        let pi_gradient = self.pi_gradient.as_reals(engine, r);
        let (row, column) = (Matrix::new(pi_gradient, 1, r), Matrix::new(pi_gradient, r, 1));
        let start_gradient = self.start_gradient.reals(engine, states)?;
        let (u_matrix, v_matrix) = (Matrix::new(u, states, r), Matrix::new(v, states, r));
        engine.multiply(Matrix::new(start_gradient, states, 1), 0.0, 1.0, u_matrix, column)?;
        // A = V^T U: the sum over states of V and its gradient is that over A and its own.
        let v_dots = self.v_dots.reals(engine, r)?;
        let chain_rows = if order == Order::Rank { r } else { 0 };
        let chain_gradient = self.chain_gradient.reals(engine, chain_rows * r)?;
        match order {
            Order::State => self.lattice.v_dots(engine, weight, v_dots)?,
            Order::Rank => {
                self.lattice.chain_gradient(engine, weight, chain_gradient)?;
                engine.row_dots(v_dots, chain.as_reals(engine, r * r), chain_gradient)?;
            }
        }
        // U and V through their softmaxes and the projection they share, some rows at a time.
        let projection = Matrix::new(store.weight("projection")?, r, d);
        let shared = Matrix::new(store.gradient("projection")?, r, d);
        for (is_u, name) in [(true, "state_emb"), (false, "next_state_emb")] {
            let embeddings = Matrix::new(store.weight(name)?, states, d);
            let own = store.gradient(name)?;
            for from in (0..states).step_by(BLOCK) {
                let rows = from..(from + BLOCK).min(states);
                let number = rows.len();
                let block = self.block.reals(engine, number * r)?;
                let gradient = Matrix::new(block, number, r);
                match (order, is_u) {
                    (Order::Rank, _) => {
                        let chain = Matrix::new(chain_gradient, r, r);
                        let (other, chain) =
                            if is_u { (v_matrix, chain) } else { (u_matrix, chain.t()) };
                        engine.multiply(gradient, 0.0, 1.0, other.rows(rows.clone()), chain)?;
                    }
                    (Order::State, true) => {
                        self.lattice.u_gradient(engine, weight, rows.clone(), block)?;
                    }
                    (Order::State, false) => {
                        self.lattice.v_gradient(engine, weight, rows.clone(), block)?;
                    }
                }
                let part = from * r..(from + number) * r;
                if is_u {
                    let own = Matrix::new(start.slice(rows.clone()), number, 1);
                    engine.multiply(gradient, 1.0, 1.0, own, row)?;
                    engine.softmax_rows_backward(u.slice(part), block, r)?;
                } else {
                    engine.softmax_columns_backward(v.slice(part), block, v_dots)?;
                }
                let to = Matrix::new(own.slice(from * d..(from + number) * d), number, d);
                engine.multiply(to, 0.0, 1.0, gradient, projection)?;
                let keep = if is_u && from == 0 { 0.0 } else { 1.0 };
                engine.multiply(shared, keep, 1.0, gradient.t(), embeddings.rows(rows))?;
            }
        }

        engine.softmax_rows_backward(start, start_gradient, states)?;
        let Networks { emission, start_hidden, word_hidden, zeros, dropped, .. } =
            &mut self.networks;
        let columns = &mut self.columns;
        let hidden = self.hidden_gradient.reals(engine, states * d)?;
        let x = start_hidden.output(engine, states * d);
        linear_backward(store, &last("start_mlp"), x, start_gradient, (hidden, 0.0), columns)?;
        let (x, to_x) = (dropped.as_reals(engine, states * d), store.gradient("start_emb")?);
        start_hidden.backward(store, "start_mlp", x, hidden, (to_x, 0.0), columns)?;
        engine.drop_rows(to_x, d, masks.start, (0.0, masks.growth()), false)?;

        let name = last("vocab_emission_mlp");
        let words = self.word_hidden_gradient.reals(engine, vocabulary * d)?;
        let bias = self.block.reals(engine, vocabulary)?;
        let layer = word_layer((word_hidden, zeros), store, sizes)?;
        let to = [store.gradient(&format!("{name}.weight"))?, words, bias];
        let gradient = self.word_gradient.as_reals(engine, count * r);
        emission.backward(engine, &layer, self.words.ids(), gradient, to)?;
        engine.clear(store.gradient(&format!("{name}.bias"))?)?;
        let (x, to_x) = (store.weight("vocab_emb")?, store.gradient("vocab_emb")?);
        word_hidden.backward(store, "vocab_emission_mlp", x, words, (to_x, 0.0), columns)
    }
}
