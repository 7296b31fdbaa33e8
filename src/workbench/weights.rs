//! Weights of a run for parsing: those of this very step while it trains here, `last` while
//! another process trains it, `best` when it has ended.

use super::shared::RunEntry;
use super::task::TaskHandle;
use crate::checkpoint::{Checkpoint, CheckpointError, TensorFile};
use crate::config::Kind;
use crate::parser::ParserFile;
use crate::parser::ssn::SsnFile;
use crate::run::{Command, Held, RunFolder, Snapshot, Supervised};
use crossbeam_channel::{RecvTimeoutError, Sender, bounded};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where a run's weights come from; cheap to make, slow to load.
#[derive(Clone, Debug)]
pub struct Weights {
    commands: Option<Sender<Command>>,
    folder: PathBuf,
    /// The checkpoint that is preferred.
    checkpoint: Origin,
    /// Only that checkpoint will do, with the weights of this step.
    step: Option<u64>,
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
    pub held: Held,
    pub origin: Origin,
}

impl Loaded {
    /// Those with symbols and rules to look into, and where they come from.
    pub fn induced(self) -> Result<(Snapshot, Origin), String> {
        match self.held {
            Held::Induced(snapshot) => Ok((snapshot, self.origin)),
            Held::Supervised(_) => {
                Err("a supervised parser has no symbols and rules of its own to look into".into())
            }
        }
    }
}

impl RunEntry {
    /// Its weights, to be loaded in a task.
    pub fn weights(&self) -> Weights {
        let commands = self.commands.clone().filter(|_| self.own);
        let (folder, checkpoint) = (self.path.clone(), self.preferred());
        Weights { commands, folder, checkpoint, step: None }
    }

    /// Those after a step, if a checkpoint of the run has them.
    pub fn weights_at(&self, step: u64) -> Option<Weights> {
        let of_step = |name: &str| self.history.checkpoints.get(name) == Some(&step);
        let checkpoint = match (of_step("best"), of_step("last")) {
            (true, _) => Origin::Best,
            (false, true) => Origin::Last,
            (false, false) => return None,
        };
        Some(Weights { commands: None, folder: self.path.clone(), checkpoint, step: Some(step) })
    }

    /// The weights of one of its checkpoints.
    pub fn checkpoint(&self, origin: Origin) -> Weights {
        Weights { commands: None, folder: self.path.clone(), checkpoint: origin, step: None }
    }

    /// The checkpoint with its current weights: while it trains they are the newest, then the best.
    fn preferred(&self) -> Origin {
        if self.active() { Origin::Last } else { Origin::Best }
    }

    /// The step of the weights that it now has; `None` where that is not told.
    pub fn newest_step(&self) -> Option<u64> {
        if self.commands.is_some() && self.own && self.active() {
            return self.history.last.as_ref().map(|last| last.step);
        }
        let name = if self.preferred() == Origin::Last { "last" } else { "best" };
        self.history.checkpoints.get(name).copied()
    }

    /// Whether its folder has no weights that are more current. Those of a training in this
    /// process change with every step.
    pub fn has_no_newer(&self, weights: &Loaded) -> bool {
        let preferred = self.preferred();
        let name = if preferred == Origin::Last { "last" } else { "best" };
        let newest = self.history.checkpoints.get(name);
        self.commands.is_none()
            && newest.is_none_or(|s| *s == weights.held.step() && weights.origin == preferred)
    }
}

impl Weights {
    /// Waits for the training to hand them over, or reads a checkpoint. Not for the drawing thread.
    pub fn load(&self, task: &TaskHandle) -> Result<Loaded, String> {
        let kind = RunFolder::open(&self.folder).and_then(|folder| folder.config());
        let kind = kind.map(|config| config.kind);
        match kind {
            Ok(Kind::Rerank) => return Err("a reranker is looked into on Rerank".into()),
            Ok(Kind::Bag | Kind::Boost) => {
                let text = "an ensemble keeps its parsers' analyses, not the parsers: see Boost";
                return Err(text.into());
            }
            _ => {}
        }
        if let Some(held) = self.ask_job(task)? {
            return Ok(Loaded { held, origin: Origin::Training });
        }
        let folder = RunFolder::open(&self.folder).map_err(|e| e.to_string())?;
        let mut choices = [(Origin::Last, folder.last()), (Origin::Best, folder.best())];
        choices.sort_by_key(|(origin, _)| *origin != self.checkpoint);
        let (origin, path) = choices
            .into_iter()
            .find(|(_, path)| path.is_file())
            .ok_or("the run has no checkpoint yet: it writes one at the first evaluation")?;
        let held = held_by(&path)?;
        match self.step.filter(|step| *step != held.step() || origin != self.checkpoint) {
            Some(step) => Err(format!("the checkpoint of step {step} has been replaced")),
            None => Ok(Loaded { held, origin }),
        }
    }

    /// `None` if no job answers.
    fn ask_job(&self, task: &TaskHandle) -> Result<Option<Held>, String> {
        let Some(commands) = &self.commands else { return Ok(None) };
        let (sender, answer) = bounded(1);
        if commands.send(Command::Snapshot(sender)).is_err() {
            return Ok(None);
        }
        loop {
            match answer.recv_timeout(Duration::from_millis(100)) {
                Ok(held) => return Ok(Some(held)),
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
    Ok(Loaded { held: held_by(path)?, origin: Origin::File })
}

/// What a file holds, by the kind that it says it is of.
fn held_by(path: &Path) -> Result<Held, String> {
    let failed = |e: CheckpointError| e.to_string();
    match TensorFile::kind_of(path).as_deref() {
        Some("ssn") => {
            let SsnFile { ssn, preprocessing, step, .. } = SsnFile::load(path).map_err(failed)?;
            Ok(Held::Supervised(Supervised { parser: Arc::new(ssn), preprocessing, step }))
        }
        Some("parser") => {
            let ParserFile { parser, preprocessing, .. } =
                ParserFile::load(path).map_err(failed)?;
            Ok(Held::Supervised(Supervised { parser, preprocessing, step: 0 }))
        }
        _ => {
            let checkpoint = Checkpoint::load(path).map_err(failed)?;
            Ok(Held::Induced(Snapshot {
                parser: checkpoint.parser().map_err(failed)?,
                vocabulary: checkpoint.vocabulary,
                preprocessing: checkpoint.preprocessing,
                step: checkpoint.step,
            }))
        }
    }
}
