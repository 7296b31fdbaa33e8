//! What a word becomes, remembered: of every word and label one copy is made.

use super::intern::{Interner, WordMap};
use super::normalise::{capital_n_lowered, cut_functions, is_normal, numbers_to_n};
use super::{Preprocessing, Removed};
use crate::config::FunctionLabels;
use std::sync::Arc;

impl Preprocessing {
    /// The word as models see it, and which of the two steps changed it.
    fn normalise(&self, word: &str) -> (String, Rewritten) {
        let cased = if self.lowercase { word.to_lowercase() } else { word.to_owned() };
        let numbered = if self.numbers { numbers_to_n(&cased) } else { cased.clone() };
        let lower_case = u64::from(cased != word);
        let numbers = u64::from(numbered != cased);
        (numbered, Rewritten { lower_case, numbers })
    }

    /// The word as it is written to a file, which may be treated again.
    fn written(&self, word: &str, purpose: Purpose) -> (String, Rewritten) {
        match purpose {
            Purpose::Cleaned if self.lowercase && self.numbers => {
                let settled = capital_n_lowered(word);
                let lower_case = u64::from(settled != word);
                (settled, Rewritten { lower_case, numbers: 0 })
            }
            Purpose::Raw if self.lowercase && self.numbers => {
                let (normal, rewritten) = self.normalise(word);
                (capital_n_lowered(&normal), rewritten)
            }
            _ => self.normalise(word),
        }
    }
}

/// How many words a step rewrote.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rewritten {
    lower_case: u64,
    numbers: u64,
}

impl Rewritten {
    pub(super) fn count(self, removed: &mut Removed) {
        removed.add("lower-case", self.lower_case);
        removed.add("numbers", self.numbers);
    }
}

/// What words are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Purpose {
    #[default]
    Model,
    /// A file that may be cleaned once more, the words read as people wrote them.
    Raw,
    /// The same of words that may have been cleaned before: an `N` in place of a number stays.
    Cleaned,
}

/// One copy of every word and label that preprocessing makes.
#[derive(Debug, Default)]
pub(super) struct Memo {
    purpose: Purpose,
    words: WordMap<(Arc<str>, Rewritten)>,
    labels: WordMap<Arc<str>>,
    pool: Interner,
}

impl Memo {
    pub(super) fn of(purpose: Purpose) -> Memo {
        Memo { purpose, ..Memo::default() }
    }

    pub(super) fn word(
        &mut self,
        rules: &Preprocessing,
        word: &Arc<str>,
        rewritten: &mut Rewritten,
    ) -> Arc<str> {
        if is_normal(word) {
            return word.clone();
        }
        let (shared, by) = match self.words.get(word) {
            Some(known) => known.clone(),
            None => {
                let (normal, by) = rules.written(word, self.purpose);
                let same = normal == **word;
                let shared = if same { word.clone() } else { self.pool.intern(&normal) };
                self.words.insert(word.clone(), (shared.clone(), by));
                (shared, by)
            }
        };
        rewritten.lower_case += by.lower_case;
        rewritten.numbers += by.numbers;
        shared
    }

    /// The label of a phrase, its edge label behind it where functions are kept.
    pub(super) fn phrase_label(
        &mut self,
        rules: &Preprocessing,
        label: &Arc<str>,
        edge: Option<&str>,
    ) -> Arc<str> {
        match edge {
            Some(edge) if rules.function_labels == FunctionLabels::Keep => {
                self.surface(&format!("{label}-{edge}"))
            }
            _ => self.label(rules, label),
        }
    }

    pub(super) fn label(&mut self, rules: &Preprocessing, label: &Arc<str>) -> Arc<str> {
        if rules.function_labels == FunctionLabels::Keep {
            return label.clone();
        }
        if let Some(known) = self.labels.get(label) {
            return known.clone();
        }
        let cut = cut_functions(label);
        let shared = if cut == &**label { label.clone() } else { self.pool.intern(cut) };
        self.labels.insert(label.clone(), shared.clone());
        shared
    }

    pub(super) fn surface(&mut self, word: &str) -> Arc<str> {
        self.pool.intern(word)
    }
}
