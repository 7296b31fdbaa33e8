//! Settings that what is kept of a run was made with: a resumption has to have the same, or its
//! figures would not be those of its config.

use super::{RunError, RunFolder};
use crate::config::Config;
use std::collections::BTreeMap;
use toml::{Table, Value};

/// Some settings, or sections of them.
pub(super) fn some(config: &Config, names: &[&str]) -> Table {
    let all: Table = config.to_toml().parse().unwrap_or_default();
    all.into_iter().filter(|(name, _)| names.iter().any(|own| own == name)).collect()
}

/// Whether these settings, but for the keys that are free, are those that `what` was made with.
pub(super) fn check(
    folder: &RunFolder,
    (ours, theirs): (&Table, &Table),
    what: &str,
    free: &[&str],
) -> Result<(), RunError> {
    let (ours, theirs) = (flat(ours), flat(theirs));
    let keys = ours.keys().chain(theirs.keys()).filter(|key| !free.contains(&key.as_str()));
    for key in keys {
        let (own, other) = (ours.get(key), theirs.get(key));
        if own != other {
            let told = |value: Option<&&Value>| value.map_or("not set".into(), |v| v.to_string());
            return Err(RunError::Unsuitable(format!(
                "{}: {key} is {}, and {what} were made with {}: put it back, or begin with it in a \
                 new folder",
                folder.config_path().display(),
                told(own),
                told(other),
            )));
        }
    }
    Ok(())
}

/// The values by their whole keys.
fn flat(table: &Table) -> BTreeMap<String, &Value> {
    let mut flattened = BTreeMap::new();
    for (name, value) in table {
        match value {
            Value::Table(section) => {
                let inner = flat(section).into_iter();
                flattened.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value)));
            }
            value => drop(flattened.insert(name.clone(), value)),
        }
    }
    flattened
}
