//! Weights of a run for parsing: those of this very step while it trains here, `last` while
//! another process trains it, `best` when it has ended.

use super::shared::RunEntry;
use super::task::TaskHandle;
use crate::checkpoint::Checkpoint;
use crate::config::Kind;
use crate::run::{Command, RunFolder, Snapshot};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where a run's weights come from; cheap to make, slow to load.
#[derive(Clone, Debug)]
pub struct Weights {
    commands: Option<Sender<Command>>,
    folder: PathBuf,
    /// The checkpoint that is preferred.
    checkpoint: Origin,
}

/// Which weights of a run these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Those of a training in this process, at the step when it was asked.
    Training,
    Last,
    Best,
    /// A checkpoint file that the user named.
    File,
}

impl Origin {
    /// Behind the step, e.g. `step 240 (best)`.
    pub fn suffix(self) -> &'static str {
        match self {
            Origin::Training | Origin::File => "",
            Origin::Last => " (last)",
            Origin::Best => " (best)",
        }
    }
}

/// Weights that were loaded.
#[derive(Clone)]
pub struct Loaded {
    pub snapshot: Snapshot,
    pub origin: Origin,
}

impl RunEntry {
    /// Its weights, to be loaded in a task.
    pub fn weights(&self) -> Weights {
        let commands = self.commands.clone().filter(|_| self.own);
        Weights { commands, folder: self.path.clone(), checkpoint: self.preferred() }
    }

    /// The weights of one of its checkpoints.
    pub fn checkpoint(&self, origin: Origin) -> Weights {
        Weights { commands: None, folder: self.path.clone(), checkpoint: origin }
    }

    /// The checkpoint with its current weights: while it trains they are the newest, then the best.
    fn preferred(&self) -> Origin {
        if self.active() { Origin::Last } else { Origin::Best }
    }

    /// Whether its folder has no weights that are more current. Those of a training in this
    /// process change with every step.
    pub fn has_no_newer(&self, weights: &Loaded) -> bool {
        let preferred = self.preferred();
        let name = if preferred == Origin::Last { "last" } else { "best" };
        let newest = self.history.checkpoints.get(name);
        self.commands.is_none()
            && newest.is_none_or(|s| *s == weights.snapshot.step && weights.origin == preferred)
    }
}

impl Weights {
    /// Waits for the training to hand them over, or reads a checkpoint. Not for the drawing thread.
    pub fn load(&self, task: &TaskHandle) -> Result<Loaded, String> {
        let kind = RunFolder::open(&self.folder).and_then(|folder| folder.config());
        match kind.map(|config| config.kind) {
            Ok(Kind::Ssn) => {
                return Err("a history-based parser has no symbols and rules to look into".into());
            }
            Ok(Kind::Rerank) => return Err("a reranker is looked into on Rerank".into()),
            _ => {}
        }
        if let Some(snapshot) = self.ask_job(task)? {
            return Ok(Loaded { snapshot, origin: Origin::Training });
        }
        let folder = RunFolder::open(&self.folder).map_err(|e| e.to_string())?;
        let mut choices = [(Origin::Last, folder.last()), (Origin::Best, folder.best())];
        choices.sort_by_key(|(origin, _)| *origin != self.checkpoint);
        let (origin, path) = choices
            .into_iter()
            .find(|(_, path)| path.is_file())
            .ok_or("the run has no checkpoint yet: it writes one at the first evaluation")?;
        Ok(Loaded { snapshot: snapshot_of(&path)?, origin })
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

/// The weights of a checkpoint file that the user named.
pub fn from_file(path: &Path) -> Result<Loaded, String> {
    Ok(Loaded { snapshot: snapshot_of(path)?, origin: Origin::File })
}

fn snapshot_of(path: &Path) -> Result<Snapshot, String> {
    let checkpoint = Checkpoint::load(path).map_err(|e| e.to_string())?;
    Ok(Snapshot {
        parser: checkpoint.parser().map_err(|e| e.to_string())?,
        vocabulary: checkpoint.vocabulary,
        preprocessing: checkpoint.preprocessing,
        step: checkpoint.step,
    })
}
