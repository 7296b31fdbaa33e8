use super::*;
use crate::config::Every;
use crate::config::{Evaluation, Optimizer, Schedule};
use crate::training::toy::{Fault, Toy, corpus};
use crate::treebank::Vocabulary;
use candle_core::DType;

fn vocabulary() -> Vocabulary {
    let words = (0..12).map(|w| format!("w{w}").into()).collect();
    Vocabulary::from_words(words, 1).expect("distinct words")
}

fn data() -> Dataset {
    let (train, dev, test) = (corpus(23, 1, true), corpus(9, 2, true), corpus(5, 3, true));
    Dataset::new(&train, &dev, Some(&test), &vocabulary())
}

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config { seed: 5, ..Config::default() };
    config.training.batch_size = 3;
    config.training.epochs = 3;
    config.training.learning_rate = 0.1;
    config.training.patience = 0;
    change(&mut config);
    config
}

fn start(config: &Config) -> Trainer {
    Trainer::new(config, Box::new(Toy::new(12, DType::F32)), data()).expect("starts")
}

/// Advances until the end or until `stop` says so after a piece of work.
fn drive(
    trainer: &mut Trainer,
    mut stop: impl FnMut(&Trainer, &Progress<Evaluated>) -> bool,
) -> Vec<EventKind> {
    let mut events = Vec::new();
    loop {
        let progress = trainer.advance(&mut events).expect("no fault");
        if stop(trainer, &progress) || matches!(progress, Progress::Finished(_)) {
            return events;
        }
    }
}

/// Events as text without what depends on the clock.
fn curve(events: &[EventKind]) -> Vec<String> {
    events
        .iter()
        .map(|event| {
            let mut event = event.clone();
            if let EventKind::Step { seconds, .. } = &mut event {
                *seconds = Metrics::default();
            }
            format!("{event:?}")
        })
        .collect()
}

/// The trainer after a way through its checkpoint's JSON and tensors.
fn through_checkpoint(config: &Config, trainer: &Trainer) -> Trainer {
    let state = serde_json::to_string(trainer.state()).expect("writes");
    let state = serde_json::from_str(&state).expect("reads");
    let weights = trainer.model().parameters().iter();
    let weights =
        weights.map(|(n, p)| (n.clone(), p.as_tensor().copy().expect("copies"))).collect();
    let moments = trainer.moments().expect("moments");
    Trainer::resume(config, Box::new(Toy::restore(&weights)), data(), &moments, state)
        .expect("resumes")
}

#[test]
fn a_run_resumed_at_any_piece_of_work_gives_the_same_curve_bit_for_bit() {
    let config = config(|c| {
        c.training.curriculum = 2;
        c.training.schedule = Some(Schedule { plateau: 1, factor: 0.5 });
        c.training.optimizer = Optimizer::Adamw;
        c.training.weight_decay = 0.1;
        c.evaluation.every = Every::Steps(4);
    });
    let whole = curve(&drive(&mut start(&config), |_, _| false));
    let mut pieces = 0;
    drive(&mut start(&config), |_, _| {
        pieces += 1;
        false
    });
    assert!(pieces > 30, "{pieces} pieces of work");
    for stop_after in 1..pieces {
        let mut first = start(&config);
        let mut done = 0;
        let mut events = curve(&drive(&mut first, |_, _| {
            done += 1;
            done == stop_after
        }));
        let mut second = through_checkpoint(&config, &first);
        events.extend(curve(&drive(&mut second, |_, _| false)));
        assert_eq!(events, whole, "stopped after piece {stop_after}");
    }
}

#[test]
fn training_improves_the_development_figure_and_ends_after_its_epochs() {
    let config = config(|c| c.training.epochs = 8);
    let mut trainer = start(&config);
    let mut figures = Vec::new();
    let mut ending = None;
    drive(&mut trainer, |_, progress| {
        match progress {
            Progress::Evaluated(e) => figures.extend(e.dev.get("log_likelihood")),
            Progress::Finished(e) => ending = Some(*e),
            _ => {}
        }
        false
    });
    assert_eq!(ending, Some(Ending::Epochs(8)));
    assert_eq!(figures.len(), 9, "before the first step and after every epoch");
    assert!(figures[8] > figures[0] + 0.5, "{figures:?}");
    assert_eq!(trainer.state().step, trainer.total_steps());
}

#[test]
fn the_untrained_model_is_evaluated_but_never_the_best() {
    let config = config(|c| c.training.learning_rate = 0.0);
    let mut best = Vec::new();
    drive(&mut start(&config), |_, progress| {
        if let Progress::Evaluated(e) = progress {
            best.push((e.step, e.best));
        }
        false
    });
    assert_eq!((best[0], best[1].1, best[2].1), ((0, false), true, false));
}

#[test]
fn test_figures_are_those_of_the_best_development_figure() {
    let config = config(|c| c.training.epochs = 2);
    let mut trainer = start(&config);
    let events = drive(&mut trainer, |_, _| false);
    let of = |wanted: &str| -> Vec<(u64, Metrics)> {
        let matching = events.iter().filter_map(|e| match e {
            EventKind::Evaluation { step, split, metrics, .. } if split == wanted => {
                Some((*step, metrics.clone()))
            }
            _ => None,
        });
        matching.collect()
    };
    let best = trainer.state().best.clone().expect("a best evaluation");
    let (step, metrics) = of("test").last().cloned().expect("test figures");
    assert_eq!((step, Some(metrics)), (best.step, best.test));
    assert_eq!(of("train").len(), 2);
}

#[test]
fn patience_ends_the_run() {
    // A rate of 0 never improves anything after the first evaluation.
    let config = config(|c| {
        c.training.learning_rate = 0.0;
        c.training.epochs = 50;
        c.training.patience = 3;
    });
    let mut trainer = start(&config);
    let mut ending = None;
    drive(&mut trainer, |_, progress| {
        if let Progress::Finished(e) = progress {
            ending = Some(*e);
        }
        false
    });
    assert_eq!(ending, Some(Ending::Patience(3)));
    assert_eq!(trainer.state().epoch, 4);
}

#[test]
fn the_schedule_halves_the_rate_after_the_given_number_of_bad_evaluations() {
    let config = config(|c| {
        // So high a rate that the figures get worse.
        c.training.learning_rate = 30.0;
        c.training.epochs = 6;
        c.training.schedule = Some(Schedule { plateau: 2, factor: 0.5 });
    });
    let mut trainer = start(&config);
    let (mut bad, mut expected) = (0, 30.0);
    drive(&mut trainer, |t, progress| {
        if let Progress::Evaluated(e) = progress
            && e.step > 0
        {
            bad = if e.best { 0 } else { bad + 1 };
            if bad == 2 {
                (bad, expected) = (0, expected * 0.5);
            }
            assert_eq!(t.state().learning_rate, expected);
        }
        false
    });
    assert!(expected < 30.0, "the rate was cut");
}

#[test]
fn a_limit_of_steps_holds_and_the_last_weights_are_evaluated() {
    let config = config(|c| c.training.max_steps = 4);
    let mut trainer = start(&config);
    let mut evaluated = Vec::new();
    drive(&mut trainer, |_, progress| {
        if let Progress::Evaluated(e) = progress {
            evaluated.push(e.step);
        }
        false
    });
    assert_eq!((trainer.state().step, trainer.total_steps()), (4, 4));
    assert_eq!(evaluated, [0, 4]);
}

#[test]
fn a_step_that_is_not_a_number_changes_nothing_and_is_reported() {
    for (fault, what) in [(Fault::Nan, "the loss is NaN"), (Fault::InfiniteGradient, "norm is inf")]
    {
        let config = config(|_| {});
        let mut toy = Toy::new(12, DType::F32);
        toy.fault = Some((3, fault));
        let mut trainer = Trainer::new(&config, Box::new(toy), data()).expect("starts");
        drive(&mut trainer, |t, _| t.state().step == 2);
        let weights = |t: &Trainer| t.model().parameters()["a"].to_vec1::<f32>().expect("values");
        let before = (weights(&trainer), trainer.state().clone());
        let mut events = Vec::new();
        let error = trainer.advance(&mut events).expect_err("diverges").to_string();
        assert!(error.contains(what) && error.contains("step 3"), "{error}");
        assert_eq!((weights(&trainer), trainer.state().clone()), before);
        assert!(matches!(events[0], EventKind::Step { step: 3, .. }), "{events:?}");
    }
}

#[test]
fn other_sentences_are_refused_at_a_resumption() {
    let config = config(|_| {});
    let mut trainer = start(&config);
    drive(&mut trainer, |t, _| t.state().step == 2);
    let mut other = data();
    other.train.pop();
    let moments = trainer.moments().expect("moments");
    let model = Box::new(Toy::new(12, DType::F32));
    let state = trainer.state().clone();
    let error = Trainer::resume(&config, model, other, &moments, state).err().expect("refused");
    assert!(error.to_string().contains("training sentences"), "{error}");
}

#[test]
fn development_sentences_without_gold_give_perplexity_only() {
    let config =
        config(|c| c.evaluation = Evaluation { every: Every::Steps(2), ..Evaluation::default() });
    let (train, dev) = (corpus(9, 1, false), corpus(4, 2, false));
    let data = Dataset::new(&train, &dev, None, &vocabulary());
    let mut trainer =
        Trainer::new(&config, Box::new(Toy::new(12, DType::F32)), data.clone()).expect("starts");
    let mut seen = None;
    let mut said = Vec::new();
    trainer.introduce(&mut said);
    drive(&mut trainer, |_, progress| {
        if let Progress::Evaluated(e) = progress {
            seen = Some(e.dev.clone());
        }
        false
    });
    let dev = seen.expect("evaluated");
    assert!(dev.get("perplexity").is_some() && dev.get("s_f1").is_none());
    assert!(said.is_empty(), "no baselines without gold: {said:?}");
    let by_f1 = Config {
        training: crate::config::Training { select: Select::SF1, ..config.training.clone() },
        ..config
    };
    let refused = Trainer::new(&by_f1, Box::new(Toy::new(12, DType::F32)), data);
    assert!(matches!(refused.err(), Some(TrainingError::NoGold)));
}

#[test]
fn too_short_sentences_are_left_out_and_said() {
    let mut data = data();
    data.train.push(vec![3]);
    let config = config(|_| {});
    let trainer = Trainer::new(&config, Box::new(Toy::new(12, DType::F32)), data).expect("starts");
    let mut said = Vec::new();
    trainer.introduce(&mut said);
    let messages = said.iter().filter(|e| matches!(e, EventKind::Message { .. })).count();
    assert_eq!(messages, 1, "{said:?}");
    let baselines = said.iter().filter(
        |e| matches!(e, EventKind::Evaluation { split, .. } if split.ends_with(".baselines")),
    );
    assert_eq!(baselines.count(), 2);
    let only_short = Dataset {
        train: vec![vec![3]],
        ..Dataset::new(&corpus(1, 1, true), &corpus(2, 2, true), None, &vocabulary())
    };
    let refused = Trainer::new(&config, Box::new(Toy::new(12, DType::F32)), only_short);
    assert!(matches!(refused.err(), Some(TrainingError::NoSentences { min_length: 2 })));
}
