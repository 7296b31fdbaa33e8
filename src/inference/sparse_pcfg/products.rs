use crate::inference::Real;

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

    #[inline(always)]
    pub fn get(&self, left: u32) -> &[T] {
        &self.values[left as usize * self.columns..][..self.columns]
    }
}
