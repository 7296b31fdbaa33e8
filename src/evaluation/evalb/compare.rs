use super::Parameters;
use super::line::Damage::Stray;
use super::line::{Line, cut};
use foldhash::fast::FixedState;
use std::collections::HashMap;

/// How a sentence counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Valid,
    /// The words differ, or a line could not be read.
    Error,
    /// The prediction has no word.
    Skipped,
}

impl Status {
    /// The number in the column `Stat.`.
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// Counts of a sentence, or sums of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Counts {
    pub matched: u64,
    pub gold: u64,
    pub test: u64,
    /// Test brackets that cross a gold bracket.
    pub crossing: u64,
    pub words: u64,
    pub correct_tags: u64,
}

/// A bracket that counts, with its label cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bracket<'a> {
    /// In words left, counted from 0; the end is exclusive.
    pub start: i64,
    /// Below `start` for a bracket that is never closed.
    pub end: i64,
    pub label: &'a [u8],
    pub matched: bool,
}

/// What came out of one pair of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison<'a> {
    pub status: Status,
    /// All 0 where the words differ or the prediction has none.
    pub counts: Counts,
    pub gold: Vec<Bracket<'a>>,
    pub test: Vec<Bracket<'a>>,
}

impl Comparison<'_> {
    fn nothing(status: Status) -> Self {
        let counts = Counts::default();
        Comparison { status, counts, gold: Vec::new(), test: Vec::new() }
    }
}

/// Compares the lines; a difference of the words is told through `error`.
pub(super) fn compare<'a>(
    mut gold: Line<'a>,
    mut test: Line<'a>,
    parameters: &Parameters,
    error: impl FnOnce(String),
) -> Comparison<'a> {
    let damage = [gold.damage, test.damage];
    if test.words.is_empty() {
        return Comparison::nothing(Status::Skipped);
    }
    if damage.iter().any(|d| matches!(d, Some(Stray(_)))) {
        return Comparison::nothing(Status::Error);
    }
    if gold.words.len() != test.words.len() {
        repair_quotes(&mut gold, &mut test, parameters);
    }
    if gold.words.len() != test.words.len() {
        error(format!("Length unmatch ({}|{})", gold.words.len(), test.words.len()));
        return Comparison::nothing(Status::Error);
    }
    let words = || gold.words.iter().zip(&test.words);
    if let Some((g, t)) = words().find(|(g, t)| !parameters.equal_words(g.word, t.word)) {
        let text = String::from_utf8_lossy;
        error(format!("Words unmatch ({}|{})", text(g.word), text(t.word)));
        return Comparison::nothing(Status::Error);
    }
    let correct_tags = words().filter(|(g, t)| parameters.equal_labels(g.tag, t.tag)).count();
    let (mut wanted, mut found) = (counted(&gold, parameters), counted(&test, parameters));
    let matched = match_brackets(&mut wanted, &mut found, parameters);
    Comparison {
        status: if damage == [None, None] { Status::Valid } else { Status::Error },
        counts: Counts {
            matched,
            gold: wanted.len() as u64,
            test: found.len() as u64,
            crossing: crossing(&wanted, &found, gold.words.len()),
            words: gold.words.len() as u64,
            correct_tags: correct_tags as u64,
        },
        gold: wanted,
        test: found,
    }
}

/// Puts back quote-like words that one side deleted because of its tag while the other kept
/// one at the same position.
fn repair_quotes(gold: &mut Line, test: &mut Line, parameters: &Parameters) {
    for t in 0..test.quotes.len() {
        // Where the test word stood at first, though it may move below.
        let index = test.quotes[t].index;
        // Positions never decrease, so those at the same position are neighbours.
        let first = gold.quotes.partition_point(|quote| quote.index < index);
        for g in first..gold.quotes.len() {
            if gold.quotes[g].index > index {
                break;
            }
            let (gold_tag, test_tag) = (gold.quotes[g].word.tag, test.quotes[t].word.tag);
            match (parameters.deletes_tag(gold_tag), parameters.deletes_tag(test_tag)) {
                (true, false) => gold.put_back(g),
                (false, true) => test.put_back(t),
                _ => {}
            }
        }
    }
}

/// The brackets that count, in order of opening.
fn counted<'a>(line: &Line<'a>, parameters: &Parameters) -> Vec<Bracket<'a>> {
    line.phrases
        .iter()
        .filter(|phrase| phrase.start != phrase.end)
        .map(|p| Bracket { start: p.start, end: p.end, label: cut(p.label), matched: false })
        .filter(|bracket| !parameters.deletes_label(bracket.label))
        .collect()
}

/// Each gold bracket takes the first free test bracket with its span and an equal label. Gives
/// the number of pairs. O(n log n), also for chains of equal brackets.
fn match_brackets(gold: &mut [Bracket], test: &mut [Bracket], parameters: &Parameters) -> u64 {
    let labelled = parameters.labelled;
    // The first free test bracket of each kind; `next` leads on to the others in order.
    let mut first = HashMap::with_capacity_and_hasher(test.len(), FixedState::default());
    let mut next: Vec<Option<usize>> = vec![None; test.len()];
    for (i, bracket) in test.iter().enumerate().rev() {
        let label = if labelled { bracket.label } else { b"" };
        next[i] = first.insert((bracket.start, bracket.end, label), i);
    }
    let mut matched = 0;
    for bracket in gold {
        let own = if labelled { bracket.label } else { b"" };
        let others = parameters.labels_equal_to(own).filter(|_| labelled);
        let free = std::iter::once(own)
            .chain(others)
            .map(|label| (bracket.start, bracket.end, label))
            .filter_map(|kind| Some((*first.get(&kind)?, kind)))
            .min();
        if let Some((i, kind)) = free {
            match next[i] {
                Some(other) => first.insert(kind, other),
                None => first.remove(&kind),
            };
            test[i].matched = true;
            bracket.matched = true;
            matched += 1;
        }
    }
    matched
}

/// Test brackets that overlap some gold bracket of the `n` words while neither holds the other.
fn crossing(gold: &[Bracket], test: &[Bracket], n: usize) -> u64 {
    let at = |position: i64| usize::try_from(position).ok().filter(|&p| p <= n);
    let mut ends = vec![i64::MIN; n + 1];
    let mut starts = vec![i64::MIN; n + 1];
    for bracket in gold.iter().filter(|b| b.start < b.end) {
        if let (Some(start), Some(end)) = (at(bracket.start), at(bracket.end)) {
            ends[start] = ends[start].max(bracket.end);
            starts[end] = starts[end].max(-bracket.start);
        }
    }
    let (ends, starts) = (RangeMaximum::new(ends), RangeMaximum::new(starts));
    let crosses = |bracket: &&Bracket| match (at(bracket.start + 1), at(bracket.end)) {
        (Some(from), Some(to)) if from < to => {
            // A gold bracket that begins inside and ends behind, or ends inside and begins before.
            ends.of(from, to) > bracket.end || starts.of(from, to) > -bracket.start
        }
        _ => false,
    };
    test.iter().filter(crosses).count() as u64
}

/// Largest value of any range, after O(n log n) work.
struct RangeMaximum(Vec<Vec<i64>>);

impl RangeMaximum {
    fn new(values: Vec<i64>) -> RangeMaximum {
        let mut levels = vec![values];
        // Level k holds the maxima of 2^k values each.
        while let Some(last) = levels.last().filter(|l| l.len() > 1 << (levels.len() - 1)) {
            let half = 1 << (levels.len() - 1);
            let next = (0..last.len() - half).map(|i| last[i].max(last[i + half])).collect();
            levels.push(next);
        }
        RangeMaximum(levels)
    }

    /// Of `[from, to)`, which is not empty.
    fn of(&self, from: usize, to: usize) -> i64 {
        let level = (to - from).ilog2() as usize;
        self.0[level][from].max(self.0[level][to - (1 << level)])
    }
}
