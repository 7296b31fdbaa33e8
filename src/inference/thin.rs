//! Products of few rows with two large matrices over the same states, one behind the other: each
//! matrix is streamed once from memory, unpacked, which general matrix products do not do.
//!
//! Eight rows lie side by side in a vector, so that every number of a matrix is read once for all
//! of them and no sum has to be folded.

use super::{Real, vectorised};
use pulp::Arch;
use rayon::prelude::*;
use std::array::{from_fn, from_mut};

/// Most rows for which this is quicker than two general products.
pub const ROWS: usize = 32;
/// Blocks of states that tasks take; fixed, so that sums do not depend on the number of threads.
const BLOCKS: usize = 16;
/// States that are worked on at once: as many sums as hide the latency of a multiply-add.
const GROUP: usize = 8;
/// Rows in a vector.
const LANES: usize = 8;
/// Columns whose bounds are checked at once.
const CHUNK: usize = 16;

type Lanes<T> = [T; LANES];

/// `between` (rows, states) = `from` (rows, r) `first`^T, and `to` (rows, r) = `between` `second`;
/// `first` and `second` are (states, r).
pub fn through<T: Real>(
    rank: usize,
    from: &[T],
    [first, second]: [&[T]; 2],
    between: &mut [T],
    to: &mut [T],
) {
    let (rows, states) = (from.len() / rank, first.len() / rank);
    assert_eq!(first.len(), second.len());
    assert_eq!((between.len(), to.len()), (rows * states, rows * rank));
    let bundles = rows.div_ceil(LANES);
    let packed = pack(rank, from);
    // Whole groups, so that no group is cut by the border of a block.
    let block = states.div_ceil(BLOCKS).next_multiple_of(GROUP) * rank;
    let arch = Arch::new();
    let work = |(first, second): (&[T], &[T])| {
        let states = first.len() / rank;
        let mut between = vec![[T::ZERO; LANES]; bundles * states];
        let mut to = vec![[T::ZERO; LANES]; bundles * rank];
        let groups = first.chunks(GROUP * rank).zip(second.chunks(GROUP * rank));
        for (group, (first, second)) in groups.enumerate() {
            // A group stays in the cache while all rows pass.
            for bundle in 0..bundles {
                let own = bundle * rank..(bundle + 1) * rank;
                let at = bundle * states + group * GROUP;
                let between = &mut between[at..at + first.len() / rank];
                step(arch, rank, &packed[own.clone()], [first, second], between, &mut to[own]);
            }
        }
        (between, to)
    };
    let parts: Vec<_> = first.par_chunks(block).zip(second.par_chunks(block)).map(work).collect();
    to.fill(T::ZERO);
    let mut state = 0;
    for (own_between, own_to) in parts {
        let count = own_between.len() / bundles;
        for row in 0..rows {
            let (bundle, lane) = (row / LANES, row % LANES);
            let own = &own_between[bundle * count..(bundle + 1) * count];
            let between = &mut between[row * states + state..][..count];
            between.iter_mut().zip(own).for_each(|(x, own)| *x = own[lane]);
            let own = &own_to[bundle * rank..(bundle + 1) * rank];
            let to = &mut to[row * rank..(row + 1) * rank];
            to.iter_mut().zip(own).for_each(|(x, own)| *x += own[lane]);
        }
        state += count;
    }
}

/// Bundles of rows, column by column: (bundles, r) vectors; missing rows are zero.
fn pack<T: Real>(rank: usize, rows: &[T]) -> Vec<Lanes<T>> {
    let mut packed = vec![[T::ZERO; LANES]; (rows.len() / rank).div_ceil(LANES) * rank];
    for (row, values) in rows.chunks_exact(rank).enumerate() {
        let bundle = &mut packed[row / LANES * rank..][..rank];
        bundle.iter_mut().zip(values).for_each(|(to, &x)| to[row % LANES] = x);
    }
    packed
}

/// One bundle through some states, at most a group.
fn step<T: Real>(
    arch: Arch,
    rank: usize,
    from: &[Lanes<T>],
    [first, second]: [&[T]; 2],
    between: &mut [Lanes<T>],
    to: &mut [Lanes<T>],
) {
    if let Ok(between) = <&mut [Lanes<T>; GROUP]>::try_from(&mut *between) {
        dots(arch, from, from_fn(|i| &first[i * rank..][..rank]), between);
        sums(arch, between, from_fn(|i| &second[i * rank..][..rank]), to);
        return;
    }
    let states = first.chunks_exact(rank).zip(second.chunks_exact(rank));
    for ((first, second), between) in states.zip(between) {
        let between = from_mut(between);
        dots(arch, from, [first], between);
        sums(arch, between, [second], to);
    }
}

#[inline(always)]
fn add<T: Real>(sums: &mut Lanes<T>, x: &Lanes<T>, factor: T) {
    for lane in 0..LANES {
        sums[lane] = x[lane].mul_add(factor, sums[lane]);
    }
}

/// The columns of every state in chunks: no `map` over the array, which is not compiled into the loop
/// where there are many vector registers.
#[inline(always)]
fn chunked<'a, T, const N: usize>(states: &[&'a [T]; N], columns: usize) -> [&'a [[T; CHUNK]]; N] {
    let mut chunked = [&[][..]; N];
    for i in 0..N {
        chunked[i] = &states[i].as_chunks::<CHUNK>().0[..columns / CHUNK];
    }
    chunked
}

// Both products are functions of their own: together in one they run out of registers.

/// Inner products of all rows of a bundle with each state.
#[inline(never)]
fn dots<T: Real, const N: usize>(
    arch: Arch,
    from: &[Lanes<T>],
    states: [&[T]; N],
    out: &mut [Lanes<T>; N],
) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            let mut sums = [[T::ZERO; LANES]; N];
            let (chunks, rest) = from.as_chunks::<CHUNK>();
            let own = chunked(&states, from.len());
            for (chunk, x) in chunks.iter().enumerate() {
                for k in 0..CHUNK {
                    for i in 0..N {
                        add(&mut sums[i], &x[k], own[i][chunk][k]);
                    }
                }
            }
            for (k, x) in rest.iter().enumerate() {
                for i in 0..N {
                    add(&mut sums[i], x, states[i][chunks.len() * CHUNK + k]);
                }
            }
            *out = sums;
        },
    )
}

/// Adds to `to` the states times their factors for each row of a bundle.
#[inline(never)]
fn sums<T: Real, const N: usize>(
    arch: Arch,
    factors: &[Lanes<T>; N],
    states: [&[T]; N],
    to: &mut [Lanes<T>],
) {
    vectorised(
        arch,
        #[inline(always)]
        || {
            let factors = *factors;
            let own = chunked(&states, to.len());
            let (chunks, rest) = to.as_chunks_mut::<CHUNK>();
            let done = chunks.len() * CHUNK;
            for (chunk, to) in chunks.iter_mut().enumerate() {
                // Four columns at once: none of their sums waits for another.
                for four in (0..CHUNK).step_by(4) {
                    let mut sums: [Lanes<T>; 4] = from_fn(|k| to[four + k]);
                    for i in 0..N {
                        for k in 0..4 {
                            add(&mut sums[k], &factors[i], own[i][chunk][four + k]);
                        }
                    }
                    to[four..four + 4].copy_from_slice(&sums);
                }
            }
            for (k, to) in rest.iter_mut().enumerate() {
                for i in 0..N {
                    add(to, &factors[i], states[i][done + k]);
                }
            }
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};

    #[test]
    fn the_products_are_those_of_the_matrices() {
        let numbers = |n: usize, by: usize| -> Vec<f64> {
            (0..n).map(|i| ((i * 7919 + by) % 101) as f64 / 50.0 - 1.0).collect()
        };
        for (rows, states, rank) in [(1, 1, 1), (3, 5, 9), (7, 150, 33), (8, 301, 1100), (12, 2, 8)]
        {
            let (from, first, second) =
                (numbers(rows * rank, 1), numbers(states * rank, 2), numbers(states * rank, 3));
            let (mut between, mut to) = (vec![9.0; rows * states], vec![9.0; rows * rank]);
            through(rank, &from, [&first, &second], &mut between, &mut to);
            let mut exact = [vec![0.0; rows * states], vec![0.0; rows * rank]];
            let [exact_between, exact_to] = &mut exact;
            multiply(
                MatrixMut::new(exact_between, rows, states),
                Into::Replace,
                1.0,
                Matrix::new(&from, rows, rank),
                Matrix::new(&first, states, rank).t(),
            );
            multiply(
                MatrixMut::new(exact_to, rows, rank),
                Into::Replace,
                1.0,
                Matrix::new(exact_between, rows, states),
                Matrix::new(&second, states, rank),
            );
            for (ours, exact) in [(&between, &exact[0]), (&to, &exact[1])] {
                for (a, b) in ours.iter().zip(exact) {
                    assert!((a - b).abs() < 1e-9 * (1.0 + b.abs()), "{rows} {states} {rank}");
                }
            }
        }
    }
}
