//! Files of other kinds than models: the same format, with tensors and texts by name.

use super::read::{Metadata, other_format, tensor};
use super::write::{Stored, serialize, sync_folder};
use super::{CheckpointError, SCHEMA};
use candle_core::Tensor;
use safetensors::SafeTensors;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::path::Path;

/// Tensors and JSON by name. Metadata `schema` and `kind` are the file's own.
#[derive(Clone, Debug, Default)]
pub struct TensorFile {
    pub metadata: HashMap<String, String>,
    /// Of type f32, f64 or u32.
    pub tensors: BTreeMap<String, Tensor>,
}

impl TensorFile {
    /// Reads a file that was saved as this kind.
    pub fn load(path: &Path, kind: &str) -> Result<TensorFile, CheckpointError> {
        let bytes = std::fs::read(path)
            .map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
        TensorFile::from_bytes(&path.display().to_string(), &bytes, kind)
    }

    /// What kind a file of ours says that it is; no more of it is read than its header.
    pub fn kind_of(path: &Path) -> Option<String> {
        TensorFile::kind_and_family(path).map(|(kind, _)| kind)
    }

    /// The same with the family of a model, where it is one.
    pub fn kind_and_family(path: &Path) -> Option<(String, Option<String>)> {
        let mut file = std::fs::File::open(path).ok()?;
        let mut length = [0; 8];
        file.read_exact(&mut length).ok()?;
        let length = u64::from_le_bytes(length);
        if length > file.metadata().ok()?.len() {
            return None;
        }
        let mut header = Vec::new();
        file.take(length).read_to_end(&mut header).ok()?;
        let header: serde_json::Value = serde_json::from_slice(&header).ok()?;
        let said = |key: &str| header["__metadata__"][key].as_str().map(str::to_owned);
        Some((said("kind")?, said("family")))
    }

    /// Reads the bytes of a file; `name` stands in error messages.
    pub fn from_bytes(name: &str, bytes: &[u8], kind: &str) -> Result<TensorFile, CheckpointError> {
        let malformed =
            |reason: String| CheckpointError::Malformed { name: name.to_owned(), reason };
        let (_, header) = SafeTensors::read_metadata(bytes)
            .map_err(|e| malformed(other_format(bytes, &e, "")))?;
        let metadata = header
            .metadata()
            .clone()
            .ok_or_else(|| malformed("it holds tensors without metadata of ours".into()))?;
        Metadata(&metadata).check(name, kind)?;
        let read = SafeTensors::deserialize(bytes).map_err(|e| malformed(e.to_string()))?;
        let mut tensors = BTreeMap::new();
        for (name, view) in read.iter() {
            let tensor = tensor(&view).map_err(|e| malformed(format!("tensor `{name}` {e}")))?;
            tensors.insert(name.to_owned(), tensor);
        }
        Ok(TensorFile { metadata, tensors })
    }

    /// Writes to a temporary name, flushes to the disk and renames: the file is always whole.
    pub fn save(&self, path: &Path, kind: &str) -> Result<(), CheckpointError> {
        let failed = |reason: String| CheckpointError::Write { path: path.to_owned(), reason };
        let mut metadata = self.metadata.clone();
        metadata.insert("schema".into(), SCHEMA.to_string());
        metadata.insert("kind".into(), kind.into());
        let stored = self.tensors.iter().map(|(name, tensor)| {
            let stored = Stored::new(tensor).map_err(|e| failed(format!("{name}: {e}")))?;
            Ok((name.clone(), stored))
        });
        let stored = stored.collect::<Result<Vec<_>, CheckpointError>>()?;
        serialize(stored, Some(metadata), path)
            .map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
        sync_folder(path);
        Ok(())
    }

    /// Puts in a value as JSON.
    pub fn set(&mut self, key: &str, value: &impl Serialize) {
        let json = serde_json::to_string(value).expect("plain data has a form in JSON");
        self.metadata.insert(key.to_owned(), json);
    }

    /// The JSON of a key, or what is wrong with it.
    pub fn get<T: DeserializeOwned>(&self, key: &str) -> Result<T, String> {
        Metadata(&self.metadata).json(key)
    }

    /// The text of a key.
    pub fn text(&self, key: &str) -> Result<&str, String> {
        Metadata(&self.metadata).text(key)
    }

    /// All numbers of a tensor of this many columns, or what is wrong with it.
    pub fn numbers<T: candle_core::WithDType>(
        &self,
        name: &str,
        columns: usize,
    ) -> Result<Vec<T>, String> {
        let tensor = self.tensors.get(name).ok_or_else(|| format!("it has no tensor `{name}`"))?;
        let fits = match (columns, tensor.dims()) {
            (1, [_]) => true,
            (columns, [_, found]) => columns == *found,
            _ => false,
        };
        if !fits || tensor.dtype() != T::DTYPE {
            let (dims, dtype) = (tensor.dims(), tensor.dtype());
            return Err(format!(
                "its tensor `{name}` has shape {dims:?} and type {dtype:?}, expected rows of \
                 {columns} and {:?}",
                T::DTYPE
            ));
        }
        tensor.flatten_all().and_then(|t| t.to_vec1()).map_err(|e| e.to_string())
    }
}
