//! Our own lists: one JSON object a sentence.

use super::super::json_words::in_words;
use super::assemble::Assembler;
use super::{CandidateList, Reason};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of the format; a newer one is refused with a sentence.
const SCHEMA: u64 = 1;

#[derive(Serialize, Deserialize)]
struct Sentence {
    schema: u64,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    id: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gold: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fold: Option<u32>,
    candidates: Vec<Tree>,
}

#[derive(Serialize, Deserialize)]
struct Tree {
    tree: String,
    #[serde(default)]
    log_prob: Value,
}

/// Takes a line of a file.
pub(super) fn line(at: u32, line: &str, out: &mut Assembler) {
    if line.trim().is_empty() {
        return;
    }
    let sentence: Sentence = match serde_json::from_str(line) {
        Ok(sentence) => sentence,
        Err(error) => return out.lose(at, Reason::BadJson, &in_words(&error)),
    };
    if sentence.schema > SCHEMA {
        let detail =
            format!("schema {} is newer than {SCHEMA}, which this version reads", sentence.schema);
        return out.lose(at, Reason::BadJson, &detail);
    }
    let id = match &sentence.id {
        Value::String(id) => Some(id.clone()),
        Value::Null => None,
        other => Some(other.to_string()),
    };
    out.begin(id.as_deref(), at, None);
    out.fold(sentence.fold);
    if let Some(gold) = &sentence.gold {
        out.gold(gold, at);
    }
    for Tree { tree, log_prob } in &sentence.candidates {
        let shown = log_prob.to_string();
        let shown = if log_prob.is_null() { "" } else { &shown };
        out.candidate(log_prob.as_f64().filter(|p| p.is_finite()).ok_or(shown), at, tree, at);
    }
    out.end();
}

/// The line of a list, without its end.
pub(super) fn text(list: &CandidateList) -> String {
    let tree =
        |c: &super::Candidate| Tree { tree: c.tree.to_string(), log_prob: c.log_prob.into() };
    let sentence = Sentence {
        schema: SCHEMA,
        id: list.id.clone().map_or(Value::Null, Value::String),
        gold: list.gold.as_ref().map(|gold| gold.to_string()),
        fold: list.fold,
        candidates: list.candidates.iter().map(tree).collect(),
    };
    serde_json::to_string(&sentence).expect("names, trees and finite numbers are JSON")
}
