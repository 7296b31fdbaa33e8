use super::{RunError, RunFolder, clock, json, pulse};
use crate::checkpoint::write_atomically;
use crate::report::{Metrics, RunState, SCHEMA, numbers};
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;

/// `status.json`: where a run stands, in one small file that is rewritten every second.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Status {
    pub schema: u32,
    pub state: RunState,
    /// Why it failed, or which limit ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub pid: u32,
    pub host: String,
    /// Wall clock of the last sign of life, seconds since 1970.
    pub heartbeat: f64,
    /// `train`, later `bag`, `boost`, ...
    pub kind: String,
    pub step: u64,
    pub epoch: u64,
    /// Steps of the whole run as planned; 0 before the first.
    pub total_steps: u64,
    /// Running time, seconds.
    pub elapsed: f64,
    /// Loss of the latest step.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "numbers::optional")]
    pub loss: Option<f64>,
    /// Latest development figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dev: Option<Metrics>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best: Option<BestFigures>,
}

/// Figures of the best checkpoint.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BestFigures {
    pub step: u64,
    pub epoch: u64,
    pub dev: Metrics,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub test: Option<Metrics>,
}

impl Status {
    pub(super) fn start(kind: &str) -> Status {
        Status {
            schema: SCHEMA,
            state: RunState::Running,
            reason: None,
            pid: std::process::id(),
            host: clock::host(),
            heartbeat: clock::now(),
            kind: kind.into(),
            step: 0,
            epoch: 0,
            total_steps: 0,
            elapsed: 0.0,
            loss: None,
            dev: None,
            best: None,
        }
    }

    /// The status of a further session of the same run: it runs, here and now.
    pub(super) fn begin_again(self) -> Status {
        let Status { schema, state, reason, pid, host, heartbeat, .. } = Status::start(&self.kind);
        Status { schema, state, reason, pid, host, heartbeat, ..self }
    }

    /// The status of a run; `None` if it never started.
    pub fn read(folder: &RunFolder) -> Result<Option<Status>, RunError> {
        let path = folder.status_path();
        match json::read(&path) {
            Ok(status) => Ok(Some(status)),
            Err(RunError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn write(&self, folder: &RunFolder) -> std::io::Result<()> {
        let bytes = serde_json::to_vec_pretty(self)?;
        write_atomically(&folder.status_path(), &bytes)
    }

    fn is_active(&self) -> bool {
        matches!(self.state, RunState::Running | RunState::Paused)
    }

    /// Whether a process is at work (or paused) in the folder that this was read from, as far as
    /// can be told without waiting: one of a machine whose clock differs shows itself by its next
    /// heartbeat.
    pub fn is_live(&self, folder: &RunFolder) -> bool {
        self.is_active()
            && pulse::is_beating(&folder.status_path(), &self.host, self.pid, self.heartbeat)
    }

    /// Whether a process is at work (or paused) in a folder now. Listens for some seconds to one of
    /// another machine whose last heartbeat is old.
    pub fn is_at_work(folder: &RunFolder) -> bool {
        pulse::listen(&folder.status_path(), || {
            let status = Status::read(folder).ok().flatten().filter(Status::is_active)?;
            Some((status.host, status.pid, status.heartbeat))
        })
    }
}
