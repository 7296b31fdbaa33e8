//! Every program against enumeration of all derivations.

use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::HashMap;

const NONTERMINALS: u32 = 4;
const TAGS: u32 = 3;
const SYMBOLS: usize = (NONTERMINALS + TAGS) as usize;

/// A grammar of random rules; unary rules lead from lower to higher symbols only, unless they may
/// form circles.
fn random_grammar(rng: &mut ChaCha8Rng, circles: bool) -> Grammar {
    let (mut binary, mut unary) = (Vec::new(), Vec::new());
    for parent in 0..NONTERMINALS {
        let (from_binary, from_unary) = (binary.len(), unary.len());
        let mut total = 0.0;
        for _ in 0..rng.random_range(1..6) {
            let log_prob: f64 = rng.random_range(0.05..1.0);
            let (left, right) = (rng.random_range(0..7), rng.random_range(0..7));
            let again = |r: &BinaryRule| (r.parent, r.left, r.right) == (parent, left, right);
            if !binary.iter().any(again) {
                total += log_prob;
                binary.push(BinaryRule { parent, left, right, log_prob });
            }
        }
        for _ in 0..rng.random_range(0..3) {
            let log_prob: f64 = rng.random_range(0.05..1.0);
            let child = rng.random_range(if circles { 0 } else { parent + 1 }..SYMBOLS as u32);
            if !unary.iter().any(|r: &UnaryRule| (r.parent, r.child) == (parent, child)) {
                total += log_prob;
                unary.push(UnaryRule { parent, child, log_prob });
            }
        }
        binary[from_binary..].iter_mut().for_each(|r| r.log_prob = (r.log_prob / total).ln());
        unary[from_unary..].iter_mut().for_each(|r| r.log_prob = (r.log_prob / total).ln());
    }
    Grammar::new(SYMBOLS, binary, unary)
}

fn random_leaves(rng: &mut ChaCha8Rng, n: usize) -> Vec<Vec<(u32, f64)>> {
    let leaf = |rng: &mut ChaCha8Rng| {
        let mut leaves = Vec::new();
        for tag in NONTERMINALS..NONTERMINALS + TAGS {
            if rng.random_bool(0.6) {
                leaves.push((tag, rng.random_range(0.01..1.0f64).ln()));
            }
        }
        leaves
    };
    (0..n).map(|_| leaf(rng)).collect()
}

/// All derivations of a symbol over a span with at most `chain` unary rules on top of each other.
fn enumerate(
    grammar: &Grammar,
    leaves: &Leaves,
    symbol: u32,
    (start, end): (u32, u32),
    (chain, longest): (u32, u32),
) -> Vec<Derivation> {
    let mut all = Vec::new();
    let top = |children, below: &[&Derivation], log_prob: f64| {
        let mut nodes = vec![Node { symbol, start, end, children }];
        below.iter().for_each(|d| nodes.extend(&d.nodes));
        let log_prob = log_prob + below.iter().map(|d| d.log_prob).sum::<f64>();
        Derivation { nodes, log_prob }
    };
    if end - start == 1 {
        let leaves = leaves[start as usize].iter().filter(|(leaf, _)| *leaf == symbol);
        all.extend(leaves.map(|(_, log_prob)| top(0, &[], *log_prob)));
    }
    for rule in grammar.unary().iter().filter(|r| r.parent == symbol && chain > 0) {
        let below = (chain - 1, longest);
        for child in enumerate(grammar, leaves, rule.child, (start, end), below) {
            all.push(top(1, &[&child], rule.log_prob));
        }
    }
    for rule in grammar.binary().iter().filter(|r| r.parent == symbol) {
        for split in start + 1..end {
            let lefts = enumerate(grammar, leaves, rule.left, (start, split), (longest, longest));
            if lefts.is_empty() {
                continue;
            }
            let rights = enumerate(grammar, leaves, rule.right, (split, end), (longest, longest));
            for left in &lefts {
                all.extend(rights.iter().map(|right| top(2, &[left, right], rule.log_prob)));
            }
        }
    }
    all
}

/// Random sentences with their derivations from two roots, the best first.
fn cases(circles: bool, longest: u32, mut check: impl FnMut(&Case)) {
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let mut with_derivations = 0;
    for number in 0..60 {
        let grammar = random_grammar(&mut rng, circles);
        let leaves = random_leaves(&mut rng, 1 + number % if circles { 3 } else { 5 });
        let roots = vec![(0, 0.75f64.ln()), (1, 0.25f64.ln())];
        let whole = (0, leaves.len() as u32);
        let mut all = Vec::new();
        for &(root, prior) in &roots {
            let from_root = enumerate(&grammar, &leaves, root, whole, (longest, longest));
            let with_prior = |d: Derivation| Derivation { log_prob: d.log_prob + prior, ..d };
            all.extend(from_root.into_iter().map(with_prior));
        }
        all.sort_by(|a, b| b.log_prob.total_cmp(&a.log_prob));
        with_derivations += usize::from(!all.is_empty());
        check(&Case { grammar, leaves, roots, all });
    }
    assert!(with_derivations > 20, "most cases say something");
}

struct Case {
    grammar: Grammar,
    leaves: Vec<Vec<(u32, f64)>>,
    roots: Vec<(u32, f64)>,
    all: Vec<Derivation>,
}

impl Case {
    fn spans(&self) -> Spans {
        Spans::all(self.leaves.len())
    }

    fn chart(&self) -> Chart {
        Chart::new(&self.grammar, &self.leaves, self.spans(), &Everything)
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs())
}

#[test]
fn the_best_derivation_is_the_best_of_all() {
    cases(false, 6, |case| {
        let best = case.chart().best(&case.roots);
        assert_eq!(best.is_some(), !case.all.is_empty());
        if let Some(best) = best {
            assert!(close(best.log_prob, case.all[0].log_prob));
            assert!(
                case.all.iter().any(|d| d.nodes == best.nodes && close(d.log_prob, best.log_prob))
            );
        }
    });
}

#[test]
fn circles_of_unary_rules_are_in_no_best_derivation() {
    cases(true, 5, |case| {
        let best = case.chart().best(&case.roots);
        assert_eq!(
            best.as_ref().map(|b| close(b.log_prob, case.all[0].log_prob)),
            (!case.all.is_empty()).then_some(true)
        );
    });
}

#[test]
fn the_k_best_derivations_are_the_first_of_all_in_order() {
    for (circles, longest) in [(false, 6), (true, 4)] {
        cases(circles, longest, |case| {
            let chart = case.chart();
            let (grammar, leaves, roots) = (&case.grammar, &case.leaves, &case.roots);
            let mut k_best = KBest::new(grammar, &chart, leaves, roots, longest);
            for rank in 0..200.min(case.all.len() + 1) {
                let found = k_best.get(rank as u32);
                let Some(expected) = case.all.get(rank) else {
                    assert_eq!(found, None);
                    continue;
                };
                let found = found.expect("there are as many");
                assert!(close(found.log_prob, expected.log_prob), "rank {rank}");
                let same = |d: &&Derivation| d.nodes == found.nodes;
                let listed = case.all.iter().find(same).expect("it is a derivation");
                assert!(close(listed.log_prob, found.log_prob));
            }
        });
    }
}

#[test]
fn derivations_of_different_ranks_differ() {
    cases(true, 4, |case| {
        let chart = case.chart();
        let (grammar, leaves, roots) = (&case.grammar, &case.leaves, &case.roots);
        let mut k_best = KBest::new(grammar, &chart, leaves, roots, 4);
        let mut seen: Vec<Vec<Node>> = Vec::new();
        while let Some(found) = k_best.get(seen.len() as u32).filter(|_| seen.len() < 100) {
            assert!(!seen.contains(&found.nodes));
            seen.push(found.nodes);
        }
        assert_eq!(seen.len(), case.all.len().min(100));
    });
}

#[test]
fn posteriors_are_sums_over_all_derivations() {
    cases(false, 6, |case| {
        let compact = CompactGrammar::<f64>::new(&case.grammar);
        let found = posteriors(&compact, &case.leaves, &case.roots, case.spans(), 0.0);
        let total: f64 = case.all.iter().map(|d| d.log_prob.exp()).sum();
        assert_eq!(found.is_some(), total > 0.0);
        let Some(found) = found else { return };
        assert!(close(found.log_prob, total.ln()));
        let mut labels: HashMap<(u32, u32, u32), f64> = HashMap::new();
        let mut spans: HashMap<(u32, u32), f64> = HashMap::new();
        for derivation in &case.all {
            let posterior = derivation.log_prob.exp() / total;
            let mut last = None;
            for node in &derivation.nodes {
                *labels.entry((node.start, node.end, node.symbol)).or_default() += posterior;
                // The nodes of a chain follow each other.
                if last.replace((node.start, node.end)) != Some((node.start, node.end)) {
                    *spans.entry((node.start, node.end)).or_default() += posterior;
                }
            }
        }
        let n = case.leaves.len() as u32;
        for start in 0..n {
            for end in start + 1..=n {
                let expected = spans.get(&(start, end)).copied().unwrap_or(0.0);
                assert!(close(found.span(start as usize, end as usize), expected));
                for symbol in 0..SYMBOLS as u32 {
                    let expected = labels.get(&(start, end, symbol)).copied().unwrap_or(0.0);
                    let label = found.label(start as usize, end as usize, symbol);
                    assert!(close(label, expected), "{start} {end} {symbol}");
                }
            }
        }
    });
}

#[test]
fn chains_that_never_need_end_are_summed_in_closed_form() {
    // S -> S (1/2) | S S (1/8) | A (3/8): over one word 3/8 + 1/2 3/8 + ... = 3/4.
    let binary = vec![BinaryRule { parent: 0, left: 0, right: 0, log_prob: 0.125f64.ln() }];
    let rule = |child, p: f64| UnaryRule { parent: 0, child, log_prob: p.ln() };
    let grammar = Grammar::new(2, binary, vec![rule(0, 0.5), rule(1, 0.375)]);
    let compact = CompactGrammar::<f64>::new(&grammar);
    let word = vec![(1, 0.0)];
    let roots = [(0, 0.0)];
    let one = posteriors(&compact, std::slice::from_ref(&word), &roots, Spans::all(1), 0.0);
    let one = one.expect("a derivation");
    assert!(close(one.log_prob.exp(), 0.75));
    // The number of S over the word: a chain of S is as long as a coin shows heads, and one more.
    assert!(close(one.label(0, 1, 0), 2.0) && close(one.span(0, 1), 1.0));
    let two = posteriors(&compact, &[word.clone(), word], &roots, Spans::all(2), 0.0);
    assert!(close(two.expect("a derivation").log_prob.exp(), 2.0 * 0.125 * 0.75 * 0.75));
}

#[test]
fn single_precision_is_near_double_and_bounds_lose_little() {
    cases(false, 6, |case| {
        let double = CompactGrammar::<f64>::new(&case.grammar);
        let single = CompactGrammar::<f32>::new(&case.grammar);
        let exact = posteriors(&double, &case.leaves, &case.roots, case.spans(), 0.0);
        let rough = posteriors(&single, &case.leaves, &case.roots, case.spans(), 1e-3);
        let (Some(exact), Some(rough)) = (exact, rough) else { return };
        assert!((exact.log_prob - rough.log_prob).abs() < 1e-4);
        let n = case.leaves.len();
        for start in 0..n {
            for end in start + 1..=n {
                let (a, b) = (exact.span(start, end), f64::from(rough.span(start, end)));
                assert!(b < a + 1e-4 && b > a - 0.02, "{a} {b}");
            }
        }
    });
}

#[test]
fn what_the_coarse_pass_rules_out_is_in_no_derivation() {
    cases(false, 6, |case| {
        let compact = CompactGrammar::<f64>::new(&case.grammar);
        let spans = case.spans();
        let found = posteriors(&compact, &case.leaves, &case.roots, spans, 0.0);
        let Some(found) = found else { return };
        let own = Refinement::itself(SYMBOLS);
        for least in [0.0, 0.2] {
            let filter = Coarse::new(&own, &found, spans, least);
            let chart = Chart::new(&case.grammar, &case.leaves, spans, &filter);
            let allowed = |d: &&Derivation| {
                d.nodes
                    .iter()
                    .all(|n| found.label(n.start as usize, n.end as usize, n.symbol) >= least)
            };
            let expected = case.all.iter().find(allowed).map(|d| d.log_prob);
            let best = chart.best(&case.roots).map(|d| d.log_prob);
            assert_eq!(best.is_some(), expected.is_some());
            assert!(best.zip(expected).is_none_or(|(a, b)| close(a, b)));
        }
    });
}

#[test]
fn long_sentences_keep_to_the_cells_that_there_are() {
    // S -> A S | A: the tree branches to the right, so narrow charts have it.
    let binary = vec![BinaryRule { parent: 0, left: 1, right: 0, log_prob: 0.9f64.ln() }];
    let unary = vec![UnaryRule { parent: 0, child: 1, log_prob: 0.1f64.ln() }];
    let grammar = Grammar::new(2, binary, unary);
    let n = 500;
    let leaves = vec![vec![(1, -300.0)]; n];
    let spans = Spans::narrow(n, 5);
    let compact = CompactGrammar::<f32>::new(&grammar);
    let found = posteriors(&compact, &leaves, &[(0, 0.0)], spans, 1e-6).expect("a derivation");
    let expected = 499.0 * 0.9f64.ln() + 0.1f64.ln() - 300.0 * n as f64;
    assert!((found.log_prob - expected).abs() < 1e-3);
    let own = Refinement::itself(2);
    let filter = Coarse::new(&own, &found, spans, 1e-4);
    let best = Chart::new(&grammar, &leaves, spans, &filter).best(&[(0, 0.0)]).expect("a tree");
    assert!(close(best.log_prob, expected));
    assert_eq!(best.nodes.len(), 2 * n);
}

#[test]
fn no_words_have_no_derivation() {
    let grammar = Grammar::new(1, Vec::new(), Vec::new());
    let compact = CompactGrammar::<f64>::new(&grammar);
    assert!(posteriors(&compact, &[], &[(0, 0.0)], Spans::all(0), 0.0).is_none());
    let chart = Chart::new(&grammar, &[], Spans::all(0), &Everything);
    assert_eq!(chart.best(&[(0, 0.0)]), None);
    assert_eq!(KBest::new(&grammar, &chart, &[], &[(0, 0.0)], 1).get(0), None);
}
