//! What all screens may read: runs with their histories, the selection, the log, tasks.
//!
//! Only the workbench itself changes it; screens ask by effects.

use super::history::History;
use super::keymap::Keymap;
use super::names::{RunId, ScreenId};
use super::news::TaskStatus;
use super::panes::Panes;
use crate::analysis::alarms::{self, Alarm};
use crate::config::{Config, Kind};
use crate::report::{Level, RunState};
use crate::run::Command;
use crossbeam_channel::Sender;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};

/// How a run stands: its own last word, and what that word hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Unknown,
    Running,
    Paused,
    Stopped,
    Finished,
    Failed,
    /// Its process ended without a word: it was killed, or the machine went down.
    Died,
    /// Its folder is no longer there.
    Gone,
}

impl Standing {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Standing::Unknown => "unknown",
            Standing::Running => "running",
            Standing::Paused => "paused",
            Standing::Stopped => "stopped",
            Standing::Finished => "finished",
            Standing::Failed => "failed",
            Standing::Died => "died",
            Standing::Gone => "gone",
        }
    }
}

/// Heartbeats come every second and are looked for every three; so many without one are told.
const SILENT: f64 = 10.0;

/// A run folder and what is known of it.
#[derive(Clone, Debug)]
pub struct RunEntry {
    pub id: RunId,
    pub path: PathBuf,
    /// The folder's name.
    pub name: String,
    /// The folder of the group that it belongs to.
    pub group: Option<PathBuf>,
    /// The folder of the sweep that its group is a point of.
    pub sweep: Option<PathBuf>,
    /// All settings; absent where `config.toml` cannot be read.
    pub config: Option<Config>,
    /// As its status file says; events that were read since are newer.
    pub listed_state: Option<RunState>,
    /// Dev figures that its status or events file gave when the folder was listed.
    pub listed_dev: Option<crate::report::Metrics>,
    /// Wall clock of its start and of its last sign of life, seconds since 1970.
    pub started: f64,
    pub touched: f64,
    /// Step it stood at when listed.
    pub listed_step: u64,
    /// Whether there are events to read, as of when it was selected.
    pub has_events: bool,
    /// Whether its process had ended without a word when the folder was listed.
    pub listed_dead: bool,
    /// Whether the folder has vanished.
    pub gone: bool,
    /// When the folder was listed, wall clock.
    pub listed_at: f64,
    /// When it was last seen to live, by the clock of this machine: its heartbeat was another one, or
    /// an event came.
    pub heard_at: f64,
    /// The last heartbeat, by the clock of the machine that it runs on.
    pub heartbeat: f64,
    /// What is wrong with the folder.
    pub problem: Option<String>,
    pub history: History,
    /// Whether a job of this process runs it.
    pub own: bool,
    /// Where to send commands while a job of this process runs it.
    pub commands: Option<Sender<Command>>,
    /// Whether its events are being read from its folder, or told by a job.
    pub followed: bool,
    /// Whether a job of this process tells its events; they end with the job.
    pub told: bool,
}

impl RunEntry {
    /// A run of which only the folder is known.
    pub fn new(id: RunId, path: PathBuf) -> RunEntry {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        RunEntry {
            id,
            path,
            name,
            group: None,
            sweep: None,
            config: None,
            listed_state: None,
            listed_dev: None,
            started: 0.0,
            touched: 0.0,
            listed_step: 0,
            has_events: true,
            listed_dead: false,
            gone: false,
            history: History::default(),
            own: false,
            commands: None,
            listed_at: 0.0,
            heard_at: 0.0,
            heartbeat: 0.0,
            problem: None,
            followed: false,
            told: false,
        }
    }

    /// The state by the newest word of it. A process that was killed says nothing: then the
    /// listing, which looks whether it lives, knows better than the last event.
    pub fn state(&self) -> Option<RunState> {
        let active = |s: RunState| matches!(s, RunState::Running | RunState::Paused);
        match (self.history.state, self.listed_state) {
            (Some(said), Some(listed))
                if active(said)
                    && !active(listed)
                    && !self.own
                    && self.listed_at > self.history.time + 1.0 =>
            {
                Some(listed)
            }
            (said, listed) => said.or(listed),
        }
    }

    /// How it stands, for people.
    pub fn standing(&self) -> Standing {
        match self.state() {
            _ if self.gone => Standing::Gone,
            None => Standing::Unknown,
            Some(RunState::Running) => Standing::Running,
            Some(RunState::Paused) => Standing::Paused,
            Some(RunState::Stopped)
                if self.listed_dead && self.history.state != Some(RunState::Stopped) =>
            {
                Standing::Died
            }
            Some(RunState::Stopped) => Standing::Stopped,
            Some(RunState::Finished) => Standing::Finished,
            Some(RunState::Failed) => Standing::Failed,
        }
    }

    /// Whether it runs or is paused, here or elsewhere.
    pub fn active(&self) -> bool {
        matches!(self.standing(), Standing::Running | Standing::Paused)
    }

    /// Seconds without a sign of life of another process's run that says it is under way, where
    /// they are more than a slow disk explains.
    pub fn silence(&self, now: f64) -> Option<f64> {
        let silent = now - self.heard_at;
        (self.active() && !self.own && silent > SILENT).then_some(silent)
    }

    /// Whether its model predicts words from left to right and gives no trees, as far as its
    /// settings can be read.
    pub fn is_language_model(&self) -> bool {
        self.config.as_ref().is_some_and(|config| !config.model.family.has_trees())
    }

    /// Whether supervised parsers are bagged or boosted, as far as its settings can be read.
    pub fn is_ensemble(&self) -> bool {
        self.config.as_ref().is_some_and(|config| config.kind.is_ensemble())
    }

    /// Whether it trains a reranker, as far as its settings can be read.
    pub fn is_reranker(&self) -> bool {
        self.config.as_ref().is_some_and(|config| config.kind == Kind::Rerank)
    }

    /// Whether it has neither parameters nor symbols.
    pub fn is_counted(&self) -> bool {
        self.config.as_ref().is_some_and(|config| config.model.family.is_counted())
    }

    /// Dev figures of the best evaluation that is known.
    pub fn best_dev(&self) -> Option<&crate::report::Metrics> {
        self.history.best_dev().map(|e| &e.metrics).or(self.listed_dev.as_ref())
    }

    /// The figure that runs of its kind are compared by, of the best evaluation that is known, with
    /// its name: F1 of a supervised parser, S-F1 where there are gold trees, else perplexity.
    pub fn main_figure(&self) -> Option<(&'static str, f64)> {
        let best = self.best_dev()?;
        let f1 = best.get("f1").map(|value| ("F1", value));
        let s_f1 = best.get("s_f1").map(|value| ("S-F1", value));
        f1.or(s_f1).or_else(|| Some(("ppl", best.get("perplexity")?)))
    }

    /// What goes wrong in it, the worst first.
    pub fn alarms(&self) -> Vec<Alarm> {
        let symbols = self.config.as_ref().and_then(|config| alarms::symbols(&config.model));
        self.history.alarms(symbols)
    }

    /// The step it stands at.
    pub fn step(&self) -> u64 {
        self.history.last.as_ref().map_or(self.listed_step, |l| l.step)
    }
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct LogLine {
    /// Seconds since 1970.
    pub time: f64,
    pub level: Level,
    /// Name of the run, or `workbench`.
    pub source: String,
    pub text: String,
}

/// The newest lines, and how many were dropped before them.
#[derive(Clone, Debug, Default)]
pub struct LogStore {
    lines: VecDeque<LogLine>,
    dropped: u64,
}

impl LogStore {
    /// Lines kept.
    pub const LIMIT: usize = 10_000;
    /// Characters kept of a line.
    const LINE_LIMIT: usize = 4_000;

    /// Adds a line; text with line breaks becomes several.
    pub fn push(&mut self, time: f64, level: Level, source: &str, text: &str) {
        for line in text.lines() {
            if self.lines.len() == Self::LIMIT {
                self.lines.pop_front();
                self.dropped += 1;
            }
            let text = super::text::clean(line);
            let end = text.char_indices().nth(Self::LINE_LIMIT).map_or(text.len(), |(i, _)| i);
            // Runs that are opened later told theirs earlier.
            let at = self.lines.partition_point(|line| line.time <= time);
            let text = text[..end].to_owned();
            self.lines.insert(at, LogLine { time, level, source: source.to_owned(), text });
        }
    }

    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &LogLine> + ExactSizeIterator {
        self.lines.iter()
    }

    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

/// What all screens may read.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Newest first.
    pub runs: Vec<RunEntry>,
    /// The run that Train, Grammar and Parses show.
    pub selected: Option<RunId>,
    /// A checkpoint file that was opened, until a run is selected.
    pub checkpoint: Option<PathBuf>,
    /// Runs drawn beside it on Train, in the order of their colours.
    pub overlaid: Vec<RunId>,
    /// Treebanks and texts named at the start.
    pub corpora: Vec<PathBuf>,
    /// Background tasks that run.
    pub tasks: Vec<TaskStatus>,
    pub log: LogStore,
    /// Wall clock, seconds since 1970, as of the newest message.
    pub now: f64,
    /// Where new runs go.
    pub runs_folder: PathBuf,
    /// Where the runs lie that came with the program.
    pub samples: Option<PathBuf>,
    /// Whether the list of runs has been read once.
    pub listed: bool,
    /// How the user divides the screens.
    pub panes: Panes,
    /// Keys that the user gave to commands.
    pub keymap: Keymap,
}

impl Shared {
    pub fn run(&self, id: RunId) -> Option<&RunEntry> {
        self.runs.iter().find(|r| r.id == id)
    }

    /// The run's name, with as many folders before it as set it apart from other runs.
    pub fn label(&self, run: &RunEntry) -> String {
        let end = |path: &Path, parts: usize| -> PathBuf {
            let names = path.components().rev().take(parts).collect::<Vec<_>>();
            names.into_iter().rev().collect()
        };
        let twins: Vec<_> =
            self.runs.iter().filter(|r| r.id != run.id && r.name == run.name).collect();
        if twins.is_empty() {
            return run.name.clone();
        }
        let most = run.path.components().count();
        let apart = |n: &usize| twins.iter().all(|r| end(&r.path, *n) != end(&run.path, *n));
        let parts = (2..=most).find(apart).unwrap_or(most);
        end(&run.path, parts).display().to_string()
    }

    /// The run that Train, Grammar and Parses show.
    pub fn selected_run(&self) -> Option<&RunEntry> {
        self.run(self.selected?)
    }

    /// Whether it came with the program.
    pub fn is_sample(&self, run: &RunEntry) -> bool {
        self.samples.as_ref().is_some_and(|samples| run.path.starts_with(samples))
    }

    /// The run that Boost shows: the selected one; where that has no rounds, the newest one that
    /// has, of the user's own if there is any.
    pub fn boosted_run(&self) -> Option<&RunEntry> {
        let selected = self.selected_run();
        let without = |run: &&RunEntry| run.config.is_some() && !run.is_ensemble() && !run.gone;
        if selected.is_some_and(|run| !without(&run)) {
            return selected;
        }
        let ensembles = || self.runs.iter().filter(|run| run.is_ensemble() && !run.gone);
        let own = ensembles().find(|run| !self.is_sample(run));
        own.or_else(|| ensembles().next()).or(selected)
    }

    /// The runs that Train draws: the selected one, then the overlaid ones.
    pub fn drawn_runs(&self) -> impl Iterator<Item = &RunEntry> {
        let overlaid = self.overlaid.iter().filter_map(|id| self.run(*id));
        self.selected_run().into_iter().chain(overlaid)
    }

    /// Whether a task of that screen and kind runs.
    pub fn task(&self, screen: ScreenId, kind: &str) -> Option<&TaskStatus> {
        self.tasks.iter().find(|t| t.screen == screen && t.kind == kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_killed_run_is_stopped_though_its_last_word_was_running() {
        let mut run = RunEntry::new(RunId(1), "runs/a".into());
        run.history.state = Some(RunState::Running);
        run.history.time = 100.0;
        run.listed_state = Some(RunState::Stopped);
        run.listed_at = 100.5;
        assert_eq!(run.state(), Some(RunState::Running), "a listing of that moment proves nothing");
        run.listed_at = 130.0;
        assert_eq!(run.state(), Some(RunState::Stopped));
        run.own = true;
        assert_eq!(run.state(), Some(RunState::Running), "our own job we know");
    }

    #[test]
    fn a_death_without_a_word_is_told_from_a_stop() {
        let mut run = RunEntry::new(RunId(1), "runs/a".into());
        run.history.state = Some(RunState::Running);
        (run.listed_state, run.listed_dead) = (Some(RunState::Stopped), true);
        run.listed_at = 30.0;
        assert_eq!(run.standing(), Standing::Died);
        run.history.state = Some(RunState::Stopped);
        assert_eq!(run.standing(), Standing::Stopped);
        run.history.state = Some(RunState::Paused);
        (run.listed_state, run.listed_dead) = (Some(RunState::Paused), false);
        assert!(run.active());
        run.gone = true;
        assert_eq!((run.standing(), run.active()), (Standing::Gone, false));
    }

    #[test]
    fn runs_of_one_name_are_told_apart_by_their_folders() {
        let run = |id, path: &str| RunEntry::new(RunId(id), path.into());
        let runs = vec![run(1, "x/runs/a"), run(2, "y/runs/a"), run(3, "z/old/a"), run(4, "b")];
        let shared = Shared { runs, ..Shared::default() };
        let labels: Vec<String> = shared.runs.iter().map(|r| shared.label(r)).collect();
        assert_eq!(labels, ["x/runs/a", "y/runs/a", "old/a", "b"]);
    }

    #[test]
    fn boost_shows_the_selected_run_or_else_one_that_has_rounds() {
        let run = |id, path: &str, kind: &str| {
            let mut run = RunEntry::new(RunId(id), path.into());
            let settings = format!("kind = \"{kind}\"");
            run.config = Some(Config::from_toml("test", &settings, &[]).expect("valid"));
            run
        };
        let runs = vec![
            run(1, "data/runs/sample-boost", "boost"),
            run(2, "runs/a", "train"),
            run(3, "runs/b", "boost"),
            run(4, "runs/c", "bag"),
        ];
        let mut shared = Shared { runs, samples: Some("data/runs".into()), ..Shared::default() };
        let shown = |shared: &Shared| shared.boosted_run().map(|run| run.id.0);
        assert_eq!(shown(&shared), Some(3), "the newest of the user's own");
        for (selected, expected) in [(1, 1), (2, 3), (4, 4)] {
            shared.selected = Some(RunId(selected));
            assert_eq!(shown(&shared), Some(expected));
        }
        shared.selected = Some(RunId(2));
        shared.runs.truncate(2);
        assert_eq!(shown(&shared), Some(1), "the sample is better than nothing");
        // What is not known yet is waited for.
        shared.runs[1].config = None;
        assert_eq!(shown(&shared), Some(2));
        shared.runs.remove(0);
        assert_eq!(shown(&shared), Some(2));
    }

    #[test]
    fn the_log_is_bounded_and_harmless() {
        let mut log = LogStore::default();
        for i in 0..LogStore::LIMIT + 5 {
            log.push(0.0, Level::Info, "run", &format!("\u{1b}]0;line {i}\u{7}"));
        }
        assert_eq!((log.lines().len(), log.dropped()), (LogStore::LIMIT, 5));
        assert_eq!(log.lines().next().map(|l| l.text.as_str()), Some("^[]0;line 5^G"));
        log.push(0.0, Level::Error, "run", "two\nlines");
        assert_eq!(log.lines().next_back().map(|l| l.text.as_str()), Some("lines"));
    }
}
