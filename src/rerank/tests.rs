use super::gradient::{self, Blocks, Sum};
use super::perceptron::{Dual, Over, Primal, Settings, Update, Vector, best, learn};
use super::tree_kernel::{Subtrees, TreeSpace, tree_kernel};
use super::weights::{difference, product};
use crate::config::{FirstWeights, Loss};
use crate::parser::{Step, Trace};
use crate::treebank::{Place, Reader, Tree, TreeBuilder};
use proptest::prelude::*;
use std::sync::Arc;

const DECISIONS: usize = 4;
const HIDDEN: usize = 2;

/// Decisions of a candidate: what was taken, a mask of what was allowed, and h.
type Derivation = Vec<(u32, u8, [f64; HIDDEN])>;

fn derivation() -> impl Strategy<Value = Derivation> {
    let step = (0..DECISIONS as u32, any::<u8>(), prop::array::uniform2(0.0..1.0f64));
    prop::collection::vec(step, 1..5)
}

fn theta() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-2.0..2.0f64, DECISIONS * HIDDEN)
}

/// The trace of a derivation by a model whose output weights are theta.
fn traced<'a>(derivation: &Derivation, theta: &[f64]) -> Trace<'a> {
    let mut trace = Trace::default();
    for &(decision, mask, h) in derivation {
        let score = |a: u32| -> f64 {
            let row = &theta[a as usize * HIDDEN..][..HIDDEN];
            row.iter().zip(h).map(|(t, h)| t * h).sum()
        };
        let allowed = (0..DECISIONS as u32).filter(|a| *a == decision || mask >> a & 1 == 1);
        let sum: f64 = allowed.clone().map(|a| score(a).exp()).sum();
        trace.steps.push(Step {
            decision,
            log_prob: score(decision) - sum.ln(),
            allowed: allowed.map(|a| (a, score(a).exp() / sum)).collect(),
            history: h.to_vec().into(),
        });
    }
    trace
}

/// The derivative of a function of theta, by central differences.
fn numeric(theta: &[f64], of: impl Fn(&[f64]) -> f64) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let at = |i: usize, by: f64| {
        let mut moved = theta.to_vec();
        moved[i] += by;
        of(&moved)
    };
    (0..theta.len()).map(|i| (at(i, STEP) - at(i, -STEP)) / (2.0 * STEP)).collect()
}

fn dense(blocks: &Blocks) -> Vec<f64> {
    let mut all = vec![0.0; DECISIONS * HIDDEN];
    blocks.add_to(1.0, &mut all);
    all
}

fn near(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6 * (1.0 + b.abs()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn fisher_features_are_the_derivative_of_the_log_probability(
        derivation in derivation(), theta in theta(),
    ) {
        let mut sum = Sum::new(DECISIONS, HIDDEN);
        let found = dense(&gradient::whole(&traced(&derivation, &theta), &mut sum));
        let expected = numeric(&theta, |theta| traced(&derivation, theta).log_prob());
        prop_assert!(near(&found, &expected), "{found:?} {expected:?}");
    }

    /// With P(c = +1) = p_k over the list, v of binary TOP is log p_k - log (1 - p_k).
    #[test]
    fn top_reranking_is_binary_top_over_the_list_and_its_features_are_the_derivative(
        list in prop::collection::vec(derivation(), 2..5), theta in theta(),
    ) {
        let log_probs = |theta: &[f64]| -> Vec<f64> {
            list.iter().map(|d| traced(d, theta).log_prob()).collect()
        };
        let mut sum = Sum::new(DECISIONS, HIDDEN);
        let gradients: Vec<Blocks> =
            list.iter().map(|d| gradient::whole(&traced(d, &theta), &mut sum)).collect();
        let top = gradient::top(&log_probs(&theta), &gradients, &mut sum);
        for k in 0..list.len() {
            let binary = |theta: &[f64]| {
                let weights: Vec<f64> = log_probs(theta).iter().map(|p| p.exp()).collect();
                let p = weights[k] / weights.iter().sum::<f64>();
                p.ln() - (1.0 - p).ln()
            };
            let v = gradient::odds(&log_probs(&theta))[k].v;
            prop_assert!((v - binary(&theta)).abs() < 1e-9);
            let v = |theta: &[f64]| gradient::odds(&log_probs(theta))[k].v;
            prop_assert!(near(&dense(&top[k]), &numeric(&theta, v)));
        }
    }

    /// With the normalisers frozen, log P is the sum of theta_d . h but for a constant.
    #[test]
    fn efficient_features_are_the_derivative_with_frozen_normalisers(
        list in prop::collection::vec(derivation(), 2..5), theta in theta(),
    ) {
        let log_probs: Vec<f64> = list.iter().map(|d| traced(d, &theta).log_prob()).collect();
        let frozen = |moved: &[f64]| -> Vec<f64> {
            let taken = |d: &Derivation| -> f64 {
                let mut sum = Sum::new(DECISIONS, HIDDEN);
                let change: Vec<f64> = moved.iter().zip(&theta).map(|(a, b)| a - b).collect();
                gradient::taken(&traced(d, &theta), &mut sum).dot(&change)
            };
            list.iter().zip(&log_probs).map(|(d, p)| p + taken(d)).collect()
        };
        let mut sum = Sum::new(DECISIONS, HIDDEN);
        let gradients: Vec<Blocks> =
            list.iter().map(|d| gradient::taken(&traced(d, &theta), &mut sum)).collect();
        let top = gradient::top(&log_probs, &gradients, &mut sum);
        for (k, found) in top.iter().enumerate() {
            let v = |theta: &[f64]| gradient::odds(&frozen(theta))[k].v;
            prop_assert!(near(&dense(found), &numeric(&theta, v)));
        }
    }
}

/// Lists of candidates: F1, and a vector of a log-probability and two blocks.
fn lists() -> impl Strategy<Value = Vec<Vec<(f64, f64, [i8; 4])>>> {
    let candidate = (0..10u8, -20.0..0.0f64, prop::array::uniform4(-2i8..3));
    let candidate = candidate.prop_map(|(f1, first, blocks)| (f64::from(f1) / 10.0, first, blocks));
    prop::collection::vec(prop::collection::vec(candidate, 1..5), 1..6)
}

fn vector(first: f64, blocks: [i8; 4]) -> Vector {
    let mut vector = Vector { first, ..Vector::default() };
    for (row, block) in blocks.chunks_exact(HIDDEN).enumerate() {
        if block.iter().any(|x| *x != 0) {
            vector.blocks.rows.push(row as u32);
            vector.blocks.values.extend(block.iter().map(|x| f64::from(*x)));
        }
    }
    vector
}

fn settings() -> impl Strategy<Value = Settings> {
    let losses = prop::sample::select(vec![Loss::F1, Loss::ZeroOne]);
    let inits = vec![FirstWeights::Zero, FirstWeights::LogProbOne, FirstWeights::LogProbFixed];
    (1..4usize, losses, prop::sample::select(inits)).prop_map(|(epochs, loss, init)| Settings {
        epochs,
        loss,
        init,
    })
}

proptest! {
    #[test]
    fn the_dual_perceptron_scores_as_the_primal_one_does(
        lists in lists(), settings in settings(),
    ) {
        let f1: Vec<Vec<f64>> =
            lists.iter().map(|l| l.iter().map(|(f1, ..)| *f1).collect()).collect();
        let vectors: Vec<Vec<Vector>> =
            lists.iter().map(|l| l.iter().map(|&(_, p, b)| vector(p, b)).collect()).collect();
        let mut primal = Over::<Vector>::new(Primal::new(1 + 2 * HIDDEN, settings.init));
        let run = learn(&mut primal, &mut vectors.clone(), &f1, settings);
        let of = |(s, k): (usize, usize)| &vectors[s][k];
        let mut dual = Dual::new(|a, b| product(of(a), of(b)), |a| of(a).first, settings.init);
        let mut numbers: Vec<usize> = (0..lists.len()).collect();
        let again = learn(&mut dual, &mut numbers, &f1, settings);
        prop_assert_eq!(&run, &again);
        let averaged = primal.weights.averaged(run.steps);
        let share = |update: &Update| 1.0 - update.step as f64 / run.steps.max(1) as f64;
        for (s, list) in vectors.iter().enumerate() {
            for (k, phi) in list.iter().enumerate() {
                use super::perceptron::{Features, Space};
                let now = dual.score(&s, k);
                prop_assert!((now - phi.dot(primal.weights.weights())).abs() < 1e-6);
                let mean = dual.score_with((s, k), share);
                prop_assert!((mean - phi.dot(&averaged)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn differences_and_products_of_sparse_vectors_are_those_of_dense_ones(
        a in prop::array::uniform4(-2i8..3), b in prop::array::uniform4(-2i8..3), p in -9.0..0.0f64,
    ) {
        let (x, y) = (vector(p, a), vector(1.0, b));
        let whole = |v: &Vector| {
            let mut all = vec![0.0; 1 + 2 * HIDDEN];
            all[0] = v.first;
            v.blocks.add_to(1.0, &mut all[1..]);
            all
        };
        let (dense_x, dense_y) = (whole(&x), whole(&y));
        let expected: f64 = dense_x.iter().zip(&dense_y).map(|(a, b)| a * b).sum();
        prop_assert!((product(&x, &y) - expected).abs() < 1e-9);
        let found = whole(&difference(&x, &y, 0.5));
        let expected: Vec<f64> = dense_x.iter().zip(&dense_y).map(|(a, b)| 0.5 * (a - b)).collect();
        prop_assert!(near(&found, &expected));
    }
}

/// Trees over few labels and words, so that they have much in common.
fn small_tree() -> impl Strategy<Value = Tree> {
    #[derive(Clone, Debug)]
    enum Shape {
        Word(u8, u8),
        Phrase(u8, Vec<Shape>),
    }
    fn build(shape: &Shape, into: &mut TreeBuilder) {
        match shape {
            Shape::Word(tag, word) => {
                into.word(["N", "V"][*tag as usize % 2], ["a", "b"][*word as usize % 2]);
            }
            Shape::Phrase(label, children) => {
                into.open(["S", "X"][*label as usize % 2]);
                children.iter().for_each(|child| build(child, into));
                into.close();
            }
        }
    }
    let leaf = (any::<u8>(), any::<u8>()).prop_map(|(t, w)| Shape::Word(t, w));
    let shape = leaf.prop_recursive(3, 12, 3, |inner| {
        (any::<u8>(), prop::collection::vec(inner, 1..4)).prop_map(|(l, c)| Shape::Phrase(l, c))
    });
    shape.prop_map(|shape| {
        let mut builder = TreeBuilder::new();
        builder.open("TOP");
        build(&shape, &mut builder);
        builder.close();
        builder.finish(Place::default()).expect("one root")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn weights_on_subtrees_score_as_sums_of_tree_kernels_do(
        lists in prop::collection::vec(
            prop::collection::vec((small_tree(), 0..10u8, -9.0..0.0f64), 1..4), 1..5),
        settings in settings(),
    ) {
        let f1: Vec<Vec<f64>> =
            lists.iter().map(|l| l.iter().map(|(_, f1, _)| f64::from(*f1)).collect()).collect();
        let mut subtrees = Subtrees::new(0.4);
        let nodes: Vec<Vec<_>> =
            lists.iter().map(|l| l.iter().map(|(t, ..)| subtrees.nodes(t)).collect()).collect();
        let mut space = TreeSpace::new(Arc::new(subtrees), false, settings.init);
        space.keep_history();
        let first = |s: usize| lists[s].iter().map(|(_, _, p)| *p).collect::<Vec<f64>>();
        // Scores of a list change while others are learned from: every list is made anew.
        let mut run = super::perceptron::Run::default();
        for epoch in 1..=settings.epochs {
            for s in 0..lists.len() {
                let mut list = space.list(&nodes[s], first(s));
                super::perceptron::learn_from(
                    &mut space, &mut list, (epoch, s), &f1[s], settings.loss, &mut run);
            }
        }
        let of = |(s, k): (usize, usize)| &lists[s][k];
        let kernel = |a, b| {
            let ((x, _, p), (y, _, q)) = (of(a), of(b));
            p * q + tree_kernel(x, y, 0.4)
        };
        let mut dual = Dual::new(kernel, |a| of(a).2, settings.init);
        let mut numbers: Vec<usize> = (0..lists.len()).collect();
        let expected = learn(&mut dual, &mut numbers, &f1, settings);
        prop_assert_eq!(&run, &expected);
        let averaged = space.averaged(run.steps);
        let share = |update: &Update| 1.0 - update.step as f64 / run.steps.max(1) as f64;
        for s in 0..lists.len() {
            use super::perceptron::Space;
            let (list, mean) = (space.list(&nodes[s], first(s)), averaged.list(&nodes[s], first(s)));
            for k in 0..lists[s].len() {
                prop_assert!((space.score(&list, k) - dual.score(&s, k)).abs() < 1e-6);
                let expected = dual.score_with((s, k), share);
                prop_assert!((averaged.score(&mean, k) - expected).abs() < 1e-6);
            }
            // What updates add is what they change.
            for (update, change) in run.updates.iter().zip(space.history()) {
                for (k, gain) in space.gains(&list, change).into_iter().enumerate() {
                    prop_assert!((gain - dual.gain(update, (s, k))).abs() < 1e-6);
                }
            }
        }
    }

    #[test]
    fn subtrees_come_back_from_their_numbers_with_what_is_below_them(trees in prop::collection::vec(small_tree(), 1..4)) {
        let mut subtrees = Subtrees::new(0.4);
        let nodes: Vec<_> = trees.iter().map(|t| subtrees.nodes(t)).collect();
        let kept: Vec<u32> = nodes[0].0.iter().map(|(id, _)| *id).collect();
        let (stored, numbers) = subtrees.store(&kept);
        let mut again = Subtrees::restore(0.4, &stored).expect("as it was stored");
        prop_assert!(again.len() <= subtrees.len());
        for (a, b) in kept.iter().zip(&numbers) {
            prop_assert_eq!(subtrees.common(*a, *a), again.common(*b, *b));
        }
        let len = again.len();
        let found = again.nodes(&trees[0]);
        prop_assert_eq!(again.len(), len);
        prop_assert_eq!(again.kernel(&found, &found), subtrees.kernel(&nodes[0], &nodes[0]));
    }
}

#[test]
fn the_first_of_equal_candidates_is_taken_and_none_of_none() {
    assert_eq!(best([1.0, 2.0, 2.0]), Some(1));
    assert_eq!(best([f64::NEG_INFINITY]), Some(0));
    assert_eq!(best([]), None);
    assert_eq!(super::perceptron::reference(&[0.5, 0.9, 0.9]), 1);
}

#[test]
fn subtrees_of_any_depth_are_compared() {
    let deep = |word: &str| {
        let text = format!("{}(N {word}){}", "(S ".repeat(100_000), ")".repeat(100_000));
        Reader::new(text.as_bytes(), "").next().expect("a tree").expect("well formed")
    };
    let mut subtrees = Subtrees::new(0.1);
    let [a, b] = ["a", "b"].map(|word| subtrees.nodes(&deep(word)).0);
    // The root is the subtree that was met last.
    let [a, b] = [a, b].map(|nodes| nodes.iter().map(|(id, _)| *id).max().expect("nodes"));
    assert!((subtrees.common(a, b) - 0.1 / 0.9).abs() < 1e-12);
}

#[test]
fn a_candidate_alone_has_no_features_against_others() {
    let theta = [0.0; DECISIONS * HIDDEN];
    let trace = traced(&vec![(0, 3, [1.0, 1.0])], &theta);
    let mut sum = Sum::new(DECISIONS, HIDDEN);
    let gradients = [gradient::whole(&trace, &mut sum)];
    assert_eq!(gradient::top(&[trace.log_prob()], &gradients, &mut sum), [Blocks::default()]);
    assert_eq!(gradient::odds(&[-3.0])[0].v, f64::INFINITY);
}
