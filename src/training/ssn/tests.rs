use super::*;
use crate::config::Config;
use crate::report::{EventKind, Silent};
use crate::training::{Ending, Progress, TrainingError};
use crate::treebank::{Preprocessing, Splits};

fn config(folder: &std::path::Path, settings: &[&str]) -> Config {
    let train = folder.join("train.mrg");
    let one = "( (S (NP (D the) (N dog)) (VP (V barks))))\n\
               ( (S (NP (N rain)) (VP (V falls) (PP (P in) (NP (N May))))))\n\
               ( (NP (NP (D a) (N cat)) (PP (P in) (NP (D the) (N rain)))))\n";
    std::fs::write(&train, one.repeat(4)).expect("writes");
    let mut set = vec![
        "kind=ssn".to_owned(),
        format!("data.train={:?}", train.display().to_string()),
        format!("data.dev={:?}", train.display().to_string()),
    ];
    let small = ["ssn.hidden=8", "ssn.min_count=2", "training.batch_size=4", "threads=1"];
    set.extend(small.iter().chain(settings).map(|s| (*s).to_owned()));
    Config::from_toml("test", "", &set).expect("valid")
}

fn data(config: &Config) -> SsnData {
    let splits = Splits::load(config).expect("the files are there");
    SsnData::new(&splits, &Preprocessing::resolve(&config.data).expect("known")).expect("trees")
}

/// Trains until so many steps are done, or to the end.
fn train(trainer: &mut SsnTrainer, steps: u64) -> (Vec<EventKind>, Option<Ending>) {
    let mut events = Vec::new();
    loop {
        if trainer.state().step >= steps {
            return (events, None);
        }
        if let Progress::Finished(ending) = trainer.advance(&mut events).expect("trains") {
            return (events, Some(ending));
        }
    }
}

fn dev(events: &[EventKind], figure: &str) -> Vec<f64> {
    let of = |event: &EventKind| match event {
        EventKind::Evaluation { split, metrics, .. } if split == "dev" => metrics.get(figure),
        _ => None,
    };
    events.iter().filter_map(of).collect()
}

#[test]
fn a_few_trees_are_learnt_by_heart() {
    let folder = tempfile::tempdir().expect("a folder");
    let set = ["training.epochs=150", "training.learning_rate=0.02", "training.patience=0"];
    let config = config(folder.path(), &[&set[..], &["evaluation.every=150"]].concat());
    let mut trainer = SsnTrainer::new(&config, data(&config)).expect("trees");
    let (events, ending) = train(&mut trainer, u64::MAX);
    assert_eq!(ending, Some(Ending::Epochs(150)));
    let likelihood = dev(&events, "log_likelihood");
    assert!(likelihood.is_sorted() && likelihood.len() > 2, "{likelihood:?}");
    // Three trees, each a third of the time: log 3 is the least that can be lost.
    assert!(*likelihood.last().expect("evaluated") > -1.5, "{likelihood:?}");
    assert_eq!(dev(&events, "f1").last(), Some(&100.0));
    assert_eq!(dev(&events, "tags").last(), Some(&100.0));
    let best = trainer.state().best.clone().expect("evaluated");
    assert_eq!(best.dev.get("parsed"), Some(12.0));
}

#[test]
fn a_run_that_is_stopped_anywhere_and_resumed_goes_the_same_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path(), &["training.epochs=4", "ssn.parsed=3"]);
    let mut whole = SsnTrainer::new(&config, data(&config)).expect("trees");
    train(&mut whole, u64::MAX);
    for stop in [1, 3, 5, 8] {
        let mut first = SsnTrainer::new(&config, data(&config)).expect("trees");
        train(&mut first, stop);
        let state = serde_json::to_string(first.state()).expect("writes");
        let state = serde_json::from_str(&state).expect("reads");
        let moments = first.moments().expect("tensors");
        let mut second =
            SsnTrainer::resume(&config, first.ssn().clone(), data(&config), &moments, state, None)
                .expect("its own state");
        train(&mut second, u64::MAX);
        assert_eq!(second.ssn().weights(), whole.ssn().weights(), "stopped at {stop}");
        assert_eq!(second.state().bad_evaluations, whole.state().bad_evaluations);
    }
}

#[test]
fn resuming_with_other_trees_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = config(folder.path(), &[]);
    let mut trainer = SsnTrainer::new(&config, data(&config)).expect("trees");
    train(&mut trainer, 2);
    let (state, moments) = (trainer.state().clone(), trainer.moments().expect("tensors"));
    let mut other = data(&config);
    other.train.pop();
    let resumed = SsnTrainer::resume(&config, trainer.ssn().clone(), other, &moments, state, None);
    assert!(matches!(resumed, Err(TrainingError::Resume(_))));
}

#[test]
fn patience_ends_a_training_and_the_schedule_cuts_its_rate() {
    let folder = tempfile::tempdir().expect("a folder");
    // A rate of nothing: no evaluation is better than the first.
    let set = ["training.learning_rate=0", "training.patience=2", "ssn.parsed=0"];
    let mut config = config(folder.path(), &set);
    config.data.test = config.data.dev.clone();
    let mut trainer = SsnTrainer::new(&config, data(&config)).expect("trees");
    let (events, ending) = train(&mut trainer, u64::MAX);
    assert_eq!(ending, Some(Ending::Patience(2)));
    let cut = |event: &&EventKind| matches!(event, EventKind::Message { text, .. } if text.contains("learning rate cut"));
    assert_eq!(events.iter().filter(cut).count(), 2);
    // The test set is parsed at the end, once, whole.
    let tested = events.iter().filter_map(|event| match event {
        EventKind::Evaluation { split, metrics, .. } if split == "test" => metrics.get("parsed"),
        _ => None,
    });
    assert_eq!(tested.collect::<Vec<_>>(), [12.0]);
    assert!(trainer.state().best.as_ref().is_some_and(|best| best.test.is_some()));
    assert!(matches!(trainer.advance(&mut Silent), Ok(Progress::Finished(_))));
}

#[test]
fn text_without_trees_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = folder.path().join("dev.txt");
    std::fs::write(&text, "no trees here\n").expect("writes");
    let mut config = config(folder.path(), &[]);
    config.data.dev.0 = vec![text.display().to_string()];
    let splits = Splits::load(&config).expect("the files are there");
    let rules = Preprocessing::resolve(&config.data).expect("known");
    let error = SsnData::new(&splits, &rules).expect_err("no trees").to_string();
    assert!(error.contains("has no trees"), "{error}");
}

#[test]
fn what_cannot_tell_the_best_weights_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let settings = config(folder.path(), &["training.select=s_f1", "ssn.parsed=0"]);
    let error = SsnTrainer::new(&settings, data(&settings)).err().expect("no figure");
    assert!(matches!(error, TrainingError::NoneParsed), "{error}");
    let settings = config(folder.path(), &[]);
    let mut odd = data(&settings);
    let dev = folder.path().join("dev.mrg");
    std::fs::write(&dev, "( (Q (Z zap) (Z zip)))\n").expect("writes");
    let mut others = settings.clone();
    others.data.dev.0 = vec![dev.display().to_string()];
    odd.dev = data(&others).dev;
    let error = SsnTrainer::new(&settings, odd).err().expect("no figure");
    assert!(matches!(error, TrainingError::NoDerivation), "{error}");
}
