//! Log-domain dropout: entries that a training step leaves out.
//!
//! On the logits of U and V an entry is set to minus infinity before the softmax, which then
//! renormalises; a group that would lose every entry keeps one. On the start embeddings it is
//! ordinary dropout.

use crate::inference::Real;
use crate::model::ModelError;
use candle_core::Tensor;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Entries to leave out of a matrix, the same whenever they are asked for.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) enum Mask<'a> {
    Nothing,
    /// Each with this probability, by the generator of a seed and a step.
    Drawn {
        share: f64,
        seed: u64,
        step: u64,
    },
    /// Those that are not 0, row-major.
    Given(&'a [u8]),
}

impl Mask<'static> {
    /// A mask of one of the matrices of a step; matrices differ in their generators by `number`.
    pub fn drawn(share: f64, seed: u64, number: u64, step: u64) -> Self {
        match share > 0.0 {
            true => Mask::Drawn { share, seed: seed ^ (number << 56), step },
            false => Mask::Nothing,
        }
    }
}

/// The bytes of a given mask.
pub(in crate::model) fn given(
    tensors: &BTreeMap<String, Tensor>,
    name: &str,
    shape: [usize; 2],
) -> Result<Vec<u8>, ModelError> {
    let wrong = |reason: String| ModelError::Shape { name: name.into(), reason };
    let tensor = tensors.get(name).ok_or_else(|| wrong("is missing".into()))?;
    match tensor.dims() {
        dims if dims == shape => Ok(tensor.flatten_all()?.to_vec1::<u8>()?),
        dims => Err(wrong(format!("expected {shape:?}, found {dims:?}"))),
    }
}

impl Mask<'_> {
    /// Calls `f` with the columns that a row loses, in rising order.
    fn of_row(&self, row: usize, columns: usize, mut f: impl FnMut(usize)) {
        match *self {
            Mask::Nothing => {}
            Mask::Given(all) => {
                let own = all[row * columns..(row + 1) * columns].iter().enumerate();
                own.filter(|(_, dropped)| **dropped != 0).for_each(|(column, _)| f(column));
            }
            Mask::Drawn { share, seed, step } => {
                // A generator a row, so that rows can be drawn in parallel and drawn again.
                let mut rng = ChaCha8Rng::seed_from_u64(seed ^ (row as u64).rotate_left(32));
                rng.set_stream(step);
                // The number of entries kept before the next one dropped is geometric.
                let factor = 1.0 / (-share).ln_1p();
                let mut column = 0_usize;
                loop {
                    // 1 - u is exact, for u is a multiple of 2^-53, and `ln` is quicker than `ln_1p`.
                    let u: f64 = rng.random();
                    column = column.saturating_add(((1.0 - u).ln() * factor) as usize);
                    if column >= columns {
                        break;
                    }
                    f(column);
                    column += 1;
                }
            }
        }
    }

    /// Sets dropped logits to minus infinity; every row, the group of its softmax, keeps one.
    pub fn drop_in_rows<T: Real>(&self, logits: &mut [T], columns: usize) {
        self.drop(logits, columns, |row, logits| {
            let mut lost = 0;
            let kept = logits[row % columns];
            self.of_row(row, columns, |column| {
                logits[column] = T::from_f64(f64::NEG_INFINITY);
                lost += 1;
            });
            if lost == columns {
                logits[row % columns] = kept;
            }
        });
    }

    /// The same where every column is the group of a softmax.
    pub fn drop_in_columns<T: Real>(&self, logits: &mut [T], columns: usize) {
        if columns == 0 || matches!(self, Mask::Nothing) {
            return;
        }
        let rows = logits.len() / columns;
        // What a column keeps if it would lose everything.
        let spare: Vec<T> = (0..columns).map(|c| logits[(c % rows) * columns + c]).collect();
        self.drop(logits, columns, |row, logits| {
            self.of_row(row, columns, |c| logits[c] = T::from_f64(f64::NEG_INFINITY));
        });
        let lost = |c: &usize| {
            (0..rows).all(|row| logits[row * columns + c].to_f64() == f64::NEG_INFINITY)
        };
        // Columns are looked at until their first entry that is left, so this is quick.
        let lost: Vec<usize> = (0..columns).filter(lost).collect();
        for c in lost {
            logits[(c % rows) * columns + c] = spare[c];
        }
    }

    fn drop<T: Real>(&self, logits: &mut [T], columns: usize, f: impl Fn(usize, &mut [T]) + Sync) {
        if !matches!(self, Mask::Nothing) {
            let rows = logits.par_chunks_exact_mut(columns).with_min_len(4).enumerate();
            rows.for_each(|(row, logits)| f(row, logits));
        }
    }

    /// Ordinary dropout: dropped values become zero, the others are divided by the share kept. Its
    /// gradient is the same map.
    pub fn scale<T: Real>(&self, values: &mut [T], columns: usize, share: f64) {
        let factor = T::from_f64(1.0 / (1.0 - share));
        self.drop(values, columns, |row, values| {
            values.iter_mut().for_each(|x| *x *= factor);
            self.of_row(row, columns, |column| values[column] = T::ZERO);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWN: Mask<'static> = Mask::Drawn { share: 0.3, seed: 5, step: 2 };

    #[test]
    fn a_share_of_the_entries_is_dropped_and_the_same_ones_again() {
        let dropped = |mask: Mask<'_>| {
            let mut logits = vec![0.0f32; 200 * 50];
            mask.drop_in_rows(&mut logits, 50);
            logits.iter().map(|x| x.is_finite()).collect::<Vec<_>>()
        };
        let first = dropped(DRAWN);
        let share = first.iter().filter(|kept| !**kept).count() as f64 / first.len() as f64;
        // Three standard deviations.
        assert!((share - 0.3).abs() < 3.0 * (0.21f64 / 10_000.0).sqrt(), "{share}");
        assert_eq!(first, dropped(DRAWN));
        assert_ne!(first, dropped(Mask::Drawn { share: 0.3, seed: 5, step: 3 }));
        assert_ne!(first, dropped(Mask::Drawn { share: 0.3, seed: 6, step: 2 }));
        let by_column = (0..50).map(|c| first.iter().skip(c).step_by(50).filter(|k| !**k).count());
        let (least, most) = by_column.fold((200, 0), |(a, b), n| (a.min(n), b.max(n)));
        assert!(least > 30 && most < 90, "{least} {most}");
    }

    #[test]
    fn no_softmax_loses_every_entry() {
        let mask = Mask::Given(&[1, 1, 1, 1, 0, 1]);
        let mut rows = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        mask.drop_in_rows(&mut rows, 3);
        assert_eq!(rows.iter().filter(|x: &&f64| x.is_finite()).count(), 2);
        assert_eq!((rows[0], rows[4]), (1.0, 5.0));
        let mut columns = vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        mask.drop_in_columns(&mut columns, 3);
        // Columns 0 and 2 lose both entries and keep the one of their number modulo the rows.
        assert_eq!((columns[0], columns[4], columns[2]), (1.0, 5.0, 3.0));
        assert_eq!(columns.iter().filter(|x: &&f64| x.is_finite()).count(), 3);
    }

    #[test]
    fn dropout_of_values_keeps_their_mean() {
        let mut values = vec![1.0f64; 300 * 40];
        DRAWN.scale(&mut values, 40, 0.3);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        assert!(values.iter().all(|&x| x == 0.0 || (x - 1.0 / 0.7).abs() < 1e-12));
        let mut same = vec![1.0; 4];
        Mask::Nothing.scale(&mut same, 2, 0.5);
        assert_eq!(same, [1.0; 4]);
    }
}
