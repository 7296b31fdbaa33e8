use super::{Removed, Tree};
use std::fmt;
use std::sync::Arc;

/// A labelled span `[start, end)` in word offsets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LabelledSpan {
    pub start: u32,
    pub end: u32,
    pub label: Arc<str>,
}

/// A sentence after preprocessing, ready for a vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct Sentence {
    /// Words as models see them (lower case, numbers to `N` and so on).
    pub words: Vec<Arc<str>>,
    /// The same words as written in the file.
    pub surface: Vec<Arc<str>>,
    /// Gold part-of-speech tags, one a word, where the file has trees.
    pub tags: Option<Vec<Arc<str>>>,
    /// Gold spans in preorder, one-word, whole-sentence and unary ones
    /// included; `None` where there is no gold tree.
    pub gold: Option<Vec<LabelledSpan>>,
    /// The tree as read, before preprocessing.
    pub tree: Option<Arc<Tree>>,
    /// Number of the sentence in its corpus as read, from 0.
    pub index: usize,
}

impl Sentence {
    pub fn len(&self) -> usize {
        self.words.len()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }
}

/// A fault or oddity in a file; lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub file: Arc<str>,
    pub line: u32,
    pub column: u32,
    /// Short stable name, e.g. `unclosed`, `extra-close`, `not-utf8`.
    pub kind: &'static str,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Problem { file, line, column, kind, message } = self;
        write!(f, "{file}:{line}:{column}: {message} [{kind}]")
    }
}

/// Sentences of one split with what the reader said about their files.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    /// Name to show: a file name, `gum-open`, `sample`.
    pub name: String,
    pub sentences: Vec<Sentence>,
    pub problems: Vec<Problem>,
    pub removed: Removed,
    /// Files beside those read that were passed over.
    pub notes: Vec<String>,
}
