//! What the rounds of a run left behind, read in a task and ready to be drawn.

use super::sentences::Sentences;
use super::verdicts::Given;
use crate::config::{Config, Kind};
use crate::ensemble::ledger::{self, Ledger};
use crate::evaluation::Agreement;
use crate::run::{KeptRound, KeptWeights, RunFolder};
use crate::workbench::names::RunId;
use crate::workbench::series::Series;
use crate::workbench::task::TaskHandle;
use std::path::Path;
use std::sync::Arc;

/// Bins of a curve over ranks.
const BINS: usize = 1000;

/// The rounds of a run that are complete.
pub struct Book {
    pub run: RunId,
    pub config: Config,
    pub sentences: Arc<Sentences>,
    /// The single parser first where there is one.
    pub rounds: Vec<Arc<RoundPage>>,
    /// Name of the part held out, and its sentences: `test` where there is one, else `dev`.
    pub held_out: Option<(&'static str, usize)>,
    pub ledger: Ledger,
    /// What the ledger says.
    pub given: Given,
    /// Why the rounds end before the run's last one.
    pub damage: Option<String>,
    /// The greatest weight of any sentence in any round, in multiples of 1/m.
    greatest: f64,
}

/// A round, and the sentences ranked as it left them.
#[derive(Clone)]
pub struct RoundPage {
    pub kept: KeptRound,
    pub weights: KeptWeights,
    /// What sentences are ranked by: of boosting the weight after the round in multiples of 1/m, of
    /// bags the mean share of wrong constituents over the bags so far.
    pub scores: Vec<f64>,
    /// Sentences from the greatest score down.
    pub order: Vec<u32>,
    /// Place of every sentence in `order`, from 0.
    pub ranks: Vec<u32>,
    /// Mean score by log10 of the rank.
    pub curve: Series,
}

/// Rounds that are told of by name, as places in [`Book::rounds`].
pub struct Milestones {
    pub initial: Option<usize>,
    /// Several where they are equally good.
    pub best: Vec<usize>,
    pub last: Option<usize>,
}

impl Book {
    /// Reads a run folder; rounds that are known already are taken over. `None` before the first
    /// round is complete.
    pub fn read(
        run: RunId,
        path: &Path,
        known: Option<(Arc<Sentences>, Vec<Arc<RoundPage>>)>,
        handle: &TaskHandle,
    ) -> Result<Option<Book>, String> {
        let folder = RunFolder::open(path).map_err(|e| e.to_string())?;
        let config = folder.config().map_err(|e| e.to_string())?;
        let (kept, damage) = folder.readable_rounds();
        let mut damage = damage.map(|damage| damage.to_string());
        if kept.is_empty() {
            return damage.map_or(Ok(None), Err);
        }
        // The sentences are one of the things to read.
        let of = kept.len() as u64 + 1;
        handle.progress(0, of);
        let (known_sentences, known_rounds) = known.unzip();
        let sentences = match known_sentences {
            Some(sentences) => sentences,
            None => match Sentences::read(&folder)? {
                Some(sentences) => Arc::new(sentences),
                None => {
                    let path = folder.rounds().join("train.json.gz");
                    let path = path.display();
                    return Err(format!("{path}: not there, and only it knows the sentences"));
                }
            },
        };
        let known_rounds = known_rounds.unwrap_or_default();
        let mut rounds: Vec<Arc<RoundPage>> = Vec::with_capacity(kept.len());
        for (i, kept) in kept.into_iter().enumerate() {
            if handle.cancelled() {
                return Ok(None);
            }
            handle.progress(i as u64 + 1, of);
            // As long as all before are as they were.
            let same = known_rounds.get(i).filter(|page| page.kept == kept);
            let page = match same {
                Some(page) => page.clone(),
                None => {
                    let weights = match folder.kept_weights(kept.number) {
                        Ok(weights) => weights,
                        // What stands before it can be looked at.
                        Err(why) if !rounds.is_empty() => {
                            damage = Some(why.to_string());
                            break;
                        }
                        Err(why) => return Err(why.to_string()),
                    };
                    let m = sentences.part.sentences.len();
                    if weights.before.len() != m || weights.agreements.len() != m {
                        return Err(format!(
                            "round {}: {} weights for {m} sentences",
                            kept.number,
                            weights.before.len()
                        ));
                    }
                    Arc::new(RoundPage::new(kept, weights, &rounds, config.kind))
                }
            };
            rounds.push(page);
        }
        let mut held_out = None;
        for name in ["test", "dev"] {
            if held_out.is_none() {
                let part = folder.kept_part(name).map_err(|e| e.to_string())?;
                held_out = part.map(|part| (name, part.sentences.len()));
            }
        }
        let ledger = Ledger::open(&path.join(ledger::FILE)).map_err(|e| e.to_string())?;
        let book = Book::new(run, config, sentences, rounds, held_out, ledger);
        Ok(Some(Book { damage, ..book }))
    }

    pub fn new(
        run: RunId,
        config: Config,
        sentences: Arc<Sentences>,
        rounds: Vec<Arc<RoundPage>>,
        held_out: Option<(&'static str, usize)>,
        ledger: Ledger,
    ) -> Book {
        let greatest = rounds
            .iter()
            .filter_map(|page| page.scores.get(*page.order.first()? as usize))
            .fold(1.0, |a: f64, b| a.max(*b));
        let given = Given::of(&ledger, &sentences);
        let damage = None;
        Book { run, config, sentences, rounds, held_out, ledger, given, damage, greatest }
    }

    pub fn is_boosting(&self) -> bool {
        self.config.kind == Kind::Boost
    }

    /// The table's rows: rounds with the initial vote, the best by F1 on the training sentences, and
    /// the last, as places in [`Book::rounds`].
    pub fn milestones(&self) -> Milestones {
        let f1 = |i: usize| self.rounds[i].kept.metrics.get("train_f1");
        let voting = || (0..self.rounds.len()).filter(|&i| self.rounds[i].kept.vote.is_some());
        let greatest = voting().filter_map(f1).fold(f64::NEG_INFINITY, f64::max);
        let best = voting().filter(|&i| f1(i) == Some(greatest)).collect();
        Milestones { initial: voting().next(), best, last: voting().next_back() }
    }

    /// A sentence's score over the rounds as heights from 0 to 1, on one scale for all sentences:
    /// of weights 0 is 1/m or less and 1 the greatest of all, by the logarithm.
    pub fn heights(&self, sentence: usize) -> impl Iterator<Item = f64> + '_ {
        let boosting = self.is_boosting();
        let height = move |page: &Arc<RoundPage>| match boosting {
            false => page.weights.agreements[sentence].error(),
            true => {
                let score = page.scores[sentence];
                if score <= 1.0 { 0.0 } else { (score.ln() / self.greatest.ln()).min(1.0) }
            }
        };
        self.rounds.iter().filter(|page| page.kept.number > 0).map(height)
    }
}

impl RoundPage {
    /// `before` are the rounds until then.
    pub fn new(
        kept: KeptRound,
        weights: KeptWeights,
        before: &[Arc<RoundPage>],
        kind: Kind,
    ) -> RoundPage {
        let scores = match kind {
            Kind::Bag => mean_errors(&weights.agreements, before, kept.number),
            _ => {
                let m = weights.before.len() as f64;
                weights.after.as_ref().unwrap_or(&weights.before).iter().map(|w| w * m).collect()
            }
        };
        let mut order: Vec<u32> = (0..scores.len() as u32).collect();
        order.sort_by(|a, b| scores[*b as usize].total_cmp(&scores[*a as usize]));
        let mut ranks = vec![0; order.len()];
        for (rank, sentence) in order.iter().enumerate() {
            ranks[*sentence as usize] = rank as u32;
        }
        let curve = curve(order.iter().map(|i| scores[*i as usize]));
        RoundPage { kept, weights, scores, order, ranks, curve }
    }

    pub fn agreement(&self, sentence: usize) -> Agreement {
        self.weights.agreements[sentence]
    }

    /// Whether the round made a sentence heavier.
    pub fn raised(&self, sentence: usize) -> bool {
        let after = self.weights.after.as_ref();
        after.is_some_and(|after| after[sentence] > self.weights.before[sentence])
    }
}

/// Of every sentence over the bags so far; of the single parser its own.
fn mean_errors(own: &[Agreement], before: &[Arc<RoundPage>], number: u64) -> Vec<f64> {
    let bags: Vec<&Arc<RoundPage>> = match number {
        0 => Vec::new(),
        _ => before.iter().filter(|page| page.kept.number > 0).collect(),
    };
    let mean = |(i, agreement): (usize, &Agreement)| {
        let earlier: f64 = bags.iter().map(|page| page.agreement(i).error()).sum();
        (earlier + agreement.error()) / (bags.len() + 1) as f64
    };
    own.iter().enumerate().map(mean).collect()
}

/// Falling scores by rank: the mean of every bin at log10 of its middle. Bins are of equal width on
/// that scale as far as they hold a rank at all.
fn curve(scores: impl ExactSizeIterator<Item = f64>) -> Series {
    let n = scores.len();
    let mut series = Series::default();
    let width = (n.max(2) as f64).log10() / BINS as f64;
    let bin = |rank: usize| ((rank as f64).log10() / width) as usize;
    let (mut begin, mut sum) = (1, 0.0);
    for (i, score) in scores.enumerate() {
        let rank = i + 1;
        sum += score;
        if rank == n || bin(rank + 1) != bin(begin) {
            let middle = 0.5 * ((begin as f64).log10() + (rank as f64).log10());
            series.push(middle, sum / (rank + 1 - begin) as f64);
            (begin, sum) = (rank + 1, 0.0);
        }
    }
    series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_has_every_score_in_one_bin_and_at_most_a_thousand() {
        for n in [0usize, 1, 2, 17, 999, 40_000] {
            let scores: Vec<f64> = (0..n).map(|i| (n - i) as f64).collect();
            let curve = curve(scores.iter().copied());
            assert!(curve.len() <= BINS + 1, "{n}: {} bins", curve.len());
            if n > 0 {
                assert_eq!(curve.point(0), (0.0, n as f64), "the first rank stands alone");
                let (x, y) = curve.last().expect("not empty");
                assert!(x <= (n as f64).log10() + 1e-12 && y >= 1.0, "{n}: {x} {y}");
            }
        }
        let flat = curve((0..40_000).map(|_| 1.0).collect::<Vec<_>>().into_iter());
        assert!((0..flat.len()).all(|i| (flat.point(i).1 - 1.0).abs() < 1e-12));
    }
}
