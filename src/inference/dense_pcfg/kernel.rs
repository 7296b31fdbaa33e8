//! The inner loops over pairs of children.

use crate::inference::{Real, vectorised};
use pulp::Arch;

/// `to[b, c] += weight * left[b] * right[c]`.
pub(super) fn add_outer<T: Real>(arch: Arch, to: &mut [T], weight: T, left: &[T], right: &[T]) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            for (row, &l) in to.chunks_exact_mut(right.len()).zip(left) {
                let factor = weight * l;
                for (x, &r) in row.iter_mut().zip(right) {
                    *x = factor.mul_add(r, *x);
                }
            }
        },
    )
}

/// `to[b, c] = max(to[b, c], weight * left[b] * right[c])`.
pub(super) fn max_outer<T: Real>(arch: Arch, to: &mut [T], weight: T, left: &[T], right: &[T]) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            for (row, &l) in to.chunks_exact_mut(right.len()).zip(left) {
                let factor = weight * l;
                for (x, &r) in row.iter_mut().zip(right) {
                    *x = (factor * r).max(*x);
                }
            }
        },
    )
}

/// `to[b] += weight * sum_c matrix[b, c] right[c]`.
pub(super) fn add_rows<T: Real>(arch: Arch, to: &mut [T], weight: T, matrix: &[T], right: &[T]) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            const LANES: usize = 8;
            for (x, row) in to.iter_mut().zip(matrix.chunks_exact(right.len())) {
                let (rows, rights) = (row.chunks_exact(LANES), right.chunks_exact(LANES));
                let mut sum = T::ZERO;
                for (&m, &r) in rows.remainder().iter().zip(rights.remainder()) {
                    sum = m.mul_add(r, sum);
                }
                let mut sums = [T::ZERO; LANES];
                for (m, r) in rows.zip(rights) {
                    for lane in 0..LANES {
                        sums[lane] = m[lane].mul_add(r[lane], sums[lane]);
                    }
                }
                let sum = sums.iter().fold(sum, |s, &x| s + x);
                *x = sum.mul_add(weight, *x);
            }
        },
    )
}

/// `to[c] += weight * sum_b left[b] matrix[b, c]`.
pub(super) fn add_columns<T: Real>(arch: Arch, to: &mut [T], weight: T, left: &[T], matrix: &[T]) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            for (row, &l) in matrix.chunks_exact(to.len()).zip(left) {
                let factor = weight * l;
                for (x, &m) in to.iter_mut().zip(row) {
                    *x = factor.mul_add(m, *x);
                }
            }
        },
    )
}

/// The largest of `x[i] * y[i]`.
pub(super) fn largest_product<T: Real>(arch: Arch, x: &[T], y: &[T]) -> T {
    vectorised(
        arch,
        #[inline(always)]
        || {
            const LANES: usize = 32;
            let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
            let mut top = T::ZERO;
            for (&x, &y) in xs.remainder().iter().zip(ys.remainder()) {
                top = (x * y).max(top);
            }
            let mut tops = [T::ZERO; LANES];
            for (x, y) in xs.zip(ys) {
                for lane in 0..LANES {
                    tops[lane] = (x[lane] * y[lane]).max(tops[lane]);
                }
            }
            tops.iter().fold(top, |m, &x| x.max(m))
        },
    )
}
