//! `curves`: the series of run folders, without the workbench.

use crate::call::rankspace;
use rankspace::config::Config;
use rankspace::report::{Event, EventKind, SCHEMA};
use rankspace::run::RunFolder;
use std::path::Path;

/// A folder of a run with such losses, a second apart.
fn write_run(path: &Path, losses: &[f64]) {
    let folder = RunFolder::create_at(path, &Config::default()).expect("made");
    let events = losses.iter().enumerate().map(|(i, &loss)| Event {
        schema: SCHEMA,
        seq: i as u64,
        time: 1000.0 + i as f64,
        elapsed: 0.5 + i as f64,
        kind: EventKind::Step {
            step: i as u64 + 1,
            epoch: 1,
            loss,
            tokens: 20,
            sentences: Some(4),
            learning_rate: 0.01,
            gradient_norm: 1.0,
            seconds: [("total", 0.1)].into_iter().collect(),
            steps_per_epoch: 10,
            total_steps: 10,
        },
    });
    let lines = events.map(|event| serde_json::to_string(&event).expect("writes") + "\n");
    std::fs::write(folder.events_path(), lines.collect::<String>()).expect("writes");
}

#[test]
fn curves_of_runs_are_written_as_numbers_and_as_charts_and_never_over_a_file() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_run(&base.path().join("a"), &[4.0, f64::NAN, 2.0]);
    write_run(&base.path().join("b"), &[5.0]);
    let call = |rest: &str| rankspace("curves").args(rest).within(base.path());
    let text = call("a b").succeeds().stdout;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("run,step,elapsed,time,loss,loss_a_word,"), "{text}");
    assert_eq!(lines[1], "a,1,0.5,1000,4,0.8,0.01,1,200");
    assert!(lines[2].starts_with("a,2,1.5,1001,NaN,NaN,"), "{text}");
    assert!(lines.len() == 5 && lines[4].starts_with("b,1,"), "{text}");

    call("a b --out all.csv").succeeds().complains("the curves of 2 runs are in all.csv");
    assert_eq!(std::fs::read_to_string(base.path().join("all.csv")).expect("is there"), text);
    call("a --out all.csv").fails().complains("nothing is overwritten");
    call("a --out all.json").succeeds();
    let json = std::fs::read_to_string(base.path().join("all.json")).expect("is there");
    let value: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(value["runs"][0]["rows"][1]["loss"], "NaN");
    call("a b --along time --log-x --smoothing 0 --out all.svg").succeeds();
    let svg = std::fs::read_to_string(base.path().join("all.svg")).expect("is there");
    assert!(svg.contains("running time, log") && svg.contains("loss (nats/word)"), "{svg}");
    call("a b --along wall --out all.png").succeeds();
    assert_eq!(&std::fs::read(base.path().join("all.png")).expect("is there")[1..4], b"PNG");

    call("a --along wall --log-x").refused().complains("wall time has no logarithm");
    call("a --out all.pdf").refused().complains("csv, json, svg or png");
    call("a --smoothing 1").refused().complains("from 0 to below 1");
    call("no-such").fails().complains("no-such");
    std::fs::write(base.path().join("b/events.jsonl"), "").expect("writes");
    call("a b").fails().complains("b: no step and no evaluation was reported yet");
}
