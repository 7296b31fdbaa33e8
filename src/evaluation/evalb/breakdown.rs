use super::evaluate::{Evaluation, LabelCounts, Row};
use super::totals::percent;
use super::{Parameters, Totals};
use std::collections::BTreeMap;

/// Figures of one label, in percent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelRow {
    /// As compared, cut; empty for a bracket without a label.
    pub label: String,
    pub counts: LabelCounts,
}

impl LabelRow {
    /// Of the gold brackets; 0 without any.
    pub fn recall(&self) -> f64 {
        percent(self.counts.matched_gold, self.counts.gold)
    }

    /// Of the test brackets; 0 without any.
    pub fn precision(&self) -> f64 {
        percent(self.counts.matched_test, self.counts.test)
    }

    /// 2PR/(P+R), which is 0 where nothing matched.
    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }
}

impl Evaluation {
    /// Every label of either side, the most frequent gold label first.
    pub fn by_label(&self) -> Vec<LabelRow> {
        let name = |label: &[u8]| String::from_utf8_lossy(label).into_owned();
        let mut rows: Vec<_> = self
            .labels
            .iter()
            .map(|(label, &counts)| LabelRow { label: name(label), counts })
            .collect();
        rows.sort_by_key(|row| std::cmp::Reverse((row.counts.gold, row.counts.test)));
        rows
    }
}

/// Lengths that are shown together, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    pub from: u64,
    pub to: u64,
}

/// Totals of the sentences by their length, `width` lengths at a time (1 to `width`, …);
/// sentences of length 0 on their own. Only bins with sentences.
pub fn length_bins(rows: &[Row], width: u64) -> Vec<(Lengths, Totals)> {
    let width = width.max(1);
    let mut bins: BTreeMap<Option<u64>, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        bins.entry(row.length.checked_sub(1).map(|n| n / width)).or_default().push(row);
    }
    let lengths = |bin: Option<u64>| match bin {
        None => Lengths { from: 0, to: 0 },
        Some(bin) => Lengths { from: bin * width + 1, to: (bin + 1) * width },
    };
    bins.into_iter().map(|(bin, rows)| (lengths(bin), rows.into_iter().sum())).collect()
}

impl Parameters {
    /// What is compared, in a few words.
    pub fn compared(&self) -> &'static str {
        if self.labelled { "labelled brackets" } else { "unlabelled brackets" }
    }
}
