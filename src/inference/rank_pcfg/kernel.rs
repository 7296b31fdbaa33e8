//! The inner loops: weighted sums of elementwise products.

use crate::inference::{Real, vectorised};
use pulp::Arch;

/// One summand: `weight * x[x_at..] * y[y_at..]`, elementwise.
#[derive(Clone, Copy, Debug)]
pub(super) struct Term<T> {
    pub weight: T,
    pub x_at: usize,
    pub y_at: usize,
}

/// `out[q] = sum over terms of weight * x[x_at + q] * y[y_at + q]`. Returns the largest element.
pub(super) fn product_sum<T: Real>(
    arch: Arch,
    out: &mut [T],
    x: &[T],
    y: &[T],
    terms: &[Term<T>],
) -> T {
    vectorised(
        arch,
        #[inline(always)]
        || {
            // 64 sums stay in registers while the terms stream by.
            let done = blocks::<T, 64>(out, x, y, terms, 0);
            let done = blocks::<T, 8>(out, x, y, terms, done);
            blocks::<T, 1>(out, x, y, terms, done);
            out.iter().fold(T::ZERO, |m, &v| m.max(v))
        },
    )
}

#[inline(always)]
fn blocks<T: Real, const N: usize>(
    out: &mut [T],
    x: &[T],
    y: &[T],
    terms: &[Term<T>],
    from: usize,
) -> usize {
    let mut at = from;
    while at + N <= out.len() {
        let mut sums = [T::ZERO; N];
        for term in terms {
            let x = &x[term.x_at + at..][..N];
            let y = &y[term.y_at + at..][..N];
            for lane in 0..N {
                sums[lane] = (x[lane] * term.weight).mul_add(y[lane], sums[lane]);
            }
        }
        out[at..at + N].copy_from_slice(&sums);
        at += N;
    }
    at
}

/// Sum of x * y in double precision.
pub(super) fn dot<T: Real>(x: &[T], y: &[T]) -> f64 {
    x.iter().zip(y).map(|(&a, &b)| a.to_f64() * b.to_f64()).sum()
}
