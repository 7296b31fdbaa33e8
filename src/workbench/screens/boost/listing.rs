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

/// Names of figures; the heads of their columns stand for them as well.
const FIGURES: [&str; 4] = ["length", "rank", "weight", "error"];

/// The conditions that a line of text names: `length>20`, `verdict=error,unsure`; everything else
/// is text that must stand in the sentence. What has the name of a condition and not its value is
/// none yet: what to say of it comes beside.
fn conditions(filter: &str) -> (Vec<Condition>, Option<String>) {
    let (mut conditions, mut complaint) = (Vec::new(), None);
    let mut text: Vec<&str> = Vec::new();
    for word in filter.split_whitespace() {
        match condition(word) {
            Some(Ok(condition)) => conditions.push(condition),
            Some(Err(why)) => complaint = complaint.or(Some(why)),
            None => match Comparison::unknown(word, &FIGURES) {
                Some(why) => complaint = complaint.or(Some(why)),
                None => text.push(word),
            },
        }
    }
    if !text.is_empty() {
        conditions.push(Condition::Text(text.join(" ").to_lowercase()));
    }
    (conditions, complaint)
}

/// What is wrong with a filter.
pub fn complaint(filter: &str) -> Option<String> {
    conditions(filter).1
}

fn condition(word: &str) -> Option<Result<Condition, String>> {
    let (name, sign, value) = Comparison::split(word)?;
    let needs = |words: &str| Some(Err(format!("{name} needs {words}")));
    let figure = match name {
        "verdict" if sign == Comparison::Equal => {
            let verdict = |name: &str| match name {
                "none" => Some(None),
                name => Verdict::ALL.into_iter().find(|v| v.name() == name).map(Some),
            };
            let verdicts = value.split(',').map(verdict).collect::<Option<_>>();
            return match verdicts {
                Some(verdicts) => Some(Ok(Condition::Verdict(verdicts))),
                None => needs("error, ambiguous, correct, unsure or none"),
            };
        }
        "parse" if sign == Comparison::Equal => {
            return match value {
                "fallback" => Some(Ok(Condition::Fallback(true))),
                "whole" => Some(Ok(Condition::Fallback(false))),
                _ => needs("fallback or whole"),
            };
        }
        "raised" if sign == Comparison::Equal && value == "always" => {
            return Some(Ok(Condition::RaisedAlways));
        }
        "length" | "len" => Figure::Length,
        "rank" => Figure::Rank,
        "weight" => Figure::Weight,
        "error" | "e" => Figure::Error,
        _ => return None,
    };
    Some(Comparison::number(name, value).map(|value| Condition::Figure(figure, sign, value)))
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
    conditions(filter).0.iter().any(|condition| matches!(condition, Condition::Fallback(_)))
}

impl Request {
    /// Sentences in the order in which they are listed; `None` if nobody wants them any more.
    pub fn order(&self, cancelled: impl Fn() -> bool) -> Option<Vec<u32>> {
        let Some(page) = self.rounds.last() else { return Some(Vec::new()) };
        let (conditions, _) = conditions(&self.filter);
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
        let (found, _) = conditions("Old length>=20 man verdict=error,none weight<1.5");
        let expected = [
            Condition::Figure(Figure::Length, Comparison::AtLeast, 20.0),
            Condition::Verdict(vec![Some(Verdict::Error), None]),
            Condition::Figure(Figure::Weight, Comparison::Less, 1.5),
            Condition::Text("old man".into()),
        ];
        assert_eq!(found, expected);
        assert_eq!(conditions("x=y"), (vec![Condition::Text("x=y".into())], None));
        let others = vec![Condition::Fallback(true), Condition::RaisedAlways];
        assert_eq!(conditions("parse=fallback raised=always"), (others, None));
        assert!(needs_analyses("x parse=whole") && !needs_analyses("parse whole"));
        assert_eq!(conditions(" "), (Vec::new(), None));
    }

    #[test]
    fn what_has_the_name_of_a_condition_and_not_its_value_is_told() {
        for (filter, said) in [
            ("length>foo", "length needs a number"),
            ("weight<", "weight needs a number"),
            ("verdict=wrong", "verdict needs error, ambiguous, correct, unsure or none"),
            ("parse=odd", "parse needs fallback or whole"),
        ] {
            assert_eq!(conditions(filter), (Vec::new(), Some(said.into())));
            assert_eq!(complaint(filter).as_deref(), Some(said));
        }
        let (found, said) = conditions("man length>");
        assert_eq!(found, [Condition::Text("man".into())]);
        assert!(said.is_some() && complaint("man length>3").is_none());
    }
}
