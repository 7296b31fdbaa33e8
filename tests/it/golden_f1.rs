//! Span scores against golden values: `f1*.json`.

use crate::shared::shared;
use rankspace::evaluation::{Scores, Span, sentence_f1};
use rankspace::treebank::LabelledSpan;
use serde::Deserialize;
use std::path::PathBuf;

/// The golden values were computed with 1e-8 in the denominators, as the
/// published code has it; without it figures are up to 3e-8 larger.
const TOLERANCE: f64 = 1e-7;

#[derive(Deserialize)]
struct Golden {
    cases: Vec<Case>,
    sentence_f1: f64,
    corpus_f1: f64,
    sentences: f64,
    tp: f64,
    fp: f64,
    r#fn: f64,
}

#[derive(Deserialize)]
struct Case {
    n: usize,
    pred: Vec<Span>,
    gold: Vec<(u32, u32, String)>,
    f1: f64,
}

fn files() -> Vec<PathBuf> {
    let Some(folder) = shared("golden") else { return Vec::new() };
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of golden values can be listed")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("f1") && name.ends_with(".json")
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no f1*.json in {}", folder.display());
    files
}

#[test]
fn golden_f1_of_sentences_and_corpora() {
    for path in files() {
        let name = path.display();
        let text = std::fs::read_to_string(&path).expect("a golden file can be read");
        let golden: Golden = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let mut scores = Scores::default();
        for (i, case) in golden.cases.iter().enumerate() {
            let gold: Vec<LabelledSpan> = case
                .gold
                .iter()
                .map(|(start, end, label)| LabelledSpan {
                    start: *start,
                    end: *end,
                    label: label.as_str().into(),
                })
                .collect();
            let bare: Vec<Span> = gold.iter().map(|s| (s.start, s.end)).collect();
            let f1 = sentence_f1(case.n, &case.pred, &bare) / 100.0;
            assert!((f1 - case.f1).abs() < TOLERANCE, "{name}, case {i}: {f1}, not {}", case.f1);
            scores.add(case.n, None, Some(&case.pred), Some(&gold));
        }
        let metrics = scores.metrics();
        // From counts, so that a wrong count cannot hide in a right quotient of the file.
        let from_counts = 2.0 * golden.tp / (2.0 * golden.tp + golden.fp + golden.r#fn);
        for (key, expected) in [
            ("s_f1", 100.0 * golden.sentence_f1),
            ("c_f1_published", 100.0 * golden.corpus_f1),
            ("c_f1_published", 100.0 * from_counts),
            ("sentences", golden.sentences),
        ] {
            let value = metrics.get(key).expect(key);
            assert!(
                (value - expected).abs() < 100.0 * TOLERANCE,
                "{name}: {key} {value}, not {expected}"
            );
        }
    }
}

/// On the corpus of `f1.json` sets give 10 right, 54 spurious and 35 missed spans:
/// duplicate gold spans count once in our C-F1.
#[test]
fn golden_f1_corpus_of_sets_counts_duplicates_once() {
    for path in files().into_iter().filter(|p| p.ends_with("f1.json")) {
        let text = std::fs::read_to_string(&path).expect("a golden file can be read");
        let golden: Golden = serde_json::from_str(&text).expect("a golden file");
        let (mut right, mut predicted, mut wanted) = (0, 0, 0);
        let mut scores = Scores::default();
        for case in &golden.cases {
            let counts = |s: &Span| s.1 - s.0 > 1 && *s != (0, case.n as u32);
            let mut pred: Vec<Span> = case.pred.iter().copied().filter(counts).collect();
            let mut gold: Vec<Span> = case.gold.iter().map(|g| (g.0, g.1)).filter(counts).collect();
            for list in [&mut pred, &mut gold] {
                list.sort_unstable();
                list.dedup();
            }
            right += pred.iter().filter(|s| gold.contains(s)).count();
            predicted += pred.len();
            wanted += gold.len();
            let labelled: Vec<LabelledSpan> = case
                .gold
                .iter()
                .map(|g| LabelledSpan { start: g.0, end: g.1, label: g.2.as_str().into() })
                .collect();
            scores.add(case.n, None, Some(&case.pred), Some(&labelled));
        }
        let expected = 200.0 * right as f64 / (predicted + wanted) as f64;
        let value = scores.metrics().get("c_f1").expect("there is gold");
        assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
        if golden.cases.len() == 12 {
            assert_eq!((right, predicted - right, wanted - right), (10, 54, 35));
        }
    }
}
