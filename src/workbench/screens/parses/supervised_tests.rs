//! Sentences typed where a supervised parser is at hand.

use super::*;
use crate::config::Config;
use crate::parser::{ParserFile, build};
use crate::report::RunState;
use crate::run::{Job, RunFolder};
use crate::treebank::{Preprocessing, Reader, Tree};
use crate::workbench::stage::{Stage, said};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const TREES: &str = "(TOP (S (NP (DT the) (NN dog)) (VP (VBD barked))))
(TOP (S (NP (DT a) (NN cat)) (VP (VBD saw) (NP (DT the) (NN dog)))))
(TOP (S (NP (DT the) (NN cat)) (VP (VBD slept))))
";

fn trees() -> Vec<Arc<Tree>> {
    Reader::new(TREES.as_bytes(), "t").map(|tree| Arc::new(tree.expect("whole"))).collect()
}

/// A finished run of a history-based parser.
fn run_of_ssn(base: &Path) -> RunFolder {
    let file = base.join("trees.mrg");
    std::fs::write(&file, TREES).expect("writes");
    let text = format!(
        "kind = \"ssn\"\nthreads = 1\n[data]\ntrain = [{file:?}]\ndev = [{file:?}]\n[ssn]\n\
         hidden = 6\nmin_count = 1\n[training]\nepochs = 30\nlearning_rate = 0.05\n"
    );
    let config = Config::from_toml("test", &text, &[]).expect("valid");
    let folder = RunFolder::create(&base.join("runs"), &config).expect("makes");
    let outcome = Job::train(config, folder.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    folder
}

/// The file of a treebank grammar.
fn grammar_file(base: &Path) -> PathBuf {
    let config = Config::from_toml("test", "[parser]\nmin_count = 1\n", &[]).expect("valid");
    let inducer = build(&config.parser).expect("there is such a parser");
    let parser = inducer.induce(&trees(), &[1.0; 3]).expect("trees");
    let preprocessing = Preprocessing::preset("trees").expect("known");
    let path = base.join("grammar.safetensors");
    ParserFile { config, preprocessing, parser }.save(&path).expect("writes");
    path
}

/// Types a sentence; what is said about it.
fn types(stage: &mut Stage<Parses>, text: &str) -> Vec<String> {
    stage.command("type");
    stage.type_text(text);
    let effects = stage.press(KeyCode::Enter);
    said(&stage.settle(effects))
}

fn shows_its_tree(stage: &Stage<Parses>) {
    let analysis = stage.screen.typed.shown().expect("parsed");
    assert!(analysis.log_prob.is_finite() && analysis.marginals.is_empty());
    let shot = stage.shot(80, 24);
    for part in ["typed, 3 words", "log-prob ", "NP", "VP", "barked"] {
        assert!(shot.contains(part), "{part}: {shot}");
    }
}

#[test]
fn a_run_of_a_history_based_parser_parses_what_is_typed() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let folder = run_of_ssn(base.path());
    let mut stage = Stage::new(Parses::default());
    let mut run = RunEntry::new(RunId(1), folder.path().to_owned());
    run.config = Some(folder.config().expect("reads"));
    run.listed_state = Some(RunState::Finished);
    stage.shared.runs.push(run);
    stage.shared.selected = Some(RunId(1));
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let told = types(&mut stage, "the dog barked");
    assert!(told.is_empty(), "{told:?}");
    shows_its_tree(&stage);
    assert!(stage.shot(80, 24).contains("(best)"), "{}", stage.shot(80, 24));
}

#[test]
fn the_file_of_a_treebank_grammar_parses_what_is_typed() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let file = grammar_file(base.path());
    let mut stage = Stage::new(Parses::default());
    stage.shared.checkpoint = Some(file.clone());
    let effects = stage.update(Input::Open(&Target::Checkpoint(file)));
    stage.settle(effects);
    let effects = stage.update(Input::Shown);
    stage.settle(effects);
    let told = types(&mut stage, "the dog barked");
    assert!(told.is_empty(), "{told:?}");
    shows_its_tree(&stage);
    // One word is a sentence of a treebank as well.
    assert!(types(&mut stage, "dog").is_empty());
    assert_eq!(stage.screen.typed.shown().map(|analysis| analysis.words.len()), Some(1));
}
