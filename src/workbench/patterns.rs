//! Search by patterns of trees, as several screens have it: the line that a pattern is typed in, the
//! search on a task, what was found, and the place in it that one stands at.

use super::command::Command;
use super::recall::RecallLine;
use super::screen::{Context, Effect, Term};
use super::task::Task;
use super::text::{clean, count, counted, fit};
use super::theme::Theme;
use crate::render::Diagram;
use crate::treebank::pattern::{Match, Pattern};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use std::sync::Arc;

/// Kind of the task that searches.
pub const TASK: &str = "pattern";

/// What screens with a search and trees understand.
pub const COMMANDS: &[Command] = &[
    Command {
        name: "pattern",
        keys: &["P"],
        help: "List sentences with a pattern of trees, e.g. NP < (PP << of)",
        short: "pattern",
    },
    Command {
        name: "next-match",
        keys: &["n"],
        help: "Go to the next match of the pattern, or sentence of the filter",
        short: "",
    },
    Command {
        name: "previous-match",
        keys: &["N"],
        help: "Go to the match, or sentence, before",
        short: "",
    },
    Command { name: "fold", keys: &["("], help: "Fold one more level of the tree", short: "" },
    Command { name: "unfold", keys: &[")"], help: "Unfold one level of the tree", short: "" },
];

/// The language of patterns, in a few lines.
pub const LANGUAGE: [Term; 8] = [
    Term {
        name: "pattern",
        meaning: "Parts of trees in a part of the language of Tregex: NP < (PP << of) is a noun \
                  phrase with a prepositional phrase in it that has the word of. In trees » (>> \
                  without UTF-8) is the match that n and N have gone to, › (>) another one, : a \
                  named node",
    },
    Term {
        name: "NP|NX /^NP-/",
        meaning: "One of some labels or words; a regular expression. __ is any node, @NP also \
                  NP-SBJ, !NP all others, \"PRP$\" what has signs of the language in it",
    },
    Term {
        name: "A < B  A > B",
        meaning: "A is the parent of B, the child of B. << >> at any distance; <2 the second \
                  child, <, the first, <- the last, <: the only one",
    },
    Term {
        name: "A . B  A , B",
        meaning: "A stands right before B, right behind it; .. and ,, anywhere before, behind",
    },
    Term {
        name: "A $ B",
        meaning: "They are sisters; $+ A right before B, $- right behind; $++ and $-- anywhere",
    },
    Term {
        name: "A < B < C",
        meaning: "Both relations are of A; A < (B < C) has one of B. | between two: one of them; \
                  [ ] keeps some together; ! before one: it does not hold; ? it may",
    },
    Term {
        name: "A=x",
        meaning: "Gives the node a name; the same name elsewhere is the same node",
    },
    Term {
        name: "folded",
        meaning: "( and ) fold and unfold the lowest phrases in view: NP … and its words. Signs \
                  of matches in them stand at the words",
    },
];

/// What a key in the line did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Typed {
    /// The line goes on: it was edited, or what stands in it is no pattern.
    On,
    /// A pattern is to be searched for.
    Accepted,
    /// There is no pattern any more.
    Emptied,
    /// The line was left.
    Left,
}

/// Numbers of matches, sentence by sentence.
#[derive(Debug)]
pub struct Hits {
    search: u64,
    counts: Vec<u32>,
}

impl Hits {
    /// As the status line tells them.
    pub fn summary(&self) -> String {
        let all: u64 = self.counts.iter().map(|&n| u64::from(n)).sum();
        let matches = match all {
            1 => "1 match".to_owned(),
            n => format!("{} matches", count(n)),
        };
        let sentences = self.counts.iter().filter(|n| **n > 0).count() as u64;
        let of = counted(self.counts.len() as u64, "sentence");
        format!("{matches} in {} of {of}", count(sentences))
    }
}

/// A pattern and where it holds.
#[derive(Default)]
pub struct PatternSearch {
    /// Opens empty; what was typed before is brought back by a key.
    line: RecallLine,
    editing: bool,
    pattern: Option<Arc<Pattern>>,
    hits: Option<Hits>,
    /// Number of the newest search; results of others are dropped.
    search: u64,
    /// Which match of the selected sentence one stands at.
    within: usize,
}

impl PatternSearch {
    /// Opens the line.
    pub fn open(&mut self) {
        self.editing = true;
    }

    /// Gives the keys back; the text can be brought back.
    pub fn leave(&mut self) {
        self.editing = false;
        self.line.accept();
    }

    /// Whether the line has the keys.
    pub fn editing(&self) -> bool {
        self.editing
    }

    pub fn paste(&mut self, text: &str) {
        self.line.field.paste(text);
    }

    /// Takes a key while the line is open.
    pub fn key(&mut self, key: &KeyEvent) -> Typed {
        match key.code {
            KeyCode::Esc => {
                self.leave();
                Typed::Left
            }
            KeyCode::Enter if self.line.field.text().trim().is_empty() => {
                self.leave();
                self.clear();
                Typed::Emptied
            }
            KeyCode::Enter => match self.line.field.text().parse::<Pattern>() {
                Ok(pattern) => {
                    self.clear();
                    self.pattern = Some(Arc::new(pattern));
                    self.leave();
                    Typed::Accepted
                }
                Err(_) => Typed::On,
            },
            _ => {
                self.line.key(key);
                Typed::On
            }
        }
    }

    /// The pattern that is searched for, or was.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.pattern.as_deref()
    }

    /// What was found; `None` without a pattern or before the search is over.
    pub fn hits(&self) -> Option<&Hits> {
        self.hits.as_ref()
    }

    /// Takes the pattern away; whether there was one. Its text can be brought back.
    pub fn clear(&mut self) -> bool {
        self.forget();
        self.pattern.take().is_some()
    }

    /// Forgets what was found, for the sentences are others now.
    pub fn forget(&mut self) {
        self.search += 1;
        self.hits = None;
        self.within = 0;
    }

    /// A search of so many sentences, if there is a pattern; `matches` says how often it holds in
    /// a sentence.
    pub fn task(
        &mut self,
        sentences: usize,
        matches: impl Fn(&Pattern, usize) -> usize + Send + 'static,
    ) -> Option<Task> {
        let pattern = self.pattern.clone()?;
        self.forget();
        let search = self.search;
        let title = format!("searching {}", clean(pattern.text()));
        Some(Task::new(TASK, title, move |handle| {
            let mut counts = Vec::with_capacity(sentences);
            for i in 0..sentences {
                if i % 16 == 0 {
                    handle.progress(i as u64, sentences as u64);
                    if handle.cancelled() {
                        return Err("stopped".into());
                    }
                }
                counts.push(u32::try_from(matches(&pattern, i)).unwrap_or(u32::MAX));
            }
            Ok(Hits { search, counts })
        }))
    }

    /// Takes what a search found; whether it is the newest.
    pub fn take(&mut self, hits: Hits) -> bool {
        let newest = hits.search == self.search && self.pattern.is_some();
        if newest {
            self.hits = Some(hits);
        }
        newest
    }

    /// What was found, or that it is being looked for, with the pattern before it.
    pub fn said(&self, trees: &str) -> Option<String> {
        let pattern = clean(self.pattern()?.text()).into_owned();
        let found = self.hits.as_ref().map_or("searching".to_owned(), Hits::summary);
        Some(format!("{found} · {pattern} {trees}"))
    }

    /// Matches in a sentence; `None` where nothing is known of it.
    pub fn count(&self, sentence: usize) -> Option<u32> {
        self.hits.as_ref()?.counts.get(sentence).copied()
    }

    /// Whether a sentence is listed.
    pub fn keeps(&self, sentence: usize) -> bool {
        self.count(sentence).is_none_or(|n| n > 0)
    }

    /// Stands at the first match of whatever sentence is selected next.
    pub fn to_first(&mut self) {
        self.within = 0;
    }

    /// Which match of the selected sentence one stands at.
    pub fn within(&self) -> Option<usize> {
        self.hits.as_ref().map(|_| self.within)
    }

    /// Goes to the next match or the one before, round the ends of the list: gives the row, and
    /// whether an end was passed. `None` where nothing is listed.
    pub fn step(&mut self, forward: bool, order: &[usize], at: usize) -> Option<(usize, bool)> {
        let here = *order.get(at)?;
        let last = |sentence: usize| (self.count(sentence).unwrap_or(1) as usize).saturating_sub(1);
        let (at, within, round) = match forward {
            true if self.within < last(here) => (at, self.within + 1, false),
            true if at + 1 < order.len() => (at + 1, 0, false),
            true => (0, 0, true),
            false if self.within > 0 => (at, self.within - 1, false),
            false if at > 0 => (at - 1, last(order[at - 1]), false),
            false => (order.len() - 1, last(order[order.len() - 1]), true),
        };
        self.within = within;
        Some((at, round))
    }

    /// The same for a list of a screen, which says where it comes round; `hint` says how to search
    /// where nothing is searched for. Gives the row to select.
    pub fn walk(
        &mut self,
        forward: bool,
        (order, at, filtered): (&[usize], usize, bool),
        hint: &str,
        context: &mut Context,
    ) -> Option<usize> {
        if self.hits.is_none() && !filtered {
            context.warn(hint);
            return None;
        }
        let (at, round) = self.step(forward, order, at)?;
        if round {
            let (from, to) = if forward { ("last", "first") } else { ("first", "last") };
            context.status(format!("from the {from} match on to the {to}"));
        }
        Some(at)
    }

    /// Takes the pattern away and ends its search; whether there was one.
    pub fn end(&mut self, context: &mut Context) -> bool {
        let there_was = self.clear();
        if there_was {
            context.push(Effect::Cancel(TASK));
        }
        there_was
    }

    /// For the title of a list: the place among the matches of the listed sentences.
    pub fn place(&self, order: &[usize], at: usize) -> Option<String> {
        self.pattern()?;
        if self.hits.is_none() {
            return Some("searching".into());
        }
        let sum = |part: &[usize]| -> u64 {
            part.iter().map(|&i| u64::from(self.count(i).unwrap_or(0))).sum()
        };
        let place = match order.is_empty() {
            true => 0,
            false => sum(&order[..at.min(order.len())]) + self.within as u64 + 1,
        };
        Some(format!("match {} of {}", count(place), count(sum(order))))
    }

    /// Behind it, where there is room: how many sentences those are, and the pattern.
    pub fn listed(&self, order: &[usize]) -> String {
        let pattern = self.pattern().map(|p| clean(p.text()).into_owned()).unwrap_or_default();
        let Some(hits) = &self.hits else { return format!(" · {pattern}") };
        let all = counted(hits.counts.len() as u64, "sentence");
        format!(" in {} of {all} · {pattern}", count(order.len() as u64))
    }

    /// Marks in a tree what the pattern finds; in one of a search's own trees, also where one
    /// stands: `before` are matches of the sentence in other trees of the search. Gives the number
    /// of matches.
    pub fn mark(&self, diagram: &mut Diagram, before: Option<usize>) -> usize {
        self.mark_some(diagram, before, |_, _| true)
    }

    /// The same with some of the matches alone.
    pub fn mark_some(
        &self,
        diagram: &mut Diagram,
        before: Option<usize>,
        wanted: impl Fn(&Diagram, &Match) -> bool,
    ) -> usize {
        let (Some(pattern), Some(_)) = (self.pattern(), &self.hits) else { return 0 };
        let Some(tree) = diagram.tree() else { return 0 };
        let mut matches = pattern.matches(&tree);
        matches.retain(|found| wanted(diagram, found));
        let current = before.and_then(|before| self.within.checked_sub(before));
        diagram.mark_hits(&matches, current);
        matches.len()
    }

    /// Rows that the open line takes.
    pub fn rows(&self) -> u16 {
        if self.editing { 2 } else { 0 }
    }

    /// Draws the open line, and above it what is wrong with the pattern, if anything.
    pub fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let [above, line] = [0, 1].map(|y| Rect {
            y: area.y + y,
            height: area.height.saturating_sub(y).min(1),
            ..area
        });
        let text = self.line.field.text();
        let (said, style) = match text.parse::<Pattern>() {
            _ if text.trim().is_empty() && self.line.remembers() => {
                (" e.g. NP < (PP << of); Up brings back what was typed before".into(), theme.dim)
            }
            _ if text.trim().is_empty() => {
                (" e.g. NP < (PP << of): NP with a PP that has the word of".into(), theme.dim)
            }
            Ok(_) => (" Enter searches".to_owned(), theme.dim),
            Err(error) => (format!(" {error}"), theme.warning),
        };
        let said = fit(&clean(&said), usize::from(area.width)).into_owned();
        frame.render_widget(Line::styled(said, style), above);
        self.line.field.draw(frame, line, " pattern: ", true, theme);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::field::Field;

    fn type_in(search: &mut PatternSearch, text: &str) -> Typed {
        search.open();
        search.line.field = Field::new(text);
        search.key(&KeyEvent::from(KeyCode::Enter))
    }

    /// With these numbers of matches.
    fn searched(counts: &[u32]) -> PatternSearch {
        let mut search = PatternSearch::default();
        assert_eq!(type_in(&mut search, "NP"), Typed::Accepted);
        let counts = counts.to_vec();
        let task = search.task(counts.len(), move |_, i| counts[i] as usize);
        let found = task.expect("there is a pattern").run().expect("finds");
        assert!(search.take(*found.downcast::<Hits>().expect("hits")));
        search
    }

    #[test]
    fn a_text_that_is_no_pattern_stays_in_the_line_with_the_column_that_is_wrong() {
        let mut search = PatternSearch::default();
        assert_eq!(type_in(&mut search, "NP < ("), Typed::On);
        assert!(search.editing() && search.pattern().is_none());
        let theme = Theme::new(crate::workbench::theme::ThemeName::Dark, true);
        let shot = crate::workbench::testing::draw_text(60, 2, |frame| {
            search.draw(frame, frame.area(), &theme);
        });
        assert!(shot.contains("column ") && shot.contains("pattern: NP < ("), "{shot}");
        assert_eq!(search.key(&KeyEvent::from(KeyCode::Esc)), Typed::Left);
        assert!(!search.editing(), "the next key is a command again");
    }

    #[test]
    fn the_line_opens_empty_and_brings_back_what_was_searched_for_or_left() {
        let mut search = PatternSearch::default();
        type_in(&mut search, "the . __");
        type_in(&mut search, "NP < (");
        search.key(&KeyEvent::from(KeyCode::Esc));
        search.open();
        search.key(&KeyEvent::from(KeyCode::Char('V')));
        assert_eq!(search.line.field.text(), "V");
        for text in ["NP < (", "the . __"] {
            search.key(&KeyEvent::from(KeyCode::Up));
            assert_eq!(search.line.field.text(), text);
        }
        assert_eq!(search.key(&KeyEvent::from(KeyCode::Enter)), Typed::Accepted);
        assert_eq!(search.pattern().map(Pattern::text), Some("the . __"));
    }

    #[test]
    fn n_walks_through_all_matches_and_round_the_end_and_back() {
        let mut search = searched(&[0, 2, 0, 1, 3]);
        let order = [1, 3, 4];
        let mut at = 0;
        let place = |search: &PatternSearch, at| search.place(&order, at);
        for expected in [2, 3, 4, 5, 6, 1] {
            let (row, round) = search.step(true, &order, at).expect("a row");
            at = row;
            assert_eq!(place(&search, at), Some(format!("match {expected} of 6")));
            assert_eq!(round, expected == 1);
        }
        for expected in [6, 5, 4, 3, 2, 1] {
            let (row, round) = search.step(false, &order, at).expect("a row");
            at = row;
            assert_eq!(place(&search, at), Some(format!("match {expected} of 6")));
            assert_eq!(round, expected == 6);
        }
        assert_eq!(search.step(true, &[], 0), None);
        assert_eq!(
            search.hits().map(Hits::summary).as_deref(),
            Some("6 matches in 3 of 5 sentences")
        );
    }

    #[test]
    fn results_of_a_search_that_is_not_the_newest_are_dropped() {
        let mut search = searched(&[1]);
        let old = search.task(1, |_, _| 7).expect("there is a pattern");
        search.forget();
        let old = old.run().expect("finds").downcast::<Hits>().expect("hits");
        assert!(!search.take(*old) && search.hits().is_none());
        assert!(search.clear() && !search.clear());
        assert!(search.task(1, |_, _| 1).is_none());
    }
}
