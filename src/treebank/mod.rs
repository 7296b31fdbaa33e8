//! Trees, sentences, corpora and vocabularies; readers and writers of treebank files.
//!
//! Everything here is plain data and text: no numbers of models, no terminal.
//! A reader streams, names file, line and column of every fault, and goes on
//! behind it. What a corpus lost on the way (traces, punctuation, long
//! sentences) is counted, never dropped in silence.

mod batch;
mod builder;
mod corpus;
mod error;
mod file;
pub mod generate;
mod intern;
mod load;
mod normalise;
mod preprocess;
mod reader;
pub mod sample;
mod source;
mod split;
mod statistics;
mod tokenise;
mod tree;
mod vocabulary;

pub use batch::Batch;
pub use builder::TreeBuilder;
pub use corpus::{Corpus, LabelledSpan, Problem, Removed, Sentence};
pub use error::TreebankError;
pub use file::{Entries, Entry, Format, Reading, read_file};
pub use intern::Interner;
pub use load::{LengthLimits, Splits, load, load_cut};
pub use preprocess::{DATA_PRESETS, Preprocessing, PunctuationRule, Tokenizer};
pub use reader::{ROOT_LABELS, Reader};
pub use source::{Source, expand};
pub use statistics::Statistics;
pub use tree::{Annotation, Node, NodeId, Place, Tree};
pub use vocabulary::Vocabulary;
