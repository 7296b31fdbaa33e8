//! Labelled bracket scores as the field reports them: one tree a line, counted by the rules of
//! the classic scorer EVALB (Sekine & Collins) and printed in its format.
//!
//! These conventions are the scorer's own and differ from the rest of [`super`]: brackets have
//! labels, one-word brackets, brackets over the whole sentence and repeated brackets count, and
//! labels are cut at the first `-` or `=`. What the classic scorer leaves undefined (words that
//! stand between brackets, more closing than opening brackets, lines that its buffer cuts in
//! two) is told with its line and scored as far as it has a meaning. There are no limits on
//! lengths or counts.

mod breakdown;
mod compare;
mod evaluate;
mod line;
mod parameters;
mod print;
mod totals;

pub use breakdown::{LabelRow, Lengths, length_bins};
pub use compare::{Bracket, Comparison, Counts, Status};
pub use evaluate::{Evaluation, Fault, LabelCounts, Pair, Row, evaluate, line_counts, pairs};
pub use parameters::{ParameterError, Parameters};
pub use print::print;
pub use totals::Totals;

#[cfg(test)]
mod tests;
