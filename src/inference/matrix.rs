//! Views of matrices in slices, and their product.

use super::Real;
use rayon::prelude::*;
use std::ops::Range;

/// Numbers that the widest vectors hold: a right factor with whole vectors in each row is read as it
/// lies, any other is copied beforehand, which with few rows is most of the work.
const VECTOR: usize = 16;
/// Numbers of a right factor from which that counts.
const LARGE: usize = 1 << 14;

/// A matrix in a slice, with strides; element (i, j) lies at `i * row_stride + j * column_stride`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T> {
    data: &'a [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, T> Matrix<'a, T> {
    /// Row-major and without gaps.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Self {
        assert_eq!(data.len(), rows * columns, "a {rows} x {columns} matrix");
        Matrix { data, rows, columns, row_stride: columns, column_stride: 1 }
    }

    /// The transpose, without moving anything.
    pub fn t(self) -> Self {
        Matrix {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// Some consecutive rows.
    pub fn rows(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.rows);
        let skip = (range.start * self.row_stride).min(self.data.len());
        Matrix { data: &self.data[skip..], rows: range.len(), ..self }
    }

    /// Some consecutive columns.
    pub fn columns(self, range: Range<usize>) -> Self {
        self.t().rows(range).t()
    }

    fn fits(&self) -> bool {
        self.rows == 0
            || self.columns == 0
            || (self.rows - 1) * self.row_stride + (self.columns - 1) * self.column_stride
                < self.data.len()
    }
}

/// A row-major matrix to write to; rows may lie apart.
#[derive(Debug)]
pub struct MatrixMut<'a, T> {
    data: &'a mut [T],
    rows: usize,
    columns: usize,
    row_stride: usize,
}

impl<'a, T> MatrixMut<'a, T> {
    /// Row-major and without gaps.
    pub fn new(data: &'a mut [T], rows: usize, columns: usize) -> Self {
        assert_eq!(data.len(), rows * columns, "a {rows} x {columns} matrix");
        MatrixMut { data, rows, columns, row_stride: columns }
    }

    /// Sets every element.
    pub fn fill(&mut self, value: T)
    where
        T: Copy,
    {
        for row in self.data.chunks_mut(self.row_stride.max(1)).take(self.rows) {
            row[..self.columns].fill(value);
        }
    }

    /// Some consecutive columns.
    pub fn columns(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.columns);
        let skip = range.start.min(self.data.len());
        MatrixMut { data: &mut self.data[skip..], columns: range.len(), ..self }
    }
}

impl<T: Copy> MatrixMut<'_, T> {
    /// Replaces every row by this one.
    pub fn fill_rows(&mut self, row: &[T]) {
        assert_eq!(row.len(), self.columns);
        for i in 0..self.rows {
            self.data[i * self.row_stride..][..row.len()].copy_from_slice(row);
        }
    }
}

/// Whether a product replaces what stood there or is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Into {
    Replace,
    Add,
}

/// `to = factor * left * right` (or `+=`), on the threads of the current pool. The inner
/// dimension is never split between threads, so the result does not depend on their number.
pub fn multiply<T: Real>(
    to: MatrixMut<'_, T>,
    mode: Into,
    factor: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
) {
    let threads = rayon::current_num_threads();
    let parallelism =
        if threads > 1 { gemm::Parallelism::Rayon(threads) } else { gemm::Parallelism::None };
    product(to, mode, factor, left, right, parallelism);
}

/// [`multiply`] on this thread alone, for products that are done before others have woken.
pub fn multiply_alone<T: Real>(
    to: MatrixMut<'_, T>,
    mode: Into,
    factor: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
) {
    product(to, mode, factor, left, right, gemm::Parallelism::None);
}

fn product<T: Real>(
    to: MatrixMut<'_, T>,
    mode: Into,
    factor: T,
    left: Matrix<'_, T>,
    right: Matrix<'_, T>,
    parallelism: gemm::Parallelism,
) {
    assert_eq!(left.columns, right.rows, "inner dimensions");
    assert_eq!((to.rows, to.columns), (left.rows, right.columns), "outer dimensions");
    assert!(left.fits() && right.fits());
    if to.rows == 0 || to.columns == 0 {
        return;
    }
    let odd = to.columns % VECTOR;
    let large = to.columns > VECTOR && right.rows * right.columns >= LARGE;
    if right.column_stride == 1 && odd > 0 && large {
        let whole = to.columns - odd;
        let MatrixMut { data, rows, columns, row_stride } = to;
        for part in [0..whole, whole..columns] {
            let to = MatrixMut { data: &mut *data, rows, columns, row_stride };
            let right = right.columns(part.clone());
            product(to.columns(part), mode, factor, left, right, parallelism);
        }
        return;
    }
    assert!((to.rows - 1) * to.row_stride + to.columns <= to.data.len());
    // SAFETY: the three matrices lie within their slices (asserted above), and `to` is borrowed
    // mutably, so it overlaps neither operand.
    unsafe {
        gemm::gemm(
            to.rows,
            to.columns,
            left.columns,
            to.data.as_mut_ptr(),
            1,
            to.row_stride as isize,
            mode == Into::Add,
            left.data.as_ptr(),
            left.column_stride as isize,
            left.row_stride as isize,
            right.data.as_ptr(),
            right.column_stride as isize,
            right.row_stride as isize,
            T::ONE,
            factor,
            false,
            false,
            false,
            parallelism,
        );
    }
}

/// `to` (columns, rows) becomes the transpose of `from` (rows, columns): a right factor of few rows
/// is quickest where its rows lie one behind the other.
pub fn transpose<T: Real>(from: &[T], rows: usize, columns: usize, to: &mut Vec<T>) {
    /// A square of numbers that stays in the cache, however far its rows lie apart.
    const SIDE: usize = 8;
    assert_eq!(from.len(), rows * columns, "a {rows} x {columns} matrix");
    to.resize(rows * columns, T::ZERO);
    if rows == 0 {
        return;
    }
    to.par_chunks_mut(SIDE * rows).enumerate().for_each(|(block, to)| {
        for first in (0..rows).step_by(SIDE) {
            let last = (first + SIDE).min(rows);
            for (column, to) in to.chunks_exact_mut(rows).enumerate() {
                let column = block * SIDE + column;
                for (row, to) in (first..last).zip(&mut to[first..last]) {
                    *to = from[row * columns + column];
                }
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919 + 13) % 101) as f64 / 50.0 - 1.0).collect()
    }

    #[test]
    fn products_of_views_equal_the_sum_by_definition() {
        let (a, b) = (numbers(5 * 7), numbers(9 * 5));
        let left = Matrix::new(&a, 5, 7).t().rows(1..6); // 5 x 5
        let right = Matrix::new(&b, 9, 5).columns(1..4).rows(2..7); // 5 x 3
        let mut to = vec![1.0; 5 * 8];
        multiply(MatrixMut::new(&mut to, 5, 8).columns(2..5), Into::Add, 2.0, left, right);
        for i in 0..5 {
            for j in 0..8 {
                let expected = if (2..5).contains(&j) {
                    let sum: f64 =
                        (0..5).map(|k| a[k * 7 + i + 1] * b[(k + 2) * 5 + (j - 2) + 1]).sum();
                    1.0 + 2.0 * sum
                } else {
                    1.0
                };
                assert!((to[i * 8 + j] - expected).abs() < 1e-12, "({i}, {j})");
            }
        }
    }

    #[test]
    fn products_are_the_same_whatever_the_number_of_columns() {
        for (rows, inner, columns) in
            [(1, 3, 17), (3, 1000, 31), (2, 7, 32), (9, 400, 47), (4, 6, 15)]
        {
            let (a, b) = (numbers(rows * inner), numbers(inner * columns));
            let mut to = vec![0.5; rows * columns];
            multiply(
                MatrixMut::new(&mut to, rows, columns),
                Into::Add,
                2.0,
                Matrix::new(&a, rows, inner),
                Matrix::new(&b, inner, columns),
            );
            for i in 0..rows {
                for j in 0..columns {
                    let sum: f64 = (0..inner).map(|k| a[i * inner + k] * b[k * columns + j]).sum();
                    assert!((to[i * columns + j] - 0.5 - 2.0 * sum).abs() < 1e-9, "({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn a_transpose_has_rows_for_columns() {
        for (rows, columns) in [(1, 1), (3, 20), (17, 9), (64, 33), (0, 4), (4, 0)] {
            let from = numbers(rows * columns);
            let mut to = vec![7.0; 5];
            transpose(&from, rows, columns, &mut to);
            assert_eq!(to.len(), from.len());
            for i in 0..rows {
                for j in 0..columns {
                    assert_eq!(to[j * rows + i], from[i * columns + j], "({i}, {j})");
                }
            }
        }
    }
}
