//! Which sentences are listed, and in which order.

use super::book::Book;
use super::verdicts::Given;
use crate::ensemble::ledger::Verdict;

/// What the list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    Rank,
    /// Share of wrong constituents in the round in view.
    Error,
    Length,
    Corpus,
}

impl Sort {
    pub fn next(self) -> Sort {
        match self {
            Sort::Rank => Sort::Error,
            Sort::Error => Sort::Length,
            Sort::Length => Sort::Corpus,
            Sort::Corpus => Sort::Rank,
        }
    }

    pub fn name(self, boosting: bool) -> &'static str {
        match self {
            Sort::Rank if boosting => "by weight",
            Sort::Rank => "by mean error",
            Sort::Error => "by error in this round",
            Sort::Length => "by length",
            Sort::Corpus => "in corpus order",
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
    Figure(Figure, Comparison, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Length,
    Rank,
    Weight,
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Comparison {
    const ALL: [(&'static str, Comparison); 5] = [
        // Longer signs first.
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::More),
        ("=", Comparison::Equal),
    ];

    fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::Equal => a == b,
            Comparison::AtLeast => a >= b,
            Comparison::More => a > b,
        }
    }
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
    let (name, sign, value) = Comparison::ALL
        .into_iter()
        .find_map(|(text, sign)| word.split_once(text).map(|(name, value)| (name, sign, value)))?;
    let figure = match name {
        "verdict" if sign == Comparison::Equal => {
            let verdict = |name: &str| match name {
                "none" => Some(None),
                name => Verdict::ALL.into_iter().find(|v| v.name() == name).map(Some),
            };
            return value.split(',').map(verdict).collect::<Option<_>>().map(Condition::Verdict);
        }
        "length" => Figure::Length,
        "rank" => Figure::Rank,
        "weight" => Figure::Weight,
        "error" => Figure::Error,
        _ => return None,
    };
    Some(Condition::Figure(figure, sign, value.parse().ok()?))
}

/// Sentences in the order in which they are listed; `round` is the place of the round in view.
pub fn order(
    book: &Book,
    round: usize,
    (sort, reversed): (Sort, bool),
    filter: &str,
    given: &Given,
) -> Vec<u32> {
    let Some(page) = book.rounds.get(round) else { return Vec::new() };
    let conditions = conditions(filter);
    let sentences = &book.sentences;
    let length = |i: usize| sentences.part.sentences[i].tree.len();
    let keeps = |i: &u32| {
        let i = *i as usize;
        conditions.iter().all(|condition| match condition {
            Condition::Text(text) => sentences.texts[i].contains(text.as_str()),
            Condition::Verdict(wanted) => {
                wanted.contains(&given.get(&i).map(|entry| entry.verdict))
            }
            Condition::Figure(figure, sign, value) => {
                let figure = match figure {
                    Figure::Length => length(i) as f64,
                    Figure::Rank => f64::from(page.ranks[i] + 1),
                    Figure::Weight => page.scores[i],
                    Figure::Error => page.agreement(i).error(),
                };
                sign.holds(figure, *value)
            }
        })
    };
    // From the order by rank, which settles ties.
    let mut order: Vec<u32> = page.order.iter().copied().filter(|i| keeps(i)).collect();
    let error = |i: &u32| page.agreement(*i as usize).error();
    match sort {
        Sort::Rank => {}
        Sort::Error => order.sort_by(|a, b| error(b).total_cmp(&error(a))),
        Sort::Length => order.sort_by_key(|i| length(*i as usize)),
        Sort::Corpus => order.sort_unstable(),
    }
    if reversed {
        order.reverse();
    }
    order
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
        assert_eq!(conditions(" "), []);
    }
}
