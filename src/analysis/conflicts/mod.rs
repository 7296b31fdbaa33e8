//! Places of a treebank where the same thing is annotated otherwise: variation nuclei (Dickinson &
//! Meurers 2003, 2005).
//!
//! A *nucleus* is a sequence of units that has at least two labels among its occurrences; the
//! label of an occurrence is the chain of phrases with exactly its span, or `NIL` where there is
//! none. Units are words, tags, or what phrases consist of ([`Unit`]); of single words the tags are
//! compared, too. The more context two
//! occurrences share, the less likely it is that both are right.
//!
//! Everything is found by one suffix array: an occurrence is not stored, but read off it when
//! asked for, so that a million tokens take little memory.

mod context;
mod evidence;
mod groups;
mod sequences;
mod suffixes;
#[cfg(test)]
mod tests;
mod variation;

pub use evidence::Evidence;
pub use groups::{Group, Merged, duplicate_classes};
pub use sequences::{NIL, Unit, chains};
pub use variation::{Nucleus, Occurrence, Place, Variation};
