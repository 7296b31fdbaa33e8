use super::{Counts, Row, Status};
use std::iter::Sum;

/// Figures over sentences. Shares are in percent, and 0 where there is nothing to share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub sentences: u64,
    pub errors: u64,
    pub skipped: u64,
    /// Of the valid sentences, as are all figures below.
    pub counts: Counts,
    complete: u64,
    without_crossing: u64,
    with_two_or_less: u64,
}

impl Totals {
    /// Sentences that are neither errors nor skipped.
    pub fn valid(&self) -> u64 {
        self.sentences - self.errors - self.skipped
    }

    pub fn recall(&self) -> f64 {
        self.counts.recall()
    }

    pub fn precision(&self) -> f64 {
        self.counts.precision()
    }

    /// 2PR/(P+R); not a number where nothing matched.
    pub fn f1(&self) -> f64 {
        self.counts.f1()
    }

    /// Share of the valid sentences all of whose brackets match.
    pub fn complete_match(&self) -> f64 {
        percent(self.complete, self.valid())
    }

    /// Crossing brackets a valid sentence.
    pub fn average_crossing(&self) -> f64 {
        match self.valid() {
            0 => 0.0,
            valid => self.counts.crossing as f64 / valid as f64,
        }
    }

    pub fn no_crossing(&self) -> f64 {
        percent(self.without_crossing, self.valid())
    }

    pub fn two_or_less_crossing(&self) -> f64 {
        percent(self.with_two_or_less, self.valid())
    }

    pub fn tagging_accuracy(&self) -> f64 {
        self.counts.tagging_accuracy()
    }
}

impl Counts {
    pub fn recall(&self) -> f64 {
        percent(self.matched, self.gold)
    }

    pub fn precision(&self) -> f64 {
        percent(self.matched, self.test)
    }

    pub fn tagging_accuracy(&self) -> f64 {
        percent(self.correct_tags, self.words)
    }

    /// 2PR/(P+R); not a number where nothing matched.
    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        2.0 * p * r / (p + r)
    }

    /// Whether every bracket of either side has its partner.
    pub fn is_complete(&self) -> bool {
        self.gold == self.test && self.test == self.matched
    }
}

impl<'a> Sum<&'a Row> for Totals {
    fn sum<I: Iterator<Item = &'a Row>>(rows: I) -> Totals {
        let mut totals = Totals::default();
        for Row { status, counts, .. } in rows {
            totals.sentences += 1;
            match status {
                Status::Error => totals.errors += 1,
                Status::Skipped => totals.skipped += 1,
                Status::Valid => {
                    totals.complete += u64::from(counts.is_complete());
                    totals.without_crossing += u64::from(counts.crossing == 0);
                    totals.with_two_or_less += u64::from(counts.crossing <= 2);
                    let sum = &mut totals.counts;
                    sum.matched += counts.matched;
                    sum.gold += counts.gold;
                    sum.test += counts.test;
                    sum.crossing += counts.crossing;
                    sum.words += counts.words;
                    sum.correct_tags += counts.correct_tags;
                }
            }
        }
        totals
    }
}

pub(super) fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { 100.0 * part as f64 / whole as f64 }
}
