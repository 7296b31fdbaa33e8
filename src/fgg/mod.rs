//! Floor 2: factor graph grammars (Yang, Liu & Tu 2022, sections 2 and 4.1), the theory behind
//! the fast dynamic programs, stated once and for any grammar.
//!
//! A [`Grammar`] comes in as JSON ([`read`]) or is built from parts; no words of a treebank, no
//! tensors and no program of another room. It is conjoined with a sentence ([`conjoin`]), summed
//! out in state space ([`Inside`]) or rewritten to rank space ([`RankSpace`]), both with numbers
//! that do not underflow; the operations of both are counted ([`costs`]), and factors can be
//! trained ([`Trainer`]). Everything here is written to be read and to be held against: the fast
//! programs are in `inference`.

mod check;
mod conjoin;
mod cost;
mod cycles;
mod derived;
mod error;
mod examples;
mod grammar;
mod graph;
mod inside;
mod json;
mod matrix;
#[cfg(test)]
mod nasty_tests;
mod outside;
mod rank_space;
mod reason;
mod rewrite;
mod sums;
#[cfg(test)]
mod tests;
mod train;
mod weight;
mod write;

pub use check::check;
pub use conjoin::{Conjoined, conjoin};
pub use cost::{Costs, costs};
pub use cycles::{cycle, is_cyclic};
pub use derived::{Derived, DerivedRule, Part, Product, derive};
pub use error::FggError;
pub use examples::{Example, example, examples};
pub use grammar::{Cpd, Domain, Edge, Factor, Grammar, Item, Label, Nonterminal, Rule, Terminal};
pub use inside::Inside;
pub use json::{Reading, read};
pub use matrix::{Matrix, trivial_cpd};
pub use outside::{Gradient, Gradients, gradients};
pub use rank_space::RankSpace;
pub use reason::Reason;
pub use rewrite::{RankRule, Rewriting, Slot, rewrite};
pub use sums::Sums;
pub use train::{Progress, Trainer};
pub use weight::Weight;
pub use write::to_json;
