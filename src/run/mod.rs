//! Floor 5: run folders, locks, background jobs, and watching the folders of others.
//!
//! A run is a folder ([`RunFolder`]) that describes itself; a [`Job`] is a thread
//! that works in one. Whoever wants to know what happened applies [`Event`]s to
//! a [`Timeline`], whether they come from a job's channel or, through a
//! [`Follower`], from the folder of any run, live or finished, on this machine
//! or on a shared disk. Nothing here knows a terminal.
//!
//! [`Event`]: crate::report::Event

mod card;
mod change;
mod clock;
mod control;
mod detach;
mod disk;
mod ensemble;
mod error;
mod fitting;
mod folder;
mod follow;
mod group;
mod heart;
mod job;
mod journal;
mod json;
mod list;
mod lock;
mod memory;
mod panic;
mod pulse;
mod reports;
mod rerank;
mod rounds;
pub mod sample;
mod settings;
mod shutdown;
mod speeds;
mod ssn;
mod status;
mod sweep;
mod task;
#[cfg(test)]
mod tests;
mod timeline;
mod training;
mod trees;
mod work;
mod worker;

pub use card::{Card, DataFile, Figure};
pub use change::is_change;
pub use control::send_control;
pub use detach::spawn_detached;
pub use disk::{DiskUse, Spare, Trash, clean, to_trash};
pub use error::RunError;
pub use fitting::refused_rate;
pub use folder::RunFolder;
pub use follow::{Follower, Following};
pub use group::{Group, Member, Spreads, spreads};
pub use job::{Command, Held, Job, Outcome, Snapshot, Supervised};
pub use list::{RunSummary, list_runs};
pub use lock::{Holder, Lock};
pub use memory::{check_bytes, check_memory, side_by_side};
pub use rounds::{KeptPart, KeptRound, KeptTree, KeptWeights, borrowed};
pub use shutdown::{request_stop, stop_on_signals, stop_requested};
pub use speeds::{data_folder, machine_speeds, settle_speeds};
pub use ssn::ssn_file;
pub use status::{BestFigures, Status};
pub use sweep::{Column, Curve, Point, Sweep, SweepRow, SweepRun, Varied};
pub use timeline::{Evaluated, Note, Round, RoundProgress, Step, Timeline, out_of_order};
pub use trees::{EvaluatedTree, EvaluatedTrees, KeptSentence, PinnedMarginals};
