//! Rerankers that are trained from the screen.

use super::*;

/// Trains a reranker on the lists in view as the workbench does; gives its run's folder.
pub(super) fn learns(stage: &mut Stage<Rerank>, kernel: usize, dev: &str) -> PathBuf {
    let asked = does(stage, &["learn"]);
    assert!(asked.is_empty(), "{asked:?}");
    let asked = answer(stage, "kernel", Answer::Item(kernel));
    assert!(matches!(&asked[..], [Effect::Popup(Popup::Prompt { id: "dev", .. })]), "{asked:?}");
    started(stage, Answer::Text(dev.to_owned()))
}

/// Names the development lists and trains as the workbench does; gives the run's folder.
fn started(stage: &mut Stage<Rerank>, dev: Answer) -> PathBuf {
    let started = answer(stage, "dev", dev);
    let [Effect::Start(config)] = &started[..] else { panic!("{started:?}") };
    let folder = RunFolder::create(&stage.shared.runs_folder, config).expect("makes");
    let path = folder.path().to_owned();
    let id = RunId(1 + stage.shared.runs.len() as u32);
    let mut run = RunEntry::new(id, path.clone());
    run.config = Some((**config).clone());
    run.listed_state = Some(RunState::Running);
    run.followed = true;
    stage.shared.runs.push(run);
    stage.shared.selected = Some(id);
    let outcome = Job::train((**config).clone(), folder).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    let run = stage.shared.runs.last_mut().expect("pushed above");
    run.listed_state = Some(RunState::Finished);
    run.history.checkpoints.insert("best".into(), outcome.step);
    let effects = stage.update(Input::Run(id));
    let told = said(&stage.settle(effects));
    assert!(told.is_empty(), "{told:?}");
    path
}

#[test]
fn every_kernel_that_is_trained_here_explains_its_margins() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let mut stage = on_lists(base.path(), OURS);
    for kernel in 0..4 {
        let run = learns(&mut stage, kernel, "");
        let tool = &ranked(&stage).tool;
        assert_eq!(run.file_name().and_then(|name| name.to_str()), Some(&*tool.name));
        let parts = tool.reranker.explain(&book(&stage).lists[0]);
        for k in 0..3 {
            let contributions = Contributions::of(&parts, k, 0).expect("both are there");
            let (_, (_, sum)) = contributions.split(0..0);
            let margin = book(&stage).margin(0, k).expect("scored");
            assert!((contributions.log_prob + sum - margin).abs() < 1e-6, "kernel {kernel}, {k}");
        }
        // It has seen these sentences, and says so.
        assert!(stage.shot(120, 40).contains("trained on these lists"), "{}", stage.shot(120, 40));
    }
}

/// Gold trees of [`OURS`] as a treebank, and the lists without them.
fn without_gold() -> (String, String) {
    let (mut trees, mut lists) = (String::new(), String::new());
    for line in OURS.lines() {
        let mut list: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let gold = list.as_object_mut().and_then(|list| list.remove("gold")).expect("gold");
        trees += &format!("{}\n", gold.as_str().expect("a text"));
        lists += &format!("{list}\n");
    }
    (trees, lists)
}

#[test]
fn gold_trees_of_another_file_are_attached_and_learned_from() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let (trees, lists) = without_gold();
    let mut stage = on_lists(base.path(), &lists);
    assert!(stage.shot(80, 24).contains("no gold, so no F1: a attaches"), "{}", stage.shot(80, 24));
    let told = does(&mut stage, &["learn"]);
    assert!(told[0].contains("a attaches"), "{told:?}");
    let gold = write(base.path(), "gold.mrg", &trees);
    let asked = stage.command("gold");
    assert!(matches!(&asked[..], [Effect::Popup(Popup::Prompt { id: "rerank-gold", .. })]));
    let attach = |stage: &mut Stage<Rerank>, text: String| {
        said(&answer(stage, "rerank-gold", Answer::Text(text)))
    };
    let told = attach(&mut stage, gold.display().to_string());
    assert!(told[0].starts_with("3 gold trees of "), "{told:?}");
    assert_eq!(book(&stage).with_gold, 3);
    assert!(stage.screen.summary.is_some());
    // What is read again keeps them, and a run learns from them.
    does(&mut stage, &["reload"]);
    assert_eq!(book(&stage).with_gold, 3);
    does(&mut stage, &["learn"]);
    answer(&mut stage, "kernel", Answer::Item(3));
    let asked = answer(&mut stage, "dev", Answer::Text("dev.jsonl".into()));
    assert!(matches!(&asked[..], [Effect::Popup(Popup::Prompt { id: "dev-gold", .. })]));
    let started = answer(&mut stage, "dev-gold", Answer::Text(gold.display().to_string()));
    let [Effect::Start(config)] = &started[..] else { panic!("{started:?}") };
    assert_eq!(config.rerank.gold, gold.display().to_string());
    assert_eq!(config.rerank.dev_gold, config.rerank.gold);
    learns(&mut stage, 3, "");
    assert_eq!(book(&stage).with_gold, 3);
    // A file without any of them is told, and the lists stay.
    let other = write(base.path(), "other.mrg", "(S (NN x) (NN y))");
    let told = attach(&mut stage, other.display().to_string());
    assert!(told[0].contains("no sentence of the lists has its words in it"), "{told:?}");
    assert_eq!((book(&stage).lists.len(), book(&stage).with_gold), (3, 0));
    attach(&mut stage, gold.display().to_string());
    attach(&mut stage, String::new());
    assert_eq!(book(&stage).with_gold, 0, "they are taken away again");
    // Other lists come with their own.
    attach(&mut stage, gold.display().to_string());
    open(&mut stage, &write(base.path(), "others.jsonl", OURS));
    assert_eq!(stage.screen.gold, None);
    let told = does(&mut stage, &["gold"]);
    assert_eq!(told, ["every list has its gold tree already"]);
}

#[test]
fn the_dialogs_are_whole_in_80_columns() {
    let mut stage = on_sample();
    for command in ["export", "learn"] {
        let asked = stage.command(command);
        let [Effect::Popup(Popup::List { items, .. })] = &asked[..] else { panic!("{asked:?}") };
        let names = items.iter().map(|item| item.name.chars().count()).max().expect("items");
        for item in items {
            let width = names + item.description.chars().count() + 4;
            assert!(width <= 74, "{}: {width}", item.description);
        }
    }
}

#[test]
fn a_kernel_is_derived_from_a_history_based_parser() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let trees = write(base.path(), "trees.mrg", &without_gold().0);
    let text = format!(
        "kind = \"ssn\"\nthreads = 1\n[data]\ntrain = [{trees:?}]\ndev = [{trees:?}]\n[ssn]\n\
         hidden = 4\nmin_count = 1\n[training]\nepochs = 1\n"
    );
    let config = crate::config::Config::from_toml("test", &text, &[]).expect("valid");
    let mut stage = on_lists(base.path(), OURS);
    let folder = RunFolder::create(&stage.shared.runs_folder, &config).expect("makes");
    let outcome = Job::train(config.clone(), folder.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    let mut run = RunEntry::new(RunId(1), folder.path().to_owned());
    run.config = Some(config);
    stage.shared.runs.push(run);
    does(&mut stage, &["learn"]);
    let asked = answer(&mut stage, "kernel", Answer::Item(4));
    let [Effect::Popup(Popup::Prompt { id: "ssn", initial, .. })] = &asked[..] else {
        panic!("{asked:?}")
    };
    assert_eq!(Path::new(initial), folder.path(), "the run that there is");
    let told = said(&answer(&mut stage, "ssn", Answer::Text("/nowhere".into())));
    assert!(told[0].contains("/nowhere"), "{told:?}");
    let asked = answer(&mut stage, "ssn", Answer::Text(initial.clone()));
    assert!(matches!(&asked[..], [Effect::Popup(Popup::Prompt { id: "dev", .. })]), "{asked:?}");
    let run = started(&mut stage, Answer::Text(String::new()));
    let tool = &ranked(&stage).tool;
    assert_eq!(run.file_name().and_then(|name| name.to_str()), Some(&*tool.name));
    let parts = tool.reranker.explain(&book(&stage).lists[0]);
    let contributions = Contributions::of(&parts, 1, 0).expect("both are there");
    let (_, (_, sum)) = contributions.split(0..0);
    let margin = book(&stage).margin(0, 1).expect("scored");
    assert!((contributions.log_prob + sum - margin).abs() < 1e-6);
    let name = tool.reranker.decision_name(contributions.decisions[0].0);
    assert!(!name.is_empty() && name.parse::<u32>().is_err(), "a move of the parser: {name}");
}

#[test]
fn a_reranker_that_is_opened_alone_brings_its_development_lists() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let dev = write(base.path(), "dev.jsonl", OURS);
    let mut stage = on_lists(base.path(), OURS);
    let run = learns(&mut stage, 0, &dev.display().to_string());
    assert!(stage.shot(120, 40).contains("lists.txt"), "the lists in view stay");
    let mut alone = Stage::new(Rerank::default());
    let path = run.join("checkpoints/best.safetensors");
    let effects = alone.update(Input::Open(&Target::Reranker(path)));
    alone.settle(effects);
    assert_eq!(alone.screen.source, Some(Source::File(dev.clone())));
    assert_eq!(ranked(&alone).scored.len(), 3);
    // The same where its run is selected before the screen is looked at.
    let mut selected = Stage::new(Rerank::default());
    selected.shared = stage.shared.clone();
    let effects = selected.update(Input::Shown);
    selected.settle(effects);
    assert_eq!(selected.screen.source, Some(Source::File(dev)));
    // Once it was opened, another one may be looked at.
    let reranker =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("sample_data/reranking/reranker.safetensors");
    let effects = selected.update(Input::Open(&Target::Reranker(reranker)));
    selected.settle(effects);
    assert!(selected.update(Input::Run(RunId(1))).is_empty());
    assert_eq!(ranked(&selected).tool.name, "reranker.safetensors");
}

#[test]
fn a_training_that_goes_on_is_told_with_its_share() {
    let mut stage = on_sample();
    let mut run = RunEntry::new(RunId(1), "runs/r".into());
    let config = crate::config::Config::from_toml("test", "kind = \"rerank\"", &[]);
    run.config = Some(config.expect("valid"));
    run.listed_state = Some(RunState::Running);
    run.history.progress = Some((1, 30, 120));
    stage.shared.runs.push(run);
    stage.shared.selected = Some(RunId(1));
    for (width, said) in [(80, "training: 25 % · sample: "), (120, "training a reranker: 25 %")] {
        assert!(stage.shot(width, 24).contains(said), "{}", stage.shot(width, 24));
    }
    does(&mut stage, &["learn"]);
    answer(&mut stage, "kernel", Answer::Item(0));
    let told = said(&answer(&mut stage, "dev", Answer::Text(String::new())));
    assert!(told[0].contains("the sample is no file here"), "{told:?}");
}
