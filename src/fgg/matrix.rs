//! Small matrices, and the exact decomposition that every tensor has.

/// Rows, columns and entries as bits.
pub(super) type MatrixKey = (usize, usize, Vec<u64>);

/// Row-major.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Matrix {
    pub fn new(rows: usize, columns: usize, values: Vec<f64>) -> Matrix {
        assert_eq!(values.len(), rows * columns, "a {rows} x {columns} matrix");
        Matrix { rows, columns, values }
    }

    pub fn filled(rows: usize, columns: usize, value: f64) -> Matrix {
        Matrix { rows, columns, values: vec![value; rows * columns] }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }

    /// Multiplies every row by its weight.
    pub fn weigh_rows(&mut self, weights: &[f64]) {
        assert_eq!(weights.len(), self.rows);
        for (row, weight) in self.values.chunks_exact_mut(self.columns.max(1)).zip(weights) {
            row.iter_mut().for_each(|x| *x *= weight);
        }
    }

    /// Multiplies entry by entry.
    pub fn times(&mut self, other: &Matrix) {
        assert_eq!((self.rows, self.columns), (other.rows, other.columns));
        self.values.iter_mut().zip(&other.values).for_each(|(x, y)| *x *= y);
    }

    /// The sum of every column.
    pub fn column_sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns];
        for row in self.values.chunks_exact(self.columns.max(1)) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        sums
    }

    /// self^T other: (own columns, other's columns).
    pub fn transposed_times(&self, other: &Matrix) -> Matrix {
        assert_eq!(self.rows, other.rows);
        let mut product = Matrix::filled(self.columns, other.columns, 0.0);
        for (left, right) in (0..self.rows).map(|i| (self.row(i), other.row(i))) {
            for (to, x) in product.values.chunks_exact_mut(other.columns.max(1)).zip(left) {
                to.iter_mut().zip(right).for_each(|(to, y)| *to += x * y);
            }
        }
        product
    }

    /// What two matrices have in common exactly when they are equal entry by entry.
    pub(super) fn key(&self) -> MatrixKey {
        // Both zeros are equal.
        (self.rows, self.columns, self.values.iter().map(|x| (x + 0.0).to_bits()).collect())
    }
}

/// The trivial exact decomposition of a row-major tensor: the rank runs over all values of the
/// dimensions beside the largest (the first of equals), whose matrix has the entries; the others
/// select. One matrix (size, rank) a dimension; for no dimension none.
pub fn trivial_cpd(shape: &[usize], tensor: &[f64]) -> Vec<Matrix> {
    assert_eq!(tensor.len(), shape.iter().product::<usize>(), "a tensor {shape:?}");
    let Some(&top) = shape.iter().max() else { return Vec::new() };
    let largest = shape.iter().position(|&d| d == top).unwrap_or(0);
    let rank: usize = tensor.len() / top.max(1);
    let mut matrices: Vec<Matrix> = shape.iter().map(|&d| Matrix::filled(d, rank, 0.0)).collect();
    let mut index = vec![0; shape.len()];
    for &entry in tensor {
        let others = (0..shape.len()).filter(|&k| k != largest);
        let q = others.fold(0, |q, k| q * shape[k] + index[k]);
        for (k, matrix) in matrices.iter_mut().enumerate() {
            matrix.values[index[k] * rank + q] = if k == largest { entry } else { 1.0 };
        }
        for k in (0..shape.len()).rev() {
            index[k] += 1;
            if index[k] < shape[k] {
                break;
            }
            index[k] = 0;
        }
    }
    matrices
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_trivial_decomposition_gives_the_tensor_back() {
        for shape in [vec![4], vec![2, 3], vec![3, 3], vec![2, 3, 2], vec![2, 2, 3, 2], vec![1, 1]]
        {
            let len = shape.iter().product::<usize>();
            let tensor: Vec<f64> = (0..len).map(|i| (i * 37 % 11) as f64 - 3.0).collect();
            let matrices = trivial_cpd(&shape, &tensor);
            let rank = matrices[0].columns();
            assert_eq!(rank, len / shape.iter().max().expect("a dimension"));
            for (flat, &entry) in tensor.iter().enumerate() {
                let mut left = flat;
                let mut index = vec![0; shape.len()];
                for k in (0..shape.len()).rev() {
                    (index[k], left) = (left % shape[k], left / shape[k]);
                }
                let product = |q| index.iter().zip(&matrices).map(|(&x, m)| m.row(x)[q]).product();
                let sum: f64 = (0..rank).map(|q| -> f64 { product(q) }).sum();
                assert_eq!(sum, entry, "{shape:?} {index:?}");
            }
        }
        assert!(trivial_cpd(&[], &[2.0]).is_empty());
    }

    #[test]
    fn products_are_those_of_the_transpose() {
        let a = Matrix::new(2, 3, vec![1., 2., 3., 4., 5., 6.]);
        let b = Matrix::new(2, 1, vec![10., 100.]);
        assert_eq!(a.transposed_times(&b), Matrix::new(3, 1, vec![410., 520., 630.]));
        assert_eq!(a.column_sums(), [5., 7., 9.]);
        assert_eq!(Matrix::new(1, 1, vec![0.0]).key(), Matrix::new(1, 1, vec![-0.0]).key());
    }
}
