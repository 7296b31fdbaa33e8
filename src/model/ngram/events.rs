use super::ModelError;
use candle_core::{DType, Device, Tensor};
use std::collections::BTreeMap;

/// Longest n-gram.
pub(super) const LONGEST: usize = 5;

/// An n-gram of at most [`LONGEST`] tokens, from the left; the rest is 0.
pub(super) type Gram = [u32; LONGEST];

/// What was counted: every token of the training sentences with the `order - 1` tokens before it,
/// or with the start of the sentence and all tokens from there.
///
/// Sorted and distinct by length; n-grams shorter than the order begin with the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Events {
    order: usize,
    /// By length, from 1 up to the order.
    by_length: Vec<Vec<(Gram, u32)>>,
}

impl Events {
    pub fn none(order: usize) -> Events {
        Events { order, by_length: vec![Vec::new(); order] }
    }

    /// Counts sentences of token ids; `start` is an id that no token has.
    pub fn count<'a>(
        order: usize,
        start: u32,
        sentences: impl IntoIterator<Item = &'a [u32]>,
    ) -> Events {
        let mut seen: Vec<Vec<Gram>> = vec![Vec::new(); order];
        let mut padded = Vec::new();
        for sentence in sentences {
            padded.clear();
            padded.push(start);
            padded.extend_from_slice(sentence);
            for end in 2..=padded.len() {
                let length = order.min(end);
                seen[length - 1].push(gram(&padded[end - length..end]));
            }
        }
        Events { order, by_length: seen.into_iter().map(distinct).collect() }
    }

    pub fn order(&self) -> usize {
        self.order
    }

    /// N-grams of a length with their counts, sorted.
    pub fn of_length(&self, length: usize) -> &[(Gram, u32)] {
        &self.by_length[length - 1]
    }

    /// `ngrams.LENGTH` (rows, length) and `counts.LENGTH` (rows); lengths without any are left out.
    pub fn tensors(&self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        let mut tensors = BTreeMap::new();
        for (length, grams) in (1..).zip(&self.by_length).filter(|(_, grams)| !grams.is_empty()) {
            let ids: Vec<u32> =
                grams.iter().flat_map(|(gram, _)| &gram[..length]).copied().collect();
            let counts: Vec<u32> = grams.iter().map(|(_, count)| *count).collect();
            let rows = grams.len();
            let ids = Tensor::from_vec(ids, (rows, length), &Device::Cpu)?;
            tensors.insert(format!("ngrams.{length}"), ids);
            let counts = Tensor::from_vec(counts, rows, &Device::Cpu)?;
            tensors.insert(format!("counts.{length}"), counts);
        }
        Ok(tensors)
    }

    /// From stored tensors; `start` is the size of the vocabulary.
    pub fn restore(
        order: usize,
        start: u32,
        mut tensors: BTreeMap<String, Tensor>,
    ) -> Result<Events, ModelError> {
        let mut events = Events::none(order);
        for length in 1..=order {
            let name = format!("ngrams.{length}");
            let Some(ids) = tensors.remove(&name) else { continue };
            let wrong =
                |reason: &str| ModelError::Shape { name: name.clone(), reason: reason.into() };
            let counts = tensors.remove(&format!("counts.{length}"));
            let counts = counts.ok_or_else(|| wrong("has no counts beside it"))?;
            let rows = match ids.dims() {
                &[rows, columns] if columns == length => rows,
                found => return Err(wrong(&format!("expected (rows, {length}), found {found:?}"))),
            };
            if counts.dims() != [rows] || ids.dtype() != DType::U32 || counts.dtype() != DType::U32
            {
                return Err(wrong("expected whole numbers, one count for every row"));
            }
            let ids: Vec<u32> = ids.flatten_all()?.to_vec1()?;
            let grams: Vec<(Gram, u32)> =
                ids.chunks_exact(length).map(gram).zip(counts.to_vec1()?).collect();
            for (gram, count) in &grams {
                let tokens = &gram[..length];
                let begins = tokens[0] == start;
                // The start may come first, and where less than the order was there it must.
                if tokens[usize::from(begins)..].iter().any(|&id| id >= start)
                    || (length == 1 && begins)
                    || (length < order && !begins)
                {
                    return Err(wrong(&format!("{tokens:?} is no n-gram of this model")));
                }
                if *count == 0 {
                    return Err(wrong(&format!("{tokens:?} has the count 0")));
                }
            }
            if !grams.is_sorted_by(|(a, _), (b, _)| a < b) {
                return Err(wrong("its rows are not sorted and distinct"));
            }
            events.by_length[length - 1] = grams;
        }
        match tensors.into_keys().next() {
            Some(name) => {
                let reason = "does not belong to this family".into();
                Err(ModelError::Shape { name, reason })
            }
            None => Ok(events),
        }
    }
}

pub(super) fn gram(tokens: &[u32]) -> Gram {
    let mut gram = [0; LONGEST];
    gram[..tokens.len()].copy_from_slice(tokens);
    gram
}

/// Sorted, each once with its count.
pub(super) fn distinct(mut grams: Vec<Gram>) -> Vec<(Gram, u32)> {
    grams.sort_unstable();
    let count = |run: &[Gram]| (run[0], u32::try_from(run.len()).unwrap_or(u32::MAX));
    grams.chunk_by(|a, b| a == b).map(count).collect()
}
