use super::super::{Place, Tree};
use std::sync::Arc;

/// A sentence of a file before preprocessing.
#[derive(Clone, Debug)]
pub enum Entry {
    Tree(Tree),
    /// Words without a tree, from columns or JSON.
    Words(TaggedWords),
    /// A line of plain text, without blanks around it.
    Text(Arc<str>, Place),
}

impl Entry {
    /// Where the sentence begins.
    pub fn place(&self) -> &Place {
        match self {
            Entry::Tree(tree) => &tree.place,
            Entry::Words(words) => &words.place,
            Entry::Text(_, place) => place,
        }
    }
}

/// A sentence whose words are known, but not its tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaggedWords {
    pub words: Vec<Arc<str>>,
    /// One a word, where the file has them.
    pub tags: Option<Vec<Arc<str>>>,
    pub place: Place,
}
