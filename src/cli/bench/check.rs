//! `bench --check`: whether a device computes what it should. Golden values first, then the host's
//! own numbers for the same weights and sentences, then what TF32 changes.

use super::case::Case;
use super::measure::random_batch;
use crate::config::{Compat, Config, Family, Precision};
use crate::model::{self, Noise, StepOutput};
use crate::treebank::Batch;
use anyhow::{Context, Result, anyhow, bail};
use candle_core::{DType, Device, Tensor};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};

/// How far a device is from what was expected.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Finding {
    pub what: String,
    /// Largest relative difference of log-probabilities.
    pub log_prob: f64,
    /// Largest difference of gradients, over the largest entry of all.
    pub gradient: f64,
    /// What both may be; `None` where the figures are only told.
    pub bounds: Option<[f64; 2]>,
}

impl Finding {
    pub fn holds(&self) -> bool {
        // Written so that no number does not hold.
        self.bounds.is_none_or(|[log_prob, gradient]| {
            self.log_prob <= log_prob && self.gradient <= gradient
        })
    }
}

/// Tolerances of single and double precision: log-probabilities, gradients.
const SINGLE: [f64; 2] = [1e-5, 1e-3];
const DOUBLE: [f64; 2] = [1e-9, 1e-9];

/// Golden files of families that have kernels, with the settings that they were made with.
const GOLDENS: [(&str, &str, Precision, Compat); 10] = [
    ("pcfg_rank_", "_f64.safetensors", Precision::F64, Compat::None),
    ("pcfg_rank_", "_f64.safetensors", Precision::F32, Compat::None),
    ("pcfg_rank_", "_f64.safetensors", Precision::F64, Compat::Published),
    ("pcfg_state_", "_f64.safetensors", Precision::F64, Compat::None),
    ("pcfg_state_", "_f64.safetensors", Precision::F32, Compat::None),
    ("lhmm_", "_f64.safetensors", Precision::F64, Compat::None),
    ("lhmm_", "_f64.safetensors", Precision::F32, Compat::None),
    ("hmm_rank_", "_f64.safetensors", Precision::F64, Compat::None),
    ("hmm_rank_", "_f64.safetensors", Precision::F32, Compat::None),
    ("hmm_rank_", "_f64.safetensors", Precision::F64, Compat::Published),
];

/// Cases on which both sides are compared: both orders of elimination, narrow and wide.
const CASES: [&str; 4] = [
    "pcfg:batch=6,n=12,r=128,nt=128,pt=256,vocab=2000,dim=64",
    "pcfg:batch=2,n=7,r=300,nt=100,pt=200,vocab=1000,dim=64",
    "hmm:batch=8,n=24,states=1024,rank=256,vocab=2000,dim=64",
    "hmm:batch=8,n=24,states=512,rank=256,vocab=2000,dim=64",
];

/// Where golden values are looked for if nothing is named.
pub(super) fn default_folder() -> PathBuf {
    std::env::var_os("RANKSPACE_SHARED").map_or("../shared".into(), PathBuf::from).join("golden")
}

/// All comparisons, each told as soon as it is made.
pub(super) fn run(
    device: &str,
    folder: &Path,
    mut tell: impl FnMut(&Finding) -> Result<()>,
) -> Result<Vec<Finding>> {
    let mut all = Vec::new();
    let mut add = |finding: Finding| -> Result<()> {
        tell(&finding)?;
        all.push(finding);
        Ok(())
    };
    for (start, ending, precision, compat) in GOLDENS {
        for path in files(folder, start, ending)? {
            add(golden(&path, device, precision, compat)?)?;
        }
    }
    for spec in CASES {
        let case = Case::parse(spec)?;
        for (precision, bounds) in [(Precision::F64, DOUBLE), (Precision::F32, SINGLE)] {
            let settings = Config { precision, ..case.config() };
            let host = step(&case, &Config { device: "cpu".into(), ..settings.clone() })?;
            let own = step(&case, &Config { device: device.into(), ..settings.clone() })?;
            let what = format!("host against device, {precision:?}: {case}");
            add(compare(what, &own, &host, Some(bounds)))?;
            if precision == Precision::F32 {
                let settings = Config { device: device.into(), tf32: true, ..settings };
                let rounded = step(&case, &settings)?;
                let what = format!("TF32 against F32 on the device: {case}");
                add(compare(what, &rounded, &own, None))?;
            }
        }
    }
    Ok(all)
}

fn step(case: &Case, config: &Config) -> Result<StepOutput> {
    let mut model = model::build(config, case.vocabulary)?;
    let batch = random_batch(case, &mut ChaCha8Rng::seed_from_u64(1))?;
    Ok(model.step(&batch, Noise::Drawn { seed: 1, step: 1 })?)
}

fn compare(
    what: String,
    own: &StepOutput,
    expected: &StepOutput,
    bounds: Option<[f64; 2]>,
) -> Finding {
    let pairs = own.log_probs.iter().zip(&expected.log_probs);
    let log_prob = pairs.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, larger);
    let all = expected.gradients.iter().map(|(name, b)| {
        let a = own.gradients.get(name).map(numbers).unwrap_or_default();
        (a, numbers(b))
    });
    Finding { what, log_prob, gradient: apart(all), bounds }
}

/// Largest difference over the largest entry of what was expected.
fn apart(pairs: impl Iterator<Item = (Vec<f64>, Vec<f64>)>) -> f64 {
    let (mut difference, mut largest) = (0.0, 0.0);
    for (own, expected) in pairs {
        if own.len() != expected.len() {
            return f64::INFINITY;
        }
        for (a, b) in own.iter().zip(&expected) {
            difference = larger(difference, (a - b).abs());
            largest = larger(largest, b.abs());
        }
    }
    if difference == 0.0 { 0.0 } else { difference / largest }
}

/// The larger of two numbers; no number is larger than all.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) }
}

fn numbers(tensor: &Tensor) -> Vec<f64> {
    let flat = tensor.to_dtype(DType::F64).and_then(|t| t.flatten_all());
    flat.and_then(|t| t.to_vec1()).unwrap_or_default()
}

fn files(folder: &Path, start: &str, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("no golden values at {}", folder.display()))?;
    let named = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with(start) && name.ends_with(ending)
    };
    let mut all: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(named).collect();
    if all.is_empty() {
        bail!("no golden values {start}*{ending} at {}", folder.display());
    }
    all.sort();
    Ok(all)
}

type Tensors = HashMap<String, Tensor>;

/// One golden file on the device.
fn golden(path: &Path, device: &str, precision: Precision, compat: Compat) -> Result<Finding> {
    let tensors = candle_core::safetensors::load(path, &Device::Cpu)
        .with_context(|| format!("{}", path.display()))?;
    let get = |name: &str| {
        tensors.get(name).ok_or_else(|| anyhow!("{}: no tensor `{name}`", path.display()))
    };
    let mut config = Config { precision, device: device.into(), ..Config::default() };
    let m = &mut config.model;
    (m.compat, m.dropout) = (compat, 0.2);
    // Files of families without a floor have no exact values beside.
    let has_floor = tensors.keys().any(|name| name.contains("_exact"));
    let exact = if has_floor && compat == Compat::None { "_exact" } else { "" };
    let (vocabulary, batches) = if tensors.contains_key("param._projection") {
        m.family = Family::Lhmm;
        (m.embedding, m.rank) = get("param._projection")?.dims2()?;
        m.states = get("param.state_emb")?.dims()[0];
        (get("param.terminal_emb")?.dims()[0], vec![sentences(&tensors, exact)?])
    } else if tensors.contains_key("param.term_emb") {
        m.family = Family::TdPcfg;
        m.nonterminals = get("param.root_mlp.3.weight")?.dims()[0];
        m.preterminals = get("param.rule_state_emb")?.dims()[0] - m.nonterminals;
        (m.rank, m.embedding) = get("param.parent_mlp.2.weight")?.dims2()?;
        (get("param.term_mlp.3.weight")?.dims()[0], charts(&tensors, exact)?)
    } else if tensors.contains_key("param.rank_proj") {
        m.family = Family::RankPcfg;
        m.nonterminals = get("param.root_mlp.3.weight")?.dims()[0];
        m.preterminals = get("param.rule_state_emb")?.dims()[0] - m.nonterminals;
        (m.embedding, m.rank) = get("param.rank_proj")?.dims2()?;
        (get("param.term_mlp.3.weight")?.dims()[0], charts(&tensors, exact)?)
    } else {
        m.family = Family::RankHmm;
        (m.rank, m.embedding) = get("param.projection")?.dims2()?;
        m.states = get("param.state_emb")?.dims()[0];
        (get("param.vocab_emb")?.dims()[0], vec![sentences(&tensors, exact)?])
    };
    let masks: BTreeMap<String, Tensor> = ["start_mask", "u_mask", "v_mask"]
        .into_iter()
        .filter_map(|name| Some((name.to_owned(), tensors.get(name)?.clone())))
        .collect();
    let noise = if masks.is_empty() { Noise::Off } else { Noise::Given(&masks) };
    let mut model = model::restore(&config, vocabulary, of_group(&tensors, "param."))?;
    let bounds = if precision == Precision::F64 { DOUBLE } else { SINGLE };
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let how = if compat == Compat::None { "exact" } else { "as published" };
    let what = format!("golden {name}, computed in {precision:?}, {how}");
    let mut finding = Finding { what, log_prob: 0.0, gradient: 0.0, bounds: Some(bounds) };
    for (batch, log_probs, group) in batches {
        let output = model.step(&batch, noise)?;
        for (a, b) in output.log_probs.iter().zip(&log_probs) {
            finding.log_prob = larger(finding.log_prob, (a - b).abs() / b.abs().max(1.0));
        }
        let expected = of_group(&tensors, &group);
        let all = expected.iter().map(|(name, b)| {
            (output.gradients.get(name).map(numbers).unwrap_or_default(), numbers(b))
        });
        finding.gradient = larger(finding.gradient, apart(all));
    }
    Ok(finding)
}

fn of_group(tensors: &Tensors, group: &str) -> BTreeMap<String, Tensor> {
    let own = |(name, t): (&String, &Tensor)| Some((name.strip_prefix(group)?.into(), t.clone()));
    tensors.iter().filter_map(own).collect()
}

/// A batch, its log-probabilities, and the group of its gradients.
type Expected = (Batch, Vec<f64>, String);

/// One batch for each length.
fn charts(tensors: &Tensors, exact: &str) -> Result<Vec<Expected>> {
    let mut lengths: Vec<&str> =
        tensors.keys().filter_map(|name| name.strip_suffix(".word")).collect();
    lengths.sort_unstable();
    let expected = |length: &str| {
        let rows = tensors[&format!("{length}.word")].to_dtype(DType::U32)?.to_vec2::<u32>()?;
        let batch = Batch::new(rows).ok_or_else(|| anyhow!("an empty sentence"))?;
        let log_z = tensors.get(&format!("{length}.logz{exact}"));
        let log_z = log_z.ok_or_else(|| anyhow!("no {length}.logz{exact}"))?;
        Ok((batch, numbers(log_z), format!("{length}.grad{exact}.")))
    };
    lengths.into_iter().map(expected).collect()
}

/// The sentences without their padding.
fn sentences(tensors: &Tensors, exact: &str) -> Result<Expected> {
    let get = |name: &str| tensors.get(name).ok_or_else(|| anyhow!("no tensor `{name}`"));
    let rows = get("text")?.to_dtype(DType::U32)?.to_vec2::<u32>()?;
    let lengths = get("lengths")?.to_dtype(DType::U32)?.to_vec1::<u32>()?;
    let cut = rows.into_iter().zip(lengths).map(|(mut row, n)| {
        row.truncate(n as usize);
        row
    });
    let batch = Batch::new(cut.collect::<Vec<_>>()).ok_or_else(|| anyhow!("an empty sentence"))?;
    Ok((batch, numbers(get(&format!("logp{exact}"))?), format!("grad{exact}.")))
}

/// A line of the table.
pub(super) fn line(finding: &Finding, out: &mut dyn Write) -> Result<()> {
    let mark = match (finding.bounds, finding.holds()) {
        (None, _) => "told",
        (_, true) => "ok",
        (_, false) => "WRONG",
    };
    let Finding { what, log_prob, gradient, .. } = finding;
    Ok(writeln!(out, "{mark:6} {log_prob:9.1e} {gradient:9.1e}  {what}")?)
}

pub(super) fn head(device: &str, out: &mut dyn Write) -> Result<()> {
    writeln!(
        out,
        "{device}: largest relative difference of log-probabilities and of gradients; `told` has \
         no bounds"
    )?;
    Ok(writeln!(out, "{:6} {:>9} {:>9}", "", "log p", "gradient")?)
}
