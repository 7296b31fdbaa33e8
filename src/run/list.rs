use super::{Group, RunError, RunFolder, Status, Sweep};
use crate::config::Config;
use crate::report::RunState;
use std::path::{Path, PathBuf};

/// A run folder at a glance, read from its two small files.
#[derive(Clone, Debug)]
pub struct RunSummary {
    pub path: PathBuf,
    pub name: String,
    /// The folder of the group that it belongs to.
    pub group: Option<PathBuf>,
    /// The folder of the sweep that its group is a point of.
    pub sweep: Option<PathBuf>,
    /// `None` if the config cannot be read; [`RunSummary::problem`] says why.
    pub config: Option<Config>,
    /// `None` if the run never started.
    pub status: Option<Status>,
    /// Whether a process is at work in it now.
    pub live: bool,
    /// What is wrong with the folder.
    pub problem: Option<String>,
}

impl RunSummary {
    /// The summary of one folder.
    pub fn read(folder: &RunFolder) -> RunSummary {
        let (config, config_problem) = split(folder.config());
        let (status, status_problem) = split(Status::read(folder));
        let status = status.flatten();
        RunSummary {
            path: folder.path().to_owned(),
            name: folder.name(),
            group: None,
            sweep: None,
            config,
            live: status.as_ref().is_some_and(|status| status.is_live(folder)),
            status,
            problem: config_problem.or(status_problem),
        }
    }

    /// The state with death taken into account: a run whose process is gone is stopped.
    pub fn state(&self) -> Option<RunState> {
        let state = self.status.as_ref()?.state;
        match state {
            RunState::Running | RunState::Paused if !self.live => Some(RunState::Stopped),
            other => Some(other),
        }
    }

    /// Whether the process ended without saying so (killed, or the machine went down).
    pub fn was_interrupted(&self) -> bool {
        self.status.as_ref().is_some_and(|s| Some(s.state) != self.state())
    }
}

fn split<T>(result: Result<T, RunError>) -> (Option<T>, Option<String>) {
    match result {
        Ok(value) => (Some(value), None),
        Err(e) => (None, Some(e.to_string())),
    }
}

/// All run folders directly in `base`, in the groups there and in those of the sweeps there,
/// newest first by name; none if there is no such folder.
pub fn list_runs(base: &Path) -> Vec<RunSummary> {
    let mut runs = runs_in(base, None);
    for folder in folders_in(base) {
        if Group::is_one(&folder) {
            runs.extend(runs_in(&folder, Some(&folder)));
        } else if Sweep::is_one(&folder) {
            let points = folders_in(&folder).filter(|folder| Group::is_one(folder));
            let of = |run| RunSummary { sweep: Some(folder.clone()), ..run };
            runs.extend(points.flat_map(|point| runs_in(&point, Some(&point))).map(of));
        }
    }
    runs.sort_by(|a, b| by_date_and_number(&b.name).cmp(&by_date_and_number(&a.name)));
    runs
}

/// The runs directly in a folder, which may be a group's.
fn runs_in(folder: &Path, group: Option<&Path>) -> Vec<RunSummary> {
    let runs = folders_in(folder).filter_map(|path| RunFolder::open(&path).ok());
    let group = group.map(Path::to_owned);
    runs.map(|run| RunSummary { group: group.clone(), ..RunSummary::read(&run) }).collect()
}

fn folders_in(path: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries.map(|entry| entry.path())
}

/// `2026-11-29-rank-pcfg-10` comes after `…-2`.
fn by_date_and_number(name: &str) -> (&str, u64, &str) {
    let date = name.get(..10).unwrap_or(name);
    let number = name.rsplit_once('-').and_then(|(_, n)| n.parse().ok()).unwrap_or(1);
    (date, number, name)
}
