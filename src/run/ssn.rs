//! Training of the history-based parser as a job's work.

use super::fitting::Fitting;
use super::settings;
use super::{EvaluatedTree, EvaluatedTrees, Group, Held, Member, RunError, RunFolder, Supervised};
use crate::checkpoint::TensorFile;
use crate::config::{Config, Kind, Select};
use crate::parser::Parsed;
use crate::parser::ssn::{Ssn, SsnFile};
use crate::report::{Reporter, SCHEMA};
use crate::training::ssn::{SsnData, SsnEvaluated, SsnTrainer};
use crate::training::{Progress, State, TrainingError};
use crate::treebank::{Preprocessing, Sentence, Splits, Tree};
use candle_core::Tensor;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a history-based parser: the file itself, the best one of a run folder, or of several
/// seeds the best one of all. Whether the file is whole shows when it is read.
pub fn ssn_file(path: &Path) -> Result<PathBuf, RunError> {
    let file = match (path.is_dir(), Group::is_one(path)) {
        (false, _) => path.to_owned(),
        (true, true) => best_seed(path)?,
        (true, false) => {
            let folder = RunFolder::open(path)?;
            let (kind, shown) = (folder.config()?.kind, path.display());
            if kind != Kind::Ssn {
                let text = format!("{shown} is a run of {}, not of ssn", kind.name());
                return Err(RunError::Unsuitable(text));
            }
            let files = [folder.best(), folder.last()];
            let file = files.into_iter().find(|file| file.is_file());
            let none = || RunError::Unsuitable(format!("{shown}: the run has no checkpoint yet"));
            file.ok_or_else(none)?
        }
    };
    std::fs::metadata(&file).map_err(RunError::io(&file))?;
    let shown = file.display();
    match TensorFile::kind_of(&file).as_deref() {
        Some("ssn") => Ok(file),
        Some(kind) => {
            let text = format!("{shown}: of the kind {kind}, and no history-based parser");
            Err(RunError::Unsuitable(text))
        }
        None => Err(RunError::Unsuitable(format!("{shown} is no file of a history-based parser"))),
    }
}

/// The best checkpoint of several seeds, by the figure that their training goes by.
fn best_seed(path: &Path) -> Result<PathBuf, RunError> {
    let group = Group::open(path)?;
    let figure = match group.config().training.select {
        Select::LogLikelihood => "log_likelihood",
        Select::SF1 => "f1",
    };
    let of = |member: &Member| -> Option<(f64, PathBuf)> {
        let dev = group.summary(member)?.status?.best?.dev;
        let file = RunFolder::open(&group.folder_of(member)).ok()?.best();
        Some((dev.get(figure)?, file)).filter(|(_, file)| file.is_file())
    };
    let best = group.members().iter().filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0));
    let none = || RunError::Unsuitable(format!("{}: no seed has a checkpoint yet", path.display()));
    best.map(|(_, file)| file).ok_or_else(none)
}

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
        Stored::read_files(folder).map_err(|error| {
            error.advised(|| {
                format!(
                    "To train from the start: rankspace ssn train {}",
                    folder.config_path().display()
                )
            })
        })
    }

    fn read_files(folder: &RunFolder) -> Result<Stored, RunError> {
        let last = SsnFile::load(&folder.last())?;
        let of = |config| settings::some(config, &["ssn"]);
        let free = ["ssn.beam", "ssn.branching", "ssn.parsed"];
        let both = (&of(&folder.config()?), &of(&last.config));
        settings::check(folder, both, "the run's weights", &free)?;
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

impl Fitting for SsnWork {
    type Evaluated = SsnEvaluated;

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

    fn next(
        &mut self,
        reporter: &mut dyn Reporter,
    ) -> Result<Progress<SsnEvaluated>, TrainingError> {
        self.trainer.advance(reporter)
    }

    fn set_rate(&mut self, rate: f64) {
        self.trainer.set_learning_rate(rate);
    }

    fn write(&self, path: &Path, elapsed: f64, whole: bool) -> Result<(), RunError> {
        Ok(self.file(elapsed, whole)?.save(path)?)
    }

    fn judged(&self, evaluated: SsnEvaluated) -> (bool, EvaluatedTrees) {
        let SsnEvaluated { step, epoch, best, dev, parsed } = evaluated;
        let trees = parsed.iter().map(|parsed| parsed.as_ref().map(kept)).collect();
        let pinned = Vec::new();
        (best, EvaluatedTrees { schema: SCHEMA, step, epoch, metrics: dev, trees, pinned })
    }

    fn frozen(&self) -> Result<Held, String> {
        Ok(Held::Supervised(Supervised {
            parser: Arc::new(self.trainer.ssn().clone()),
            preprocessing: self.preprocessing.clone(),
            step: self.trainer.state().step,
        }))
    }
}
