use super::clock::Stopwatch;
use super::heart::{Heart, Notice, SharedStatus};
use super::journal::Journal;
use super::reports::Reports;
use super::task::Task;
use super::work::{Desk, Work};
use super::{
    BestFigures, Command, Holder, Lock, Outcome, RunError, RunFolder, Status, stop_requested,
};
use crate::config::Kind;
use crate::report::{Event, Level, Reporter, RunState, counted};
use crate::treebank::TreebankError;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How long a paused job sleeps between two looks around.
const NAP: Duration = Duration::from_millis(100);

/// The job's thread: owns the loop, answers commands between pieces of work, keeps the folder.
pub(super) struct Worker {
    /// Before the reports, so that the lock is free when listeners see their channel close.
    heart: Heart,
    desk: Desk,
    outcome: Outcome,
    /// How an earlier session ended, until this one has begun: finished or stopped.
    before: Option<(RunState, Option<String>)>,
}

impl Worker {
    pub fn new(
        folder: &RunFolder,
        kind: Kind,
        lock: Lock,
        earlier: Option<Holder>,
        events: Sender<Event>,
        commands: Sender<Command>,
    ) -> Result<Worker, RunError> {
        // What earlier sessions reached stays known, whatever becomes of this one.
        let (status, before) = match Status::read(folder) {
            Ok(Some(status)) => {
                let ended = matches!(status.state, RunState::Finished | RunState::Stopped);
                let before = ended.then(|| (status.state, status.reason.clone()));
                (status.begin_again(), before)
            }
            Err(e @ RunError::Newer { .. }) => return Err(e),
            Ok(None) | Err(_) => (Status::start(kind.name()), None),
        };
        let status = SharedStatus::new(status);
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
            heart,
            desk: Desk::new(folder.clone(), reports),
            outcome: Outcome {
                state: RunState::Running,
                run: RunState::Running,
                reason: None,
                step: 0,
                best: None,
                train_seconds: 0.0,
            },
            before,
        })
    }

    /// Works until the end; whatever goes wrong, panics included, becomes a failed run.
    pub fn run(mut self, task: Task, commands: &Receiver<Command>) -> Outcome {
        let task_resumed = task.resumed;
        let result = catch_unwind(AssertUnwindSafe(|| self.work(task, commands)));
        let (state, reason) = match result {
            Ok(Ok((state, reason))) => (state, reason),
            // The folder is another's now: not a word more in it.
            Ok(Err(e @ RunError::TakenOver { .. })) => {
                (self.outcome.state, self.outcome.run) = (RunState::Failed, RunState::Failed);
                self.outcome.reason = Some(e.to_string());
                return self.outcome;
            }
            Ok(Err(e)) => {
                let moved = matches!(e, RunError::Treebank(TreebankError::NotFound { .. }));
                let advice = match moved && task_resumed {
                    true => format!(
                        ". Put it back, or write its new place into {}",
                        self.desk.folder.config_path().display()
                    ),
                    false => String::new(),
                };
                (RunState::Failed, Some(format!("{e}{advice}")))
            }
            Err(payload) => (RunState::Failed, Some(super::panic::said(&*payload))),
        };
        (self.outcome.state, self.outcome.reason) = (state, reason.clone());
        // What it could not go on with is none the worse for it.
        let (state, reason) = match (state, self.before.take()) {
            (RunState::Failed, Some(before)) => {
                let text = format!("not resumed: {}", reason.unwrap_or_default());
                self.desk.reports.message(Level::Error, text);
                before
            }
            _ => (state, reason),
        };
        self.outcome.run = state;
        self.desk.reports.state(state, self.outcome.step, false, reason);
        self.outcome
    }

    fn work(
        &mut self,
        task: Task,
        commands: &Receiver<Command>,
    ) -> Result<(RunState, Option<String>), RunError> {
        self.desk.reports.stopwatch = Stopwatch::start(task.elapsed);
        self.outcome.step = task.step;
        let reason = task.resumed.then(|| format!("resumed from step {}", task.step));
        self.desk.reports.state(RunState::Running, task.step, task.resumed, reason);
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
            let work = (task.build)(&mut self.desk.reports)?;
            self.drive(work, commands)
        })
    }

    /// Never more than the cores: further threads would only wait for each other.
    fn threads(&mut self, wanted: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if wanted > cores {
            let there = counted(cores, "core");
            let text =
                format!("threads = {wanted}: the machine has {there}, and no more threads run");
            self.desk.reports.message(Level::Info, text);
        }
        wanted.min(cores)
    }

    fn drive(
        &mut self,
        mut work: Box<dyn Work>,
        commands: &Receiver<Command>,
    ) -> Result<(RunState, Option<String>), RunError> {
        self.note_progress(&*work);
        work.begin(&mut self.desk)?;
        self.before = None;
        loop {
            if self.obey(&mut *work, commands)?.is_break() {
                work.save(&mut self.desk).map_err(|error| self.desk.explained(error))?;
                return Ok((RunState::Stopped, None));
            }
            let ended = work.advance(&mut self.desk);
            self.note_progress(&*work);
            if let Some(reason) = ended? {
                return Ok((RunState::Finished, Some(reason)));
            }
        }
    }

    fn note_progress(&mut self, work: &dyn Work) {
        self.outcome.step = work.step();
        self.outcome.train_seconds = work.seconds();
        let best = work.best();
        if self.outcome.best.as_ref() != best {
            self.outcome.best = best.cloned();
            if let Some(best) = best {
                self.desk.reports.best(BestFigures {
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
        work: &mut dyn Work,
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
            let (step, desk) = (work.step(), &mut self.desk);
            match command {
                None => return Ok(ControlFlow::Continue(())),
                Some(Command::Stop) => return Ok(ControlFlow::Break(())),
                Some(Command::Pause) if !paused => {
                    paused = true;
                    desk.reports.stopwatch.pause();
                    let saved = work.save(desk);
                    desk.go_on(saved)?;
                    desk.reports.state(RunState::Paused, step, false, None);
                }
                Some(Command::Resume) if paused => {
                    paused = false;
                    desk.reports.stopwatch.resume();
                    desk.reports.state(RunState::Running, step, false, None);
                }
                Some(Command::Pause | Command::Resume) => {}
                Some(Command::Checkpoint) => {
                    let saved = work.save(desk);
                    desk.go_on(saved)?;
                }
                Some(Command::LearningRate(rate)) => work.set_learning_rate(rate, desk),
                Some(Command::Snapshot(to)) => match work.snapshot() {
                    // Whoever asked may have gone.
                    Ok(snapshot) => drop(to.send(snapshot)),
                    Err(e) => desk.reports.message(Level::Error, format!("no snapshot: {e}")),
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
                Notice::Unreadable(text) => self.desk.reports.message(Level::Warning, text),
            }
        }
        Ok(())
    }
}
