//! Which sentences are listed, and in which order.

use super::book::RoundPage;
use super::sentences::Sentences;
use crate::ensemble::Analyses;
use crate::ensemble::ledger::Verdict;
use crate::workbench::comparison::Comparison;
use std::collections::HashMap;
use std::sync::Arc;

/// What the list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Rank,
    /// Share of wrong constituents in the round in view.
    Error,
    Length,
    Corpus,
    /// All that tells of errors, after the last round.
    Signals,
}

impl Sort {
    pub fn next(self) -> Sort {
        match self {
            Sort::Rank => Sort::Error,
            Sort::Error => Sort::Length,
            Sort::Length => Sort::Corpus,
            Sort::Corpus => Sort::Signals,
            Sort::Signals => Sort::Rank,
        }
    }

    pub fn name(self, boosting: bool) -> &'static str {
        match self {
            Sort::Rank if boosting => "by weight",
            Sort::Rank => "by mean error",
            Sort::Error => "by error in this round",
            Sort::Length => "by length",
            Sort::Corpus => "in corpus order",
            Sort::Signals => "by all signals of error",
        }
    }
}

/// A test that sentences must pass.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// Some words, in lower case.
    Text(String),
    /// One of these; `None` is for sentences without.
    Verdict(Vec<Option<Verdict>>),
    /// Whether the parser of the round had to give something up for a tree.
    Fallback(bool),
    /// Whether every round so far made it heavier.
    RaisedAlways,
    Figure(Figure, Comparison, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Length,
    Rank,
    Weight,
    Error,
}

/// The conditions that a line of text names: `length>20`, `verdict=error,unsure`; everything else
/// is text that must stand in the sentence.
fn conditions(filter: &str) -> Vec<Condition> {
    let mut conditions = Vec::new();
    let mut text: Vec<&str> = Vec::new();
    for word in filter.split_whitespace() {
        match condition(word) {
            Some(condition) => conditions.push(condition),
            None => text.push(word),
        }
    }
    if !text.is_empty() {
        conditions.push(Condition::Text(text.join(" ").to_lowercase()));
    }
    conditions
}

fn condition(word: &str) -> Option<Condition> {
    let (name, sign, value) = Comparison::split(word)?;
    let figure = match name {
        "verdict" if sign == Comparison::Equal => {
            let verdict = |name: &str| match name {
                "none" => Some(None),
                name => Verdict::ALL.into_iter().find(|v| v.name() == name).map(Some),
            };
            return value.split(',').map(verdict).collect::<Option<_>>().map(Condition::Verdict);
        }
        "parse" if sign == Comparison::Equal => {
            return match value {
                "fallback" => Some(Condition::Fallback(true)),
                "whole" => Some(Condition::Fallback(false)),
                _ => None,
            };
        }
        "raised" if sign == Comparison::Equal && value == "always" => {
            return Some(Condition::RaisedAlways);
        }
        "length" => Figure::Length,
        "rank" => Figure::Rank,
        "weight" => Figure::Weight,
        "error" => Figure::Error,
        _ => return None,
    };
    Some(Condition::Figure(figure, sign, value.parse().ok()?))
}

/// Everything that a list is made of, so that it can be made on another thread.
pub struct Request {
    pub sentences: Arc<Sentences>,
    /// The rounds until the one in view, which is the last.
    pub rounds: Vec<Arc<RoundPage>>,
    pub sort: Sort,
    /// Of every sentence, once they are weighed.
    pub signals: Option<Arc<Vec<f64>>>,
    pub reversed: bool,
    pub filter: String,
    /// What was said of sentences, or of brackets in them.
    pub verdicts: HashMap<usize, Vec<Verdict>>,
    /// Those of the round in view, once they are read.
    pub analyses: Option<Arc<Analyses>>,
}

/// Whether a filter asks for something that only the analyses tell.
pub fn needs_analyses(filter: &str) -> bool {
    conditions(filter).iter().any(|condition| matches!(condition, Condition::Fallback(_)))
}

impl Request {
    /// Sentences in the order in which they are listed; `None` if nobody wants them any more.
    pub fn order(&self, cancelled: impl Fn() -> bool) -> Option<Vec<u32>> {
        let Some(page) = self.rounds.last() else { return Some(Vec::new()) };
        let conditions = conditions(&self.filter);
        // From the order by rank, which settles ties.
        let mut order = Vec::new();
        for some in page.order.chunks(10_000) {
            if cancelled() {
                return None;
            }
            let keeps = |i: &u32| conditions.iter().all(|c| self.holds(c, page, *i as usize));
            order.extend(some.iter().copied().filter(keeps));
        }
        let error = |i: &u32| page.agreement(*i as usize).error();
        match self.sort {
            Sort::Rank => {}
            Sort::Error => order.sort_by(|a, b| error(b).total_cmp(&error(a))),
            Sort::Length => order.sort_by_key(|i| self.length(*i as usize)),
            Sort::Corpus => order.sort_unstable(),
            Sort::Signals => {
                if let Some(scores) = &self.signals {
                    let score = |i: &u32| scores[*i as usize];
                    order.sort_by(|a, b| score(b).total_cmp(&score(a)));
                }
            }
        }
        if self.reversed {
            order.reverse();
        }
        Some(order)
    }

    fn length(&self, sentence: usize) -> usize {
        self.sentences.part.sentences[sentence].tree.len()
    }

    fn holds(&self, condition: &Condition, page: &RoundPage, i: usize) -> bool {
        match condition {
            Condition::Text(text) => self.sentences.texts[i].contains(text.as_str()),
            Condition::Verdict(wanted) => match self.verdicts.get(&i) {
                None => wanted.contains(&None),
                Some(given) => given.iter().any(|verdict| wanted.contains(&Some(*verdict))),
            },
            Condition::Fallback(wanted) => {
                self.analyses.as_ref().is_some_and(|a| a.trees[i].fallback.is_some() == *wanted)
            }
            Condition::RaisedAlways => {
                let voted = |page: &&Arc<RoundPage>| page.kept.vote.is_some();
                let mut rounds = self.rounds.iter().filter(voted).peekable();
                rounds.peek().is_some() && rounds.all(|page| page.raised(i))
            }
            Condition::Figure(figure, sign, value) => {
                let figure = match figure {
                    Figure::Length => self.length(i) as f64,
                    Figure::Rank => f64::from(page.ranks[i] + 1),
                    Figure::Weight => page.scores[i],
                    Figure::Error => page.agreement(i).error(),
                };
                sign.holds(figure, *value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_figures_and_verdicts_and_the_rest_is_text() {
        let found = conditions("Old length>=20 man verdict=error,none weight<1.5");
        let expected = [
            Condition::Figure(Figure::Length, Comparison::AtLeast, 20.0),
            Condition::Verdict(vec![Some(Verdict::Error), None]),
            Condition::Figure(Figure::Weight, Comparison::Less, 1.5),
            Condition::Text("old man".into()),
        ];
        assert_eq!(found, expected);
        assert_eq!(conditions("length> x=y"), [Condition::Text("length> x=y".into())]);
        assert_eq!(conditions("verdict=wrong"), [Condition::Text("verdict=wrong".into())]);
        let others = [Condition::Fallback(true), Condition::RaisedAlways];
        assert_eq!(conditions("parse=fallback raised=always"), others);
        assert_eq!(conditions("parse=odd"), [Condition::Text("parse=odd".into())]);
        assert!(needs_analyses("x parse=whole") && !needs_analyses("parse whole"));
        assert_eq!(conditions(" "), []);
    }
}
