//! Candidate lists, features, kernels, perceptron and shuffling against `rerank/*.json`.

use crate::shared::{golden_files, shared};
use rankspace::treebank::candidates::{CandidateFile, ListFormat, Lists, ReadOptions};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// The contents of all golden files of a family.
fn golden<T: DeserializeOwned>(family: &str) -> Vec<T> {
    let Some(folder) = shared("golden/rerank") else { return Vec::new() };
    let files = golden_files(&folder, family, ".json");
    assert!(!files.is_empty(), "no {family}*.json in {}", folder.display());
    files.iter().map(read).collect()
}

fn read<T: DeserializeOwned>(path: &PathBuf) -> T {
    let text = std::fs::read_to_string(path).expect("a golden file can be read");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[derive(Deserialize)]
struct NBest {
    files: Vec<ListFile>,
}

#[derive(Deserialize)]
struct ListFile {
    name: String,
    format: String,
    log_base: serde_json::Value,
    text: String,
    sentences: Vec<ListSentence>,
    dropped: Vec<ListDrop>,
    messages: Vec<ListMessage>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListSentence {
    id: Option<String>,
    line: u32,
    words: Vec<String>,
    gold: Option<String>,
    candidates: Vec<ListCandidate>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListCandidate {
    tree: String,
    score: f64,
    line: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListDrop {
    line: u32,
    sentence: Option<usize>,
    reason: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListMessage {
    line: u32,
    kind: String,
    sentence: Option<usize>,
    announced: Option<usize>,
    found: Option<usize>,
}

/// What was read, in the words of the golden files.
fn as_golden(file: &CandidateFile) -> (Vec<ListSentence>, Vec<ListDrop>, Vec<ListMessage>) {
    let sentences = file.lists.iter().map(|list| ListSentence {
        id: list.id.clone(),
        line: list.line,
        words: list.words.iter().map(|w| w.to_string()).collect(),
        gold: list.gold.as_ref().map(|g| g.to_string()),
        candidates: list
            .candidates
            .iter()
            .map(|c| ListCandidate { tree: c.tree.to_string(), score: c.log_prob, line: c.line })
            .collect(),
    });
    let dropped = file.dropped.iter().map(|d| ListDrop {
        line: d.line,
        sentence: d.sentence,
        reason: d.reason.name().to_owned(),
    });
    let messages = file.messages.iter().map(|m| ListMessage {
        line: m.line,
        kind: m.kind.name().to_owned(),
        sentence: m.sentence,
        announced: m.kind.numbers().map(|n| n.0),
        found: m.kind.numbers().map(|n| n.1),
    });
    (sentences.collect(), dropped.collect(), messages.collect())
}

#[test]
fn golden_rerank_nbest_lists_drops_and_messages_are_those_expected() {
    for golden in golden::<NBest>("nbest") {
        for file in golden.files {
            let options = ReadOptions::default();
            let read = Lists::new(file.text.as_bytes(), &file.name, options)
                .unwrap_or_else(|e| panic!("{e}"))
                .collect_all();
            let name = &file.name;
            assert_eq!(read.format, ListFormat::named(&file.format).expect("a format"), "{name}");
            let base = file.log_base.as_str().map_or(file.log_base.to_string(), str::to_owned);
            assert_eq!(read.log_base.to_string(), base, "{name}");
            let (sentences, dropped, messages) = as_golden(&read);
            assert_eq!(sentences.len(), file.sentences.len(), "{name}");
            for (found, expected) in sentences.iter().zip(&file.sentences) {
                let scores = found.candidates.iter().zip(&expected.candidates);
                assert!(scores.clone().all(|(a, b)| (a.score - b.score).abs() < 1e-9), "{name}");
                let all = (&found.id, found.line, &found.words, &found.gold);
                let wanted = (&expected.id, expected.line, &expected.words, &expected.gold);
                assert_eq!(all, wanted, "{name}");
                let trees = |s: &ListSentence| -> Vec<(String, u32)> {
                    s.candidates.iter().map(|c| (c.tree.clone(), c.line)).collect()
                };
                assert_eq!(trees(found), trees(expected), "{name}");
            }
            assert_eq!(dropped, file.dropped, "{name}");
            assert_eq!(messages, file.messages, "{name}");
        }
    }
}
