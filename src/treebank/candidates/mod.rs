//! Candidate lists: for every sentence the trees that some parser ranks highest, with their
//! log-probabilities in nats, and the gold tree where there is one.
//!
//! Files of the BLLIP, Berkeley, Charniak & Johnson and Stanford parsers and our own JSON lines come
//! in, streamed, plain or gzip. A candidate that cannot be used is dropped with its line and reason,
//! and a sentence that a parser could not do keeps its place: nothing is left out in silence.

mod assemble;
mod format;
mod formats;
mod gold;
mod json;
mod reader;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use format::{ListFormat, LogBase};
pub use gold::Attached;
pub use reader::{CandidateFile, Lists, ReadOptions, in_step};
pub use tree::plain_words;
pub use write::write_list;

use super::Tree;
use std::fmt;
use std::sync::Arc;

/// The candidates of one sentence.
#[derive(Clone, Debug, PartialEq)]
pub struct CandidateList {
    /// What the file calls the sentence, if it has a name for it.
    pub id: Option<String>,
    /// First line of its block, from 1.
    pub line: u32,
    /// Number of the sentence in the file, from 0; a line that cannot be read keeps its own.
    pub place: usize,
    /// What every candidate is over, escapes of brackets and slashes undone; empty where there is
    /// neither a gold tree nor a candidate.
    pub words: Vec<Arc<str>>,
    pub gold: Option<Arc<Tree>>,
    /// Part of a jackknifed training set: the candidates come from a parser that was trained on
    /// the other parts.
    pub fold: Option<u32>,
    /// In the order of the file.
    pub candidates: Vec<Candidate>,
}

impl CandidateList {
    /// A list as a parser makes it, with log-probabilities in nats; roots that stand for no phrase are
    /// taken away. All trees are over the same words.
    pub fn new(
        id: String,
        gold: Option<&Tree>,
        candidates: impl IntoIterator<Item = (Tree, f64)>,
    ) -> CandidateList {
        let bare = |tree: &Tree| Arc::new(tree::unwrapped(tree, tree.place.line));
        let candidate =
            |(tree, log_prob)| Candidate { tree: bare(&tree), log_prob, line: tree.place.line };
        let candidates: Vec<Candidate> = candidates.into_iter().map(candidate).collect();
        let gold = gold.map(bare);
        let any = gold.as_ref().or_else(|| candidates.first().map(|c| &c.tree));
        let words = any.map(|tree| tree::plain_words(tree)).unwrap_or_default();
        CandidateList { id: Some(id), line: 0, place: 0, words, gold, fold: None, candidates }
    }

    /// Stands for a sentence of which nothing could be read.
    fn lost(place: usize) -> CandidateList {
        let (words, candidates) = (Vec::new(), Vec::new());
        CandidateList { id: None, line: 0, place, words, gold: None, fold: None, candidates }
    }

    /// Gives the list a gold tree; refuses one over other words, by `false`.
    pub fn set_gold(&mut self, gold: &Tree) -> bool {
        let words = tree::plain_words(gold);
        if self.words != words && !(self.words.is_empty() && self.candidates.is_empty()) {
            return false;
        }
        self.words = words;
        self.gold = Some(Arc::new(tree::unwrapped(gold, gold.place.line)));
        true
    }
}

/// A tree of a list, without a node that stands for no phrase above it (`TOP`, `ROOT`, `S1`).
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub tree: Arc<Tree>,
    /// Nats, by the parser that made the list.
    pub log_prob: f64,
    /// Where its score stands.
    pub line: u32,
}

/// A candidate, or a line, that was left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    pub line: u32,
    /// Number of the sentence in the file, from 0.
    pub sentence: Option<usize>,
    pub reason: Reason,
    /// What was found.
    pub detail: String,
}

/// Why something was left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// No finite number stands where the score should.
    BadScore,
    /// Brackets that are no tree over tagged words.
    BadTree,
    /// The words are not those of the sentence.
    YieldMismatch,
    /// A score without a tree.
    Truncated,
    /// A line of ours that is no such object.
    BadJson,
}

impl Reason {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Reason::BadScore => "bad-score",
            Reason::BadTree => "bad-tree",
            Reason::YieldMismatch => "yield-mismatch",
            Reason::Truncated => "truncated",
            Reason::BadJson => "bad-json",
        }
    }
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: dropped: {} [{}]", self.line, self.detail, self.reason.name())
    }
}

/// Something odd about a file by which no candidate was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub line: u32,
    /// Number of the sentence in the file, from 0, where it is about one.
    pub sentence: Option<usize>,
    pub kind: MessageKind,
}

/// What is odd.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The file says how many candidates a sentence has, and has fewer, damaged ones included.
    FewerCandidates {
        announced: usize,
        found: usize,
    },
    MoreCandidates {
        announced: usize,
        found: usize,
    },
    /// No number stands where that of the candidates should.
    BadCount(String),
    /// The parser could not do the sentence.
    NoCandidates,
    FewerSentences {
        announced: usize,
        found: usize,
    },
    MoreSentences {
        announced: usize,
        found: usize,
    },
    /// Text that is neither a score nor a tree.
    StrayText,
    /// Bytes that are not UTF-8, which were replaced.
    NotUtf8,
    /// The file could not be read to its end.
    Unreadable(String),
}

impl MessageKind {
    /// The name in files and messages.
    pub fn name(&self) -> &'static str {
        match self {
            MessageKind::FewerCandidates { .. } => "fewer-candidates",
            MessageKind::MoreCandidates { .. } => "more-candidates",
            MessageKind::BadCount(_) => "bad-count",
            MessageKind::NoCandidates => "no-candidates",
            MessageKind::FewerSentences { .. } => "fewer-sentences",
            MessageKind::MoreSentences { .. } => "more-sentences",
            MessageKind::StrayText => "stray-text",
            MessageKind::NotUtf8 => "not-utf8",
            MessageKind::Unreadable(_) => "unreadable",
        }
    }

    /// Numbers announced and found, of kinds that compare them.
    pub fn numbers(&self) -> Option<(usize, usize)> {
        match *self {
            MessageKind::FewerCandidates { announced, found }
            | MessageKind::MoreCandidates { announced, found }
            | MessageKind::FewerSentences { announced, found }
            | MessageKind::MoreSentences { announced, found } => Some((announced, found)),
            _ => None,
        }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: ", self.line)?;
        match &self.kind {
            MessageKind::FewerCandidates { announced, found }
            | MessageKind::MoreCandidates { announced, found } => {
                write!(f, "{announced} candidates announced, {found} found")?;
            }
            MessageKind::FewerSentences { announced, found }
            | MessageKind::MoreSentences { announced, found } => {
                write!(f, "{announced} sentences announced, {found} found")?;
            }
            MessageKind::BadCount(found) => {
                write!(f, "the number of candidates is \"{found}\": expected 0 or more")?;
            }
            MessageKind::NoCandidates => f.write_str("the sentence has no candidate")?,
            MessageKind::StrayText => f.write_str("text that is neither a score nor a tree")?,
            MessageKind::NotUtf8 => f.write_str("bytes that are not UTF-8 were replaced")?,
            MessageKind::Unreadable(reason) => write!(f, "reading stopped: {reason}")?,
        }
        write!(f, " [{}]", self.kind.name())
    }
}
