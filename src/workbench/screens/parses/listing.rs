//! Which development sentences are listed, and in which order.

use super::rows::Row;
use crate::workbench::comparison::Comparison;
use std::cmp::Ordering;

/// One part of a filter.
enum Condition {
    /// In lower case.
    Text(String),
    Figure(Figure, Comparison, f64),
}

#[derive(Clone, Copy)]
enum Figure {
    Length,
    F1,
    /// Nats a word.
    LogProb,
    Perplexity,
}

impl Condition {
    fn holds(&self, row: &Row) -> bool {
        match self {
            Condition::Text(text) => row.lower.contains(text.as_str()),
            Condition::Figure(figure, sign, bound) => {
                let value = match figure {
                    Figure::Length => Some(row.words.len() as f64),
                    Figure::F1 => row.f1,
                    Figure::LogProb => row.per_word(),
                    Figure::Perplexity => row.perplexity(),
                };
                value.is_some_and(|value| sign.holds(value, *bound))
            }
        }
    }
}

/// The conditions of a filter. What has the name of a figure and no number is none yet: what to say
/// of it comes beside.
fn conditions(filter: &str) -> (Vec<Condition>, Option<String>) {
    let (mut conditions, mut complaint) = (Vec::new(), None);
    for word in filter.split_whitespace() {
        let known = Comparison::split(word).and_then(|(name, sign, value)| {
            let figure = match name {
                "length" => Figure::Length,
                "f1" => Figure::F1,
                "logprob" => Figure::LogProb,
                "ppl" => Figure::Perplexity,
                _ => return None,
            };
            Some(Comparison::number(name, value).map(|v| Condition::Figure(figure, sign, v)))
        });
        match known {
            Some(Ok(condition)) => conditions.push(condition),
            Some(Err(why)) => complaint = complaint.or(Some(why)),
            None => conditions.push(Condition::Text(word.to_lowercase())),
        }
    }
    (conditions, complaint)
}

/// What is wrong with a filter.
pub fn complaint(filter: &str) -> Option<String> {
    conditions(filter).1
}

/// What the list is sorted by; the worst stand first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Corpus,
    Length,
    F1,
    LogProb,
    Perplexity,
    Peak,
}

impl Sort {
    /// The next one that the sentences of a grammar, or of a language model, have figures for.
    pub fn next(self, language_model: bool) -> Sort {
        match self {
            Sort::Corpus => Sort::Length,
            Sort::Length if language_model => Sort::Perplexity,
            Sort::Perplexity => Sort::Peak,
            Sort::Length => Sort::F1,
            Sort::F1 => Sort::LogProb,
            Sort::LogProb | Sort::Peak => Sort::Corpus,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sort::Corpus => "corpus order",
            Sort::Length => "by length",
            Sort::F1 => "by F1",
            Sort::LogProb => "by log-prob",
            Sort::Perplexity => "by perplexity",
            Sort::Peak => "by largest surprisal",
        }
    }
}

/// Which sentences are listed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    pub sort: Sort,
    pub reversed: bool,
    /// Conditions on figures, such as `f1<40`; every other blank-separated part must stand in the
    /// sentence, whose case does not matter.
    pub filter: String,
    /// Only these sentences, e.g. those that use a symbol.
    pub only: Option<Vec<usize>>,
}

impl Listing {
    /// Numbers of the listed sentences in order. Sentences without the figure that is sorted by
    /// stand last in both directions.
    pub fn order(&self, rows: &[Row]) -> Vec<usize> {
        let conditions = conditions(&self.filter).0;
        let matches = |&i: &usize| conditions.iter().all(|condition| condition.holds(&rows[i]));
        let mut order: Vec<usize> = match &self.only {
            Some(only) => only.iter().copied().filter(|&i| i < rows.len()).collect(),
            None => (0..rows.len()).collect(),
        };
        if !conditions.is_empty() {
            order.retain(matches);
        }
        let key = |i: usize| match self.sort {
            Sort::Corpus => Some(i as f64),
            Sort::Length => Some(rows[i].words.len() as f64),
            Sort::F1 => rows[i].f1,
            Sort::LogProb => rows[i].per_word(),
            Sort::Perplexity => rows[i].perplexity().map(|p| -p),
            Sort::Peak => rows[i].peak().map(|p| -p),
        };
        let mut keyed: Vec<(Option<f64>, usize)> = order.iter().map(|&i| (key(i), i)).collect();
        keyed.sort_by(|(a, _), (b, _)| match (a, b) {
            (Some(x), Some(y)) if self.reversed => y.total_cmp(x),
            (Some(x), Some(y)) => x.total_cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        });
        keyed.into_iter().map(|(_, i)| i).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::rows::tests::evaluation;
    use super::*;

    #[test]
    fn figures_are_compared_and_a_figure_without_a_number_is_told() {
        let rows = evaluation().rows;
        let listed =
            |filter: &str| Listing { filter: filter.into(), ..Listing::default() }.order(&rows);
        let all = listed("");
        for (filter, holds) in [
            ("length>3", &(|row: &Row| row.words.len() > 3) as &dyn Fn(&Row) -> bool),
            ("f1<=60", &|row| row.f1.is_some_and(|f1| f1 <= 60.0)),
            ("f1>0 length<99", &|row| row.f1.is_some_and(|f1| f1 > 0.0)),
            ("logprob<-2", &|row| row.per_word().is_some_and(|p| p < -2.0)),
            ("ppl>0", &|_| false),
        ] {
            let wanted: Vec<usize> = all.iter().copied().filter(|&i| holds(&rows[i])).collect();
            assert_eq!(listed(filter), wanted, "{filter}");
            assert_eq!(complaint(filter), None);
        }
        assert!((1..all.len()).contains(&listed("length>3").len()), "some and not all");
        // It is said, and the list stays as it was.
        for filter in ["f1>abc", "f1<", "length>= f1>0x"] {
            assert!(complaint(filter).is_some_and(|why| why.ends_with(" needs a number")));
        }
        assert_eq!(listed("f1>abc"), all);
    }
}
