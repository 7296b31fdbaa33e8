//! JSON files of our own, each with a `schema` number.

use super::RunError;
use crate::checkpoint::write_atomically;
use crate::report::SCHEMA;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::Path;

/// What a file holds; one of a newer version is refused.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RunError> {
    let bytes = std::fs::read(path).map_err(RunError::io(path))?;
    let value = serde_json::from_slice(&bytes).map_err(malformed(path))?;
    parse(value, path)
}

/// What the value of a file holds; one of a newer version is refused.
pub(super) fn parse<T: DeserializeOwned>(value: Value, path: &Path) -> Result<T, RunError> {
    match value.get("schema").and_then(Value::as_u64) {
        Some(found) if found > u64::from(SCHEMA) => {
            let found = u32::try_from(found).unwrap_or(u32::MAX);
            Err(RunError::Newer { path: path.to_owned(), found, known: SCHEMA })
        }
        _ => serde_json::from_value(value).map_err(malformed(path)),
    }
}

pub(super) fn write(path: &Path, value: &impl Serialize) -> Result<(), RunError> {
    let bytes = serde_json::to_vec_pretty(value).map_err(std::io::Error::other);
    bytes.and_then(|bytes| write_atomically(path, &bytes)).map_err(RunError::io(path))
}

fn malformed(path: &Path) -> impl FnOnce(serde_json::Error) -> RunError {
    move |error| RunError::Malformed { path: path.to_owned(), reason: error.to_string() }
}
