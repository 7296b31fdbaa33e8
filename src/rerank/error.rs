use crate::checkpoint::CheckpointError;
use crate::parser::ParserError;

/// Why candidates could not be made or reranked.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    #[error(transparent)]
    Parser(#[from] ParserError),
    #[error(transparent)]
    File(#[from] CheckpointError),
    #[error("{0}")]
    NothingToLearn(&'static str),
    #[error("{0}")]
    Unsupported(String),
    #[error("{path}: {reason}")]
    Io { path: String, reason: String },
    #[error("stopped")]
    Stopped,
}
