//! Training as a job's work.

use super::task::Setup;
use super::work::{Desk, Work};
use super::{EvaluatedTrees, RunError, Snapshot};
use crate::report::{Level, Reporter};
use crate::training::{Best, Evaluated, Progress};

impl Work for Setup {
    fn step(&self) -> u64 {
        self.trainer.state().step
    }

    fn seconds(&self) -> f64 {
        self.trainer.state().train_seconds
    }

    fn best(&self) -> Option<&Best> {
        self.trainer.state().best.as_ref()
    }

    fn begin(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        let dropped = desk.folder.drop_trees_after(self.step());
        desk.go_on(dropped)?;
        if self.step() == 0 {
            self.trainer.introduce(&mut desk.reports);
            let kept = desk.folder.keep_dev_sentences(self.trainer.dev_sentences());
            desk.go_on(kept)?;
        }
        Ok(())
    }

    fn advance(&mut self, desk: &mut Desk) -> Result<Option<String>, RunError> {
        match self.trainer.advance(&mut desk.reports) {
            Ok(Progress::Step) => {
                desk.tell_device(self.trainer.model().resident());
                let every = self.trainer.config().run.checkpoint_every;
                let due = every > 0 && self.step().is_multiple_of(every);
                if due || desk.save_is_due() {
                    let saved = self.save(desk);
                    desk.go_on(saved)?;
                }
            }
            Ok(Progress::Evaluating) => {}
            Ok(Progress::Evaluated(evaluated)) => self.keep_evaluation(evaluated, desk)?,
            Ok(Progress::Finished(ending)) => {
                self.save(desk)?;
                return Ok(Some(ending.to_string()));
            }
            Err(e) => {
                // The bad update was not applied: these are the last good weights.
                let saved = self.save(desk);
                desk.go_on(saved)?;
                return Err(e.into());
            }
        }
        Ok(None)
    }

    fn save(&mut self, desk: &mut Desk) -> Result<(), RunError> {
        desk.saving();
        let elapsed = desk.reports.stopwatch.seconds();
        let saved = self.checkpoint(elapsed, true).and_then(|c| Ok(c.save(&desk.folder.last())?));
        desk.note_checkpoint(&saved, self.step(), "last");
        saved
    }

    fn set_learning_rate(&mut self, rate: f64, desk: &mut Desk) {
        if rate.is_finite() && rate >= 0.0 {
            self.trainer.set_learning_rate(rate);
            desk.reports.message(Level::Info, format!("learning rate set to {rate:e}"));
        } else {
            let text = format!("learning rate {rate} refused: expected a finite number, 0 or more");
            desk.reports.message(Level::Warning, text);
        }
    }

    fn snapshot(&self) -> Result<Snapshot, String> {
        Ok(Snapshot {
            parser: self.trainer.freeze().map_err(|e| e.to_string())?,
            vocabulary: self.vocabulary.clone(),
            preprocessing: self.preprocessing.clone(),
            step: self.step(),
        })
    }
}

impl Setup {
    fn keep_evaluation(&mut self, evaluated: Evaluated, desk: &mut Desk) -> Result<(), RunError> {
        let Evaluated { step, epoch, best, dev, parses } = evaluated;
        let pinned = self.trainer.config().run.pinned;
        let trees = EvaluatedTrees::new(step, epoch, dev, &parses, pinned).write(&desk.folder);
        desk.go_on(trees)?;
        if best {
            let saved = self.checkpoint(0.0, false).and_then(|c| Ok(c.save(&desk.folder.best())?));
            desk.note_checkpoint(&saved, step, "best");
            // Unlike `last`, it is not written again soon: each loss is news.
            if let Err(e) = &saved {
                desk.forget(e);
            }
            desk.go_on(saved)?;
        }
        let saved = self.save(desk);
        desk.go_on(saved)
    }
}
