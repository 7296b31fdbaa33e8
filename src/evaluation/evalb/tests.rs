use super::*;
use proptest::prelude::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

/// Any tree over the words from `i` to `j`, with unary chains, function tags, empty labels,
/// traces and labels that are deleted or equal to others.
fn tree(rng: &mut ChaCha8Rng, i: usize, j: usize) -> String {
    const LABELS: [&str; 8] = ["S", "NP", "NP-SBJ", "A", "B", "C", "TOP", ""];
    const TAGS: [&str; 4] = ["NN", "VB", "A", "B"];
    let label = LABELS[rng.random_range(0..LABELS.len())];
    if j - i == 1 && rng.random_bool(0.6) {
        return format!("({} w{i})", TAGS[rng.random_range(0..TAGS.len())]);
    }
    let mut children = String::new();
    let mut from = i;
    while from < j {
        if rng.random_bool(0.1) {
            children += "(NP (-NONE- *))";
        }
        let to = rng.random_range(from + 1..=j);
        children += &tree(rng, from, to);
        from = to;
    }
    format!("({label} {children})")
}

/// Two trees over the same words.
fn two(seed: u64, n: usize) -> (String, String) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (tree(&mut rng, 0, n), tree(&mut rng, 0, n))
}

fn parameters(labelled: bool) -> Parameters {
    let text = format!(
        "MAX_ERROR 10\nLABELED {}\nDELETE_LABEL TOP\nDELETE_LABEL -NONE-\nEQ_LABEL A B\nEQ_LABEL B C\n",
        u8::from(labelled)
    );
    Parameters::parse(text.as_bytes()).expect("right")
}

fn compared<'a>(gold: &'a str, test: &'a str, parameters: &Parameters) -> Comparison<'a> {
    let mut found = None;
    let stopped = pairs(gold.as_bytes(), test.as_bytes(), parameters, |pair| {
        match pair {
            Pair::Sentence { comparison, .. } => found = Some(comparison),
            Pair::Error(fault) | Pair::Note(fault) => panic!("{fault}"),
        }
        true
    });
    assert!(!stopped);
    found.expect("a pair of lines")
}

/// The definition, word for word: each gold bracket takes the first free test bracket.
fn match_by_definition(comparison: &Comparison, parameters: &Parameters) -> u64 {
    let mut free = vec![true; comparison.test.len()];
    let mut matched = 0;
    for g in &comparison.gold {
        let fits = |t: &Bracket| {
            (g.start, g.end) == (t.start, t.end)
                && (!parameters.labelled || parameters.equal_labels(g.label, t.label))
        };
        if let Some(i) = (0..free.len()).find(|&i| free[i] && fits(&comparison.test[i])) {
            free[i] = false;
            matched += 1;
        }
    }
    matched
}

fn crossing_by_definition(comparison: &Comparison) -> u64 {
    let cross = |a: &Bracket, b: &Bracket| a.start < b.start && b.start < a.end && a.end < b.end;
    let crosses = |t: &&Bracket| comparison.gold.iter().any(|g| cross(g, t) || cross(t, g));
    comparison.test.iter().filter(crosses).count() as u64
}

proptest! {
    #[test]
    fn counts_equal_the_definition_on_any_two_trees(
        seed: u64, n in 1usize..14, labelled: bool
    ) {
        let (gold, test) = two(seed, n);
        let parameters = parameters(labelled);
        let comparison = compared(&gold, &test, &parameters);
        prop_assert_eq!(comparison.status, Status::Valid);
        let counts = comparison.counts;
        prop_assert_eq!(counts.matched, match_by_definition(&comparison, &parameters));
        prop_assert_eq!(counts.crossing, crossing_by_definition(&comparison));
        prop_assert_eq!(counts.words, n as u64);
        for brackets in [&comparison.gold, &comparison.test] {
            let pairs = brackets.iter().filter(|b| b.matched).count();
            prop_assert_eq!(pairs as u64, counts.matched);
        }
    }

    #[test]
    fn a_perfect_prediction_scores_100_and_crosses_nothing(seed: u64, n in 1usize..14) {
        let (gold, _) = two(seed, n);
        let evaluation = evaluate(gold.as_bytes(), gold.as_bytes(), &parameters(true));
        let totals = evaluation.totals();
        prop_assert_eq!(totals.counts.matched, totals.counts.gold);
        prop_assert_eq!(totals.counts.crossing, 0);
        prop_assert_eq!((totals.complete_match(), totals.tagging_accuracy()), (100.0, 100.0));
        if totals.counts.gold > 0 {
            prop_assert_eq!((totals.precision(), totals.recall(), totals.f1()), (100.0, 100.0, 100.0));
        }
    }

    /// Where equal labels form classes, as one pair does.
    #[test]
    fn precision_and_recall_change_places_with_the_files(seed: u64, n in 1usize..14) {
        let (gold, test) = two(seed, n);
        let parameters = Parameters::parse(b"DELETE_LABEL -NONE-\nEQ_LABEL A B").expect("right");
        let forth = evaluate(gold.as_bytes(), test.as_bytes(), &parameters).totals();
        let back = evaluate(test.as_bytes(), gold.as_bytes(), &parameters).totals();
        prop_assert_eq!(forth.precision(), back.recall());
        prop_assert_eq!(forth.recall(), back.precision());
        prop_assert_eq!(forth.tagging_accuracy(), back.tagging_accuracy());
    }

    #[test]
    fn without_equal_labels_matches_are_the_common_part_of_two_multisets(
        seed: u64, n in 1usize..14
    ) {
        let (gold, test) = two(seed, n);
        let parameters = Parameters::parse(b"DELETE_LABEL -NONE-").expect("right");
        let comparison = compared(&gold, &test, &parameters);
        let count = |brackets: &[Bracket]| {
            let mut counts = HashMap::new();
            for b in brackets {
                *counts.entry((b.start, b.end, b.label.to_vec())).or_insert(0u64) += 1;
            }
            counts
        };
        let (gold, test) = (count(&comparison.gold), count(&comparison.test));
        let common: u64 =
            gold.iter().map(|(kind, &n)| n.min(test.get(kind).copied().unwrap_or(0))).sum();
        prop_assert_eq!(comparison.counts.matched, common);
    }

    #[test]
    fn labels_and_lengths_add_up_to_the_whole(seed: u64, n in 1usize..14) {
        let lines: Vec<_> = (0..6).map(|i| two(seed.wrapping_add(i), n + i as usize)).collect();
        let gold: String = lines.iter().map(|(g, _)| format!("{g}\n")).collect();
        let test: String = lines.iter().map(|(_, t)| format!("{t}\n")).collect();
        let evaluation = evaluate(gold.as_bytes(), test.as_bytes(), &parameters(true));
        let all = evaluation.totals();
        let labels = evaluation.by_label();
        let sum = |of: fn(&LabelCounts) -> u64| labels.iter().map(|r| of(&r.counts)).sum::<u64>();
        prop_assert_eq!(sum(|c| c.gold), all.counts.gold);
        prop_assert_eq!(sum(|c| c.test), all.counts.test);
        prop_assert_eq!(sum(|c| c.matched_gold), all.counts.matched);
        prop_assert_eq!(sum(|c| c.matched_test), all.counts.matched);
        for width in [1, 3, 100] {
            let bins = length_bins(&evaluation.rows, width);
            prop_assert_eq!(bins.iter().map(|(_, t)| t.sentences).sum::<u64>(), all.sentences);
            prop_assert_eq!(bins.iter().map(|(_, t)| t.counts.matched).sum::<u64>(), all.counts.matched);
        }
    }
}

/// Status numbers and messages.
fn outcome(gold: &str, test: &str, parameters: &Parameters) -> (Vec<u8>, Vec<String>) {
    let evaluation = evaluate(gold.as_bytes(), test.as_bytes(), parameters);
    let rows = evaluation.rows.iter().map(|row| row.status.number()).collect();
    (rows, evaluation.errors.iter().map(ToString::to_string).collect())
}

#[test]
fn what_the_classic_scorer_leaves_undefined_is_one_error_and_the_rest_is_scored() {
    let good = "(S (NN a) (VB b))";
    for (gold, test, status, message) in [
        (good, "(S (NN a) and more (VB b))", 1, "Word `and` stands between brackets in test file"),
        ("(S a (NN b c))", good, 1, "Word `a` stands between brackets in gold file"),
        ("(S (NN a ) (VB b))", good, 1, "Word `a` stands between brackets in gold file"),
        (good, "raw text", 2, "Word `raw` stands between brackets in test file"),
        (good, "(S (NN a) (VB b)", 1, "Bracketing is unbalanced (too many open bracket)"),
        (
            "(S (NN a) (VB b)))",
            good,
            1,
            "Bracketing is unbalanced (too many close bracket in gold file)",
        ),
    ] {
        let (gold, test) = (format!("{gold}\n{good}\n"), format!("{test}\n{good}\n"));
        let (rows, errors) = outcome(&gold, &test, &Parameters::default());
        assert_eq!((rows, errors), (vec![status, 0], vec![format!("1 : {message}")]), "{test}");
    }
}

#[test]
fn an_error_in_reading_keeps_its_numbers_and_stays_out_of_the_totals() {
    let evaluation =
        evaluate(b"(S (NN a) (VP (VB b)))", b"(S (NN a) (VP (VB b))", &Parameters::default());
    let counts = Counts { matched: 1, gold: 2, test: 2, crossing: 0, words: 2, correct_tags: 2 };
    assert_eq!(evaluation.rows[0].counts, counts);
    assert_eq!(evaluation.totals().counts, Counts::default());
}

#[test]
fn nothing_is_too_long_too_deep_or_too_many() {
    let (n, label) = (20_000, "X".repeat(10_000));
    let flat: String = (0..n).map(|i| format!("(T{i} w{i})")).collect();
    let deep = format!("{}(NN w){}", "(S ".repeat(n), ")".repeat(n));
    let quotes = format!("(S {})", "('' ')".repeat(500));
    let text = format!("({label} {flat})\n{deep}\n{quotes}\n");
    let parameters = Parameters::parse(b"QUOTE_LABEL ''\nQUOTE_LABEL NN").expect("right");
    let evaluation = evaluate(text.as_bytes(), text.as_bytes(), &parameters);
    assert_eq!(evaluation.totals().counts.matched, n as u64 + 2);
    assert_eq!((evaluation.totals().f1(), evaluation.errors.len()), (100.0, 0));
    let notes: Vec<_> = evaluation.notes.iter().map(|note| note.line).collect();
    assert_eq!(notes, [1, 1, 2, 2], "the classic scorer would cut these lines");
}

#[test]
fn scoring_stops_at_the_error_behind_the_limit() {
    for (limit, rows) in [("-1", 0), ("0", 1), ("2", 3)] {
        let parameters = Parameters::parse(format!("MAX_ERROR {limit}").as_bytes()).expect("right");
        let evaluation = evaluate(&b"(NN a)\n".repeat(9), &b"(NN b)\n".repeat(9), &parameters);
        assert_eq!((evaluation.rows.len(), evaluation.stopped), (rows, true), "{limit}");
        assert_eq!(evaluation.errors.len(), rows + 1);
    }
}

#[test]
fn a_quote_that_one_side_deleted_is_put_back_on_either_side() {
    let parameters =
        Parameters::parse(b"DELETE_LABEL ''\nQUOTE_LABEL ''\nQUOTE_LABEL POS").expect("right");
    let deleted = "(S (NP (NN a) ('' ')) (VP (VB b)))";
    let kept = "(S (NP (NN a) (POS ')) (VP (VB b)))";
    for (gold, test) in [(deleted, kept), (kept, deleted)] {
        let comparison = compared(gold, test, &parameters);
        let counts = comparison.counts;
        assert_eq!((comparison.status, counts.matched, counts.words), (Status::Valid, 3, 3));
        assert_eq!(counts.correct_tags, 2);
    }
    // Another word than a quote is not put back.
    let (rows, errors) = outcome(&kept.replace('\'', "s"), deleted, &parameters);
    assert_eq!((rows, errors), (vec![1], vec!["1 : Length unmatch (3|2)".to_owned()]));
}
