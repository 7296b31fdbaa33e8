//! Weights of a run for parsing: those of this very step while it trains here,
//! else the best ones that its folder keeps.

use super::shared::RunEntry;
use super::task::TaskHandle;
use crate::checkpoint::Checkpoint;
use crate::run::{Command, RunFolder, Snapshot};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a run's weights come from; cheap to make, slow to load.
#[derive(Clone, Debug)]
pub struct Weights {
    commands: Option<Sender<Command>>,
    folder: PathBuf,
}

impl RunEntry {
    /// Its weights, to be loaded in a task.
    pub fn weights(&self) -> Weights {
        let commands = self.commands.clone().filter(|_| self.own);
        Weights { commands, folder: self.path.clone() }
    }
}

impl Weights {
    /// Waits for the training to hand them over, or reads a checkpoint. Not for the drawing thread.
    pub fn load(&self, task: &TaskHandle) -> Result<Snapshot, String> {
        if let Some(snapshot) = self.ask_job(task)? {
            return Ok(snapshot);
        }
        let folder = RunFolder::open(&self.folder).map_err(|e| e.to_string())?;
        let path = [folder.best(), folder.last()]
            .into_iter()
            .find(|p| p.is_file())
            .ok_or("the run has no checkpoint yet: it writes one at the first evaluation")?;
        from_file(&path)
    }

    /// `None` if no job answers.
    fn ask_job(&self, task: &TaskHandle) -> Result<Option<Snapshot>, String> {
        let Some(commands) = &self.commands else { return Ok(None) };
        let (sender, answer) = bounded(1);
        if commands.send(Command::Snapshot(sender)).is_err() {
            return Ok(None);
        }
        loop {
            match answer.recv_timeout(Duration::from_millis(100)) {
                Ok(snapshot) => return Ok(Some(snapshot)),
                Err(RecvTimeoutError::Timeout) if task.cancelled() => {
                    return Err("cancelled".into());
                }
                Err(RecvTimeoutError::Timeout) => {}
                // The job ended before it could answer; its folder has what it wrote.
                Err(RecvTimeoutError::Disconnected) => return Ok(None),
            }
        }
    }
}

/// The weights of a checkpoint file.
pub fn from_file(path: &Path) -> Result<Snapshot, String> {
    let checkpoint = Checkpoint::load(path).map_err(|e| e.to_string())?;
    Ok(Snapshot {
        parser: checkpoint.parser().map_err(|e| e.to_string())?,
        vocabulary: checkpoint.vocabulary,
        preprocessing: checkpoint.preprocessing,
        step: checkpoint.step,
    })
}
