//! PCFGs of all families against golden values: log-probabilities, gradients, marginals, trees,
//! best derivations.

use crate::shared::{emulated, golden_files, numbers, shared};
use candle_core::{Device, Tensor};
use rankspace::config::{Compat, Config, Decode, Family, Precision};
use rankspace::inference::Real;
use rankspace::inference::dense_pcfg::{Binary, Chart, Pairs, RuleGradients, Rules};
use rankspace::model::{self, Noise, Parse, Wanted};
use rankspace::treebank::Batch;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

type Tensors = HashMap<String, Tensor>;

/// One way to hold a family against its files.
#[derive(Clone, Copy)]
struct Case {
    family: Family,
    precision: Precision,
    compat: Compat,
    device: &'static str,
    /// Ending of the names of tensors.
    suffix: &'static str,
    tolerance: Tolerance,
}

fn config(sidecar: &Path, case: Case) -> (Config, usize) {
    let text = std::fs::read_to_string(sidecar).expect("sidecar reads");
    let json: serde_json::Value = serde_json::from_str(&text).expect("sidecar is JSON");
    let size = |name: &str| json["config"][name].as_u64().map(|n| n as usize);
    let device = case.device.to_owned();
    let mut config = Config { precision: case.precision, device, ..Config::default() };
    let m = &mut config.model;
    (m.family, m.compat) = (case.family, case.compat);
    m.nonterminals = size("NT").expect("nonterminals");
    m.preterminals = size("PT").expect("preterminals");
    m.embedding = size("d").expect("a size");
    m.rank = size("r").unwrap_or(m.rank);
    m.latent = size("z").unwrap_or(m.latent);
    m.encoder = size("h").unwrap_or(m.encoder);
    m.encoder_embedding = size("w").unwrap_or(m.encoder_embedding);
    (config, size("V").expect("a vocabulary"))
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

/// Relative for log Z; of the tensor's and of the batch's largest entry for gradients.
#[derive(Clone, Copy)]
struct Tolerance {
    log_z: f64,
    own: f64,
    all: f64,
}

const SINGLE: Tolerance = Tolerance { log_z: 1e-5, own: 1e-3, all: 1e-7 };
/// Values of single precision have a rounding of their own, seen where sums nearly cancel.
const BOTH_SINGLE: Tolerance = Tolerance { all: 1e-6, ..SINGLE };
const DOUBLE: Tolerance = Tolerance { log_z: 1e-9, own: 1e-9, all: 1e-12 };

fn check(path: &Path, case: Case) {
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("golden file reads");
    let (mut config, vocabulary) = config(&path.with_extension("json"), case);
    let mut model = model::restore(&config, vocabulary, parameters(&tensors)).expect("restores");
    let Case { family, precision, compat, suffix, tolerance, device } = case;
    let name = format!("{} {} {precision:?} {compat:?} {device}", path.display(), family.name());
    let parser = model.freeze().expect("freezes");
    let viterbi = family.has_tensor().then(|| {
        config.evaluation.decode = Decode::Viterbi;
        let own = parameters(&tensors);
        model::restore(&config, vocabulary, own).and_then(|m| m.freeze()).expect("freezes")
    });
    for len in lengths(&tensors) {
        let place = format!("{name} {len}");
        let batch = batch(&tensors[&format!("{len}.word")]);
        let given: BTreeMap<String, Tensor> = tensors
            .get(&format!("{len}.noise"))
            .map(|noise| ("noise".to_owned(), noise.clone()))
            .into_iter()
            .collect();
        let noise = if given.is_empty() { Noise::Off } else { Noise::Given(&given) };
        let output = model.step(&batch, noise).expect("a step");
        let mut log_z = numbers(&tensors[&format!("{len}.logz{suffix}")]);
        if let Some(kl) = tensors.get(&format!("{len}.kl")) {
            log_z.iter_mut().zip(numbers(kl)).for_each(|(z, kl)| *z -= kl);
        }
        for (ours, theirs) in output.log_probs.iter().zip(&log_z) {
            let error = (ours - theirs).abs() / theirs.abs().max(1.0);
            assert!(error <= tolerance.log_z, "{place}: log Z {ours} against {theirs}: {error:e}");
        }
        let mean = -log_z.iter().sum::<f64>() / log_z.len() as f64;
        assert!(
            (output.loss - mean).abs() <= tolerance.log_z * mean.abs().max(1.0),
            "{place}: loss"
        );
        let loss = numbers(&tensors[&format!("{len}.loss")])[0];
        if suffix.is_empty() {
            assert!((output.loss - loss).abs() <= tolerance.log_z * loss.abs(), "{place}: {loss}");
        }

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
        if let Some(bounds) = tensors.get(&format!("{len}.elbo_mean")) {
            log_z = numbers(bounds);
        }
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
        if let Some(viterbi) = &viterbi {
            let parses =
                viterbi.parse(&batch, Wanted { tree: true, labels: true }).expect("parses");
            check_derivations(&place, &parses, &tensors, &len, &tolerance);
        }
    }
}

fn check_derivations(
    place: &str,
    parses: &[Parse],
    tensors: &Tensors,
    len: &str,
    tolerance: &Tolerance,
) {
    let tensor = |name: &str| tensors.get(&format!("{len}.{name}"));
    let scores = tensor("viterbi_score").or(tensor("viterbi_score_minus_kl")).expect("scores");
    let trees = tensor("viterbi").expect("trees").to_vec3::<i64>().expect("trees");
    for (b, (parse, score)) in parses.iter().zip(numbers(scores)).enumerate() {
        let found = parse.derivation_log_prob.expect("the best derivation");
        let error = (found - score).abs() / score.abs().max(1.0);
        assert!(error <= tolerance.log_z, "{place}: best derivation {found} against {score}");
        let mut spans = same_tree(parse);
        spans.sort();
        let gold: Vec<(u32, u32)> =
            trees[b].iter().map(|span| (span[0] as u32, span[1] as u32)).collect();
        assert_eq!(spans, gold, "{place}: best derivation of sentence {b}");
    }
}

fn same_tree(parse: &Parse) -> Vec<(u32, u32)> {
    parse.spans.iter().map(|s| (s.start, s.end)).collect()
}

/// The files of a family whose names start and end so.
fn each(start: &str, ending: &str, test: impl Fn(&Path)) {
    let Some(folder) = shared("golden") else { return };
    let files = golden_files(&folder, start, ending);
    assert!(!files.is_empty(), "no golden file of the family");
    files.iter().for_each(|f| test(f));
}

fn each_rank(device: &'static str, ending: &str, precision: Precision, compat: Compat) {
    let suffix = if compat == Compat::None { "_exact" } else { "" };
    let tolerance = if precision == Precision::F32 { SINGLE } else { DOUBLE };
    let case = Case { family: Family::RankPcfg, precision, compat, device, suffix, tolerance };
    each("pcfg_rank_", ending, |f| check(f, case));
}

/// Families that never had a floor, in both precisions.
fn each_exact(device: &'static str, family: Family, start: &str) {
    for (ending, precision, tolerance) in [
        ("_f64.safetensors", Precision::F64, DOUBLE),
        ("_f64.safetensors", Precision::F32, SINGLE),
        ("_f32.safetensors", Precision::F32, BOTH_SINGLE),
    ] {
        let compat = Compat::None;
        let case = Case { family, precision, compat, device, suffix: "", tolerance };
        each(start, ending, |f| check(f, case));
    }
}

#[test]
fn golden_pcfg_rank_exact_in_double_precision() {
    each_rank("cpu", "_f64.safetensors", Precision::F64, Compat::None);
}

#[test]
fn golden_pcfg_rank_exact_in_single_precision() {
    each_rank("cpu", "_f64.safetensors", Precision::F32, Compat::None);
}

#[test]
fn golden_pcfg_rank_published_in_double_precision() {
    each_rank("cpu", "_f64.safetensors", Precision::F64, Compat::Published);
}

#[test]
fn golden_pcfg_rank_published_in_single_precision() {
    each_rank("cpu", "_f32.safetensors", Precision::F32, Compat::Published);
}

#[test]
fn golden_pcfg_state_in_both_precisions() {
    each_exact("cpu", Family::TdPcfg, "pcfg_state_");
}

#[test]
fn golden_npcfg_in_both_precisions() {
    each_exact("cpu", Family::NPcfg, "npcfg_");
}

#[test]
fn golden_cpcfg_in_both_precisions() {
    each_exact("cpu", Family::CPcfg, "cpcfg_");
}

#[test]
fn golden_pcfg_rank_and_state_by_the_kernels_of_a_device() {
    if !emulated() {
        return;
    }
    for (ending, precision) in
        [("_f64.safetensors", Precision::F64), ("_f64.safetensors", Precision::F32)]
    {
        each_rank("emulated", ending, precision, Compat::None);
    }
    each_rank("emulated", "_f64.safetensors", Precision::F64, Compat::Published);
    each_rank("emulated", "_f32.safetensors", Precision::F32, Compat::Published);
    each_exact("emulated", Family::TdPcfg, "pcfg_state_");
}

/// The program for rule tensors by itself: every token has emissions of its own.
fn check_rules<T: Real>(path: &Path, tolerance: &Tolerance) {
    let tensors = candle_core::safetensors::load(path, &Device::Cpu).expect("golden file reads");
    let real = |x: Vec<f64>| x.into_iter().map(T::from_f64).collect::<Vec<T>>();
    let exp = |name: &str| real(numbers(&tensors[name]).into_iter().map(f64::exp).collect());
    let emissions = numbers(&tensors["rule.emit_log"]);
    let (pt, vocabulary) = tensors["rule.emit_log"].dims2().expect("a matrix");
    let root = exp("rule.root");
    let pairs = Pairs::new(root.len(), pt, &exp("rule.rule"));
    for len in lengths(&tensors) {
        let batch = batch(&tensors[&format!("{len}.word")]);
        let leaf = |&word: &u32| -> Vec<f64> {
            (0..pt).map(|p| emissions[p * vocabulary + word as usize]).collect()
        };
        let logs: Vec<Vec<f64>> = batch.words().iter().map(leaf).collect();
        let scales: Vec<f64> =
            logs.iter().map(|row| row.iter().copied().fold(f64::MIN, f64::max)).collect();
        let scaled = logs.iter().zip(&scales).flat_map(|(row, s)| row.iter().map(move |x| x - s));
        let leaves = real(scaled.map(f64::exp).collect());
        let rules = Rules {
            binary: Binary::Full(&pairs),
            root: &root,
            leaves: &leaves,
            leaf_scales: &scales,
        };
        let tokens: Vec<usize> = (0..batch.tokens()).collect();
        let mut chart = Chart::default();
        chart.inside(&rules, &batch, &tokens).expect("in range");
        chart.outside(&rules, true);
        let mut found = RuleGradients::default();
        chart.gradients(&rules, -1.0 / batch.len() as f64, &mut found).expect("in range");
        for (name, ours) in
            [("root", &found.root), ("rule", &found.pairs), ("unary", &found.leaves)]
        {
            let theirs = numbers(&tensors[&format!("{len}.grad_rule.{name}")]);
            let largest = theirs.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            assert_eq!(ours.len(), theirs.len());
            for (a, b) in ours.iter().zip(&theirs) {
                let error = (a.to_f64() - b).abs();
                assert!(error <= tolerance.own * largest, "{}: {len} {name}", path.display());
            }
        }
    }
}

#[test]
fn golden_npcfg_rule_gradients_in_both_precisions() {
    each("npcfg_", "_f64.safetensors", |f| check_rules::<f64>(f, &DOUBLE));
    each("npcfg_", "_f32.safetensors", |f| check_rules::<f32>(f, &SINGLE));
}
