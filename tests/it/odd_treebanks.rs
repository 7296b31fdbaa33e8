//! Treebanks as they should not be, and are: whatever hunts for errors in them has a defined answer.

use crate::call::rankspace;
use std::path::Path;

const DOG: &str = "(TOP (S (NP (DT the) (NN dog)) (VP (VBD slept))))";

/// A treebank with a test corpus whose one sentence has words, tags and labels of its own, so that
/// no grammar of the treebank derives it.
fn write(base: &Path, train: &str) {
    std::fs::write(base.join("train.mrg"), train).expect("writes");
    let underivable = "(TOP (Q (R (V odd) (W ends)) (R (W of) (Q (V all) (V kinds)))))\n";
    std::fs::write(base.join("test.mrg"), underivable).expect("writes");
}

/// Every command that is to answer, with what else is to be said of it.
fn hunt(train: &str, sentences: usize) {
    let base = tempfile::tempdir().expect("a temporary folder");
    let base = base.path();
    write(base, train);
    let call = |command: &str| rankspace(command).within(base);
    for kind in ["bag", "boost"] {
        let command = format!("{kind} --train train.mrg --test test.mrg --rounds 2 --json --out");
        let lines = call(&command).arg(kind).succeeds().json_lines();
        assert!(!lines.is_empty(), "{kind}");
    }
    let bys = "boosting boosting+conflicts slips combined variation mean-error error-variance";
    for by in bys.split(' ') {
        let ran = call(&format!("boost ranking boost --by {by}")).succeeds();
        let scores: Vec<f64> = ran
            .stdout
            .lines()
            .skip(1)
            .map(|line| line.split('\t').nth(2).and_then(|s| s.parse().ok()).expect("a score"))
            .collect();
        assert_eq!(scores.len(), sentences, "{by}: {ran}");
        assert!(scores.iter().all(|score| score.is_finite()), "{by}: {scores:?}");
    }
    let trees = call("boost ranking boost --by combined --trees --top 3").succeeds();
    assert_eq!(trees.stdout.matches("annotated  (").count(), sentences.min(3), "{trees}");
    call("conflicts train.mrg").succeeds();
    call("boost weak-learning train.mrg --one").succeeds();
    let curve = call("learning-curve --train train.mrg --test test.mrg --json").succeeds().json();
    let last = curve["curve"].as_array().and_then(|points| points.last()).expect("a point");
    assert!(last["f1"].is_number(), "{curve}");
    call("noise plant train.mrg --share 50 --out noise").succeeds();
    call("noise table train.mrg --share 50 --seeds 1 --rounds 2 --folds 2 --out table")
        .succeeds()
        .prints("combined");
}

#[test]
fn a_single_sentence_is_hunted_through() {
    hunt(DOG, 1);
}

#[test]
fn nothing_but_duplicates_is_hunted_through() {
    hunt(&format!("{DOG}\n").repeat(12), 12);
}

#[test]
fn trees_of_unary_phrases_alone_are_hunted_through() {
    let tree = |i: usize| format!("(TOP (S (VP (X (NN w{})))))\n", i % 3);
    hunt(&(0..9).map(tree).collect::<String>(), 9);
}

#[test]
fn a_label_seen_once_is_hunted_through() {
    let odd = "(TOP (S (ONCE (DT the) (ONLY dog)) (VP (VBD slept))))\n";
    hunt(&(format!("{DOG}\n").repeat(7) + odd), 8);
}

#[test]
fn a_sentence_that_no_grammar_derives_is_counted() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write(base.path(), &format!("{DOG}\n").repeat(3));
    for kind in ["bag", "boost"] {
        let command = format!("{kind} --train train.mrg --test test.mrg --rounds 1 --out {kind}");
        rankspace(&command).within(base.path()).succeeds();
        let events = std::fs::read_to_string(base.path().join(kind).join("events.jsonl"));
        let events = events.expect("reads");
        assert!(events.contains("\"test_fallbacks\":1.0"), "{kind}: {events}");
    }
}

#[test]
fn a_sentence_of_five_hundred_words_is_hunted_through() {
    let words: String =
        (0..125).map(|i| format!(" (NP (DT the) (NN n{i})) (, ,) (CC and)")).collect();
    hunt(&format!("{DOG}\n(TOP (S{words}))\n{DOG}\n"), 3);
}
