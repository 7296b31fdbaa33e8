//! `rankspace plan`: both orders of elimination with their cost, and which is chosen.

use crate::call::rankspace;
use rankspace::config::{Config, Family, Speeds};

#[test]
fn both_orders_are_told_with_operations_bytes_and_predicted_time() {
    let ran = rankspace("plan --json --case hmm:batch=8,n=32,states=16384,rank=4096")
        .args("--case hmm:batch=32,n=60,states=512,rank=256")
        .args("--case pcfg:batch=16,n=20,r=256,nt=256,pt=512")
        .succeeds();
    let object = ran.json();
    let cases = object["cases"].as_array().expect("cases");
    let chosen: Vec<&str> = cases.iter().map(|c| c["chosen"].as_str().expect("a name")).collect();
    assert_eq!(chosen, ["state", "rank", "rank"]);
    // A = V^T U and its gradients at the paper's size: 3 x 2 m r^2 and the steps.
    let orders = cases[0]["orders"].as_array().expect("orders");
    let gflop = |k: usize| orders[k]["gflop"].as_f64().expect("a number");
    assert_eq!([&orders[0]["order"], &orders[1]["order"]], ["rank", "state"]);
    assert!(gflop(0) > 1649.0 && gflop(0) < 1700.0, "{}", gflop(0));
    assert!(gflop(1) > 150.0 && gflop(1) < 250.0, "{}", gflop(1));
    // The state order streams U and V forward and backward for each of 31 steps.
    let gb = orders[1]["gb"].as_f64().expect("a number");
    assert!((gb - 31.0 * 2.0 * 2.0 * 16_384.0 * 4096.0 * 4e-9).abs() < 1e-6, "{gb}");
    for case in cases {
        assert_eq!(case["chosen_in_evaluation"], "rank");
        assert!(case["verdict"].is_null());
    }
}

#[test]
fn a_config_or_preset_is_planned_for_its_own_batches() {
    rankspace("plan --preset pcfg-small").succeeds().prints("pcfg:batch=").prints("training: ");
    rankspace("plan --preset hmm-small --length 16 --batch 4")
        .succeeds()
        .prints("hmm:batch=4,n=16");
    rankspace("plan --preset pcfg-small --set model.elimination=\"state\"")
        .succeeds()
        .prints("training: state (set by model.elimination)");
    rankspace("plan --preset tdpcfg-small").succeeds().prints("training: ");
    rankspace("plan --preset npcfg-small").refused().complains("has one order of elimination");
    rankspace("plan --case lstm:n=3").refused().complains("expected `pcfg` or `hmm`");
    rankspace("plan nothing.toml").fails().complains("nothing.toml");
}

#[test]
fn measuring_times_a_step_in_each_order() {
    let ran = rankspace("plan --measure --json")
        .args("--case pcfg:batch=2,n=5,r=8,nt=4,pt=4,vocab=20,dim=8")
        .succeeds();
    for order in ran.json()["cases"][0]["orders"].as_array().expect("orders") {
        assert!(order["measured_step_seconds"].as_f64().expect("a number") > 0.0);
    }
}

#[test]
fn the_speeds_of_a_run_are_kept_in_its_settings_and_have_to_be_usable() {
    let mut config = Config::of_family(Family::RankHmm);
    let speeds = Speeds { multiply_adds: 1.5e11, packed: 7.25e9, streamed: 1e10 };
    config.model.speeds = Some(speeds);
    let read = Config::from_toml("a run", &config.to_toml(), &[]).expect("it reads");
    assert_eq!(read, config);
    let broken = config.to_toml().replace("7250000000.0", "-1.0");
    let error = Config::from_toml("a run", &broken, &[]).expect_err("no speed").to_string();
    assert!(error.contains("model.speeds"), "{error}");
}
