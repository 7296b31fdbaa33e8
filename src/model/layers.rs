//! Linear layers and residual networks, forward and backward by hand: activations are written
//! once, gradients of several uses are added up inside the matrix products, and no pass over
//! memory is made beside them.

use super::ModelError;
use super::element::{Element, Reading};
use super::{Parameters, softmax};
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Elements a task takes at once.
const CHUNK: usize = 1 << 14;

/// Read access to all parameters of a model.
pub(super) struct Weights<'a> {
    readings: BTreeMap<&'a str, Reading<'a>>,
}

impl<'a> Weights<'a> {
    pub fn new(parameters: &'a Parameters) -> Result<Self, ModelError> {
        let reading = |(name, var): (&'a String, &'a candle_core::Var)| {
            Ok((name.as_str(), Reading::new(var.as_tensor())?))
        };
        Ok(Weights { readings: parameters.iter().map(reading).collect::<Result<_, ModelError>>()? })
    }

    /// The values of a parameter, row-major.
    pub fn get<T: Element>(&self, name: &str) -> Result<&[T], ModelError> {
        let missing =
            || ModelError::Shape { name: name.to_owned(), reason: "is missing".to_owned() };
        self.readings.get(name).ok_or_else(missing)?.slice()
    }

    /// The layer whose parameters are `NAME.weight` and `NAME.bias`.
    fn layer<T: Element>(&self, name: &str) -> Result<Linear<'_, T>, ModelError> {
        Ok(Linear {
            weight: self.get(&format!("{name}.weight"))?,
            bias: self.get(&format!("{name}.bias"))?,
        })
    }
}

/// Gradients by parameter name, row-major.
pub(super) type Collected<T> = BTreeMap<String, Vec<T>>;

/// `x weight^T + bias`, weight: (out, in), bias: (out).
struct Linear<'a, T> {
    weight: &'a [T],
    bias: &'a [T],
}

impl<T: Real> Linear<'_, T> {
    fn width(&self) -> usize {
        self.weight.len() / self.bias.len()
    }

    fn forward(&self, x: &[T], y: &mut Vec<T>, relu: bool) {
        let (rows, out) = (x.len() / self.width(), self.bias.len());
        y.resize(rows * out, T::ZERO);
        multiply(
            MatrixMut::new(y, rows, out),
            Into::Replace,
            T::ONE,
            Matrix::new(x, rows, self.width()),
            Matrix::new(self.weight, out, self.width()).t(),
        );
        finish(y, self.bias, relu);
    }

    /// Gradients of weight and bias from that of the output, (rows, out).
    fn parameters(&self, name: &str, x: &[T], gradient: &[T], to: &mut Collected<T>) {
        let (width, out) = (self.width(), self.bias.len());
        let rows = x.len() / width;
        let mut weight = vec![T::ZERO; out * width];
        multiply(
            MatrixMut::new(&mut weight, out, width),
            Into::Replace,
            T::ONE,
            Matrix::new(gradient, rows, out).t(),
            Matrix::new(x, rows, width),
        );
        to.insert(format!("{name}.weight"), weight);
        to.insert(format!("{name}.bias"), softmax::column_sums(gradient, out));
    }

    /// Gradient of the input from that of the output.
    fn input(&self, gradient: &[T], to: &mut [T], mode: Into) {
        let (width, out) = (self.width(), self.bias.len());
        let rows = gradient.len() / out;
        multiply(
            MatrixMut::new(to, rows, width),
            mode,
            T::ONE,
            Matrix::new(gradient, rows, out),
            Matrix::new(self.weight, out, width),
        );
    }
}

/// Adds the bias to every row, and rectifies where asked.
fn finish<T: Real>(y: &mut [T], bias: &[T], relu: bool) {
    let floor = if relu { T::ZERO } else { T::from_f64(f64::NEG_INFINITY) };
    let rows = (CHUNK / bias.len()).max(1) * bias.len();
    y.par_chunks_mut(rows).for_each(|rows| {
        for row in rows.chunks_exact_mut(bias.len()) {
            row.iter_mut().zip(bias).for_each(|(y, &b)| *y = larger(*y + b, floor));
        }
    });
}

/// The larger of two numbers; NaN stays NaN, so that broken weights are noticed.
#[inline(always)]
fn larger<T: Real>(x: T, floor: T) -> T {
    if x < floor { floor } else { x }
}

/// Clears the gradient where a rectified output is zero.
fn mask<T: Real>(gradient: &mut [T], y: &[T]) {
    gradient.par_chunks_mut(CHUNK).zip(y.par_chunks(CHUNK)).for_each(|(g, y)| {
        for (g, &y) in g.iter_mut().zip(y) {
            *g = if y > T::ZERO { *g } else { T::ZERO };
        }
    });
}

/// `y = x weight^T + bias`.
pub(super) fn linear<T: Element>(
    weights: &Weights<'_>,
    name: &str,
    x: &[T],
    y: &mut Vec<T>,
) -> Result<(), ModelError> {
    weights.layer(name).map(|layer| layer.forward(x, y, false))
}

/// `y = max(x weight^T + bias, 0)`.
pub(super) fn linear_relu<T: Element>(
    weights: &Weights<'_>,
    name: &str,
    x: &[T],
    y: &mut Vec<T>,
) -> Result<(), ModelError> {
    weights.layer(name).map(|layer| layer.forward(x, y, true))
}

/// Backward of [`linear`]; the input's gradient goes to `to_x`.
pub(super) fn linear_backward<T: Element>(
    weights: &Weights<'_>,
    name: &str,
    x: &[T],
    gradient: &[T],
    (to_x, mode): (&mut [T], Into),
    to: &mut Collected<T>,
) -> Result<(), ModelError> {
    let layer = weights.layer(name)?;
    layer.parameters(name, x, gradient, to);
    layer.input(gradient, to_x, mode);
    Ok(())
}

/// Backward of [`linear_relu`] with its output `y`; `gradient` is masked in place.
pub(super) fn linear_relu_backward<T: Element>(
    weights: &Weights<'_>,
    name: &str,
    (x, y): (&[T], &[T]),
    gradient: &mut [T],
    to_x: (&mut [T], Into),
    to: &mut Collected<T>,
) -> Result<(), ModelError> {
    mask(gradient, y);
    linear_backward(weights, name, x, gradient, to_x, to)
}

/// Names of the layers of a [`Residual`] called `NAME`, as the published files have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// `NAME.0`, then `NAME.1.linear.0` and `NAME.1.linear.2`, and so on.
    #[default]
    Sequential,
    /// `NAME.mlp.0`, then `NAME.mlp.1.lin1` and `NAME.mlp.1.lin2`, and so on.
    Numbered,
    /// Blocks alone, without a layer before and behind them: `NAME.0.linear.0` and
    /// `NAME.0.linear.2`, and so on.
    Blocks,
}

impl Naming {
    /// The layer before the blocks, if there is one.
    pub fn first(self, name: &str) -> Option<String> {
        match self {
            Naming::Sequential => Some(format!("{name}.0")),
            Naming::Numbered => Some(format!("{name}.mlp.0")),
            Naming::Blocks => None,
        }
    }

    /// Both layers inside a block, counted from 0.
    pub fn inner(self, name: &str, block: usize) -> [String; 2] {
        let number = block + 1;
        match self {
            Naming::Sequential => [0, 2].map(|layer| format!("{name}.{number}.linear.{layer}")),
            Naming::Numbered => [1, 2].map(|layer| format!("{name}.mlp.{number}.lin{layer}")),
            Naming::Blocks => [0, 2].map(|layer| format!("{name}.{block}.linear.{layer}")),
        }
    }

    /// The layer behind the blocks, which is not part of a [`Residual`].
    pub fn last(self, name: &str) -> String {
        match self {
            Naming::Sequential => format!("{name}.3"),
            Naming::Numbered => format!("{name}.mlp.3"),
            Naming::Blocks => format!("{name}.2"),
        }
    }

    /// Name and shape of every parameter of a [`Residual`].
    pub fn inner_shapes(self, name: &str, d: usize) -> Vec<(String, Vec<usize>)> {
        let inner = (0..2).flat_map(|block| self.inner(name, block));
        self.first(name)
            .into_iter()
            .chain(inner)
            .flat_map(|layer| linear_shapes(layer, d, d))
            .collect()
    }

    /// The same with a last layer of `out` rows.
    pub fn shapes(self, name: &str, d: usize, out: usize) -> Vec<(String, Vec<usize>)> {
        let mut all = self.inner_shapes(name, d);
        all.extend(linear_shapes(self.last(name), out, d));
        all
    }
}

fn linear_shapes(layer: String, out: usize, d: usize) -> [(String, Vec<usize>); 2] {
    [(format!("{layer}.weight"), vec![out, d]), (format!("{layer}.bias"), vec![out])]
}

/// A linear layer and two residual blocks `x + relu(lin(relu(lin x)))`: h of appendix A of Yang,
/// Liu & Tu 2022 before its last layer. Holds its activations for the backward pass.
#[derive(Debug, Default)]
pub(super) struct Residual<T> {
    naming: Naming,
    /// Input of the first block, of the second, and the output.
    states: [Vec<T>; 3],
    /// Both layers inside each block.
    inner: [[Vec<T>; 2]; 2],
    scratch: [Vec<T>; 2],
}

impl<T: Element> Residual<T> {
    pub fn named(naming: Naming) -> Self
    where
        T: Default,
    {
        Residual { naming, ..Residual::default() }
    }

    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        name: &str,
        x: &[T],
    ) -> Result<(), ModelError> {
        match self.naming.first(name) {
            Some(first) => linear(weights, &first, x, &mut self.states[0])?,
            None => {
                self.states[0].clear();
                self.states[0].extend_from_slice(x);
            }
        }
        for (block, inner) in self.inner.iter_mut().enumerate() {
            let [first, second] = inner;
            let (before, after) = self.states.split_at_mut(block + 1);
            let (x, next) = (&before[block], &mut after[0]);
            let [lower, upper] = self.naming.inner(name, block);
            linear_relu(weights, &lower, x, first)?;
            linear_relu(weights, &upper, first, second)?;
            next.resize(x.len(), T::ZERO);
            next.par_chunks_mut(CHUNK)
                .zip(x.par_chunks(CHUNK))
                .zip(second.par_chunks(CHUNK))
                .for_each(|((next, x), inner)| {
                    for ((n, &x), &i) in next.iter_mut().zip(x).zip(inner) {
                        *n = x + i;
                    }
                });
        }
        Ok(())
    }

    pub fn output(&self) -> &[T] {
        &self.states[2]
    }

    /// Backward with the input `x` and the gradient of the output, which is used up.
    pub fn backward(
        &mut self,
        weights: &Weights<'_>,
        name: &str,
        x: &[T],
        gradient: &mut [T],
        to_x: (&mut [T], Into),
        to: &mut Collected<T>,
    ) -> Result<(), ModelError> {
        let [outer, middle] = &mut self.scratch;
        for block in [1, 0] {
            let [first, second] = &self.inner[block];
            let input = &self.states[block];
            let [lower, upper] = self.naming.inner(name, block);
            outer.clear();
            outer.extend_from_slice(gradient);
            middle.resize(first.len(), T::ZERO);
            linear_relu_backward(
                weights,
                &upper,
                (first, second),
                outer,
                (middle, Into::Replace),
                to,
            )?;
            linear_relu_backward(
                weights,
                &lower,
                (input, first),
                middle,
                (gradient, Into::Add),
                to,
            )?;
        }
        if let Some(first) = self.naming.first(name) {
            return linear_backward(weights, &first, x, gradient, to_x, to);
        }
        let (to_x, mode) = to_x;
        for (to, &g) in to_x.iter_mut().zip(&*gradient) {
            *to = if mode == Into::Replace { g } else { *to + g };
        }
        Ok(())
    }
}
