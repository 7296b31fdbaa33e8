//! Background tasks: anything that takes longer than a few milliseconds.
//!
//! A screen describes a [`Task`]; it runs on a thread of its own and its news
//! come back as messages. Of one screen and kind only the newest request is
//! heard; the older one is told that it is cancelled, and its result is dropped.

use super::message::Message;
use super::names::ScreenId;
use super::news::{Outcome, Payload, TaskReport, TaskStatus};
use crossbeam_channel::Sender;
use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

type Work = Box<dyn FnOnce(&TaskHandle) -> Result<Payload, String> + Send>;

/// Work for another thread.
pub struct Task {
    /// Names requests that replace one another.
    pub kind: &'static str,
    /// What the progress line says, e.g. `reading gum-open`.
    pub title: String,
    work: Work,
}

impl Task {
    /// The closure's result comes back as [`Outcome::Done`], its error as [`Outcome::Failed`].
    pub fn new<T: Any + Send>(
        kind: &'static str,
        title: impl Into<String>,
        work: impl FnOnce(&TaskHandle) -> Result<T, String> + Send + 'static,
    ) -> Task {
        Task {
            kind,
            title: title.into(),
            work: Box::new(move |handle| work(handle).map(|value| Box::new(value) as Payload)),
        }
    }

    /// Runs it here and now, for tests of screens.
    pub fn run(self) -> Result<Payload, String> {
        (self.work)(&TaskHandle::detached())
    }
}

impl fmt::Debug for Task {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Task").field("kind", &self.kind).field("title", &self.title).finish()
    }
}

/// What a task sees of the workbench.
pub struct TaskHandle {
    key: TaskKey,
    number: u64,
    cancelled: Arc<AtomicBool>,
    messages: Option<Sender<Message>>,
    last: std::cell::Cell<Option<Instant>>,
}

impl TaskHandle {
    fn detached() -> TaskHandle {
        TaskHandle {
            key: (ScreenId::Log, ""),
            number: 0,
            cancelled: Arc::default(),
            messages: None,
            last: std::cell::Cell::new(None),
        }
    }

    /// Whether nobody wants the result any more; long work asks now and then.
    pub fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Moves the progress bar; cheap enough for every item.
    pub fn progress(&self, done: u64, total: u64) {
        let recent = self.last.get().is_some_and(|t| t.elapsed() < Duration::from_millis(50));
        if recent && done < total {
            return;
        }
        self.last.set(Some(Instant::now()));
        self.send(Outcome::Progress { done, total });
    }

    /// Hands over a first part of the result while work goes on.
    pub fn partial<T: Any + Send>(&self, value: T) {
        self.send(Outcome::Done(Box::new(value)));
    }

    fn send(&self, outcome: Outcome) {
        if let Some(messages) = &self.messages {
            // Nobody listening means that the workbench is closing.
            let _ = messages.send(Message::Task(self.report(outcome, false)));
        }
    }

    fn report(&self, outcome: Outcome, finished: bool) -> TaskReport {
        TaskReport { screen: self.key.0, kind: self.key.1, number: self.number, outcome, finished }
    }
}

type TaskKey = (ScreenId, &'static str);

struct Running {
    number: u64,
    cancelled: Arc<AtomicBool>,
}

/// Starts tasks and remembers which request of a kind is the newest.
pub(super) struct Tasks {
    messages: Sender<Message>,
    running: HashMap<TaskKey, Running>,
    next: u64,
}

impl Tasks {
    pub fn new(messages: Sender<Message>) -> Tasks {
        Tasks { messages, running: HashMap::new(), next: 1 }
    }

    /// Starts a task in place of an older one of its kind.
    pub fn spawn(&mut self, screen: ScreenId, task: Task, status: &mut Vec<TaskStatus>) {
        let key = (screen, task.kind);
        self.cancel(key, status);
        let (number, cancelled) = (self.next, Arc::new(AtomicBool::new(false)));
        self.next += 1;
        self.running.insert(key, Running { number, cancelled: cancelled.clone() });
        status.push(TaskStatus { screen, kind: task.kind, title: task.title, done: 0, total: 0 });
        let handle = TaskHandle {
            key,
            number,
            cancelled,
            messages: Some(self.messages.clone()),
            last: std::cell::Cell::new(None),
        };
        let (work, messages) = (task.work, self.messages.clone());
        let spawned =
            std::thread::Builder::new().name(format!("task {}", key.1)).spawn(move || {
                let outcome = match catch_unwind(AssertUnwindSafe(|| work(&handle))) {
                    Ok(Ok(payload)) => Outcome::Done(payload),
                    Ok(Err(reason)) => Outcome::Failed(reason),
                    Err(panic) => {
                        Outcome::Failed(format!("internal error: {}", panic_text(&*panic)))
                    }
                };
                // Nobody listening means that the workbench is closing.
                let _ = messages.send(Message::Task(handle.report(outcome, true)));
            });
        if let Err(error) = spawned {
            let outcome = Outcome::Failed(format!("no thread for it: {error}"));
            let report = TaskReport { screen, kind: key.1, number, outcome, finished: true };
            let _ = self.messages.send(Message::Task(report));
        }
    }

    /// Cancels the task of that screen and kind, if one runs.
    pub fn cancel(&mut self, key: TaskKey, status: &mut Vec<TaskStatus>) {
        if let Some(running) = self.running.remove(&key) {
            running.cancelled.store(true, Ordering::Relaxed);
        }
        status.retain(|s| (s.screen, s.kind) != key);
    }

    /// Whether a report is of the newest request; keeps the status up to date.
    pub fn accept(&mut self, report: &TaskReport, status: &mut Vec<TaskStatus>) -> bool {
        let key = (report.screen, report.kind);
        if self.running.get(&key).is_none_or(|r| r.number != report.number) {
            return false;
        }
        if report.finished {
            self.running.remove(&key);
            status.retain(|s| (s.screen, s.kind) != key);
        } else if let Outcome::Progress { done, total } = report.outcome
            && let Some(s) = status.iter_mut().find(|s| (s.screen, s.kind) == key)
        {
            (s.done, s.total) = (done, total);
        }
        true
    }

    /// Tells every task that nobody wants its result.
    pub fn cancel_all(&mut self) {
        for running in self.running.values() {
            running.cancelled.store(true, Ordering::Relaxed);
        }
    }
}

/// What a panic said.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    panic
        .downcast_ref::<&str>()
        .map(|s| (*s).to_owned())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam_channel::unbounded;

    const WAIT: Duration = Duration::from_secs(20);

    fn next(messages: &crossbeam_channel::Receiver<Message>) -> TaskReport {
        match messages.recv_timeout(WAIT) {
            Ok(Message::Task(report)) => report,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn only_the_newest_request_of_a_kind_is_heard() {
        let (sender, messages) = unbounded();
        let (mut tasks, mut status) = (Tasks::new(sender), Vec::new());
        let (release, gate) = crossbeam_channel::bounded::<()>(0);
        let old = Task::new("read", "old", move |handle| {
            let _ = gate.recv_timeout(WAIT);
            Ok(handle.cancelled())
        });
        tasks.spawn(ScreenId::Corpora, old, &mut status);
        tasks.spawn(ScreenId::Corpora, Task::new("read", "new", |_| Ok(2u8)), &mut status);
        assert_eq!(status.len(), 1);
        let mut new = next(&messages);
        assert!(tasks.accept(&new, &mut status));
        assert_eq!(
            (new.take::<String>(), new.take::<u8>(), new.take::<u8>()),
            (None, Some(2), None)
        );
        release.send(()).expect("the old task waits");
        let mut old = next(&messages);
        assert!(!tasks.accept(&old, &mut status), "its result is dropped");
        assert_eq!(old.take::<bool>(), Some(true), "and it could have known");
        assert!(status.is_empty());
    }

    #[test]
    fn a_panic_in_a_task_is_an_error_with_its_text() {
        let (sender, messages) = unbounded();
        let (mut tasks, mut status) = (Tasks::new(sender), Vec::new());
        let task = Task::new("read", "", |_| -> Result<(), String> { panic!("no such tree") });
        tasks.spawn(ScreenId::Corpora, task, &mut status);
        let report = next(&messages);
        assert!(tasks.accept(&report, &mut status));
        assert_eq!(report.error(), Some("internal error: no such tree"));
    }

    #[test]
    fn progress_shows_in_the_status() {
        let (sender, messages) = unbounded();
        let (mut tasks, mut status) = (Tasks::new(sender), Vec::new());
        let task = Task::new("read", "reading", |handle| {
            handle.progress(3, 10);
            Ok(())
        });
        tasks.spawn(ScreenId::Corpora, task, &mut status);
        assert!(tasks.accept(&next(&messages), &mut status));
        assert_eq!((status[0].done, status[0].total), (3, 10));
        assert!(tasks.accept(&next(&messages), &mut status));
        assert!(status.is_empty());
    }
}
