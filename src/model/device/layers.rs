//! Linear layers, residual networks and the softmax over the vocabulary on a device: see
//! model/layers.rs and model/emission.rs, whose equations these are.

use super::store::Store;
use crate::device::{By, Columns, Doubles, Engine, Ints, Matrix, Reals, Room};
use crate::model::ModelError;
use crate::model::layers::Naming;

/// Rows of exponentials computed at a time.
const BLOCK: usize = 4096;
/// Exponentials are kept up to this many bytes.
const KEEP: usize = 1 << 29;

type Done = Result<(), ModelError>;

/// `y = x weight^T + bias`, rectified or not.
pub(super) fn linear(store: &Store, name: &str, x: Reals, y: Reals, relu: bool) -> Done {
    let (weight, bias) =
        (store.weight(&format!("{name}.weight"))?, store.weight(&format!("{name}.bias"))?);
    let (out, width) = (bias.len(), weight.len() / bias.len());
    let rows = x.len() / width;
    let (x, weight) = (Matrix::new(x, rows, width), Matrix::new(weight, out, width));
    store.engine.multiply(Matrix::new(y, rows, out), 0.0, 1.0, x, weight.t())?;
    Ok(store.engine.add_bias(y, bias, relu)?)
}

/// Gradients of weight and bias, and of the input: `keep` times what is there is added.
pub(super) fn linear_backward(
    store: &Store,
    name: &str,
    x: Reals<'_>,
    gradient: Reals<'_>,
    (to_x, keep): (Reals<'_>, f64),
    columns: &mut Columns,
) -> Done {
    let engine = &store.engine;
    let [weight_name, bias_name] = ["weight", "bias"].map(|part| format!("{name}.{part}"));
    let (weight, out) = (store.weight(&weight_name)?, store.weight(&bias_name)?.len());
    let width = weight.len() / out;
    let rows = x.len() / width;
    let output = Matrix::new(gradient, rows, out);
    let own = Matrix::new(store.gradient(&weight_name)?, out, width);
    engine.multiply(own, 0.0, 1.0, output.t(), Matrix::new(x, rows, width))?;
    let bias = store.gradient(&bias_name)?;
    engine.column_sums(bias, gradient, By::Nothing, (1.0, false), columns)?;
    let to_x = Matrix::new(to_x, rows, width);
    Ok(engine.multiply(to_x, keep, 1.0, output, Matrix::new(weight, out, width))?)
}

/// The same behind a rectifier with output y; `gradient` is masked in place.
pub(super) fn linear_relu_backward(
    store: &Store,
    name: &str,
    (x, y): (Reals<'_>, Reals<'_>),
    gradient: Reals<'_>,
    to_x: (Reals<'_>, f64),
    columns: &mut Columns,
) -> Done {
    store.engine.mask_relu(gradient, y)?;
    linear_backward(store, name, x, gradient, to_x, columns)
}

/// A linear layer and two residual blocks, with activations kept for the backward pass.
#[derive(Debug, Default)]
pub(super) struct Residual {
    naming: Naming,
    states: [Room; 3],
    inner: [[Room; 2]; 2],
    scratch: [Room; 2],
}

impl Residual {
    pub fn named(naming: Naming) -> Self {
        Residual { naming, ..Residual::default() }
    }

    pub fn forward(&mut self, store: &Store, name: &str, x: Reals<'_>) -> Done {
        let (engine, n) = (&store.engine, x.len());
        let Residual { naming, states, inner, .. } = self;
        let [first, second, third] = states;
        let states = [first, second, third].map(|room| room.reals(engine, n));
        let [first, second, third] = states;
        let states = [first?, second?, third?];
        match naming.first(name) {
            Some(layer) => linear(store, &layer, x, states[0], false)?,
            None => engine.copy(x, states[0])?,
        }
        for (block, [low, high]) in inner.iter_mut().enumerate() {
            let (low, high) = (low.reals(engine, n)?, high.reals(engine, n)?);
            let [lower, upper] = naming.inner(name, block);
            linear(store, &lower, states[block], low, true)?;
            linear(store, &upper, low, high, true)?;
            engine.add(states[block + 1], states[block], high)?;
        }
        Ok(())
    }

    /// Of `n` numbers.
    pub fn output(&self, engine: &Engine, n: usize) -> Reals<'_> {
        self.states[2].as_reals(engine, n)
    }

    /// Backward with the input `x` and the gradient of the output, which is used up.
    pub fn backward(
        &mut self,
        store: &Store,
        name: &str,
        x: Reals<'_>,
        gradient: Reals<'_>,
        (to_x, keep): (Reals<'_>, f64),
        columns: &mut Columns,
    ) -> Done {
        let (engine, n) = (&store.engine, x.len());
        let Residual { naming, states, inner, scratch: [one, two] } = self;
        let (one, two) = (one.reals(engine, n)?, two.reals(engine, n)?);
        for (block, [low, high]) in inner.iter().enumerate().rev() {
            let (low, high) = (low.as_reals(engine, n), high.as_reals(engine, n));
            let own = states[block].as_reals(engine, n);
            let [lower, upper] = naming.inner(name, block);
            engine.copy(gradient, one)?;
            linear_relu_backward(store, &upper, (low, high), one, (two, 0.0), columns)?;
            linear_relu_backward(store, &lower, (own, low), two, (gradient, 1.0), columns)?;
        }
        match naming.first(name) {
            Some(layer) => linear_backward(store, &layer, x, gradient, (to_x, keep), columns),
            None if keep == 0.0 => Ok(engine.copy(gradient, to_x)?),
            None => Ok(engine.add(to_x, to_x, gradient)?),
        }
    }
}

/// The last layer of the emissions: logits = hidden weight^T + bias.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layer<'a> {
    /// (states, d)
    pub hidden: Reals<'a>,
    /// (vocabulary, d)
    pub weight: Reals<'a>,
    /// (vocabulary)
    pub bias: Reals<'a>,
    pub embedding: usize,
}

impl Layer<'_> {
    fn states(&self) -> usize {
        self.hidden.len() / self.embedding
    }

    fn vocabulary(&self) -> usize {
        self.bias.len()
    }
}

/// What the forward pass leaves for the backward pass.
#[derive(Debug, Default)]
pub(super) struct Emission {
    log_normalisers: Room,
    factors: Room,
    exponentials: Room,
    expected: Room,
    kept: bool,
    gathered: Room,
    rows: Room,
    summed: Room,
    shares: Room,
    weighted: Room,
    columns: Columns,
}

impl Emission {
    fn block(&self, engine: &Engine, layer: &Layer<'_>, from: usize) -> Result<(), ModelError> {
        let (states, words, d) = (layer.states(), layer.vocabulary(), layer.embedding);
        let rows = BLOCK.min(states - from);
        let at = if self.kept { from * words } else { 0 };
        let all = if self.kept { states } else { BLOCK.min(states) };
        let all = self.exponentials.as_reals(engine, all * words);
        let block = all.slice(at..at + rows * words);
        engine.multiply(
            Matrix::new(block, rows, words),
            0.0,
            1.0,
            Matrix::new(layer.hidden.slice(from * d..(from + rows) * d), rows, d),
            Matrix::new(layer.weight, words, d).t(),
        )?;
        let normalisers = self.log_normalisers.as_doubles(states).slice(from..from + rows);
        let factors = self.factors.as_reals(engine, states).slice(from..from + rows);
        Ok(engine.exponentials(block, layer.bias, normalisers, factors)?)
    }

    /// Computes the normalisers, and what a backward pass will need.
    pub fn forward(&mut self, engine: &Engine, layer: &Layer<'_>, backward: bool) -> Done {
        let (states, words, d) = (layer.states(), layer.vocabulary(), layer.embedding);
        self.kept = backward && states * words * engine.unit() <= KEEP;
        let rows = if self.kept { states } else { BLOCK.min(states) };
        self.exponentials.reals(engine, rows * words)?;
        self.log_normalisers.doubles(engine, states)?;
        self.factors.reals(engine, states)?;
        if backward {
            self.expected.reals(engine, states * d)?;
        }
        for from in (0..states).step_by(BLOCK) {
            self.block(engine, layer, from)?;
            if backward {
                let rows = BLOCK.min(states - from);
                let at = if self.kept { from * words } else { 0 };
                let all = if self.kept { states } else { BLOCK.min(states) };
                let all = self.exponentials.as_reals(engine, all * words);
                let block = Matrix::new(all.slice(at..at + rows * words), rows, words);
                let expected = self.expected.as_reals(engine, states * d);
                let expected = expected.slice(from * d..(from + rows) * d);
                let weight = Matrix::new(layer.weight, words, d);
                engine.multiply(Matrix::new(expected, rows, d), 0.0, 1.0, block, weight)?;
                let factors = self.factors.as_reals(engine, states).slice(from..from + rows);
                engine.scale_rows(expected, factors)?;
            }
        }
        Ok(())
    }

    /// Scaled probabilities of some distinct words, (words, states), and their log-scales.
    pub fn words(
        &mut self,
        engine: &Engine,
        layer: &Layer<'_>,
        words: Ints<'_>,
        to: Reals<'_>,
        scales: Doubles<'_>,
    ) -> Done {
        let (states, d) = (layer.states(), layer.embedding);
        let gathered = self.gathered.reals(engine, words.len() * d)?;
        engine.gather_rows(gathered, layer.weight, words)?;
        engine.multiply(
            Matrix::new(to, words.len(), states),
            0.0,
            1.0,
            Matrix::new(gathered, words.len(), d),
            Matrix::new(layer.hidden, states, d).t(),
        )?;
        Ok(engine.emitted(
            to,
            layer.bias,
            words,
            self.log_normalisers.as_doubles(states),
            scales,
        )?)
    }

    /// Gradients of hidden, weight and bias from those of the log-probabilities of some distinct
    /// words, (words, states), after [`Emission::words`] with the same words.
    pub fn backward(
        &mut self,
        engine: &Engine,
        layer: &Layer<'_>,
        words: Ints<'_>,
        gradient: Reals<'_>,
        [to_hidden, to_weight, to_bias]: [Reals<'_>; 3],
    ) -> Done {
        let (states, vocabulary, d) = (layer.states(), layer.vocabulary(), layer.embedding);
        let count = words.len();
        let summed = self.summed.reals(engine, states)?;
        engine.column_sums(summed, gradient, By::Nothing, (1.0, false), &mut self.columns)?;
        // Scattered part.
        let scattered = Matrix::new(gradient, count, states);
        let gathered = Matrix::new(self.gathered.as_reals(engine, count * d), count, d);
        engine.multiply(Matrix::new(to_hidden, states, d), 0.0, 1.0, scattered.t(), gathered)?;
        let rows = self.rows.reals(engine, count * d)?;
        let hidden = Matrix::new(layer.hidden, states, d);
        engine.multiply(Matrix::new(rows, count, d), 0.0, 1.0, scattered, hidden)?;
        // Softmax part.
        let expected = self.expected.as_reals(engine, states * d);
        engine.subtract_scaled(to_hidden, expected, summed)?;
        let shares = self.shares.reals(engine, states)?;
        engine.product(shares, summed, self.factors.as_reals(engine, states), 1.0)?;
        self.weighted.reals(engine, states * d)?;
        let weighted = self.weighted.as_reals(engine, states * d);
        engine.scaled_copy(weighted, layer.hidden, shares)?;
        let step = if self.kept { states } else { BLOCK };
        for from in (0..states).step_by(step) {
            let own = step.min(states - from);
            if !self.kept {
                self.block(engine, layer, from)?;
            }
            let all = if self.kept { states } else { BLOCK.min(states) };
            let block = self.exponentials.as_reals(engine, all * vocabulary);
            let block = block.slice(0..own * vocabulary);
            let keep = if from == 0 { 0.0 } else { 1.0 };
            let weighted = self.weighted.as_reals(engine, states * d);
            let weighted = Matrix::new(weighted.slice(from * d..(from + own) * d), own, d);
            let matrix = Matrix::new(block, own, vocabulary);
            let weight = Matrix::new(to_weight, vocabulary, d);
            engine.multiply(weight, keep, 1.0, matrix.t(), weighted)?;
            let shares = self.shares.as_reals(engine, states).slice(from..from + own);
            let by = By::Rows(shares);
            engine.column_sums(to_bias, block, by, (-1.0, from > 0), &mut self.columns)?;
        }
        engine.scatter_rows(to_weight, self.rows.as_reals(engine, count * d), words)?;
        Ok(engine.add_row_sums(to_bias, gradient, words)?)
    }
}
