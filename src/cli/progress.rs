//! Progress of a run on a terminal: bars for the epoch and the run, with the time that is left.

use crate::report::{Event, EventKind, RunState};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Two bars on standard error.
pub struct Bars {
    all: MultiProgress,
    epoch: ProgressBar,
    run: ProgressBar,
}

impl Bars {
    /// `None` where nobody would see them move: output or standard error is a file or a pipe.
    pub fn on_terminal() -> Option<Bars> {
        if !(std::io::stdout().is_terminal() && std::io::stderr().is_terminal()) {
            return None;
        }
        let bar = |template| ProgressBar::no_length().with_style(style(template));
        let all = MultiProgress::new();
        let epoch = all.add(bar(EPOCH));
        let run = all.add(bar(RUN));
        Some(Bars { all, epoch, run })
    }

    /// Moves the bars.
    pub fn show(&self, event: &Event) {
        if let EventKind::Step { step, epoch, loss, steps_per_epoch, total_steps, .. } = event.kind
        {
            let first = self.run.length().is_none();
            self.run.set_length(total_steps);
            self.epoch.set_length(steps_per_epoch);
            if first {
                // A resumed run: its earlier steps took no time of this process.
                self.run.set_position(step - 1);
                self.run.reset_eta();
            }
            self.run.set_position(step);
            self.epoch.set_position(step.saturating_sub(1) % steps_per_epoch.max(1) + 1);
            self.epoch.set_message(format!("epoch {epoch}  loss {loss:.3}"));
        }
        if let EventKind::State { state: RunState::Running, .. } = event.kind {
            // A pause says nothing about the time that steps take.
            self.run.reset_eta();
            self.epoch.reset_eta();
        }
        if let EventKind::Progress { round, done, of } = event.kind {
            self.epoch.set_length(of);
            self.epoch.set_position(done);
            self.epoch.set_message(format!("sentences, round {round}"));
        }
    }

    /// Prints without tearing the bars.
    pub fn around<R>(&self, print: impl FnOnce() -> R) -> R {
        self.all.suspend(print)
    }

    /// Takes the bars away.
    pub fn clear(&self) {
        self.epoch.finish_and_clear();
        self.run.finish_and_clear();
    }
}

const EPOCH: &str = "[{bar:30}] {pos}/{len}  {msg}";
const RUN: &str = "[{bar:30}] {pos}/{len}  run, {elapsed} passed, {eta} left";
const WORK: &str = "[{bar:30}] {pos}/{len}  {msg}, {eta} left";

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .expect("templates are constants that the tests try")
        .progress_chars("=> ")
}

/// A bar for work of known size; hidden by itself where standard error is no terminal.
pub fn bar(length: usize, what: &'static str) -> ProgressBar {
    ProgressBar::new(length as u64).with_style(style(WORK)).with_message(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates_are_well_formed() {
        for template in [EPOCH, RUN, WORK] {
            ProgressStyle::with_template(template).expect(template);
        }
    }
}
