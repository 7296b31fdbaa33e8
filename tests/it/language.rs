//! Language models: what commands say of words and refuse, and what the workbench shows of a run.

use crate::call::rankspace;
use crate::terminal::Session;
use crate::trained::write_corpus;
use rankspace::workbench::ScreenId::{Grammar, Parses, Runs, Train};
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
fn a_line_that_cannot_be_read_keeps_its_number() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("odd.txt");
    std::fs::write(&path, b"the old woman\nthe \xff\xfe cat\na letter\n").expect("written");
    let call = rankspace("score run --json").within(trained()).arg(&path);
    let ran = call.succeeds();
    let lines = ran.json_lines();
    let numbers: Vec<_> = lines.iter().map(|line| line["sentence"].as_u64()).collect();
    assert_eq!(numbers, [Some(1), Some(2), Some(3)], "{ran}");
    assert_eq!(lines[1]["words"], 0);
    assert_eq!(lines[2]["words"], 2);
    ran.complains("odd.txt:2");
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

/// Copies a run folder.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("makes a folder");
    for entry in std::fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        match from.is_dir() {
            true => copy(&from, &to),
            false => drop(std::fs::copy(&from, &to).expect("copies")),
        }
    }
}

/// The workbench on the trained run.
fn opened(columns: u16, rows: u16, environment: &[(&str, &str)]) -> Session {
    let prepare = |work: &Path| copy(&trained().join("run"), &work.join("runs/language"));
    Session::start_with(&["runs/language"], columns, rows, environment, prepare)
}

#[test]
fn a_run_is_looked_at_on_every_screen_without_a_word_of_trees() {
    let mut session = opened(80, 24, &[]);
    session.sees("dev perplexity").sees("loss (nats/token)").sees("states 12").sees_no("F1");
    session.does_on(Train, "literature").sees("PTB, not this corpus").sees("126.4");
    session.does_on(Train, "literature").sees_no("not this corpus");
    session.does("parses").sees("Surprisal, bits").sees("weights of step").sees("<eos>");
    session.sees_no("F1").does_on(Parses, "unit").sees("Surprisal, nats").sees("nats from");
    session.does_on(Parses, "heat-map").sees("word by word").does_on(Parses, "heat-map");
    session.does_on(Parses, "sort").does_on(Parses, "sort").sees("by perplexity");
    // What an evaluation kept, without states, and back.
    session.does_on(Parses, "older").sees("eval 2 of 3").sees_no("weights of step");
    session.does_on(Parses, "newer").sees("eval 3 of 3").sees("weights of step");
    session.does_on(Parses, "type").keys("the dog barks\r").sees("typed, 3 words");
    session.sees_no("leave the field");
    session.does_on(Parses, "export").sees("Export the surprisals as").keys("\r");
    session.sees("written to").does("grammar").sees("States 1/12").sees("successors");
    session.does_on(Grammar, "kind").sees("p(column | row)");
    session.does("runs").sees("rank-hmm").sees("ppl ").does_on(Runs, "literature");
    session.sees("AWD-LSTM").does("quit");
    let (folder, session) = session.keep();
    assert_eq!(session.ends_clean(), 0);
    let exports = folder.path().join("work/runs/language/exports");
    let written = std::fs::read_dir(exports).expect("a folder").next().expect("a file");
    let text = std::fs::read_to_string(written.expect("readable").path()).expect("text");
    let tokens: Vec<_> = text.lines().filter_map(|l| l.split('\t').next()).collect();
    assert_eq!(tokens, ["token", "the", "dog", "barks", "<eos>"]);
}

#[test]
fn large_terminals_show_lines_and_bars_and_those_without_colour_shades() {
    let mut session = opened(200, 60, &[("NO_COLOR", "1")]);
    session.sees("dev perplexity").does("parses").sees("Surprisal, bits").sees("word by word");
    session.until("shades", |screen| {
        let text = screen.contents();
        text.contains('▒') && text.contains('▓')
    });
    session.does("grammar").sees("predecessors").does("quit");
    assert_eq!(session.ends_clean(), 0);
}

#[test]
fn a_checkpoint_alone_scores_what_is_typed() {
    let prepare = |work: &Path| {
        let best = trained().join("run/checkpoints/best.safetensors");
        std::fs::copy(best, work.join("best.safetensors")).expect("copies");
    };
    let mut session = Session::start_with(&["best.safetensors"], 80, 24, &[], prepare);
    session.sees("sentence:").keys("Go\r").sees("typed, 1 word ·").sees("Surprisal, bits");
    session.sees_no("leave the field").does("quit");
    assert_eq!(session.ends_clean(), 0);
}
