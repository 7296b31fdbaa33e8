//! How the workbench reaches runs. The real one stands on `run`; tests have one that plays.

use super::message::Message;
use super::names::RunId;
use crate::config::Config;
use crate::run::Command;
use crossbeam_channel::Sender;
use std::path::{Path, PathBuf};

/// What a running training can be told, in this process or another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    Pause,
    Resume,
    /// Finishes the step, writes `last`, keeps `best`.
    Stop,
    Checkpoint,
    LearningRate(f64),
}

/// Starts, steers and reads runs. Calls return at once; what happens comes as messages.
pub trait Engine {
    /// Lists the run folders below `bases` and sends [`Message::Folders`], now and on changes.
    fn watch_folders(&mut self, bases: Vec<PathBuf>, messages: Sender<Message>);

    /// Lists once more, soon.
    fn refresh(&mut self);

    /// Writes the sample into the user's data directory, unless it is there.
    fn install_sample(&mut self, data: &Path, messages: Sender<Message>);

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
