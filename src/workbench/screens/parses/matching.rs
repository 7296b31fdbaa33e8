//! Patterns in gold and induced trees, and in what one has and the other has not.

use super::Parses;
use super::rows::Row;
use crate::render::Diagram;
use crate::treebank::pattern::{Found, Match, Pattern};
use crate::workbench::patterns::{self, Hits, Typed};
use crate::workbench::screen::{Context, Effect};
use crossterm::event::KeyEvent;
use std::collections::HashSet;

/// In which trees a pattern is searched for. Spans are compared, for induced trees have no labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trees {
    #[default]
    Gold,
    /// In gold trees, phrases that are no phrases of the induced one.
    Missed,
    /// In gold trees, phrases that the induced one has too.
    Shared,
    Induced,
    /// In induced trees, phrases that the gold one lacks.
    Added,
    Either,
}

impl Trees {
    /// The next choice.
    fn next(self) -> Trees {
        match self {
            Trees::Gold => Trees::Missed,
            Trees::Missed => Trees::Shared,
            Trees::Shared => Trees::Induced,
            Trees::Induced => Trees::Added,
            Trees::Added => Trees::Either,
            Trees::Either => Trees::Gold,
        }
    }

    /// As it stands behind a pattern.
    pub fn words(self) -> &'static str {
        match self {
            Trees::Gold => "in gold trees",
            Trees::Missed => "in gold but not induced",
            Trees::Shared => "in gold and induced",
            Trees::Induced => "in induced trees",
            Trees::Added => "in induced but not gold",
            Trees::Either => "in either tree",
        }
    }

    /// The same in the line above the list, with why labels are found in gold trees alone.
    pub fn explained(self) -> &'static str {
        match self {
            Trees::Gold | Trees::Missed | Trees::Shared => self.words(),
            Trees::Induced => "in induced trees (no labels: use __)",
            Trees::Added => "in induced but not gold (no labels: use __)",
            Trees::Either => "in either tree (induced: no labels)",
        }
    }

    fn in_gold(self) -> bool {
        matches!(self, Trees::Gold | Trees::Missed | Trees::Shared | Trees::Either)
    }

    pub fn in_induced(self) -> bool {
        matches!(self, Trees::Induced | Trees::Added | Trees::Either)
    }

    /// Which matches in a tree count, given the other tree of the sentence.
    fn wanted(self, other: Option<&Diagram>) -> impl Fn(&Diagram, &Match) -> bool {
        let compared = matches!(self, Trees::Missed | Trees::Shared | Trees::Added);
        // Words and whole sentences are in both.
        let spans = other
            .filter(|_| compared)
            .map(|other| other.nodes().iter().map(|n| (n.start, n.end)).collect::<HashSet<_>>());
        move |tree, found| match &spans {
            None => !compared,
            Some(spans) => spans.contains(&span(tree, found)) == (self == Trees::Shared),
        }
    }
}

/// The words of what was found.
fn span(tree: &Diagram, found: &Match) -> (u32, u32) {
    match found.found {
        Found::Word(word) => (word, word + 1),
        Found::Node(id) => tree.nodes().get(id.0 as usize).map_or((0, 0), |n| (n.start, n.end)),
    }
}

/// How often a pattern holds in the trees of a sentence.
fn matches_in(row: &Row, trees: Trees, pattern: &Pattern) -> usize {
    let (gold, induced) = (row.gold_diagram(), row.induced_diagram());
    let count = |tree: &Option<Diagram>, other: &Option<Diagram>| {
        let Some(tree) = tree else { return 0 };
        let wanted = trees.wanted(other.as_ref());
        let found = tree.tree().map(|read| pattern.matches(&read)).unwrap_or_default();
        found.iter().filter(|found| wanted(tree, found)).count()
    };
    let in_gold = if trees.in_gold() { count(&gold, &induced) } else { 0 };
    let in_induced = if trees.in_induced() { count(&induced, &gold) } else { 0 };
    in_gold + in_induced
}

impl Parses {
    /// Opens the line for a pattern.
    pub(super) fn ask_for_pattern(&mut self, context: &mut Context) {
        if self.is_language_model() {
            return context.warn("a language model gives no trees to search");
        }
        self.typed.leave();
        self.search.open();
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

    /// Searches the trees of the evaluation, if there is a pattern.
    pub(super) fn search_trees(&mut self, context: &mut Context) {
        let Some(evaluation) = &self.evaluation else { return };
        let (rows, trees) = (evaluation.rows.clone(), self.trees);
        let matches = move |pattern: &Pattern, i: usize| matches_in(&rows[i], trees, pattern);
        if let Some(task) = self.search.task(evaluation.rows.len(), matches) {
            context.spawn(task);
            self.relist(context);
        }
    }

    /// Takes what a search found.
    pub(super) fn found(&mut self, hits: Hits, context: &mut Context) {
        let summary = hits.summary();
        if self.search.take(hits) {
            context.status(format!("{summary}, {}", self.trees.words()));
            self.relist(context);
        }
    }

    /// Takes the pattern away; whether there was one.
    pub(super) fn end_search(&mut self, context: &mut Context) -> bool {
        let there_was = self.search.end(context);
        if there_was {
            self.relist(context);
        }
        there_was
    }

    /// Searches other trees.
    pub(super) fn turn_trees(&mut self, context: &mut Context) {
        self.trees = self.trees.next();
        context.status(format!("patterns are searched for {}", self.trees.words()));
        self.search_trees(context);
    }

    pub(super) fn go_to_match(&mut self, forward: bool, context: &mut Context) {
        let list = (&self.order[..], self.at, !self.listing.filter.is_empty());
        let hint = "<parses.pattern> searches for a pattern, <parses.filter> for some text";
        let Some(at) = self.search.walk(forward, list, hint, context) else { return };
        self.typed.leave();
        self.select(at, context);
    }

    /// Marks what the pattern finds in the trees in view, those alone that are searched.
    pub(super) fn mark_matches(&self, gold: Option<&mut Diagram>, induced: Option<&mut Diagram>) {
        let of_gold = gold.as_deref().filter(|_| self.trees == Trees::Added).cloned();
        let mut before = 0;
        if let Some(gold) = gold.filter(|_| self.trees.in_gold()) {
            let wanted = self.trees.wanted(induced.as_deref());
            before = self.search.mark_some(gold, Some(0), wanted);
        }
        if let Some(induced) = induced.filter(|_| self.trees.in_induced()) {
            let wanted = self.trees.wanted(of_gold.as_ref());
            self.search.mark_some(induced, Some(before), wanted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::evaluation;
    use super::*;

    #[test]
    fn a_pattern_is_found_in_the_trees_that_are_asked_for() {
        let rows = evaluation().rows;
        let count = |pattern: &str, trees: Trees| -> Vec<usize> {
            let pattern = pattern.parse().expect("a pattern");
            rows.iter().map(|row| matches_in(row, trees, &pattern)).collect()
        };
        // Gold: NP [0, 2) and VP, PP of the first sentence; the induced tree has [3, 5) of them.
        let phrases = "NP|VP|PP";
        assert_eq!(count(phrases, Trees::Gold), [3, 0, 0, 1]);
        assert_eq!(count(phrases, Trees::Missed), [2, 0, 0, 0]);
        assert_eq!(count(phrases, Trees::Shared), [1, 0, 0, 1]);
        assert_eq!(count(phrases, Trees::Induced), [0, 0, 0, 0], "they have no labels");
        assert_eq!(count(phrases, Trees::Either), [3, 0, 0, 1]);
        // Phrases of two parts: the induced trees are binary.
        let binary = "__ < (__ $ __)";
        assert_eq!(count(binary, Trees::Induced), [4, 1, 0, 4]);
        assert_eq!(count(binary, Trees::Added), [2, 0, 0, 2]);
    }

    #[test]
    fn every_choice_of_trees_comes_round() {
        let mut trees = Trees::default();
        let mut seen = HashSet::new();
        while seen.insert(trees.words()) {
            trees = trees.next();
        }
        assert_eq!((seen.len(), trees), (6, Trees::Gold));
    }
}
