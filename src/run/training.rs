//! Training of a model as a job's work.

use super::fitting::Fitting;
use super::task::Setup;
use super::{EvaluatedTrees, Held, RunError, Snapshot};
use crate::config::Config;
use crate::model::Resident;
use crate::report::Reporter;
use crate::training::{Evaluated, Progress, State, TrainingError};
use crate::treebank::Sentence;
use std::path::Path;

impl Fitting for Setup {
    type Evaluated = Evaluated;

    fn config(&self) -> &Config {
        self.trainer.config()
    }

    fn state(&self) -> &State {
        self.trainer.state()
    }

    fn dev_sentences(&self) -> &[Sentence] {
        self.trainer.dev_sentences()
    }

    fn introduce(&self, reporter: &mut dyn Reporter) {
        self.trainer.introduce(reporter);
    }

    fn next(&mut self, reporter: &mut dyn Reporter) -> Result<Progress<Evaluated>, TrainingError> {
        self.trainer.advance(reporter)
    }

    fn set_rate(&mut self, rate: f64) {
        self.trainer.set_learning_rate(rate);
    }

    fn write(&self, path: &Path, elapsed: f64, whole: bool) -> Result<(), RunError> {
        Ok(self.checkpoint(elapsed, whole)?.save(path)?)
    }

    fn judged(&self, evaluated: Evaluated) -> (bool, EvaluatedTrees) {
        let Evaluated { step, epoch, best, dev, parses } = evaluated;
        let pinned = self.trainer.config().run.pinned;
        (best, EvaluatedTrees::new(step, epoch, dev, &parses, pinned))
    }

    fn resident(&self) -> Option<&dyn Resident> {
        self.trainer.model().resident()
    }

    fn frozen(&self) -> Result<Held, String> {
        Ok(Held::Induced(Snapshot {
            parser: self.trainer.freeze().map_err(|e| e.to_string())?,
            vocabulary: self.vocabulary.clone(),
            preprocessing: self.preprocessing.clone(),
            step: self.trainer.state().step,
        }))
    }
}
