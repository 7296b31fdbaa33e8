//! Everything that can happen to the workbench, on one channel.

use super::engine::Listed;
use super::shared::RunId;
use super::task::TaskReport;
use crate::report::{Event, Level, RunState};
use crossterm::event::Event as Terminal;

/// One thing that happened. Senders: the input thread, jobs and followers, tasks, signals.
#[derive(Debug)]
pub enum Message {
    /// A key, a paste, a new size.
    Terminal(Terminal),
    /// Events of a run, in order; from a job, or read from its folder.
    Events(RunId, Vec<Event>),
    /// The run folders as they stand now.
    Folders(Vec<Listed>),
    /// The thread of a run of ours has ended, and how.
    JobEnded(RunId, RunState),
    /// News of a background task.
    Task(TaskReport),
    /// A note of the program itself, e.g. a panic in a job.
    Log(Level, String),
    /// SIGTERM, SIGHUP or SIGINT: write `last` and leave.
    Signal(i32),
    /// The input ended or broke: nobody can steer any more.
    InputLost(String),
}
