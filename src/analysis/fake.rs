//! Parsers for tests: random weights, and analyses that are easy to know beforehand.

use crate::model::{
    ChainView, Factors, GrammarView, ModelError, Parse, ParsedSpan, Parser, RuleView, SymbolUse,
    Transitions, Wanted,
};
use crate::treebank::Batch;
use rand::{Rng, SeedableRng};
use std::ops::Range;

/// Parses every sentence as right-branching: the span that starts at word `i` has nonterminal
/// `i mod NT`, word `w` has preterminal `w mod PT`, its log-probability is -10 nats a word.
/// Expected counts are those of this tree. A sentence of one word has no derivation.
pub struct FakeParser {
    nonterminals: usize,
    preterminals: usize,
    rank: usize,
    vocabulary: usize,
    start: Vec<f32>,
    u: Vec<f32>,
    vw: Vec<f32>,
    emissions: Vec<f32>,
}

impl FakeParser {
    /// `sharpness` is the spread of the logits: 0 is uniform, 10 nearly deterministic.
    pub fn random(nt: usize, pt: usize, r: usize, o: usize, sharpness: f32, seed: u64) -> Self {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut draw = |n: usize| -> Vec<f32> {
            (0..n).map(|_| (sharpness * rng.random_range(-1.0..1.0f32)).exp()).collect()
        };
        let rows = |mut m: Vec<f32>, width: usize| {
            for row in m.chunks_mut(width) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= sum);
            }
            m
        };
        let (start, u, emissions) =
            (rows(draw(nt), nt), rows(draw(nt * r), r), rows(draw(pt * o), o));
        let mut vw = draw((nt + pt) * 2 * r);
        for q in 0..2 * r {
            let sum: f32 = vw.iter().skip(q).step_by(2 * r).sum();
            vw.iter_mut().skip(q).step_by(2 * r).for_each(|p| *p /= sum);
        }
        FakeParser {
            nonterminals: nt,
            preterminals: pt,
            rank: r,
            vocabulary: o,
            start,
            u,
            vw,
            emissions,
        }
    }
}

impl Parser for FakeParser {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        let parse = |words: &[u32]| {
            let n = words.len();
            if n < 2 {
                return Parse { log_prob: f64::NEG_INFINITY, ..Parse::default() };
            }
            let mut parse = Parse { log_prob: -10.0 * n as f64, ..Parse::default() };
            if wanted.tree || wanted.labels {
                parse.marginals = vec![0.0; (n + 1) * (n + 1)];
                for i in 0..n - 1 {
                    let posterior = 1.0 / (1.0 + i as f32);
                    parse.marginals[i * (n + 1) + n] = posterior;
                    let label = wanted.labels.then_some((i % self.nonterminals) as u32);
                    let (start, end) = (i as u32, n as u32);
                    parse.spans.push(ParsedSpan { start, end, label, posterior });
                }
            }
            if wanted.labels {
                parse.tags = words.iter().map(|w| w % self.preterminals as u32).collect();
            }
            parse
        };
        Ok(batch.sentences().map(parse).collect())
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        into.nonterminals.resize(self.nonterminals, 0.0);
        into.preterminals.resize(self.preterminals, 0.0);
        for parse in self.parse(batch, Wanted { tree: true, labels: true })? {
            for span in &parse.spans {
                into.nonterminals[span.label.unwrap_or_default() as usize] += 1.0;
            }
            for &tag in &parse.tags {
                into.preterminals[tag as usize] += 1.0;
            }
        }
        Ok(())
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        Some(GrammarView {
            nonterminals: self.nonterminals,
            preterminals: self.preterminals,
            vocabulary: self.vocabulary,
            start: &self.start,
            rules: RuleView::Factors(Factors { rank: self.rank, u: &self.u, vw: &self.vw }),
        })
    }

    fn emissions(&self, preterminals: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let o = self.vocabulary;
        Ok(self.emissions[preterminals.start * o..preterminals.end * o].to_vec())
    }
}

/// A language model: word `w` has the state `w mod states` and a surprisal of `1 + w mod 4` nats.
/// Expected counts are those of these states. Without states it has neither tags nor a chain.
pub struct FakeChain {
    states: usize,
    vocabulary: usize,
    start: Vec<f32>,
    transitions: Vec<f32>,
    emissions: Vec<f32>,
}

impl FakeChain {
    pub fn random(states: usize, vocabulary: usize, seed: u64) -> Self {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut rows = |rows: usize, width: usize| -> Vec<f32> {
            let mut all: Vec<f32> =
                (0..rows * width).map(|_| (3.0 * rng.random_range(-1.0..1.0f32)).exp()).collect();
            for row in all.chunks_mut(width.max(1)) {
                let sum: f32 = row.iter().sum();
                row.iter_mut().for_each(|p| *p /= sum);
            }
            all
        };
        let (start, transitions, emissions) =
            (rows(1, states), rows(states, states), rows(states, vocabulary));
        FakeChain { states, vocabulary, start, transitions, emissions }
    }

    fn state(&self, word: u32) -> u32 {
        word % self.states as u32
    }
}

impl Parser for FakeChain {
    fn parse(&self, batch: &Batch, wanted: Wanted) -> Result<Vec<Parse>, ModelError> {
        let parse = |words: &[u32]| {
            let surprisals: Vec<f32> = words.iter().map(|w| (1 + w % 4) as f32).collect();
            let with_tags = wanted.labels && self.states > 0;
            Parse {
                log_prob: -surprisals.iter().map(|&x| f64::from(x)).sum::<f64>(),
                tags: words.iter().filter(|_| with_tags).map(|&w| self.state(w)).collect(),
                surprisals,
                ..Parse::default()
            }
        };
        Ok(batch.sentences().map(parse).collect())
    }

    fn expect(&self, batch: &Batch, into: &mut SymbolUse) -> Result<(), ModelError> {
        into.preterminals.resize(self.states, 0.0);
        for &word in batch.sentences().flatten().filter(|_| self.states > 0) {
            into.preterminals[self.state(word) as usize] += 1.0;
        }
        Ok(())
    }

    fn grammar(&self) -> Option<GrammarView<'_>> {
        None
    }

    fn chain(&self) -> Option<ChainView<'_>> {
        (self.states > 0).then_some(ChainView {
            states: self.states,
            vocabulary: self.vocabulary,
            start: &self.start,
            transitions: Transitions::Dense(&self.transitions),
        })
    }

    fn emissions(&self, states: Range<usize>) -> Result<Vec<f32>, ModelError> {
        let o = self.vocabulary;
        Ok(self.emissions[states.start * o..states.end * o].to_vec())
    }
}
