//! The bundled sample behaves like English.

use crate::call::rankspace;
use rankspace::config::{Config, Sources};
use rankspace::ensemble::fingerprint;
use rankspace::evaluation::{self, Scores, Span};
use rankspace::run::RunFolder;
use rankspace::treebank::{Corpus, LengthLimits, Preprocessing, Reader, Splits, load};
use std::path::Path;

/// S-F1 of a baseline that may look at the gold spans.
fn s_f1(corpus: &Corpus, tree: impl Fn(usize, &[Span]) -> Vec<Span>) -> f64 {
    let mut scores = Scores::default();
    for sentence in &corpus.sentences {
        let gold = sentence.gold.as_ref().expect("the sample has trees");
        let spans: Vec<Span> = gold.iter().map(|s| (s.start, s.end)).collect();
        let predicted = tree(sentence.len(), &spans);
        scores.add(sentence.len(), None, Some(&predicted), Some(gold));
    }
    scores.metrics().get("s_f1").expect("the sample has trees")
}

#[test]
fn the_sample_is_neither_so_easy_nor_so_flat_that_learning_would_not_show() {
    let limits = LengthLimits { min: 2, max: usize::MAX };
    for part in ["train", "dev", "test", "natural"] {
        let sources = Sources(vec![format!("sample:{part}")]);
        let corpus = load(&sources, "", &Preprocessing::default(), limits).expect("bundled");
        assert!(corpus.problems.is_empty(), "{:?}", corpus.problems);
        let right = s_f1(&corpus, |n, _| evaluation::right_branching(n));
        let left = s_f1(&corpus, |n, _| evaluation::left_branching(n));
        let oracle = s_f1(&corpus, evaluation::oracle);
        println!("{part}: right-branching {right:.1}, left {left:.1}, oracle {oracle:.1}");
        assert!((35.0..=60.0).contains(&right), "{part}: right-branching {right}");
        assert!(left < 25.0, "{part}: left-branching {left}");
        assert!(oracle >= 85.0, "{part}: oracle {oracle}");
    }
}

#[test]
fn the_preset_of_the_first_start_loads_the_sample() {
    let config: Config = rankspace::config::preset("sample")
        .and_then(|preset| preset.config(&[]))
        .expect("a valid preset");
    let splits = Splits::load(&config).expect("bundled");
    assert_eq!(splits.train.sentences.len(), 1_700);
    assert_eq!(splits.dev.sentences.len(), 150);
    assert_eq!(splits.test.map(|t| t.sentences.len()), Some(150));
}

#[test]
fn raw_text_has_no_gold() {
    let sources = Sources(vec!["sample:text".into()]);
    let corpus = load(&sources, "", &Preprocessing::default(), LengthLimits::ANY).expect("bundled");
    assert!(corpus.sentences.len() > 200);
    assert!(corpus.sentences.iter().all(|s| s.gold.is_none() && s.tree.is_none()));
}

#[test]
fn the_bundled_run_opens_and_its_checkpoint_has_the_figures_that_it_recorded() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/sample_data/runs/sample-rank-pcfg");
    let status: serde_json::Value = serde_json::from_str(
        &std::fs::read_to_string(format!("{path}/status.json")).expect("reads"),
    )
    .expect("is JSON");
    let recorded = |name: &str| status["best"]["dev"][name].as_f64().expect("a figure");
    let found = rankspace("eval").arg(path).args("sample:dev --json").succeeds().json();
    for (name, tolerance) in [("log_likelihood", 1e-4), ("perplexity", 1e-3), ("s_f1", 0.02)] {
        let (ours, theirs) = (found[name].as_f64().expect("a figure"), recorded(name));
        let error = (ours - theirs).abs() / theirs.abs();
        assert!(error < tolerance, "{name}: {ours} against {theirs}");
    }
    rankspace("watch").arg(path).succeeds().prints("finished at step 1200");
    let events = rankspace("watch --json").arg(path).succeeds().json_lines();
    let evaluated = events.iter().filter(|e| e["type"] == "evaluation" && e["split"] == "dev");
    assert!(evaluated.clone().count() > 0 && evaluated.clone().all(|e| e["metrics"].is_object()));
}

#[test]
fn the_noisy_treebank_is_what_its_command_gives_and_the_bundled_boosting_ranks_it() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data");
    let made = tempfile::tempdir().expect("a temporary folder");
    rankspace("noise plant --share 2 --seed 1 --out out")
        .arg(data.join("train.mrg"))
        .within(made.path())
        .succeeds();
    for name in ["noisy.mrg", "planted.tsv"] {
        let read = |path: &Path| std::fs::read_to_string(path).expect("reads");
        assert!(read(&made.path().join("out").join(name)) == read(&data.join(name)), "{name}");
    }
    let folder = RunFolder::open(&data.join("runs/sample-boost")).expect("a run folder");
    let train = folder.kept_part("train").expect("reads").expect("there");
    let text = std::fs::read_to_string(data.join("noisy.mrg")).expect("reads");
    let trees = Reader::new(text.as_bytes(), "noisy.mrg").map(|tree| tree.expect("whole"));
    let hashes: Vec<String> = trees.map(|tree| fingerprint(&tree)).collect();
    let kept: Vec<String> = train.sentences.iter().map(|kept| kept.hash.clone()).collect();
    assert_eq!(kept, hashes);
    assert!(train.sentences.iter().all(|kept| &*kept.file == "sample_data/noisy.mrg"));
    let last = folder.kept_rounds().expect("reads").len() as u64;
    assert_eq!(last, 10);
    // What boosting is for: planted errors weigh more than the mean sentence.
    let weights = folder.kept_weights(last).expect("reads").after.expect("it went on");
    let planted = std::fs::read_to_string(data.join("planted.tsv")).expect("reads");
    let numbers = planted.lines().skip(1).filter_map(|line| line.split('\t').next()?.parse().ok());
    let planted: Vec<f64> = numbers.map(|i: usize| weights[i] * weights.len() as f64).collect();
    let mean = planted.iter().sum::<f64>() / planted.len() as f64;
    assert!(planted.len() == 35 && mean > 1.5, "{} weigh {mean} on the mean", planted.len());
}
