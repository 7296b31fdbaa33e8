use crate::model::ModelError;
use crate::report::advice;
use std::path::PathBuf;

/// Why a checkpoint cannot be read, used or written.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    #[error("{}: {source}{}", path.display(), advice(source))]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{name} is not a checkpoint of rankspace: {reason}")]
    Malformed { name: String, reason: String },
    #[error("{name} cannot be imported: {reason}")]
    Foreign { name: String, reason: String },
    #[error("{name} has schema {found}, this version reads up to {known}; use a newer rankspace")]
    Newer { name: String, found: u32, known: u32 },
    #[error("{}: {reason}", path.display())]
    Write { path: PathBuf, reason: String },
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl CheckpointError {
    /// What keeps a file of other programs from being read. Its names may hold anything: line
    /// ends and control characters of theirs are replaced.
    pub(super) fn foreign(name: &str, reason: &str) -> CheckpointError {
        let reason = reason.replace(char::is_control, "\u{fffd}");
        CheckpointError::Foreign { name: name.to_owned(), reason }
    }
}
