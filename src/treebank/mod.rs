//! Trees, sentences, corpora and vocabularies; readers and writers of treebank files.
//!
//! Everything here is plain data and text: no numbers of models, no terminal.
//! A reader streams, names file, line and column of every fault, and goes on
//! behind it. What a corpus lost on the way (traces, punctuation, long
//! sentences) is counted, never dropped in silence.

mod attach;
mod batch;
mod builder;
pub mod candidates;
mod clean;
mod corpus;
mod divide;
mod error;
mod formats;
pub mod generate;
mod graph;
mod intern;
mod json_words;
mod layout;
mod load;
mod memo;
mod normalise;
mod notation;
mod open;
pub mod pattern;
mod preprocess;
mod reader;
mod removed;
mod rules;
mod run_data;
pub mod sample;
mod source;
mod split;
mod statistics;
mod subtree;
mod tokenise;
mod tree;
mod vocabulary;
mod write;

pub use crate::config::{Encoding, Format};
pub use attach::{Attached, attach};
pub use batch::Batch;
pub use builder::TreeBuilder;
pub use corpus::{Corpus, LabelledSpan, Problem, Sentence};
pub use divide::assign;
pub use error::TreebankError;
pub use formats::{Entries, Entry, FileOptions, Reading, TaggedWords, unpacked};
pub use intern::Interner;
pub use layout::usual_sections;
pub use load::{LengthLimits, load};
pub use notation::ROOT_LABELS;
pub use open::{open, read_file};
pub use reader::Reader;
pub use removed::{Removed, STEPS, Step};
pub use rules::{DATA_PRESETS, Preprocessing, PunctuationRule, Tokenizer, describe_data_preset};
pub use run_data::{Splits, load_cut};
pub use source::{Expanded, Source, expand, expand_with_notes, section_folders, section_numbers};
pub use statistics::Statistics;
pub use tree::{Annotation, Node, NodeId, Place, Tree};
pub use vocabulary::Vocabulary;
pub use write::{BracketStyle, Change, Changes, Writer, note_drawing};
