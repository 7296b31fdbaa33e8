//! Binary trees that need no training. All give the spans wider than one word
//! in preorder, the whole sentence of `n` words first; none for fewer than two words.

use super::Span;
use super::span::counts;
use rand::Rng;
use std::collections::HashSet;

/// Every phrase is a word and the rest.
pub fn right_branching(n: usize) -> Vec<Span> {
    (0..(n as u32).saturating_sub(1)).map(|i| (i, n as u32)).collect()
}

/// Every phrase is the rest and a word.
pub fn left_branching(n: usize) -> Vec<Span> {
    (2..=n as u32).rev().map(|j| (0, j)).collect()
}

/// Every phrase is halved, the larger half to the left.
pub fn balanced(n: usize) -> Vec<Span> {
    split_by(n, |i, j| (i + j).div_ceil(2))
}

/// Every phrase is split at a point drawn uniformly.
pub fn random(n: usize, rng: &mut impl Rng) -> Vec<Span> {
    split_by(n, |i, j| rng.random_range(i + 1..j))
}

/// The binary tree with the largest number of gold spans, and so with the largest F1:
/// all binary trees have the same number of spans. Gold spans may cross. O(n^3).
pub fn oracle(n: usize, gold: &[Span]) -> Vec<Span> {
    let wanted: HashSet<Span> = gold.iter().copied().filter(|&s| counts(n, s)).collect();
    // Most gold spans in a binary tree over [i, j), and the split of that tree.
    let cell = |i: usize, j: usize| i * (n + 1) + j;
    let mut best = vec![(0u32, 0u32); (n + 1) * (n + 1)];
    for width in 2..=n {
        for i in 0..=n - width {
            let j = i + width;
            let mut most = (0, i as u32 + 1);
            for k in i + 1..j {
                let found = best[cell(i, k)].0 + best[cell(k, j)].0;
                if found > most.0 {
                    most = (found, k as u32);
                }
            }
            let here = u32::from(wanted.contains(&(i as u32, j as u32)));
            best[cell(i, j)] = (most.0 + here, most.1);
        }
    }
    split_by(n, |i, j| best[cell(i as usize, j as usize)].1)
}

fn split_by(n: usize, mut split: impl FnMut(u32, u32) -> u32) -> Vec<Span> {
    let mut spans = Vec::with_capacity(n.saturating_sub(1));
    let mut stack = vec![(0, n as u32)];
    while let Some((i, j)) = stack.pop() {
        if j - i < 2 {
            continue;
        }
        spans.push((i, j));
        let k = split(i, j);
        stack.push((k, j));
        stack.push((i, k));
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::super::sentence_f1;
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    #[test]
    fn baselines_have_the_shape_of_their_names() {
        assert_eq!(right_branching(4), [(0, 4), (1, 4), (2, 4)]);
        assert_eq!(left_branching(4), [(0, 4), (0, 3), (0, 2)]);
        assert_eq!(balanced(5), [(0, 5), (0, 3), (0, 2), (3, 5)]);
        for n in [0, 1] {
            assert!(right_branching(n).is_empty() && left_branching(n).is_empty());
            assert!(balanced(n).is_empty() && oracle(n, &[]).is_empty());
        }
    }

    #[test]
    fn the_same_seed_draws_the_same_random_tree() {
        let draw = |seed| random(30, &mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_eq!(draw(1).len(), 29);
    }

    /// All binary trees over `[i, j)`.
    fn all_trees(i: u32, j: u32) -> Vec<Vec<Span>> {
        if j - i < 2 {
            return vec![Vec::new()];
        }
        let mut trees = Vec::new();
        for k in i + 1..j {
            for left in all_trees(i, k) {
                for right in all_trees(k, j) {
                    trees.push([&[(i, j)], left.as_slice(), right.as_slice()].concat());
                }
            }
        }
        trees
    }

    proptest! {
        #[test]
        fn the_oracle_equals_the_best_of_all_binary_trees(
            n in 2usize..=7,
            spans in prop::collection::vec((0u32..7, 1u32..8), 0..8),
        ) {
            let gold: Vec<Span> = spans
                .into_iter()
                .map(|(i, j)| (i.min(n as u32 - 1), j.min(n as u32)))
                .filter(|(i, j)| i < j)
                .collect();
            let best = all_trees(0, n as u32)
                .iter()
                .map(|tree| sentence_f1(n, tree, &gold))
                .fold(0.0, f64::max);
            prop_assert_eq!(sentence_f1(n, &oracle(n, &gold), &gold), best);
        }
    }
}
