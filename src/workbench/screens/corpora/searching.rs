//! The search for patterns in the trees of a corpus, and how much of a tree is shown.

use super::{Corpora, Mode, scored_tree};
use crate::render::Diagram;
use crate::treebank::pattern::Pattern;
use crate::treebank::{Sentence, Tree, attach};
use crate::workbench::jump;
use crate::workbench::patterns::{self, Hits, Typed};
use crate::workbench::screen::{Context, Effect};
use crossterm::event::KeyEvent;

impl Corpora {
    /// Lists what has the text of the filter and the pattern.
    pub(super) fn relist(&mut self, context: &mut Context) {
        let Some(loaded) = &self.loaded else { return };
        let number = self.order.get(self.sentence).copied();
        let parts: Vec<String> =
            self.filter.text().split_whitespace().map(str::to_lowercase).collect();
        let fits = |text: &str| parts.iter().all(|part| text.contains(part.as_str()));
        let texts = loaded.lower.iter().enumerate();
        let listed = texts.filter(|(i, text)| self.search.keeps(*i) && fits(text));
        self.order = listed.map(|(i, _)| i).collect();
        // The selected sentence, or the one behind it.
        let at = number.map_or(0, |number| self.order.partition_point(|i| *i < number));
        self.sentence = at.min(self.order.len().saturating_sub(1));
        if self.order.get(self.sentence).copied() != number {
            self.search.to_first();
        }
        self.lay_out(context);
    }

    /// A key in the line for a pattern.
    pub(super) fn key_of_pattern(&mut self, key: &KeyEvent, context: &mut Context) {
        match self.search.key(key) {
            Typed::Accepted => self.search_trees(context),
            Typed::Emptied => {
                context.push(Effect::Cancel(patterns::TASK));
                self.relist(context);
            }
            Typed::On | Typed::Left => {}
        }
    }

    /// Takes what a search found.
    pub(super) fn found(&mut self, hits: Hits, context: &mut Context) {
        let summary = hits.summary();
        if self.search.take(hits) {
            context.status(summary);
            self.relist(context);
        }
    }

    /// Searches the trees in view for the pattern, if there is one.
    pub(super) fn search_trees(&mut self, context: &mut Context) {
        let Some(loaded) = &self.loaded else { return };
        let (corpus, scored) = (loaded.corpus.clone(), self.scored);
        let task = self.search.task(corpus.sentences.len(), move |pattern, i| {
            matches_in(&corpus.sentences[i], scored, pattern)
        });
        if let Some(task) = task {
            context.spawn(task);
            self.relist(context);
        }
    }

    pub(super) fn go_to_match(&mut self, forward: bool, context: &mut Context) {
        let list = (&self.order[..], self.sentence, !self.filter.is_empty());
        let hint = "<corpora.pattern> searches for a pattern, <corpora.filter> for some text";
        let Some(at) = self.search.walk(forward, list, hint, context) else { return };
        self.mode = Mode::Sentences;
        self.sentence = at;
        self.lay_out(context);
    }

    /// Number of the last sentence, as the list has it.
    fn last_number(&self) -> usize {
        let sentences = self.loaded.as_ref().map_or(&[][..], |l| &l.corpus.sentences);
        sentences.last().map_or(0, |s| s.index + 1)
    }

    pub(super) fn ask_for_number(&mut self, context: &mut Context) {
        match self.last_number() {
            0 => context.warn("no sentence is read yet"),
            last => context.push(Effect::Popup(jump::popup(last))),
        }
    }

    /// Goes to the sentence of that number, or to the next one where it was left out.
    pub(super) fn jump(&mut self, text: &str, context: &mut Context) {
        let number = match jump::number(text, self.last_number()) {
            Ok(number) => number,
            Err(why) => return context.push(Effect::Popup(jump::again(why, text))),
        };
        let Some(loaded) = &self.loaded else { return };
        let index = |at: usize| loaded.corpus.sentences[at].index + 1;
        let wanted = (0..loaded.corpus.sentences.len()).find(|&at| index(at) >= number);
        let Some(wanted) = wanted else { return };
        if index(wanted) != number {
            context.status(format!("{number} is left out; the next one is {}", index(wanted)));
        }
        self.mode = Mode::Sentences;
        if !self.order.contains(&wanted) {
            if self.search.end(context) {
                context.status(format!("{number} is none of the matches: all are listed again"));
            }
            self.filter.clear();
            self.relist(context);
        }
        self.sentence = self.order.iter().position(|&at| at == wanted).unwrap_or(0);
        self.search.to_first();
        self.lay_out(context);
    }

    /// Levels of the trees in view.
    pub(super) fn levels(&self) -> usize {
        self.diagram.as_ref().map_or(0, Diagram::levels)
    }

    /// Folds or unfolds a level of the trees in view.
    pub(super) fn refold(&mut self, name: &str, context: &Context) {
        match name {
            "fold" => self.fold.less(self.levels()),
            _ => self.fold.more(self.levels()),
        }
        self.lay_out(context);
    }
}

/// How often a pattern holds in the tree of a sentence that is drawn.
fn matches_in(sentence: &Sentence, scored: bool, pattern: &Pattern) -> usize {
    let matches = |tree: &Tree| pattern.matches(tree).len();
    match (scored, &sentence.tree) {
        (true, _) => scored_tree(sentence).and_then(|d| d.tree()).map_or(0, |tree| matches(&tree)),
        (false, None) => 0,
        (false, Some(tree)) => attach(tree).map_or_else(|| matches(tree), |(t, _)| matches(&t)),
    }
}
