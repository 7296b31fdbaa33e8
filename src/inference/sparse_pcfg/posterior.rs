//! Inside and outside over full vectors, for grammars of up to some hundred symbols: what the
//! coarse pass of a parser needs, for every span and symbol.

use super::compact::CompactGrammar;
use super::inside::{Layout, inside};
use super::outside::Outside;
use super::{Leaves, Spans};
use crate::inference::Real;
use pulp::Arch;

/// Posterior probabilities of spans and symbols.
#[derive(Clone, Debug)]
pub struct Posteriors<'g, T> {
    /// Logarithm of the sentence's probability, nats.
    pub log_prob: f64,
    grammar: &'g CompactGrammar<T>,
    layout: Layout,
    /// Expected number of nodes of every symbol.
    labels: Vec<T>,
    /// Probability of a node over every cell.
    spans: Vec<T>,
}

impl<T: Real> Posteriors<'_, T> {
    /// Probability that the derivation has a node over the words `[start, end)`; 0 for a span
    /// without a cell.
    pub fn span(&self, start: usize, end: usize) -> T {
        self.layout.spans.cell(start, end).map_or(T::ZERO, |cell| self.spans[cell])
    }

    /// Expected number of nodes with this symbol over the words `[start, end)`, which is their
    /// probability where no unary chain holds a symbol twice.
    pub fn label(&self, start: usize, end: usize, symbol: u32) -> T {
        let own = self.grammar.own[symbol as usize] as usize;
        match self.layout.spans.cell(start, end) {
            Some(cell) if end - start == 1 || own < self.layout.inner => {
                self.labels[self.layout.at(start, end, cell)][own]
            }
            _ => T::ZERO,
        }
    }

    /// Number of symbols of the grammar.
    pub fn symbols(&self) -> usize {
        self.layout.symbols
    }

    /// [`Posteriors::label`] of all symbols that may stand over a span.
    pub fn each_label(&self, start: usize, end: usize, mut see: impl FnMut(u32, T)) {
        if let Some(cell) = self.layout.spans.cell(start, end) {
            let labels = &self.labels[self.layout.at(start, end, cell)];
            for (&symbol, &label) in self.grammar.symbol.iter().zip(labels) {
                see(symbol, label);
            }
        }
    }
}
/// Posteriors of all spans and symbols; `None` where the sentence has no derivation. Spans and
/// symbols whose posterior is below `least` hand nothing on to what is below them: what is found
/// is then a lower bound, and 0 gives the exact values.
pub fn posteriors<'g, T: Real>(
    grammar: &'g CompactGrammar<T>,
    leaves: &Leaves,
    roots: &[(u32, f64)],
    spans: Spans,
    least: f64,
) -> Option<Posteriors<'g, T>> {
    let n = leaves.len();
    let whole = spans.whole()?;
    let layout = Layout { spans, symbols: grammar.symbols(), inner: grammar.inner };
    let arch = Arch::new();
    let inside = inside(arch, grammar, leaves, layout);
    let top = layout.at(0, n, whole);
    // A leaf as root stands over one word only.
    let roots = roots.iter().map(|&(r, log_prob)| (grammar.own[r as usize] as usize, log_prob));
    let roots: Vec<(usize, f64)> = roots.filter(|(r, _)| *r < top.len()).collect();
    let values = &inside.values[top.clone()];
    let sum: f64 = roots.iter().map(|&(r, log_prob)| log_prob.exp() * values[r].to_f64()).sum();
    if sum <= 0.0 {
        return None;
    }
    let log_prob = sum.ln() + inside.scales[whole];
    let mut outside = vec![T::ZERO; inside.values.len()];
    for (root, prob) in roots {
        outside[top.start + root] += T::from_f64(prob.exp() / sum);
    }
    let mut outside = Outside { values: outside, spans: vec![T::ZERO; spans.cells()] };
    outside.fill(arch, grammar, &inside, least);
    Some(Posteriors { log_prob, grammar, layout, labels: outside.values, spans: outside.spans })
}
