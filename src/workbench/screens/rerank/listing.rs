//! Which sentences are listed, and in which order.

use super::book::Book;
use crate::workbench::comparison::Comparison;
use std::sync::Arc;

/// What the list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    #[default]
    File,
    /// F1 gained by reranking, the greatest first.
    Gain,
    /// The same, the greatest loss first.
    Loss,
    /// Score of the choice less that of the base parser's.
    Margin,
    /// Longest first.
    Length,
}

impl Sort {
    const ALL: [Sort; 5] = [Sort::File, Sort::Gain, Sort::Loss, Sort::Margin, Sort::Length];

    /// The next one that these lists have figures for.
    pub fn next(self, book: &Book) -> Sort {
        let at = Sort::ALL.iter().position(|sort| *sort == self).unwrap_or(0);
        let later = (1..=Sort::ALL.len()).map(|i| Sort::ALL[(at + i) % Sort::ALL.len()]);
        later.into_iter().find(|sort| sort.is_possible(book)).unwrap_or_default()
    }

    fn is_possible(self, book: &Book) -> bool {
        match self {
            Sort::File | Sort::Length => true,
            Sort::Gain | Sort::Loss => book.ranked.is_some() && book.with_gold > 0,
            Sort::Margin => book.ranked.is_some(),
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Sort::File => "in file order",
            Sort::Gain => "by gain",
            Sort::Loss => "by loss",
            Sort::Margin => "by margin",
            Sort::Length => "by length",
        }
    }
}

/// A test that sentences must pass.
#[derive(Clone, Debug, PartialEq)]
enum Condition {
    /// Some words, in lower case.
    Text(String),
    Figure(Figure, Comparison, f64),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Length,
    Candidates,
    /// Rank by the base parser of the reranker's choice.
    Rank,
    Gain,
    Margin,
    /// Of the choice.
    F1,
    Oracle,
}

impl Figure {
    const ALL: [(&'static str, Figure); 7] = [
        ("length", Figure::Length),
        ("candidates", Figure::Candidates),
        ("rank", Figure::Rank),
        ("gain", Figure::Gain),
        ("margin", Figure::Margin),
        ("f1", Figure::F1),
        ("oracle", Figure::Oracle),
    ];

    fn of(self, book: &Book, i: usize) -> Option<f64> {
        match self {
            Figure::Length => Some(book.lists[i].list.words.len() as f64),
            Figure::Candidates => Some(book.lists[i].len() as f64),
            Figure::Rank => Some(book.choice(i)? as f64 + 1.0),
            Figure::Gain => book.gain(i),
            Figure::Margin => book.margin(i, book.choice(i)?),
            Figure::F1 => book.f1(i, book.choice(i)?),
            Figure::Oracle => book.f1(i, book.oracle(i)?),
        }
    }
}

/// The conditions that a line of text names; everything else is text that must stand in the
/// sentence. Figures without a number are no conditions yet: what to say of them comes beside.
fn conditions(filter: &str) -> (Vec<Condition>, Option<String>) {
    let (mut conditions, mut text, mut complaint) = (Vec::new(), Vec::new(), None);
    for word in filter.split_whitespace() {
        let known = Comparison::split(word).and_then(|(name, sign, value)| {
            let (_, figure) = Figure::ALL.into_iter().find(|(known, _)| *known == name)?;
            Some((figure, sign, Comparison::number(name, value)))
        });
        match known {
            Some((figure, sign, Ok(value))) => {
                conditions.push(Condition::Figure(figure, sign, value));
            }
            Some((_, _, Err(why))) => complaint = complaint.or(Some(why)),
            None => match Comparison::unknown(word, &Figure::ALL.map(|(name, _)| name)) {
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

/// Everything that a list is made of, so that it can be made on another thread.
pub struct Request {
    pub book: Arc<Book>,
    pub texts: Arc<Vec<String>>,
    pub sort: Sort,
    pub reversed: bool,
    pub only_changed: bool,
    pub filter: String,
}

impl Request {
    /// Sentences in the order in which they are listed; `None` if nobody wants them any more.
    pub fn order(&self, cancelled: impl Fn() -> bool) -> Option<Vec<u32>> {
        let book = &self.book;
        let (conditions, _) = conditions(&self.filter);
        let holds = |i: usize| {
            (!self.only_changed || book.is_changed(i))
                && conditions.iter().all(|condition| match condition {
                    Condition::Text(text) => self.texts[i].contains(text.as_str()),
                    Condition::Figure(figure, sign, value) => {
                        figure.of(book, i).is_some_and(|figure| sign.holds(figure, *value))
                    }
                })
        };
        let mut order = Vec::new();
        for i in 0..book.lists.len() {
            if i % 10_000 == 0 && cancelled() {
                return None;
            }
            if holds(i) {
                order.push(i as u32);
            }
        }
        // What has no figure comes last.
        let falling = |figure: &dyn Fn(usize) -> Option<f64>, order: &mut Vec<u32>| {
            let key = |i: &u32| figure(*i as usize).unwrap_or(f64::NEG_INFINITY);
            order.sort_by(|a, b| key(b).total_cmp(&key(a)));
        };
        match self.sort {
            Sort::File => {}
            Sort::Gain => falling(&|i| book.gain(i), &mut order),
            Sort::Loss => falling(&|i| book.gain(i).map(|gain| -gain), &mut order),
            Sort::Margin => falling(&|i| Figure::Margin.of(book, i), &mut order),
            Sort::Length => falling(&|i| Figure::Length.of(book, i), &mut order),
        }
        if self.reversed {
            order.reverse();
        }
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_names_figures_and_the_rest_is_text() {
        let (found, _) = conditions("Old length>=20 man gain<0");
        let expected = [
            Condition::Figure(Figure::Length, Comparison::AtLeast, 20.0),
            Condition::Figure(Figure::Gain, Comparison::Less, 0.0),
            Condition::Text("old man".into()),
        ];
        assert_eq!(found, expected);
        assert_eq!(conditions("x=y"), (vec![Condition::Text("x=y".into())], None));
        assert_eq!(conditions(" "), (Vec::new(), None));
    }

    #[test]
    fn a_figure_without_a_number_is_no_condition_and_is_told() {
        for (filter, said) in [
            ("length>foo", "length needs a number"),
            ("gain<", "gain needs a number"),
            ("rank=x length>y", "rank needs a number"),
        ] {
            assert_eq!(conditions(filter), (Vec::new(), Some(said.into())));
            assert_eq!(complaint(filter).as_deref(), Some(said));
        }
        assert_eq!(complaint("old man length>3"), None);
    }
}
