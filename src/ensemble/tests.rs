use super::*;
use crate::config::{Config, Kind, OnFailure, Sampling, Update};
use crate::report::{EventKind, Metrics};
use crate::treebank::{Preprocessing, Reader, Removed, sample};
use std::sync::Arc;

fn part(name: &'static str, file: &str, count: usize) -> Part {
    let (file, text) = sample::read(file).expect("it is bundled");
    let rules = Preprocessing::preset("trees").expect("known");
    let trees = Reader::new(text.as_bytes(), file);
    let trees = trees.map(|tree| tree.expect("the sample is well formed"));
    let annotated = |(i, tree)| Annotated::new(Arc::new(tree), i, &rules, &mut Removed::default());
    // Short ones, for these tests parse everything many times over.
    let trees = trees.filter(|tree| tree.len() < 9).take(count);
    Part { name, sentences: trees.enumerate().filter_map(annotated).collect() }
}

fn data() -> Data {
    Data { train: part("train", "train", 40), held_out: vec![part("test", "test", 10)] }
}

fn config(kind: Kind, rounds: usize) -> Config {
    let mut config = Config { kind, ..Config::default() };
    config.ensemble.rounds = rounds;
    config
}

fn run(config: &Config) -> (Vec<Arc<Round>>, Vec<EventKind>, Ending) {
    go_on(Rounds::new(config, data()).expect("trees"))
}

fn go_on(mut rounds: Rounds) -> (Vec<Arc<Round>>, Vec<EventKind>, Ending) {
    let mut events = Vec::new();
    loop {
        match rounds.advance(&mut events).expect("parses") {
            Progress::Working | Progress::Round(_) => {}
            Progress::Finished(ending) => return (rounds.done().to_vec(), events, ending),
        }
    }
}

/// All that must not differ between two ways to the same round.
fn essence(rounds: &[Arc<Round>]) -> Vec<Round> {
    let seconds = Metrics::default;
    rounds.iter().map(|r| Round { seconds: seconds(), ..Round::clone(r) }).collect()
}

fn configs() -> [Config; 4] {
    let boost = config(Kind::Boost, 3);
    let mut drawn = boost.clone();
    drawn.ensemble.sampling = Sampling::Resample;
    let mut literal = boost.clone();
    literal.ensemble.update = Update::Literal;
    [config(Kind::Bag, 3), boost, drawn, literal]
}

#[test]
fn rounds_come_out_the_same_on_any_number_of_threads() {
    for config in configs() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| essence(&run(&config).0))
        };
        assert_eq!(with(1), with(3));
    }
}

#[test]
fn an_ensemble_that_goes_on_from_any_round_comes_to_the_same() {
    for config in configs() {
        let (whole, ..) = run(&config);
        for kept in 1..whole.len() {
            let mut rounds = Rounds::new(&config, data()).expect("trees");
            for round in &whole[..kept] {
                rounds.restore(Round::clone(round)).expect("it fits");
            }
            assert_eq!(essence(&go_on(rounds).0), essence(&whole), "after {kept}");
        }
    }
}

#[test]
fn a_bag_votes_with_equal_weight_and_the_single_parser_stands_before_it() {
    let (rounds, events, ending) = run(&config(Kind::Bag, 3));
    let numbers: Vec<_> = rounds.iter().map(|r| (r.number, r.vote)).collect();
    assert_eq!(numbers, [(0, None), (1, Some(1.0)), (2, Some(1.0)), (3, Some(1.0))]);
    assert_eq!(ending, Ending::Rounds(3));
    assert!(rounds[0].drawn.is_none());
    for round in &rounds[1..] {
        let drawn = round.drawn.as_ref().expect("bags are drawn");
        assert_eq!(drawn.iter().sum::<u32>() as usize, drawn.len());
    }
    let told = events.iter().filter(|e| matches!(e, EventKind::Progress { .. })).count();
    assert!(told >= rounds.len(), "{told}");
}

#[test]
fn boosting_begins_with_the_single_parser_and_its_weights_sum_to_one() {
    let (rounds, ..) = run(&config(Kind::Boost, 3));
    let (bags, ..) = run(&config(Kind::Bag, 1));
    assert_eq!(rounds[0].number, 1);
    assert_eq!(rounds[0].analyses[0].trees, bags[0].analyses[0].trees);
    for round in &rounds {
        assert!((round.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let sum: f64 = round.training_weights().iter().sum();
        assert!((sum - round.weights.len() as f64).abs() < 1e-9);
        let get = |key: &str| round.metrics.get(key).expect(key);
        assert_eq!(round.vote, Some(get("vote")));
        for key in ["train_f1", "test_exact", "member_test_recall", "test_fallbacks"] {
            assert!(get(key) >= 0.0);
        }
    }
    assert_eq!(rounds[1].weights, rounds[0].next.clone().expect("it goes on"));
}

#[test]
fn rounds_of_another_corpus_are_refused() {
    let config = config(Kind::Boost, 2);
    let (whole, ..) = run(&config);
    let mut rounds = Rounds::new(&config, data()).expect("trees");
    let error = rounds.restore(Round::clone(&whole[1])).expect_err("out of order").to_string();
    assert!(error.contains("round 2 stands where round 1 should"), "{error}");
    let mut other = data();
    other.train.sentences.rotate_left(1);
    let mut rounds = Rounds::new(&config, other).expect("trees");
    let error = rounds.restore(Round::clone(&whole[0])).expect_err("other words").to_string();
    assert!(error.contains("are not over the words"), "{error}");
}

fn annotated(lines: &[&str]) -> Data {
    let rules = Preprocessing::preset("trees").expect("known");
    let tree = |text: &&str| {
        let tree = Reader::new(text.as_bytes(), "test").next().expect("a tree");
        Annotated::new(Arc::new(tree.expect("whole")), 0, &rules, &mut Removed::default())
    };
    let sentences = lines.iter().filter_map(tree).collect();
    Data { train: Part { name: "train", sentences }, held_out: Vec::new() }
}

#[test]
fn odd_corpora_end_in_order() {
    let one = ["(TOP (S (NN a) (VB b)))"];
    let unary = ["(TOP (S (NP (NN a))))", "(TOP (S (X (NP (NN b)))))"];
    let words = ["(TOP (NN a))", "(TOP (NN b))"];
    for lines in [&one[..], &["(TOP (S (NN a)))"; 9], &unary, &words] {
        for kind in [Kind::Bag, Kind::Boost] {
            let mut config = config(kind, 2);
            config.ensemble.on_failure = OnFailure::Reset;
            let rounds = Rounds::new(&config, annotated(lines)).expect("trees");
            let (done, _, ending) = go_on(rounds);
            assert_eq!(ending, Ending::Rounds(2));
            assert!(done.iter().all(|r| r.metrics.0.values().all(|x| x.is_finite())));
        }
    }
}

#[test]
fn a_sentence_of_500_words_is_a_sentence_like_others() {
    let long = format!("(TOP (S {}))", "(NN a) ".repeat(500));
    let data = annotated(&[&long, "(TOP (S (NN a) (VB b)))", "(TOP (S (NN c)))"]);
    let (done, ..) = go_on(Rounds::new(&config(Kind::Boost, 1), data).expect("trees"));
    assert_eq!(done[0].analyses[0].trees[0].skeleton.tags.len(), 500);
}

#[test]
fn a_failed_round_ends_boosting_or_begins_anew() {
    // Of one sentence, half is the least error that counts.
    let data = || annotated(&["(TOP (S (NN a) (VB b)))"]);
    let (done, events, ending) =
        go_on(Rounds::new(&config(Kind::Boost, 3), data()).expect("a tree"));
    assert_eq!((done.len(), ending), (1, Ending::Failed(1)));
    assert!(done[0].vote.is_none() && done[0].next.is_none());
    let told =
        |e: &EventKind| matches!(e, EventKind::Message { text, .. } if text.contains("no vote"));
    assert!(events.iter().any(told));
    let mut config = config(Kind::Boost, 3);
    config.ensemble.on_failure = OnFailure::Reset;
    let (done, ..) = go_on(Rounds::new(&config, data()).expect("a tree"));
    assert_eq!(done.len(), 3);
    assert!(done.iter().all(|r| r.vote.is_none() && r.next == Some(vec![1.0])));
}
