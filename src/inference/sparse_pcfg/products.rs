use super::compact::CompactGrammar;
use crate::inference::Real;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply_alone};
use std::ops::Range;

/// A square matrix of which few rows are in use: products of left and right children, summed over
/// split points, with a row for every left child.
pub(super) struct Products<T> {
    columns: usize,
    values: Vec<T>,
    in_use: Vec<bool>,
    rows: Vec<u32>,
}

impl<T: Real> Products<T> {
    pub fn new(symbols: usize) -> Products<T> {
        Products {
            columns: symbols,
            values: vec![T::ZERO; symbols * symbols],
            in_use: vec![false; symbols],
            rows: Vec::new(),
        }
    }

    /// Takes all rows out of use.
    pub fn clear(&mut self) {
        for &row in &self.rows {
            self.values[row as usize * self.columns..][..self.columns].fill(T::ZERO);
            self.in_use[row as usize] = false;
        }
        self.rows.clear();
    }

    /// The rows in use, in the order in which they came.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// A row, all 0 where it was not in use.
    #[inline(always)]
    pub fn row(&mut self, left: u32) -> &mut [T] {
        if !self.in_use[left as usize] {
            self.in_use[left as usize] = true;
            self.rows.push(left);
        }
        &mut self.values[left as usize * self.columns..][..self.columns]
    }

    /// All rows of a range, in use from now on.
    pub fn use_rows(&mut self, rows: Range<usize>) {
        for row in rows {
            if !self.in_use[row] {
                self.in_use[row] = true;
                self.rows.push(row as u32);
            }
        }
    }

    /// Some rows and columns as a matrix.
    fn block(&self, rows: Range<usize>, columns: Range<usize>) -> Matrix<'_, T> {
        let side = self.columns;
        Matrix::new(&self.values, side, side).rows(rows).columns(columns)
    }

    #[inline(always)]
    pub fn get(&self, left: u32) -> &[T] {
        &self.values[left as usize * self.columns..][..self.columns]
    }
}

/// The sides of the splits of a span that leave several words on both, row by row, for products of
/// matrices: left children of the left sides, right children of the right ones.
pub(super) struct Sides<T> {
    lefts: Range<usize>,
    rights: Range<usize>,
    left: Vec<T>,
    right: Vec<T>,
    rows: usize,
    /// What comes out for the left sides and for the right ones.
    to_left: Vec<T>,
    to_right: Vec<T>,
}

impl<T: Real> Sides<T> {
    pub fn new(grammar: &CompactGrammar<T>) -> Sides<T> {
        Sides {
            lefts: grammar.inner_lefts.clone(),
            rights: grammar.inner_rights.clone(),
            left: Vec::new(),
            right: Vec::new(),
            rows: 0,
            to_left: Vec::new(),
            to_right: Vec::new(),
        }
    }

    pub fn clear(&mut self) {
        self.left.clear();
        self.right.clear();
        self.rows = 0;
    }

    /// Adds a split; the left side is multiplied by `factor`.
    #[inline(always)]
    pub fn push(&mut self, factor: T, left: &[T], right: &[T]) {
        self.left.extend(left[self.lefts.clone()].iter().map(|&value| factor * value));
        self.right.extend_from_slice(&right[self.rights.clone()]);
        self.rows += 1;
    }

    pub fn is_empty(&self) -> bool {
        self.rows == 0 || self.lefts.is_empty() || self.rights.is_empty()
    }

    fn left(&self) -> Matrix<'_, T> {
        Matrix::new(&self.left, self.rows, self.lefts.len())
    }

    fn right(&self) -> Matrix<'_, T> {
        Matrix::new(&self.right, self.rows, self.rights.len())
    }

    /// Sums the products of left and right children over the splits.
    pub fn sum(&self, products: &mut Products<T>) {
        products.use_rows(self.lefts.clone());
        let side = products.columns;
        let values = &mut products.values[self.lefts.start * side..self.lefts.end * side];
        let to = MatrixMut::new(values, self.lefts.len(), side).columns(self.rights.clone());
        multiply_alone(to, Into::Replace, T::ONE, self.left().t(), self.right());
    }

    /// What every split hands to its sides, given the weight of every pair of children. The unit of
    /// what the right sides get has the factors of [`Sides::push`] in it already.
    pub fn hand_down(&mut self, weights: &Products<T>) {
        let (rows, lefts, rights) = (self.rows, self.lefts.clone(), self.rights.clone());
        self.to_left.resize(rows * lefts.len(), T::ZERO);
        self.to_right.resize(rows * rights.len(), T::ZERO);
        let (mut to_left, mut to_right) =
            (std::mem::take(&mut self.to_left), std::mem::take(&mut self.to_right));
        let weights = weights.block(lefts.clone(), rights.clone());
        let to = MatrixMut::new(&mut to_left, rows, lefts.len());
        multiply_alone(to, Into::Replace, T::ONE, self.right(), weights.t());
        let to = MatrixMut::new(&mut to_right, rows, rights.len());
        multiply_alone(to, Into::Replace, T::ONE, self.left(), weights);
        (self.to_left, self.to_right) = (to_left, to_right);
    }

    /// Adds what split `row` hands down to the outside values of its left side; `factor` is that of
    /// [`Sides::push`].
    #[inline(always)]
    pub fn add_left(&self, row: usize, factor: T, left: &mut [T]) {
        let from = &self.to_left[row * self.lefts.len()..][..self.lefts.len()];
        for (to, &from) in left[self.lefts.clone()].iter_mut().zip(from) {
            *to = factor.mul_add(from, *to);
        }
    }

    /// The same for its right side.
    #[inline(always)]
    pub fn add_right(&self, row: usize, right: &mut [T]) {
        let from = &self.to_right[row * self.rights.len()..][..self.rights.len()];
        for (to, &from) in right[self.rights.clone()].iter_mut().zip(from) {
            *to += from;
        }
    }
}
