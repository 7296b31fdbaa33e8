use foldhash::fast::FixedState;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A map by words or labels; lookups are what reading a treebank spends its time on.
pub(super) type WordMap<V> = HashMap<Arc<str>, V, FixedState>;

/// Keeps one copy of every label and word.
#[derive(Debug, Default)]
pub struct Interner(HashSet<Arc<str>, FixedState>);

impl Interner {
    /// The shared copy of `text`.
    pub fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return known.clone();
        }
        let new = Arc::<str>::from(text);
        self.0.insert(new.clone());
        new
    }
}

#[cfg(test)]
mod tests {
    use super::Interner;
    use std::sync::Arc;

    #[test]
    fn equal_texts_share_one_copy() {
        let mut interner = Interner::default();
        let (a, b) = (interner.intern("word"), interner.intern(&["wo", "rd"].concat()));
        assert!(Arc::ptr_eq(&a, &b));
        assert_eq!(&*interner.intern(""), "");
    }
}
