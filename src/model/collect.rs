//! From charts to parses and counts: what both kinds of PCFG hand over, and who takes it.

use super::{Parse, ParsedSpan, SymbolUse, Wanted};
use crate::inference::Real;
use crate::inference::decode::best_tree;
use crate::inference::dense_pcfg::Derivation;
use crate::treebank::Batch;

/// Takes the results of a batch.
pub(super) trait Collect {
    fn log_prob(&mut self, sentence: usize, log_prob: f64);
    /// Span posteriors, `i * (n + 1) + j`.
    fn posteriors(&mut self, _sentence: usize, _posteriors: Vec<f64>) {}
    /// The derivation to show in place of an MBR tree; before its spans and words.
    fn derivation(&mut self, _sentence: usize, _derivation: Derivation) {}
    /// Posteriors of all nonterminals over a span.
    fn span(&mut self, _sentence: usize, _span: (usize, usize), _labels: &[f32]) {}
    /// Posteriors of all preterminals of a word.
    fn word(&mut self, _sentence: usize, _position: usize, _tags: &[f32]) {}
}

/// Posteriors are handed on in single precision whatever they were computed in.
pub(super) fn single<N: Real>(values: &[N]) -> Vec<f32> {
    values.iter().map(|x| x.to_f64() as f32).collect()
}

/// Builds [`Parse`]s.
pub(super) struct Parses {
    wanted: Wanted,
    own: Vec<Own>,
}

#[derive(Clone, Default)]
struct Own {
    n: usize,
    parse: Parse,
    derivation: Option<Derivation>,
    /// Label of every span and its posterior, `i * (n + 1) + j`: the likeliest one, or the
    /// derivation's.
    labels: Vec<(u32, f32)>,
}

impl Collect for Parses {
    fn log_prob(&mut self, sentence: usize, log_prob: f64) {
        self.own[sentence].parse.log_prob = log_prob;
    }

    fn posteriors(&mut self, sentence: usize, posteriors: Vec<f64>) {
        self.own[sentence].parse.marginals = posteriors.iter().map(|&p| p as f32).collect();
    }

    fn derivation(&mut self, sentence: usize, derivation: Derivation) {
        let own = &mut self.own[sentence];
        own.parse.derivation_log_prob = Some(derivation.log_prob);
        own.derivation = Some(derivation);
    }

    fn span(&mut self, sentence: usize, (start, end): (usize, usize), labels: &[f32]) {
        let Own { n, derivation, labels: all, .. } = &mut self.own[sentence];
        all.resize((*n + 1) * (*n + 1), (0, 0.0));
        let spans = derivation.iter().flat_map(|d| &d.spans);
        let chosen = spans.filter(|s| (s.0, s.1) == (start, end)).map(|s| s.2).next();
        all[start * (*n + 1) + end] = match chosen {
            Some(label) => (label as u32, labels[label]),
            None => largest(labels),
        };
    }

    fn word(&mut self, sentence: usize, position: usize, tags: &[f32]) {
        let Own { n, derivation, parse, .. } = &mut self.own[sentence];
        parse.tags.resize(*n, 0);
        parse.tags[position] = match derivation {
            Some(derivation) => derivation.tags[position] as u32,
            None => largest(tags).0,
        };
    }
}

impl Parses {
    pub fn new(batch: &Batch, wanted: Wanted) -> Parses {
        let own = |b| Own { n: batch.length(b), ..Own::default() };
        Parses { wanted, own: (0..batch.len()).map(own).collect() }
    }

    pub fn finish(self) -> Vec<Parse> {
        let wanted = self.wanted;
        self.own.into_iter().map(|own| own.finish(wanted)).collect()
    }
}

impl Own {
    fn finish(self, wanted: Wanted) -> Parse {
        let Own { n, mut parse, derivation, labels } = self;
        if !(wanted.tree || wanted.labels) || parse.marginals.is_empty() {
            return parse;
        }
        let at = |i: usize, j: usize| i * (n + 1) + j;
        let spans = match derivation {
            Some(derivation) => derivation.spans.iter().map(|&(i, j, _)| (i, j)).collect(),
            None if wanted.labels => best_tree(n, |i, j| f64::from(labels[at(i, j)].1)),
            None => best_tree(n, |i, j| f64::from(parse.marginals[at(i, j)])),
        };
        let span = |(i, j): (usize, usize)| {
            let (label, posterior) = match labels.get(at(i, j)) {
                Some(&(label, posterior)) => (Some(label), posterior),
                None => (None, parse.marginals[at(i, j)]),
            };
            // Rounding may leave a sum of probabilities a little above one.
            let posterior = posterior.min(1.0);
            ParsedSpan { start: i as u32, end: j as u32, label, posterior }
        };
        parse.spans = spans.into_iter().map(span).collect();
        parse
    }
}

fn largest(values: &[f32]) -> (u32, f32) {
    let mut best = 0;
    for (i, &v) in values.iter().enumerate() {
        if v > values[best] {
            best = i;
        }
    }
    (best as u32, values[best])
}

/// Sums expected counts.
pub(super) struct Counts<'a>(pub &'a mut SymbolUse);

impl Collect for Counts<'_> {
    fn log_prob(&mut self, _: usize, _: f64) {}

    fn span(&mut self, _: usize, _: (usize, usize), labels: &[f32]) {
        add(&mut self.0.nonterminals, labels);
    }

    fn word(&mut self, _: usize, _: usize, tags: &[f32]) {
        add(&mut self.0.preterminals, tags);
    }
}

fn add(sums: &mut Vec<f64>, values: &[f32]) {
    sums.resize(values.len(), 0.0);
    sums.iter_mut().zip(values).for_each(|(s, &v)| *s += f64::from(v));
}

/// The sentences of two words and more, and their numbers in the batch.
fn parsable(batch: &Batch) -> (Option<Batch>, Vec<usize>) {
    let kept: Vec<usize> = (0..batch.len()).filter(|&b| batch.length(b) >= 2).collect();
    let sentences: Vec<&[u32]> = kept.iter().map(|&b| batch.sentence(b)).collect();
    (Batch::new(sentences).filter(|b| !b.is_empty()), kept)
}

/// [`super::Parser::parse`] by a program for sentences of two words and more.
pub(super) fn parse<E>(
    batch: &Batch,
    wanted: Wanted,
    analyse: impl FnOnce(&Batch, Wanted, &mut Parses) -> Result<(), E>,
) -> Result<Vec<Parse>, E> {
    let none = Parse { log_prob: f64::NEG_INFINITY, ..Parse::default() };
    let mut all = vec![none; batch.len()];
    let (Some(long), kept) = parsable(batch) else { return Ok(all) };
    // Labels are decoded over spans, whose posteriors come along.
    let wanted = Wanted { tree: wanted.tree || wanted.labels, ..wanted };
    let mut parses = Parses::new(&long, wanted);
    analyse(&long, wanted, &mut parses)?;
    for (b, parse) in kept.into_iter().zip(parses.finish()) {
        all[b] = parse;
    }
    Ok(all)
}

/// [`super::Parser::expect`] by a program for sentences of two words and more.
pub(super) fn expect<E>(
    batch: &Batch,
    into: &mut SymbolUse,
    analyse: impl FnOnce(&Batch, Wanted, &mut Counts<'_>) -> Result<(), E>,
) -> Result<(), E> {
    match parsable(batch).0 {
        Some(long) => analyse(&long, Wanted { tree: false, labels: true }, &mut Counts(into)),
        None => Ok(()),
    }
}
