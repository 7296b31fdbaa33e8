//! Whether two systems differ by more than chance, on the same sentences.
//!
//! The test is approximate randomisation, stratified by sentence (Noreen 1989; Yeh 2000): under
//! the null hypothesis the two results of a sentence could as well change places. The bootstrap
//! draws sentences with replacement (Efron & Tibshirani 1993), the same ones for both systems.
//! A seed gives the same figures everywhere.

mod bootstrap;
mod randomise;
mod sample;

pub use bootstrap::{Interval, Intervals, bootstrap};
pub use randomise::{EXACT_UP_TO, Method, randomise};
pub use sample::{Figure, LeftOut, Sample, Samples, Sums};

#[cfg(test)]
mod tests;
