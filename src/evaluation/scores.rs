use super::span::{Span, counted, counts, f1, f1_of_sets};
use crate::report::Metrics;
use crate::treebank::LabelledSpan;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// How many gold spans of a label were found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LabelCount {
    pub found: u64,
    pub total: u64,
}

impl LabelCount {
    /// In percent; 0 where the label does not stand.
    pub fn recall(&self) -> f64 {
        if self.total == 0 { 0.0 } else { 100.0 * self.found as f64 / self.total as f64 }
    }
}

/// Sums over the sentences of a corpus, from which all figures come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scores {
    sentences: u64,
    tokens: u64,
    skipped: u64,
    scored: Likelihood,
    /// Predicted spans that count, and those that end or begin with their sentence.
    spans: u64,
    at_end: u64,
    at_start: u64,
    compared: u64,
    f1_sum: f64,
    sets: Counts,
    /// As the published code counts: duplicate gold spans kept.
    lists: Counts,
    labels: BTreeMap<Arc<str>, LabelCount>,
}

/// What has a log-probability, and the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Likelihood {
    sentences: u64,
    words: u64,
    log_prob: f64,
}

/// Spans over a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    right: usize,
    spurious: usize,
    missed: usize,
}

impl Counts {
    fn f1(&self) -> f64 {
        f1(self.right, self.right + self.spurious, self.right + self.missed)
    }
}

impl Scores {
    /// Adds a sentence of `n` words: its log-probability in nats, if it was scored,
    /// and its spans, if it was parsed and has a gold tree. Trivial spans may be among them.
    pub fn add(
        &mut self,
        n: usize,
        log_prob: Option<f64>,
        predicted: Option<&[Span]>,
        gold: Option<&[LabelledSpan]>,
    ) {
        self.sentences += 1;
        self.tokens += n as u64;
        if let Some(log_prob) = log_prob {
            self.scored.sentences += 1;
            self.scored.words += n as u64;
            self.scored.log_prob += log_prob;
        }
        if let Some(predicted) = predicted {
            for &(start, end) in counted(n, predicted.iter().copied()).iter() {
                self.spans += 1;
                self.at_end += u64::from(end as usize == n);
                self.at_start += u64::from(start == 0);
            }
        }
        if let (Some(predicted), Some(gold)) = (predicted, gold) {
            self.compare(n, predicted, gold);
        }
    }

    /// Counts a sentence that the model cannot treat, e.g. of one word.
    pub fn skip(&mut self) {
        self.skipped += 1;
    }

    fn compare(&mut self, n: usize, predicted: &[Span], gold: &[LabelledSpan]) {
        let bare = || gold.iter().map(|s| (s.start, s.end));
        let (found, wanted) = (counted(n, predicted.iter().copied()), counted(n, bare()));
        self.compared += 1;
        self.f1_sum += f1_of_sets(&found, &wanted);
        let right = found.intersection(&wanted).count();
        self.sets.right += right;
        self.sets.spurious += found.len() - right;
        self.sets.missed += wanted.len() - right;
        for span in predicted.iter().filter(|&&s| counts(n, s)) {
            match wanted.contains(span) {
                true => self.lists.right += 1,
                false => self.lists.spurious += 1,
            }
        }
        self.lists.missed += bare().filter(|&s| counts(n, s) && !found.contains(&s)).count();
        let labelled: HashSet<_> = gold.iter().filter(|s| counts(n, (s.start, s.end))).collect();
        for span in labelled {
            let count = self.labels.entry(span.label.clone()).or_default();
            count.total += 1;
            count.found += u64::from(found.contains(&(span.start, span.end)));
        }
    }

    /// The figures by name: `sentences`, `tokens`, `skipped`; `perplexity` (by
    /// [`pcfg_perplexity`]) and `log_likelihood` (mean per sentence) where sentences
    /// were scored; `right_share` and `left_share` (of 100 predicted spans those that a right- or
    /// left-branching tree has too: they end or begin with the sentence) where trees were given;
    /// `s_f1` (mean of the sentences' F1), `c_f1` (F1 of the summed
    /// counts) and `c_f1_published` (duplicate gold spans count as often as they
    /// stand) where there is gold.
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        metrics.set("sentences", self.sentences as f64);
        metrics.set("tokens", self.tokens as f64);
        metrics.set("skipped", self.skipped as f64);
        let Likelihood { sentences, words, log_prob } = self.scored;
        if sentences > 0 {
            metrics.set("perplexity", pcfg_perplexity(log_prob, words, sentences));
            metrics.set("log_likelihood", log_prob / sentences as f64);
        }
        if self.spans > 0 {
            let share = |spans: u64| 100.0 * spans as f64 / self.spans as f64;
            metrics.set("right_share", share(self.at_end));
            metrics.set("left_share", share(self.at_start));
        }
        if self.compared > 0 {
            metrics.set("s_f1", self.f1_sum / self.compared as f64);
            metrics.set("c_f1", self.sets.f1());
            metrics.set("c_f1_published", self.lists.f1());
        }
        metrics
    }

    /// Of the gold spans of each label, how many were predicted (without regard to labels).
    pub fn label_recall(&self) -> &BTreeMap<Arc<str>, LabelCount> {
        &self.labels
    }
}

/// exp(-log_prob / (words + sentences)): the convention for PCFGs of Kim et al. 2019,
/// who count the end of each sentence as a word. `log_prob` is the sum over the corpus, nats.
pub fn pcfg_perplexity(log_prob: f64, words: u64, sentences: u64) -> f64 {
    (-log_prob / (words + sentences) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(spans: &[(u32, u32, &str)]) -> Vec<LabelledSpan> {
        spans
            .iter()
            .map(|&(start, end, label)| LabelledSpan { start, end, label: label.into() })
            .collect()
    }

    #[test]
    fn figures_follow_their_conventions() {
        let mut scores = Scores::default();
        // Right: (1, 3). Wrong: (0, 2). Missed: (0, 3), twice in the list.
        let first = gold(&[(0, 4, "S"), (0, 3, "NP"), (0, 3, "NX"), (1, 3, "VP"), (0, 1, "NP")]);
        scores.add(4, Some(-10.0), Some(&[(0, 4), (0, 2), (1, 3)]), Some(&first));
        scores.add(2, Some(-4.0), Some(&[(0, 2)]), Some(&gold(&[(0, 2, "S")])));
        scores.skip();
        let m = scores.metrics();
        for (name, expected) in [
            ("sentences", 2.0),
            ("tokens", 6.0),
            ("skipped", 1.0),
            ("log_likelihood", -7.0),
            ("perplexity", (14.0f64 / 8.0).exp()),
            // Of (0, 2) and (1, 3) of four words none ends with the sentence.
            ("right_share", 0.0),
            ("left_share", 50.0),
            ("s_f1", (50.0 + 100.0) / 2.0),
            ("c_f1", 100.0 * 2.0 / 4.0),
            ("c_f1_published", 100.0 * 2.0 / 5.0),
        ] {
            let value = m.get(name).expect(name);
            assert!((value - expected).abs() < 1e-12, "{name}: {value}, expected {expected}");
        }
        let recall: Vec<_> =
            scores.label_recall().iter().map(|(l, c)| (&**l, c.found, c.total)).collect();
        assert_eq!(recall, [("NP", 0, 1), ("NX", 0, 1), ("VP", 1, 1)]);
        assert_eq!(scores.label_recall()["VP"].recall(), 100.0);
    }

    #[test]
    fn without_gold_there_is_no_f1_and_without_scores_no_perplexity() {
        let mut scores = Scores::default();
        scores.add(3, Some(-6.0), Some(&[(0, 3), (0, 2)]), None);
        let m = scores.metrics();
        assert_eq!((m.get("s_f1"), m.get("c_f1"), m.get("c_f1_published")), (None, None, None));
        assert!(m.get("perplexity").is_some());
        assert_eq!((m.get("left_share"), m.get("right_share")), (Some(100.0), Some(0.0)));
        assert_eq!(Scores::default().metrics().get("perplexity"), None);
    }
}
