//! The list of sentences: made anew, gone through, filtered, jumped in.

use super::listing::Request;
use super::{Listed, Page, Rerank};
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use crossterm::event::{KeyCode, KeyEvent};

impl Rerank {
    /// Makes the list anew. A task does it: of many sentences it takes longer than a frame.
    pub(super) fn relist(&mut self, context: &mut Context) {
        let (Some(book), Some(loaded)) = (&self.book, &self.loaded) else { return };
        let request = Request {
            book: book.clone(),
            texts: loaded.texts.clone(),
            sort: self.sort,
            reversed: self.reversed,
            only_changed: self.only_changed && book.ranked.is_some(),
            filter: self.filter.text().to_owned(),
        };
        context.spawn(Task::new("order", "listing the sentences", move |handle| {
            request.order(|| handle.cancelled()).map(Listed).ok_or("stopped".to_owned())
        }));
    }

    /// Takes in a list; the sentence that was selected stays so if it is listed.
    pub(super) fn listed(&mut self, order: Vec<u32>, context: &mut Context) {
        let selected = self.wanted.take().or(self.sentence());
        let place = |i: usize| order.iter().position(|&other| other as usize == i);
        let at = selected.and_then(place).unwrap_or(0);
        let before = self.sentence();
        self.order = order;
        self.at = at;
        if self.sentence() != before {
            self.choose();
        }
        self.lay_out(context);
        self.explain(context);
    }

    pub(super) fn select(&mut self, at: usize, context: &mut Context) {
        let before = self.sentence();
        self.at = at;
        if self.sentence() != before {
            self.choose();
        }
        self.lay_out(context);
        self.explain(context);
    }

    /// Selects the candidate that is taken.
    pub(super) fn choose(&mut self) {
        let (Some(i), Some(book)) = (self.sentence(), &self.book) else { return };
        self.candidate = book.choice(i).unwrap_or(0);
        self.decision = 0;
    }

    /// Goes to a sentence, whether it is listed or not.
    pub(super) fn jump(&mut self, text: &str, context: &mut Context) {
        let Some(book) = &self.book else { return };
        let text = text.trim();
        let n = book.lists.len();
        let by_number = text.trim_start_matches('#').parse::<usize>().ok();
        let by_number = by_number.and_then(|number| number.checked_sub(1)).filter(|i| *i < n);
        let by_name = || book.lists.iter().position(|l| l.list.id.as_deref() == Some(text));
        let Some(sentence) = by_name().or(by_number) else {
            return context.warn(format!("no `{text}`: sentences go from 1 to {n}"));
        };
        self.go_to(sentence, context);
    }

    pub(super) fn go_to(&mut self, sentence: usize, context: &mut Context) {
        self.page = Page::Lists;
        match self.order.iter().position(|&i| i as usize == sentence) {
            Some(at) => self.select(at, context),
            None => {
                self.wanted = Some(sentence);
                self.filter.clear();
                self.only_changed = false;
                self.relist(context);
            }
        }
    }

    pub(super) fn filter_key(&mut self, key: &KeyEvent, context: &mut Context) {
        match key.code {
            KeyCode::Enter | KeyCode::Esc => self.filtering = false,
            _ => {
                self.filter.key(key);
                self.relist(context);
            }
        }
    }
}
