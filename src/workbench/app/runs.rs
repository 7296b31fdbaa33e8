//! What happens to runs: started, resumed, selected, read, listed, thrown away.

use super::App;
use crate::config::Kind;
use crate::report::{EventKind, Level, RunState};
use crate::run::RunFolder;
use crate::training::Ending;
use crate::workbench::engine::Control;
use crate::workbench::message::Listed;
use crate::workbench::names::RunId;
use crate::workbench::screen::Input;
use crate::workbench::shared::{RunEntry, Standing};
use std::path::PathBuf;

impl App {
    pub(super) fn new_id(&mut self) -> RunId {
        self.next_run += 1;
        RunId(self.next_run)
    }

    /// The id of a run folder, known before or not.
    pub(in crate::workbench) fn run_at(&mut self, path: PathBuf) -> RunId {
        if let Some(run) = self.shared.runs.iter().find(|r| same_place(&r.path, &path)) {
            return run.id;
        }
        let id = self.new_id();
        self.shared.runs.insert(0, RunEntry::new(id, path));
        id
    }

    /// Trains in a new run folder and shows it.
    pub fn start(&mut self, config: crate::config::Config) {
        let id = self.new_id();
        let base = self.shared.runs_folder.clone();
        match self.engine.start(id, &base, &config, self.messages.clone()) {
            Ok(path) => {
                let mut run = RunEntry::new(id, path);
                run.config = Some(config);
                run.listed_state = Some(RunState::Running);
                (run.started, run.touched) = (self.shared.now, self.shared.now);
                (run.own, run.followed, run.told) = (true, true, true);
                run.commands = self.engine.commands(id);
                self.log(Level::Info, "workbench", &format!("started {}", run.name));
                self.shared.runs.insert(0, run);
                self.select(id);
                self.engine.refresh();
            }
            Err(reason) => self.fail(reason),
        }
    }

    pub(in crate::workbench) fn resume(&mut self, id: RunId, rate: Option<f64>) {
        let Some(run) = self.shared.run(id) else { return };
        if run.own {
            return self.fail(format!("{} is {} already", run.name, run.standing().word()));
        }
        let path = run.path.clone();
        let done = what_is_done(run, rate);
        self.select(id);
        if let Some(why) = done {
            return self.log_and_tell(Level::Info, why);
        }
        match self.engine.resume(id, &path, self.messages.clone()) {
            Ok(()) => {
                if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
                    run.own = true;
                    run.commands = self.engine.commands(id);
                }
                self.status = Some((Level::Info, "resuming".into()));
                // Heard before the first step.
                if let Some(rate) = rate {
                    match self.engine.control(id, &path, Control::LearningRate(rate)) {
                        Ok(()) => {
                            let text = format!("resuming with a learning rate of {rate}");
                            self.status = Some((Level::Info, text));
                        }
                        Err(reason) => self.fail(reason),
                    }
                }
            }
            Err(reason) => self.fail(reason),
        }
    }

    /// Makes it the run that screens show.
    pub(in crate::workbench) fn select(&mut self, id: RunId) {
        let Some(path) = self.shared.run(id).map(|r| r.path.clone()) else { return };
        self.shared.selected = Some(id);
        if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
            run.has_events = run.path.join("events.jsonl").exists() || !run.path.is_dir();
        }
        self.shared.checkpoint = None;
        self.shared.overlaid.retain(|r| *r != id);
        self.follow(id);
        self.data.note_run(&path);
        self.tell_all(|| Input::Selection);
    }

    /// Draws a run's curves beside the selected one's, or no longer.
    pub(in crate::workbench) fn overlay(&mut self, id: RunId) {
        if let Some(at) = self.shared.overlaid.iter().position(|r| *r == id) {
            self.shared.overlaid.remove(at);
        } else if self.shared.selected != Some(id) {
            self.shared.overlaid.push(id);
            self.follow(id);
        }
        self.tell_all(|| Input::Selection);
    }

    pub(super) fn follow(&mut self, id: RunId) {
        if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id)
            && !run.followed
        {
            run.followed = true;
            self.engine.follow(id, &run.path, self.messages.clone());
        }
    }

    /// A job of this process has ended. Whoever goes on with the run, its events are now read
    /// from its folder; those that the job told are known by their numbers.
    pub(super) fn job_ended(&mut self, id: RunId, state: RunState, reason: Option<String>) {
        let mut told = false;
        // A resumption that had nothing left to do has ended before anybody saw it run.
        if state == RunState::Finished
            && let (Some(run), Some(reason)) = (self.shared.run(id), &reason)
        {
            let text = format!("{} has finished: {reason}", run.name);
            self.status = Some((Level::Info, text));
        }
        if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
            if run.gone || state == RunState::Failed {
                // Its last event may never be read.
                run.history.end(state, reason);
            }
            (run.own, run.commands) = (false, None);
            (run.listed_state, run.listed_at) = (Some(state), self.shared.now);
            told = std::mem::replace(&mut run.told, false);
            run.followed &= !told;
        }
        self.engine.refresh();
        self.tell_all_of_run(id);
        self.check_leaving();
        let gone = self.shared.run(id).is_some_and(|run| run.gone);
        if told && !gone && !self.finished() {
            self.follow(id);
        }
    }

    pub(super) fn trash(&mut self, id: RunId) {
        let Some(run) = self.shared.run(id) else { return };
        let (path, name) = (run.path.clone(), run.name.clone());
        let text = if run.gone {
            format!("{name} is off the list")
        } else {
            match self.engine.trash(&path) {
                Ok(place) => format!("moved {name} to {}", place.display()),
                Err(reason) => return self.fail(reason),
            }
        };
        self.shared.runs.retain(|r| r.id != id);
        self.shared.overlaid.retain(|r| *r != id);
        if self.shared.selected == Some(id) {
            self.shared.selected = None;
        }
        self.log(Level::Info, "workbench", &text);
        self.status = Some((Level::Info, text));
        self.tell_all(|| Input::Selection);
    }

    pub(super) fn events(&mut self, id: RunId, events: &[crate::report::Event]) {
        let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) else { return };
        let mut notes = Vec::new();
        for event in events {
            if !run.history.push(event) {
                continue;
            }
            run.touched = run.touched.max(event.time);
            run.heard_at = self.shared.now;
            match &event.kind {
                EventKind::Message { level, text } => {
                    notes.push((event.time, *level, text.clone()));
                }
                EventKind::State { state: RunState::Failed, reason, .. } => {
                    let reason = reason.clone().unwrap_or_else(|| "no reason given".into());
                    notes.push((event.time, Level::Error, format!("failed: {reason}")));
                }
                EventKind::State { state, step, resumed, reason } => {
                    let word = match (state, resumed) {
                        (RunState::Running, true) => "resumed",
                        (state, _) => state.word(),
                    };
                    let because = reason.as_ref().filter(|_| *state != RunState::Running);
                    let because = because.map(|r| format!(": {r}")).unwrap_or_default();
                    notes.push((
                        event.time,
                        Level::Info,
                        format!("{word} at step {step}{because}"),
                    ));
                }
                _ => {}
            }
        }
        let name = run.name.clone();
        for (time, level, text) in notes {
            self.shared.log.push(time, level, &name, &text);
            if level == Level::Error && self.shared.now - time < 10.0 {
                self.status = Some((level, format!("{name}: {text}")));
            }
        }
        self.tell_all_of_run(id);
    }

    pub(super) fn listed(&mut self, listed: Vec<Listed>) {
        for found in &listed {
            let id = self.run_at(found.path.clone());
            if let Some(run) = self.shared.runs.iter_mut().find(|r| r.id == id) {
                run.config = found.config.clone().or_else(|| run.config.take());
                run.listed_state = found.state;
                (run.listed_at, run.listed_dead, run.gone) = (self.shared.now, found.dead, false);
                run.problem.clone_from(&found.problem);
                run.group.clone_from(&found.group);
                run.sweep.clone_from(&found.sweep);
                run.listed_dev.clone_from(&found.dev);
                if found.touched != run.heartbeat {
                    (run.heartbeat, run.heard_at) = (found.touched, self.shared.now);
                }
                run.started = found.started;
                run.touched = found.touched.max(run.history.time);
                run.listed_step = found.step;
            }
        }
        // A folder that vanished goes; what is known of a run that is shown stays until the user
        // takes it off the list.
        let mut lost = Vec::new();
        self.shared.runs.retain_mut(|r| {
            let there = listed.iter().any(|f| same_place(&f.path, &r.path)) || r.path.is_dir();
            if !there && r.own && !r.gone {
                lost.push(r.id);
            }
            r.gone = !there;
            there || r.own || r.followed
        });
        for id in lost {
            self.lose(id);
        }
        self.shared.runs.sort_by(|a, b| b.started.total_cmp(&a.started).then(b.id.cmp(&a.id)));
        let first = !std::mem::replace(&mut self.shared.listed, true);
        self.tell_all(|| Input::Selection);
        if first {
            self.opening();
        }
    }

    /// The folder of a run of ours vanished: nothing that it learns from now on could be kept.
    fn lose(&mut self, id: RunId) {
        let Some(run) = self.shared.run(id) else { return };
        let (path, name) = (run.path.clone(), run.name.clone());
        // A job that ends just now needs no command any more.
        let _ = self.engine.control(id, &path, Control::Stop);
        self.fail(format!("{name}: its folder was moved or removed, so it is stopped"));
    }

    /// Starts to list run folders below these.
    pub(in crate::workbench) fn watch_folders(&mut self, bases: Vec<PathBuf>) {
        self.engine.watch_folders(bases, self.messages.clone());
    }
}

/// Whether two paths name the same folder, links and dots resolved where it exists.
pub(super) fn same_place(a: &std::path::Path, b: &std::path::Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Of a run that has done all that its config asks for, how it can go on; the config may be another
/// by now. With another learning rate its patience begins anew.
fn what_is_done(run: &RunEntry, rate: Option<f64>) -> Option<String> {
    if run.standing() != Standing::Finished {
        return None;
    }
    let folder = RunFolder::open(&run.path).ok()?;
    let config = folder.config().ok()?;
    let (done, all, key) = match config.kind {
        Kind::Rerank => return None,
        kind if kind.is_ensemble() => {
            let rounds = folder.kept_rounds().ok()?;
            (rounds.last()?.number, config.ensemble.rounds as u64, "ensemble.rounds")
        }
        _ => {
            let last = run.history.last.as_ref()?;
            let epochs = last.step.checked_div(last.steps_per_epoch)?;
            (epochs, config.training.epochs, "training.epochs")
        }
    };
    let name = &run.name;
    if done >= all {
        return Some(format!("{name} is done: raise {key} ({all}) in its config.toml to go on"));
    }
    let patience = config.training.patience;
    let ended = Ending::Patience(patience).to_string();
    (rate.is_none() && patience > 0 && run.history.reason.as_ref() == Some(&ended)).then(|| {
        format!(
            "{name} is done: {ended}. To go on give it another rate (r on Train), or raise \
             training.patience ({patience}) in its config.toml"
        )
    })
}
