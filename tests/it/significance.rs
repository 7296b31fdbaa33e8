//! `significance` end to end: figures, what is left out, and that a seed decides everything.

use crate::call::{Call, rankspace};
use crate::shared::shared;
use std::fs;

const GOLD: &str = "(S (NP (NN a)) (VP (VB b) (NP (NN c))))\n";
const WRONG: &str = "(S (X (NN a)) (X (VB b) (NP (NN c))))\n";

/// A is right in all of `n` sentences, B in none.
fn call(n: usize) -> (Call, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, line) in [("gold", GOLD), ("a", GOLD), ("b", WRONG)] {
        fs::write(folder.path().join(name), line.repeat(n)).expect("written");
    }
    (rankspace("significance gold a b").within(folder.path()), folder)
}

#[test]
fn few_differing_sentences_are_exchanged_in_all_ways() {
    let (call, _folder) = call(5);
    let json = call.args("--json --s-f1").succeeds().json();
    assert_eq!(json["exact"], true);
    assert_eq!(json["figures"]["f1"]["p"], 2.0 / 32.0);
    assert_eq!(json["figures"]["recall"]["difference"], 50.0);
    assert_eq!(json["figures"]["recall"]["b_interval"], serde_json::json!([50.0, 50.0]));
    assert_eq!(json["figures"]["s_f1"]["p"], 1.0, "spans are the same, labels are not");
}

#[test]
fn a_seed_decides_everything_and_the_table_tells_it() {
    let ran = || call(40).0.args("--shuffles 99 --resamples 50 --seed 7").succeeds().stdout;
    let first = ran();
    assert_eq!(first, ran());
    for part in [
        "40 sentences, 40 with different scores; labelled brackets",
        "F1          100.00   50.00  +50.00  0.01000",
        "p: two-sided, from 99 random exchanges of sentences, seed 7",
        "F1         100.00 to 100.00   50.00 to 50.00 +50.00 to +50.00",
        "95 % intervals from 50 bootstrap resamples, seed 7",
    ] {
        assert!(first.contains(part), "{part:?} in\n{first}");
    }
}

#[test]
fn identical_predictions_have_p_1_and_what_is_left_out_is_told() {
    let (call, folder) = call(3);
    fs::write(folder.path().join("a"), [GOLD, "(S (NN x))\n", GOLD].concat()).expect("written");
    fs::copy(folder.path().join("gold"), folder.path().join("b")).expect("copied");
    call.succeeds()
        .prints("2 sentences, 0 with different scores")
        .prints("1 left out, not valid in A (1) or B (0)")
        .prints("F1          100.00  100.00   +0.00  1.00000")
        .complains("a: 2 : Length unmatch (3|1)");
}

#[test]
fn nothing_to_compare_and_wrong_numbers_are_told() {
    let (call, folder) = call(3);
    fs::write(folder.path().join("b"), "\n\n\n").expect("written");
    call.fails().complains("no sentence is valid in both predictions");
    let wrong = |options| rankspace("significance gold a b").args(options).refused();
    wrong("--confidence 100").complains("above 0 and below 100");
    wrong("--shuffles 0");
}

#[test]
fn figures_are_those_of_evalb_on_the_same_sentences() {
    let Some(folder) = shared("data/evalb/main") else { return };
    let file = |name| folder.join(name);
    let parameters = folder.join("../collins.prm");
    let evalb = rankspace("evalb --json").arg(file("gold.mrg")).arg(file("pred.mrg"));
    let evalb = evalb.arg("-p").arg(&parameters).succeeds().json();
    let compared = rankspace("significance --json --shuffles 50 --resamples 20")
        .arg(file("gold.mrg"))
        .arg(file("pred.mrg"))
        .arg(file("gold.mrg"))
        .arg("-p")
        .arg(&parameters)
        .succeeds()
        .json();
    assert_eq!(compared["sentences"], evalb["all"]["valid"]);
    for figure in ["precision", "recall"] {
        assert_eq!(compared["figures"][figure]["a"], evalb["all"][figure]);
        assert_eq!(compared["figures"][figure]["b"], 100.0);
    }
}
