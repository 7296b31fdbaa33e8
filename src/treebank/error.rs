use super::{Problem, Removed};
use thiserror::Error;

/// Why a corpus could not be read at all; single faults in a file are [`super::Problem`]s.
#[derive(Debug, Error)]
pub enum TreebankError {
    #[error("{path}: {reason}")]
    Read { path: String, reason: String },
    #[error("{source_text}: no such file or folder, and no file matches it")]
    NotFound { source_text: String },
    #[error("{path}: no treebank or text file in this folder (looked for {extensions})")]
    NothingInFolder { path: String, extensions: String },
    #[error("{path}: a run folder, no treebank; what it was trained on is in its config.toml")]
    RunFolder { path: String },
    #[error("data.{split}: nothing given: expected a file, folder, glob or list of them")]
    NoSource { split: &'static str },
    #[error("{name} has no trees: supervised parsers learn from trees (data.{split})")]
    NoTrees { split: &'static str, name: String },
    #[error("{name}: {reason}")]
    NoSentence {
        name: String,
        reason: String,
        /// What was found instead of sentences.
        problems: Vec<Problem>,
        removed: Removed,
    },
    #[error("data.sections = \"{sections}\": {reason}")]
    Sections { sections: String, reason: String },
    #[error("data.preset = \"{name}\": no such preset; expected one of {known}")]
    Preset { name: String, known: String },
    #[error("sample:{name}: not part of the bundled sample; expected sample: and one of {known}")]
    Sample { name: String, known: String },
    #[error("{path}: cannot be written: {reason}")]
    Write { path: String, reason: String },
}
