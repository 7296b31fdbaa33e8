//! The rank-space PCFG and the TD-PCFG on a device: model/rank_pcfg/pass.rs step by step.

use super::layers::{Emission, Layer, Residual, linear, linear_backward, linear_relu_backward};
use super::store::Store;
use super::words::DeviceWords;
use crate::config::Elimination;
use crate::device::{By, Columns, Engine, Matrix, Reals, Room};
use crate::inference::order::Order;
use crate::inference::rank_pcfg::device::{
    DeviceChart, DeviceChildren, DeviceGradients, DeviceRules, Prepared,
};
use crate::inference::rank_pcfg::{Parsing, Training};
use crate::model::rank_pcfg::{Kind, RULE_NETWORKS, Sizes};
use crate::model::words::Words;
use crate::model::{Eliminating, ModelError};
use crate::treebank::Batch;

type Done = Result<(), ModelError>;

/// Hidden layers and the wide matrices of the grammar; buffers are kept between batches.
#[derive(Debug, Default)]
pub(super) struct Grammar {
    /// (NT, d), (NT + PT, d), (NT + PT, d)
    hidden: [Room; 3],
    /// s: (NT)
    start: Room,
    root_network: Residual,
    emission_network: Residual,
    /// U: (NT, r); V and W side by side: (NT + PT, 2 r)
    u: Room,
    vw: Room,
    /// (r, 2 r), where states are summed out beforehand.
    children: Room,
    /// L: (r)
    root: Room,
    pub emission: Emission,
    columns: Columns,
}

impl Grammar {
    /// From the parameters to the matrices that charts in this order read.
    pub fn forward(&mut self, store: &Store, sizes: &Sizes, order: Order, backward: bool) -> Done {
        let Sizes { nonterminals: nt, rank: r, embedding: d, .. } = *sizes;
        let (symbols, engine) = (sizes.symbols(), &store.engine);
        let all = store.weight("rule_state_emb")?;
        let (upper, lower) = all.split_at(nt * d);
        for (number, (room, x)) in self.hidden.iter_mut().zip([upper, all, all]).enumerate() {
            let y = room.reals(engine, x.len())?;
            linear(store, &format!("{}.0", RULE_NETWORKS[number]), x, y, true)?;
        }
        self.root_network.forward(store, "root_mlp", store.weight("root_emb")?)?;
        let start = self.start.reals(engine, nt)?;
        linear(store, "root_mlp.3", self.root_network.output(engine, d), start, false)?;
        engine.softmax_rows(start, nt)?;
        let terms = match sizes.kind {
            Kind::Rank => lower,
            Kind::State => store.weight("term_emb")?,
        };
        self.emission_network.forward(store, "term_mlp", terms)?;

        let u = self.u.reals(engine, nt * r)?;
        let vw = self.vw.reals(engine, symbols * 2 * r)?;
        let wide = Matrix::new(vw, symbols, 2 * r);
        let scores = [Matrix::new(u, nt, r), wide.columns(0..r), wide.columns(r..2 * r)];
        for (network, scores) in scores.into_iter().enumerate() {
            let rows = if network == 0 { nt } else { symbols };
            let hidden = self.hidden[network].as_reals(engine, rows * d);
            let hidden = Matrix::new(hidden, rows, d);
            match sizes.kind {
                Kind::Rank => {
                    let shared = Matrix::new(store.weight("rank_proj")?, d, r);
                    engine.multiply(scores, 0.0, 1.0, hidden, shared)?;
                }
                Kind::State => {
                    let name = RULE_NETWORKS[network];
                    let weight = store.weight(&format!("{name}.2.weight"))?;
                    engine.multiply(scores, 0.0, 1.0, hidden, Matrix::new(weight, r, d).t())?;
                    // The softmax over symbols leaves out what all symbols have in common: the
                    // biases of V and W change nothing.
                    if network == 0 {
                        engine.add_bias(u, store.weight(&format!("{name}.2.bias"))?, false)?;
                    }
                }
            }
        }
        engine.softmax_rows(u, r)?;
        engine.softmax_columns(vw, 2 * r, &mut self.columns)?;
        let u = Matrix::new(u, nt, r);
        if order == Order::Rank {
            let children = self.children.reals(engine, 2 * r * r)?;
            let upper = Matrix::new(vw, symbols, 2 * r).rows(0..nt);
            engine.multiply(Matrix::new(children, r, 2 * r), 0.0, 1.0, u.t(), upper)?;
        }
        let root = Matrix::new(self.root.reals(engine, r)?, r, 1);
        engine.multiply(root, 0.0, 1.0, u.t(), Matrix::new(start, nt, 1))?;
        let layer = last_layer(&self.emission_network, store, sizes)?;
        self.emission.forward(engine, &layer, backward)
    }

    /// Scaled probabilities of words, (words, PT), and their leaves, (words, 2 r).
    pub fn leaves(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        words: &DeviceWords,
        (emitted, scales, leaves): (&mut Room, &mut Room, &mut Room),
    ) -> Done {
        let Sizes { nonterminals: nt, preterminals: pt, rank: r, .. } = *sizes;
        let (engine, count) = (&store.engine, words.len());
        let emitted = emitted.reals(engine, count * pt)?;
        let scales = scales.doubles(engine, count)?;
        let layer = last_layer(&self.emission_network, store, sizes)?;
        self.emission.words(engine, &layer, words.ids(), emitted, scales)?;
        let leaves = Matrix::new(leaves.reals(engine, count * 2 * r)?, count, 2 * r);
        let lower = self.vw.as_reals(engine, sizes.symbols() * 2 * r);
        let lower = Matrix::new(lower, sizes.symbols(), 2 * r).rows(nt..nt + pt);
        Ok(engine.multiply(leaves, 0.0, 1.0, Matrix::new(emitted, count, pt), lower)?)
    }

    /// What a chart in this order reads.
    pub fn rules<'a>(
        &'a self,
        engine: &Engine,
        sizes: &Sizes,
        order: Order,
        floor: f64,
        (scales, leaves, words): (&'a Room, &'a Room, usize),
    ) -> DeviceRules<'a> {
        let Sizes { nonterminals: nt, rank: r, .. } = *sizes;
        DeviceRules {
            rank: r,
            children: match order {
                Order::Rank => DeviceChildren::Rank(self.children.as_reals(engine, 2 * r * r)),
                Order::State => DeviceChildren::State {
                    u: self.u.as_reals(engine, nt * r),
                    vw: self.vw.as_reals(engine, nt * 2 * r),
                },
            },
            root: self.root.as_reals(engine, r),
            leaves: leaves.as_reals(engine, words * 2 * r),
            leaf_scales: scales.as_doubles(words),
            floor,
        }
    }
}

/// States that a chart keeps between in an order.
pub(super) fn between(sizes: &Sizes, order: Order) -> usize {
    match order {
        Order::Rank => 0,
        Order::State => sizes.nonterminals,
    }
}

/// The order in which the sizes are parsed.
pub(super) fn parsing_order(sizes: &Sizes, setting: Elimination) -> Order {
    Eliminating::on_device(setting)
        .order(&Parsing { nonterminals: sizes.nonterminals, rank: sizes.rank })
}

/// Buffers of a step, kept between batches.
#[derive(Debug, Default)]
pub(super) struct Pass {
    grammar: Grammar,
    chart: DeviceChart,
    words: DeviceWords,
    emitted: Room,
    scales: Room,
    leaves: Room,
    leaf_gradient: Room,
    scale_gradient: Room,
    children_gradient: Room,
    root_gradient: Room,
    u_gradient: Room,
    vw_gradient: Room,
    start_gradient: Room,
    emitted_gradient: Room,
    hidden_gradient: Room,
    output_gradient: Room,
    columns: Columns,
}

impl Pass {
    /// Everything from the parameters to their gradients; nothing is waited for.
    pub fn run(
        &mut self,
        store: &Store,
        sizes: &Sizes,
        (floor, elimination): (f64, Elimination),
        batch: &Batch,
        (words, prepared): (&Words, &Prepared),
    ) -> Done {
        let engine = &store.engine;
        let lengths: Vec<usize> = (0..batch.len()).map(|b| batch.length(b)).collect();
        let Sizes { nonterminals, rank, .. } = *sizes;
        let order = Eliminating::on_device(elimination).order(&Training {
            nonterminals,
            rank,
            lengths: &lengths,
        });
        engine.mark(0)?;
        self.grammar.forward(store, sizes, order, true)?;
        self.words.load(engine, words)?;
        let rooms = (&mut self.emitted, &mut self.scales, &mut self.leaves);
        self.grammar.leaves(store, sizes, &self.words, rooms)?;
        engine.mark(1)?;

        self.chart.load(engine, prepared, rank, between(sizes, order))?;
        let count = self.words.len();
        let leaves = (&self.scales, &self.leaves, count);
        let rules = self.grammar.rules(engine, sizes, order, floor, leaves);
        self.chart.inside(engine, &rules)?;
        self.chart.outside(engine, &rules, false)?;
        let vw_gradient = self.vw_gradient.reals(engine, sizes.symbols() * 2 * rank)?;
        let into = DeviceGradients {
            children: match order {
                Order::Rank => self.children_gradient.reals(engine, 2 * rank * rank)?,
                Order::State => self.children_gradient.reals(engine, 0)?,
            },
            u: self.u_gradient.reals(engine, nonterminals * rank)?,
            vw: vw_gradient.slice(0..nonterminals * 2 * rank),
            root: self.root_gradient.reals(engine, rank)?,
            leaves: self.leaf_gradient.reals(engine, count * 2 * rank)?,
            leaf_scales: match floor > 0.0 {
                true => Some(self.scale_gradient.doubles(engine, count)?),
                false => None,
            },
        };
        self.chart.gradients(engine, &rules, -1.0 / batch.len() as f64, &into)?;
        engine.mark(2)?;
        self.backward(store, sizes, floor, order)?;
        Ok(engine.mark(3)?)
    }

    /// log Z of every sentence of the batch, nats; waits.
    pub fn log_probs(&self, engine: &Engine) -> Result<Vec<f64>, ModelError> {
        Ok(self.chart.log_z(engine)?)
    }

    fn backward(&mut self, store: &Store, sizes: &Sizes, floor: f64, order: Order) -> Done {
        let Sizes { nonterminals: nt, preterminals: pt, rank: r, embedding: d, .. } = *sizes;
        let (symbols, engine, count) = (sizes.symbols(), &store.engine, self.words.len());
        let vw = self.grammar.vw.as_reals(engine, symbols * 2 * r);
        let vw_gradient = self.vw_gradient.as_reals(engine, symbols * 2 * r);
        let wide = Matrix::new(vw, symbols, 2 * r);
        let wide_gradient = Matrix::new(vw_gradient, symbols, 2 * r);
        // Leaves: (words, 2r) = emitted (words, PT) [V_T|W_T].
        let leaf_gradient = self.leaf_gradient.as_reals(engine, count * 2 * r);
        let leaf_gradient = Matrix::new(leaf_gradient, count, 2 * r);
        let emitted = self.emitted.as_reals(engine, count * pt);
        let lower = wide_gradient.rows(nt..symbols);
        engine.multiply(lower, 0.0, 1.0, Matrix::new(emitted, count, pt).t(), leaf_gradient)?;
        let emitted_gradient = self.emitted_gradient.reals(engine, count * pt)?;
        let to = Matrix::new(emitted_gradient, count, pt);
        engine.multiply(to, 0.0, 1.0, leaf_gradient, wide.rows(nt..symbols).t())?;
        let scales = (floor > 0.0).then(|| self.scale_gradient.as_doubles(count));
        engine.emitted_backward(emitted_gradient, emitted, pt, scales)?;
        // Children: (r, 2r) = U^T [V_N|W_N], root: (r) = U^T s.
        let u = self.grammar.u.as_reals(engine, nt * r);
        let u_gradient = self.u_gradient.as_reals(engine, nt * r);
        let (factor, factor_gradient) = (Matrix::new(u, nt, r), Matrix::new(u_gradient, nt, r));
        if order == Order::Rank {
            let children = self.children_gradient.as_reals(engine, 2 * r * r);
            let children = Matrix::new(children, r, 2 * r);
            engine.multiply(factor_gradient, 0.0, 1.0, wide.rows(0..nt), children.t())?;
            engine.multiply(wide_gradient.rows(0..nt), 0.0, 1.0, factor, children)?;
        }
        let root = self.root_gradient.as_reals(engine, r);
        let start = self.grammar.start.as_reals(engine, nt);
        let (row, column) = (Matrix::new(root, 1, r), Matrix::new(root, r, 1));
        engine.multiply(factor_gradient, 1.0, 1.0, Matrix::new(start, nt, 1), row)?;
        let start_gradient = self.start_gradient.reals(engine, nt)?;
        engine.multiply(Matrix::new(start_gradient, nt, 1), 0.0, 1.0, factor, column)?;
        // Through the softmaxes.
        engine.softmax_rows_backward(u, u_gradient, r)?;
        let dots = self.leaf_gradient.reals(engine, 2 * r)?;
        let by = By::Elements(vw_gradient);
        engine.column_sums(dots, vw, by, (1.0, false), &mut self.columns)?;
        engine.softmax_columns_backward(vw, vw_gradient, dots)?;
        engine.softmax_rows_backward(start, start_gradient, nt)?;
        let scores =
            [factor_gradient, wide_gradient.columns(0..r), wide_gradient.columns(r..2 * r)];
        let rooms = (&mut self.hidden_gradient, &mut self.columns);
        symbols_backward(store, sizes, &self.grammar.hidden, (scores, u_gradient), rooms)?;

        let hidden = self.hidden_gradient.reals(engine, pt * d)?;
        let to = [hidden, store.gradient("term_mlp.3.weight")?, store.gradient("term_mlp.3.bias")?];
        let Grammar { emission, emission_network, root_network, .. } = &mut self.grammar;
        let layer = last_layer(emission_network, store, sizes)?;
        emission.backward(engine, &layer, self.words.ids(), emitted_gradient, to)?;
        let columns = &mut self.columns;
        let border = nt * d;
        let (name, part) = match sizes.kind {
            Kind::Rank => ("rule_state_emb", border..symbols * d),
            Kind::State => ("term_emb", 0..pt * d),
        };
        let x = store.weight(name)?.slice(part.clone());
        let to_x = store.gradient(name)?.slice(part);
        // Shared embeddings have gradients of V and W already.
        let keep = if sizes.kind == Kind::Rank { 1.0 } else { 0.0 };
        emission_network.backward(store, "term_mlp", x, hidden, (to_x, keep), columns)?;
        let output = self.output_gradient.reals(engine, d)?;
        let x = root_network.output(engine, d);
        linear_backward(store, "root_mlp.3", x, start_gradient, (output, 0.0), columns)?;
        let (x, to_x) = (store.weight("root_emb")?, store.gradient("root_emb")?);
        root_network.backward(store, "root_mlp", x, output, (to_x, 0.0), columns)
    }
}

fn last_layer<'a>(
    network: &'a Residual,
    store: &'a Store,
    sizes: &Sizes,
) -> Result<Layer<'a>, ModelError> {
    let Sizes { preterminals, embedding, .. } = *sizes;
    Ok(Layer {
        hidden: network.output(&store.engine, preterminals * embedding),
        weight: store.weight("term_mlp.3.weight")?,
        bias: store.weight("term_mlp.3.bias")?,
        embedding,
    })
}

/// From the gradients of the scores of U, V and W (those of U also as plain numbers) to those of
/// the embeddings of the symbols.
fn symbols_backward(
    store: &Store,
    sizes: &Sizes,
    hidden: &[Room; 3],
    (scores, u): ([Matrix<'_>; 3], Reals<'_>),
    (gradient, columns): (&mut Room, &mut Columns),
) -> Done {
    let Sizes { nonterminals: nt, rank: r, embedding: d, .. } = *sizes;
    let (symbols, engine) = (sizes.symbols(), &store.engine);
    let (all, to_all) = (store.weight("rule_state_emb")?, store.gradient("rule_state_emb")?);
    // Left children first: they cover all rows, and the others are added.
    for network in [1, 2, 0] {
        let rows = if network == 0 { nt } else { symbols };
        let keep = if network == 1 { 0.0 } else { 1.0 };
        let own = hidden[network].as_reals(engine, rows * d);
        let matrix = Matrix::new(own, rows, d);
        let gradient = gradient.reals(engine, rows * d)?;
        let to = Matrix::new(gradient, rows, d);
        let (name, scores) = (RULE_NETWORKS[network], scores[network]);
        match sizes.kind {
            Kind::Rank => {
                let shared = Matrix::new(store.weight("rank_proj")?, d, r);
                engine.multiply(to, 0.0, 1.0, scores, shared.t())?;
                let to = Matrix::new(store.gradient("rank_proj")?, d, r);
                engine.multiply(to, keep, 1.0, matrix.t(), scores)?;
            }
            Kind::State => {
                let weight = Matrix::new(store.weight(&format!("{name}.2.weight"))?, r, d);
                engine.multiply(to, 0.0, 1.0, scores, weight)?;
                let to = Matrix::new(store.gradient(&format!("{name}.2.weight"))?, r, d);
                engine.multiply(to, 0.0, 1.0, scores.t(), matrix)?;
                let bias = store.gradient(&format!("{name}.2.bias"))?;
                match network {
                    0 => engine.column_sums(bias, u, By::Nothing, (1.0, false), columns)?,
                    _ => engine.clear(bias)?,
                }
            }
        }
        let (x, to_x) = (all.slice(0..rows * d), to_all.slice(0..rows * d));
        let layer = format!("{name}.0");
        linear_relu_backward(store, &layer, (x, own), gradient, (to_x, keep), columns)?;
    }
    Ok(())
}
