//! Commands on language models: what they say of words, and what they refuse.

use crate::call::rankspace;
use crate::trained::write_corpus;
use std::path::Path;
use std::sync::OnceLock;

/// A model so small that an epoch takes a moment even without optimisation.
pub const TINY: &str = "--set model.states=12 --set model.rank=8 --set model.embedding=8 \
                        --set training.epochs=2 --set threads=1";

/// Trains an HMM on `train.mrg` of a folder into its folder `run`, with a tenth of it as dev.
pub fn train_tiny(folder: &Path) {
    let call = rankspace("train --preset hmm-small --set data.train=train.mrg --out run");
    call.args(TINY).args("--set data.test=test.mrg").within(folder).succeeds();
}

/// A folder with a corpus and the run `run`, made once for all tests that only read it.
fn trained() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        write_corpus(folder.path());
        train_tiny(folder.path());
        folder
    });
    folder.path()
}

fn numbers(value: &serde_json::Value) -> Vec<f64> {
    let list = value.as_array().unwrap_or_else(|| panic!("a list: {value}"));
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

#[test]
fn parse_points_from_a_language_model_to_score() {
    let ran = rankspace("parse run").within(trained()).input("the dog barks\n").fails();
    let ran = ran.complains("run: a rank-hmm is a language model and gives no trees");
    ran.complains("`rankspace score run --tokens`");
}

#[test]
fn surprisals_of_the_tokens_add_up_to_the_log_probability_of_the_sentence() {
    let base = trained();
    let score = || rankspace("score run test.mrg --json").within(base);
    let lines = score().args("--tokens").succeeds().json_lines();
    assert_eq!(lines.len(), 20);
    for line in &lines {
        let surprisals = numbers(&line["surprisals"]);
        let tokens = line["tokens"].as_array().expect("tokens");
        assert_eq!(tokens.len(), surprisals.len());
        assert_eq!(tokens.last().and_then(|t| t.as_str()), Some("<eos>"));
        assert_eq!(line["words"].as_u64(), Some(tokens.len() as u64 - 1), "the end is no word");
        let (sum, log_prob) = (surprisals.iter().sum::<f64>(), line["log_prob"].as_f64());
        assert!((sum + log_prob.expect("a number")).abs() < 1e-4, "{line}");
        let perplexity = (sum / tokens.len() as f64).exp();
        let said = line["perplexity"].as_f64().expect("a number");
        assert!((said - perplexity).abs() < 1e-4 * said, "{line}");
    }
    // Without the flag the lines are those of every other model.
    let keys = score().succeeds().json_lines()[0].as_object().map(|o| o.len());
    assert_eq!(keys, Some(3));
}

#[test]
fn plain_scores_have_a_line_a_token_and_mark_unknown_words() {
    let call = rankspace("score run --tokens").within(trained()).input("Zorblatt\n");
    let ran = call.succeeds();
    let lines: Vec<Vec<&str>> = ran.stdout.lines().map(|l| l.split('\t').collect()).collect();
    let [sentence, word, end] = &lines[..] else { panic!("a word and the end: {ran}") };
    assert_eq!((sentence[1], word[1], word.get(2)), ("Zorblatt", "Zorblatt", Some(&"unknown")));
    assert_eq!((end[1], end.len()), ("<eos>", 2));
    let number = |text: &str| text.trim().parse::<f64>().unwrap_or_else(|_| panic!("{ran}"));
    assert!((number(sentence[0]) + number(word[0]) + number(end[0])).abs() < 1e-4, "{ran}");
}

#[test]
fn eval_prints_perplexity_and_no_figure_of_trees() {
    let base = trained();
    let figures = rankspace("eval run test.mrg --json").within(base).succeeds().json();
    assert!(figures["perplexity"].is_number() && figures.get("s_f1").is_none(), "{figures}");
    let lines = rankspace("score run test.mrg --json").within(base).succeeds().json_lines();
    let total = |key: &str| lines.iter().filter_map(|l| l[key].as_f64()).sum::<f64>();
    let tokens = total("words") + lines.len() as f64;
    let perplexity = (-total("log_prob") / tokens).exp();
    let said = figures["perplexity"].as_f64().expect("a number");
    assert!((said - perplexity).abs() < 1e-4 * said, "{said} is not {perplexity}");
    let plain = rankspace("eval run test.mrg").within(base).succeeds().prints("perplexity");
    assert!(!plain.stdout.contains("F1") && plain.stdout.lines().count() == 2, "{plain}");
    let short = rankspace("eval run test.mrg --max-length 1").within(base).fails();
    assert!(!short.stderr.contains("derivation"), "{short}");
}

#[test]
fn training_tells_no_figure_of_trees() {
    let told = rankspace("watch run").within(trained()).succeeds().prints("  dev  perplexity");
    assert!(!told.stdout.contains("F1") && !told.stdout.contains("trivial"), "{told}");
}
