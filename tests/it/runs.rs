//! Whole runs: files in, run folder out, stopped and resumed.

use rankspace::config::{Config, Family, Precision};
use rankspace::report::{EventKind, RunState};
use rankspace::run::{Command, Follower, Job, RunFolder, RunSummary, Timeline};
use rankspace::treebank::Batch;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(120);

/// A small made-up treebank with sentences of three to eight words.
fn write_treebank(path: &Path, sentences: usize) {
    let (nouns, verbs) = (["dog", "cat", "bird", "fish"], ["sees", "hears", "likes"]);
    let adjectives = ["old", "small", "red"];
    let phrase = |i: usize| match i % 3 {
        0 => format!("(NP (DT the) (NN {}))", nouns[i % 4]),
        1 => format!("(NP (DT a) (JJ {}) (NN {}))", adjectives[i % 3], nouns[(i + 1) % 4]),
        _ => format!("(NP (PRP they{}))", i % 5),
    };
    let tree = |i: usize| {
        format!("(S {} (VP (VBZ {}) {}))\n", phrase(i), verbs[i / 2 % 3], phrase(i * 7 + i / 3 + 1))
    };
    std::fs::write(path, (0..sentences).map(tree).collect::<String>()).expect("writes");
}

fn config(folder: &Path, precision: Precision) -> Config {
    let mut config = Config { seed: 11, threads: 2, precision, ..Config::default() };
    for (name, sentences, sources) in [
        ("train", 60, &mut config.data.train),
        ("dev", 15, &mut config.data.dev),
        ("test", 12, &mut config.data.test),
    ] {
        let path = folder.join(format!("{name}.mrg"));
        write_treebank(&path, sentences);
        sources.0 = vec![path.display().to_string()];
    }
    let m = &mut config.model;
    (m.nonterminals, m.preterminals, m.rank, m.embedding) = (4, 8, 6, 8);
    (m.latent, m.encoder, m.encoder_embedding) = (3, 5, 6);
    config.training.batch_size = 8;
    config.training.epochs = 2;
    config.training.learning_rate = 0.01;
    config
}

/// What a curve shows, bit for bit.
fn curve(folder: &RunFolder) -> Vec<String> {
    let timeline = Timeline::of(&folder.events().expect("reads"));
    let steps = timeline.steps().iter();
    let steps = steps.map(|s| format!("{} {:?} {:?}", s.step, s.loss, s.gradient_norm));
    let evaluations = timeline.evaluations().iter();
    steps.chain(evaluations.map(|e| format!("{} {} {:?}", e.step, e.split, e.metrics))).collect()
}

#[test]
fn a_stopped_and_resumed_run_has_the_curve_and_the_weights_of_an_undisturbed_one() {
    let (single, double) = (Precision::F32, Precision::F64);
    for (family, precision) in [
        (Family::RankPcfg, single),
        (Family::RankPcfg, double),
        (Family::TdPcfg, single),
        (Family::NPcfg, single),
        // Its steps draw random numbers.
        (Family::CPcfg, single),
        (Family::Lpcfg, double),
    ] {
        let base = tempfile::tempdir().expect("temporary folder");
        let mut config = config(base.path(), precision);
        config.model.family = family;
        let whole = RunFolder::create(base.path(), &config).expect("creates");
        let outcome = Job::train(config.clone(), whole.clone()).expect("starts").join();
        assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");
        let timeline = Timeline::of(&whole.events().expect("reads"));
        assert!(timeline.split("dev").all(|e| e.metrics.get("s_f1").is_some()));

        let halting = RunFolder::create(base.path(), &config).expect("creates");
        let mut job = Job::train(config, halting.clone()).expect("starts");
        let mut sessions = 1;
        // Stopped soon after every start until it is done.
        loop {
            let is_step = |kind: &EventKind| matches!(kind, EventKind::Step { .. });
            while job.events().recv_timeout(PATIENCE).is_ok_and(|e| !is_step(&e.kind)) {}
            job.send(Command::Stop);
            let outcome = job.join();
            match outcome.state {
                RunState::Finished => break,
                RunState::Stopped => job = Job::resume(halting.clone()).expect("resumes"),
                RunState::Failed | RunState::Running | RunState::Paused => panic!("{outcome:?}"),
            }
            sessions += 1;
        }
        assert!(sessions > 1, "it was never stopped");
        assert_eq!(curve(&halting), curve(&whole), "{sessions} sessions, {family:?}");
        let weights = |folder: &RunFolder, path: std::path::PathBuf| {
            let checkpoint = rankspace::checkpoint::Checkpoint::load(&path);
            let checkpoint = checkpoint.unwrap_or_else(|e| panic!("{}: {e}", folder.name()));
            checkpoint.weights.into_iter().map(|(n, t)| (n, t.to_string())).collect::<Vec<_>>()
        };
        assert_eq!(weights(&halting, halting.best()), weights(&whole, whole.best()));
        assert_eq!(weights(&halting, halting.last()), weights(&whole, whole.last()));
    }
}

#[test]
fn a_typed_sentence_is_parsed_with_the_weights_of_a_running_job() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut config = config(base.path(), Precision::F32);
    config.training.epochs = 100_000;
    config.training.patience = 0;
    let folder = RunFolder::create(base.path(), &config).expect("creates");
    let job = Job::train(config, folder.clone()).expect("starts");
    let (to, snapshots) = crossbeam_channel::bounded(1);
    assert!(job.send(Command::Snapshot(to)));
    let held = snapshots.recv_timeout(PATIENCE).expect("a snapshot");
    let snapshot = held.induced().expect("an induced grammar");
    let sentence = snapshot.preprocessing.text("The old dog sees a unicorn .", 0);
    let ids = sentence.words.iter().map(|w| snapshot.vocabulary.id(w)).collect::<Vec<_>>();
    let batch = Batch::new([&ids]).expect("not empty");
    let wanted = rankspace::model::Wanted { tree: true, labels: true };
    let parses = snapshot.parser.parse(&batch, wanted).expect("parses");
    assert!(parses[0].log_prob.is_finite());
    assert_eq!(parses[0].spans.len(), ids.len() - 1);
    job.send(Command::Stop);
    assert_eq!(job.join().state, RunState::Stopped);
    // The stopped run is of use to whoever comes later.
    let checkpoint = rankspace::checkpoint::Checkpoint::load(&folder.last()).expect("loads");
    checkpoint.parser().and_then(|p| Ok(p.parse(&batch, wanted)?)).expect("parses");
}

/// Starts the program on a config file or a run folder.
fn start(arguments: &[&str]) -> Child {
    std::process::Command::new(env!("CARGO_BIN_EXE_rankspace"))
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Waits until the run folder is there and tells of a step beyond `step`.
fn wait_for_step_after(path: &Path, step: u64) {
    let deadline = std::time::Instant::now() + PATIENCE;
    let folder = loop {
        if let Ok(folder) = RunFolder::open(path) {
            break folder;
        }
        assert!(std::time::Instant::now() < deadline, "no run folder at {}", path.display());
        std::thread::yield_now();
    };
    let following = Follower::new(&folder).spawn();
    loop {
        let event = following.events().recv_timeout(PATIENCE).expect("the run goes on");
        if matches!(event.kind, EventKind::Step { step: at, .. } if at > step) {
            return;
        }
    }
}

#[test]
fn a_process_ended_by_a_signal_or_killed_goes_on_to_the_same_curve() {
    let base = tempfile::tempdir().expect("temporary folder");
    let mut config = config(base.path(), Precision::F32);
    config.training.epochs = 15;
    config.training.patience = 0;
    let whole = RunFolder::create(base.path(), &config).expect("creates");
    let outcome = Job::train(config.clone(), whole.clone()).expect("starts").join();
    assert_eq!(outcome.state, RunState::Finished, "{outcome:?}");

    let config_path = base.path().join("config.toml");
    std::fs::write(&config_path, config.to_toml()).expect("writes");
    let path = base.path().join("disturbed");
    let (config_path, shown) = (config_path.to_string_lossy(), path.to_string_lossy());
    let mut child = start(&["train", &config_path, "--out", &shown]);
    let mut reached = 0;
    for signal in [libc::SIGTERM, libc::SIGHUP, libc::SIGKILL] {
        wait_for_step_after(&path, reached);
        // SAFETY: the process is a child that was not waited for, so the number is still its own.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        child.wait().expect("it ends");
        let folder = RunFolder::open(&path).expect("opens");
        let summary = RunSummary::read(&folder);
        assert_eq!(summary.state(), Some(RunState::Stopped), "signal {signal}");
        assert_eq!(summary.was_interrupted(), signal == libc::SIGKILL, "signal {signal}");
        reached = Timeline::of(&folder.events().expect("reads")).step();
        let last = rankspace::checkpoint::Checkpoint::load(&folder.last()).expect("loads");
        if signal == libc::SIGKILL {
            assert!(last.step <= reached);
        } else {
            assert_eq!(last.step, reached, "signal {signal}: nothing is lost");
        }
        child = start(&["resume", &shown]);
    }
    let ended = child.wait().expect("it ends");
    assert!(ended.success(), "{ended}");
    let folder = RunFolder::open(&path).expect("opens");
    let timeline = Timeline::of(&folder.events().expect("reads"));
    assert!(timeline.notes().iter().any(|n| n.text.contains("taken over")), "after the kill");
    assert_eq!(curve(&folder), curve(&whole));
}
