//! Evaluation of frozen weights on a split, one batch at a time, and what trivial trees score.

use super::{Dataset, Packing, Split, TrainingError, group};
use crate::analysis::Usage;
use crate::config::Family;
use crate::evaluation::{Scores, Span, balanced, left_branching, oracle, random, right_branching};
use crate::model::{Parse, Parser, SymbolUse, Wanted};
use crate::report::{EventKind, Metrics, Reporter};
use crate::treebank::{Batch, Sentence};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;

/// Chart cells (sentences times squared length) that a batch may have; bounds memory.
const CELLS: usize = 16 * 40 * 40;

/// Tokens, padding counted, of a batch of a model without a chart.
const TOKENS: usize = 1024;

/// Sentences of that length that a batch has room for.
fn room(packing: Packing, length: usize) -> usize {
    match packing {
        Packing::EqualLengths => (CELLS / (length * length)).max(1),
        Packing::NearbyLengths => (TOKENS / length).max(1),
    }
}

/// One sentence of so many is enough to see which symbols are in use, and costs little.
const SAMPLED: usize = 64;

/// Fewest and most sentences of that sample.
const SAMPLE: [usize; 2] = [8, 64];

/// One way through a split.
pub(super) struct Pass {
    parser: Arc<dyn Parser>,
    family: Family,
    /// Batches that are still to do, each with the places of its sentences.
    todo: std::vec::IntoIter<(Batch, Vec<usize>)>,
    parses: Vec<Option<Parse>>,
}

impl Pass {
    /// Sentences shorter than `min_length` have no derivation and get no parse.
    pub fn new(
        parser: Arc<dyn Parser>,
        family: Family,
        split: &Split,
        min_length: usize,
        batch_size: usize,
    ) -> Pass {
        let packing = Packing::of(family);
        let size = |n: usize| match packing {
            Packing::EqualLengths => room(packing, n).min(batch_size.max(1)),
            Packing::NearbyLengths => room(packing, n),
        };
        let long = split.ids.iter().map(|ids| if ids.len() < min_length { &[][..] } else { ids });
        let batches = group(long, packing, size);
        Pass { parser, family, todo: batches.into_iter(), parses: vec![None; split.ids.len()] }
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

    /// Figures of what is parsed, added up in the order of the split.
    pub fn metrics(&self, split: &Split) -> Metrics {
        let mut scores = Scores::default();
        for (sentence, parse) in split.sentences.iter().zip(&self.parses) {
            match parse {
                None => scores.skip(),
                Some(parse) => {
                    let spans = || parse.spans.iter().map(|s| (s.start, s.end)).collect();
                    let spans: Option<Vec<Span>> = self.family.has_trees().then(spans);
                    let gold = sentence.gold.as_deref();
                    scores.add(sentence.len(), Some(parse.log_prob), spans.as_deref(), gold);
                }
            }
        }
        scores.metrics()
    }

    /// Effective number of symbols (nonterminals of a grammar, states of an HMM) by their expected
    /// counts over a sample of the split; `None` where counting would cost much, or there are none.
    pub fn effective_symbols(&self, split: &Split) -> Result<Option<f64>, TrainingError> {
        if !self.parser.counts_symbols() {
            return Ok(None);
        }
        let places: Vec<usize> =
            (0..self.parses.len()).filter(|&i| self.parses[i].is_some()).collect();
        let [least, most] = SAMPLE;
        let count = (places.len() / SAMPLED).clamp(least, most).min(places.len());
        let sample = (0..count).map(|i| split.ids[places[i * places.len() / count]].as_slice());
        let mut symbols = SymbolUse::default();
        let packing = Packing::of(self.family);
        for (batch, _) in group(sample, packing, |n| room(packing, n)) {
            self.parser.expect(&batch, &mut symbols)?;
        }
        let counts = match self.family.has_trees() {
            true => symbols.nonterminals,
            false => symbols.preterminals,
        };
        Ok((!counts.is_empty()).then(|| Usage::new(&counts).effective()))
    }

    /// Parses in the order of the split; `None` for sentences without one.
    pub fn into_parses(self) -> Vec<Option<Parse>> {
        self.parses
    }
}

/// Reports what trivial trees score, as the split `NAME.baselines`.
pub(super) fn report_baselines(data: &Dataset, reporter: &mut dyn Reporter) {
    for (name, split) in [("dev", Some(&data.dev)), ("test", data.test.as_ref())] {
        if let Some(metrics) = split.and_then(|s| baselines(&s.sentences)) {
            reporter.report(EventKind::Evaluation {
                step: 0,
                epoch: 0,
                split: format!("{name}.baselines"),
                metrics,
            });
        }
    }
}

/// Seed of the random trees, the same for every run, so that runs can be compared.
const RANDOM_TREES: u64 = 0;

/// `KIND_s_f1` and `KIND_c_f1` of right-branching, left-branching, balanced and random trees (of
/// seed 0) and of the best binary trees (`oracle`); `None` where no sentence has a gold tree.
pub fn baselines(sentences: &[Sentence]) -> Option<Metrics> {
    let mut metrics = Metrics::default();
    for kind in ["right", "left", "balanced", "random", "oracle"] {
        let mut rng = ChaCha8Rng::seed_from_u64(RANDOM_TREES);
        let mut scores = Scores::default();
        for sentence in sentences {
            let (n, Some(gold)) = (sentence.len(), &sentence.gold) else { continue };
            let spans = match kind {
                "right" => right_branching(n),
                "left" => left_branching(n),
                "balanced" => balanced(n),
                "random" => random(n, &mut rng),
                _ => oracle(n, &gold.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>()),
            };
            scores.add(n, None, Some(&spans), Some(gold));
        }
        let of_kind = scores.metrics();
        for figure in ["s_f1", "c_f1"] {
            metrics.set(format!("{kind}_{figure}"), of_kind.get(figure)?);
        }
    }
    Some(metrics)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::fake::{FakeChain, FakeParser};
    use crate::training::toy::corpus;
    use crate::treebank::Vocabulary;

    fn evaluated(parser: impl Parser + 'static, family: Family, split: &Split) -> Pass {
        let mut pass = Pass::new(Arc::new(parser), family, split, 2, 16);
        while !pass.is_done() {
            pass.advance().expect("parses");
        }
        pass
    }

    #[test]
    fn the_effective_number_of_symbols_is_that_of_a_sample_of_the_sentences() {
        let words = (0..12).map(|w| format!("w{w}").into()).collect();
        let vocabulary = Vocabulary::from_words(words, 1).expect("distinct words");
        let all = Split::new(&corpus(1000, 1, true), &vocabulary);
        let number = |nonterminals: usize, split: &Split| {
            let parser = FakeParser::random(nonterminals, 4, 2, 12, 1.0, 1);
            let pass = evaluated(parser, Family::RankPcfg, split);
            pass.effective_symbols(split).expect("counts").expect("it has symbols")
        };
        assert_eq!(number(1, &all), 1.0);
        // The longest of the sentences has five spans, each of another nonterminal.
        let (sampled, few) = (number(9, &all), number(9, &first(&all, 40)));
        assert!(sampled > 3.5 && sampled <= 5.0, "{sampled}");
        assert!((sampled - few).abs() < 0.8, "{sampled} and {few}");
        // The states of a chain are counted, and what has none has no figure.
        let chain = |states| {
            let pass = evaluated(FakeChain::random(states, 12, 1), Family::RankHmm, &all);
            pass.effective_symbols(&all).expect("counts")
        };
        assert!(chain(2).is_some_and(|n| n > 1.0 && n <= 2.0), "{:?}", chain(2));
        assert_eq!(chain(0), None);
        let none = Split::default();
        let pass = evaluated(FakeParser::random(3, 4, 2, 12, 1.0, 1), Family::RankPcfg, &none);
        assert_eq!(pass.effective_symbols(&none).expect("counts"), None);
    }

    fn first(split: &Split, count: usize) -> Split {
        Split { sentences: split.sentences[..count].to_vec(), ids: split.ids[..count].to_vec() }
    }
}
