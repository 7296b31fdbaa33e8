use super::sequences::Sequences;
use rayon::prelude::*;

/// All positions in the order of what follows them, up to the end of their sequence.
#[derive(Debug)]
pub(super) struct Suffixes {
    pub order: Vec<u32>,
    /// Place of every position in the order.
    pub rank: Vec<u32>,
    /// Units that the suffix at a place has in common with the one before it.
    pub common: Vec<u32>,
}

impl Suffixes {
    pub fn of(sequences: &Sequences) -> Suffixes {
        let n = sequences.units.len() as u32;
        // The first two units settle most comparisons.
        let key = |position: u32| {
            let rest = sequences.rest(position);
            let next = rest.get(1).map_or(0, |unit| u64::from(*unit) + 1);
            (u64::from(rest[0]) << 32 | next, position)
        };
        let mut keyed: Vec<(u64, u32)> = (0..n).into_par_iter().map(key).collect();
        keyed.par_sort_unstable_by(|a, b| {
            a.0.cmp(&b.0)
                .then_with(|| sequences.rest(a.1).cmp(sequences.rest(b.1)))
                .then_with(|| a.1.cmp(&b.1))
        });
        let order: Vec<u32> = keyed.into_iter().map(|(_, position)| position).collect();
        let mut rank = vec![0; n as usize];
        for (place, &position) in order.iter().enumerate() {
            rank[position as usize] = place as u32;
        }
        let shared = |place: usize| match place {
            0 => 0,
            _ => {
                let (a, b) = (sequences.rest(order[place - 1]), sequences.rest(order[place]));
                a.iter().zip(b).take_while(|(a, b)| a == b).count() as u32
            }
        };
        let common = (0..order.len()).into_par_iter().map(shared).collect();
        Suffixes { order, rank, common }
    }

    /// Cuts places `[low, high)`, which have less than `length` units in common, into parts that
    /// have `length` units in common; only parts of two or more.
    pub fn split(&self, low: u32, high: u32, length: u32, parts: &mut Vec<(u32, u32)>) {
        let mut begin = low;
        for place in low + 1..=high {
            if place == high || self.common[place as usize] < length {
                if place - begin > 1 {
                    parts.push((begin, place));
                }
                begin = place;
            }
        }
    }
}
