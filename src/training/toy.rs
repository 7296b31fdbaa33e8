//! A model for tests: words drawn independently, p(w) = softmax(a + b)[w], with exact gradients
//! and faults to order.

use crate::model::{
    Gradients, GrammarView, Model, ModelError, Noise, Parameters, Parse, ParsedSpan, Parser,
    StepOutput, SymbolUse, Wanted,
};
use crate::treebank::{Batch, Corpus, LabelledSpan, Sentence};
use candle_core::{DType, Device, Tensor, Var};
use crossbeam_channel::Receiver;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// What goes wrong at a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    Nan,
    InfiniteGradient,
    NoProbability,
    Panic,
    PanicInEvaluation,
}

pub struct Toy {
    parameters: Parameters,
    /// Fault at the step of that number, from 1, counted by the model itself.
    pub fault: Option<(u64, Fault)>,
    /// Every step waits for a word from here, until the other side is dropped.
    pub gate: Option<Receiver<()>>,
    steps: u64,
}

impl Toy {
    pub fn new(vocabulary: usize, dtype: DType) -> Toy {
        let start: Vec<f64> = (0..vocabulary).map(|w| (w as f64 * 0.7).sin()).collect();
        let parameters = ["a", "b"]
            .into_iter()
            .map(|name| {
                let tensor = Tensor::new(start.as_slice(), &Device::Cpu)
                    .and_then(|t| t.to_dtype(dtype))
                    .and_then(|t| Var::from_tensor(&t))
                    .expect("a small tensor");
                (name.to_owned(), tensor)
            })
            .collect();
        Toy { parameters, fault: None, gate: None, steps: 0 }
    }

    pub fn restore(weights: &BTreeMap<String, Tensor>) -> Toy {
        let parameters = weights
            .iter()
            .map(|(name, t)| (name.clone(), Var::from_tensor(t).expect("a small tensor")))
            .collect();
        Toy { parameters, fault: None, gate: None, steps: 0 }
    }

    fn probabilities(&self) -> Vec<f64> {
        let logits = (self.parameters["a"].as_tensor() + self.parameters["b"].as_tensor())
            .and_then(|t| t.to_dtype(DType::F64))
            .and_then(|t| t.to_vec1::<f64>())
            .expect("vectors of one size");
        let sum: f64 = logits.iter().map(|x| x.exp()).sum();
        logits.iter().map(|x| x.exp() / sum).collect()
    }
}

impl Model for Toy {
    fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    fn step(&mut self, batch: &Batch, _: Noise<'_>) -> Result<StepOutput, ModelError> {
        if let Some(gate) = &self.gate {
            let _ = gate.recv();
        }
        self.steps += 1;
        let fault = self.fault.filter(|(at, _)| *at == self.steps).map(|(_, fault)| fault);
        assert!(fault != Some(Fault::Panic), "the toy breaks");
        if fault == Some(Fault::NoProbability) {
            return Err(ModelError::Sentence { sentence: 0, reason: "it has none".into() });
        }
        let p = self.probabilities();
        let log_probs: Vec<f64> =
            batch.sentences().map(|s| s.iter().map(|&w| p[w as usize].ln()).sum()).collect();
        let n = batch.len() as f64;
        let mut gradient: Vec<f64> = p.iter().map(|p| p * batch.tokens() as f64 / n).collect();
        for &w in batch.words() {
            gradient[w as usize] -= 1.0 / n;
        }
        let mut loss = -log_probs.iter().sum::<f64>() / n;
        match fault {
            Some(Fault::Nan) => loss = f64::NAN,
            Some(Fault::InfiniteGradient) => gradient[0] = f64::INFINITY,
            _ => {}
        }
        let dtype = self.parameters["a"].dtype();
        let gradient = Tensor::new(gradient.as_slice(), &Device::Cpu)?.to_dtype(dtype)?;
        let gradients: Gradients =
            ["a", "b"].into_iter().map(|name| (name.into(), gradient.clone())).collect();
        Ok(StepOutput { loss, log_probs, gradients, network_seconds: 0.0, inference_seconds: 0.0 })
    }

    fn freeze(&self) -> Result<Arc<dyn Parser>, ModelError> {
        let broken = self.steps > 0 && self.fault.is_some_and(|f| f.1 == Fault::PanicInEvaluation);
        assert!(!broken, "the toy breaks in evaluation");
        Ok(Arc::new(Frozen(self.probabilities())))
    }

    fn min_length(&self) -> usize {
        2
    }
}

struct Frozen(Vec<f64>);

impl Parser for Frozen {
    fn parse(&self, batch: &Batch, _: Wanted) -> Result<Vec<Parse>, ModelError> {
        let parse = |words: &[u32]| {
            let n = words.len() as u32;
            Parse {
                log_prob: words.iter().map(|&w| self.0[w as usize].ln()).sum(),
                spans: (0..n - 1)
                    .map(|start| ParsedSpan { start, end: n, label: None, posterior: 1.0 })
                    .collect(),
                marginals: vec![0.5; (words.len() + 1).pow(2)],
                ..Parse::default()
            }
        };
        Ok(batch.sentences().map(parse).collect())
    }

    fn expect(&self, _: &Batch, _: &mut SymbolUse) -> Result<(), ModelError> {
        Err(ModelError::Unsupported("a toy has no symbols".into()))
    }

    fn counts_symbols(&self) -> bool {
        false
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        None
    }

    fn emissions(&self, _: Range<usize>) -> Result<Vec<f32>, ModelError> {
        Ok(Vec::new())
    }
}

/// Words `w2` and above, so that ids 2.. of a vocabulary of `<pad>`, `<unk>`, `w2`, ... are used.
pub fn corpus(count: usize, seed: usize, gold: bool) -> Corpus {
    let sentence = |i: usize| {
        let n = 2 + (i * 7 + seed * 3) % 5;
        let words: Vec<Arc<str>> = (0..n)
            .map(|k| format!("w{}", 2 + (i * 5 + k * k * 3 + seed) % 8 % (1 + k * 3)).into())
            .collect();
        let spans = vec![LabelledSpan { start: 0, end: n as u32, label: "S".into() }];
        Sentence {
            surface: words.clone(),
            words,
            tags: None,
            gold: gold.then_some(spans),
            tree: None,
            index: i,
        }
    };
    Corpus {
        name: "toy".into(),
        sentences: (0..count).map(sentence).collect(),
        ..Corpus::default()
    }
}
