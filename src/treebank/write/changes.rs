use super::super::{Place, STEPS, Step};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

const fn step(name: &'static str, meaning: &'static str) -> Step {
    Step { name, meaning }
}

/// What writers change, besides the steps of preprocessing.
const KINDS: [Step; 18] = [
    step("attached", "nodes attached elsewhere, for the format has no gaps"),
    step("attached-higher", "nodes attached higher to close gaps"),
    step("attached-lower", "words below the root attached to the phrase around them"),
    step("characters-replaced", "texts with characters that XML forbids, which became U+FFFD"),
    step("edge-labels-joined", "edge labels written behind phrase labels"),
    step("edge-labels-left-out", "edge labels that the format cannot hold"),
    step("empty-elements-left-out", "empty elements, which are no words"),
    step("labels-changed", "labels rewritten so that brackets can hold them"),
    step("lemmas-left-out", "lemmas that the format cannot hold"),
    step("morphology-left-out", "morphological tags that the format cannot hold"),
    step("names-left-out", "names of sentences that the format cannot hold"),
    step("phrases-left-out", "phrases that the format cannot hold"),
    step("roots-added", "roots added, for the format implies one"),
    step("roots-renamed", "roots renamed to the one that the format implies"),
    step("secondary-edges-left-out", "secondary edges that the format cannot hold"),
    step("sentences-left-out", "sentences that the format cannot hold"),
    step("tags-left-out", "tags that the format cannot hold"),
    step("words-escaped", "words rewritten so that brackets can hold them"),
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
    /// What a kind of change does to what, for a number before it: `5 lemmas left out`.
    pub fn meaning(kind: &str) -> &'static str {
        KINDS.iter().chain(&STEPS).find(|step| step.name == kind).map_or("", |step| step.meaning)
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
