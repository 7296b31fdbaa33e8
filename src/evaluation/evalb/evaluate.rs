use super::compare::{Comparison, compare};
use super::line::{Damage, Line};
use super::{Counts, Parameters, Status, Totals};
use std::collections::BTreeMap;

/// Bytes of a line with its end that the classic scorer's buffer does not hold.
const CLASSIC_BUFFER: usize = 5000;

/// Everything that comes out of two files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// One a pair of lines.
    pub rows: Vec<Row>,
    /// What was wrong, in order of the lines. Each counts towards `MAX_ERROR`.
    pub errors: Vec<Fault>,
    /// What is no error, but differs from what the classic scorer would do.
    pub notes: Vec<Fault>,
    /// `MAX_ERROR` was passed: the last error ended the run before its sentence had a row.
    pub stopped: bool,
    /// Brackets of the valid sentences by label.
    pub labels: BTreeMap<Vec<u8>, LabelCounts>,
}

/// A sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its line in both files, from 1.
    pub line: u64,
    /// Gold words whose tag counts in the length.
    pub length: u64,
    pub status: Status,
    pub counts: Counts,
}

/// A message about a line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub line: u64,
    pub message: String,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{} : {}", self.line, self.message)
    }
}

/// Brackets with one label; a matched pair of two equal labels counts under each of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelCounts {
    pub gold: u64,
    pub test: u64,
    pub matched_gold: u64,
    pub matched_test: u64,
}

/// One of the two files.
#[derive(Clone, Copy)]
enum Side {
    Gold,
    Test,
}

impl Side {
    fn name(self) -> &'static str {
        match self {
            Side::Gold => "gold",
            Side::Test => "test",
        }
    }
}

impl Evaluation {
    /// Figures over all sentences.
    pub fn totals(&self) -> Totals {
        self.rows.iter().sum()
    }

    /// Figures over the sentences of at most `length` words.
    pub fn totals_up_to(&self, length: i64) -> Totals {
        self.rows.iter().filter(|row| i128::from(row.length) <= i128::from(length)).sum()
    }
}

/// Scores file against file, one tree a line.
pub fn evaluate(gold: &[u8], test: &[u8], parameters: &Parameters) -> Evaluation {
    let mut evaluation = Evaluation::default();
    let limit = usize::try_from(parameters.max_error.saturating_add(2)).unwrap_or(1).max(1);
    evaluation.stopped = pairs(gold, test, parameters, |pair| {
        match pair {
            Pair::Error(fault) => evaluation.errors.push(fault),
            Pair::Note(fault) => evaluation.notes.push(fault),
            Pair::Sentence { row, comparison } => {
                evaluation.rows.push(row);
                if row.status == Status::Valid {
                    count_labels(&mut evaluation.labels, &comparison);
                }
            }
        }
        evaluation.errors.len() < limit
    });
    evaluation
}

/// What [`pairs`] finds.
pub enum Pair<'a> {
    Error(Fault),
    Note(Fault),
    Sentence { row: Row, comparison: Comparison<'a> },
}

/// Goes through both files line by line and gives everything to `take`, errors before the
/// sentence that has them, until it answers `false`; true then.
pub fn pairs<'a>(
    gold: &'a [u8],
    test: &'a [u8],
    parameters: &Parameters,
    mut take: impl FnMut(Pair<'a>) -> bool,
) -> bool {
    let mut test_lines = lines(test);
    let mut number = 0;
    for gold_text in lines(gold) {
        number += 1;
        let fault = |message: String| Fault { line: number, message };
        let gold_line = Line::read(gold_text, parameters);
        for found in told(&gold_line, gold_text, Side::Gold, number) {
            if !take(found) {
                return true;
            }
        }
        let Some(test_text) = test_lines.next() else {
            let message = "Number of lines unmatch (too many lines in gold file)";
            return !take(Pair::Error(fault(message.into())));
        };
        let test_line = Line::read(test_text, parameters);
        for found in told(&test_line, test_text, Side::Test, number) {
            if !take(found) {
                return true;
            }
        }
        let length = gold_line.length;
        let mut difference = None;
        let comparison = compare(gold_line, test_line, parameters, |m| difference = Some(m));
        if let Some(message) = difference
            && !take(Pair::Error(fault(message)))
        {
            return true;
        }
        let (status, counts) = (comparison.status, comparison.counts);
        let row = Row { line: number, length, status, counts };
        if !take(Pair::Sentence { row, comparison }) {
            return true;
        }
    }
    if test_lines.next().is_some() {
        let message = "Number of lines unmatch (too many lines in test file)".into();
        return !take(Pair::Error(Fault { line: number + 1, message }));
    }
    false
}

/// What there is to say about a line as read.
fn told<'a>(line: &Line, text: &[u8], side: Side, number: u64) -> Vec<Pair<'a>> {
    let fault = |message| Fault { line: number, message };
    let name = side.name();
    let mut told = Vec::new();
    if text.len() + 1 >= CLASSIC_BUFFER {
        told.push(Pair::Note(fault(format!(
            "Line of {} bytes in {name} file is read whole (the classic scorer cuts it in two)",
            text.len()
        ))));
    }
    let message = match line.damage {
        None => return told,
        Some(Damage::Unclosed) => "Bracketing is unbalanced (too many open bracket)".into(),
        Some(Damage::Unopened) => {
            format!("Bracketing is unbalanced (too many close bracket in {name} file)")
        }
        Some(Damage::Stray(word)) => format!(
            "Word `{}` stands between brackets in {name} file",
            String::from_utf8_lossy(word)
        ),
    };
    told.push(Pair::Error(fault(message)));
    told
}

/// The lines of a file; a last line without an end is one too. A byte order mark is no text.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    text.split_inclusive(|&b| b == b'\n').map(|line| line.strip_suffix(b"\n").unwrap_or(line))
}

/// Lines of files that are compared line by line. Of one that is longer than another, blank ones
/// at its end do not count.
pub fn line_counts<const N: usize>(texts: [&[u8]; N]) -> [usize; N] {
    let least = texts.iter().map(|text| lines(text).count()).min().unwrap_or(0);
    let written = |(_, line): &(usize, &[u8])| !line.trim_ascii().is_empty();
    texts.map(|text| {
        let last = lines(text).enumerate().skip(least).filter(written).last();
        last.map_or(least, |(last, _)| last + 1)
    })
}

fn count_labels(labels: &mut BTreeMap<Vec<u8>, LabelCounts>, comparison: &Comparison) {
    let mut count = |label: &[u8], add: &dyn Fn(&mut LabelCounts)| match labels.get_mut(label) {
        Some(counts) => add(counts),
        None => add(labels.entry(label.to_vec()).or_default()),
    };
    for bracket in &comparison.gold {
        count(bracket.label, &|c| {
            c.gold += 1;
            c.matched_gold += u64::from(bracket.matched);
        });
    }
    for bracket in &comparison.test {
        count(bracket.label, &|c| {
            c.test += 1;
            c.matched_test += u64::from(bracket.matched);
        });
    }
}
