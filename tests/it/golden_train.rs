//! Training against golden values: optimiser steps of the published code, plateau schedule.

use crate::shared::{emulated, golden_files, numbers, shared};
use candle_core::{Device, Tensor};
use rankspace::config::{Compat, Config, Optimizer, Precision};
use rankspace::model::{self, Noise};
use rankspace::training::{Adam, Plateau, total_norm};
use rankspace::treebank::Batch;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

type Tensors = HashMap<String, Tensor>;

fn json(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("the file reads");
    serde_json::from_str(&text).expect("the file is JSON")
}

/// Settings and vocabulary size, the sizes as the tensors have them.
fn config(sidecar: &Value, tensors: &Tensors) -> (Config, usize) {
    let rows = |name: &str| tensors[&format!("param.{name}")].dims()[0];
    let precision = match sidecar["dtype"].as_str() {
        Some("float32") => Precision::F32,
        _ => Precision::F64,
    };
    let mut config = Config { precision, ..Config::default() };
    let m = &mut config.model;
    // Files made with the published code say what it adds inside its logarithms.
    let has_floor = sidecar["conventions"]["floor"].is_string();
    m.compat = if has_floor { Compat::Published } else { Compat::None };
    m.nonterminals = rows("root_mlp.3.weight");
    m.preterminals = rows("rule_state_emb") - m.nonterminals;
    (m.embedding, m.rank) = tensors["param.rank_proj"].dims2().expect("a matrix");
    let (optimiser, t) = (&sidecar["optimiser"], &mut config.training);
    t.optimizer = match optimiser["name"].as_str() {
        Some("adamw") => Optimizer::Adamw,
        _ => Optimizer::Adam,
    };
    let number = |name: &str| optimiser[name].as_f64();
    t.learning_rate = number("lr").expect("a learning rate");
    t.beta1 = number("beta1").expect("beta1");
    t.beta2 = number("beta2").expect("beta2");
    t.clip = number("clip_norm").unwrap_or(0.0);
    t.weight_decay = number("weight_decay").unwrap_or(0.0);
    assert_eq!(number("eps"), Some(1e-8));
    (config, rows("term_mlp.3.weight"))
}

fn assert_close(ours: &[f64], theirs: &[f64], tolerance: f64, place: &str) {
    assert_eq!(ours.len(), theirs.len(), "{place}");
    let largest = theirs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    for (a, b) in ours.iter().zip(theirs) {
        let bound = tolerance * b.abs().max(largest).max(1e-3);
        assert!((a - b).abs() <= bound, "{place}: {a} against {b}");
    }
}

fn check(device: &str, path: &Path, sidecar: &Value) {
    let place = |what: &str| format!("{}: {what}", path.display());
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("golden file reads");
    let (mut config, vocabulary) = config(sidecar, &tensors);
    config.device = device.into();
    let tolerance = if config.precision == Precision::F64 { 1e-9 } else { 1e-4 };
    let own: BTreeMap<String, Tensor> = tensors
        .iter()
        .filter_map(|(name, t)| Some((name.strip_prefix("param.")?.to_owned(), t.clone())))
        .collect();
    let mut model = model::restore(&config, vocabulary, own).expect("restores");
    let mut adam = Adam::new(&config.training, model.parameters()).expect("starts");
    let steps = numbers(&tensors["step_lengths"]);
    let (losses, norms) = (numbers(&tensors["losses"]), numbers(&tensors["grad_norms"]));
    assert_eq!([losses.len(), norms.len()], [steps.len(); 2]);
    for (k, length) in steps.iter().enumerate() {
        let words = &tensors[&format!("len{:02}.word", *length as u64)];
        let rows = words.to_dtype(candle_core::DType::U32).and_then(|t| t.to_vec2::<u32>());
        let batch = Batch::new(rows.expect("word ids")).expect("no sentence is empty");
        let rate = config.training.learning_rate;
        let (loss, norm) = if let Some(device) = model.resident_mut() {
            let trained = device.train(&batch, Noise::Off, adam.next(rate)).expect("a step");
            (trained.loss, trained.gradient_norm)
        } else {
            let output = model.step(&batch, Noise::Off).expect("a step");
            let norm = total_norm(&output.gradients).expect("a norm");
            adam.update(model.parameters(), &output.gradients, rate, norm).expect("updates");
            (output.loss, norm)
        };
        assert_close(&[loss], &losses[k..=k], tolerance, &place(&format!("loss {k}")));
        assert_close(&[norm], &norms[k..=k], tolerance, &place(&format!("norm {k}")));
    }
    let moments = match model.resident() {
        Some(device) => device.moments().expect("moments"),
        None => adam.tensors(model.parameters()).expect("moments"),
    };
    let after = model.tensors().expect("weights");
    let mut compared = 0;
    for (name, theirs) in &tensors {
        let ours = if let Some(parameter) = name.strip_prefix("after.") {
            &after[parameter]
        } else if name.starts_with("optimizer.") && name.ends_with(".step") {
            assert_eq!(numbers(theirs), [adam.updates() as f64], "{}", place(name));
            continue;
        } else if let Some(moment) = name.strip_prefix("optimizer.") {
            &moments[moment]
        } else {
            continue;
        };
        assert_close(&numbers(ours), &numbers(theirs), tolerance, &place(name));
        compared += 1;
    }
    assert!(compared >= model.parameters().len(), "every parameter has its golden value");
}

#[test]
fn golden_train_pcfg_rank_steps_equal_those_of_the_published_code() {
    each_pcfg("cpu");
}

#[test]
fn golden_train_pcfg_rank_steps_by_the_kernels_of_a_device() {
    if emulated() {
        each_pcfg("emulated");
    }
}

fn each_pcfg(device: &str) {
    let Some(folder) = shared("golden") else { return };
    let mut checked = 0;
    for path in golden_files(&folder, "train_pcfg", ".safetensors") {
        let sidecar = json(&path.with_extension("json"));
        if sidecar["model"] == "rank_pcfg" {
            check(device, &path, &sidecar);
            checked += 1;
        }
    }
    assert!(checked > 0, "no golden file of the family");
}

/// Learning rates after every epoch of the golden file.
fn rates(golden: &Value, compat: Compat) -> Vec<f64> {
    let number = |name: &str| golden[name].as_f64().expect("a number");
    let mut plateau = Plateau::default();
    let mut rate = number("start_lr");
    let figures = golden["total_dev_logp"].as_array().expect("figures");
    let after = figures.iter().map(|figure| {
        let figure = figure.as_f64().expect("a figure");
        if plateau.cut(figure, number("patience") as u64, compat) {
            rate *= number("factor");
        }
        rate
    });
    after.collect()
}

#[test]
fn golden_plateau_schedule_of_the_published_code() {
    let Some(folder) = shared("golden") else { return };
    let files = golden_files(&folder, "plateau", ".json");
    assert!(!files.is_empty(), "no golden file of the family");
    for path in files {
        let golden = json(&path);
        let expected = golden["lr_after_epoch"].as_array().expect("rates");
        let expected: Vec<f64> = expected.iter().filter_map(Value::as_f64).collect();
        let ours = rates(&golden, Compat::Published);
        assert_close(&ours, &expected, 1e-12, &path.display().to_string());
    }
}

#[test]
fn golden_plateau_figures_cut_the_exact_schedule_at_every_second_bad_epoch() {
    let Some(folder) = shared("golden") else { return };
    for path in golden_files(&folder, "plateau", ".json") {
        let golden = json(&path);
        let figures = golden["total_dev_logp"].as_array().expect("figures");
        let figures: Vec<f64> = figures.iter().filter_map(Value::as_f64).collect();
        let (mut rate, mut expected) = (golden["start_lr"].as_f64().expect("a rate"), Vec::new());
        let mut fresh_since = 0;
        for (epoch, figure) in figures.iter().enumerate() {
            if figures[..epoch].iter().all(|earlier| earlier < figure) {
                fresh_since = epoch;
            } else if epoch - fresh_since == golden["patience"].as_u64().expect("a number") as usize
            {
                fresh_since = epoch;
                rate *= golden["factor"].as_f64().expect("a number");
            }
            expected.push(rate);
        }
        let ours = rates(&golden, Compat::None);
        assert_eq!(ours, expected, "{}", path.display());
        assert!(rate < rates(&golden, Compat::Published)[figures.len() - 1]);
    }
}
