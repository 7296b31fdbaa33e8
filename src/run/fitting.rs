//! Trainings by gradients as a job's work: steps, evaluations, `last` and `best`.

use super::work::{Desk, Work};
use super::{EvaluatedTrees, Held, RunError};
use crate::config::Config;
use crate::model::Resident;
use crate::report::{Level, Reporter};
use crate::training::{Best, Progress, State, TrainingError};
use crate::treebank::Sentence;
use std::path::Path;

/// A learning rate so many times that of the config is a slip of the keyboard.
const MOST: f64 = 1000.0;

/// Why a learning rate is none for a run with these settings, if it is none.
pub fn refused_rate(config: &Config, rate: f64) -> Option<String> {
    let planned = config.training.learning_rate;
    if !rate.is_finite() || rate < 0.0 {
        Some("expected a finite number, 0 or more".to_owned())
    } else if planned > 0.0 && rate > MOST * planned {
        // One such step, and the weights are lost.
        Some(format!("that is more than {MOST} times the run's own, {planned:e}"))
    } else {
        None
    }
}

/// A trainer with what its checkpoints need beside.
pub(super) trait Fitting {
    /// What an evaluation gives.
    type Evaluated;

    fn config(&self) -> &Config;
    fn state(&self) -> &State;
    fn dev_sentences(&self) -> &[Sentence];

    /// Says what is to come; once, before the first step.
    fn introduce(&self, reporter: &mut dyn Reporter);

    /// Does the next piece. After an error the weights are those before the bad step.
    fn next(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<Self::Evaluated>, TrainingError>;

    /// From the next step on.
    fn set_rate(&mut self, rate: f64);

    /// Writes the present weights after so many seconds of running; `whole` with all that a
    /// resumption needs.
    fn write(&self, path: &Path, elapsed: f64, whole: bool) -> Result<(), RunError>;

    /// Whether the evaluated weights are the best so far, and what is kept of the evaluation.
    fn judged(&self, evaluated: Self::Evaluated) -> (bool, EvaluatedTrees);

    /// The device that the weights are on, where that is not the CPU.
    fn resident(&self) -> Option<&dyn Resident> {
        None
    }

    /// A frozen copy of the present weights, or why there is none.
    fn frozen(&self) -> Result<Held, String>;
}

impl<F: Fitting> Work for F {
    fn step(&self) -> u64 {
        self.state().step
    }

    fn seconds(&self) -> f64 {
        self.state().train_seconds
    }

    fn best(&self) -> Option<&Best> {
        self.state().best.as_ref()
    }

    fn begin(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        let dropped = desk.folder.drop_trees_after(self.step());
        desk.go_on(dropped)?;
        if self.step() == 0 {
            self.introduce(&mut desk.reports);
            let kept = desk.folder.keep_dev_sentences(self.dev_sentences());
            desk.go_on(kept)?;
        } else if !desk.folder.has_dev_sentences(self.dev_sentences()) {
            // Figures of two sets are not of one curve, and the best of them is of neither.
            return Err(RunError::Unsuitable(
                "the dev sentences differ from those that the run was started with (were the \
                 corpus files or the [data] settings changed?)"
                    .into(),
            ));
        }
        Ok(())
    }

    fn advance(&mut self, desk: &mut Desk) -> Result<Option<String>, RunError> {
        match self.next(&mut desk.reports) {
            Ok(Progress::Step) => {
                desk.tell_device(self.resident());
                let every = self.config().run.checkpoint_every;
                let due = every > 0 && self.step().is_multiple_of(every);
                if due || desk.save_is_due() {
                    let saved = self.save(desk);
                    desk.go_on(saved)?;
                }
            }
            Ok(Progress::Evaluating) => {}
            Ok(Progress::Evaluated(evaluated)) => keep(self, evaluated, desk)?,
            Ok(Progress::Finished(ending)) => {
                self.save(desk)?;
                return Ok(Some(ending.to_string()));
            }
            Err(e) if e.spares_weights() || !desk.folder.last().exists() => {
                // The bad update was not applied: these are the last good weights.
                let saved = self.save(desk);
                desk.go_on(saved)?;
                return Err(e.into());
            }
            Err(e) => {
                let text = "the present weights give no loss: last.safetensors stays as it was, and \
                            a resumption goes on from there";
                desk.reports.message(Level::Warning, text.into());
                return Err(e.into());
            }
        }
        Ok(None)
    }

    fn save(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        desk.saving();
        let elapsed = desk.reports.stopwatch.seconds();
        let saved = self.write(&desk.folder.last(), elapsed, true);
        desk.note_checkpoint(&saved, self.step(), "last");
        saved
    }

    fn set_learning_rate(&mut self, rate: f64, desk: &mut Desk) {
        let (level, text) = match refused_rate(self.config(), rate) {
            Some(why) => (Level::Warning, format!("learning rate {rate:e} refused: {why}")),
            None => {
                self.set_rate(rate);
                (Level::Info, format!("learning rate set to {rate:e}"))
            }
        };
        desk.reports.message(level, text);
    }

    fn snapshot(&self) -> Result<Held, String> {
        self.frozen()
    }
}

/// Keeps the trees of an evaluation, and the weights.
fn keep<F: Fitting>(
    fitting: &mut F,
    evaluated: F::Evaluated,
    desk: &mut Desk,
) -> Result<(), RunError> {
    let (best, trees) = fitting.judged(evaluated);
    let written = trees.write(&desk.folder);
    desk.go_on(written)?;
    if best {
        let saved = fitting.write(&desk.folder.best(), 0.0, false);
        desk.note_checkpoint(&saved, trees.step, "best");
        // Unlike `last`, it is not written again soon: each loss is news.
        if let Err(e) = &saved {
            desk.forget(e);
        }
        desk.go_on(saved)?;
    }
    let saved = fitting.save(desk);
    desk.go_on(saved)
}
