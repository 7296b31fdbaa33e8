//! Sentences drawn from a model.

use super::{GrammarView, ModelError, ParsedSpan, RuleView};
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A sentence drawn from a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// Word ids, without the end of the sentence.
    pub words: Vec<u32>,
    /// Spans of the derivation in preorder with their nonterminals, of families with trees.
    pub spans: Vec<ParsedSpan>,
    /// Preterminals of the words, of families with trees.
    pub tags: Vec<u32>,
    /// Whether it ended by itself; else it was given up when it had as many words as allowed.
    pub complete: bool,
}

/// Draws an index with a probability in proportion to its weight.
pub(super) fn draw(weights: impl Iterator<Item = f64> + Clone, rng: &mut ChaCha8Rng) -> usize {
    let total: f64 = weights.clone().sum();
    let mut rest = rng.random::<f64>() * total;
    let mut last = 0;
    for (i, weight) in weights.enumerate() {
        if weight > 0.0 {
            last = i;
            rest -= weight;
            if rest < 0.0 {
                break;
            }
        }
    }
    // Rounding may leave a little beyond the last one.
    last
}

/// Draws from single-precision probabilities.
pub(super) fn draw_from(probabilities: &[f32], rng: &mut ChaCha8Rng) -> usize {
    draw(probabilities.iter().map(|&p| f64::from(p)), rng)
}

/// Draws a derivation of at most so many words: the start symbol, then the children of every
/// nonterminal, from left to right. `emissions` gives the words of a preterminal.
pub(super) fn derivation(
    grammar: &GrammarView<'_>,
    emissions: impl Fn(usize) -> Result<Vec<f32>, ModelError>,
    longest: usize,
    rng: &mut ChaCha8Rng,
) -> Result<Sample, ModelError> {
    /// What is still to do: a symbol to expand, or a span to close.
    enum Todo {
        Symbol(usize),
        Close(usize),
    }
    let mut sample = Sample { complete: true, ..Sample::default() };
    let mut todo = vec![Todo::Symbol(draw_from(grammar.start, rng))];
    while let Some(next) = todo.pop() {
        match next {
            Todo::Close(span) => sample.spans[span].end = sample.words.len() as u32,
            Todo::Symbol(symbol) if symbol < grammar.nonterminals => {
                // Every symbol that waits is at least one word.
                if sample.words.len() + todo.len() > 2 * longest + 2 {
                    return Ok(Sample { complete: false, ..sample });
                }
                let (start, label) = (sample.words.len() as u32, Some(symbol as u32));
                todo.push(Todo::Close(sample.spans.len()));
                sample.spans.push(ParsedSpan { start, end: start, label, posterior: 1.0 });
                let (left, right) = children(grammar, symbol, rng);
                todo.extend([Todo::Symbol(right), Todo::Symbol(left)]);
            }
            Todo::Symbol(symbol) => {
                if sample.words.len() == longest {
                    return Ok(Sample { complete: false, ..sample });
                }
                let preterminal = symbol - grammar.nonterminals;
                sample.tags.push(preterminal as u32);
                sample.words.push(draw_from(&emissions(preterminal)?, rng) as u32);
            }
        }
    }
    Ok(sample)
}

fn children(grammar: &GrammarView<'_>, parent: usize, rng: &mut ChaCha8Rng) -> (usize, usize) {
    match grammar.rules {
        RuleView::Tensor(_) => {
            let pair = draw_from(grammar.row(parent), rng);
            (pair / grammar.symbols(), pair % grammar.symbols())
        }
        RuleView::Factors(factors) => {
            // Given the rank node, the children do not know of each other.
            let q = draw_from(factors.u_row(parent), rng);
            let column = |side: usize| {
                let first = side * factors.rank + q;
                factors.vw.iter().skip(first).step_by(2 * factors.rank).map(|&p| f64::from(p))
            };
            (draw(column(0), rng), draw(column(1), rng))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Family, Precision};
    use crate::model::{Wanted, build};
    use crate::treebank::Batch;
    use rand::SeedableRng;
    use std::collections::BTreeMap;

    const VOCABULARY: usize = 5;
    const DRAWS: usize = 20_000;

    fn config(family: Family) -> Config {
        let mut config = Config::of_family(family);
        config.precision = Precision::F64;
        config.seed = 3;
        let m = &mut config.model;
        (m.nonterminals, m.preterminals, m.states) = (3, 4, 4);
        (m.rank, m.embedding, m.latent) = (3, 6, 2);
        config
    }

    /// Shares of drawn sentences against their probabilities, within four standard deviations.
    fn check(family: Family, end: Option<u32>, shortest: usize) {
        let parser = build(&config(family), VOCABULARY).and_then(|m| m.freeze()).expect("freezes");
        let mut rng = ChaCha8Rng::seed_from_u64(9);
        let mut counts: BTreeMap<Vec<u32>, usize> = BTreeMap::new();
        for _ in 0..DRAWS {
            let sample = parser.sample(end, 4, &mut rng).expect("draws");
            if sample.complete {
                assert!(sample.words.len() >= shortest);
                assert_eq!(sample.tags.len(), if end.is_none() { sample.words.len() } else { 0 });
                *counts.entry(sample.words).or_default() += 1;
            }
        }
        let often: Vec<_> = counts.iter().filter(|(_, n)| **n > 100).collect();
        assert!(often.len() > 3, "{family:?}: {counts:?}");
        for (words, &count) in often {
            let tokens: Vec<u32> = words.iter().copied().chain(end).collect();
            let batch = Batch::new([tokens]).expect("words");
            let parse = parser.parse(&batch, Wanted::default()).expect("scores");
            let p = parse[0].log_prob.exp();
            let share = count as f64 / DRAWS as f64;
            let deviation = (p * (1.0 - p) / DRAWS as f64).sqrt();
            assert!((share - p).abs() < 4.0 * deviation, "{family:?} {words:?}: {share} {p}");
        }
    }

    #[test]
    fn grammars_draw_sentences_as_often_as_they_are_probable() {
        for family in [Family::RankPcfg, Family::TdPcfg, Family::Lpcfg, Family::NPcfg] {
            check(family, None, 2);
        }
    }

    #[test]
    fn language_models_draw_sentences_as_often_as_they_are_probable() {
        for family in [Family::RankHmm, Family::Lhmm, Family::Hmm] {
            check(family, Some(2), 0);
        }
    }

    #[test]
    fn compound_grammars_draw_a_grammar_for_every_sentence() {
        let parser = build(&config(Family::CPcfg), VOCABULARY).and_then(|m| m.freeze());
        let parser = parser.expect("freezes");
        let draw = |seed| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            parser.sample(None, 40, &mut rng).expect("draws")
        };
        assert_eq!(draw(1), draw(1));
        assert!((2..20).any(|seed| draw(seed) != draw(1)));
    }

    #[test]
    fn spans_of_a_derivation_are_a_binary_tree() {
        let parser = build(&config(Family::RankPcfg), VOCABULARY).and_then(|m| m.freeze());
        let parser = parser.expect("freezes");
        let mut rng = ChaCha8Rng::seed_from_u64(4);
        for _ in 0..200 {
            let sample = parser.sample(None, 30, &mut rng).expect("draws");
            if sample.complete {
                let n = sample.words.len();
                assert_eq!(sample.spans.len(), n - 1);
                assert_eq!((sample.spans[0].start, sample.spans[0].end as usize), (0, n));
                assert!(sample.spans.iter().all(|s| s.start + 2 <= s.end && s.label.is_some()));
            }
        }
    }
}
