//! Leaving: the question, and waiting for trainings to write `last`.

use super::{App, Leaving};
use crate::report::{Level, RunState};
use crate::workbench::engine::Control;
use crate::workbench::popup::{Choice, Popup};
use crate::workbench::shared::{RunEntry, Standing};

impl App {
    pub(super) fn quit(&mut self) {
        if self.leaving.is_some() {
            // Asked again while runs stop: the user does not want to wait.
            self.finished = true;
            return;
        }
        let own = self.engine.own();
        if own.is_empty() {
            self.leave(Leaving::Stop);
            return;
        }
        let runs: Vec<_> = own.iter().filter_map(|id| self.shared.run(*id)).collect();
        let (paused, training): (Vec<&RunEntry>, Vec<&RunEntry>) =
            runs.into_iter().partition(|r| r.standing() == Standing::Paused);
        let sentence = |runs: &[&RunEntry], what: &str| {
            let names: Vec<&str> = runs.iter().map(|r| r.name.as_str()).collect();
            let verb = if runs.len() == 1 { "is" } else { "are" };
            (!runs.is_empty()).then(|| format!("{} {verb} {what}.", names.join(", ")))
        };
        let sentences =
            [sentence(&training, "still training"), sentence(&paused, "paused")].into_iter();
        let text = sentences.flatten().collect::<Vec<_>>().join(" ");
        self.ask(
            "quit",
            Popup::Question {
                id: "quit",
                title: "Quit".into(),
                text,
                choices: vec![
                    Choice::new('s', "stop and save"),
                    Choice::new('l', "leave it running without the workbench"),
                    Choice::new('c', "cancel"),
                ],
            },
        );
    }

    pub(super) fn leave(&mut self, how: Leaving) {
        if self.leaving.is_some() {
            return;
        }
        self.tasks.cancel_all();
        let own = self.engine.own();
        for id in &own {
            if let Some(path) = self.shared.run(*id).map(|r| r.path.clone())
                && let Err(reason) = self.engine.control(*id, &path, Control::Stop)
            {
                self.fail(reason);
            }
        }
        if how == Leaving::Detach {
            self.detaching = own;
        }
        self.layers.clear();
        self.leaving = Some(how);
        self.status =
            Some((Level::Info, "finishing the step and writing `last` (q: do not wait)".into()));
        self.check_leaving();
    }

    /// Ends the loop once no run of ours is left.
    pub(super) fn check_leaving(&mut self) {
        if self.leaving.is_none() || self.finished || !self.engine.own().is_empty() {
            return;
        }
        for id in std::mem::take(&mut self.detaching) {
            let Some(run) = self.shared.run(id) else { continue };
            // It may have come to its end while it was asked to stop.
            if matches!(run.listed_state, Some(RunState::Finished | RunState::Failed)) {
                continue;
            }
            let path = run.path.clone();
            if let Err(reason) = self.engine.detach(&path) {
                self.fail(reason);
                self.leaving = None;
                return;
            }
        }
        self.finished = true;
    }
}
