//! Trees, sentences, corpora and vocabularies; readers and writers of treebank files.
//!
//! Everything here is plain data and text: no numbers of models, no terminal.
//! A reader streams, names file, line and column of every fault, and goes on
//! behind it. What a corpus lost on the way (traces, punctuation, long
//! sentences) is counted, never dropped in silence.

mod batch;
mod corpus;
mod tree;
mod vocabulary;

pub use batch::Batch;
pub use corpus::{Corpus, LabelledSpan, Problem, Removed, Sentence};
pub use tree::{Node, NodeId, Place, Tree, TreeBuilder};
pub use vocabulary::Vocabulary;
