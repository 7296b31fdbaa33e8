//! HMMs against golden values: log-probabilities, gradients, dropout, training steps.

use crate::shared::{emulated, golden_files, numbers, shared};
use candle_core::{Device, Tensor};
use rankspace::config::{Compat, Config, Family, Optimizer, Precision};
use rankspace::model::{self, Model, Noise, Wanted};
use rankspace::training::{Adam, total_norm};
use rankspace::treebank::Batch;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

type Tensors = HashMap<String, Tensor>;

fn of_group(tensors: &Tensors, group: &str) -> BTreeMap<String, Tensor> {
    let own = |(name, t): (&String, &Tensor)| Some((name.strip_prefix(group)?.into(), t.clone()));
    tensors.iter().filter_map(own).collect()
}

/// Family and sizes are those of the tensors.
fn restore(
    device: &str,
    tensors: &Tensors,
    precision: Precision,
    compat: Compat,
    dropout: f64,
) -> Box<dyn Model> {
    let mut config = Config { precision, device: device.into(), ..Config::default() };
    let m = &mut config.model;
    (m.compat, m.dropout) = (compat, dropout);
    let size = |name: &str| tensors[&format!("param.{name}")].dims2().expect("a matrix");
    let words = if tensors.contains_key("param._projection") {
        m.family = Family::Lhmm;
        (m.embedding, m.rank) = size("_projection");
        "terminal_emb"
    } else {
        m.family = Family::RankHmm;
        (m.rank, m.embedding) = size("projection");
        "vocab_emb"
    };
    m.states = size("state_emb").0;
    let vocabulary = size(words).0;
    model::restore(&config, vocabulary, of_group(tensors, "param.")).expect("restores")
}

/// The sentences without their padding.
fn batch(tensors: &Tensors) -> Batch {
    let read = |name: &str| tensors[name].to_dtype(candle_core::DType::U32).expect("whole numbers");
    let rows = read("text").to_vec2::<u32>().expect("word ids");
    let lengths = read("lengths").to_vec1::<u32>().expect("lengths");
    let cut = rows.into_iter().zip(lengths).map(|(mut row, n)| {
        row.truncate(n as usize);
        row
    });
    Batch::new(cut.collect::<Vec<_>>()).expect("no sentence is empty")
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0f64, |m, v| m.max(v.abs()))
}

fn check(path: &Path, precision: Precision, compat: Compat) {
    check_on("cpu", path, precision, compat);
}

fn check_on(device: &str, path: &Path, precision: Precision, compat: Compat) {
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("golden file reads");
    let masks: BTreeMap<String, Tensor> = ["start_mask", "u_mask", "v_mask"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), tensors.get(name)?.clone())))
        .collect();
    // The sidecar says what the others are divided by: 0.8.
    let mut model = restore(device, &tensors, precision, compat, 0.2);
    let noise = if masks.is_empty() { Noise::Off } else { Noise::Given(&masks) };
    // Files of families without a floor have no exact values beside.
    let exact = compat == Compat::None && tensors.contains_key("logp_exact");
    let suffix = if exact { "_exact" } else { "" };
    // Relative for log p; of the tensor's and of the batch's largest entry for gradients.
    // Some gradients are zero but for rounding, which the single-precision files have as well.
    let rounded = path.to_string_lossy().ends_with("_f32.safetensors");
    let (log_p, own, all) = match precision {
        Precision::F32 => (1e-5, 1e-3, if rounded { 1e-6 } else { 1e-7 }),
        Precision::F64 => (1e-9, 1e-9, 1e-12),
    };
    let name = format!("{} {precision:?} {compat:?} {device}", path.display());
    let batch = batch(&tensors);
    let output = model.step(&batch, noise).expect("a step");
    let expected = numbers(&tensors[&format!("logp{suffix}")]);
    for (ours, theirs) in output.log_probs.iter().zip(&expected) {
        let error = (ours - theirs).abs() / theirs.abs().max(1.0);
        assert!(error <= log_p, "{name}: log p {ours} against {theirs}: {error:e}");
    }
    let loss = numbers(&tensors[&format!("loss{suffix}")])[0];
    assert!((output.loss - loss).abs() <= log_p * loss.abs().max(1.0), "{name}: loss");
    let expected_gradient =
        |parameter: &str| numbers(&tensors[&format!("grad{suffix}.{parameter}")]);
    let overall =
        model.parameters().keys().map(|p| largest(&expected_gradient(p))).fold(0.0, f64::max);
    for parameter in model.parameters().keys() {
        let (ours, theirs) = (numbers(&output.gradients[parameter]), expected_gradient(parameter));
        assert_eq!(ours.len(), theirs.len());
        let difference: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
        let (error, bound) = (largest(&difference), own * largest(&theirs) + all * overall);
        assert!(error <= bound, "{name}: gradient of {parameter} off by {error:e} > {bound:e}");
    }
    if masks.is_empty() {
        let parser = model.freeze().expect("freezes");
        let parses = parser.parse(&batch, Wanted::default()).expect("scores");
        for (parse, theirs) in parses.iter().zip(&expected) {
            let error = (parse.log_prob - theirs).abs() / theirs.abs().max(1.0);
            assert!(error <= log_p, "{name}: frozen log p off by {error:e}");
        }
    }
}

fn each(prefix: &str, ending: &str, test: impl Fn(&Path)) {
    let Some(folder) = shared("golden") else { return };
    let files = golden_files(&folder, prefix, ending);
    assert!(!files.is_empty(), "no golden file of the family");
    files.iter().for_each(|f| test(f));
}

#[test]
fn golden_hmm_rank_exact_in_double_precision() {
    each("hmm_rank_", "_f64.safetensors", |f| check(f, Precision::F64, Compat::None));
}

#[test]
fn golden_hmm_rank_exact_in_single_precision() {
    each("hmm_rank_", "_f64.safetensors", |f| check(f, Precision::F32, Compat::None));
}

#[test]
fn golden_hmm_rank_published_in_double_precision() {
    each("hmm_rank_", "_f64.safetensors", |f| check(f, Precision::F64, Compat::Published));
}

#[test]
fn golden_hmm_rank_published_in_single_precision() {
    each("hmm_rank_", "_f32.safetensors", |f| check(f, Precision::F32, Compat::Published));
}

#[test]
fn golden_hmm_rank_and_lhmm_by_the_kernels_of_a_device() {
    if !emulated() {
        return;
    }
    for (ending, precision, compat) in [
        ("_f64.safetensors", Precision::F64, Compat::None),
        ("_f64.safetensors", Precision::F32, Compat::None),
        ("_f64.safetensors", Precision::F64, Compat::Published),
        ("_f32.safetensors", Precision::F32, Compat::Published),
    ] {
        each("hmm_rank_", ending, |f| check_on("emulated", f, precision, compat));
    }
    for precision in [Precision::F64, Precision::F32] {
        each("lhmm_", "_f64.safetensors", |f| check_on("emulated", f, precision, Compat::None));
    }
}

#[test]
fn golden_lhmm_in_double_precision() {
    each("lhmm_", "_f64.safetensors", |f| check(f, Precision::F64, Compat::None));
}

#[test]
fn golden_lhmm_in_single_precision() {
    each("lhmm_", "_f64.safetensors", |f| check(f, Precision::F32, Compat::None));
    each("lhmm_", "_f32.safetensors", |f| check(f, Precision::F32, Compat::None));
}

#[test]
fn golden_train_hmm_rank() {
    each("train_hmm_", ".safetensors", |path| {
        let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("reads");
        let sidecar = std::fs::read_to_string(path.with_extension("json")).expect("sidecar reads");
        let sidecar: serde_json::Value = serde_json::from_str(&sidecar).expect("JSON");
        let optimiser = &sidecar["optimiser"];
        let number = |name: &str| optimiser[name].as_f64().expect("a number");
        let mut model = restore("cpu", &tensors, Precision::F64, Compat::Published, 0.0);
        let mut training = rankspace::config::Training {
            optimizer: Optimizer::Adamw,
            beta1: number("beta1"),
            beta2: number("beta2"),
            weight_decay: number("weight_decay"),
            clip: number("clip_norm"),
            ..Default::default()
        };
        training.learning_rate = number("lr");
        let mut optimizer = Adam::new(&training, model.parameters()).expect("an optimiser");
        let batch = batch(&tensors);
        let (losses, norms) = (numbers(&tensors["losses"]), numbers(&tensors["grad_norms"]));
        for (k, (loss, norm)) in losses.iter().zip(&norms).enumerate() {
            let output = model.step(&batch, Noise::Off).expect("a step");
            assert!((output.loss - loss).abs() <= 1e-9 * loss.abs(), "loss {k}");
            let own = total_norm(&output.gradients).expect("a norm");
            assert!((own - norm).abs() <= 1e-9 * norm, "norm {k}: {own} against {norm}");
            optimizer
                .update(model.parameters(), &output.gradients, training.learning_rate, own)
                .expect("an update");
        }
        for (name, after) in of_group(&tensors, "after.") {
            let (ours, theirs) = (numbers(&model.parameters()[&name]), numbers(&after));
            let difference: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
            assert!(largest(&difference) <= 1e-9 * largest(&theirs).max(1.0), "{name}");
        }
    });
}
