use std::collections::HashSet;
use std::sync::Arc;

/// Keeps one copy of every label and word.
#[derive(Debug, Default)]
pub struct Interner(HashSet<Arc<str>>);

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
