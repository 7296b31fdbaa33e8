//! Trees from posteriors: the binary tree with the largest expected number of right spans.

/// Best binary tree over `n` words (minimum Bayes risk decoding, Goodman 1996): the sum of
/// `score(i, j)` over its spans of two words and more is the largest. Returns these spans in
/// preorder, the whole sentence first; of equally good splits the leftmost is taken. O(n^3).
pub fn best_tree(n: usize, score: impl Fn(usize, usize) -> f64) -> Vec<(usize, usize)> {
    if n < 2 {
        return Vec::new();
    }
    let at = |i: usize, j: usize| i * (n + 1) + j;
    let mut best = vec![0.0; (n + 1) * (n + 1)];
    let mut split = vec![0; (n + 1) * (n + 1)];
    for width in 2..=n {
        for i in 0..=n - width {
            let j = i + width;
            let (mut top, mut top_k) = (f64::NEG_INFINITY, i + 1);
            for k in i + 1..j {
                let sum = best[at(i, k)] + best[at(k, j)];
                if sum > top {
                    (top, top_k) = (sum, k);
                }
            }
            best[at(i, j)] = top + score(i, j);
            split[at(i, j)] = top_k;
        }
    }
    let mut spans = Vec::with_capacity(n - 1);
    let mut open = vec![(0, n)];
    while let Some((i, j)) = open.pop() {
        if j - i >= 2 {
            spans.push((i, j));
            let k = split[at(i, j)];
            open.push((k, j));
            open.push((i, k));
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All binary trees over [i, j), as lists of spans.
    fn trees(i: usize, j: usize) -> Vec<Vec<(usize, usize)>> {
        if j - i == 1 {
            return vec![vec![]];
        }
        let mut all = Vec::new();
        for k in i + 1..j {
            for left in trees(i, k) {
                for right in trees(k, j) {
                    all.push([&[(i, j)][..], &left, &right].concat());
                }
            }
        }
        all
    }

    #[test]
    fn the_best_tree_is_the_best_of_all_trees() {
        for n in 2..8 {
            let score = |i: usize, j: usize| ((i * 31 + j * 17 + n * 7) % 23) as f64 / 23.0;
            let total = |t: &[(usize, usize)]| t.iter().map(|&(i, j)| score(i, j)).sum::<f64>();
            let best = trees(0, n).iter().map(|t| total(t)).fold(f64::MIN, f64::max);
            let found = best_tree(n, score);
            assert_eq!(found.len(), n - 1);
            assert_eq!(found[0], (0, n));
            assert!((total(&found) - best).abs() < 1e-12);
        }
    }

    #[test]
    fn too_short_sentences_have_no_spans() {
        assert!(best_tree(0, |_, _| 1.0).is_empty());
        assert!(best_tree(1, |_, _| 1.0).is_empty());
    }
}
