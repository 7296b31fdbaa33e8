use super::{Checkpoint, CheckpointError, SCHEMA, write_atomically_with};
use candle_core::{DType, Tensor};
use safetensors::tensor::{Dtype, View};
use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::Path;

/// A tensor as the file wants it; bytes are made one tensor at a time.
pub(super) struct Stored<'a> {
    tensor: &'a Tensor,
    dtype: Dtype,
}

impl<'a> Stored<'a> {
    pub fn new(tensor: &'a Tensor) -> Result<Stored<'a>, String> {
        let dtype = match tensor.dtype() {
            DType::F32 => Dtype::F32,
            DType::F64 => Dtype::F64,
            DType::U32 => Dtype::U32,
            other => return Err(format!("tensors of type {other:?} are not stored")),
        };
        // What can fail is done here, for `View::data` may not.
        if !tensor.is_contiguous() || !tensor.device().is_cpu() {
            return Err("a tensor is not contiguous in main memory".into());
        }
        Ok(Stored { tensor, dtype })
    }
}

impl View for Stored<'_> {
    fn dtype(&self) -> Dtype {
        self.dtype
    }

    fn shape(&self) -> &[usize] {
        self.tensor.dims()
    }

    fn data(&self) -> Cow<'_, [u8]> {
        let (storage, layout) = self.tensor.storage_and_layout();
        let range = layout.start_offset()..layout.start_offset() + layout.shape().elem_count();
        match &*storage {
            candle_core::Storage::Cpu(candle_core::CpuStorage::F32(values)) => {
                values[range].iter().flat_map(|x| x.to_le_bytes()).collect()
            }
            candle_core::Storage::Cpu(candle_core::CpuStorage::F64(values)) => {
                values[range].iter().flat_map(|x| x.to_le_bytes()).collect()
            }
            candle_core::Storage::Cpu(candle_core::CpuStorage::U32(values)) => {
                values[range].iter().flat_map(|x| x.to_le_bytes()).collect()
            }
            _ => unreachable!("the constructor takes f32, f64 and u32 in main memory only"),
        }
    }

    fn data_len(&self) -> usize {
        self.tensor.elem_count() * self.dtype.bitsize() / 8
    }
}

pub(super) fn write(checkpoint: &Checkpoint, path: &Path) -> Result<(), CheckpointError> {
    let failed = |reason: String| CheckpointError::Write { path: path.to_owned(), reason };
    let metadata = metadata(checkpoint).map_err(|e| failed(e.to_string()))?;
    let groups = [("model", &checkpoint.weights), ("optimizer", &checkpoint.optimizer)];
    let mut tensors = Vec::new();
    for (group, members) in groups {
        for (name, tensor) in members {
            let stored = Stored::new(tensor).map_err(|e| failed(format!("{group}.{name}: {e}")))?;
            tensors.push((format!("{group}.{name}"), stored));
        }
    }
    serialize(tensors, Some(metadata), path)
        .map_err(|source| CheckpointError::Io { path: path.to_owned(), source })?;
    sync_folder(path);
    Ok(())
}

/// The rename itself reaches the disk with the folder; some file systems cannot sync one.
pub(super) fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|p| File::open(p).ok()) {
        let _ = folder.sync_all();
    }
}

/// Tensors under their names and nothing else.
pub(super) fn bare(tensors: &[(&str, &Tensor)], path: &Path) -> io::Result<()> {
    let stored = tensors.iter().map(|&(name, tensor)| {
        let stored = Stored::new(tensor).map_err(|e| io::Error::other(format!("{name}: {e}")))?;
        Ok((name.to_owned(), stored))
    });
    serialize(stored.collect::<io::Result<_>>()?, None, path)
}

pub(super) fn serialize(
    tensors: Vec<(String, Stored)>,
    metadata: Option<HashMap<String, String>>,
    path: &Path,
) -> io::Result<()> {
    write_atomically_with(path, |temporary| {
        safetensors::serialize_to_file(tensors, metadata, temporary).map_err(|e| match e {
            safetensors::SafeTensorError::IoError(e) => e,
            other => io::Error::other(other),
        })?;
        File::open(temporary)?.sync_all()
    })
}

fn metadata(checkpoint: &Checkpoint) -> serde_json::Result<HashMap<String, String>> {
    let Checkpoint { config, vocabulary, preprocessing, step, epoch, elapsed, training, .. } =
        checkpoint;
    let vocabulary = serde_json::json!({
        "words": vocabulary.words(),
        "unknown": vocabulary.unknown(),
        "end": vocabulary.end(),
    });
    let mut metadata = HashMap::from(
        [
            ("schema", SCHEMA.to_string()),
            ("kind", "model".into()),
            ("family", config.model.family.name().into()),
            ("config", config.to_toml()),
            ("vocabulary", vocabulary.to_string()),
            ("preprocessing", serde_json::to_string(preprocessing)?),
            ("step", step.to_string()),
            ("epoch", epoch.to_string()),
            ("elapsed", elapsed.to_string()),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    if let Some(training) = training {
        metadata.insert("training".into(), training.to_string());
    }
    Ok(metadata)
}
