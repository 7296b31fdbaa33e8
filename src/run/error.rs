use crate::checkpoint::CheckpointError;
use crate::config::ConfigError;
use crate::ensemble::EnsembleError;
use crate::model::ModelError;
use crate::report::advice;
use crate::rerank::RerankError;
use crate::training::TrainingError;
use crate::treebank::TreebankError;
use std::path::{Path, PathBuf};

/// Why a run folder or a job cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error("{}: {source}{}", path.display(), advice(source))]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: no such folder", .0.display())]
    Missing(PathBuf),
    #[error("{} is not a run folder: it has no config.toml. Name one that a training made", .0.display())]
    NotARun(PathBuf),
    #[error("{} is an experiment card and not a run folder: `rankspace card {} --check` looks at its data", .0.display(), .0.display())]
    ACard(PathBuf),
    #[error("{} is a folder of candidate lists and not a run folder", .0.display())]
    Candidates(PathBuf),
    #[error("{} is not a run folder, but lies in one: name {}", path.display(), run.display())]
    InARun { path: PathBuf, run: PathBuf },
    #[error("{} is not a run folder, but holds some: name one, e.g. {}", path.display(), run.display())]
    HoldsRuns { path: PathBuf, run: PathBuf },
    #[error("{} holds runs of several seeds and is none itself: name one of the folders in it", .0.display())]
    AGroup(PathBuf),
    #[error("{} holds the runs of a sweep and is none itself: name one of the folders in it", .0.display())]
    ASweep(PathBuf),
    #[error("{} holds something already, and nothing is overwritten: name a new folder", .0.display())]
    Filled(PathBuf),
    #[error("the run folder {} is gone: it was moved or deleted while the run was at work. Put it back and resume the run, or start another", .0.display())]
    Gone(PathBuf),
    #[error("{} has schema {found}, this version reads up to {known}; use a newer rankspace", path.display())]
    Newer { path: PathBuf, found: u32, known: u32 },
    #[error("{}: {reason}", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error(
        "{source}; without rounds/{number:03}.json a resumption makes this round and those behind it again"
    )]
    Round { number: u64, source: Box<RunError> },
    #[error("{} is in use by process {pid} on {host} (heartbeat {seconds:.0} s ago): stop it there, or wait until it has been silent for a minute", path.display())]
    Locked { path: PathBuf, pid: u32, host: String, seconds: f64 },
    #[error("{0} is at work: stop it first")]
    AtWork(String),
    #[error(
        "process {pid} on {host} has taken the run over: watch it in its folder, it goes on there"
    )]
    TakenOver { pid: u32, host: String },
    #[error("{} has no checkpoints/last.safetensors to resume from: start it anew, `rankspace train {}/config.toml`", .0.display(), .0.display())]
    NothingToResume(PathBuf),
    #[error("{} has its reranker already: there is nothing to go on with", .0.display())]
    Done(PathBuf),
    #[error("{} is not running; nothing would hear the command. Resume it first", .0.display())]
    NotRunning(PathBuf),
    #[error("{source}. {advice}")]
    Last { source: CheckpointError, advice: String },
    #[error("{} holds something, but no config.toml: put it back, or move the folder away, and seed {seed} is trained anew", path.display())]
    Headless { path: PathBuf, seed: u64 },
    #[error("cannot start {what}: {source}{}", advice(source))]
    Start { what: String, source: std::io::Error },
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    #[error(transparent)]
    Training(#[from] TrainingError),
    #[error(transparent)]
    Ensemble(#[from] EnsembleError),
    #[error(transparent)]
    Rerank(#[from] RerankError),
    #[error(transparent)]
    Treebank(#[from] TreebankError),
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error("{0}")]
    Unsuitable(String),
}

impl RunError {
    /// For `map_err` on what touches `path`.
    pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RunError + '_ {
        move |source| RunError::Io { path: path.to_owned(), source }
    }

    /// What to do about a file that is not as it should be; other errors stay as they are.
    pub(super) fn advised(self, advice: impl FnOnce() -> String) -> RunError {
        match self {
            RunError::Malformed { path, reason } => {
                RunError::Malformed { path, reason: format!("{reason}. {}", advice()) }
            }
            RunError::Checkpoint(source @ CheckpointError::Malformed { .. }) => {
                RunError::Last { source, advice: advice() }
            }
            other => other,
        }
    }
}
