//! N-gram language models with interpolated Kneser-Ney smoothing, so that the perplexity of a
//! neural model has something beside it: same tokens, same vocabulary, same end of sentences.
//!
//! There is nothing to train step by step: one step on all sentences counts them and estimates,
//! and its loss is that of the finished model on them. What is kept are the counts, as whole
//! numbers; there are no parameters with gradients.

mod events;
mod kneser_ney;
#[cfg(test)]
mod tests;

use super::{
    Gradients, GrammarView, Model, ModelError, Noise, Parameters, Parse, Parser, Sample,
    StepOutput, SymbolUse, Wanted, sample::draw,
};
use crate::config::Config;
use crate::treebank::Batch;
use candle_core::Tensor;
use events::Events;
use kneser_ney::KneserNey;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The counts, and the distributions that follow from them.
pub(super) struct Ngram {
    vocabulary: u32,
    events: Events,
    parser: Arc<NgramParser>,
    parameters: Parameters,
}

impl Ngram {
    /// Before the count: every word is equally likely.
    pub fn new(config: &Config, vocabulary: usize) -> Result<Ngram, ModelError> {
        Ngram::with(Events::none(config.model.order), vocabulary)
    }

    /// From stored counts.
    pub fn restore(
        config: &Config,
        vocabulary: usize,
        tensors: BTreeMap<String, Tensor>,
    ) -> Result<Ngram, ModelError> {
        let start = size(vocabulary)?;
        Ngram::with(Events::restore(config.model.order, start, tensors)?, vocabulary)
    }

    fn with(events: Events, vocabulary: usize) -> Result<Ngram, ModelError> {
        Ok(Ngram {
            vocabulary: size(vocabulary)?,
            parser: Arc::new(NgramParser::new(&events, vocabulary)),
            events,
            parameters: Parameters::new(),
        })
    }
}

fn size(vocabulary: usize) -> Result<u32, ModelError> {
    u32::try_from(vocabulary)
        .map_err(|_| ModelError::Unsupported(format!("a vocabulary of {vocabulary} words")))
}

impl Model for Ngram {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn tensors(&self) -> Result<BTreeMap<String, Tensor>, ModelError> {
        self.events.tensors()
    }

    fn min_length(&self) -> usize {
        1
    }

    /// Counts the sentences of the batch, and those alone.
    fn step(&mut self, batch: &Batch, _: Noise<'_>) -> Result<StepOutput, ModelError> {
        let begin = Instant::now();
        self.parser.check(batch)?;
        let events = Events::count(self.events.order(), self.vocabulary, batch.sentences());
        *self = Ngram::with(events, self.vocabulary as usize)?;
        let counted = begin.elapsed().as_secs_f64();
        let log_probs: Vec<f64> =
            self.parser.parse(batch, Wanted::default())?.iter().map(|p| p.log_prob).collect();
        Ok(StepOutput {
            loss: -log_probs.iter().sum::<f64>() / batch.tokens().max(1) as f64,
            log_probs,
            gradients: Gradients::new(),
            network_seconds: counted,
            inference_seconds: begin.elapsed().as_secs_f64() - counted,
        })
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        Ok(self.parser.clone())
    }
}

/// Probabilities of sentences; there are no trees and no hidden symbols.
struct NgramParser {
    vocabulary: usize,
    estimate: KneserNey,
}

impl NgramParser {
    fn new(events: &Events, vocabulary: usize) -> NgramParser {
        NgramParser { vocabulary, estimate: KneserNey::new(events, vocabulary) }
    }

    fn check(&self, batch: &Batch) -> Result<(), ModelError> {
        match batch.words().iter().find(|&&word| word as usize >= self.vocabulary) {
            Some(word) => Err(ModelError::Unsupported(format!(
                "word id {word} is outside a vocabulary of {}",
                self.vocabulary
            ))),
            None => Ok(()),
        }
    }
}

impl Parser for NgramParser {
    fn parse(&self, batch: &Batch, _: Wanted) -> Result<Vec<Parse>, ModelError> {
        self.check(batch)?;
        let start = size(self.vocabulary)?;
        let mut history = Vec::new();
        let parse = |words: &[u32]| {
            history.clear();
            history.push(start);
            let mut parse = Parse::default();
            for &word in words {
                let log_p = self.estimate.probability(&history, word).ln();
                parse.log_prob += log_p;
                parse.surprisals.push(-log_p as f32);
                history.push(word);
            }
            parse
        };
        Ok(batch.sentences().map(parse).collect())
    }

    fn expect(&self, _: &Batch, _: &mut SymbolUse) -> Result<(), ModelError> {
        Err(no_symbols())
    }

    fn counts_symbols(&self) -> bool {
        false
    }

    fn sample(
        &self,
        end: Option<u32>,
        longest: usize,
        rng: &mut ChaCha8Rng,
    ) -> Result<Sample, ModelError> {
        let mut history = vec![size(self.vocabulary)?];
        let mut sample = Sample::default();
        loop {
            let words: Vec<f64> = (0..self.vocabulary as u32)
                .map(|word| self.estimate.probability(&history, word))
                .collect();
            let word = draw(words.iter().copied(), rng) as u32;
            if Some(word) == end {
                return Ok(Sample { complete: true, ..sample });
            }
            if sample.words.len() == longest {
                return Ok(sample);
            }
            sample.words.push(word);
            history.push(word);
        }
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        None
    }

    fn emissions(&self, _: Range<usize>) -> Result<Vec<f32>, ModelError> {
        Err(no_symbols())
    }
}

fn no_symbols() -> ModelError {
    ModelError::Unsupported("an n-gram model has no hidden symbols".into())
}
