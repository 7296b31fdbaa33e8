use std::collections::BTreeSet;

/// `[start, end)` in words.
pub type Span = (u32, u32);

/// The spans that count: wider than one word, not the whole sentence of `n` words, each once.
pub(super) fn counted(n: usize, spans: impl IntoIterator<Item = Span>) -> BTreeSet<Span> {
    spans.into_iter().filter(|&s| counts(n, s)).collect()
}

pub(super) fn counts(n: usize, (start, end): Span) -> bool {
    end.saturating_sub(start) > 1 && (start, end) != (0, n as u32)
}

/// Unlabelled F1 of one sentence of `n` words, in percent.
///
/// A gold tree without spans that count has recall 1, and precision 1 only if
/// nothing was predicted, so a sentence of two words scores 100.
pub fn sentence_f1(n: usize, predicted: &[Span], gold: &[Span]) -> f64 {
    f1_of_sets(&counted(n, predicted.iter().copied()), &counted(n, gold.iter().copied()))
}

pub(super) fn f1_of_sets(predicted: &BTreeSet<Span>, gold: &BTreeSet<Span>) -> f64 {
    let right = predicted.intersection(gold).count();
    f1(right, predicted.len(), gold.len())
}

/// 2PR/(P+R) from counts, in percent; 100 where there was nothing to find and nothing was found.
pub(super) fn f1(right: usize, predicted: usize, gold: usize) -> f64 {
    match predicted + gold {
        0 => 100.0,
        all => 200.0 * right as f64 / all as f64,
    }
}

/// Predicted spans against gold ones, for side-by-side display; each span is in one list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpanComparison {
    /// Predicted and gold.
    pub matched: Vec<Span>,
    /// Gold, not predicted.
    pub missing: Vec<Span>,
    /// Predicted, not gold, and within the gold brackets.
    pub spurious: Vec<Span>,
    /// Predicted, and crossing a gold bracket: never right under any finer gold tree.
    pub crossing: Vec<Span>,
}

/// Compares the spans that count of a sentence of `n` words; the lists are sorted.
pub fn span_comparison(n: usize, predicted: &[Span], gold: &[Span]) -> SpanComparison {
    let predicted = counted(n, predicted.iter().copied());
    let gold = counted(n, gold.iter().copied());
    let mut comparison = SpanComparison {
        missing: gold.difference(&predicted).copied().collect(),
        ..SpanComparison::default()
    };
    for &span in &predicted {
        let list = if gold.contains(&span) {
            &mut comparison.matched
        } else if gold.iter().any(|&g| cross(span, g)) {
            &mut comparison.crossing
        } else {
            &mut comparison.spurious
        };
        list.push(span);
    }
    comparison
}

/// Whether two spans overlap and neither holds the other.
fn cross(a: Span, b: Span) -> bool {
    let (first, second) = if a <= b { (a, b) } else { (b, a) };
    first.0 < second.0 && second.0 < first.1 && first.1 < second.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trivial_spans_and_duplicates_do_not_count() {
        let gold = [(0, 5), (0, 1), (1, 3), (1, 3), (3, 5)];
        assert_eq!(sentence_f1(5, &[(0, 5), (1, 3), (1, 4)], &gold), 50.0);
    }

    #[test]
    fn a_sentence_of_two_words_scores_100_and_a_flat_longer_one_0() {
        assert_eq!(sentence_f1(2, &[(0, 2), (0, 1)], &[(0, 2)]), 100.0);
        assert_eq!(sentence_f1(3, &[(0, 3), (1, 3)], &[(0, 3)]), 0.0);
        assert_eq!(sentence_f1(3, &[(0, 3)], &[(0, 3)]), 100.0);
        assert_eq!(sentence_f1(3, &[], &[(0, 2)]), 0.0);
    }

    #[test]
    fn every_span_is_matched_missing_spurious_or_crossing() {
        let gold = [(0, 6), (0, 2), (2, 6), (2, 4)];
        let predicted = [(0, 6), (0, 2), (1, 6), (3, 6), (2, 6), (2, 5), (1, 2)];
        let c = span_comparison(6, &predicted, &gold);
        assert_eq!(c.matched, [(0, 2), (2, 6)]);
        assert_eq!(c.missing, [(2, 4)]);
        assert_eq!(c.spurious, [(2, 5)]);
        assert_eq!(c.crossing, [(1, 6), (3, 6)]);
    }
}
