//! Floor 4: the training loop over any [`Model`](crate::model::Model).
//!
//! A [`Trainer`] is a state machine: every call of [`Trainer::advance`] does one
//! small piece of work (an optimiser step, one batch of an evaluation) and says
//! what it was, so that whoever owns the loop can answer commands in between.
//! All that decides the next piece is in [`State`], which travels in
//! checkpoints: a run that is stopped anywhere and resumed gives the same curve
//! bit for bit. It reports through [`Reporter`](crate::report::Reporter) and
//! knows no files and no listeners.

mod batches;
mod dataset;
mod error;
mod evaluate;
mod optimizer;
mod progress;
mod schedule;
pub mod ssn;
mod state;
mod step;
#[cfg(test)]
pub mod toy;
mod trainer;

pub use batches::{Batches, Packing, group};
pub use dataset::{Dataset, Split};
pub use error::TrainingError;
pub use evaluate::baselines;
pub use optimizer::{Adam, Plain, plain_norm, total_norm};
pub use progress::{Ending, Progress};
pub use schedule::Plateau;
pub use state::{Best, Epoch, State};
pub use step::step;
pub use trainer::{Evaluated, Trainer};
