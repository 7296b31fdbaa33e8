//! The commands `grammar train` and `grammar parse`.

use crate::call::rankspace;
use serde_json::Value;
use std::path::Path;

const TREES: &str = "(TOP (S (NP (DT the) (JJ old) (NN dog)) (VP (VBZ barks)) (. .)))
(TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (DT the) (NN cat)) (PP (IN in) (NP (DT the) (NN house)))) (. .)))
(TOP (S (NP (NP (DT a) (NN cat)) (PP (IN in) (NP (DT the) (NN house)))) (VP (VBZ barks)) (. .)))
(TOP (S (NP (PRP it)) (VP (VBZ sees) (NP (DT the) (NN dog))) (. .)))
";

/// A folder with trees and a parser that learned them.
fn learned(set: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("train.mrg"), TREES).expect("writes");
    rankspace("grammar train train.mrg --out a.safetensors")
        .args(set)
        .within(folder.path())
        .succeeds()
        .prints("from 4 trees of 25 words");
    folder
}

fn figures(folder: &Path, arguments: &str) -> Value {
    let ran = rankspace("grammar parse a.safetensors --json").args(arguments).within(folder);
    serde_json::from_str(&ran.succeeds().stdout).expect("one JSON object")
}

#[test]
fn a_parser_is_learned_kept_and_scored_on_what_it_learned() {
    let folder = learned("");
    let found = figures(folder.path(), "train.mrg");
    assert_eq!((&found["f1"], &found["exact"]), (&Value::from(100.0), &Value::from(100.0)));
    assert_eq!((&found["sentences"], &found["fallback_share"]), (&4.into(), &Value::from(0.0)));
    assert!(found["sentences_per_s"].as_f64().is_some_and(|n| n > 0.0));
    let given = figures(folder.path(), "train.mrg --tags gold --out parsed.mrg");
    assert_eq!(given["tagging_accuracy"], Value::from(100.0));
    let parsed = std::fs::read_to_string(folder.path().join("parsed.mrg")).expect("trees");
    assert_eq!(parsed, TREES);
    rankspace("evalb train.mrg parsed.mrg").within(folder.path()).succeeds().prints("100.00");
}

#[test]
fn text_is_parsed_and_lists_stand_behind_their_scores() {
    // Of so few trees, a grammar that knows little of what is around has several for a sentence.
    let folder = learned("--set parser.vertical=1 --set parser.horizontal=0 --set parser.base=[]");
    let parse = || rankspace("grammar parse a.safetensors").within(folder.path());
    let ran = parse().input("It sees the cat in the house.\n").succeeds();
    assert!(ran.stdout.starts_with("(TOP (S (NP (PRP It)) (VP (VBZ sees) (NP"), "{ran}");
    assert!(!ran.stderr.contains("F1") && ran.stderr.contains("1 sentence, 8 words"), "{ran}");
    let lists = parse().args("-k 3").input("it sees the cat in the house .\n").succeeds();
    let lines: Vec<&str> = lists.stdout.lines().collect();
    assert!((3..=4).contains(&lines.len()) && lines[lines.len() - 1].is_empty(), "{lists}");
    let scores: Vec<f64> = lines[..lines.len() - 1]
        .iter()
        .map(|line| line.split_once('\t').expect("a score").0.parse().expect("a number"))
        .collect();
    assert!(scores.is_sorted_by(|a, b| a >= b) && scores[0] < 0.0, "{scores:?}");
}

#[test]
fn the_sample_is_learned_and_parsed() {
    let folder = tempfile::tempdir().expect("a folder");
    rankspace("grammar train sample:train --out a.safetensors --json")
        .within(folder.path())
        .succeeds()
        .prints("\"rules\":");
    let found = figures(folder.path(), "sample:test");
    assert!(found["f1"].as_f64().is_some_and(|f1| f1 > 60.0), "{found}");
}

#[test]
fn what_cannot_be_learned_or_read_is_told() {
    let folder = learned("");
    let within = |arguments: &str| rankspace(arguments).within(folder.path());
    within("grammar train train.mrg --out a.safetensors").fails().complains("there already");
    within("grammar train train.mrg --out no/b").fails().complains("there is no folder");
    within("grammar train --out b").refused().complains("TRAIN");
    within("grammar train train.mrg --out b --set parser.vertical=3")
        .refused()
        .complains("expected 1 or 2");
    within("grammar train train.mrg --out b --set parser.verical=3")
        .refused()
        .complains("did you mean `vertical`");
    std::fs::write(folder.path().join("plain.txt"), "some words\n").expect("writes");
    within("grammar train plain.txt --out b").fails();
    within("grammar parse train.mrg train.mrg").fails().complains("not a checkpoint");
    within("grammar parse a.safetensors plain.txt --tags gold").refused().complains("without tags");
}
