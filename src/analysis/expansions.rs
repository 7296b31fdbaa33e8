use super::AnalysisError;
use crate::model::{Factors, GrammarView, Parser, RuleView};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::ops::Range;

/// Roundings of f32 sums stay below this share, so that bounds are not cut too close.
const SLACK: f32 = 1.0 + 1e-4;

/// One binary rule below a known parent; symbols count nonterminals first, then preterminals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    pub left: usize,
    pub right: usize,
    /// p(left, right | parent).
    pub probability: f64,
}

/// Likeliest rules of a parent, most probable first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    pub rules: Vec<Rule>,
    /// Whether they are proven to be the likeliest; else the search ended at its limit.
    pub exact: bool,
}

/// The `k` likeliest expansions of a nonterminal: looked up in a rule tensor, or found without
/// one. After `limit` pairs, or when `stop` says so, the search gives what it has.
pub fn likeliest_rules(
    grammar: &GrammarView,
    parent: usize,
    k: usize,
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> Rules {
    match grammar.rules {
        RuleView::Tensor(_) => Rules { rules: largest_of(grammar, parent, k), exact: k > 0 },
        RuleView::Factors(factors) => search(grammar, &factors, parent, k, limit, stop),
    }
}

fn largest_of(grammar: &GrammarView, parent: usize, k: usize) -> Vec<Rule> {
    let symbols = grammar.symbols();
    let rule = |(pair, &p): (usize, &f32)| Rule {
        left: pair / symbols,
        right: pair % symbols,
        probability: f64::from(p),
    };
    let mut rules: Vec<Rule> = grammar.row(parent).iter().enumerate().map(rule).collect();
    let falling = |a: &Rule, b: &Rule| {
        let by_symbols = (a.left, a.right).cmp(&(b.left, b.right));
        b.probability.total_cmp(&a.probability).then(by_symbols)
    };
    if k < rules.len() {
        rules.select_nth_unstable_by(k, falling);
        rules.truncate(k);
    }
    rules.sort_by(falling);
    rules
}

/// `T[A,B,C] = sum_q U[A,q] V[B,q] W[C,q]` is at most `sum_q U[A,q] V[B,q] max_C' W[C',q]`, and
/// likewise for C. Pairs are tried in falling order of these bounds until no pair left can be
/// among the best.
fn search(
    grammar: &GrammarView,
    factors: &Factors,
    parent: usize,
    k: usize,
    limit: usize,
    stop: &dyn Fn() -> bool,
) -> Rules {
    let symbols = grammar.symbols();
    let u = factors.u_row(parent);
    let lefts = bounds(u, symbols, |s| factors.v_row(s), |s| factors.w_row(s));
    let rights = bounds(u, symbols, |s| factors.w_row(s), |s| factors.v_row(s));

    let mut best: BinaryHeap<Reverse<Candidate>> = BinaryHeap::with_capacity(k + 1);
    let mut tried = 0;
    let mut exact = k > 0;
    let mut weighted = vec![0.0; u.len()];
    'lefts: for &(left_bound, left) in &lefts {
        let worst = |best: &BinaryHeap<Reverse<Candidate>>| match best.peek() {
            Some(Reverse(candidate)) if best.len() == k => candidate.probability,
            _ => 0.0,
        };
        if left_bound * SLACK <= worst(&best) {
            break;
        }
        if stop() {
            exact = false;
            break;
        }
        for ((product, &u), &v) in weighted.iter_mut().zip(u).zip(factors.v_row(left)) {
            *product = u * v;
        }
        for &(right_bound, right) in &rights {
            let worst = worst(&best);
            if right_bound * SLACK <= worst {
                break;
            }
            if tried == limit {
                exact = false;
                break 'lefts;
            }
            tried += 1;
            let probability = dot(&weighted, factors.w_row(right));
            if probability > worst {
                best.push(Reverse(Candidate { probability, left, right }));
                if best.len() > k {
                    best.pop();
                }
            }
        }
    }
    let mut rules: Vec<Rule> = best
        .into_iter()
        .map(|Reverse(Candidate { left, right, .. })| Rule {
            left,
            right,
            probability: grammar.rule(parent, left, right),
        })
        .collect();
    rules.sort_by(|a, b| {
        let by_symbols = (a.left, a.right).cmp(&(b.left, b.right));
        b.probability.total_cmp(&a.probability).then(by_symbols)
    });
    Rules { rules, exact }
}

/// A word and its probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WordProbability {
    pub word: u32,
    pub probability: f32,
}

/// The `k` likeliest words of every preterminal (or state of an HMM) of a range, most probable
/// first.
pub fn likeliest_words(
    parser: &dyn Parser,
    preterminals: Range<usize>,
    k: usize,
) -> Result<Vec<Vec<WordProbability>>, AnalysisError> {
    let rows = parser.emissions(preterminals.clone())?;
    let vocabulary = rows.len() / preterminals.len().max(1);
    let words = |row: &[f32]| {
        let mut words: Vec<WordProbability> = row
            .iter()
            .enumerate()
            .map(|(word, &probability)| WordProbability { word: word as u32, probability })
            .collect();
        let falling = |a: &WordProbability, b: &WordProbability| {
            b.probability.total_cmp(&a.probability).then(a.word.cmp(&b.word))
        };
        if k < words.len() {
            words.select_nth_unstable_by(k, falling);
            words.truncate(k);
        }
        words.sort_by(falling);
        words
    };
    Ok(rows.chunks(vocabulary.max(1)).map(words).collect())
}

/// Symbols with the largest probability that a rule with them on this side can have, falling.
fn bounds<'a>(
    u: &[f32],
    symbols: usize,
    own: impl Fn(usize) -> &'a [f32],
    other: impl Fn(usize) -> &'a [f32],
) -> Vec<(f32, usize)> {
    let mut weights = vec![0.0f32; u.len()];
    for symbol in 0..symbols {
        for (largest, &p) in weights.iter_mut().zip(other(symbol)) {
            *largest = largest.max(p);
        }
    }
    for (weight, &u) in weights.iter_mut().zip(u) {
        *weight *= u;
    }
    let mut bounds: Vec<(f32, usize)> =
        (0..symbols).map(|symbol| (dot(&weights, own(symbol)), symbol)).collect();
    bounds.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    bounds
}

/// Scalar product in eight independent sums, which compilers turn into vector code.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0f32; 8];
    let (a_parts, b_parts) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_parts.remainder().iter().zip(b_parts.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_parts.zip(b_parts) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Candidate {
    probability: f32,
    left: usize,
    right: usize,
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Candidate) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Candidate) -> Ordering {
        self.probability
            .total_cmp(&other.probability)
            .then((other.left, other.right).cmp(&(self.left, self.right)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake::FakeParser;
    use super::*;

    /// All rules of a parent, most probable first.
    fn brute_force(grammar: &GrammarView, parent: usize) -> Vec<Rule> {
        let symbols = grammar.nonterminals + grammar.preterminals;
        let mut rules: Vec<Rule> = (0..symbols)
            .flat_map(|left| (0..symbols).map(move |right| (left, right)))
            .map(|(left, right)| Rule {
                left,
                right,
                probability: grammar.rule(parent, left, right),
            })
            .collect();
        rules.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        rules
    }

    fn grammar(parser: &FakeParser) -> GrammarView<'_> {
        parser.grammar().expect("it has one")
    }

    #[test]
    fn likeliest_rules_equal_brute_force_for_flat_and_for_peaked_grammars() {
        for seed in 0..30 {
            let sharpness = [0.3, 2.0, 8.0][seed as usize % 3];
            let parser = FakeParser::random(5, 9, 11, 20, sharpness, seed);
            let grammar = grammar(&parser);
            for parent in 0..5 {
                let all = brute_force(&grammar, parent);
                assert!((all.iter().map(|r| r.probability).sum::<f64>() - 1.0).abs() < 1e-5);
                let found = likeliest_rules(&grammar, parent, 7, usize::MAX, &|| false);
                assert!(found.exact);
                assert_eq!(found.rules.len(), 7);
                for (a, b) in found.rules.iter().zip(&all) {
                    let difference = (a.probability - b.probability).abs();
                    assert!(difference < 1e-6 * b.probability, "{a:?} {b:?} seed {seed}");
                }
            }
        }
    }

    #[test]
    fn likeliest_rules_of_a_tensor_equal_those_of_its_factors() {
        let parser = FakeParser::random(3, 4, 5, 20, 2.0, 1);
        let factors = parser.grammar().expect("a grammar");
        let symbols = factors.symbols();
        let pairs = (0..3).flat_map(|a| (0..symbols * symbols).map(move |pair| (a, pair)));
        let tensor: Vec<f32> =
            pairs.map(|(a, pair)| factors.rule(a, pair / symbols, pair % symbols) as f32).collect();
        let tensor = GrammarView { rules: RuleView::Tensor(&tensor), ..factors };
        for parent in 0..3 {
            for k in [0, 1, 7, 1000] {
                let ours = likeliest_rules(&tensor, parent, k, usize::MAX, &|| false);
                let theirs = likeliest_rules(&factors, parent, k, usize::MAX, &|| false);
                assert_eq!((ours.rules.len(), ours.exact), (theirs.rules.len(), theirs.exact));
                for (a, b) in ours.rules.iter().zip(&theirs.rules) {
                    assert_eq!((a.left, a.right), (b.left, b.right));
                    assert!((a.probability - b.probability).abs() < 1e-6 * b.probability);
                }
            }
        }
    }

    #[test]
    fn a_peaked_grammar_needs_few_of_its_pairs() {
        let parser = FakeParser::random(40, 80, 32, 20, 12.0, 1);
        let found = likeliest_rules(&grammar(&parser), 3, 5, 120 * 120 / 10, &|| false);
        assert!(found.exact);
    }

    #[test]
    fn a_search_that_reaches_its_limit_says_so() {
        let parser = FakeParser::random(5, 9, 11, 20, 0.1, 1);
        let found = likeliest_rules(&grammar(&parser), 0, 7, 20, &|| false);
        assert!(!found.exact);
        assert_eq!(found.rules.len(), 7);
    }

    #[test]
    fn a_search_that_is_stopped_says_that_it_proved_nothing() {
        let parser = FakeParser::random(5, 9, 11, 20, 1.0, 1);
        let found = likeliest_rules(&grammar(&parser), 0, 7, usize::MAX, &|| true);
        assert_eq!(found, Rules { rules: vec![], exact: false });
    }

    #[test]
    fn more_rules_than_there_are_gives_all_of_them() {
        let parser = FakeParser::random(2, 3, 4, 5, 1.0, 1);
        assert_eq!(
            likeliest_rules(&grammar(&parser), 0, 1000, usize::MAX, &|| false).rules.len(),
            25
        );
    }

    #[test]
    fn likeliest_words_are_those_with_the_largest_emission() {
        let parser = FakeParser::random(2, 3, 4, 50, 3.0, 4);
        let words = likeliest_words(&parser, 1..3, 4).expect("rows exist");
        assert_eq!(words.len(), 2);
        let row = parser.emissions(2..3).expect("a row");
        let mut sorted = row.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let found: Vec<f32> = words[1].iter().map(|w| w.probability).collect();
        assert_eq!(found, sorted[..4]);
        assert_eq!(row[words[1][0].word as usize], sorted[0]);
    }
}
