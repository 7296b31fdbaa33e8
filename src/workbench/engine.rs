//! How the workbench reaches runs. The real one stands on `run`; tests have one that plays.

use super::message::Message;
use super::screen::Control;
use super::shared::RunId;
use crate::config::Config;
use crate::report::{Metrics, RunState};
use crate::run::Command;
use crossbeam_channel::Sender;
use std::path::{Path, PathBuf};

/// A run folder as found on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Listed {
    pub path: PathBuf,
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

/// Starts, steers and reads runs. Calls return at once; what happens comes as messages.
pub trait Engine {
    /// Lists the run folders below `bases` and sends [`Message::Folders`], now and on changes.
    fn watch_folders(&mut self, bases: Vec<PathBuf>, messages: Sender<Message>);

    /// Lists once more, soon.
    fn refresh(&mut self);

    /// Makes a run folder below `base` and trains in it.
    fn start(
        &mut self,
        id: RunId,
        base: &Path,
        config: &Config,
        messages: Sender<Message>,
    ) -> Result<PathBuf, String>;

    /// Goes on with a run in this process.
    fn resume(&mut self, id: RunId, path: &Path, messages: Sender<Message>) -> Result<(), String>;

    /// Reads a run's events from its folder, old and new.
    fn follow(&mut self, id: RunId, path: &Path, messages: Sender<Message>);

    /// Tells a run something: over its channel if it is ours, else through its control file.
    fn control(&mut self, id: RunId, path: &Path, control: Control) -> Result<(), String>;

    /// Where to send commands to a job of this process.
    fn commands(&self, id: RunId) -> Option<Sender<Command>>;

    /// Moves a run folder into `.trash` beside it; gives the new place.
    fn trash(&mut self, path: &Path) -> Result<PathBuf, String>;

    /// Runs of this process whose threads have not ended.
    fn own(&self) -> Vec<RunId>;

    /// Starts `rankspace resume` for a stopped run in a process that outlives this one.
    fn detach(&mut self, path: &Path) -> Result<(), String>;
}
