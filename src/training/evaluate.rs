//! Evaluation of frozen weights on a split, one batch at a time, and what trivial trees score.

use super::{Dataset, Split, TrainingError, group};
use crate::model::{Parse, Parser, Wanted};
use crate::report::{Metrics, Reporter};
use crate::treebank::Batch;
use std::sync::Arc;

/// Chart cells (sentences times squared length) that a batch may have; bounds memory.
const CELLS: usize = 16 * 40 * 40;

/// One way through a split.
pub(super) struct Pass {
    parser: Arc<dyn Parser>,
    /// Batches that are still to do, each with the places of its sentences.
    todo: std::vec::IntoIter<(Batch, Vec<usize>)>,
    parses: Vec<Option<Parse>>,
}

impl Pass {
    /// Sentences shorter than `min_length` have no derivation and get no parse.
    pub fn new(
        parser: Arc<dyn Parser>,
        split: &Split,
        min_length: usize,
        batch_size: usize,
    ) -> Pass {
        let size = |n: usize| (CELLS / (n * n)).clamp(1, batch_size.max(1));
        let mut batches = group(split.ids.iter().map(Vec::as_slice), size);
        batches.retain(|(batch, _)| batch.length(0) >= min_length);
        Pass { parser, todo: batches.into_iter(), parses: vec![None; split.ids.len()] }
    }

    pub fn parser(&self) -> &Arc<dyn Parser> {
        &self.parser
    }

    pub fn is_done(&self) -> bool {
        self.todo.len() == 0
    }

    /// Parses the next batch, if one is left.
    pub fn advance(&mut self) -> Result<(), TrainingError> {
        if let Some((batch, places)) = self.todo.next() {
            let wanted = Wanted { tree: true, labels: false };
            for (place, parse) in places.into_iter().zip(self.parser.parse(&batch, wanted)?) {
                self.parses[place] = Some(parse);
            }
        }
        Ok(())
    }
}

impl Pass {
    pub fn metrics(&self, _: &Split) -> Metrics {
        Metrics::default()
    }
    pub fn into_parses(self) -> Vec<Option<Parse>> {
        self.parses
    }
}

pub(super) fn report_baselines(_: &Dataset, _: &mut dyn Reporter) {}
