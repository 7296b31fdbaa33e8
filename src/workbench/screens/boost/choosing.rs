//! The list of sentences: made anew, gone through, filtered, jumped in.

use super::listing::Request;
use super::{Boost, Listed, Page};
use crate::workbench::screen::Context;
use crate::workbench::task::Task;
use crossterm::event::{KeyCode, KeyEvent};

impl Boost {
    /// Makes the list anew. A task does it: of many sentences it takes longer than a frame.
    pub(super) fn relist(&mut self, context: &mut Context) {
        self.weigh(context);
        let Some(book) = &self.book else { return };
        let request = Request {
            sentences: book.sentences.clone(),
            rounds: book.rounds[..=self.round()].to_vec(),
            sort: self.sort,
            signals: self.weighing.scores().cloned(),
            reversed: self.reversed,
            filter: self.filter.text().to_owned(),
            verdicts: self.given.verdicts(),
            analyses: self.analyses().cloned(),
        };
        let run = book.run;
        context.spawn(Task::new("list", "listing the sentences", move |handle| {
            let order = request.order(|| handle.cancelled());
            order.map(|order| Listed(run, order)).ok_or("stopped".to_owned())
        }));
    }

    /// Takes in a list; the sentence that was selected stays so if it is listed.
    pub(super) fn listed(&mut self, order: Vec<u32>, context: &mut Context) {
        let before = self.sentence();
        let selected = self.wanted.take().or(before);
        let place = |i: usize| order.iter().position(|&other| other as usize == i);
        let at = selected.and_then(place).unwrap_or(0);
        self.order = order;
        self.arrive(before, at, context);
    }

    pub(super) fn select(&mut self, at: usize, context: &mut Context) {
        self.arrive(self.sentence(), at, context);
    }

    /// Comes from a sentence to the one at a place of the list.
    pub(super) fn arrive(&mut self, before: Option<usize>, at: usize, context: &mut Context) {
        self.at = at;
        if self.sentence() != before {
            self.span = None;
        }
        self.lay_out(context);
        self.find_twins(context);
    }

    /// Goes to a rank, or to a sentence by its number, whether it is listed or not.
    pub(super) fn jump(&mut self, text: &str, context: &mut Context) {
        let Some(book) = &self.book else { return };
        let text = text.trim();
        let sentences = &book.sentences.part.sentences;
        let found = match text.strip_prefix('#') {
            Some(number) => number.trim().parse().ok().and_then(|number: usize| {
                sentences.iter().position(|sentence| sentence.index == number)
            }),
            None => text.parse().ok().and_then(|rank: usize| {
                let order = &book.rounds[self.round()].order;
                order.get(rank.checked_sub(1)?).map(|&i| i as usize)
            }),
        };
        let Some(sentence) = found else {
            return context.warn(format!(
                "no `{text}`: ranks go from 1 to {}, and # stands before a sentence's number",
                sentences.len()
            ));
        };
        self.page = Page::Sentences;
        match self.order.iter().position(|&i| i as usize == sentence) {
            Some(at) => self.select(at, context),
            None => {
                self.wanted = Some(sentence);
                self.filter.clear();
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
