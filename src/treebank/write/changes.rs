use super::super::{Place, STEPS, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

const fn step(name: &'static str, noun: &'static str, done: &'static str) -> Step {
    Step::new(name, noun, done)
}

/// What writers change, besides the steps of preprocessing.
const KINDS: [Step; 18] = [
    step("attached", "node", "attached elsewhere, for the format has no gaps"),
    step("attached-higher", "node", "attached higher to close gaps"),
    step("attached-lower", "word", "below the root attached to the phrase around"),
    step("characters-replaced", "text", "with characters that XML forbids, which became U+FFFD"),
    step("edge-labels-joined", "edge label", "written behind a phrase label"),
    step("edge-labels-left-out", "edge label", "that the format cannot hold"),
    step("empty-elements-left-out", "empty element", "left out as no word"),
    step("labels-changed", "label", "rewritten to fit between brackets"),
    step("lemmas-left-out", "lemma", "that the format cannot hold"),
    step("morphology-left-out", "morphological tag", "that the format cannot hold"),
    step("names-left-out", "sentence name", "that the format cannot hold"),
    step("phrases-left-out", "phrase", "that the format cannot hold"),
    step("roots-added", "root", "added, for the format implies one"),
    step("roots-renamed", "root", "renamed to the one that the format implies"),
    step("secondary-edges-left-out", "secondary edge", "that the format cannot hold"),
    step("sentences-left-out", "sentence", "that the format cannot hold"),
    step("tags-left-out", "tag", "that the format cannot hold"),
    step("words-escaped", "word", "rewritten to fit between brackets"),
];

/// Something that is not in the output as it was in the input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Short stable name, e.g. `edge-labels-left-out`.
    pub kind: &'static str,
    pub file: Arc<str>,
    /// Of the sentence, from 1; 0 where it is not known.
    pub line: u32,
    pub column: u32,
    /// How many things of the sentence changed so.
    pub count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Change {
    /// What a kind of change did to so many things, to be told behind their number: `lemmas that
    /// the format cannot hold`.
    pub fn meaning(kind: &str, count: u64) -> String {
        let step = KINDS.iter().chain(&STEPS).find(|step| step.name == kind);
        step.map_or(String::new(), |step| step.meaning(count))
    }
}

/// All changes of a conversion, in the order of the sentences.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes(pub Vec<Change>);

impl Changes {
    /// Adds to what changed in the sentence at this place.
    pub fn at<'a>(&'a mut self, place: &'a Place) -> Notes<'a> {
        Notes { changes: &mut self.0, place }
    }

    /// How many things changed, by kind.
    pub fn counts(&self) -> BTreeMap<&'static str, u64> {
        let mut counts = BTreeMap::new();
        for change in &self.0 {
            *counts.entry(change.kind).or_default() += change.count;
        }
        counts
    }

    pub fn extend(&mut self, other: Changes) {
        self.0.extend(other.0);
    }
}

/// What changes in one sentence.
#[derive(Debug)]
pub struct Notes<'a> {
    changes: &'a mut Vec<Change>,
    place: &'a Place,
}

impl Notes<'_> {
    /// Notes that `count` things changed; none is no change.
    pub fn add(&mut self, kind: &'static str, count: u64, detail: Option<String>) {
        if count > 0 {
            let Place { file, line, column } = self.place.clone();
            self.changes.push(Change { kind, file, line, column, count, detail });
        }
    }
}
