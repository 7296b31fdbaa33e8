//! The engine that works: jobs of this process, and folders of any.

use super::engine::{Control, Engine};
use super::message::{Listed, Message};
use super::names::RunId;
use crate::config::Config;
use crate::report::{Event, Level};
use crate::run::{self, Command, Follower, Job, RunFolder, RunSummary};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use notify::{RecursiveMode, Watcher};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often folders are listed without being told.
const POLL: Duration = Duration::from_secs(3);

/// Most events in one message, so that a long history leaves room for keys.
const BATCH: usize = 2000;

/// A job of this process.
struct Own {
    commands: Sender<Command>,
    ended: Arc<AtomicBool>,
}

/// Jobs of this process, and folders of any.
#[derive(Default)]
pub struct Local {
    own: HashMap<RunId, Own>,
    refresh: Option<Sender<()>>,
    /// Tells the thread that lists folders that another one does.
    replaced: Arc<AtomicBool>,
}

impl Engine for Local {
    fn watch_folders(&mut self, bases: Vec<PathBuf>, messages: Sender<Message>) {
        let (refresh, asked) = bounded(1);
        self.replaced.store(true, Ordering::Release);
        self.refresh();
        self.replaced = Arc::default();
        self.refresh = Some(refresh.clone());
        let replaced = self.replaced.clone();
        spawn("folders", &messages.clone(), move || {
            watch(&bases, &messages, refresh, &asked, &replaced);
        });
    }

    fn refresh(&mut self) {
        if let Some(refresh) = &self.refresh {
            // Full means that one is due anyway.
            let _ = refresh.try_send(());
        }
    }

    fn install_sample(&mut self, data: &Path, messages: Sender<Message>) {
        let data = data.to_owned();
        spawn("sample", &messages.clone(), move || {
            // The list of runs comes to know it by itself.
            if let Err(error) = run::sample::install(&data) {
                let text = format!("the sample was not written to your data directory: {error}");
                let _ = messages.send(Message::Log(Level::Warning, text));
            }
        });
    }

    fn start(
        &mut self,
        id: RunId,
        base: &Path,
        config: &Config,
        messages: Sender<Message>,
    ) -> Result<PathBuf, String> {
        // A folder is made only for a run that can begin; this reads to the first sentence.
        Job::check(config).map_err(|e| e.to_string())?;
        let mut config = config.clone();
        run::settle_speeds(&mut config);
        let folder = RunFolder::create(base, &config).map_err(|e| e.to_string())?;
        let path = folder.path().to_owned();
        let job = Job::train(config, folder).map_err(|e| e.to_string())?;
        self.keep(id, job, messages, true);
        Ok(path)
    }

    fn resume(&mut self, id: RunId, path: &Path, messages: Sender<Message>) -> Result<(), String> {
        let job = RunFolder::open(path).and_then(Job::resume).map_err(|e| e.to_string())?;
        // Its events are read from the folder, the old ones first; hearing the job as well
        // would let new ones overtake old ones.
        self.keep(id, job, messages, false);
        Ok(())
    }

    fn follow(&mut self, id: RunId, path: &Path, messages: Sender<Message>) {
        let folder = match RunFolder::open(path) {
            Ok(folder) => folder,
            Err(error) => {
                let _ = messages.send(Message::Log(Level::Error, error.to_string()));
                return;
            }
        };
        spawn("follower", &messages.clone(), move || {
            let following = Follower::new(&folder).spawn();
            while let Ok(first) = following.events().recv() {
                if !forward(id, first, following.events(), &messages) {
                    return;
                }
                // What was left out is said before the events behind it.
                for complaint in following.complaints().try_iter() {
                    let _ = messages.send(Message::Log(Level::Warning, complaint));
                }
            }
            if let Some(problem) = following.problem() {
                let _ = messages.send(Message::Log(Level::Error, problem.to_string()));
            }
        });
    }

    fn control(&mut self, id: RunId, path: &Path, control: Control) -> Result<(), String> {
        let command = match control {
            Control::Pause => Command::Pause,
            Control::Resume => Command::Resume,
            Control::Stop => Command::Stop,
            Control::Checkpoint => Command::Checkpoint,
            Control::LearningRate(rate) => Command::LearningRate(rate),
        };
        match self.own.get(&id).filter(|own| !own.ended.load(Ordering::Acquire)) {
            // A job that ends just now needs no command any more.
            Some(own) => {
                let _ = own.commands.send(command);
                Ok(())
            }
            None => RunFolder::open(path)
                .and_then(|folder| run::send_control(&folder, &command))
                .map_err(|e| e.to_string()),
        }
    }

    fn commands(&self, id: RunId) -> Option<Sender<Command>> {
        self.own.get(&id).map(|own| own.commands.clone())
    }

    fn trash(&mut self, path: &Path) -> Result<PathBuf, String> {
        run::to_trash(path).map_err(|e| e.to_string())
    }

    fn own(&self) -> Vec<RunId> {
        let runs = self.own.iter().filter(|(_, own)| !own.ended.load(Ordering::Acquire));
        let mut ids: Vec<RunId> = runs.map(|(id, _)| *id).collect();
        ids.sort();
        ids
    }

    fn detach(&mut self, path: &Path) -> Result<(), String> {
        let folder = RunFolder::open(path).map_err(|e| e.to_string())?;
        run::spawn_detached(&folder).map(drop).map_err(|e| e.to_string())
    }
}

impl Local {
    /// Hears a job until its end; `tell` passes its events on.
    fn keep(&mut self, id: RunId, job: Job, messages: Sender<Message>, tell: bool) {
        let ended = Arc::new(AtomicBool::new(false));
        self.own.insert(id, Own { commands: job.commands(), ended: ended.clone() });
        spawn("job events", &messages.clone(), move || {
            while let Ok(event) = job.events().recv() {
                if tell && !forward(id, event, job.events(), &messages) {
                    // The workbench is gone; the job goes on unheard.
                    return;
                }
            }
            let outcome = job.join();
            ended.store(true, Ordering::Release);
            // Why a resumption came to nothing is told as an event, and is no end of the run.
            let reason = outcome.reason.filter(|_| outcome.run == outcome.state);
            let _ = messages.send(Message::JobEnded(id, outcome.run, reason));
        });
    }
}

/// A thread of the engine; without it the workbench would wait for ever, so it says so.
fn spawn(name: &str, messages: &Sender<Message>, work: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name(name.into()).spawn(work) {
        let _ = messages.send(Message::Log(Level::Error, format!("no thread for {name}: {error}")));
    }
}

/// Sends an event with those that wait behind it; `false` if nobody listens.
fn forward(id: RunId, first: Event, more: &Receiver<Event>, messages: &Sender<Message>) -> bool {
    let mut events = vec![first];
    events.extend(more.try_iter().take(BATCH - 1));
    messages.send(Message::Events(id, events)).is_ok()
}

fn watch(
    bases: &[PathBuf],
    messages: &Sender<Message>,
    changed: Sender<()>,
    asked: &Receiver<()>,
    replaced: &AtomicBool,
) {
    let watcher = notify::recommended_watcher(move |told: notify::Result<notify::Event>| {
        if run::is_change(&told) {
            let _ = changed.try_send(());
        }
    });
    let mut watcher = watcher.ok();
    let mut watched: Vec<&PathBuf> = Vec::new();
    let mut before: Option<Vec<Listed>> = None;
    loop {
        if let Some(watcher) = &mut watcher {
            // A folder that comes to be later is watched from then on.
            for base in bases {
                if !watched.contains(&base)
                    && watcher.watch(base, RecursiveMode::NonRecursive).is_ok()
                {
                    watched.push(base);
                }
            }
        }
        let now: Vec<Listed> =
            bases.iter().flat_map(|base| run::list_runs(base)).map(listed).collect();
        if replaced.load(Ordering::Acquire) {
            return;
        }
        if before.as_ref() != Some(&now) {
            if messages.send(Message::Folders(now.clone())).is_err() {
                return;
            }
            before = Some(now);
        }
        match asked.recv_timeout(POLL) {
            Ok(()) | Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

fn listed(summary: RunSummary) -> Listed {
    let (state, dead) = (summary.state(), summary.was_interrupted());
    let status = summary.status.as_ref();
    let started = summary.path.join("config.toml").metadata().and_then(|m| m.modified()).ok();
    let started = started.and_then(|t| t.duration_since(std::time::UNIX_EPOCH).ok());
    Listed {
        state,
        dead,
        dev: status.and_then(|s| s.best.as_ref().map(|b| b.dev.clone()).or(s.dev.clone())),
        started: started.map_or(0.0, |d| d.as_secs_f64()),
        touched: status.map_or(0.0, |s| s.heartbeat),
        step: status.map_or(0, |s| s.step),
        problem: summary.problem,
        config: summary.config,
        path: summary.path,
        group: summary.group,
        sweep: summary.sweep,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_training_without_a_sentence_leaves_no_folder() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let (runs, file) = (base.path().join("runs"), base.path().join("empty.mrg"));
        std::fs::write(&file, "").expect("writes");
        let mut config = Config::default();
        config.data.train.0 = vec![file.display().to_string()];
        let (sender, _messages) = crossbeam_channel::unbounded();
        let refused = Local::default().start(RunId(1), &runs, &config, sender);
        assert!(refused.is_err_and(|e| e.contains("empty.mrg") && e.contains("no tree")));
        assert!(!runs.exists());
    }

    #[test]
    fn folders_are_listed_as_they_come() {
        let base = tempfile::tempdir().expect("a temporary folder");
        let runs = base.path().join("runs");
        let (sender, messages) = crossbeam_channel::unbounded();
        let mut engine = Local::default();
        engine.watch_folders(vec![runs.clone()], sender);
        let next = || match messages.recv_timeout(Duration::from_secs(20)) {
            Ok(Message::Folders(found)) => found,
            other => panic!("{other:?}"),
        };
        assert!(next().is_empty());
        RunFolder::create(&runs, &Config::default()).expect("makes");
        engine.refresh();
        let found = next();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].config, Some(Config::default()));
        assert_eq!(found[0].state, None);
        // Further folders take the place of the first ones.
        let other = base.path().join("other");
        RunFolder::create(&other, &Config::default()).expect("makes");
        let (sender, further) = crossbeam_channel::unbounded();
        engine.watch_folders(vec![runs.clone(), other], sender);
        let all = match further.recv_timeout(Duration::from_secs(20)) {
            Ok(Message::Folders(found)) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(all.len(), 2);
        // The first thread ends, and with it what it sends through.
        let end = messages.recv_timeout(Duration::from_secs(20));
        assert_eq!(end.err(), Some(RecvTimeoutError::Disconnected));
        let place = engine.trash(&found[0].path).expect("nothing runs there");
        assert!(place.starts_with(runs.canonicalize().expect("exists").join(".trash")));
    }
}
