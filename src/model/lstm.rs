//! One direction of an LSTM layer, forward and backward by hand.
//!
//! ```text
//! i, f, o = sigma(W_ih x + b_ih + W_hh h + b_hh),   g = tanh(...)     (gates in the order i f g o)
//! c' = f c + i g,   h' = o tanh(c')
//! ```
//!
//! All sequences go in lockstep, the longest first, so that one product serves a time step.

use super::ModelError;
use super::element::Element;
use super::layers::{Collected, Weights};
use super::softmax::column_sums;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply, transpose};

/// Rows of all time steps: step after step, within a step the sequences still going.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    /// First row of each step, and the end behind the last.
    base: Vec<usize>,
}

impl Steps {
    /// For sequences of these lengths, the longest first.
    pub fn new(lengths: &[usize]) -> Steps {
        let mut base = vec![0];
        for t in 0..lengths.first().copied().unwrap_or(0) {
            base.push(base[t] + lengths.partition_point(|&n| n > t));
        }
        Steps { base }
    }

    fn len(&self) -> usize {
        self.base.len() - 1
    }

    pub fn rows(&self) -> usize {
        self.base[self.len()]
    }

    /// Row of a sequence at a step.
    pub fn row(&self, sequence: usize, step: usize) -> usize {
        self.base[step] + sequence
    }
}

/// Activations, kept for the backward pass.
#[derive(Debug, Default)]
pub(super) struct Lstm<T> {
    /// Gates after their nonlinearities: (rows, 4 h).
    gates: Vec<T>,
    /// c: (rows, h).
    cells: Vec<T>,
    /// tanh c: (rows, h).
    squashed: Vec<T>,
    /// h: (rows, h).
    hidden: Vec<T>,
}

/// Names of the parameters of one direction, as PyTorch has them.
pub(super) fn parameter(name: &str, part: &str, reverse: bool) -> String {
    format!("{name}.{part}_l0{}", if reverse { "_reverse" } else { "" })
}

fn sigmoid<T: Real>(x: T) -> T {
    T::ONE / (T::ONE + (T::ZERO - x).exp())
}

fn tanh<T: Real>(x: T) -> T {
    // Through the positive side, where nothing overflows and little cancels.
    let x = x.to_f64();
    T::from_f64(x.tanh())
}

impl<T: Element> Lstm<T> {
    /// h of every row: (rows, h).
    pub fn hidden(&self) -> &[T] {
        &self.hidden
    }

    /// Runs over the rows `x` (rows, inputs), laid out by `steps`.
    pub fn forward(
        &mut self,
        weights: &Weights<'_>,
        name: &str,
        reverse: bool,
        steps: &Steps,
        x: &[T],
    ) -> Result<(), ModelError> {
        let part = |part: &str| weights.get::<T>(&parameter(name, part, reverse));
        let (input, recurrent) = (part("weight_ih")?, part("weight_hh")?);
        let (bias_ih, bias_hh) = (part("bias_ih")?, part("bias_hh")?);
        let (rows, wide) = (steps.rows(), bias_ih.len());
        let (h, width) = (wide / 4, input.len() / wide);
        for (buffer, columns) in [
            (&mut self.gates, wide),
            (&mut self.cells, h),
            (&mut self.squashed, h),
            (&mut self.hidden, h),
        ] {
            buffer.resize(rows * columns, T::ZERO);
        }
        multiply(
            MatrixMut::new(&mut self.gates, rows, wide),
            Into::Replace,
            T::ONE,
            Matrix::new(x, rows, width),
            Matrix::new(input, wide, width).t(),
        );
        for row in self.gates.chunks_exact_mut(wide) {
            for ((g, &a), &b) in row.iter_mut().zip(bias_ih).zip(bias_hh) {
                *g += a + b;
            }
        }
        // A few rows at every step: they read it as it lies.
        let mut turned = Vec::new();
        transpose(recurrent, wide, h, &mut turned);
        for t in 0..steps.len() {
            let (from, to) = (steps.base[t], steps.base[t + 1]);
            let gates = &mut self.gates[from * wide..to * wide];
            // The sequences that still go are the first of those before.
            let before = if t > 0 { steps.base[t - 1] } else { 0 };
            if t > 0 {
                multiply(
                    MatrixMut::new(&mut *gates, to - from, wide),
                    Into::Add,
                    T::ONE,
                    Matrix::new(&self.hidden[before * h..][..(to - from) * h], to - from, h),
                    Matrix::new(&turned, h, wide),
                );
            }
            for (p, gates) in gates.chunks_exact_mut(wide).enumerate() {
                for k in 0..h {
                    for gate in [k, h + k, 3 * h + k] {
                        gates[gate] = sigmoid(gates[gate]);
                    }
                    gates[2 * h + k] = tanh(gates[2 * h + k]);
                    let own = (from + p) * h + k;
                    let carried = if t > 0 { self.cells[(before + p) * h + k] } else { T::ZERO };
                    let cell = gates[h + k] * carried + gates[k] * gates[2 * h + k];
                    self.cells[own] = cell;
                    self.squashed[own] = tanh(cell);
                    self.hidden[own] = gates[3 * h + k] * self.squashed[own];
                }
            }
        }
        Ok(())
    }

    /// Gradients of the parameters go to `to`, that of the input is added to `to_x`, from that of
    /// the hidden rows.
    #[allow(clippy::too_many_arguments)]
    pub fn backward(
        &self,
        weights: &Weights<'_>,
        name: &str,
        reverse: bool,
        steps: &Steps,
        x: &[T],
        hidden_gradient: &[T],
        to_x: &mut [T],
        to: &mut Collected<T>,
    ) -> Result<(), ModelError> {
        let part = |part: &str| weights.get::<T>(&parameter(name, part, reverse));
        let (input, recurrent) = (part("weight_ih")?, part("weight_hh")?);
        let (rows, h) = (steps.rows(), hidden_gradient.len() / steps.rows());
        let (wide, width) = (4 * h, input.len() / (4 * h));
        let mut logits = vec![T::ZERO; rows * wide];
        // What the next step hands back: d h and d c of the sequences that go on.
        let (mut from_hidden, mut from_cells): (Vec<T>, Vec<T>) = (Vec::new(), Vec::new());
        for t in (0..steps.len()).rev() {
            let (from, to) = (steps.base[t], steps.base[t + 1]);
            let mut next_cells = vec![T::ZERO; (to - from) * h];
            for p in 0..to - from {
                let gates = &self.gates[(from + p) * wide..][..wide];
                let logit = &mut logits[(from + p) * wide..][..wide];
                for k in 0..h {
                    let own = (from + p) * h + k;
                    let handed = |all: &[T]| all.get(p * h + k).copied().unwrap_or(T::ZERO);
                    let d_hidden = hidden_gradient[own] + handed(&from_hidden);
                    let [i, f, g, o] = [0, h, 2 * h, 3 * h].map(|gate| gates[gate + k]);
                    let squashed = self.squashed[own];
                    let d_cell =
                        d_hidden * o * (T::ONE - squashed * squashed) + handed(&from_cells);
                    let carried = match t {
                        0 => T::ZERO,
                        _ => self.cells[(steps.base[t - 1] + p) * h + k],
                    };
                    logit[k] = d_cell * g * i * (T::ONE - i);
                    logit[h + k] = d_cell * carried * f * (T::ONE - f);
                    logit[2 * h + k] = d_cell * i * (T::ONE - g * g);
                    logit[3 * h + k] = d_hidden * squashed * o * (T::ONE - o);
                    next_cells[p * h + k] = d_cell * f;
                }
            }
            from_cells = next_cells;
            from_hidden.clear();
            from_hidden.resize((to - from) * h, T::ZERO);
            multiply(
                MatrixMut::new(&mut from_hidden, to - from, h),
                Into::Replace,
                T::ONE,
                Matrix::new(&logits[from * wide..to * wide], to - from, wide),
                Matrix::new(recurrent, wide, h),
            );
        }
        // h before each row; zero at the first step.
        let mut before = vec![T::ZERO; rows * h];
        for t in 1..steps.len() {
            let (from, to) = (steps.base[t], steps.base[t + 1]);
            let source = &self.hidden[steps.base[t - 1] * h..][..(to - from) * h];
            before[from * h..to * h].copy_from_slice(source);
        }
        let gradient = Matrix::new(&logits, rows, wide);
        let mut product = |part: &str, right: Matrix<'_, T>, columns: usize| {
            let mut own = vec![T::ZERO; wide * columns];
            let into = MatrixMut::new(&mut own, wide, columns);
            multiply(into, Into::Replace, T::ONE, gradient.t(), right);
            to.insert(parameter(name, part, reverse), own);
        };
        product("weight_ih", Matrix::new(x, rows, width), width);
        product("weight_hh", Matrix::new(&before, rows, h), h);
        let bias = column_sums(&logits, wide);
        to.insert(parameter(name, "bias_ih", reverse), bias.clone());
        to.insert(parameter(name, "bias_hh", reverse), bias);
        let to_x = MatrixMut::new(to_x, rows, width);
        multiply(to_x, Into::Add, T::ONE, gradient, Matrix::new(input, wide, width));
        Ok(())
    }
}
