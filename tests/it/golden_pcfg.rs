//! Rank-space PCFG against golden values: log-probabilities, gradients, marginals, trees.

use crate::shared::{golden_files, numbers, shared};
use candle_core::{Device, Tensor};
use rankspace::config::{Compat, Config, Precision};
use rankspace::model::{self, Noise, Parse, Wanted};
use rankspace::treebank::Batch;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

type Tensors = HashMap<String, Tensor>;

fn config(sidecar: &Path, precision: Precision, compat: Compat) -> (Config, usize) {
    let text = std::fs::read_to_string(sidecar).expect("sidecar reads");
    let json: serde_json::Value = serde_json::from_str(&text).expect("sidecar is JSON");
    let size = |name: &str| json["config"][name].as_u64().expect("a size") as usize;
    let mut config = Config { precision, ..Config::default() };
    config.model.nonterminals = size("NT");
    config.model.preterminals = size("PT");
    config.model.rank = size("r");
    config.model.embedding = size("d");
    config.model.compat = compat;
    (config, size("V"))
}

fn parameters(tensors: &Tensors) -> BTreeMap<String, Tensor> {
    let own =
        |(name, t): (&String, &Tensor)| Some((name.strip_prefix("param.")?.into(), t.clone()));
    tensors.iter().filter_map(own).collect()
}

fn batch(words: &Tensor) -> Batch {
    let rows = words.to_dtype(candle_core::DType::U32).and_then(|t| t.to_vec2::<u32>());
    Batch::new(rows.expect("word ids")).expect("no sentence is empty")
}

fn lengths(tensors: &Tensors) -> Vec<String> {
    let mut all: Vec<String> =
        tensors.keys().filter_map(|k| k.strip_suffix(".word").map(String::from)).collect();
    all.sort();
    assert!(!all.is_empty());
    all
}

/// Tolerances: relative for log Z; of the tensor's and of the batch's largest entry for gradients.
struct Tolerance {
    log_z: f64,
    own: f64,
    all: f64,
}

const SINGLE: Tolerance = Tolerance { log_z: 1e-5, own: 1e-3, all: 1e-7 };
const DOUBLE: Tolerance = Tolerance { log_z: 1e-9, own: 1e-9, all: 1e-12 };

fn check(path: &Path, precision: Precision, compat: Compat) {
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("golden file reads");
    let (config, vocabulary) = config(&path.with_extension("json"), precision, compat);
    let mut model = model::restore(&config, vocabulary, parameters(&tensors)).expect("restores");
    let suffix = if compat == Compat::None { "_exact" } else { "" };
    let tolerance = if precision == Precision::F32 { SINGLE } else { DOUBLE };
    let name = format!("{} {precision:?} {compat:?}", path.display());
    let parser = model.freeze().expect("freezes");
    for len in lengths(&tensors) {
        let place = format!("{name} {len}");
        let batch = batch(&tensors[&format!("{len}.word")]);
        let output = model.step(&batch, Noise::Off).expect("a step");
        let log_z = numbers(&tensors[&format!("{len}.logz{suffix}")]);
        for (ours, theirs) in output.log_probs.iter().zip(&log_z) {
            let error = (ours - theirs).abs() / theirs.abs().max(1.0);
            assert!(error <= tolerance.log_z, "{place}: log Z {ours} against {theirs}: {error:e}");
        }
        let mean = -log_z.iter().sum::<f64>() / log_z.len() as f64;
        assert!(
            (output.loss - mean).abs() <= tolerance.log_z * mean.abs().max(1.0),
            "{place}: loss"
        );

        let expected =
            |parameter: &str| numbers(&tensors[&format!("{len}.grad{suffix}.{parameter}")]);
        let largest = |x: &[f64]| x.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let overall = model.parameters().keys().map(|p| largest(&expected(p))).fold(0.0, f64::max);
        for parameter in model.parameters().keys() {
            let (ours, theirs) = (numbers(&output.gradients[parameter]), expected(parameter));
            assert_eq!(ours.len(), theirs.len());
            let difference: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
            let bound = tolerance.own * largest(&theirs) + tolerance.all * overall;
            let error = largest(&difference);
            assert!(
                error <= bound,
                "{place}: gradient of {parameter} off by {error:e} > {bound:e}"
            );
        }

        let parses = parser.parse(&batch, Wanted { tree: true, labels: false }).expect("parses");
        let marginals = numbers(&tensors[&format!("{len}.marginals{suffix}")]);
        // The exact tree is stored where it can differ from the published one.
        let trees =
            tensors.get(&format!("{len}.mbr{suffix}")).or(tensors.get(&format!("{len}.mbr")));
        let trees = trees.expect("MBR trees").to_vec3::<i64>().expect("trees");
        for (b, parse) in parses.iter().enumerate() {
            let error = (parse.log_prob - log_z[b]).abs() / log_z[b].abs().max(1.0);
            assert!(error <= tolerance.log_z, "{place}: frozen log Z off by {error:e}");
            let own = &marginals[b * parse.marginals.len()..];
            for (ours, theirs) in parse.marginals.iter().zip(own) {
                let error = (f64::from(*ours) - theirs).abs();
                let bound = if precision == Precision::F32 { 1e-4 } else { 1e-7 };
                assert!(error <= bound, "{place}: marginal off by {error:e}");
            }
            let gold: Vec<(u32, u32)> = trees[b]
                .iter()
                .filter(|span| span[1] - span[0] > 1)
                .map(|span| (span[0] as u32, span[1] as u32))
                .collect();
            assert_eq!(same_tree(parse), gold, "{place}: MBR tree of sentence {b}");
        }
    }
}

fn same_tree(parse: &Parse) -> Vec<(u32, u32)> {
    parse.spans.iter().map(|s| (s.start, s.end)).collect()
}

fn each(ending: &str, test: impl Fn(&Path)) {
    let Some(folder) = shared("golden") else { return };
    let files = golden_files(&folder, "pcfg_rank_", ending);
    assert!(!files.is_empty(), "no golden file of the family");
    files.iter().for_each(|f| test(f));
}

#[test]
fn golden_pcfg_rank_exact_in_double_precision() {
    each("_f64.safetensors", |f| check(f, Precision::F64, Compat::None));
}

#[test]
fn golden_pcfg_rank_exact_in_single_precision() {
    each("_f64.safetensors", |f| check(f, Precision::F32, Compat::None));
}

#[test]
fn golden_pcfg_rank_published_in_double_precision() {
    each("_f64.safetensors", |f| check(f, Precision::F64, Compat::Published));
}

#[test]
fn golden_pcfg_rank_published_in_single_precision() {
    each("_f32.safetensors", |f| check(f, Precision::F32, Compat::Published));
}
