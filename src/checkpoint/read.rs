use super::{Checkpoint, CheckpointError, SCHEMA};
use crate::config::Config;
use crate::treebank::Vocabulary;
use candle_core::{Device, Tensor};
use safetensors::tensor::{Dtype, TensorView};
use safetensors::{SafeTensorError, SafeTensors};
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// Whether a safetensors file is a checkpoint of this program.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    let header = SafeTensors::read_metadata(bytes);
    header.is_ok_and(|(_, h)| h.metadata().as_ref().is_some_and(|m| m.contains_key("schema")))
}

pub(super) fn read(name: &str, bytes: &[u8]) -> Result<Checkpoint, CheckpointError> {
    let malformed = |reason: String| CheckpointError::Malformed { name: name.to_owned(), reason };
    let import = format!("`rankspace import {name} --family FAMILY ...` makes a checkpoint of it");
    let (_, header) = SafeTensors::read_metadata(bytes)
        .map_err(|e| malformed(other_format(bytes, &e, &format!("; {import}"))))?;
    let metadata =
        Metadata(header.metadata().as_ref().filter(|m| m.contains_key("schema")).ok_or_else(
            || malformed(format!("it holds tensors without metadata of ours; {import}")),
        )?);
    metadata.check(name, "model")?;
    let config = metadata.text("config").map_err(malformed)?;
    let config =
        Config::from_toml("its config", config, &[]).map_err(|e| malformed(e.to_string()))?;
    let mut weights = BTreeMap::new();
    let mut optimizer = BTreeMap::new();
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| malformed(e.to_string()))?;
    for (full_name, view) in tensors.iter() {
        let (group, member) = match full_name.split_once('.') {
            Some(("model", member)) => (&mut weights, member),
            Some(("optimizer", member)) => (&mut optimizer, member),
            _ => return Err(malformed(format!("tensor `{full_name}` belongs to no known group"))),
        };
        let tensor = tensor(&view).map_err(|e| malformed(format!("tensor `{full_name}` {e}")))?;
        group.insert(member.to_owned(), tensor);
    }
    Ok(Checkpoint {
        config,
        vocabulary: Arc::new(metadata.vocabulary().map_err(malformed)?),
        preprocessing: metadata.json("preprocessing").map_err(malformed)?,
        step: metadata.number("step").map_err(malformed)?,
        epoch: metadata.number("epoch").map_err(malformed)?,
        elapsed: metadata.number("elapsed").map_err(malformed)?,
        weights,
        optimizer,
        training: match metadata.0.contains_key("training") {
            true => Some(metadata.json("training").map_err(malformed)?),
            false => None,
        },
    })
}

/// What a file is in which no tensors can be found; `pytorch` is what to do with one of PyTorch.
pub(super) fn other_format(bytes: &[u8], error: &SafeTensorError, pytorch: &str) -> String {
    match bytes {
        // A safetensors file that is cut short may begin with any length.
        [_, _, _, _, _, _, _, _, b'{', ..] => format!("it is cut short or damaged ({error})"),
        // The beginnings of a zip archive and of a pickle.
        [b'P', b'K', 3, 4, ..] | [0x80, 2..=5, ..] => format!("it is a file of PyTorch{pytorch}"),
        _ if is_text(bytes) => "it is text, such as a treebank".into(),
        _ => format!("it is no safetensors file ({error})"),
    }
}

fn is_text(bytes: &[u8]) -> bool {
    let beginning = &bytes[..bytes.len().min(1 << 10)];
    let is_utf8 = match std::str::from_utf8(beginning) {
        Ok(_) => true,
        // A character may be cut in two.
        Err(e) => e.error_len().is_none(),
    };
    is_utf8 && !beginning.is_empty() && !beginning.contains(&0)
}

/// The strings of the header; every error names the key.
pub(super) struct Metadata<'a>(pub &'a HashMap<String, String>);

impl<'a> Metadata<'a> {
    /// Whether this version reads the file, and it is of this kind.
    pub fn check(&self, name: &str, expected: &str) -> Result<(), CheckpointError> {
        let malformed =
            |reason: String| CheckpointError::Malformed { name: name.to_owned(), reason };
        // The schema comes first: nothing else of a newer file need make sense.
        let schema: u32 = self.number("schema").map_err(malformed)?;
        if schema > SCHEMA {
            let (name, found) = (name.to_owned(), schema);
            return Err(CheckpointError::Newer { name, found, known: SCHEMA });
        }
        let kind = self.text("kind").map_err(malformed)?;
        if kind != expected {
            return Err(malformed(format!("its kind is `{kind}`, expected `{expected}`")));
        }
        Ok(())
    }

    pub fn text(&self, key: &str) -> Result<&'a str, String> {
        let value = self.0.get(key).map(String::as_str);
        value.ok_or_else(|| format!("its metadata has no `{key}`"))
    }

    fn number<T: std::str::FromStr>(&self, key: &str) -> Result<T, String> {
        let text = self.text(key)?;
        text.parse().map_err(|_| format!("its `{key}` is not a number: `{text:.40}`"))
    }

    pub fn json<T: DeserializeOwned>(&self, key: &str) -> Result<T, String> {
        serde_json::from_str(self.text(key)?).map_err(|e| format!("its `{key}`: {e}"))
    }

    fn vocabulary(&self) -> Result<Vocabulary, String> {
        #[derive(serde::Deserialize)]
        struct Stored {
            words: Vec<Arc<str>>,
            unknown: u32,
            #[serde(default)]
            end: Option<u32>,
        }
        let Stored { words, unknown, end } = self.json("vocabulary")?;
        let vocabulary = Vocabulary::from_words(words, unknown);
        match end {
            Some(end) => vocabulary.and_then(|v| v.ended_by(end)),
            None => vocabulary,
        }
        .ok_or_else(|| "its vocabulary has a word twice, or no unknown word or end".into())
    }
}

pub(super) fn tensor(view: &TensorView) -> Result<Tensor, String> {
    let (bytes, shape, cpu) = (view.data(), view.shape(), &Device::Cpu);
    let made = match view.dtype() {
        Dtype::F32 => {
            let (values, _) = bytes.as_chunks();
            Tensor::from_iter(values.iter().map(|&b| f32::from_le_bytes(b)), cpu)
        }
        Dtype::F64 => {
            let (values, _) = bytes.as_chunks();
            Tensor::from_iter(values.iter().map(|&b| f64::from_le_bytes(b)), cpu)
        }
        Dtype::U32 => {
            let (values, _) = bytes.as_chunks();
            Tensor::from_iter(values.iter().map(|&b| u32::from_le_bytes(b)), cpu)
        }
        other => return Err(format!("has type {other:?}, expected F32, F64 or U32")),
    };
    made.and_then(|t| t.reshape(shape)).map_err(|e| e.to_string())
}
