//! Gradients of what lies between one word and the next.

use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use std::ops::Range;

/// Both sides of every step from one word to the next in the same sentence: the gradients of all
/// matrices in between are products of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps<T> {
    pub(super) rank: usize,
    pub(super) states: usize,
    pub(super) weight: T,
    /// a_t before the step, and its gradient through it: (steps, r).
    pub(super) alpha: Vec<T>,
    pub(super) alpha_gradient: Vec<T>,
    /// Gradient of e_{t+1} behind the step: (steps, r).
    pub(super) next_gradient: Vec<T>,
    /// Probabilities of the states in between, and their gradient, where the order of elimination
    /// keeps them: (steps, states).
    pub(super) between: Vec<T>,
    pub(super) between_gradient: Vec<T>,
}

impl<T: Real> Steps<T> {
    fn count(&self) -> usize {
        self.alpha.len() / self.rank
    }

    /// Gradient of A = V^T U: (r, r).
    pub fn chain(&self, to: &mut [T]) {
        let r = self.rank;
        self.product(
            MatrixMut::new(to, r, r),
            Matrix::new(&self.alpha, self.count(), r),
            &self.next_gradient,
        );
    }

    /// Rows of the gradient of U: (states, r).
    ///
    /// # Panics
    /// If the order of elimination did not keep the states; so do the next two.
    pub fn u(&self, states: Range<usize>, to: &mut [T]) {
        let rows = MatrixMut::new(to, states.len(), self.rank);
        let between = Matrix::new(&self.between, self.count(), self.states);
        self.product(rows, between.columns(states), &self.next_gradient);
    }

    /// Rows of the gradient of V: (states, r).
    pub fn v(&self, states: Range<usize>, to: &mut [T]) {
        let rows = MatrixMut::new(to, states.len(), self.rank);
        let between = Matrix::new(&self.between_gradient, self.count(), self.states);
        self.product(rows, between.columns(states), &self.alpha);
    }

    /// Sum over states of V times its gradient, (r), without either: V brings the gradient of the
    /// states back to that of a_t.
    pub fn v_dots(&self) -> Vec<T> {
        let mut dots = vec![T::ZERO; self.rank];
        let rows = self.alpha.chunks_exact(self.rank);
        for (alpha, gradient) in rows.zip(self.alpha_gradient.chunks_exact(self.rank)) {
            for ((dot, &a), &g) in dots.iter_mut().zip(alpha).zip(gradient) {
                *dot = a.mul_add(g, *dot);
            }
        }
        dots.iter_mut().for_each(|dot| *dot *= self.weight);
        dots
    }

    /// `weight` times left^T right; zero where no sentence has a second word.
    fn product(&self, mut to: MatrixMut<'_, T>, left: Matrix<'_, T>, right: &[T]) {
        match self.count() {
            0 => to.fill(T::ZERO),
            steps => {
                let right = Matrix::new(right, steps, self.rank);
                multiply(to, Into::Replace, self.weight, left.t(), right);
            }
        }
    }

    /// The same in another number type.
    pub fn cast<U: Real>(&self) -> Steps<U> {
        let cast = |x: &[T]| x.iter().map(|x| U::from_f64(x.to_f64())).collect();
        Steps {
            rank: self.rank,
            states: self.states,
            weight: U::from_f64(self.weight.to_f64()),
            alpha: cast(&self.alpha),
            alpha_gradient: cast(&self.alpha_gradient),
            next_gradient: cast(&self.next_gradient),
            between: cast(&self.between),
            between_gradient: cast(&self.between_gradient),
        }
    }
}
