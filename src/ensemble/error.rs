use crate::parser::ParserError;
use crate::treebank::TreebankError;

/// Why an ensemble cannot be made or gone on with.
#[derive(Debug, thiserror::Error)]
pub enum EnsembleError {
    #[error(transparent)]
    Treebank(#[from] TreebankError),
    #[error(transparent)]
    Parser(#[from] ParserError),
    #[error("{name} has no trees: supervised parsers learn from trees")]
    NoTrees { name: String },
    #[error("the rounds that are there do not belong to these sentences: {0}")]
    Resume(String),
}
