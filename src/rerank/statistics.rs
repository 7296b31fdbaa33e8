//! What is in candidate lists, before anything is reranked.

use super::Judged;
use crate::ensemble::rooted;
use crate::evaluation::{BracketTotals, Constituents};
use std::collections::{BTreeMap, HashSet};

/// Sizes and bounds of the lists of one parser.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ListStatistics {
    pub sentences: usize,
    /// Sentences without a candidate.
    pub empty: usize,
    pub with_gold: usize,
    pub candidates: usize,
    pub fewest: usize,
    pub most: usize,
    /// Trees that stand in their list more than once.
    pub repeated: usize,
    /// By the first candidates, and by the best and the worst ones; without gold trees all are 0.
    pub base: BracketTotals,
    pub oracle: BracketTotals,
    pub anti_oracle: BracketTotals,
    /// F1 of the best among the first so many candidates.
    pub oracle_up_to: BTreeMap<usize, f64>,
}

/// Lengths of lists at which the oracle is told.
const LENGTHS: [usize; 6] = [1, 2, 5, 10, 20, 50];

impl ListStatistics {
    pub fn of(lists: &[Judged]) -> ListStatistics {
        let sizes = || lists.iter().map(Judged::len);
        let mut found = ListStatistics {
            sentences: lists.len(),
            empty: sizes().filter(|n| *n == 0).count(),
            with_gold: lists.iter().filter(|l| l.list.gold.is_some()).count(),
            candidates: sizes().sum(),
            fewest: sizes().min().unwrap_or(0),
            most: sizes().max().unwrap_or(0),
            ..ListStatistics::default()
        };
        for list in lists {
            let different: HashSet<String> = list.trees.iter().map(|t| t.to_string()).collect();
            found.repeated += list.len() - different.len();
            let Some(oracle) = list.oracle() else { continue };
            let worst = super::perceptron::best(list.f1().into_iter().map(|f1| -f1));
            found.base.add(&list.agreements[0]);
            found.oracle.add(&list.agreements[oracle]);
            found.anti_oracle.add(&list.agreements[worst.unwrap_or(0)]);
        }
        for length in LENGTHS.into_iter().filter(|length| *length <= found.most) {
            let best = |list: &&Judged| {
                let f1 = list.f1();
                super::perceptron::reference(&f1[..f1.len().min(length)])
            };
            let judged = lists.iter().filter(|list| !list.agreements.is_empty());
            let totals: BracketTotals = judged.map(|list| &list.agreements[best(&list)]).collect();
            found.oracle_up_to.insert(length, totals.f1());
        }
        found
    }
}

/// How the lists of two parsers for the same sentences lie to each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Sentences that both have, by their words and order.
    pub sentences: usize,
    /// Sentences of A and of B that the other has not.
    pub alone: [usize; 2],
    /// Mean share of trees that both lists have, of all trees in either, percent.
    pub overlap: f64,
    /// Share of the sentences whose first trees are the same, percent.
    pub same_first: f64,
    pub base: [BracketTotals; 2],
    pub oracle: [BracketTotals; 2],
    /// Of the candidates of both together.
    pub union_oracle: BracketTotals,
    /// Share of the gold constituents that A's first trees miss and B's have, of those that A's
    /// miss, percent; and the other way round (Brill & Wu 1998).
    pub complementarity: [f64; 2],
}

impl Comparison {
    pub fn of(a: &[Judged], b: &[Judged]) -> Comparison {
        let pairs = paired(a, b);
        let mut found = Comparison {
            sentences: pairs.len(),
            alone: [a.len() - pairs.len(), b.len() - pairs.len()],
            ..Comparison::default()
        };
        let (mut overlap, mut same, mut missed, mut common) = (0.0, 0, [0usize; 2], 0usize);
        for (a, b) in pairs {
            let texts = |list: &Judged| -> Vec<String> {
                list.trees.iter().map(|tree| tree.to_string()).collect()
            };
            let (ours, theirs) = (texts(a), texts(b));
            same += usize::from(ours.first() == theirs.first());
            let ours: HashSet<String> = ours.into_iter().collect();
            let theirs: HashSet<String> = theirs.into_iter().collect();
            let all = ours.union(&theirs).count();
            overlap += ours.intersection(&theirs).count() as f64 / all.max(1) as f64;
            let (Some(best_a), Some(best_b)) = (a.oracle(), b.oracle()) else { continue };
            for (i, (list, best)) in [(a, best_a), (b, best_b)].into_iter().enumerate() {
                found.base[i].add(&list.agreements[0]);
                found.oracle[i].add(&list.agreements[best]);
            }
            let (x, y) = (&a.agreements[best_a], &b.agreements[best_b]);
            found.union_oracle.add(if y.f1() > x.f1() { y } else { x });
            if let Some(gold) = &a.list.gold {
                let tags = || gold.tags();
                let counted = Constituents::counted(&rooted(gold));
                let [of_a, of_b] = [a, b].map(|list| {
                    missing(&counted, &Constituents::counted_by(&list.trees[0], tags()))
                });
                missed[0] += of_a.len();
                missed[1] += of_b.len();
                common += of_a.iter().filter(|at| of_b.contains(at)).count();
            }
        }
        let percent = |part: f64, whole: usize| 100.0 * part / whole.max(1) as f64;
        found.overlap = percent(overlap, found.sentences);
        found.same_first = percent(same as f64, found.sentences);
        found.complementarity = missed.map(|missed| percent((missed - common) as f64, missed));
        found
    }
}

/// Places of the gold constituents that a hypothesis misses.
fn missing(gold: &Constituents, hypothesis: &Constituents) -> HashSet<usize> {
    let mut there: Vec<_> = hypothesis.iter().collect();
    let mut missed = HashSet::new();
    for (at, wanted) in gold.iter().enumerate() {
        match there.iter().position(|found| *found == wanted) {
            Some(place) => drop(there.swap_remove(place)),
            None => drop(missed.insert(at)),
        }
    }
    missed
}

/// Lists of the same words, in order: of sentences that stand several times, the first with the
/// first.
fn paired<'a>(a: &'a [Judged], b: &'a [Judged]) -> Vec<(&'a Judged, &'a Judged)> {
    let mut by_words: std::collections::HashMap<_, std::collections::VecDeque<&Judged>> =
        std::collections::HashMap::new();
    for list in b {
        by_words.entry(&list.list.words).or_default().push_back(list);
    }
    let partner = |list: &'a Judged| Some((list, by_words.get_mut(&list.list.words)?.pop_front()?));
    a.iter().filter_map(partner).collect()
}
