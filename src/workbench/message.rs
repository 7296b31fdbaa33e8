//! Everything that can happen to the workbench, on one channel.

use super::names::RunId;
use super::news::TaskReport;
use crate::config::Config;
use crate::report::{Event, Level, Metrics, RunState};
use crossterm::event::Event as Terminal;
use std::path::PathBuf;

/// One thing that happened. Senders: the input thread, jobs and followers, tasks, signals.
#[derive(Debug)]
pub enum Message {
    /// A key, a paste, a new size.
    Terminal(Terminal),
    /// Events of a run, in order; from a job, or read from its folder.
    Events(RunId, Vec<Event>),
    /// The run folders as they stand now.
    Folders(Vec<Listed>),
    /// The thread of a run of ours has ended, how, and why.
    JobEnded(RunId, RunState, Option<String>),
    /// News of a background task.
    Task(TaskReport),
    /// A note of the program itself, e.g. a panic in a job.
    Log(Level, String),
    /// SIGTERM, SIGHUP or SIGINT: write `last` and leave.
    Signal(i32),
    /// The input ended or broke: nobody can steer any more.
    InputLost(String),
}

/// A run folder as found on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub path: PathBuf,
    /// The folder of the group that it belongs to.
    pub group: Option<PathBuf>,
    /// The folder of the sweep that its group is a point of.
    pub sweep: Option<PathBuf>,
    pub config: Option<Config>,
    pub state: Option<RunState>,
    /// Whether its process ended without a word.
    pub dead: bool,
    /// Best dev figures so far, if its files say them cheaply.
    pub dev: Option<Metrics>,
    /// Wall clock of start and last sign of life, seconds since 1970; 0 if unknown.
    pub started: f64,
    pub touched: f64,
    pub step: u64,
    /// What is wrong with the folder.
    pub problem: Option<String>,
}
