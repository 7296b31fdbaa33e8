use super::ensemble::EnsembleWork;
use super::folder::with_absolute_paths;
use super::rerank::RerankWork;
use super::settings;
use super::ssn::{SsnWork, Stored};
use super::work::Work;
use super::{RunError, RunFolder, check_memory};
use crate::checkpoint::Checkpoint;
use crate::config::{self, Config, Kind};
use crate::model;
use crate::report::{DeviceUse, EventKind, Level, Reporter, counted};
use crate::training::{Dataset, State, Trainer};
use crate::treebank::{Preprocessing, Splits, Vocabulary};
use std::sync::Arc;

/// Faults of a corpus that are told one by one; the others are counted.
const PROBLEMS_TOLD: usize = 20;

type Build = Box<dyn FnOnce(&mut dyn Reporter) -> Result<Box<dyn Work>, RunError> + Send>;

/// What a job is to do, before data are loaded and models built.
pub(super) struct Task {
    pub kind: Kind,
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
        let (optimizer, training) = if with_state {
            let state = serde_json::to_value(state);
            let state = state.map_err(|e| RunError::Unsuitable(format!("training state: {e}")))?;
            (trainer.moments()?, Some(state))
        } else {
            Default::default()
        };
        Ok(Checkpoint {
            config: trainer.config().clone(),
            vocabulary: self.vocabulary.clone(),
            preprocessing: self.preprocessing.clone(),
            step: state.step,
            epoch: state.epoch,
            elapsed,
            weights: trainer.model().tensors()?,
            optimizer,
            training,
        })
    }
}

impl Task {
    /// Training from the start.
    pub fn new(config: Config) -> Task {
        Task {
            kind: Kind::Train,
            threads: config.threads,
            step: 0,
            elapsed: 0.0,
            resumed: false,
            build: Box::new(move |reporter| {
                let idle = config::unused(config.model.family, &config.without_effect());
                if let Some(idle) = idle {
                    reporter.message(Level::Warning, idle);
                }
                let splits = load(&config, reporter)?;
                let limits = config.data.vocabulary;
                let words = splits.train.sentences.iter().flat_map(|s| &s.words);
                let vocabulary = if config.model.family.has_trees() {
                    Vocabulary::from_counts(words, limits.max_size, limits.min_count)
                } else {
                    Vocabulary::with_end(words, limits.max_size, limits.min_count)
                };
                check_memory(&config, vocabulary.len())?;
                tell_device(&config, reporter)?;
                let model = model::build(&config, vocabulary.len())?;
                let parameters = model.parameters().values().map(|p| p.elem_count()).sum::<usize>();
                let mut sizes = format!(
                    "{} words in the vocabulary ({} among them)",
                    vocabulary.len(),
                    match vocabulary.end() {
                        None => "<pad> and <unk>",
                        Some(_) => "<unk>, <pad> and <eos>",
                    }
                );
                if !config.model.family.is_counted() {
                    sizes.push_str(&format!(", {}", counted(parameters, "parameter")));
                }
                reporter.message(Level::Info, sizes);
                Ok(Box::new(Setup {
                    trainer: Trainer::new(&config, model, dataset(&splits, &vocabulary))?,
                    vocabulary: Arc::new(vocabulary),
                    preprocessing: Preprocessing::resolve(&config.data)?,
                }))
            }),
        }
    }

    /// Training from the start in a folder where an earlier start came to nothing.
    pub fn again(config: Config) -> Result<Task, RunError> {
        Ok(Task { resumed: true, ..Task::new(config) })
    }

    /// Bagging or boosting, on from the rounds that are complete in the folder.
    pub fn ensemble(config: Config, folder: &RunFolder, resumed: bool) -> Result<Task, RunError> {
        let kept = folder.kept_rounds()?;
        // Files are told by names that hold from anywhere.
        let config = with_absolute_paths(&config);
        let folder = folder.clone();
        Ok(Task {
            kind: config.kind,
            threads: config.threads,
            step: kept.last().map_or(0, |round| round.number),
            elapsed: kept.last().map_or(0.0, |round| round.elapsed),
            resumed,
            build: Box::new(move |reporter| {
                Ok(Box::new(EnsembleWork::load(&config, &folder, &kept, reporter)?))
            }),
        })
    }

    /// A reranker; one that was stopped begins again.
    pub fn rerank(config: Config, resumed: bool) -> Task {
        // Files are told by names that hold from anywhere.
        let config = with_absolute_paths(&config);
        Task {
            kind: config.kind,
            threads: config.threads,
            step: 0,
            elapsed: 0.0,
            resumed,
            build: Box::new(move |reporter| {
                if resumed {
                    let text = "a reranker learns in one go: it begins again";
                    reporter.message(Level::Info, text.into());
                }
                Ok(Box::new(RerankWork::start(&config, reporter)?))
            }),
        }
    }

    /// A history-based parser, from the start or on from a folder's `last`.
    pub fn ssn(config: Config, stored: Option<Stored>, resumed: bool) -> Task {
        Task {
            kind: config.kind,
            threads: config.threads,
            step: stored.as_ref().map_or(0, |stored| stored.state.step),
            elapsed: stored.as_ref().map_or(0.0, Stored::elapsed),
            resumed,
            build: Box::new(move |reporter| {
                let splits = load(&config, reporter)?;
                let Some(mut stored) = stored else {
                    return Ok(Box::new(SsnWork::start(&config, &splits)?));
                };
                let rate = config.training.learning_rate;
                if rate != stored.config().training.learning_rate {
                    stored.state.learning_rate = rate;
                    let text = format!("learning rate {rate:e}, as the config now says");
                    reporter.message(Level::Info, text);
                }
                Ok(Box::new(SsnWork::resume(&config, &splits, stored)?))
            }),
        }
    }

    /// Training on from a folder's `last`, with the settings of its config file as `placed`
    /// changes them.
    pub fn resume(
        folder: &RunFolder,
        placed: impl FnOnce(Config) -> Config,
    ) -> Result<Task, RunError> {
        let (config, checkpoint, mut state) = stored(folder)?;
        let config = placed(config);
        let rate = config.training.learning_rate;
        let changed = rate != checkpoint.config.training.learning_rate;
        if changed {
            state.learning_rate = rate;
        }
        Ok(Task {
            kind: Kind::Train,
            threads: config.threads,
            step: state.step,
            elapsed: checkpoint.elapsed,
            resumed: true,
            build: Box::new(move |reporter| {
                if changed {
                    let text = format!("learning rate {rate:e}, as the config now says");
                    reporter.message(Level::Info, text);
                }
                let splits = load(&config, reporter)?;
                tell_device(&config, reporter)?;
                // The device of the settings, wherever the checkpoint was written.
                let own = Config { device: config.device.clone(), ..checkpoint.config.clone() };
                let (words, weights) = (checkpoint.vocabulary.len(), checkpoint.weights.clone());
                let model = model::restore(&own, words, weights)?;
                let data = dataset(&splits, &checkpoint.vocabulary);
                let moments = &checkpoint.optimizer;
                Ok(Box::new(Setup {
                    trainer: Trainer::resume(&config, model, data, moments, state)?,
                    vocabulary: checkpoint.vocabulary,
                    preprocessing: checkpoint.preprocessing,
                }))
            }),
        })
    }
}

/// Says where the work will be done, if that is not the host as asked for.
fn tell_device(config: &Config, reporter: &mut dyn Reporter) -> Result<(), RunError> {
    let placement = model::placement(config)?;
    if let Some(note) = placement.note {
        reporter.message(Level::Warning, format!("{note}; it computes on the CPU"));
    }
    match placement.device {
        Some(device) => reporter.message(Level::Info, format!("computing on {device}")),
        None => {
            if config.tf32 {
                let text = "tf32 is for cards: on the CPU it changes nothing";
                reporter.message(Level::Warning, text.into());
            }
            // Whoever looks on sees where this part of the run really is.
            let cpu = DeviceUse { name: "cpu".into(), ..DeviceUse::default() };
            reporter.report(EventKind::Device(cpu));
        }
    }
    Ok(())
}

/// What a resumption starts from.
pub(super) fn stored(folder: &RunFolder) -> Result<(Config, Checkpoint, State), RunError> {
    read_last(folder).map_err(|error| error.advised(|| instead_of_last(folder)))
}

/// What is left where `last` is of no use.
pub(super) fn instead_of_last(folder: &RunFolder) -> String {
    let run = folder.path().display();
    let best = match Checkpoint::load(&folder.best()).is_ok() {
        true => "best.safetensors beside it can still be evaluated and parsed with. ",
        false => "",
    };
    format!("{best}To train from the start: rankspace train {run}/config.toml")
}

fn read_last(folder: &RunFolder) -> Result<(Config, Checkpoint, State), RunError> {
    let config = folder.config()?;
    let checkpoint = Checkpoint::load(&folder.last())?;
    let of = |config| settings::some(config, &["model"]);
    let both = (&of(&config), &of(&checkpoint.config));
    let speeds = ["multiply_adds", "packed", "streamed"].map(|key| format!("model.speeds.{key}"));
    let mut free: Vec<&str> = speeds.iter().map(String::as_str).collect();
    free.push("model.elimination");
    settings::check(folder, both, "the run's weights", &free)?;
    let malformed = |reason| RunError::Malformed { path: folder.last(), reason };
    let state = checkpoint.training.clone();
    let state = state.ok_or_else(|| malformed("it holds no state of training".to_owned()))?;
    let state: State = serde_json::from_value(state).map_err(|e| malformed(e.to_string()))?;
    Ok((config, checkpoint, state))
}

/// Reads the corpora and says what was wrong or left out.
fn load(config: &Config, reporter: &mut dyn Reporter) -> Result<Splits, RunError> {
    let splits = Splits::load(config)?;
    for note in &splits.notes {
        reporter.message(Level::Info, note.clone());
    }
    let corpora = [Some(&splits.train), Some(&splits.dev), splits.test.as_ref()];
    for (split, corpus) in ["train", "dev", "test"].into_iter().zip(corpora) {
        let Some(corpus) = corpus else { continue };
        let (n, name) = (corpus.sentences.len(), &corpus.name);
        let words = corpus.sentences.iter().map(|s| s.len()).sum::<usize>();
        reporter.message(
            Level::Info,
            format!("{split}: {}, {} of {name}", counted(n, "sentence"), counted(words, "word")),
        );
        for problem in corpus.problems.iter().take(PROBLEMS_TOLD) {
            reporter.message(Level::Warning, problem.to_string());
        }
        if let Some(more) = corpus.problems.len().checked_sub(PROBLEMS_TOLD + 1) {
            let text = format!("{}: {}", corpus.name, counted(more + 1, "further problem"));
            reporter.message(Level::Warning, text);
        }
    }
    Ok(splits)
}

fn dataset(splits: &Splits, vocabulary: &Vocabulary) -> Dataset {
    Dataset::new(&splits.train, &splits.dev, splits.test.as_ref(), vocabulary)
}
