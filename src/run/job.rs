use super::ssn::Stored;
use super::task::Task;
use super::worker;
use super::{Lock, RunError, RunFolder, Status};
use crate::config::{Config, Kind};
use crate::model::Parser;
use crate::parser::TreeParser;
use crate::report::{Event, RunState};
use crate::training::Best;
use crate::treebank::{Preprocessing, Splits, Vocabulary};
use crossbeam_channel::{Receiver, Sender, unbounded};
use std::sync::Arc;
use std::thread::JoinHandle;

/// Whether weights of an earlier session were kept, though they may be gone by now.
fn had_weights(folder: &RunFolder) -> bool {
    let ended = |status: &Status| {
        // Where it was asked to stop, or came to its end, it wrote `last`.
        let ended = matches!(status.state, RunState::Finished | RunState::Stopped);
        status.best.is_some() || (ended && status.step > 0)
    };
    folder.best().is_file() || Status::read(folder).ok().flatten().is_some_and(|s| ended(&s))
}

/// What a job can be asked to do; it answers between two steps.
#[derive(Clone)]
pub enum Command {
    Pause,
    Resume,
    /// Finish the step, write `last`, end.
    Stop,
    /// Write `last` now.
    Checkpoint,
    LearningRate(f64),
    /// Send a frozen copy of the present weights, also while paused.
    Snapshot(Sender<Held>),
}

impl std::fmt::Debug for Command {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Command::Pause => f.write_str("Pause"),
            Command::Resume => f.write_str("Resume"),
            Command::Stop => f.write_str("Stop"),
            Command::Checkpoint => f.write_str("Checkpoint"),
            Command::LearningRate(rate) => write!(f, "LearningRate({rate})"),
            Command::Snapshot(_) => f.write_str("Snapshot"),
        }
    }
}

/// Weights as they were between two steps, with all that is needed to parse a sentence.
#[derive(Clone)]
pub enum Held {
    Induced(Snapshot),
    Supervised(Supervised),
}

impl Held {
    pub fn preprocessing(&self) -> &Preprocessing {
        match self {
            Held::Induced(snapshot) => &snapshot.preprocessing,
            Held::Supervised(supervised) => &supervised.preprocessing,
        }
    }

    /// Optimiser steps of their training; 0 of a parser that is counted.
    pub fn step(&self) -> u64 {
        match self {
            Held::Induced(snapshot) => snapshot.step,
            Held::Supervised(supervised) => supervised.step,
        }
    }

    /// Those with symbols and rules to look into.
    pub fn induced(&self) -> Option<&Snapshot> {
        match self {
            Held::Induced(snapshot) => Some(snapshot),
            Held::Supervised(_) => None,
        }
    }
}

/// An induced grammar, or a language model.
#[derive(Clone)]
pub struct Snapshot {
    pub parser: Arc<dyn Parser>,
    pub vocabulary: Arc<Vocabulary>,
    pub preprocessing: Preprocessing,
    pub step: u64,
}

/// A parser that learned from trees.
#[derive(Clone)]
pub struct Supervised {
    pub parser: Arc<dyn TreeParser>,
    pub preprocessing: Preprocessing,
    pub step: u64,
}

/// How a job ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// `Finished`, `Stopped` or `Failed`.
    pub state: RunState,
    /// The state that the run is left in: this, or, where a resumption failed before it began, the
    /// one that it had.
    pub run: RunState,
    /// Why: the limit that was reached, or what went wrong.
    pub reason: Option<String>,
    pub step: u64,
    /// The best evaluation; `None` before the first.
    pub best: Option<Best>,
    /// Seconds spent in optimiser steps, earlier sessions included.
    pub train_seconds: f64,
}

/// A run at work on a background thread. When the handle is dropped the work goes on unheard;
/// to end it, [`Job::send`] it [`Command::Stop`] and [`Job::join`] it.
#[derive(Debug)]
pub struct Job {
    folder: RunFolder,
    events: Receiver<Event>,
    commands: Sender<Command>,
    thread: JoinHandle<Outcome>,
}

impl Job {
    /// Starts training, or bagging or boosting, in a folder made by [`RunFolder::create`]. Loading
    /// and building happen on the job's thread; what goes wrong there is a failed run with its
    /// reason.
    pub fn train(config: Config, folder: RunFolder) -> Result<Job, RunError> {
        match config.kind {
            Kind::Bag | Kind::Boost => {
                Job::start(folder, move |folder| Task::ensemble(config, folder, false))
            }
            Kind::Ssn => Job::start(folder, move |_| Ok(Task::ssn(config, None, false))),
            Kind::Rerank => Job::start(folder, move |_| Ok(Task::rerank(config, false))),
            Kind::Train => Job::start(folder, move |_| Ok(Task::new(config))),
        }
    }

    /// Whether a run with these settings can begin: what it is to learn from is there. No more than a
    /// beginning of it is read.
    pub fn check(config: &Config) -> Result<(), RunError> {
        match config.kind {
            Kind::Rerank => super::rerank::check(config),
            _ => Ok(Splits::check(config)?),
        }
    }

    /// Goes on from the folder's last checkpoint, or of an ensemble from its last round, with the
    /// settings of its config file; a run that ended before it had any starts again. Refused while
    /// another process works there, and where the config or the checkpoint cannot be read; the
    /// folder then stays as it was.
    pub fn resume(folder: RunFolder) -> Result<Job, RunError> {
        Job::resume_on(folder, None)
    }

    /// The same on another device than the config names.
    pub fn resume_on(folder: RunFolder, device: Option<String>) -> Result<Job, RunError> {
        let placed = move |mut config: Config| {
            if let Some(device) = device {
                config.device = device;
            }
            config
        };
        if let (Ok(config), Ok(Some(status))) = (folder.config(), Status::read(&folder))
            && config.kind.name() != status.kind
        {
            // A config that lost its lines is one of a training.
            return Err(RunError::Unsuitable(format!(
                "{}: its kind is \"{}\", and the run is one of \"{}\": put its settings back",
                folder.config_path().display(),
                config.kind.name(),
                status.kind,
            )));
        }
        if let Ok(config) = folder.config()
            && config.kind.is_ensemble()
        {
            return Job::start(folder, move |folder| Task::ensemble(config, folder, true));
        }
        if let Ok(config) = folder.config()
            && config.kind == Kind::Rerank
        {
            return Job::start(folder, move |folder| match folder.best().is_file() {
                true => Err(RunError::Done(folder.path().to_owned())),
                false => Ok(Task::rerank(config, true)),
            });
        }
        if let Ok(config) = folder.config()
            && config.kind == Kind::Ssn
        {
            return Job::start(folder, |folder| {
                let stored = match folder.last().is_file() {
                    true => Some(Stored::read(folder)?),
                    false if had_weights(folder) => {
                        return Err(RunError::NothingToResume(folder.path().to_owned()));
                    }
                    false => None,
                };
                Ok(Task::ssn(config, stored, true))
            });
        }
        match folder.last().is_file() {
            true => Job::start(folder, |folder| Task::resume(folder, placed)),
            // It got somewhere: to start again would overwrite that.
            false if had_weights(&folder) => {
                Err(RunError::NothingToResume(folder.path().to_owned()))
            }
            false => Job::start(folder, |folder| Task::again(placed(folder.config()?))),
        }
    }

    /// Takes the folder's lock, reads what the task starts from, and only then writes to the
    /// folder and starts the thread.
    pub(super) fn start(
        folder: RunFolder,
        task: impl FnOnce(&RunFolder) -> Result<Task, RunError>,
    ) -> Result<Job, RunError> {
        let (lock, earlier) = Lock::acquire(&folder)?;
        folder.remove_abandoned();
        folder.restore()?;
        let task = task(&folder)?;
        let (events_out, events) = unbounded();
        let (commands, commands_in) = unbounded();
        let worker =
            worker::Worker::new(&folder, task.kind, lock, earlier, events_out, commands.clone())?;
        let thread = std::thread::Builder::new()
            .name("job".into())
            .spawn(move || worker.run(task, &commands_in))
            .map_err(|source| RunError::Start { what: "the job's thread".into(), source })?;
        Ok(Job { folder, events, commands, thread })
    }

    pub fn folder(&self) -> &RunFolder {
        &self.folder
    }

    /// Events of this session in order; those of earlier ones are in the folder. The channel
    /// closes when the job has ended.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// Asks for something; false if the job has ended.
    pub fn send(&self, command: Command) -> bool {
        !self.thread.is_finished() && self.commands.send(command).is_ok()
    }

    /// A sender of commands that can be given away.
    pub fn commands(&self) -> Sender<Command> {
        self.commands.clone()
    }

    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end.
    pub fn join(self) -> Outcome {
        self.thread.join().unwrap_or_else(|payload| Outcome {
            state: RunState::Failed,
            run: RunState::Failed,
            reason: Some(super::panic::said(&*payload)),
            step: 0,
            best: None,
            train_seconds: 0.0,
        })
    }
}
