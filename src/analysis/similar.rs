//! Symbols of one grammar that do the same: by their rules, or by their words.

use crate::model::{GrammarView, ModelError, Parser, RuleView};
use rayon::prelude::*;

/// Rows of emissions that are looked at in one go.
const ROWS: usize = 64;

/// A symbol, and how far it is from another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Similar {
    pub symbol: usize,
    /// Jensen-Shannon divergence of the two distributions in bits: 0 for equal ones, 1 where
    /// nothing that the one does is done by the other.
    pub divergence: f64,
}

/// The `k` nonterminals whose rules are most like those of one. Of a grammar in rank space the
/// distributions p(rank | nonterminal) are compared, which the rules follow from: equal ones have
/// equal rules, and the divergence of the rules is never larger.
pub fn similar_nonterminals(grammar: &GrammarView, symbol: usize, k: usize) -> Vec<Similar> {
    let row = |nonterminal: usize| match grammar.rules {
        RuleView::Factors(factors) => factors.u_row(nonterminal),
        RuleView::Tensor(_) => grammar.row(nonterminal),
    };
    let own = row(symbol);
    let others: Vec<usize> = (0..grammar.nonterminals).filter(|&other| other != symbol).collect();
    let found = others
        .into_par_iter()
        .map(|other| Similar { symbol: other, divergence: divergence(own, row(other)) })
        .collect();
    nearest(found, k)
}

/// The `k` preterminals of `count` (or states of an HMM) whose words are most like those of one.
/// `progress` hears after every part how many were looked at, and answers whether to go on; after
/// a no there is nothing.
pub fn similar_words(
    parser: &dyn Parser,
    symbol: usize,
    count: usize,
    k: usize,
    progress: &mut dyn FnMut(usize) -> bool,
) -> Result<Option<Vec<Similar>>, ModelError> {
    let own = parser.emissions(symbol..symbol + 1)?;
    let mut found = Vec::with_capacity(count);
    for start in (0..count).step_by(ROWS) {
        let end = count.min(start + ROWS);
        let rows = parser.emissions(start..end)?;
        let part: Vec<Similar> = rows
            .par_chunks(own.len().max(1))
            .enumerate()
            .map(|(i, row)| Similar { symbol: start + i, divergence: divergence(&own, row) })
            .collect();
        found.extend(part.into_iter().filter(|other| other.symbol != symbol));
        if !progress(end) {
            return Ok(None);
        }
    }
    Ok(Some(nearest(found, k)))
}

fn nearest(mut found: Vec<Similar>, k: usize) -> Vec<Similar> {
    let by_divergence = |a: &Similar, b: &Similar| {
        a.divergence.total_cmp(&b.divergence).then(a.symbol.cmp(&b.symbol))
    };
    if k < found.len() {
        found.select_nth_unstable_by(k, by_divergence);
        found.truncate(k);
    }
    found.sort_by(by_divergence);
    found
}

/// Jensen-Shannon divergence of two distributions in bits (Lin 1991): the mean of the relative
/// entropies to their mean.
fn divergence(p: &[f32], q: &[f32]) -> f64 {
    let part = |x: f32, sum: f32| if x > 0.0 { x * (2.0 * x / sum).log2() } else { 0.0 };
    // Sums of a few hundred terms keep single precision, their sum needs more.
    let sums = p.chunks(256).zip(q.chunks(256)).map(|(p, q)| {
        let terms = p.iter().zip(q).map(|(&p, &q)| part(p, p + q) + part(q, p + q));
        f64::from(terms.sum::<f32>())
    });
    (0.5 * sums.sum::<f64>()).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::fake::{FakeChain, FakeParser};
    use super::*;

    /// By the definition, in double precision.
    fn defined(p: &[f32], q: &[f32]) -> f64 {
        let relative = |a: &[f32]| -> f64 {
            let terms = a.iter().enumerate().map(|(i, &x)| {
                let (x, mean) = (f64::from(x), (f64::from(p[i]) + f64::from(q[i])) / 2.0);
                if x > 0.0 { x * (x / mean).log2() } else { 0.0 }
            });
            terms.sum()
        };
        (relative(p) + relative(q)) / 2.0
    }

    #[test]
    fn the_divergence_is_0_of_equal_and_1_of_disjoint_distributions() {
        assert_eq!(divergence(&[0.25, 0.75], &[0.25, 0.75]), 0.0);
        assert_eq!(divergence(&[1.0, 0.0], &[0.0, 1.0]), 1.0);
        assert!((divergence(&[1.0, 0.0], &[0.5, 0.5]) - 0.311_278).abs() < 1e-5);
    }

    #[test]
    fn similar_nonterminals_are_those_of_least_divergence_by_brute_force() {
        for sharpness in [0.5, 4.0] {
            let parser = FakeParser::random(12, 5, 7, 9, sharpness, 3);
            let grammar = parser.grammar().expect("a grammar");
            let RuleView::Factors(factors) = grammar.rules else { panic!("it has factors") };
            let mut all: Vec<(usize, f64)> = (0..12)
                .filter(|&i| i != 4)
                .map(|i| (i, defined(factors.u_row(4), factors.u_row(i))))
                .collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            let found = similar_nonterminals(&grammar, 4, 5);
            assert_eq!(found.len(), 5);
            for (found, expected) in found.iter().zip(&all) {
                assert_eq!(found.symbol, expected.0);
                assert!((found.divergence - expected.1).abs() < 1e-5);
            }
        }
    }

    #[test]
    fn rules_of_a_tensor_are_no_further_apart_than_what_they_follow_from() {
        let parser = FakeParser::random(4, 3, 5, 9, 3.0, 8);
        let factors = parser.grammar().expect("a grammar");
        let symbols = factors.symbols();
        let pairs = (0..4).flat_map(|a| (0..symbols * symbols).map(move |pair| (a, pair)));
        let tensor: Vec<f32> =
            pairs.map(|(a, pair)| factors.rule(a, pair / symbols, pair % symbols) as f32).collect();
        let tensor = GrammarView { rules: RuleView::Tensor(&tensor), ..factors };
        let by = |grammar: &GrammarView| {
            let mut all = similar_nonterminals(grammar, 1, 9);
            all.sort_by_key(|s| s.symbol);
            all
        };
        for (rules, ranks) in by(&tensor).iter().zip(by(&factors)) {
            assert!(rules.symbol == ranks.symbol && rules.divergence <= ranks.divergence + 1e-6);
        }
    }

    #[test]
    fn similar_words_are_found_part_by_part_and_can_be_stopped() {
        let chain = FakeChain::random(150, 40, 2);
        let rows = chain.emissions(0..150).expect("rows");
        let row = |i: usize| &rows[i * 40..(i + 1) * 40];
        let best = (0..150).filter(|&i| i != 77);
        let best =
            best.min_by(|&a, &b| defined(row(77), row(a)).total_cmp(&defined(row(77), row(b))));
        let mut heard = Vec::new();
        let mut go_on = |done| {
            heard.push(done);
            true
        };
        let found =
            similar_words(&chain, 77, 150, 3, &mut go_on).expect("rows").expect("not stopped");
        assert_eq!(Some(found[0].symbol), best);
        assert!(found.len() == 3 && found.iter().all(|s| s.symbol != 77));
        assert_eq!(heard, [64, 128, 150]);
        assert_eq!(similar_words(&chain, 77, 150, 3, &mut |_| false).expect("rows"), None);
    }
}
