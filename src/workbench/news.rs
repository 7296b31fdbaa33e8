//! What background tasks say: how far they are, and what came of them.

use super::names::ScreenId;
use std::any::Any;
use std::fmt;

/// A result of the type that the screen expects; taken out with [`TaskReport::take`].
pub type Payload = Box<dyn Any + Send>;

/// What runs in the background, for the progress line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStatus {
    pub screen: ScreenId,
    pub kind: &'static str,
    pub title: String,
    pub done: u64,
    pub total: u64,
}

/// News of a task.
#[derive(Debug)]
pub struct TaskReport {
    pub screen: ScreenId,
    pub kind: &'static str,
    /// Tells requests of one kind apart; the newest has the highest.
    pub(super) number: u64,
    pub outcome: Outcome,
    /// Whether it is the last one.
    pub(super) finished: bool,
}

impl TaskReport {
    /// A report as a screen would get it, for tests.
    pub fn new(screen: ScreenId, kind: &'static str, outcome: Outcome) -> TaskReport {
        TaskReport { screen, kind, number: 0, outcome, finished: true }
    }

    /// The result, if the task has one of that type; taken only once.
    pub fn take<T: Any>(&mut self) -> Option<T> {
        match std::mem::replace(&mut self.outcome, Outcome::Taken) {
            Outcome::Done(payload) => match payload.downcast::<T>() {
                Ok(value) => Some(*value),
                Err(payload) => {
                    self.outcome = Outcome::Done(payload);
                    None
                }
            },
            other => {
                self.outcome = other;
                None
            }
        }
    }

    /// The error, if it failed.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Failed(reason) => Some(reason),
            _ => None,
        }
    }
}

/// How a task stands.
pub enum Outcome {
    Progress {
        done: u64,
        total: u64,
    },
    Done(Payload),
    Failed(String),
    /// The result was taken.
    Taken,
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Outcome::Progress { done, total } => write!(f, "Progress({done}/{total})"),
            Outcome::Done(_) => f.write_str("Done"),
            Outcome::Failed(reason) => write!(f, "Failed({reason:?})"),
            Outcome::Taken => f.write_str("Taken"),
        }
    }
}
