use super::bootstrap::quantile;
use super::*;
use crate::evaluation::evalb::Parameters;
use proptest::prelude::*;

fn samples(sentences: Vec<[Sample; 2]>) -> Samples {
    Samples { sentences, ..Samples::default() }
}

fn sentence() -> impl Strategy<Value = Sample> {
    (0u64..5, 0u64..5, 0u64..5, prop::option::of(0u32..=4)).prop_map(
        |(matched, missed, spurious, f1)| Sample {
            matched,
            gold: matched + missed,
            test: matched + spurious,
            f1: f1.map(|quarter| 25.0 * f64::from(quarter)),
        },
    )
}

fn sentences(most: usize) -> impl Strategy<Value = Samples> {
    prop::collection::vec([sentence(), sentence()], 1..most).prop_map(samples)
}

/// The definition: every way to exchange sentences, each summed from the beginning.
fn p_by_enumeration(samples: &Samples, figure: Figure) -> f64 {
    let difference = |exchanged: u32| {
        let mut sums = [Sums::default(); 2];
        for (i, pair) in samples.sentences.iter().enumerate() {
            let side = (exchanged >> i & 1) as usize;
            sums[0].add(&pair[side]);
            sums[1].add(&pair[1 - side]);
        }
        (sums[0].figure(figure) - sums[1].figure(figure)).abs()
    };
    let all = 1u32 << samples.sentences.len();
    let reached = (0..all).filter(|&x| difference(x) >= difference(0) - 1e-9).count();
    reached as f64 / f64::from(all)
}

proptest! {
    #[test]
    fn exact_p_values_equal_the_enumeration_of_all_exchanges(samples in sentences(9)) {
        let (method, p) = randomise(&samples, &Figure::ALL, 0, 0, EXACT_UP_TO);
        prop_assert_eq!(method, Method::Exact);
        for (p, figure) in p.into_iter().zip(Figure::ALL) {
            prop_assert!((p - p_by_enumeration(&samples, figure)).abs() < 1e-12, "{:?}", figure);
        }
    }

    #[test]
    fn shuffles_come_near_the_exact_p_value(samples in sentences(9), seed: u64) {
        let (_, exact) = randomise(&samples, &Figure::ALL, 0, 0, EXACT_UP_TO);
        let (_, estimate) = randomise(&samples, &Figure::ALL, 4000, seed, 0);
        if samples.differing().is_empty() {
            prop_assert_eq!(estimate, exact);
        } else {
            for (p, q) in exact.into_iter().zip(estimate) {
                // Six standard errors.
                prop_assert!((p - q).abs() < 6.0 * 0.5 / 4000f64.sqrt(), "{} and {}", p, q);
            }
        }
    }

    #[test]
    fn the_systems_may_change_places(samples in sentences(9)) {
        let swapped = Samples {
            sentences: samples.sentences.iter().map(|&[a, b]| [b, a]).collect(),
            ..Samples::default()
        };
        let p = |samples| randomise(samples, &Figure::ALL, 0, 0, EXACT_UP_TO).1;
        prop_assert_eq!(p(&samples), p(&swapped));
    }

    #[test]
    fn intervals_hold_nothing_but_what_sentences_can_give(samples in sentences(9), seed: u64) {
        let intervals = bootstrap(&samples, &Figure::ALL, 50, 90.0, seed).expect("sentences");
        for Intervals { a, b, difference } in intervals {
            for Interval { low, high } in [a, b] {
                prop_assert!(0.0 <= low && low <= high && high <= 100.0);
            }
            prop_assert!(-100.0 <= difference.low && difference.low <= difference.high);
        }
    }
}

#[test]
fn identical_systems_have_p_1_and_no_difference() {
    let same = Sample { matched: 3, gold: 4, test: 5, f1: Some(60.0) };
    let samples = samples(vec![[same; 2]; 30]);
    let (method, p) = randomise(&samples, &Figure::ALL, 1000, 1, EXACT_UP_TO);
    assert_eq!((method, p), (Method::Exact, vec![1.0; 4]));
    let nothing = Interval { low: 0.0, high: 0.0 };
    for intervals in bootstrap(&samples, &Figure::ALL, 100, 95.0, 1).expect("sentences") {
        assert_eq!(intervals.difference, nothing);
        assert_eq!(intervals.a, intervals.b);
    }
}

#[test]
fn a_system_that_is_always_better_has_the_smallest_p_value_there_is() {
    let pair = |better| {
        [
            Sample { matched: better, gold: 5, test: 5, f1: None },
            Sample { matched: 1, gold: 5, test: 5, f1: None },
        ]
    };
    // Of 2^10 exchanges, none and all reach the difference.
    let few = samples((0..10).map(|i| pair(2 + i % 3)).collect());
    let (_, p) = randomise(&few, &[Figure::F1], 0, 0, EXACT_UP_TO);
    assert_eq!(p, [2.0 / 1024.0]);
    let many = samples(vec![pair(4); 200]);
    let (method, p) = randomise(&many, &[Figure::F1], 999, 0, EXACT_UP_TO);
    assert_eq!((method, p), (Method::Shuffles(999), vec![1.0 / 1000.0]));
    let interval = bootstrap(&many, &[Figure::F1], 200, 95.0, 0).expect("sentences")[0];
    assert_eq!(interval.difference, Interval { low: 60.0, high: 60.0 });
}

#[test]
fn the_same_seed_gives_the_same_figures_and_another_seed_others() {
    let sample = |i: u64, k| Sample { matched: i * k % 5, gold: 5, test: 5, f1: None };
    let samples = samples((0..100).map(|i| [sample(i, 7), sample(i, 3)]).collect());
    let p = |seed| randomise(&samples, &Figure::ALL, 500, seed, EXACT_UP_TO).1;
    let intervals = |seed| bootstrap(&samples, &Figure::ALL, 100, 95.0, seed);
    assert_eq!((p(1), intervals(1)), (p(1), intervals(1)));
    assert_ne!(intervals(1), intervals(2));
}

/// With one sentence in two either right or wrong, the number of right ones is binomial.
#[test]
fn intervals_of_a_proportion_are_those_of_the_binomial_distribution() {
    let n = 400u64;
    let sample = |i: u64| Sample { matched: i % 2, gold: 1, test: 1, f1: None };
    let samples = samples((0..n).map(|i| [sample(i); 2]).collect());
    let interval = bootstrap(&samples, &[Figure::F1], 4000, 95.0, 5).expect("sentences")[0].a;
    let half = 100.0 * 1.96 * (0.25 / n as f64).sqrt();
    assert!((interval.low - (50.0 - half)).abs() < 0.5, "{interval:?}, half width {half}");
    assert!((interval.high - (50.0 + half)).abs() < 0.5, "{interval:?}, half width {half}");
}

#[test]
fn a_quantile_lies_between_its_neighbours() {
    let values = [1.0, 2.0, 4.0];
    for (share, expected) in [(0.0, 1.0), (0.25, 1.5), (0.5, 2.0), (0.75, 3.0), (1.0, 4.0)] {
        assert_eq!(quantile(&values, share), expected);
    }
}

#[test]
fn sentences_that_either_system_gets_wrong_are_left_out_and_counted() {
    let gold =
        b"(S (NN a) (VP (VB b) (RP c)))\n(S (NN a))\n(S (NN a))\n(S (NN a) (NN b))\n(S (NN a))\n";
    let a = b"(S (NN a) (VP (VB b) (RP c)))\n(S (NN x))\n(S (NN a))\n\n(S (NN a))\n";
    let b = b"(S (NP (NN a) (VB b)) (RP c))\n(S (NN a))\n(S (NN a))\n(S (NN b))\n";
    let samples = Samples::score(gold, a, b, &Parameters::default());
    assert_eq!(samples.left_out, LeftOut { a: 2, b: 2, either: 3 });
    assert_eq!(samples.faults.each_ref().map(Vec::len), [1, 2]);
    let right = Sample { matched: 2, gold: 2, test: 2, f1: Some(100.0) };
    let wrong = Sample { matched: 1, gold: 2, test: 2, f1: Some(0.0) };
    let short = Sample { matched: 1, gold: 1, test: 1, f1: None };
    assert_eq!(samples.sentences, [[right, wrong], [short, short]]);
    assert_eq!(samples.differing(), [[right, wrong]]);
}
