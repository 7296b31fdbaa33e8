use super::clock::Stopwatch;
use super::heart::{Heart, Notice, SharedStatus};
use super::journal::Journal;
use super::reports::Reports;
use super::task::{Setup, Task};
use super::{
    BestFigures, Command, EvaluatedTrees, Holder, Lock, Outcome, RunError, RunFolder, Snapshot,
    Status, stop_requested,
};
use crate::device::DeviceInfo;
use crate::report::{DeviceUse, Event, EventKind, Level, Reporter, RunState, counted};
use crate::training::{Evaluated, Progress, TrainingError};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::any::Any;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// `last` is written at least this often.
const SAVE: Duration = Duration::from_secs(60);

/// How often it is said what the device does.
const DEVICE: Duration = Duration::from_secs(5);

/// How long a paused job sleeps between two looks around.
const NAP: Duration = Duration::from_millis(100);

/// The job's thread: owns the loop, answers commands between pieces of work, keeps the folder.
pub(super) struct Worker {
    folder: RunFolder,
    /// Before the reports, so that the lock is free when listeners see their channel close.
    heart: Heart,
    reports: Reports,
    last_save: Instant,
    device_told: Option<Instant>,
    /// Faults of writing since the last success, so that one that lasts is said once.
    faults: BTreeSet<String>,
    outcome: Outcome,
}

impl Worker {
    pub fn new(
        folder: &RunFolder,
        lock: Lock,
        earlier: Option<Holder>,
        events: Sender<Event>,
        commands: Sender<Command>,
    ) -> Result<Worker, RunError> {
        // What earlier sessions reached stays known, whatever becomes of this one.
        let status = SharedStatus::new(match Status::read(folder) {
            Ok(Some(status)) => status.begin_again(),
            Err(e @ RunError::Newer { .. }) => return Err(e),
            Ok(None) | Err(_) => Status::start("train"),
        });
        let journal = Journal::open(&folder.events_path())?;
        let mut reports = Reports::new(folder.clone(), journal, events, status.clone());
        if let Some(Holder { pid, host, .. }) = earlier {
            let text =
                format!("taken over from process {pid} on {host}, which ended without a word");
            reports.message(Level::Warning, text);
        }
        let heart = Heart::start(folder.clone(), lock, status, commands)
            .map_err(|source| RunError::Start { what: "the job's helper".into(), source })?;
        Ok(Worker {
            folder: folder.clone(),
            heart,
            reports,
            last_save: Instant::now(),
            device_told: None,
            faults: BTreeSet::new(),
            outcome: Outcome {
                state: RunState::Running,
                reason: None,
                step: 0,
                best: None,
                train_seconds: 0.0,
            },
        })
    }

    /// Works until the end; whatever goes wrong, panics included, becomes a failed run.
    pub fn run(mut self, task: Task, commands: &Receiver<Command>) -> Outcome {
        let result = catch_unwind(AssertUnwindSafe(|| self.work(task, commands)));
        let (state, reason) = match result {
            Ok(Ok((state, reason))) => (state, reason),
            // The folder is another's now: not a word more in it.
            Ok(Err(e @ RunError::TakenOver { .. })) => {
                (self.outcome.state, self.outcome.reason) = (RunState::Failed, Some(e.to_string()));
                return self.outcome;
            }
            Ok(Err(e)) => (RunState::Failed, Some(e.to_string())),
            Err(payload) => (RunState::Failed, Some(panic_message(&*payload))),
        };
        (self.outcome.state, self.outcome.reason) = (state, reason.clone());
        self.reports.state(state, self.outcome.step, false, reason);
        self.outcome
    }

    fn work(
        &mut self,
        task: Task,
        commands: &Receiver<Command>,
    ) -> Result<(RunState, Option<String>), RunError> {
        self.reports.stopwatch = Stopwatch::start(task.elapsed);
        self.outcome.step = task.step;
        let reason = task.resumed.then(|| format!("resumed from step {}", task.step));
        self.reports.state(RunState::Running, task.step, task.resumed, reason);
        // All that is computed in parallel takes its threads from here.
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(self.threads(task.threads))
            .thread_name(|i| format!("worker {i}"))
            .build()
            .map_err(|e| RunError::Start {
                what: "the worker threads".into(),
                source: std::io::Error::other(e),
            })?;
        pool.install(|| {
            let setup = (task.build)(&mut self.reports)?;
            self.drive(setup, commands)
        })
    }

    /// Never more than the cores: further threads would only wait for each other.
    fn threads(&mut self, wanted: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if wanted > cores {
            let there = counted(cores, "core");
            let text =
                format!("threads = {wanted}: the machine has {there}, and no more threads run");
            self.reports.message(Level::Info, text);
        }
        wanted.min(cores)
    }

    fn drive(
        &mut self,
        mut setup: Setup,
        commands: &Receiver<Command>,
    ) -> Result<(RunState, Option<String>), RunError> {
        self.note_progress(&setup);
        let dropped = self.folder.drop_trees_after(setup.trainer.state().step);
        self.go_on(dropped)?;
        if setup.trainer.state().step == 0 {
            setup.trainer.introduce(&mut self.reports);
            let kept = self.folder.keep_dev_sentences(setup.trainer.dev_sentences());
            self.go_on(kept)?;
        }
        loop {
            if self.obey(&mut setup, commands)?.is_break() {
                self.save_last(&setup)?;
                return Ok((RunState::Stopped, None));
            }
            let progress = setup.trainer.advance(&mut self.reports);
            self.note_progress(&setup);
            match progress {
                Ok(Progress::Step) => {
                    self.tell_device(&setup);
                    let every = setup.trainer.config().run.checkpoint_every;
                    let due = every > 0 && setup.trainer.state().step.is_multiple_of(every);
                    if due || self.last_save.elapsed() >= SAVE {
                        let saved = self.save_last(&setup);
                        self.go_on(saved)?;
                    }
                }
                Ok(Progress::Evaluating) => {}
                Ok(Progress::Evaluated(evaluated)) => self.keep_evaluation(&setup, evaluated)?,
                Ok(Progress::Finished(ending)) => {
                    self.save_last(&setup)?;
                    return Ok((RunState::Finished, Some(ending.to_string())));
                }
                Err(e) => {
                    // The bad update was not applied: these are the last good weights.
                    let saved = self.save_last(&setup);
                    self.go_on(saved)?;
                    return Err(e.into());
                }
            }
        }
    }

    /// What the device does, every few seconds.
    fn tell_device(&mut self, setup: &Setup) {
        if self.device_told.is_some_and(|told| told.elapsed() < DEVICE) {
            return;
        }
        if let Some(device) = setup.trainer.model().resident() {
            self.device_told = Some(Instant::now());
            let DeviceInfo { name, model, free, total, busy } = device.info();
            let taken = device.bytes();
            let device = DeviceUse { name, model, taken, free, total, busy };
            self.reports.report(EventKind::Device(device));
        }
    }

    fn note_progress(&mut self, setup: &Setup) {
        let state = setup.trainer.state();
        self.outcome.step = state.step;
        self.outcome.train_seconds = state.train_seconds;
        if self.outcome.best != state.best {
            self.outcome.best.clone_from(&state.best);
            if let Some(best) = &state.best {
                self.reports.best(BestFigures {
                    step: best.step,
                    epoch: best.epoch,
                    dev: best.dev.clone(),
                    test: best.test.clone(),
                });
            }
        }
    }

    /// Answers all waiting commands; a break when the run is to stop.
    fn obey(
        &mut self,
        setup: &mut Setup,
        commands: &Receiver<Command>,
    ) -> Result<ControlFlow<()>, RunError> {
        let mut paused = false;
        loop {
            self.listen()?;
            if stop_requested() {
                return Ok(ControlFlow::Break(()));
            }
            let command = if paused {
                match commands.recv_timeout(NAP) {
                    Err(RecvTimeoutError::Timeout) => continue,
                    other => other.ok(),
                }
            } else {
                commands.try_recv().ok()
            };
            let step = setup.trainer.state().step;
            match command {
                None => return Ok(ControlFlow::Continue(())),
                Some(Command::Stop) => return Ok(ControlFlow::Break(())),
                Some(Command::Pause) if !paused => {
                    paused = true;
                    self.reports.stopwatch.pause();
                    let saved = self.save_last(setup);
                    self.go_on(saved)?;
                    self.reports.state(RunState::Paused, step, false, None);
                }
                Some(Command::Resume) if paused => {
                    paused = false;
                    self.reports.stopwatch.resume();
                    self.reports.state(RunState::Running, step, false, None);
                }
                Some(Command::Pause | Command::Resume) => {}
                Some(Command::Checkpoint) => {
                    let saved = self.save_last(setup);
                    self.go_on(saved)?;
                }
                Some(Command::LearningRate(rate)) => self.set_learning_rate(setup, rate),
                Some(Command::Snapshot(to)) => match snapshot(setup) {
                    // Whoever asked may have gone.
                    Ok(snapshot) => drop(to.send(snapshot)),
                    Err(e) => self.reports.message(Level::Error, format!("no snapshot: {e}")),
                },
            }
        }
    }

    /// Takes note of what the helper thread found out.
    fn listen(&mut self) -> Result<(), RunError> {
        while let Ok(notice) = self.heart.notices.try_recv() {
            match notice {
                Notice::TakenOver(Holder { pid, host, .. }) => {
                    return Err(RunError::TakenOver { pid, host });
                }
                Notice::Unreadable(text) => self.reports.message(Level::Warning, text),
            }
        }
        Ok(())
    }

    fn set_learning_rate(&mut self, setup: &mut Setup, rate: f64) {
        if rate.is_finite() && rate >= 0.0 {
            setup.trainer.set_learning_rate(rate);
            self.reports.message(Level::Info, format!("learning rate set to {rate:e}"));
        } else {
            let text = format!("learning rate {rate} refused: expected a finite number, 0 or more");
            self.reports.message(Level::Warning, text);
        }
    }

    fn keep_evaluation(&mut self, setup: &Setup, evaluated: Evaluated) -> Result<(), RunError> {
        let Evaluated { step, epoch, best, dev, parses } = evaluated;
        let pinned = setup.trainer.config().run.pinned;
        let trees = EvaluatedTrees::new(step, epoch, dev, &parses, pinned).write(&self.folder);
        self.go_on(trees)?;
        if best {
            let saved = setup.checkpoint(0.0, false).and_then(|c| Ok(c.save(&self.folder.best())?));
            self.note_checkpoint(&saved, step, "best");
            // Unlike `last`, it is not written again soon: each loss is news.
            if let Err(e) = &saved {
                self.faults.remove(&e.to_string());
            }
            self.go_on(saved)?;
        }
        let saved = self.save_last(setup);
        self.go_on(saved)
    }

    fn save_last(&mut self, setup: &Setup) -> Result<(), RunError> {
        self.last_save = Instant::now();
        let elapsed = self.reports.stopwatch.seconds();
        let saved = setup.checkpoint(elapsed, true).and_then(|c| Ok(c.save(&self.folder.last())?));
        self.note_checkpoint(&saved, setup.trainer.state().step, "last");
        saved
    }

    fn note_checkpoint(&mut self, saved: &Result<(), RunError>, step: u64, name: &str) {
        if saved.is_ok() {
            self.faults.clear();
            self.reports.report(EventKind::Checkpoint { step, name: name.into() });
        }
    }

    /// A full disk is said and training goes on, for it may be cleared; a folder that is gone
    /// leaves nothing to go on for.
    fn go_on(&mut self, written: Result<(), RunError>) -> Result<(), RunError> {
        let Err(error) = written else { return Ok(()) };
        if !self.folder.path().is_dir() {
            return Err(RunError::Gone(self.folder.path().to_owned()));
        }
        if self.faults.insert(error.to_string()) {
            self.reports.message(Level::Error, format!("not written: {error}; the run goes on"));
        }
        Ok(())
    }
}

fn snapshot(setup: &Setup) -> Result<Snapshot, TrainingError> {
    Ok(Snapshot {
        parser: setup.trainer.freeze()?,
        vocabulary: setup.vocabulary.clone(),
        preprocessing: setup.preprocessing.clone(),
        step: setup.trainer.state().step,
    })
}

/// What a panic said.
pub(super) fn panic_message(payload: &(dyn Any + Send)) -> String {
    let said = payload
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into());
    format!("internal error (panic): {said}")
}
