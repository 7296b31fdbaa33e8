//! How good everybody's choices are over all sentences, as evalb scores them.

use super::book::Book;
use crate::evaluation::evalb::{Evaluation, Lengths, Totals, length_bins};
use crate::evaluation::significance::Method;
use crate::rerank::{Choices, significance};
use crate::workbench::task::TaskHandle;

/// Lengths of sentences that are shown together.
const WIDTH: u64 = 5;
/// Random exchanges for a p-value, and where they begin: as in `rerank apply`.
const SHUFFLES: u64 = 10_000;
const SEED: u64 = 0;

/// Who chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chooser {
    Base,
    Reranker,
    Oracle,
    Worst,
}

impl Chooser {
    pub fn name(self) -> &'static str {
        match self {
            Chooser::Base => "base",
            Chooser::Reranker => "reranked",
            Chooser::Oracle => "oracle",
            Chooser::Worst => "anti-oracle",
        }
    }
}

/// Figures of the lists with gold trees.
pub struct Summary {
    pub rows: Vec<(Chooser, Totals)>,
    pub lengths: Vec<LengthRow>,
    /// Of precision, recall and F1, reranked against base.
    pub p: Option<([f64; 3], Method)>,
    /// Changed choices by what became of their F1.
    pub better: usize,
    pub worse: usize,
    pub equal: usize,
    /// Sentences that evalb could not compare.
    pub errors: u64,
}

/// Sentences of some lengths.
pub struct LengthRow {
    pub lengths: Lengths,
    pub sentences: u64,
    /// F1 in the order of [`Summary::rows`].
    pub f1: Vec<f64>,
}

impl Summary {
    pub fn of(book: &Book, handle: &TaskHandle) -> Result<Summary, String> {
        let choosers: &[Chooser] = match &book.ranked {
            Some(_) => &[Chooser::Base, Chooser::Reranker, Chooser::Oracle, Chooser::Worst],
            None => &[Chooser::Base, Chooser::Oracle, Chooser::Worst],
        };
        // The test is the last step.
        let steps = choosers.len() as u64 + 1;
        let mut choices = Vec::new();
        for (done, chooser) in choosers.iter().enumerate() {
            if handle.cancelled() {
                return Err("stopped".into());
            }
            handle.progress(done as u64, steps);
            choices.push(Choices::of(&book.lists, |i| match chooser {
                Chooser::Base => Some(0),
                Chooser::Reranker => book.choice(i),
                Chooser::Oracle => book.oracle(i),
                Chooser::Worst => book.worst(i),
            }));
        }
        handle.progress(steps - 1, steps);
        let p = book.ranked.as_ref().map(|_| {
            let (method, p, _) = significance(&choices[1], &choices[0], SHUFFLES, SEED);
            (p, method)
        });
        let evaluations: Vec<&Evaluation> = choices.iter().map(|c| &c.evaluation).collect();
        let bins: Vec<_> = evaluations.iter().map(|e| length_bins(&e.rows, WIDTH)).collect();
        let f1 = |lengths: Lengths, bins: &Vec<(Lengths, Totals)>| {
            bins.iter().find(|(other, _)| *other == lengths).map_or(f64::NAN, |(_, t)| t.f1())
        };
        let row = |(lengths, totals): &(Lengths, Totals)| LengthRow {
            lengths: *lengths,
            sentences: totals.valid(),
            f1: bins.iter().map(|bins| f1(*lengths, bins)).collect(),
        };
        let lengths = bins[0].iter().map(row).collect();
        let rows: Vec<(Chooser, Totals)> =
            choosers.iter().copied().zip(evaluations.iter().map(|e| e.totals())).collect();
        let changed = (0..book.lists.len()).filter(|i| book.is_changed(*i));
        let gains: Vec<f64> = changed.filter_map(|i| book.gain(i)).collect();
        Ok(Summary {
            errors: rows.iter().map(|(_, totals)| totals.errors).max().unwrap_or(0),
            lengths,
            p,
            better: gains.iter().filter(|gain| **gain > 0.0).count(),
            worse: gains.iter().filter(|gain| **gain < 0.0).count(),
            equal: gains.iter().filter(|gain| **gain == 0.0).count(),
            rows,
        })
    }

    /// F1 of a chooser, percent.
    pub fn f1(&self, chooser: Chooser) -> Option<f64> {
        self.rows.iter().find(|(who, _)| *who == chooser).map(|(_, totals)| totals.f1())
    }
}
