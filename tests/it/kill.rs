//! Runs that are ended from outside, in good order or not, and what resuming makes of them.
#![cfg(unix)]

use crate::call::rankspace;
use crate::trained::{tiny_training, write_corpus};
use rankspace::run::{RunFolder, Timeline};
use std::path::Path;

/// Settings under which the end comes between two checkpoints, and long before the run's own.
const OFTEN: &str = "--set evaluation.every=8 --set run.checkpoint_every=3 \
                     --set training.epochs=10 --set training.patience=0";

/// What must not depend on where a run was ended: all but times.
fn curve(run: &Path) -> Vec<String> {
    let events = RunFolder::open(run).and_then(|folder| folder.events()).expect("a run");
    let timeline = Timeline::of(&events);
    let bits = |x: f64| format!("{:016x}", x.to_bits());
    let mut curve: Vec<String> = timeline
        .steps()
        .iter()
        .map(|s| {
            let figures = [s.loss, s.gradient_norm, s.learning_rate].map(bits).join(" ");
            format!("step {} {} {} {figures}", s.step, s.epoch, s.tokens)
        })
        .collect();
    for evaluation in timeline.evaluations() {
        let figures: Vec<_> =
            evaluation.metrics.0.iter().map(|(name, x)| format!("{name} {}", bits(*x))).collect();
        curve.push(format!("{} {} {}", evaluation.split, evaluation.step, figures.join(" ")));
    }
    curve
}

#[test]
fn a_run_killed_in_the_middle_and_resumed_gives_the_same_curve_bit_for_bit() {
    let base = tempfile::tempdir().expect("a temporary folder");
    let base = base.path();
    write_corpus(base);
    let training = |out: &str| tiny_training(base).args(OFTEN).args("--out").arg(out);
    training("whole").succeeds();
    let mut killed = training("killed").starts();
    killed.says("  step 16  dev  ");
    killed.signal(libc::SIGKILL);
    let _ = killed.ends();
    let watch = rankspace("watch killed").within(base).fails();
    watch.complains("is gone").complains("rankspace resume killed");
    rankspace("resume killed").within(base).succeeds().prints("resumed from step ");
    let whole = curve(&base.join("whole"));
    assert!(whole.iter().any(|line| line.starts_with("dev 24 ")), "{whole:#?}");
    assert_eq!(curve(&base.join("killed")), whole);
}

#[test]
fn a_signal_to_end_stops_in_good_order_and_resuming_goes_on() {
    for signal in [libc::SIGTERM, libc::SIGINT] {
        let base = tempfile::tempdir().expect("a temporary folder");
        let base = base.path();
        write_corpus(base);
        let training = |out: &str| tiny_training(base).args(OFTEN).args("--out").arg(out);
        training("whole").succeeds();
        let mut stopped = training("stopped").starts();
        stopped.says("  step 8  dev  ");
        stopped.signal(signal);
        let (code, told) = stopped.ends();
        assert_eq!(code, Some(1), "it is not done: {told}");
        assert!(base.join("stopped/checkpoints/last.safetensors").is_file());
        let watch = rankspace("watch stopped").within(base).succeeds();
        watch.prints("stopped at step ");
        let resumed = rankspace("resume stopped --json").within(base).succeeds();
        assert_eq!(resumed.json()["state"], "finished");
        assert_eq!(curve(&base.join("stopped")), curve(&base.join("whole")));
    }
}

#[test]
fn training_whose_reader_goes_away_stops_in_good_order() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let call = tiny_training(base.path()).args(OFTEN).args("--set training.epochs=500 --out run");
    let mut training = call.starts();
    training.says("  dev  ");
    let (code, told) = training.stop_reading();
    assert_eq!(code, Some(1), "it is not done");
    let end = "; go on with: rankspace resume run\n";
    assert!(told.starts_with("note: standard output was closed") && told.ends_with(end), "{told}");
    rankspace("watch run").within(base.path()).succeeds().prints("stopped at step ");
}

#[test]
fn a_run_in_use_is_not_resumed_by_another_process() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let call = tiny_training(base.path()).args(OFTEN).args("--set training.epochs=500 --out run");
    let mut training = call.starts();
    training.says("  step 8  dev  ");
    rankspace("resume run").within(base.path()).fails().complains("in use by process");
    training.signal(libc::SIGTERM);
    assert_eq!(training.ends().0, Some(1));
}
