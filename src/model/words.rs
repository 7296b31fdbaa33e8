//! The distinct words of a batch, for which alone emissions are computed.

use super::ModelError;
use crate::treebank::Batch;

/// The distinct words of a batch.
pub(super) struct Words {
    pub distinct: Vec<u32>,
    /// For every token the number of its word in `distinct`.
    pub of_token: Vec<usize>,
}

impl Words {
    pub fn of(batch: &Batch) -> Words {
        let mut distinct = batch.words().to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let number = |w| distinct.binary_search(w).expect("every word is among the distinct ones");
        let of_token = batch.words().iter().map(number).collect();
        Words { distinct, of_token }
    }

    /// Refuses ids that no vocabulary of this size has.
    pub fn check(&self, vocabulary: usize) -> Result<(), ModelError> {
        match self.distinct.last() {
            Some(&w) if w as usize >= vocabulary => Err(ModelError::Unsupported(format!(
                "word id {w} is outside a vocabulary of {vocabulary}"
            ))),
            _ => Ok(()),
        }
    }
}
