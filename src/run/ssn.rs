//! Training of the history-based parser as a job's work.

use super::work::{Desk, Work};
use super::{EvaluatedTree, EvaluatedTrees, RunError, RunFolder, Snapshot};
use crate::config::Config;
use crate::parser::Parsed;
use crate::parser::ssn::{Ssn, SsnFile};
use crate::report::{Level, Reporter, SCHEMA};
use crate::training::ssn::{SsnData, SsnEvaluated, SsnProgress, SsnTrainer};
use crate::training::{Best, State};
use crate::treebank::{Preprocessing, Splits, Tree};
use candle_core::Tensor;
use std::collections::BTreeMap;

/// A trainer with what its checkpoints need beside.
pub(super) struct SsnWork {
    trainer: SsnTrainer,
    preprocessing: Preprocessing,
}

/// What a resumption starts from.
pub(super) struct Stored {
    last: SsnFile,
    pub state: State,
    best: Option<Ssn>,
}

impl Stored {
    /// A folder's `last`, with the parser of its `best`.
    pub fn read(folder: &RunFolder) -> Result<Stored, RunError> {
        let last = SsnFile::load(&folder.last())?;
        let malformed = |reason| RunError::Malformed { path: folder.last(), reason };
        let state = last.training.clone();
        let state = state.ok_or_else(|| malformed("it holds no state of training".to_owned()))?;
        let state: State = serde_json::from_value(state).map_err(|e| malformed(e.to_string()))?;
        let best = match folder.best().is_file() {
            true => Some(SsnFile::load(&folder.best())?.ssn),
            false => None,
        };
        Ok(Stored { last, state, best })
    }

    pub fn elapsed(&self) -> f64 {
        self.last.elapsed
    }

    /// The settings that it was saved with.
    pub fn config(&self) -> &Config {
        &self.last.config
    }
}

impl SsnWork {
    /// From the start.
    pub fn start(config: &Config, splits: &Splits) -> Result<SsnWork, RunError> {
        let preprocessing = Preprocessing::resolve(&config.data)?;
        let data = SsnData::new(splits, &preprocessing)?;
        Ok(SsnWork { trainer: SsnTrainer::new(config, data)?, preprocessing })
    }

    /// From where it was left.
    pub fn resume(config: &Config, splits: &Splits, stored: Stored) -> Result<SsnWork, RunError> {
        let Stored { last, state, best } = stored;
        let data = SsnData::new(splits, &last.preprocessing)?;
        let trainer = SsnTrainer::resume(config, last.ssn, data, &last.optimizer, state, best)?;
        Ok(SsnWork { trainer, preprocessing: last.preprocessing })
    }

    /// The present weights; with the state of training for `last`, without it for `best`.
    fn file(&self, elapsed: f64, with_state: bool) -> Result<SsnFile, RunError> {
        let state = self.trainer.state();
        let mut optimizer = BTreeMap::<String, Tensor>::new();
        let mut training = None;
        if with_state {
            let value = serde_json::to_value(state);
            training =
                Some(value.map_err(|e| RunError::Unsuitable(format!("training state: {e}")))?);
            optimizer = self.trainer.moments()?;
        }
        Ok(SsnFile {
            config: self.trainer.config().clone(),
            preprocessing: self.preprocessing.clone(),
            ssn: self.trainer.ssn().clone(),
            step: state.step,
            epoch: state.epoch,
            elapsed,
            optimizer,
            training,
        })
    }

    fn keep_evaluation(
        &mut self,
        evaluated: SsnEvaluated,
        desk: &mut Desk,
    ) -> Result<(), RunError> {
        let SsnEvaluated { step, epoch, best, dev, parsed } = evaluated;
        let trees = parsed.iter().map(|parsed| parsed.as_ref().map(kept)).collect();
        let trees =
            EvaluatedTrees { schema: SCHEMA, step, epoch, metrics: dev, trees, pinned: Vec::new() };
        let written = trees.write(&desk.folder);
        desk.go_on(written)?;
        if best {
            let saved = self.file(0.0, false).and_then(|f| Ok(f.save(&desk.folder.best())?));
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

/// The phrases of a tree, but for those of one word.
fn kept(parsed: &Parsed) -> EvaluatedTree {
    let tree: &Tree = &parsed.tree;
    let spans = tree.nodes().zip(tree.extents()).filter(|(_, (start, end))| end - start > 1);
    let mut spans: Vec<(u32, u32, f32)> =
        spans.map(|(_, (start, end))| (start, end, 1.0)).collect();
    // Phrases over the same words are one span.
    spans.dedup();
    EvaluatedTree { log_prob: parsed.score, spans, surprisals: Vec::new() }
}

impl Work for SsnWork {
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
            Ok(SsnProgress::Step) => {
                let every = self.trainer.config().run.checkpoint_every;
                let due = every > 0 && self.step().is_multiple_of(every);
                if due || desk.save_is_due() {
                    let saved = self.save(desk);
                    desk.go_on(saved)?;
                }
            }
            Ok(SsnProgress::Evaluating) => {}
            Ok(SsnProgress::Evaluated(evaluated)) => self.keep_evaluation(evaluated, desk)?,
            Ok(SsnProgress::Finished(ending)) => {
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
        let saved = self.file(elapsed, true).and_then(|f| Ok(f.save(&desk.folder.last())?));
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
        Err("a history-based parser has no symbols and rules to look into".into())
    }
}
