//! In which settings runs differ.

use crate::config::Config;
use crate::workbench::shared::RunEntry;
use std::collections::{BTreeMap, BTreeSet};

/// A setting with its value in every run shown; `None` where a run does not have it.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    pub key: String,
    pub values: Vec<Option<String>>,
}

/// Sections by how much a difference in them tells of a run, the most first.
const TELLING: [&str; 5] = ["model.family", "model.", "training.", "seed", "data."];

/// Settings that are not the same in all runs, those that tell most first; none for fewer than
/// two.
pub fn differences(runs: &[&RunEntry]) -> Vec<Difference> {
    if runs.len() < 2 {
        return Vec::new();
    }
    let tables: Vec<BTreeMap<String, String>> =
        runs.iter().map(|r| r.config.as_ref().map(flat).unwrap_or_default()).collect();
    let keys: BTreeSet<&String> = tables.iter().flat_map(|t| t.keys()).collect();
    let mut keys: Vec<&String> = keys.into_iter().collect();
    keys.sort_by_key(|key| TELLING.iter().position(|start| key.starts_with(start)).unwrap_or(9));
    keys.into_iter()
        .map(|key| Difference {
            key: key.clone(),
            values: tables.iter().map(|t| t.get(key).cloned()).collect(),
        })
        .filter(|difference| {
            // That a count has no training is told by its family once.
            let of_training = difference.key.starts_with("training.");
            let pairs = runs.iter().zip(&difference.values);
            let mut told =
                pairs.filter(|(run, _)| !(of_training && run.is_counted())).map(|(_, value)| value);
            told.next().is_some_and(|first| told.any(|value| value != first))
        })
        .collect()
}

/// `section.key` to value, as TOML writes it, of what means something to the family.
fn flat(config: &Config) -> BTreeMap<String, String> {
    fn walk(prefix: &str, value: &toml::Value, into: &mut BTreeMap<String, String>) {
        match value {
            toml::Value::Table(table) => {
                for (key, value) in table {
                    let key =
                        if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                    walk(&key, value, into);
                }
            }
            toml::Value::String(text) => {
                into.insert(prefix.to_owned(), text.clone());
            }
            other => {
                into.insert(prefix.to_owned(), other.to_string());
            }
        }
    }
    let mut out = BTreeMap::new();
    if let Ok(table) = toml::from_str::<toml::Table>(&config.to_toml()) {
        walk("", &toml::Value::Table(table), &mut out);
    }
    out.retain(|key, _| config.model.family.reads(key));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::names::RunId;

    #[test]
    fn only_settings_that_differ_are_listed() {
        let mut a = RunEntry::new(RunId(1), "runs/a".into());
        let mut b = RunEntry::new(RunId(2), "runs/b".into());
        let mut config = Config::default();
        a.config = Some(config.clone());
        config.seed = 7;
        config.model.rank = 64;
        config.data.lowercase = Some(false);
        config.threads = 3;
        b.config = Some(config.clone());
        let found = differences(&[&a, &b]);
        let keys: Vec<&str> = found.iter().map(|d| d.key.as_str()).collect();
        assert_eq!(keys, ["model.rank", "seed", "data.lowercase", "threads"]);
        assert_eq!(found[1].values, [Some("0".into()), Some("7".into())]);
        config.model.family = crate::config::Family::RankHmm;
        b.config = Some(config);
        let found = differences(&[&a, &b]);
        assert_eq!(found[0].key, "model.family");
        let states = found.iter().find(|d| d.key == "model.states").expect("a grammar has none");
        assert_eq!(states.values, [None, Some("256".into())]);
        assert!(differences(&[&a]).is_empty());
        b.config.as_mut().expect("set").model.family = crate::config::Family::Ngram;
        let found = differences(&[&a, &b]);
        assert!(found.iter().all(|d| !d.key.starts_with("training.")), "{found:?}");
    }
}
