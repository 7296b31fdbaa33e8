//! Softmax over rows and over columns, forward and backward, in place.

use crate::inference::{Real, vectorised};
use pulp::Arch;
use rayon::prelude::*;

/// Rows that one task works on; fixed, so that sums do not depend on the number of threads.
const BLOCK: usize = 64;

/// Replaces every row of logits by exp(x + bias - maximum); returns per row the maximum of
/// x + bias and the sum.
pub(super) fn exponentiate_rows<T: Real>(values: &mut [T], bias: &[T]) -> Vec<(T, T)> {
    let arch = Arch::new();
    let shifted = |row: &mut [T]| {
        vectorised(
            arch,
            #[inline(always)]
            || row.iter_mut().zip(bias).for_each(|(x, &b)| *x += b),
        );
        exponentiate(arch, row)
    };
    values.par_chunks_mut(bias.len()).map(shifted).collect()
}

fn exponentiate<T: Real>(arch: Arch, row: &mut [T]) -> (T, T) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            const LANES: usize = 16;
            let mut tops = [row[0]; LANES];
            let mut chunks = row.chunks_exact(LANES);
            for chunk in &mut chunks {
                for lane in 0..LANES {
                    tops[lane] = tops[lane].max(chunk[lane]);
                }
            }
            let rest = chunks.remainder().iter();
            let top = tops.iter().chain(rest).fold(row[0], |m, &x| m.max(x));
            let mut sums = [T::ZERO; LANES];
            let mut chunks = row.chunks_exact_mut(LANES);
            for chunk in &mut chunks {
                for lane in 0..LANES {
                    let e = (chunk[lane] - top).exp();
                    chunk[lane] = e;
                    sums[lane] += e;
                }
            }
            let mut sum = T::ZERO;
            for x in chunks.into_remainder() {
                *x = (*x - top).exp();
                sum += *x;
            }
            (top, sums.iter().fold(sum, |s, &x| s + x))
        },
    )
}

/// Softmax within every row.
pub(super) fn rows<T: Real>(values: &mut [T], columns: usize) {
    let arch = Arch::new();
    values.par_chunks_mut(columns).with_min_len(4).for_each(|row| {
        let (_, sum) = exponentiate(arch, row);
        let factor = T::ONE / sum;
        row.iter_mut().for_each(|x| *x *= factor);
    });
}

/// Turns the gradient with respect to a row softmax into that with respect to its logits.
pub(super) fn rows_backward<T: Real>(probabilities: &[T], gradient: &mut [T], columns: usize) {
    let arch = Arch::new();
    gradient
        .par_chunks_mut(columns)
        .zip(probabilities.par_chunks(columns))
        .with_min_len(4)
        .for_each(|(g, p)| {
            vectorised(
                arch,
                #[inline(always)]
                || {
                    let mut dots = [T::ZERO; 8];
                    let (g8, p8) = (g.chunks_exact(8), p.chunks_exact(8));
                    let mut dot = T::ZERO;
                    for (&x, &y) in g8.remainder().iter().zip(p8.remainder()) {
                        dot += x * y;
                    }
                    for (x, y) in g8.zip(p8) {
                        for lane in 0..8 {
                            dots[lane] = x[lane].mul_add(y[lane], dots[lane]);
                        }
                    }
                    let dot = dots.iter().fold(dot, |s, &x| s + x);
                    for (g, &p) in g.iter_mut().zip(p) {
                        *g = p * (*g - dot);
                    }
                },
            )
        });
}

/// The same from the gradient with respect to the logarithms of the probabilities.
pub(super) fn log_rows_backward<T: Real>(probabilities: &[T], gradient: &mut [T], columns: usize) {
    let rows = gradient.par_chunks_mut(columns).zip(probabilities.par_chunks(columns));
    rows.with_min_len(4).for_each(|(g, p)| {
        let sum = g.iter().fold(T::ZERO, |s, &x| s + x);
        for (g, &p) in g.iter_mut().zip(p) {
            *g = *g - p * sum;
        }
    });
}

/// Softmax within every column of a row-major matrix; returns the logarithm of each column's sum
/// of exponentials.
pub(super) fn columns<T: Real>(values: &mut [T], columns: usize) -> Vec<T> {
    let arch = Arch::new();
    let tops = reduce(
        values,
        columns,
        |block, tops: &mut [T]| {
            tops.copy_from_slice(&block[..columns]);
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for row in block.chunks_exact(columns) {
                        for (top, &x) in tops.iter_mut().zip(row) {
                            *top = top.max(x);
                        }
                    }
                },
            )
        },
        |a, b| a.max(b),
    );
    let partial: Vec<Vec<T>> = values
        .par_chunks_mut(BLOCK * columns)
        .map(|block| {
            let mut sums = vec![T::ZERO; columns];
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for row in block.chunks_exact_mut(columns) {
                        for ((x, &top), sum) in row.iter_mut().zip(&tops).zip(&mut sums) {
                            *x = (*x - top).exp();
                            *sum += *x;
                        }
                    }
                },
            );
            sums
        })
        .collect();
    let sums = join(partial, |a, b| a + b);
    let factors: Vec<T> = sums.iter().map(|&sum| T::ONE / sum).collect();
    values.par_chunks_mut(columns).with_min_len(BLOCK).for_each(|row| {
        for (x, &f) in row.iter_mut().zip(&factors) {
            *x *= f;
        }
    });
    let log_sum = |(&top, &sum): (&T, &T)| T::from_f64(top.to_f64() + sum.to_f64().ln());
    tops.iter().zip(&sums).map(log_sum).collect()
}

/// Turns the gradient with respect to a column softmax into that with respect to its logits.
pub(super) fn columns_backward<T: Real>(probabilities: &[T], gradient: &mut [T], columns: usize) {
    let arch = Arch::new();
    let partial: Vec<Vec<T>> = probabilities
        .par_chunks(BLOCK * columns)
        .zip(gradient.par_chunks(BLOCK * columns))
        .map(|(p, g)| {
            let mut dots = vec![T::ZERO; columns];
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for (p, g) in p.chunks_exact(columns).zip(g.chunks_exact(columns)) {
                        for ((dot, &p), &g) in dots.iter_mut().zip(p).zip(g) {
                            *dot = p.mul_add(g, *dot);
                        }
                    }
                },
            );
            dots
        })
        .collect();
    let dots: Vec<T> =
        (0..columns).map(|c| partial.iter().fold(T::ZERO, |sum, block| sum + block[c])).collect();
    columns_backward_with(probabilities, gradient, &dots);
}

/// The same for some rows, where the sum over all rows of each column's probabilities times their
/// gradient is known.
pub(super) fn columns_backward_with<T: Real>(probabilities: &[T], gradient: &mut [T], dots: &[T]) {
    let columns = dots.len();
    gradient
        .par_chunks_mut(columns)
        .zip(probabilities.par_chunks(columns))
        .with_min_len(BLOCK)
        .for_each(|(g, p)| {
            for ((g, &p), &dot) in g.iter_mut().zip(p).zip(dots) {
                *g = p * (*g - dot);
            }
        });
}

/// Sum of every column of a row-major matrix.
pub(super) fn column_sums<T: Real>(values: &[T], columns: usize) -> Vec<T> {
    let arch = Arch::new();
    let sum = |block: &[T], sums: &mut [T]| {
        vectorised(
            arch,
            #[inline(always)]
            || {
                for row in block.chunks_exact(columns) {
                    sums.iter_mut().zip(row).for_each(|(s, &x)| *s += x);
                }
            },
        )
    };
    reduce(values, columns, sum, |a, b| a + b)
}

/// Sum of the rows of a matrix, each times its weight.
pub(super) fn weighted_sum<T: Real>(values: &[T], columns: usize, weights: &[T]) -> Vec<T> {
    let arch = Arch::new();
    let blocks = values.par_chunks(BLOCK * columns).zip(weights.par_chunks(BLOCK));
    let partial: Vec<Vec<T>> = blocks
        .map(|(block, weights)| {
            let mut sums = vec![T::ZERO; columns];
            vectorised(
                arch,
                #[inline(always)]
                || {
                    for (row, &w) in block.chunks_exact(columns).zip(weights) {
                        for (s, &x) in sums.iter_mut().zip(row) {
                            *s = x.mul_add(w, *s);
                        }
                    }
                },
            );
            sums
        })
        .collect();
    join(partial, |a, b| a + b)
}

/// Turns rows of log-probabilities into probabilities divided by each row's maximum; returns the
/// maxima, nats.
pub(super) fn scale_rows<T: Real>(values: &mut [T], columns: usize) -> Vec<f64> {
    let zeros = vec![T::ZERO; columns];
    exponentiate_rows(values, &zeros).into_iter().map(|(top, _)| top.to_f64()).collect()
}

/// Reduces blocks of rows to one vector each, then these in order.
fn reduce<T: Real>(
    values: &[T],
    columns: usize,
    block: impl Fn(&[T], &mut [T]) + Sync,
    join_with: impl Fn(T, T) -> T,
) -> Vec<T> {
    let partial: Vec<Vec<T>> = values
        .par_chunks(BLOCK * columns)
        .map(|rows| {
            let mut out = vec![T::ZERO; columns];
            block(rows, &mut out);
            out
        })
        .collect();
    join(partial, join_with)
}

/// Joins vectors element by element, in order.
pub(super) fn join<T: Real>(partial: Vec<Vec<T>>, with: impl Fn(T, T) -> T) -> Vec<T> {
    let mut partial = partial.into_iter();
    let mut all = partial.next().unwrap_or_default();
    for next in partial {
        for (a, b) in all.iter_mut().zip(next) {
            *a = with(*a, b);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(n: usize) -> Vec<f64> {
        (0..n).map(|i| ((i * 7919 + 13) % 101) as f64 / 10.0 - 5.0).collect()
    }

    fn check(
        rows: usize,
        columns: usize,
        forward: fn(&mut [f64], usize),
        backward: fn(&[f64], &mut [f64], usize),
        group: impl Fn(usize) -> usize,
    ) {
        let logits = numbers(rows * columns);
        let weights: Vec<f64> = numbers(rows * columns + 5)[5..].to_vec();
        let value = |logits: &[f64]| {
            let mut p = logits.to_vec();
            forward(&mut p, columns);
            (p.iter().zip(&weights).map(|(p, w)| p * w).sum::<f64>(), p)
        };
        let (_, p) = value(&logits);
        let groups = (0..rows * columns).map(&group).max().unwrap_or(0) + 1;
        let mut sums = vec![0.0; groups];
        (0..p.len()).for_each(|i| sums[group(i)] += p[i]);
        assert!(sums.iter().all(|s| (s - 1.0).abs() < 1e-12));
        let mut gradient = weights.clone();
        backward(&p, &mut gradient, columns);
        for i in (0..p.len()).step_by(7) {
            let at = |h: f64| {
                let mut moved = logits.clone();
                moved[i] += h;
                value(&moved).0
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!((difference - gradient[i]).abs() < 1e-7, "{i}");
        }
    }

    #[test]
    fn both_softmaxes_sum_to_one_and_have_the_gradient_of_finite_differences() {
        for (m, n) in [(1, 1), (3, 19), (150, 5), (70, 33)] {
            check(m, n, rows, rows_backward, |i| i / n);
            check(m, n, |values, n| drop(columns(values, n)), columns_backward, |i| i % n);
            let of_logs = |p: &[f64], gradient: &mut [f64], columns: usize| {
                gradient.iter_mut().zip(p).for_each(|(g, p)| *g *= p);
                log_rows_backward(p, gradient, columns);
            };
            check(m, n, rows, of_logs, |i| i / n);
        }
    }
}
