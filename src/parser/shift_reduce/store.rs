//! A perceptron as tensors and lists, and back.

use super::MOST_LABELS;
use super::lexical::{Entry, Labels, Roles, Words};
use super::perceptron::Perceptron;
use super::state::{Label, PROJECT};
use super::weights::{Decision, Weight, Weights};
use crate::checkpoint::TensorFile;
use crate::config;
use crate::parser::heads::HeadRules;
use candle_core::{Device, Tensor};
use std::sync::Arc;

/// Puts labels, words and weights into a file.
pub fn write(parser: &Perceptron, file: &mut TensorFile) -> Result<(), candle_core::Error> {
    file.set("labels", &parser.labels.names());
    file.set("roles", &parser.roles);
    file.set("words", &parser.words.entries());
    for (name, weights) in [("structure", &parser.structure), ("tagging", &parser.tagging)] {
        let cpu = &Device::Cpu;
        let (mut features, mut ends) = (Vec::new(), Vec::new());
        let (mut decisions, mut values) = (Vec::new(), Vec::new());
        for (feature, row) in weights.rows() {
            features.extend([(feature >> 32) as u32, feature as u32]);
            decisions.extend(row.iter().map(|weight| u32::from(weight.decision)));
            values.extend(row.iter().map(|weight| weight.value));
            ends.push(values.len() as u32);
        }
        let shape = (ends.len(), 2);
        let mut put = |part: &str, tensor| file.tensors.insert(format!("{name}.{part}"), tensor);
        put("features", Tensor::from_vec(features, shape, cpu)?);
        put("ends", Tensor::from_iter(ends, cpu)?);
        put("decisions", Tensor::from_iter(decisions, cpu)?);
        put("weights", Tensor::from_iter(values, cpu)?);
    }
    Ok(())
}

/// A parser that was stored; says what is wrong with the file.
pub fn read(settings: &config::Parser, file: &TensorFile) -> Result<Perceptron, String> {
    let names: Vec<Arc<str>> = file.get("labels")?;
    if names.is_empty() || names.len() > MOST_LABELS {
        return Err(format!("it has {} labels, expected 1 to {MOST_LABELS}", names.len()));
    }
    let count = names.len();
    let known = |label: &Label| (*label as usize) < count;
    let roles: Roles = file.get("roles")?;
    let all = roles.phrases.iter().chain(&roles.roots).chain(&roles.inner);
    if roles.roots.is_empty() || !all.copied().all(|label| known(&label)) {
        return Err("its roles name labels that are not there".into());
    }
    let entries: Vec<Entry> = file.get("words")?;
    let is_tagged = |e: &Entry| !e.tags.is_empty() && e.tags.iter().all(|(tag, _)| known(tag));
    if !entries.iter().all(is_tagged) || entries.is_empty() {
        return Err("its words have no tags, or tags that are not there".into());
    }
    let labels = Labels::from_names(names).ok_or("its labels stand there twice")?;
    Ok(Perceptron {
        beam: settings.beam,
        heads: labels.heads(&HeadRules::of(settings.heads)),
        roles,
        words: Words::from_entries(entries).ok_or("its words stand there twice")?,
        structure: weights(file, "structure", PROJECT as usize + count)?,
        tagging: weights(file, "tagging", count)?,
        labels: Arc::new(labels),
    })
}

fn weights(file: &TensorFile, name: &str, most: usize) -> Result<Weights, String> {
    let part = |part: &str| format!("{name}.{part}");
    let features = file.numbers::<u32>(&part("features"), 2)?;
    let ends = file.numbers::<u32>(&part("ends"), 1)?;
    let decisions = file.numbers::<u32>(&part("decisions"), 1)?;
    let values = file.numbers::<f32>(&part("weights"), 1)?;
    if decisions.len() != values.len() || features.len() != 2 * ends.len() {
        return Err(format!("its tensors of `{name}` do not fit together"));
    }
    if !decisions.iter().all(|d| (*d as usize) < most) || !values.iter().all(|w| w.is_finite()) {
        return Err(format!("its weights of `{name}` are none"));
    }
    let mut rows = Vec::with_capacity(ends.len());
    let mut start = 0;
    for (feature, end) in features.chunks_exact(2).zip(ends) {
        let end = end as usize;
        let range = start..end;
        let (Some(of_row), Some(weights)) = (decisions.get(range.clone()), values.get(range))
        else {
            return Err(format!("its rows of `{name}` overlap"));
        };
        let feature = u64::from(feature[0]) << 32 | u64::from(feature[1]);
        let row = of_row.iter().zip(weights);
        let row = row.map(|(&d, &value)| Weight { decision: d as Decision, value });
        rows.push((feature, row.collect()));
        start = end;
    }
    Ok(Weights::new(rows))
}
