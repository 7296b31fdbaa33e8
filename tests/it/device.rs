//! Training on a device, held against the CPU: the kernels run compiled for the host.

use crate::call::rankspace;
use crate::shared::{emulated, shared};
use crate::trained::{tiny_training, write_corpus};
use rankspace::report::{Event, EventKind};
use std::path::Path;

fn events(run: &Path) -> Vec<Event> {
    let text = std::fs::read_to_string(run.join("events.jsonl")).expect("events");
    text.lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

/// Every loss, and every development perplexity.
fn curve(run: &Path) -> Vec<f64> {
    let figure = |event: Event| match event.kind {
        EventKind::Step { loss, .. } => Some(loss),
        EventKind::Evaluation { split, metrics, .. } if split == "dev" => metrics.get("perplexity"),
        _ => None,
    };
    events(run).into_iter().filter_map(figure).collect()
}

fn same(a: &[f64], b: &[f64]) {
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-7 * b.abs(), "{a} is not {b}");
    }
}

#[test]
fn a_run_on_a_device_has_the_curve_of_the_cpu_and_goes_on_there() {
    if !emulated() {
        return;
    }
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let train = |words: &str| {
        let call = tiny_training(base.path()).args("--set precision=f64").args(words);
        call.succeeds()
    };
    train("--out cpu --device cpu");
    train("--out device --device emulated").prints("computing on an emulated device");
    let (cpu, device) = (base.path().join("cpu"), base.path().join("device"));
    same(&curve(&device), &curve(&cpu));
    let told = events(&device).into_iter().find_map(|event| match event.kind {
        EventKind::Device(device) => Some(device),
        _ => None,
    });
    let told = told.expect("what the device does is told");
    assert_eq!(told.name, "emulated");
    assert!(told.taken > 0);
    let on_cpu = |event: &Event| match &event.kind {
        EventKind::Device(device) => device.name == "cpu",
        _ => false,
    };
    assert_eq!(events(&cpu).iter().filter(|event| on_cpu(event)).count(), 1);

    // Half on the device, half on the CPU, and the other way round.
    for (name, first, second) in [("one", "emulated", "cpu"), ("two", "cpu", "emulated")] {
        train(&format!("--out {name} --set training.max_steps=9 --device {first}"));
        let run = base.path().join(name);
        let config = run.join("config.toml");
        let text = std::fs::read_to_string(&config).expect("settings");
        assert!(text.contains("max_steps = 9"));
        std::fs::write(&config, text.replace("max_steps = 9", "max_steps = 0")).expect("written");
        let call = rankspace("resume").arg(&run).args(&format!("--device {second}"));
        call.succeeds().prints("resumed from step 9");
        let steps = |run: &Path| -> Vec<f64> {
            let loss = |event: Event| match event.kind {
                EventKind::Step { loss, .. } => Some(loss),
                _ => None,
            };
            events(run).into_iter().filter_map(loss).collect()
        };
        same(&steps(&run), &steps(&cpu));
    }
}

#[test]
fn a_language_model_on_a_device_has_the_curve_of_the_cpu() {
    if !emulated() {
        return;
    }
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    for device in ["cpu", "emulated"] {
        rankspace("train --preset hmm-small --set data.train=train.mrg --set data.dev=[]")
            .args("--set model.states=16 --set model.rank=8 --set model.embedding=8")
            .args("--set training.epochs=2 --set threads=1 --set precision=f64")
            .args(&format!("--out {device} --device {device}"))
            .within(base.path())
            .succeeds();
    }
    same(&curve(&base.path().join("emulated")), &curve(&base.path().join("cpu")));
}

#[test]
fn a_card_that_is_not_there_is_a_sentence_and_the_cpu_does_the_work() {
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let ran = tiny_training(base.path()).args("--out run --device cuda:83").succeeds();
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(told.contains("cuda:83") && told.contains("it computes on the CPU"), "{told}");
    rankspace("doctor").run().1.prints("cpu");
    let wrong = tiny_training(base.path()).args("--out other --device gpu");
    wrong.refused().complains("expected auto, cpu or cuda:N");
}

#[test]
fn a_device_that_is_full_ends_the_run_with_advice_and_the_run_goes_on_elsewhere() {
    if !emulated() {
        return;
    }
    let base = tempfile::tempdir().expect("a temporary folder");
    write_corpus(base.path());
    let train = tiny_training(base.path()).args("--out run --device emulated");
    let ran = train.env("RANKSPACE_EMULATED_MEMORY", "60000").fails();
    ran.complains("out of memory on emulated").complains("training.batch_size");
    let best = || rankspace("eval run test.mrg").within(base.path());
    let run = base.path().join("run");
    rankspace("resume").arg(&run).args("--device cpu").succeeds().prints("finished at step");
    // What was trained on a device is used on the CPU, and on a device where that is asked for.
    let limit = |call: crate::call::Call| call.env("RANKSPACE_EMULATED_MEMORY", "1000");
    limit(best()).succeeds().prints("perplexity");
    let full = limit(best().args("--device emulated")).fails();
    assert!(!full.stderr.contains("training.batch_size"), "{full}");
    best().args("--device emulated").succeeds().prints("perplexity");
    let (code, ran) = best().args("--device gpu").run();
    assert_eq!(code, 2, "{ran}");
    ran.complains("expected auto, cpu or cuda:N");
}

#[test]
fn golden_values_and_the_cpu_confirm_a_device_by_a_command() {
    if !emulated() {
        return;
    }
    let Some(golden) = shared("golden") else { return };
    let call = || rankspace("bench --check --device emulated --golden");
    let ran = call().arg(&golden).succeeds();
    for what in ["golden pcfg_rank_tiny_f64", "golden hmm_rank_dropout_f64", "host against device"]
    {
        let line = ran.stdout.lines().find(|line| line.contains(what));
        assert!(line.is_some_and(|line| line.starts_with("ok ")), "{what}: {ran}");
    }
    assert!(ran.stdout.lines().any(|line| line.starts_with("told") && line.contains("TF32")));
    let end = ran.stdout.lines().last().unwrap_or_default();
    assert!(end.starts_with("all ") && end.ends_with("within their bounds"), "{end}");
    rankspace("bench --check --device cpu").refused().complains("name one");
    let empty = tempfile::tempdir().expect("a temporary folder");
    call().arg(empty.path()).fails().complains("no golden values");
}
