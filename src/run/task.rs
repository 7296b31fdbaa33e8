use super::{RunError, RunFolder};
use crate::checkpoint::{Checkpoint, Preprocessing};
use crate::config::Config;
use crate::report::Reporter;
use crate::training::{State, Trainer};
use crate::treebank::Vocabulary;
use std::sync::Arc;

type Build = Box<dyn FnOnce(&mut dyn Reporter) -> Result<Setup, RunError> + Send>;

/// What a job is to do, before data are loaded and models built.
pub(super) struct Task {
    pub threads: usize,
    /// Where the run stands.
    pub step: u64,
    pub elapsed: f64,
    pub resumed: bool,
    /// The slow part.
    pub build: Build,
}

/// A trainer with what its checkpoints need beside.
pub(super) struct Setup {
    pub trainer: Trainer,
    pub vocabulary: Arc<Vocabulary>,
    pub preprocessing: Preprocessing,
}

impl Setup {
    /// The present weights; with the state of training for `last`, without it for `best`.
    pub fn checkpoint(&self, elapsed: f64, with_state: bool) -> Result<Checkpoint, RunError> {
        let (trainer, state) = (&self.trainer, self.trainer.state());
        let training = serde_json::to_value(state)
            .map_err(|e| RunError::Data(format!("the state of training: {e}")))?;
        let parameters = trainer.model().parameters();
        Ok(Checkpoint {
            config: trainer.config().clone(),
            vocabulary: self.vocabulary.clone(),
            preprocessing: self.preprocessing.clone(),
            step: state.step,
            epoch: state.epoch,
            elapsed,
            weights: parameters.iter().map(|(n, p)| (n.clone(), p.as_tensor().clone())).collect(),
            optimizer: if with_state { trainer.moments()? } else { Default::default() },
            training: with_state.then_some(training),
        })
    }
}

impl Task {
    /// Training from the start.
    pub fn new(config: Config) -> Task {
        Task {
            threads: config.threads,
            step: 0,
            elapsed: 0.0,
            resumed: false,
            build: Box::new(move |_| Err(RunError::Data("not yet".into()))),
        }
    }

    /// Training on from a folder's `last`, with the settings of its config file.
    pub fn resume(folder: &RunFolder) -> Result<Task, RunError> {
        let config = folder.config()?;
        let checkpoint = Checkpoint::load(&folder.last())?;
        let malformed = |reason| RunError::Malformed { path: folder.last(), reason };
        let state = checkpoint.training.clone();
        let state = state.ok_or_else(|| malformed("it holds no state of training".to_owned()))?;
        let state: State = serde_json::from_value(state).map_err(|e| malformed(e.to_string()))?;
        Ok(Task {
            threads: config.threads,
            step: state.step,
            elapsed: checkpoint.elapsed,
            resumed: true,
            build: Box::new(move |_| Err(RunError::Data("not yet".into()))),
        })
    }
}
