//! `symbols`.

use crate::call::rankspace;
use crate::trained::{tiny_training, write_corpus};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A folder with a corpus, runs of two seeds and of an HMM, made once for all tests.
fn runs() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_corpus(folder.path());
        let train = |more: &str| tiny_training(folder.path()).args(more).succeeds();
        train("--out one");
        train("--out two --set seed=7");
        train("--out hmm --set model.family=rank-hmm --set model.states=9");
        folder
    });
    folder.path()
}

fn call(words: &str) -> crate::call::Call {
    rankspace(words).within(runs())
}

#[test]
fn symbols_are_listed_with_what_they_cover_in_every_format() {
    let listed = call("symbols list one test.mrg").succeeds();
    assert!(listed.stdout.starts_with("20 sentences: "), "{listed}");
    let listed = listed.prints("of 6 nonterminals in use").prints("effective");
    assert_eq!(listed.stdout.lines().count(), 8, "{listed}");
    let rows = call("symbols list one test.mrg --format json").succeeds().json();
    let rows = rows.as_array().expect("rows");
    let expected: Vec<f64> = rows.iter().filter_map(|r| r["expected"].as_f64()).collect();
    assert!(expected.len() == 6 && expected.is_sorted_by(|a, b| a >= b), "{expected:?}");
    // Every sentence has one span a word less one.
    let spans: u64 = rows.iter().filter_map(|r| r["in_trees"].as_u64()).sum();
    assert!((spans as f64 - expected.iter().sum::<f64>()).abs() < 0.01 * spans as f64 + 1.0);
    let words = call("symbols list one test.mrg --kind preterminals --sort number --format csv");
    let words = words.succeeds();
    assert!(words.stdout.contains("\nT0,") && words.stdout.lines().count() == 13, "{words}");
    let few = call("symbols list one test.mrg --filter n1 --limit 3 --format latex").succeeds();
    assert_eq!(few.stdout.matches(" \\\\").count(), 2, "{few}");
    call("symbols list hmm test.mrg").succeeds().prints("of 9 states in use").prints("S0");
    let none = call("symbols list hmm/checkpoints/best.safetensors test.mrg --kind nonterminals");
    let none = none.refused();
    none.complains("the model has no nonterminals, but states");
}

#[test]
fn one_symbol_is_shown_with_its_rules_or_words_and_those_like_it() {
    let shown = call("symbols show one test.mrg N2 --json").succeeds().json();
    let expansions = shown["expansions"].as_array().expect("a list");
    assert!(expansions.len() == 10 && shown.get("words").is_none(), "{shown}");
    let similar = shown["similar"].as_array().expect("a list");
    let far: Vec<f64> = similar.iter().filter_map(|s| s["divergence"].as_f64()).collect();
    assert!(far.len() == 5 && far.is_sorted() && far.iter().all(|d| (0.0..=1.0).contains(d)));
    call("symbols show one test.mrg T3").succeeds().prints("likeliest words").prints("similar");
    let state = call("symbols show hmm test.mrg S0 --limit 3").succeeds();
    state.prints("successors").prints("predecessors");
    for (name, why) in
        [("NP", "expected a symbol"), ("N6", "the last one is N5"), ("S1", "no states")]
    {
        let call = call("symbols show one/checkpoints/best.safetensors test.mrg").arg(name);
        call.refused().complains(why);
    }
}

#[test]
fn a_symbol_leads_to_the_sentences_that_use_it_and_where() {
    let rows = call("symbols list one test.mrg --format json").succeeds().json();
    let first = &rows[0];
    let name = first["symbol"].as_str().expect("a name");
    let found = call("symbols sentences one test.mrg --json").arg(name).succeeds();
    let lines = found.json_lines();
    assert_eq!(Some(lines.len() as u64), first["sentences"].as_u64());
    let spans = |line: &serde_json::Value| line["spans"].as_array().map_or(0, Vec::len) as u64;
    assert_eq!(Some(lines.iter().map(spans).sum::<u64>()), first["in_trees"].as_u64());
    let plain = call("symbols sentences one test.mrg").arg(name).succeeds();
    assert_eq!(plain.stdout.lines().count(), lines.len());
    plain.complains(&format!("{name} in {} of 20 sentences", lines.len()));
}

#[test]
fn symbols_of_two_seeds_are_aligned_and_those_of_one_with_themselves_are_the_same() {
    let same = call("symbols align one one test.mrg --format json").succeeds().json();
    for row in same.as_array().expect("rows").iter().filter(|r| r["count"] != 0) {
        assert_eq!((&row["symbol"], row["f1"].as_f64()), (&row["partner"], Some(100.0)), "{row}");
    }
    call("symbols align one one test.mrg").succeeds().prints("one-to-one 100.00 %");
    let other = call("symbols align one two test.mrg --sort partner --format json").succeeds();
    let other = other.json();
    let rows = other.as_array().expect("rows");
    let f1: Vec<f64> = rows.iter().map(|r| r["f1"].as_f64().unwrap_or(0.0)).collect();
    assert!(rows.len() == 6 && f1.is_sorted_by(|a, b| a >= b), "{f1:?}");
    let partners: Vec<_> = rows.iter().filter_map(|r| r["partner"].as_str()).collect();
    let distinct: std::collections::HashSet<_> = partners.iter().collect();
    assert_eq!(distinct.len(), partners.len(), "one to one");
    // A grammar and an HMM have words in common.
    let hmm = call("symbols align one hmm test.mrg").succeeds();
    hmm.prints("shared words").prints("S");
    let phrases = call("symbols align one hmm test.mrg --kind nonterminals").fails();
    phrases.complains("no phrases");
}

#[test]
fn what_has_no_symbols_says_so() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write_corpus(folder.path());
    let set = "--set model.family=ngram --set training.epochs=1 --out ngram";
    tiny_training(folder.path()).args(set).succeeds();
    let call = rankspace("symbols list ngram test.mrg").within(folder.path());
    call.fails().complains("no hidden symbols");
    let empty: PathBuf = folder.path().join("empty.mrg");
    std::fs::write(&empty, "").expect("writable");
    let one = runs().join("one");
    rankspace("symbols list").arg(&one).arg(&empty).fails().complains("empty.mrg");
}
