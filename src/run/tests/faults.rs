//! Resumptions that cannot begin, and weights that are of no use.

use super::*;

#[test]
fn a_resumption_that_cannot_begin_leaves_the_folder_as_it_was() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    train(&folder, Order::default()).expect("starts").join();
    let files =
        || [folder.status_path(), folder.events_path()].map(|p| std::fs::read(p).expect("reads"));
    let before = files();
    for path in [folder.last(), folder.config_path()] {
        let good = std::fs::read(&path).expect("reads");
        std::fs::write(&path, "= junk").expect("writes");
        let error = Job::resume(folder.clone()).expect_err("refused").to_string();
        assert!(error.contains(&path.display().to_string()), "{error}");
        assert!(files() == before, "nothing was written after: {error}");
        std::fs::write(&path, good).expect("writes");
    }
}

#[test]
fn a_resumption_that_fails_keeps_the_step_and_the_best_figures() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    train(&folder, Order::default()).expect("starts").join();
    let before = Status::read(&folder).expect("reads").expect("there");
    assert!(before.best.is_some());
    assert_eq!(before.state, RunState::Finished);
    // The toy's run has no corpus to load: the real resumption fails while it builds.
    let outcome = Job::resume(folder.clone()).expect("starts").join();
    assert_eq!((outcome.state, outcome.run), (RunState::Failed, RunState::Finished));
    let why = outcome.reason.expect("a reason");
    let after = Status::read(&folder).expect("reads").expect("there");
    assert_eq!(
        (after.state, &after.reason, after.step, after.epoch),
        (RunState::Finished, &before.reason, before.step, before.epoch)
    );
    assert_eq!(after.best, before.best);
    let events = std::fs::read_to_string(folder.events_path()).expect("reads");
    let told = events.lines().rev().take(2).map(|line| serde_json::from_str(line).expect("JSON"));
    let told: Vec<Event> = told.collect();
    assert!(matches!(&told[0].kind, EventKind::State { state: RunState::Finished, .. }));
    let EventKind::Message { level: Level::Error, text } = &told[1].kind else {
        panic!("{:?}", told[1])
    };
    assert_eq!(*text, format!("not resumed: {why}"));
}

#[test]
fn weights_that_give_no_probability_end_a_run_as_diverged() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let order = Order { fault: Some((3, Fault::NoProbability)), ..Order::default() };
    let outcome = train(&folder, order).expect("starts").join();
    assert_eq!(outcome.state, RunState::Failed);
    let reason = outcome.reason.expect("a reason");
    assert!(reason.starts_with("diverged at step 3: "), "{reason}");
    assert!(
        reason.ends_with("a lower learning rate may help (resume --learning-rate RATE)"),
        "{reason}"
    );
}

#[test]
fn damaged_weights_are_told_with_what_is_left() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    train(&folder, Order::default()).expect("starts").join();
    std::fs::write(folder.last(), "= junk").expect("writes");
    let error = Job::resume(folder.clone()).expect_err("refused").to_string();
    for said in ["last.safetensors", "best.safetensors beside it", "rankspace train"] {
        assert!(error.contains(said), "{error}");
    }
    std::fs::remove_file(folder.best()).expect("was there");
    let error = Job::resume(folder).expect_err("refused").to_string();
    assert!(!error.contains("best.safetensors"), "{error}");
}

#[test]
fn a_run_whose_weights_are_gone_does_not_begin_again() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    train(&folder, Order::default()).expect("starts").join();
    std::fs::remove_dir_all(folder.checkpoints()).expect("was there");
    let error = Job::resume(folder.clone()).expect_err("refused");
    assert!(matches!(error, RunError::NothingToResume(_)), "{error}");
    let after = Status::read(&folder).expect("reads").expect("there");
    assert_eq!(after.state, RunState::Finished);
}

#[test]
fn settings_that_the_weights_do_not_have_are_refused() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    train(&folder, Order::default()).expect("starts").join();
    let status = std::fs::read(folder.status_path()).expect("reads");
    let refused = |change: &dyn Fn(&mut Config), said: &[&str]| {
        let mut changed = config();
        change(&mut changed);
        std::fs::write(folder.config_path(), changed.to_toml()).expect("writes");
        let error = Job::resume(folder.clone()).expect_err("refused").to_string();
        for said in said {
            assert!(error.contains(said), "{error}");
        }
        assert_eq!(std::fs::read(folder.status_path()).expect("reads"), status);
    };
    refused(
        &|c| c.model.rank = 7,
        &["config.toml: model.rank is 7", "made with 128", "put it back"],
    );
    refused(&|c| c.kind = Kind::Ssn, &["its kind is \"ssn\"", "one of \"train\""]);
    // The order of elimination is free.
    let mut free = config();
    free.model.elimination = crate::config::Elimination::State;
    std::fs::write(folder.config_path(), free.to_toml()).expect("writes");
    assert!(stored(&folder).is_ok());
}

#[test]
fn other_dev_sentences_are_not_of_the_same_curve() {
    let base = tempfile::tempdir().expect("temporary folder");
    let path = |name: &str| base.path().join(name);
    let tree = "(S (NP (DT the) (NN dog)) (VBZ barks))\n";
    std::fs::write(path("train.mrg"), tree.repeat(20)).expect("writes");
    std::fs::write(path("dev.mrg"), tree.repeat(4)).expect("writes");
    let mut config = small_pcfg(&path("train.mrg"));
    config.data.dev.0 = vec![path("dev.mrg").display().to_string()];
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    let outcome = Job::train(config.clone(), folder.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    std::fs::write(path("dev.mrg"), tree.repeat(3)).expect("writes");
    let outcome = Job::resume(folder.clone()).expect("starts").join();
    assert_eq!((outcome.state, outcome.run), (RunState::Failed, RunState::Finished));
    let why = outcome.reason.expect("a reason");
    assert!(why.contains("the dev sentences differ"), "{why}");
    std::fs::write(path("dev.mrg"), tree.repeat(4)).expect("writes");
    assert_eq!(Job::resume(folder).expect("starts").join().state, RunState::Finished);
}
