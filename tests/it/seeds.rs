//! Several seeds as one experiment: trained, resumed, summed up, and parsing together.

use crate::call::{Call, rankspace};
use serde_json::Value;
use std::path::Path;

/// A training of seconds on the bundled sample.
fn train(folder: &Path, seeds: usize, out: &str) -> Call {
    let call = rankspace("train --preset sample --set model.nonterminals=5 --set model.rank=6")
        .args("--set model.preterminals=8 --set model.embedding=8 --set data.max_length=12")
        .args("--set evaluation.max_length=10 --set training.max_steps=6 --set threads=1")
        .args("--set training.epochs=1 --set seed=4 --json --out")
        .arg(out)
        .arg("--seeds")
        .arg(seeds.to_string());
    call.within(folder)
}

fn number(value: &Value, path: &str) -> f64 {
    value.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} of {value}"))
}

/// What every seed reached, without the times.
fn figures(group: &Value) -> Vec<(u64, Value, Value)> {
    let seeds = group["seeds"].as_array().expect("seeds").iter();
    seeds
        .map(|s| (s["seed"].as_u64().expect("a seed"), s["dev"].clone(), s["test"].clone()))
        .collect()
}

#[test]
fn several_seeds_give_mean_spread_and_consensus_in_turn_or_side_by_side_and_are_not_done_twice() {
    let base = tempfile::tempdir().expect("temporary folder");
    let first = train(base.path(), 2, "g").succeeds().json();
    let seeds: Vec<u64> = figures(&first).iter().map(|s| s.0).collect();
    assert_eq!(seeds, [4, 5]);
    let s_f1: Vec<f64> = (0..2).map(|i| number(&first, &format!("/seeds/{i}/dev/s_f1"))).collect();
    let mean = (s_f1[0] + s_f1[1]) / 2.0;
    assert!((number(&first, "/dev/s_f1/mean") - mean).abs() < 1e-9, "{first}");
    let sd = (s_f1[0] - s_f1[1]).abs() / 2.0_f64.sqrt();
    assert!((number(&first, "/dev/s_f1/sd") - sd).abs() < 1e-9, "{first}");
    assert_eq!(number(&first, "/dev/s_f1/least"), s_f1[0].min(s_f1[1]));
    assert_eq!(number(&first, "/test/perplexity/count"), 2.0);
    assert_eq!(first["consensus"]["dev"]["members"].as_array().map(Vec::len), Some(2));

    // A third seed is added; the others are as they were.
    let third = train(base.path(), 3, "g").succeeds();
    assert!(third.stderr.contains("seed 4  finished before"), "{third}");
    let third = third.json();
    assert_eq!(figures(&third)[..2], figures(&first)[..]);
    let parallel = train(base.path(), 3, "p").args("--parallel 3").succeeds().json();
    assert_eq!(figures(&parallel), figures(&third));
    assert_eq!(parallel["consensus"]["test"]["consensus"], third["consensus"]["test"]["consensus"]);

    // The same consensus by the command of its own, from the run folders.
    let consensus = |more: &str| {
        rankspace("consensus g/g-seed-4 g/g-seed-5 g/g-seed-6 sample:dev --max-length 10 --json")
            .args(more)
            .within(base.path())
            .succeeds()
            .json()
    };
    let by_marginals = consensus("");
    assert_eq!(by_marginals["consensus"], third["consensus"]["dev"]["consensus"]);
    assert_eq!(by_marginals["members"][2]["s_f1"], third["seeds"][2]["dev"]["s_f1"]);
    assert_eq!(consensus("--votes")["votes"], true);
    let all = rankspace("consensus g sample:dev --max-length 10 --json").within(base.path());
    assert_eq!(all.succeeds().json()["consensus"], by_marginals["consensus"]);
    rankspace("consensus g/g-seed-4 g/g-seed-5 sample:dev")
        .within(base.path())
        .succeeds()
        .prints("consensus  S-F1 ");
    rankspace("watch g").within(base.path()).fails().complains("several seeds");

    train(base.path(), 3, "g").args("--set model.rank=7").fails().complains("other settings");
    train(base.path(), 0, "g").refused().complains("from 1 to 1000");
    rankspace("train --preset sample --parallel 2").refused().complains("--seeds");
    let again = rankspace("resume g").within(base.path()).succeeds();
    again
        .prints("seed 6  finished before")
        .prints("3 seeds  dev  S-F1 ")
        .prints("consensus  S-F1 ");
}

#[test]
fn seeds_that_were_stopped_go_on_where_they_were() {
    let base = tempfile::tempdir().expect("temporary folder");
    let whole = train(base.path(), 2, "whole").succeeds().json();
    let mut running = rankspace("train --preset sample --set model.nonterminals=5 --set seed=4")
        .args("--set model.rank=6 --set model.preterminals=8 --set model.embedding=8")
        .args("--set data.max_length=12 --set evaluation.max_length=10 --set threads=1")
        .args("--set training.max_steps=6 --set training.epochs=1 --seeds 2 --out halted")
        .within(base.path())
        .starts();
    running.says("seed 4  epoch 0");
    running.signal(libc::SIGINT);
    let (code, errors) = running.ends();
    assert_eq!(code, Some(1), "not all are trained: {errors}");
    let resumed = rankspace("resume halted --json").within(base.path()).succeeds().json();
    assert_eq!(figures(&resumed), figures(&whole));
    assert!(resumed["seeds"].as_array().expect("seeds").iter().all(|s| s["state"] == "finished"));
}

#[test]
fn seeds_of_a_model_without_trees_have_no_consensus() {
    let base = tempfile::tempdir().expect("temporary folder");
    let group = rankspace("train --preset ngram-5 --set model.order=2 --seeds 2 --json --out g")
        .within(base.path())
        .succeeds()
        .json();
    assert_eq!(number(&group, "/dev/perplexity/sd"), 0.0);
    assert!(group.get("consensus").is_none(), "{group}");
    rankspace("consensus g/g-seed-0 g/g-seed-1 sample:dev")
        .within(base.path())
        .fails()
        .complains("gives no trees");
}
