//! The history-based parser from the command line, and its derivations over whole treebanks.

use crate::call::rankspace;
use crate::shared::shared;
use rankspace::config::{Config, Kind, Sources};
use rankspace::ensemble::Annotated;
use rankspace::parser::ssn::{Form, Plan, SsnFile, Vocabulary};
use rankspace::parser::{Words, transitions};
use rankspace::report::RunState;
use rankspace::run::{Command, EvaluatedTrees, Held, Job, RunFolder, Timeline};
use rankspace::treebank::{Preprocessing, Reader, Removed, Tree, read_file, sample};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Short trees of the bundled sample, so that everything is quick.
fn base() -> tempfile::TempDir {
    let base = tempfile::tempdir().expect("a temporary folder");
    for (file, part, count) in [("train.mrg", "train", 60), ("dev.mrg", "dev", 12)] {
        let (name, text) = sample::read(part).expect("it is bundled");
        let trees = Reader::new(text.as_bytes(), name).map(|tree| tree.expect("well formed"));
        let short = trees.filter(|tree| tree.len() < 9).take(count);
        let lines: String = short.map(|tree| format!("{tree}\n")).collect();
        std::fs::write(base.path().join(file), lines).expect("writes");
    }
    base
}

const TRAIN: &str = "ssn train --train train.mrg --dev dev.mrg --set ssn.hidden=10 --set \
                     ssn.min_count=3 --set ssn.parsed=5 --set training.epochs=3 --set seed=4";

#[test]
fn a_parser_is_trained_in_a_run_folder_and_parses() {
    let base = base();
    let base = base.path();
    let ran = rankspace(TRAIN).args("--test dev.mrg --out run").within(base).succeeds();
    let ran = ran.prints("epoch 3").prints("finished at step 24").prints("dev  F1 ");
    ran.prints("test  F1 ").prints("known words");
    let folder = RunFolder::open(&base.join("run")).expect("a run folder");
    let timeline = Timeline::of(&folder.events().expect("reads"));
    assert_eq!(timeline.steps().len(), 24);
    let dev: Vec<f64> =
        timeline.split("dev").filter_map(|e| e.metrics.get("log_likelihood")).collect();
    assert!(dev.len() == 4 && dev[3] > dev[0], "{dev:?}");
    // Trees of every evaluation, of as many sentences as were parsed.
    let kept = folder.evaluations_with_trees();
    let trees = EvaluatedTrees::read(&kept.last().expect("kept").1).expect("reads");
    assert_eq!(trees.trees.iter().flatten().count(), 5);
    assert_eq!(folder.dev_sentences().expect("kept").len(), trees.trees.len());
    // The command of induced grammars names the one for this.
    let refused = rankspace("parse run dev.mrg").within(base).fails();
    refused.complains("run: a history-based parser").complains("`rankspace ssn parse run FILE`");
    // What was trained parses text, and trees with their tags.
    let parsed = rankspace("ssn parse run dev.mrg --tags gold").within(base).succeeds();
    let parsed = parsed.complains("F1 ").complains("sentences/s");
    let gold = read_file(&base.join("dev.mrg")).expect("reads").trees;
    let rules = Preprocessing::preset("trees").expect("known");
    for (line, gold) in parsed.stdout.lines().zip(&gold) {
        let tree =
            Reader::new(line.as_bytes(), "out").next().expect("a tree").expect("well formed");
        let gold = Annotated::new(Arc::new(gold.clone()), 0, &rules, &mut Removed::default());
        let gold = gold.expect("words remain").tree;
        assert_eq!((tree.words(), tree.len()), (gold.words(), gold.len()));
        assert!(tree.tags().eq(gold.tags()), "{line}");
    }
    assert_eq!(parsed.stdout.lines().count(), gold.len());
    let lists = rankspace("ssn parse run - --beam 3 -k 4").within(base).input("The dog barks.\n");
    let lists = lists.succeeds();
    let scores: Vec<f64> =
        lists.stdout.lines().filter_map(|line| line.split_once('\t')?.0.parse().ok()).collect();
    assert!(scores.len() == 4 && scores.is_sorted_by(|a, b| a >= b), "{lists}");
    let figures = rankspace("ssn parse run dev.mrg --json").within(base).succeeds().json();
    assert!(figures["f1"].as_f64().is_some() && figures["sentences"] == 12, "{figures}");
}

#[test]
fn a_training_hands_its_present_parser_over() {
    let base = base();
    let mut config = Config { kind: Kind::Ssn, ..Config::default() };
    let file = |name: &str| Sources(vec![base.path().join(name).display().to_string()]);
    (config.data.train, config.data.dev) = (file("train.mrg"), file("dev.mrg"));
    config.data.preset = "trees".into();
    (config.ssn.hidden, config.ssn.min_count) = (10, 3);
    (config.training.epochs, config.training.patience) = (100_000, 0);
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    let job = Job::train(config, folder).expect("starts");
    let parse = |after: u64| loop {
        let (to, held) = crossbeam_channel::bounded(1);
        assert!(job.send(Command::Snapshot(to)));
        let held = held.recv_timeout(Duration::from_secs(60)).expect("an answer");
        let Held::Supervised(held) = held else { panic!("a supervised parser") };
        if held.step > after {
            let words = held.preprocessing.text("The old dog sees a unicorn .", 0).words;
            let parsed = held.parser.parse(Words::new(&words));
            assert_eq!(parsed.tree.words(), &words[..]);
            break (held.step, parsed.score);
        }
    };
    let (early, before) = parse(0);
    let (_, later) = parse(early + 30);
    assert_ne!(before, later, "the weights of another step");
    job.send(Command::Stop);
    assert_eq!(job.join().state, RunState::Stopped);
}

#[test]
fn a_run_that_was_stopped_goes_on_to_the_same_weights() {
    let base = base();
    let base = base.path();
    rankspace(TRAIN).args("--out whole").within(base).succeeds();
    rankspace(TRAIN).args("--out parts --set training.max_steps=10").within(base).succeeds();
    let config = base.join("parts/config.toml");
    let text = std::fs::read_to_string(&config).expect("reads");
    std::fs::write(&config, text.replace("max_steps = 10", "max_steps = 0")).expect("writes");
    rankspace("resume parts").within(base).succeeds().prints("resumed from step 10");
    let last = |run: &str| {
        let folder = RunFolder::open(&base.join(run)).expect("a run folder");
        SsnFile::load(&folder.last()).expect("reads").ssn.weights().clone()
    };
    assert!(last("parts") == last("whole"));
}

#[test]
fn several_seeds_are_one_experiment() {
    let base = base();
    let command = format!("{TRAIN} --set training.epochs=1 --seeds 2 --out two");
    let ran = rankspace(&command).within(base.path()).succeeds();
    ran.prints("2 seeds  dev  F1 ").prints("seed 5  finished");
    let ran = rankspace("ssn parse two dev.mrg").within(base.path()).succeeds();
    ran.complains("using two/").complains("12 sentences,");
}

#[test]
fn what_cannot_be_trained_on_is_said() {
    let base = base();
    rankspace("ssn train").within(base.path()).refused();
    let ran = rankspace("ssn train --train nothing.mrg").within(base.path()).fails();
    ran.complains("nothing.mrg");
    rankspace("ssn train --train train.mrg --set ssn.beam=0").within(base.path()).refused();
}

/// Every tree as it is derived, and what comes back.
fn check(path: &Path, chains: u32) -> usize {
    let rules = Preprocessing::preset("trees").expect("known");
    let trees = read_file(path).expect("reads").trees.into_iter().enumerate();
    let trees: Vec<Arc<Tree>> = trees
        .filter_map(|(i, tree)| {
            let tree = Arc::new(tree);
            Some(Annotated::new(tree, i, &rules, &mut Removed::default())?.tree)
        })
        .collect();
    let form = Form::of_trees(&trees, chains);
    let derived: Vec<Option<Tree>> = trees.iter().map(|tree| form.put_on(tree).ok()).collect();
    let vocabulary = Vocabulary::of_trees(derived.iter().flatten(), 5).expect("trees");
    for (tree, derived) in trees.iter().zip(&derived) {
        let Some(derived) = derived else {
            assert!(tree.is_discontinuous());
            continue;
        };
        let moves = transitions::derivation(derived);
        let back = transitions::tree(&moves).unwrap_or_else(|e| panic!("{tree}: {e:?}"));
        assert_eq!(form.take_off(&back).to_string(), tree.to_string());
        let plan = Plan::new(derived, &vocabulary, u32::MAX).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((plan.steps.len(), plan.words), (moves.len(), tree.len()));
    }
    trees.len()
}

#[test]
fn every_tree_of_the_treebanks_comes_back_from_its_derivation() {
    let Some(folder) = shared("data/treebanks") else { return };
    let mut checked = 0;
    for treebank in std::fs::read_dir(folder).expect("reads").flatten() {
        for file in ["train.mrg", "dev.mrg", "test.mrg"] {
            let path = treebank.path().join(file);
            if path.is_file() {
                checked += check(&path, if file == "dev.mrg" { 3 } else { 0 });
            }
        }
    }
    assert!(checked > 1000, "{checked}");
}
