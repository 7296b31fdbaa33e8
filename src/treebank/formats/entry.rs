use super::super::{Place, Tree};
use std::sync::Arc;

/// A sentence of a file before preprocessing.
#[derive(Clone, Debug)]
pub enum Entry {
    Tree(Tree),
    /// Words without a tree, from columns or JSON.
    Words(TaggedWords),
    /// A line of plain text, without blanks around it.
    Text(Arc<str>),
}

/// A sentence whose words are known, but not its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedWords {
    pub words: Vec<Arc<str>>,
    /// One a word, where the file has them.
    pub tags: Option<Vec<Arc<str>>>,
    pub place: Place,
}
