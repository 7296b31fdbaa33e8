//! A trained reranker as a file: safetensors, with the settings in the metadata.

use super::base::{Base, Origin};
use super::features::Derived;
use super::gradient::Blocks;
use super::perceptron::Vector;
use super::tree_kernel::{StoredSubtrees, SubtreeId, Subtrees, TreeSpace, TreeUpdate, parts};
use super::weights::{Voters, Weights};
use super::{RerankError, Reranker};
use crate::checkpoint::{CheckpointError, TensorFile};
use crate::config::{Config, Kernel};
use crate::parser::ssn::Ssn;
use crate::parser::{PcfgParser, TreeParser};
use candle_core::{Device, Tensor, WithDType};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// Kind of the file, which stands in its metadata.
const KIND: &str = "reranker";

/// Models that kernels are derived from, by the names that the file has for them.
const GRAMMAR: &str = "treebank-pcfg";
const SSN: &str = "ssn";

/// A reranker with what is to be known of its training.
pub struct RerankerFile {
    pub config: Config,
    pub reranker: Reranker,
    pub training: TrainingFacts,
}

/// Where a reranker comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TrainingFacts {
    pub train: String,
    pub dev: Option<String>,
    pub lists: usize,
    pub epoch: usize,
    pub steps: u64,
    pub updates: usize,
    pub dev_f1: Option<f64>,
    pub seconds: f64,
}

impl RerankerFile {
    /// Writes to a temporary name, flushes to the disk and renames: the file is always whole.
    pub fn save(&self, path: &Path) -> Result<(), RerankError> {
        let mut file = TensorFile::default();
        file.metadata.insert("config".into(), self.config.to_toml());
        file.set("training", &self.training);
        file.set("scale", &self.reranker.scale);
        let failed = |e: candle_core::Error| CheckpointError::Model(e.into());
        put_weights(&self.reranker.weights, &mut file).map_err(failed)?;
        if let Some(base) = &self.reranker.base {
            let (name, parser): (_, &dyn TreeParser) = match &base.origin {
                Origin::Grammar(grammar) => (GRAMMAR, &**grammar),
                Origin::Ssn(ssn) => (SSN, &**ssn),
            };
            file.metadata.insert("base".into(), name.into());
            parser.store(&mut file).map_err(failed)?;
        }
        Ok(file.save(path, KIND)?)
    }

    /// Whether a file says that it is a reranker; no more of it is read than its header.
    pub fn is_one(path: &Path) -> bool {
        TensorFile::kind_of(path).is_some_and(|kind| kind == KIND)
    }

    /// Reads a file; everything in it is checked.
    pub fn load(path: &Path) -> Result<RerankerFile, RerankError> {
        RerankerFile::checked(TensorFile::load(path, KIND)?, &path.display().to_string())
    }

    /// Reads the bytes of a file; `name` stands in error messages.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<RerankerFile, RerankError> {
        RerankerFile::checked(TensorFile::from_bytes(name, bytes, KIND)?, name)
    }

    fn checked(file: TensorFile, name: &str) -> Result<RerankerFile, RerankError> {
        let malformed = |reason| CheckpointError::Malformed { name: name.to_owned(), reason };
        Ok(RerankerFile::of(&file).map_err(malformed)?)
    }

    fn of(file: &TensorFile) -> Result<RerankerFile, String> {
        let config = Config::from_toml("its config", file.text("config")?, &[]);
        let config = config.map_err(|e| e.to_string())?;
        let scale: f64 = file.get("scale")?;
        if !(scale.is_finite() && scale > 0.0) {
            return Err(format!("its scale is {scale}"));
        }
        let (weights, base) = match config.rerank.kernel {
            Kernel::Tree => (trees(file, &config)?, None),
            _ => {
                let base = match file.text("base")? {
                    GRAMMAR => Base::grammar(Arc::new(PcfgParser::restore(&config.parser, file)?)),
                    SSN => Base::ssn(Arc::new(Ssn::read(&config, file)?)),
                    other => return Err(format!("its kernel is derived from `{other}`")),
                };
                let width = base.model.hidden();
                let features = 1 + Derived::new(&config.rerank).rows(&*base.model) * width;
                (vectors(file, features, width)?, Some(base))
            }
        };
        let reranker = Reranker::new(config.rerank.clone(), scale, weights, base);
        Ok(RerankerFile { config, reranker, training: file.get("training")? })
    }
}

fn put<T: WithDType>(
    file: &mut TensorFile,
    name: &str,
    numbers: Vec<T>,
) -> Result<(), candle_core::Error> {
    let tensor = Tensor::from_iter(numbers, &Device::Cpu)?;
    file.tensors.insert(name.to_owned(), tensor);
    Ok(())
}

fn put_weights(weights: &Weights, file: &mut TensorFile) -> Result<(), candle_core::Error> {
    let (at, values): (Vec<u32>, Vec<f64>) = match weights {
        Weights::Vectors { weights, voters } => {
            if let Some(voters) = voters {
                let rows = |v: &Vector| (v.first, v.blocks.rows.clone(), v.blocks.values.clone());
                put_voters(voters, rows, file)?;
            }
            file.set("features", &weights.len());
            let all = weights.iter().copied().enumerate();
            all.filter(|(_, w)| *w != 0.0).map(|(at, w)| (at as u32, w)).unzip()
        }
        Weights::Trees { space, voters } => {
            let (mut kept, values): (Vec<SubtreeId>, Vec<f64>) = space.weights().unzip();
            let weighted = kept.len();
            let changed = voters.iter().flat_map(|v| v.updates.iter().flat_map(|u| &u.changes));
            kept.extend(changed.map(|(id, _)| *id));
            let (stored, numbers) = space.subtrees().store(&kept);
            let mut later = numbers[weighted..].iter();
            if let Some(voters) = voters {
                let mut numbered = voters.clone();
                for (id, _) in numbered.updates.iter_mut().flat_map(|u| &mut u.changes) {
                    *id = *later.next().expect("as many numbers as changes");
                }
                let rows = |u: &TreeUpdate| {
                    let (rows, values) = u.changes.iter().copied().unzip();
                    (u.first, rows, values)
                };
                put_voters(&numbered, rows, file)?;
            }
            file.set("first", &space.first());
            file.set("names", &stored.names);
            put(file, "productions", stored.productions)?;
            put(file, "production_ends", stored.production_ends)?;
            put(file, "subtrees", stored.of_subtree)?;
            put(file, "children", stored.children)?;
            put(file, "child_ends", stored.child_ends)?;
            (numbers[..weighted].to_vec(), values)
        }
    };
    put(file, "weights.at", at)?;
    put(file, "weights.values", values)
}

/// Updates as lists of rows and values.
fn put_voters<U>(
    voters: &Voters<U>,
    of_update: impl Fn(&U) -> (f64, Vec<u32>, Vec<f64>),
    file: &mut TensorFile,
) -> Result<(), candle_core::Error> {
    let (mut firsts, mut rows, mut ends, mut values) = (vec![], vec![], vec![], vec![]);
    for update in &voters.updates {
        let (first, own, own_values) = of_update(update);
        firsts.push(first);
        rows.extend(own);
        ends.push(rows.len() as u32);
        values.extend(own_values);
    }
    file.set("voters.first", &voters.first);
    // No training has so many steps that a double could not count them.
    put(file, "voters.survivals", voters.survivals.iter().map(|n| *n as f64).collect())?;
    put(file, "voters.firsts", firsts)?;
    put(file, "voters.rows", rows)?;
    put(file, "voters.ends", ends)?;
    put(file, "voters.values", values)
}

/// Weights with their places, of which there are so many.
fn weights(file: &TensorFile, places: usize) -> Result<Vec<(u32, f64)>, String> {
    let at: Vec<u32> = file.numbers("weights.at", 1)?;
    let values: Vec<f64> = file.numbers("weights.values", 1)?;
    if at.len() != values.len() || at.iter().any(|at| *at as usize >= places) {
        return Err("its weights are of other features than its model has".into());
    }
    Ok(at.into_iter().zip(values).collect())
}

/// Updates whose rows are below a number, and whose blocks have one width.
fn voters<U>(
    file: &TensorFile,
    (rows_below, width): (usize, usize),
    update: impl Fn(f64, &[u32], &[f64]) -> U,
) -> Result<Option<Voters<U>>, String> {
    if !file.tensors.contains_key("voters.survivals") {
        return Ok(None);
    }
    let survivals: Vec<f64> = file.numbers("voters.survivals", 1)?;
    let firsts: Vec<f64> = file.numbers("voters.firsts", 1)?;
    let rows: Vec<u32> = file.numbers("voters.rows", 1)?;
    let ends: Vec<u32> = file.numbers("voters.ends", 1)?;
    let values: Vec<f64> = file.numbers("voters.values", 1)?;
    let fits = survivals.len() == firsts.len() + 1
        && ends.len() == firsts.len()
        && rows.len() * width == values.len()
        && rows.iter().all(|row| (*row as usize) < rows_below);
    if !fits {
        return Err("its voters are of other features than its model has".into());
    }
    let mut updates = Vec::with_capacity(firsts.len());
    let mut begin = 0;
    for (first, rows) in firsts.iter().zip(parts(&rows, &ends)?) {
        let end = begin + rows.len() * width;
        updates.push(update(*first, rows, &values[begin..end]));
        begin = end;
    }
    let survivals = survivals.into_iter().map(|n| n.max(0.0) as u64).collect();
    Ok(Some(Voters { first: file.get("voters.first")?, survivals, updates }))
}

fn vectors(file: &TensorFile, features: usize, width: usize) -> Result<Weights, String> {
    let stored: usize = file.get("features")?;
    if stored != features {
        return Err(format!("it has {stored} features, but its model {features}"));
    }
    let mut all = vec![0.0; features];
    weights(file, features)?.into_iter().for_each(|(at, weight)| all[at as usize] = weight);
    let decisions = (features - 1) / width.max(1);
    let update = |first, rows: &[u32], values: &[f64]| Vector {
        first,
        blocks: Blocks { rows: rows.to_vec(), values: values.to_vec() },
    };
    Ok(Weights::Vectors { weights: all, voters: voters(file, (decisions, width), update)? })
}

fn trees(file: &TensorFile, config: &Config) -> Result<Weights, String> {
    let stored = StoredSubtrees {
        names: file.get("names")?,
        productions: file.numbers("productions", 1)?,
        production_ends: file.numbers("production_ends", 1)?,
        of_subtree: file.numbers("subtrees", 1)?,
        children: file.numbers("children", 1)?,
        child_ends: file.numbers("child_ends", 1)?,
    };
    let subtrees = Arc::new(Subtrees::restore(config.rerank.lambda, &stored)?);
    let weights = weights(file, subtrees.len())?;
    let update = |first, rows: &[u32], values: &[f64]| TreeUpdate {
        first,
        changes: rows.iter().copied().zip(values.iter().copied()).collect(),
    };
    let voters = voters(file, (subtrees.len(), 1), update)?;
    let normalise = config.rerank.normalise;
    let space = TreeSpace::with_weights(subtrees, normalise, file.get("first")?, weights);
    Ok(Weights::Trees { space, voters })
}
