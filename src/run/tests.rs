//! Jobs in their folders, with a model whose steps and faults are to order.

mod faults;

use super::task::{Setup, Task, stored};
use super::*;
use crate::checkpoint::Checkpoint;
use crate::config::{Config, Every, Kind};
use crate::report::{Event, EventKind, Level, RunState};
use crate::training::toy::{Fault, Toy, corpus};
use crate::training::{Dataset, Trainer};
use crate::treebank::{Preprocessing, Vocabulary};
use candle_core::DType;
use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(60);

fn config() -> Config {
    let mut config = Config { seed: 3, threads: 1, ..Config::default() };
    config.training.batch_size = 3;
    config.training.epochs = 2;
    config.training.learning_rate = 0.1;
    config.evaluation.every = Every::Steps(5);
    config
}

fn folder(base: &Path) -> RunFolder {
    RunFolder::create(base, &config()).expect("creates")
}

fn vocabulary() -> Vocabulary {
    let words = (0..12).map(|w| format!("w{w}").into()).collect();
    Vocabulary::from_words(words, 1).expect("distinct words")
}

fn data() -> Dataset {
    let (train, dev, test) = (corpus(23, 1, true), corpus(9, 2, true), corpus(5, 3, true));
    Dataset::new(&train, &dev, Some(&test), &vocabulary())
}

#[derive(Default)]
struct Order {
    fault: Option<(u64, Fault)>,
    gate: Option<Receiver<()>>,
}

fn train(folder: &RunFolder, order: Order) -> Result<Job, RunError> {
    Job::start(folder.clone(), move |folder| {
        let config = folder.config()?;
        Ok(Task {
            kind: Kind::Train,
            threads: 1,
            step: 0,
            elapsed: 0.0,
            resumed: false,
            build: Box::new(move |_| {
                let mut toy = Toy::new(12, DType::F32);
                (toy.fault, toy.gate) = (order.fault, order.gate);
                Ok(Box::new(Setup {
                    trainer: Trainer::new(&config, Box::new(toy), data())?,
                    vocabulary: Arc::new(vocabulary()),
                    preprocessing: Preprocessing::default(),
                }))
            }),
        })
    })
}

fn resume(folder: &RunFolder, order: Order) -> Result<Job, RunError> {
    Job::start(folder.clone(), move |folder| {
        let (config, checkpoint, state) = stored(folder)?;
        Ok(Task {
            kind: Kind::Train,
            threads: 1,
            step: state.step,
            elapsed: checkpoint.elapsed,
            resumed: true,
            build: Box::new(move |_| {
                let mut toy = Toy::restore(&checkpoint.weights);
                (toy.fault, toy.gate) = (order.fault, order.gate);
                let moments = &checkpoint.optimizer;
                Ok(Box::new(Setup {
                    trainer: Trainer::resume(&config, Box::new(toy), data(), moments, state)?,
                    vocabulary: checkpoint.vocabulary,
                    preprocessing: checkpoint.preprocessing,
                }))
            }),
        })
    })
}

/// A job whose steps wait for words on the sender.
fn gated(folder: &RunFolder) -> (Job, Sender<()>) {
    let (words, gate) = unbounded();
    (train(folder, Order { gate: Some(gate), ..Order::default() }).expect("starts"), words)
}

/// Events until one fits, that one included.
fn wait(job: &Job, what: &str, fits: impl Fn(&EventKind) -> bool) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        match job.events().recv_timeout(PATIENCE) {
            Ok(event) => {
                let found = fits(&event.kind);
                events.push(event);
                if found {
                    return events;
                }
            }
            Err(e) => panic!("no {what}: {e} after {events:#?}"),
        }
    }
}

fn is_step(wanted: u64) -> impl Fn(&EventKind) -> bool {
    move |kind| matches!(kind, EventKind::Step { step, .. } if *step == wanted)
}

fn is_state(wanted: RunState) -> impl Fn(&EventKind) -> bool {
    move |kind| matches!(kind, EventKind::State { state, .. } if *state == wanted)
}

/// Lets so many steps through and waits until they are done.
fn pass(job: &Job, words: &Sender<()>, steps: std::ops::RangeInclusive<u64>) {
    for _ in steps.clone() {
        words.send(()).expect("the job listens");
    }
    wait(job, "last step", is_step(*steps.end()));
}

/// What a curve shows, bit for bit, without what depends on the clock.
fn curve(folder: &RunFolder) -> Vec<String> {
    let timeline = Timeline::of(&folder.events().expect("reads"));
    let steps = timeline.steps().iter().map(|s| {
        let (loss, norm) = (s.loss.to_bits(), s.gradient_norm.to_bits());
        format!("{} {} {loss:x} {norm:x} {}", s.step, s.epoch, s.learning_rate)
    });
    let evaluations = timeline.evaluations().iter();
    steps.chain(evaluations.map(|e| format!("{} {} {:?}", e.step, e.split, e.metrics))).collect()
}

/// The curve of a run that nobody disturbs.
fn whole_curve(base: &Path) -> Vec<String> {
    let folder = folder(base);
    let outcome = train(&folder, Order::default()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    curve(&folder)
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("creates");
    for entry in std::fs::read_dir(from).expect("reads").flatten() {
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            std::fs::copy(entry.path(), to).expect("copies");
        }
    }
}

#[test]
fn folder_channel_and_follower_tell_the_same_and_all_files_are_there() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let following = Follower::new(&folder).spawn();
    let job = train(&folder, Order::default()).expect("starts");
    let by_channel: Vec<Event> = job.events().iter().collect();
    let outcome = job.join();
    assert_eq!(outcome.state, RunState::Finished);
    let by_folder = folder.events().expect("reads");
    assert_eq!(by_folder, by_channel);
    let by_follower: Vec<Event> = by_channel
        .iter()
        .map(|_| following.events().recv_timeout(PATIENCE).expect("the same number"))
        .collect();
    assert_eq!(by_follower, by_channel);

    let timeline = Timeline::of(&by_folder);
    assert_eq!(timeline.state(), Some(RunState::Finished));
    assert_eq!(timeline.step(), timeline.total_steps());
    assert!(timeline.baselines("dev").is_some_and(|m| m.get("right_s_f1").is_some()));
    let summary = &list_runs(base.path())[0];
    assert_eq!((summary.state(), summary.live), (Some(RunState::Finished), false));
    let status = summary.status.as_ref().expect("a status");
    assert_eq!(status.step, timeline.step());
    let best = status.best.as_ref().expect("a best evaluation");
    assert_eq!(timeline.checkpoint("best"), Some(best.step));
    assert_eq!(outcome.best.map(|b| b.dev), Some(best.dev.clone()));

    let checkpoint = Checkpoint::load(&folder.best()).expect("loads");
    assert_eq!(checkpoint.step, best.step);
    assert!(checkpoint.optimizer.is_empty() && checkpoint.training.is_none());
    assert_eq!(*checkpoint.vocabulary, vocabulary());
    let trees = folder.evaluations_with_trees();
    let steps: Vec<_> = trees.iter().map(|(step, _)| *step).collect();
    let expected: Vec<_> = timeline.split("dev").map(|e| e.step).collect();
    assert_eq!(steps, expected);
    let trees = EvaluatedTrees::read(&trees[0].1).expect("reads");
    let sentences = folder.dev_sentences().expect("reads");
    assert_eq!(trees.trees.len(), sentences.len());
    let tree = trees.trees[0].as_ref().expect("a tree");
    assert_eq!(tree.spans.len(), sentences[0].words.len() - 1);
    for (i, kept) in sentences.iter().enumerate() {
        let sentence = kept.clone().into_sentence(i, &checkpoint.preprocessing);
        assert_eq!(kept.normalised.as_ref(), Some(&sentence.words));
        assert_eq!(sentence.surface, kept.words);
    }
    assert_eq!(trees.pinned.len(), 8);
    assert_eq!(trees.pinned[0].length, sentences[0].words.len());
}

#[test]
fn a_run_stopped_after_any_step_and_resumed_has_the_same_curve() {
    let base = tempfile::tempdir().expect("temporary folder");
    let whole = whole_curve(base.path());
    let steps = whole.iter().filter(|line| !line.contains("Metrics")).count() as u64;
    assert!(steps > 8);
    for stop_at in 1..steps {
        let folder = folder(base.path());
        let (job, words) = gated(&folder);
        pass(&job, &words, 1..=stop_at);
        assert!(job.send(Command::Stop));
        // The step that is under way, if there is one, is finished first.
        drop(words);
        let outcome = job.join();
        assert_eq!(outcome.state, RunState::Stopped, "{outcome:?}");
        assert!(outcome.step - stop_at <= 1);
        let outcome = resume(&folder, Order::default()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
        assert_eq!(curve(&folder), whole, "stopped after step {stop_at}");
    }
}

#[test]
fn a_run_killed_in_the_middle_goes_on_from_last_and_supersedes_what_it_had_said() {
    let base = tempfile::tempdir().expect("temporary folder");
    let whole = whole_curve(base.path());
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=8);
    // A kill leaves the folder as it is now: `last` of the evaluation at step 5, events to step 8.
    let killed = base.path().join("killed");
    copy(folder.path(), &killed);
    drop(words);
    job.join();
    let killed = RunFolder::open(&killed).expect("opens");
    assert_eq!(Checkpoint::load(&killed.last()).expect("loads").step, 5);
    assert_eq!(Timeline::of(&killed.events().expect("reads")).step(), 8);
    // As if step 7 had been evaluated before the kill.
    let (_, at_5) = killed.evaluations_with_trees().pop().expect("trees of step 5");
    std::fs::copy(&at_5, killed.trees().join("dev-000000007.json.gz")).expect("copies");
    let job = resume(&killed, Order::default()).expect("nobody holds the copy");
    let events = wait(&job, "resumption", |k| matches!(k, EventKind::State { resumed: true, .. }));
    assert!(matches!(
        &events.last().expect("one").kind,
        EventKind::State { step: 5, reason: Some(reason), .. } if reason == "resumed from step 5"
    ));
    assert_eq!(job.join().state, RunState::Finished);
    assert_eq!(curve(&killed), whole);
    let steps: Vec<_> = killed.evaluations_with_trees().iter().map(|(step, _)| *step).collect();
    let timeline = Timeline::of(&killed.events().expect("reads"));
    assert_eq!(steps, timeline.split("dev").map(|e| e.step).collect::<Vec<_>>());
}

#[test]
fn two_jobs_never_share_a_folder() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=1);
    assert!(matches!(resume(&folder, Order::default()), Err(RunError::Locked { .. })));
    assert!(list_runs(base.path())[0].live);
    drop(words);
    job.join();
    assert!(resume(&folder, Order::default()).is_ok_and(|j| j.join().state == RunState::Finished));
}

#[test]
fn a_paused_job_stands_still_but_answers() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=2);
    job.send(Command::Pause);
    words.send(()).expect("the job listens");
    words.send(()).expect("the job listens");
    wait(&job, "pause", is_state(RunState::Paused));
    let (to, snapshots) = bounded(1);
    job.send(Command::Snapshot(to));
    job.send(Command::LearningRate(0.25));
    job.send(Command::LearningRate(f64::NAN));
    job.send(Command::Checkpoint);
    let snapshot = snapshots.recv_timeout(PATIENCE).expect("a snapshot");
    assert!(snapshot.step() <= 3);
    let since = wait(&job, "checkpoint", |k| matches!(k, EventKind::Checkpoint { .. }));
    assert!(!since.iter().any(|e| matches!(e.kind, EventKind::Step { .. })), "{since:?}");
    assert!(
        since.iter().any(
            |e| matches!(&e.kind, EventKind::Message { text, .. } if text.contains("refused"))
        )
    );
    let status = Status::read(&folder).expect("reads").expect("there");
    assert_eq!((status.state, status.is_live(&folder)), (RunState::Paused, true));
    job.send(Command::Resume);
    let resumed = wait(&job, "next step", is_step(snapshot.step() + 1));
    assert!(matches!(
        resumed.last().map(|e| &e.kind),
        Some(EventKind::Step { learning_rate: 0.25, .. })
    ));
    drop(words);
    assert_eq!(job.join().state, RunState::Finished);
}

#[test]
fn another_process_can_pause_resume_and_stop_through_the_folder() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut config = config();
    config.training.epochs = 10_000_000;
    config.evaluation.every = Every::Steps(1_000_000_000);
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    assert!(matches!(send_control(&folder, &Command::Stop), Err(RunError::NotRunning(_))));
    // What was said to an earlier session does not count.
    std::fs::write(folder.control_path(), "{\"schema\":1,\"time\":0,\"command\":\"stop\"}\n")
        .expect("writes");
    let job = train(&folder, Order::default()).expect("starts");
    wait(&job, "first step", is_step(1));
    send_control(&folder, &Command::Pause).expect("written");
    wait(&job, "pause", is_state(RunState::Paused));
    let file = std::fs::OpenOptions::new().append(true).open(folder.control_path());
    file.expect("opens").write_all(b"dance\n").expect("writes");
    send_control(&folder, &Command::LearningRate(0.5)).expect("written");
    send_control(&folder, &Command::Resume).expect("written");
    wait(&job, "resumption", is_state(RunState::Running));
    send_control(&folder, &Command::Stop).expect("written");
    assert_eq!(job.join().state, RunState::Stopped);
    let notes = Timeline::of(&folder.events().expect("reads"));
    let notes: Vec<_> = notes.notes().iter().map(|n| n.text.clone()).collect();
    assert!(notes.iter().any(|n| n.contains("dance")), "{notes:?}");
    assert!(notes.iter().any(|n| n == "learning rate set to 5e-1"), "{notes:?}");
}

#[test]
fn a_panic_is_a_failed_run_whose_last_weights_are_of_use() {
    let base = tempfile::tempdir().expect("temporary folder");
    let whole = whole_curve(base.path());
    for fault in [(7, Fault::Panic), (5, Fault::PanicInEvaluation)] {
        let folder = folder(base.path());
        let job = train(&folder, Order { fault: Some(fault), ..Order::default() });
        let outcome = job.expect("starts").join();
        assert_eq!(outcome.state, RunState::Failed);
        assert!(outcome.reason.is_some_and(|r| r.contains("panic") && r.contains("toy breaks")));
        let status = Status::read(&folder).expect("reads").expect("there");
        assert_eq!(status.state, RunState::Failed);
        let outcome = resume(&folder, Order::default()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished);
        assert_eq!(curve(&folder), whole);
    }
}

#[test]
fn a_loss_that_is_no_number_fails_the_run_and_last_is_left_as_it_was() {
    let base = tempfile::tempdir().expect("temporary folder");
    let whole = whole_curve(base.path());
    // Weights that give no loss are the work of an earlier step; `last` was written at step 5. A
    // gradient that is no number was not applied to good ones.
    let faults = [
        (Fault::Nan, "NaN at step 7", 5),
        (Fault::NoProbability, "diverged at step 7", 5),
        (Fault::InfiniteGradient, "inf at step 7", 6),
    ];
    for (fault, reason, kept) in faults {
        let folder = folder(base.path());
        let order = Order { fault: Some((7, fault)), ..Order::default() };
        let outcome = train(&folder, order).expect("starts").join();
        assert_eq!((outcome.state, outcome.step), (RunState::Failed, 6));
        let timeline = Timeline::of(&folder.events().expect("reads"));
        let told = timeline.reason().unwrap_or_default();
        assert!(told.contains(reason), "{told}");
        if reason.contains("NaN") {
            assert!(timeline.steps().last().is_some_and(|s| s.loss.is_nan()), "marked in charts");
        }
        assert_eq!(Checkpoint::load(&folder.last()).expect("loads").step, kept, "{told}");
        let warned = timeline.notes().iter().any(|n| n.text.contains("stays as it was"));
        assert_eq!(warned, kept == 5, "{told}");
        let outcome = resume(&folder, Order::default()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished);
        assert_eq!(curve(&folder), whole);
    }
}

#[test]
fn a_learning_rate_that_would_ruin_the_weights_is_refused() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=1);
    job.send(Command::LearningRate(1e99));
    job.send(Command::LearningRate(0.2));
    drop(words);
    let outcome = job.join();
    assert_eq!(outcome.state, RunState::Finished);
    let timeline = Timeline::of(&folder.events().expect("reads"));
    let refused = "learning rate 1e99 refused: that is more than 1000 times the run's own, 1e-1";
    let told = timeline.notes().iter().filter(|n| n.text == refused);
    assert_eq!(told.count(), 1, "{:?}", timeline.notes());
    let rates: Vec<_> = timeline.steps().iter().map(|s| s.learning_rate).collect();
    assert!(rates.iter().all(|r| *r <= 0.2) && rates.contains(&0.2), "{rates:?}");
}

#[test]
fn what_cannot_be_built_is_a_failed_run_with_its_reason() {
    let base = tempfile::tempdir().expect("temporary folder");
    let config = small_pcfg(Path::new("/nowhere/at/all.mrg"));
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    let outcome = Job::train(config, folder.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Failed);
    assert!(outcome.reason.is_some_and(|r| r.contains("/nowhere/at/all.mrg")));
    // Nothing was reached: to resume is to start again, here with the fault mended.
    let corpus = base.path().join("corpus.mrg");
    let trees = "(S (NP (DT the) (NN dog)) (VBZ barks))\n".repeat(20);
    std::fs::write(&corpus, trees).expect("writes");
    let mended = std::fs::read_to_string(folder.config_path()).expect("reads");
    let mended = mended.replace("/nowhere/at/all.mrg", &corpus.display().to_string());
    std::fs::write(folder.config_path(), mended).expect("writes");
    let outcome = Job::resume(folder.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
    std::fs::remove_file(folder.last()).expect("removes");
    assert!(matches!(Job::resume(folder), Err(RunError::NothingToResume(_))), "best is kept");
}

#[test]
fn a_learning_rate_changed_in_the_config_holds_after_a_resumption() {
    let base = tempfile::tempdir().expect("temporary folder");
    let corpus = base.path().join("corpus.mrg");
    let trees = "(S (NP (DT the) (NN dog)) (VBZ barks))\n".repeat(20);
    std::fs::write(&corpus, trees).expect("writes");
    let mut config = small_pcfg(&corpus);
    config.training.max_steps = 3;
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    Job::train(config.clone(), folder.clone()).expect("starts").join();
    config.training.max_steps = 5;
    config.training.learning_rate = 0.5;
    std::fs::write(folder.config_path(), config.to_toml()).expect("writes");
    let outcome = Job::resume(folder.clone()).expect("starts").join();
    assert_eq!((outcome.state, outcome.step), (RunState::Finished, 5));
    let timeline = Timeline::of(&folder.events().expect("reads"));
    let rates: Vec<_> = timeline.steps().iter().map(|s| s.learning_rate).collect();
    assert_eq!(rates, [0.1, 0.1, 0.1, 0.5, 0.5]);
}

/// The real model, as small as can be.
fn small_pcfg(corpus: &Path) -> Config {
    let mut config = config();
    config.data.train.0 = vec![corpus.display().to_string()];
    let m = &mut config.model;
    (m.nonterminals, m.preterminals, m.rank, m.embedding) = (2, 3, 2, 4);
    config
}

#[test]
fn a_folder_that_vanishes_fails_the_run_with_a_sentence() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=2);
    // The helper may write its status in between; a second look gets it.
    let deadline = Instant::now() + PATIENCE;
    while std::fs::remove_dir_all(folder.path()).is_err() {
        assert!(Instant::now() < deadline);
    }
    drop(words);
    let outcome = job.join();
    assert_eq!(outcome.state, RunState::Failed);
    assert!(outcome.reason.is_some_and(|r| r.contains("is gone")));
}

#[test]
fn a_run_that_is_stopped_after_its_folder_was_moved_says_so() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=1);
    std::fs::rename(folder.path(), base.path().join("moved")).expect("moves");
    job.send(Command::Stop);
    drop(words);
    let outcome = job.join();
    assert_eq!(outcome.state, RunState::Failed);
    assert!(outcome.reason.is_some_and(|r| r.contains("is gone: it was moved or deleted")));
}

#[test]
fn a_lasting_fault_of_writing_is_said_once_and_each_loss_of_best() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    let (job, words) = gated(&folder);
    pass(&job, &words, 1..=1);
    // No checkpoint can be written where a file stands instead of the folder.
    std::fs::remove_dir_all(folder.checkpoints()).expect("removes");
    std::fs::write(folder.checkpoints(), "in the way").expect("writes");
    drop(words);
    let outcome = job.join();
    let timeline = Timeline::of(&folder.events().expect("reads"));
    assert_eq!(outcome.step, timeline.total_steps(), "training went on");
    // The end is a failure all the same, for the last weights are not on disk.
    assert_eq!(outcome.state, RunState::Failed);
    assert!(outcome.reason.is_some_and(|r| r.contains("last.safetensors")));
    let told = |name: &str| {
        let errors = timeline.notes().iter().filter(|n| n.level == Level::Error);
        errors.filter(|n| n.text.contains(name)).count()
    };
    let mut best = f64::NEG_INFINITY;
    let better = timeline.split("dev").filter(|e| e.step > 0).filter(|e| {
        let figure = e.metrics.get("log_likelihood").expect("evaluated");
        let is_better = figure > best;
        best = best.max(figure);
        is_better
    });
    let better = better.count();
    assert!(better > 1, "the toy learns");
    assert_eq!((told("last."), told("best.")), (1, better), "{:?}", timeline.notes());
}

#[test]
fn a_dead_process_shows_as_stopped() {
    let base = tempfile::tempdir().expect("temporary folder");
    let folder = folder(base.path());
    assert_eq!(list_runs(base.path())[0].state(), None, "never started");
    let mut status = Status::start("train");
    status.pid = u32::MAX;
    status.write(&folder).expect("writes");
    let summary = &list_runs(base.path())[0];
    assert_eq!((summary.state(), summary.was_interrupted()), (Some(RunState::Stopped), true));
    std::fs::write(folder.status_path(), "{\"schema\": 99}").expect("writes");
    let summary = &list_runs(base.path())[0];
    assert!(summary.problem.as_ref().is_some_and(|p| p.contains("newer rankspace")));
}
