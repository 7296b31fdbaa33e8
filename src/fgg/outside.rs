//! How Z changes with every entry of every factor: the outside pass.

use super::error::FggError;
use super::grammar::{Factor, Grammar, Label};
use super::graph::{Graph, Table, words};
use super::inside::Inside;
use super::weight::Weight;

/// Derivatives with respect to one factor.
#[derive(Clone, Debug)]
pub struct Gradient {
    /// dZ / d entry: of the table, or of every matrix of a CPD; row-major.
    tables: Vec<Vec<Weight>>,
}

/// Derivatives with respect to all factors.
#[derive(Clone, Debug)]
pub struct Gradients {
    z: Weight,
    /// By terminal.
    factors: Vec<Gradient>,
}

impl Gradients {
    pub fn z(&self) -> Weight {
        self.z
    }

    /// d log Z / d entry; no number where Z is 0. `table` is the number of the matrix of a CPD,
    /// else 0.
    pub fn of_log_z(&self, terminal: usize, table: usize) -> Vec<f64> {
        let own = &self.factors[terminal].tables[table];
        own.iter().map(|derivative| derivative.ratio(self.z)).collect()
    }

    /// How often an entry is used under the posterior: entry * d log Z / d entry.
    pub fn expected_counts(&self, terminal: usize, table: usize, entries: &[f64]) -> Vec<f64> {
        let own = &self.factors[terminal].tables[table];
        let count =
            |(derivative, &x): (&Weight, &f64)| (*derivative * Weight::from(x)).ratio(self.z);
        own.iter().zip(entries).map(count).collect()
    }
}

/// Z of an acyclic grammar with its derivatives.
///
/// # Errors
/// As [`Inside::new`].
pub fn gradients(grammar: &Grammar) -> Result<Gradients, FggError> {
    let inside = Inside::new(grammar)?;
    let empty = |factor: &Factor| Gradient {
        tables: match factor {
            Factor::Full(weights) => vec![vec![Weight::ZERO; weights.len()]],
            Factor::Cpd(cpd) => {
                cpd.matrices.iter().map(|m| vec![Weight::ZERO; m.values().len()]).collect()
            }
            Factor::Is(_) => Vec::new(),
        },
    };
    let mut factors: Vec<Gradient> = grammar.terminals().iter().map(|t| empty(&t.factor)).collect();
    let mut outside: Vec<Vec<Weight>> =
        inside.messages.iter().map(|m| vec![Weight::ZERO; m.len()]).collect();
    outside[grammar.start()] = vec![Weight::ONE];
    let rules = grammar.rules_by_nonterminal();
    for &nonterminal in inside.children_first.iter().rev() {
        if outside[nonterminal].iter().all(|x| x.is_zero()) {
            continue;
        }
        for &number in &rules[nonterminal] {
            let rule = &grammar.rules()[number];
            let words = words(grammar, rule);
            let known = Some(&inside.messages[..]);
            let graph = Graph::new(grammar, (number, rule), &words, known, &rule.externals);
            let (variables, places) = graph.places(&rule.externals);
            let values = places.positions().map(|i| outside[nonterminal][i]).collect();
            let above = Table { variables, values };
            for (k, part) in graph.parts.iter().enumerate() {
                // Words have nothing to learn.
                let Some(edge) = part.edge else { continue };
                let own = match rule.edges[edge].label {
                    Label::Nonterminal(child) => &mut outside[child],
                    Label::Terminal(t) => &mut factors[t].tables[part.matrix],
                };
                let derivative = graph.sum_out(Some(&above), Some(k), &part.table.variables)?;
                for (place, value) in part.places.positions().zip(derivative.values) {
                    own[place] += value;
                }
            }
        }
    }
    Ok(Gradients { z: inside.z(), factors })
}
