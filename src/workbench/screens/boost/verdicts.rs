//! What people say of sentences and of brackets in them. A verdict is on the disk before its key
//! has answered (it is one short line), so that neither a quit nor a kill behind it loses it.

use super::Boost;
use super::brackets::Span;
use super::sentences::Sentences;
use crate::ensemble::ledger::{Entry, Ledger, Verdict};
use crate::report::SCHEMA;
use crate::workbench::popup::Popup;
use crate::workbench::screen::{Context, Effect};
use crate::workbench::text::clean;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// What is said of one sentence: of the whole of it (`None`) and of spans.
type OfSentence = BTreeMap<Option<Span>, Entry>;

/// The entries that hold, by the place of the sentence in the training set.
#[derive(Clone, Debug, Default)]
pub struct Given(HashMap<usize, OfSentence>);

impl Given {
    /// What a ledger says of these sentences.
    pub fn of(ledger: &Ledger, sentences: &Sentences) -> Given {
        let mut given = Given::default();
        let entries = ledger.current();
        if entries.is_empty() {
            return given;
        }
        let numbered = sentences.part.sentences.iter().enumerate();
        let places: HashMap<(Arc<str>, usize), usize> =
            numbered.map(|(i, s)| ((s.original.place.file.clone(), s.index), i)).collect();
        for entry in entries {
            if let Some(sentence) = places.get(&(entry.file.clone(), entry.sentence)) {
                given.insert(*sentence, entry.clone());
            }
        }
        given
    }

    pub fn insert(&mut self, sentence: usize, entry: Entry) {
        self.0.entry(sentence).or_default().insert(entry.span, entry);
    }

    /// Takes in what was said meanwhile.
    pub fn merge(&mut self, others: Given) {
        for (sentence, entries) in others.0 {
            for entry in entries.into_values() {
                // What was taken back here stays so until something newer is said.
                let known = self.0.get(&sentence).and_then(|of| of.get(&entry.span));
                if known.is_none_or(|known| known.time <= entry.time) {
                    self.insert(sentence, entry);
                }
            }
        }
    }

    /// What holds of a sentence, or of a span in it.
    pub fn get(&self, sentence: usize, span: Option<Span>) -> Option<&Entry> {
        self.0.get(&sentence)?.get(&span).filter(|entry| !entry.withdrawn)
    }

    /// Verdicts on spans of a sentence.
    pub fn spans(&self, sentence: usize) -> impl Iterator<Item = &Entry> {
        let of_spans = |(span, entry): &(&Option<Span>, &Entry)| span.is_some() && !entry.withdrawn;
        self.0.get(&sentence).into_iter().flatten().filter(of_spans).map(|(_, e)| e)
    }

    /// How many verdicts hold.
    pub fn len(&self) -> usize {
        self.0.values().flat_map(BTreeMap::values).filter(|entry| !entry.withdrawn).count()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The verdicts on every sentence and on spans of it.
    pub fn verdicts(&self) -> HashMap<usize, Vec<Verdict>> {
        let verdicts = |entries: &OfSentence| {
            entries.values().filter(|e| !e.withdrawn).map(|e| e.verdict).collect()
        };
        self.0.iter().map(|(sentence, entries)| (*sentence, verdicts(entries))).collect()
    }

    /// The verdict and the letter that stand for a sentence in the list: its own in a large one,
    /// else that of the first span that is judged, in a small one.
    pub fn letter(&self, sentence: usize) -> Option<(Verdict, char)> {
        let verdict = self.get(sentence, None).map(|entry| entry.verdict);
        verdict.map(|verdict| (verdict, letter(verdict))).or_else(|| {
            let verdict = self.spans(sentence).next()?.verdict;
            Some((verdict, letter(verdict).to_ascii_lowercase()))
        })
    }
}

fn letter(verdict: Verdict) -> char {
    match verdict {
        Verdict::Error => 'E',
        Verdict::Ambiguous => 'A',
        Verdict::Correct => 'C',
        Verdict::Unsure => 'U',
    }
}

impl Boost {
    /// A command that is about the verdict on the selected sentence, or on a bracket in it.
    pub(super) fn judge(&mut self, name: &str, context: &mut Context) {
        let Some(sentence) = self.sentence() else {
            return context.status("no sentence is listed");
        };
        if name == "note" {
            let before = self.given.get(sentence, self.span);
            let initial = before.map(|entry| entry.note.clone()).unwrap_or_default();
            let of = if self.span.is_some() { "bracket" } else { "sentence" };
            return context.push(Effect::Popup(Popup::Prompt {
                id: "note",
                title: "Note".into(),
                text: format!("What is to be said of this {of}?"),
                initial,
            }));
        }
        if name == "withdraw" {
            if self.given.get(sentence, self.span).is_none() {
                return context.status("there is no verdict to take back here");
            }
            return self.save(sentence, self.span, |entry| entry.withdrawn = true, context);
        }
        if let Some(verdict) = Verdict::ALL.into_iter().find(|verdict| verdict.name() == name) {
            self.save(sentence, self.span, |entry| entry.verdict = verdict, context);
        }
    }

    pub(super) fn note(&mut self, text: &str, context: &mut Context) {
        let text = clean(text.trim()).into_owned();
        if let Some(sentence) = self.sentence() {
            self.save(sentence, self.span, |entry| entry.note = text, context);
        }
    }

    /// Adds an entry that says what holds already but for the change.
    pub(super) fn save(
        &mut self,
        sentence: usize,
        span: Option<Span>,
        change: impl FnOnce(&mut Entry),
        context: &mut Context,
    ) {
        let round = self.round();
        let analyses = self.analyses().cloned();
        let Some(book) = &mut self.book else { return };
        let before = self.given.get(sentence, span);
        let annotated = &book.sentences.part.sentences[sentence];
        let page = &book.rounds[round];
        let analysis = analyses.and_then(|a| a.tree(sentence, &book.sentences.part));
        let m = book.sentences.len() as f64;
        let mut entry = Entry {
            schema: SCHEMA,
            file: annotated.original.place.file.clone(),
            sentence: annotated.index,
            hash: book.sentences.hashes[sentence].clone(),
            rank: Some(u64::from(page.ranks[sentence]) + 1),
            weight: book.is_boosting().then(|| page.scores[sentence] / m),
            span,
            analysis: analysis.map(|tree| tree.to_string()),
            verdict: before.map_or(Verdict::Unsure, |entry| entry.verdict),
            note: before.map(|entry| entry.note.clone()).unwrap_or_default(),
            proposal: before.and_then(|entry| entry.proposal.clone()),
            withdrawn: false,
            time: context.shared.now,
        };
        change(&mut entry);
        match book.ledger.add(entry.clone()) {
            Ok(()) => {
                let proposal = if entry.proposal.is_some() { ", with a proposal" } else { "" };
                let note = if entry.note.is_empty() { "" } else { ", with a note" };
                let words = span.map(words_of).map_or(String::new(), |words| format!(", {words}"));
                let what = match entry.withdrawn {
                    true => "nothing holds any more".to_owned(),
                    false => format!("{}{note}{proposal}", entry.verdict.name()),
                };
                let text = format!("sentence {}{words}: {what}; saved", entry.sentence);
                context.status(text);
                self.given.insert(sentence, entry);
            }
            Err(error) => context.error(format!("not saved: {error}")),
        }
    }
}

/// A span as people count words: from 1, the last one named.
pub fn words_of((start, end): Span) -> String {
    match end - start {
        1 => format!("word {end}"),
        _ => format!("words {}–{end}", start + 1),
    }
}
