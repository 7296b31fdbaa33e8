//! Floor 3: a model's weights and all that is needed to use them, in one file.
//!
//! The file is safetensors. Its metadata holds `schema`, `kind`, `family`,
//! `config` (TOML), `vocabulary` and `preprocessing` (JSON), the place in
//! training (`step`, `epoch`, `elapsed`) and, in `last`, `training`: whatever
//! the loop needs to go on, opaque here. Tensors come in groups: `model.*`, and
//! in `last` also `optimizer.*`. Files from outside may hold anything: every
//! fault is an error with the reason, never a panic.

mod atomic;
mod error;
mod published;
mod pytorch;
mod read;
mod temporary;
mod tensor_file;
#[cfg(test)]
mod tests;
mod write;

pub use atomic::{remove_abandoned, write_atomically, write_atomically_with};
pub use error::CheckpointError;
pub use published::Published;
pub use temporary::{Listed, remove_temporaries, temporary};
pub use tensor_file::TensorFile;

use crate::config::Config;
use crate::model::{self, Model, Parser};
use crate::treebank::{Preprocessing, Vocabulary};
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Words of a pickled vocabulary by number: a list of words, a dictionary from words to numbers,
/// or an object that holds such a dictionary; `name` stands in error messages.
pub fn pickled_words<'a>(name: &str, bytes: &'a [u8]) -> Result<Vec<&'a str>, CheckpointError> {
    pytorch::words(bytes).map_err(|reason| CheckpointError::foreign(name, &reason))
}

/// Version of the file format; a newer one is refused with a sentence.
pub const SCHEMA: u32 = 1;

/// What a file holds: weights, vocabulary, settings, and in `last` the state of training.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub config: Config,
    pub vocabulary: Arc<Vocabulary>,
    pub preprocessing: Preprocessing,
    /// Optimiser steps behind these weights.
    pub step: u64,
    pub epoch: u64,
    /// Running time of the run until then, seconds.
    pub elapsed: f64,
    /// Parameters by name.
    pub weights: BTreeMap<String, Tensor>,
    /// Optimiser state by name; empty in `best`.
    pub optimizer: BTreeMap<String, Tensor>,
    /// What the training loop needs to go on; absent in `best`.
    pub training: Option<serde_json::Value>,
}

impl Checkpoint {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Checkpoint, CheckpointError> {
        let bytes = std::fs::read(path)
            .map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
        Checkpoint::from_bytes(&path.display().to_string(), &bytes)
    }

    /// Reads the bytes of a file; `name` stands in error messages.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
        read::read(name, bytes)
    }

    /// Writes to a temporary name, flushes to the disk and renames: the file is always whole.
    pub fn save(&self, path: &Path) -> Result<(), CheckpointError> {
        write::write(self, path)
    }

    /// The model with these weights, ready for training.
    pub fn model(&self) -> Result<Box<dyn Model>, CheckpointError> {
        Ok(model::restore(&self.config, self.vocabulary.len(), self.weights.clone())?)
    }

    /// The frozen weights, ready for parsing on the CPU, wherever they were trained.
    pub fn parser(&self) -> Result<Arc<dyn Parser>, CheckpointError> {
        self.parser_on("cpu")
    }

    /// The same on a device, as `config.device` names them.
    pub fn parser_on(&self, device: &str) -> Result<Arc<dyn Parser>, CheckpointError> {
        let config = Config { device: device.into(), ..self.config.clone() };
        let model = model::restore(&config, self.vocabulary.len(), self.weights.clone())?;
        Ok(model.freeze()?)
    }
}
