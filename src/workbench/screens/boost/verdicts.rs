//! What people say of sentences. A verdict is on the disk before its key has answered (it is one
//! short line), so that neither a quit nor a kill behind it loses it.

use super::Boost;
use super::book::Book;
use crate::ensemble::ledger::{Entry, Verdict};
use crate::report::SCHEMA;
use crate::workbench::popup::Popup;
use crate::workbench::screen::{Context, Effect};
use crate::workbench::text::clean;
use std::collections::HashMap;
use std::sync::Arc;

/// The entries on whole sentences that hold, by the place of the sentence in the training set.
pub type Given = HashMap<usize, Entry>;

/// What the ledger of a run says of its sentences.
pub fn given(book: &Book) -> Given {
    let sentences = book.sentences.part.sentences.iter().enumerate();
    let places: HashMap<(Arc<str>, usize), usize> =
        sentences.map(|(i, s)| ((s.original.place.file.clone(), s.index), i)).collect();
    let entries = book.ledger.current().into_iter().filter(|entry| entry.span.is_none());
    let entry =
        |entry: &Entry| Some((*places.get(&(entry.file.clone(), entry.sentence))?, entry.clone()));
    entries.filter_map(entry).collect()
}

/// The letter that stands for a verdict in the list.
pub fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Error => 'E',
        Verdict::Ambiguous => 'A',
        Verdict::Correct => 'C',
        Verdict::Unsure => 'U',
    }
}

impl Boost {
    /// A command that is about the selected sentence's verdict.
    pub(super) fn judge(&mut self, name: &str, context: &mut Context) {
        let Some(sentence) = self.sentence() else {
            return context.status("no sentence is listed");
        };
        let before = self.given.get(&sentence);
        if name == "note" {
            let initial = before.map(|entry| entry.note.clone()).unwrap_or_default();
            return context.push(Effect::Popup(Popup::Prompt {
                id: "note",
                title: "Note".into(),
                text: "What is to be said of this sentence?".into(),
                initial,
            }));
        }
        if let Some(verdict) = Verdict::ALL.into_iter().find(|verdict| verdict.name() == name) {
            self.save(sentence, |entry| entry.verdict = verdict, context);
        }
    }

    pub(super) fn note(&mut self, text: &str, context: &mut Context) {
        let text = clean(text.trim()).into_owned();
        if let Some(sentence) = self.sentence() {
            self.save(sentence, |entry| entry.note = text, context);
        }
    }

    /// Adds an entry that says what holds already but for the change.
    pub(super) fn save(
        &mut self,
        sentence: usize,
        change: impl FnOnce(&mut Entry),
        context: &mut Context,
    ) {
        let round = self.round();
        let Some(book) = &mut self.book else { return };
        let before = self.given.get(&sentence);
        let annotated = &book.sentences.part.sentences[sentence];
        let page = &book.rounds[round];
        let analysis = self.analyses.as_ref().filter(|(number, _)| *number == page.kept.number);
        let analysis = analysis.and_then(|(_, a)| a.tree(sentence, &book.sentences.part));
        let m = book.sentences.len() as f64;
        let mut entry = Entry {
            schema: SCHEMA,
            file: annotated.original.place.file.clone(),
            sentence: annotated.index,
            hash: book.sentences.hashes[sentence].clone(),
            rank: Some(u64::from(page.ranks[sentence]) + 1),
            weight: book
                .config
                .kind
                .eq(&crate::config::Kind::Boost)
                .then(|| page.scores[sentence] / m),
            span: None,
            analysis: analysis.map(|tree| tree.to_string()),
            verdict: before.map_or(Verdict::Unsure, |entry| entry.verdict),
            note: before.map(|entry| entry.note.clone()).unwrap_or_default(),
            proposal: before.and_then(|entry| entry.proposal.clone()),
            time: context.shared.now,
        };
        change(&mut entry);
        match book.ledger.add(entry.clone()) {
            Ok(()) => {
                let proposal = if entry.proposal.is_some() { ", with a proposal" } else { "" };
                let note = if entry.note.is_empty() { "" } else { ", with a note" };
                let text = format!(
                    "sentence {}: {}{note}{proposal}; saved",
                    entry.sentence,
                    entry.verdict.name()
                );
                context.status(text);
                self.given.insert(sentence, entry);
            }
            Err(error) => context.error(format!("not saved: {error}")),
        }
    }
}
