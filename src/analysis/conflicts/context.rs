//! How far occurrences of a nucleus look alike to the left and to the right.

use super::sequences::Sequences;

/// Before the first unit of a sequence, and behind the last.
const EDGE: u32 = u32::MAX;

/// The `k`-th unit before a position, counted from 1: one edge stands before the first unit, and
/// nothing before the edge.
fn left(sequences: &Sequences, position: u32, k: u32) -> Option<u32> {
    let start = sequences.starts[sequences.sequence_of[position as usize] as usize];
    let before = position - start;
    if k <= before {
        Some(sequences.units[(position - k) as usize])
    } else {
        (k == before + 1).then_some(EDGE)
    }
}

/// The `k`-th unit behind `[position, position + length)`, counted from 1.
fn right(sequences: &Sequences, position: u32, length: u32, k: u32) -> Option<u32> {
    let rest = sequences.rest(position);
    let index = (length + k - 1) as usize;
    match rest.get(index) {
        Some(unit) => Some(*unit),
        None => (index == rest.len()).then_some(EDGE),
    }
}

/// An occurrence: position and label.
pub(super) type Labelled = (u32, u32);

/// Calls `group` with every set of occurrences that agree on `k` units to the left and to the
/// right and have more than one label, for `k` from 0 on as long as there are such sets.
pub(super) fn by_context(
    sequences: &Sequences,
    length: u32,
    occurrences: Vec<Labelled>,
    mut group: impl FnMut(u32, &[Labelled]),
) {
    let varies = |set: &[Labelled]| set.iter().any(|(_, label)| *label != set[0].1);
    let mut sets = vec![occurrences];
    sets.retain(|set| !set.is_empty() && varies(set));
    let mut k = 0;
    while !sets.is_empty() {
        for set in &sets {
            group(k, set);
        }
        k += 1;
        let mut next = Vec::new();
        for set in sets {
            let mut wider: Vec<(u32, u32, Labelled)> = set
                .into_iter()
                .filter_map(|occurrence| {
                    let (position, _) = occurrence;
                    let left = left(sequences, position, k)?;
                    Some((left, right(sequences, position, length, k)?, occurrence))
                })
                .collect();
            wider.sort_unstable();
            next.extend(
                wider
                    .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
                    .map(|chunk| chunk.iter().map(|(.., occurrence)| *occurrence).collect())
                    .filter(|set: &Vec<Labelled>| varies(set)),
            );
        }
        sets = next;
    }
}

/// The largest `k` such that two occurrences with different labels agree on `k` units to the left
/// and `k` to the right.
pub(super) fn widest(sequences: &Sequences, length: u32, occurrences: Vec<Labelled>) -> u32 {
    let mut widest = 0;
    by_context(sequences, length, occurrences, |k, _| widest = k);
    widest
}

/// Units that all occurrences have in common to the left: at most those before the first one.
pub(super) fn common_left(sequences: &Sequences, positions: &[u32]) -> u32 {
    let Some(&first) = positions.first() else { return 0 };
    let mut k = 0;
    loop {
        let unit = left(sequences, first, k + 1);
        let shared = unit.is_some_and(|unit| unit != EDGE)
            && positions.iter().all(|&p| left(sequences, p, k + 1) == unit);
        if !shared {
            return k;
        }
        k += 1;
    }
}
