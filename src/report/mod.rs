//! What every long-running loop reports, and to whom.
//!
//! Loops emit [`EventKind`]s through a [`Reporter`] and never know who listens:
//! a run folder, the workbench, a plain terminal, or all of them. Only the event
//! type and the trait live here; files and channels belong to `run`.

mod advice;
mod counted;
mod event;
pub mod numbers;

pub use advice::advice;
pub use counted::{counted, plural};
pub use event::{DeviceUse, Event, EventKind, Level, Metrics, RunState, SCHEMA, epoch_at};

/// Receives what a loop reports. Implemented by run folders, channels and tests.
pub trait Reporter {
    /// Takes one event; must not block for long, it is called inside the training step.
    fn report(&mut self, event: EventKind);

    /// A note for the user, e.g. which sentences were left out and why.
    fn message(&mut self, level: Level, text: String) {
        self.report(EventKind::Message { level, text });
    }
}

impl Reporter for Vec<EventKind> {
    fn report(&mut self, event: EventKind) {
        self.push(event);
    }
}

/// Drops everything; for callers that want only the result.
pub struct Silent;

impl Reporter for Silent {
    fn report(&mut self, _: EventKind) {}
}
