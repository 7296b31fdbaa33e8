//! Candidate lists, features, kernels, perceptron and shuffling against `rerank/*.json`.

use crate::shared::{golden_files, shared};
use rankspace::config::{FirstWeights, Loss};
use rankspace::evaluation::significance::{
    EXACT_UP_TO, Figure, Method, Sample, Samples, randomise,
};
use rankspace::parser::{Step, Trace};
use rankspace::rerank::gradient::{self, Blocks};
use rankspace::rerank::perceptron::{
    Dual, Features, Over, Primal, Settings, Update, Vector, Votes, best, learn, versions,
};
use rankspace::rerank::tree_kernel::{Subtrees, normalised_tree_kernel, tree_kernel};
use rankspace::treebank::candidates::{CandidateFile, ListFormat, Lists, ReadOptions};
use rankspace::treebank::{Reader, Tree};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// The contents of all golden files of a family.
fn golden<T: DeserializeOwned>(family: &str) -> Vec<T> {
    let Some(folder) = shared("golden/rerank") else { return Vec::new() };
    let files = golden_files(&folder, family, ".json");
    assert!(!files.is_empty(), "no {family}*.json in {}", folder.display());
    files.iter().map(read).collect()
}

fn read<T: DeserializeOwned>(path: &PathBuf) -> T {
    let text = std::fs::read_to_string(path).expect("a golden file can be read");
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

#[derive(Deserialize)]
struct NBest {
    files: Vec<ListFile>,
}

#[derive(Deserialize)]
struct ListFile {
    name: String,
    format: String,
    log_base: serde_json::Value,
    text: String,
    sentences: Vec<ListSentence>,
    dropped: Vec<ListDrop>,
    messages: Vec<ListMessage>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListSentence {
    id: Option<String>,
    line: u32,
    words: Vec<String>,
    gold: Option<String>,
    candidates: Vec<ListCandidate>,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListCandidate {
    tree: String,
    score: f64,
    line: u32,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListDrop {
    line: u32,
    sentence: Option<usize>,
    reason: String,
}

#[derive(Debug, PartialEq, Deserialize)]
struct ListMessage {
    line: u32,
    kind: String,
    sentence: Option<usize>,
    announced: Option<usize>,
    found: Option<usize>,
}

/// What was read, in the words of the golden files.
fn as_golden(file: &CandidateFile) -> (Vec<ListSentence>, Vec<ListDrop>, Vec<ListMessage>) {
    let sentences = file.lists.iter().map(|list| ListSentence {
        id: list.id.clone(),
        line: list.line,
        words: list.words.iter().map(|w| w.to_string()).collect(),
        gold: list.gold.as_ref().map(|g| g.to_string()),
        candidates: list
            .candidates
            .iter()
            .map(|c| ListCandidate { tree: c.tree.to_string(), score: c.log_prob, line: c.line })
            .collect(),
    });
    let dropped = file.dropped.iter().map(|d| ListDrop {
        line: d.line,
        sentence: d.sentence,
        reason: d.reason.name().to_owned(),
    });
    let messages = file.messages.iter().map(|m| ListMessage {
        line: m.line,
        kind: m.kind.name().to_owned(),
        sentence: m.sentence,
        announced: m.kind.numbers().map(|n| n.0),
        found: m.kind.numbers().map(|n| n.1),
    });
    (sentences.collect(), dropped.collect(), messages.collect())
}

#[test]
fn golden_rerank_nbest_lists_drops_and_messages_are_those_expected() {
    for golden in golden::<NBest>("nbest") {
        for file in golden.files {
            let options = ReadOptions::default();
            let read = Lists::new(file.text.as_bytes(), &file.name, options)
                .unwrap_or_else(|e| panic!("{e}"))
                .collect_all();
            let name = &file.name;
            assert_eq!(read.format, ListFormat::named(&file.format).expect("a format"), "{name}");
            let base = file.log_base.as_str().map_or(file.log_base.to_string(), str::to_owned);
            assert_eq!(read.log_base.to_string(), base, "{name}");
            let (sentences, dropped, messages) = as_golden(&read);
            assert_eq!(sentences.len(), file.sentences.len(), "{name}");
            for (found, expected) in sentences.iter().zip(&file.sentences) {
                let scores = found.candidates.iter().zip(&expected.candidates);
                assert!(scores.clone().all(|(a, b)| (a.score - b.score).abs() < 1e-9), "{name}");
                let all = (&found.id, found.line, &found.words, &found.gold);
                let wanted = (&expected.id, expected.line, &expected.words, &expected.gold);
                assert_eq!(all, wanted, "{name}");
                let trees = |s: &ListSentence| -> Vec<(String, u32)> {
                    s.candidates.iter().map(|c| (c.tree.clone(), c.line)).collect()
                };
                assert_eq!(trees(found), trees(expected), "{name}");
            }
            assert_eq!(dropped, file.dropped, "{name}");
            assert_eq!(messages, file.messages, "{name}");
        }
    }
}

#[derive(Deserialize)]
struct FeatureCases {
    cases: Vec<FeatureCase>,
}

#[derive(Deserialize)]
struct FeatureCase {
    name: String,
    decisions: usize,
    hidden: usize,
    theta: Vec<Vec<f64>>,
    candidates: Vec<Steps>,
    occurring_decisions: Vec<u32>,
    log_list_sum: f64,
    expected: Vec<ExpectedFeatures>,
}

#[derive(Deserialize)]
struct Steps {
    decisions: Vec<u32>,
    allowed: Vec<Vec<u32>>,
    h: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct ExpectedFeatures {
    log_p: f64,
    step_log_p: Vec<f64>,
    p: f64,
    one_minus_p: f64,
    fisher: Vec<Vec<f64>>,
    v: f64,
    top_gradient: Vec<Vec<f64>>,
    top_efficient: Vec<(u32, Vec<f64>)>,
}

/// The trace of a candidate by a model that is its output weights.
fn traced<'a>(steps: &'a Steps, theta: &[Vec<f64>]) -> Trace<'a> {
    let mut trace = Trace::default();
    for ((&decision, allowed), h) in steps.decisions.iter().zip(&steps.allowed).zip(&steps.h) {
        let score = |a: u32| theta[a as usize].iter().zip(h).map(|(t, h)| t * h).sum::<f64>();
        let most = allowed.iter().map(|&a| score(a)).fold(f64::NEG_INFINITY, f64::max);
        let normaliser = most + allowed.iter().map(|&a| (score(a) - most).exp()).sum::<f64>().ln();
        trace.steps.push(Step {
            decision,
            log_prob: score(decision) - normaliser,
            allowed: allowed.iter().map(|&a| (a, (score(a) - normaliser).exp())).collect(),
            history: h.as_slice().into(),
        });
    }
    trace
}

/// Largest difference of rows, beside the largest value that is expected.
fn error(found: &Blocks, expected: &[(u32, &Vec<f64>)]) -> f64 {
    let largest =
        expected.iter().flat_map(|(_, row)| row.iter()).fold(0.0, |m: f64, x| m.max(x.abs()));
    let mut worst: f64 = 0.0;
    for (row, values) in expected {
        let ours = found.iter().find(|(r, _)| r == row).map(|(_, block)| block);
        for (i, value) in values.iter().enumerate() {
            worst = worst.max((ours.map_or(0.0, |block| block[i]) - value).abs());
        }
    }
    for (row, block) in found.iter() {
        if !expected.iter().any(|(r, _)| *r == row) {
            worst = block.iter().fold(worst, |m, x| m.max(x.abs()));
        }
    }
    worst / if largest > 0.0 { largest } else { 1.0 }
}

#[test]
fn golden_rerank_features_of_all_kernels_are_exact() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * b.abs().max(1e-300);
    for case in golden::<FeatureCases>("features").into_iter().flat_map(|g| g.cases) {
        let name = &case.name;
        let traces: Vec<Trace> = case.candidates.iter().map(|c| traced(c, &case.theta)).collect();
        let log_p: Vec<f64> = traces.iter().map(Trace::log_prob).collect();
        let mut sum = gradient::Sum::new(case.decisions, case.hidden);
        let whole: Vec<Blocks> = traces.iter().map(|t| gradient::whole(t, &mut sum)).collect();
        let taken: Vec<Blocks> = traces.iter().map(|t| gradient::taken(t, &mut sum)).collect();
        let top = gradient::top(&log_p, &whole, &mut sum);
        let efficient = gradient::top(&log_p, &taken, &mut sum);
        let odds = gradient::odds(&log_p);
        for (k, expected) in case.expected.iter().enumerate() {
            let steps: Vec<f64> = traces[k].steps.iter().map(|s| s.log_prob).collect();
            assert!(steps.iter().zip(&expected.step_log_p).all(|(a, b)| (a - b).abs() < 1e-9));
            assert!(near(log_p[k], expected.log_p), "{name} {k}");
            let absolute = |a: f64, b: f64| near(a, b) || (a - b).abs() < 1e-9;
            assert!(absolute(log_p[k] - odds[k].p.ln(), case.log_list_sum), "{name} {k}");
            assert!(near(odds[k].p, expected.p), "{name} {k}");
            assert!(near(odds[k].others, expected.one_minus_p), "{name} {k}");
            assert!(absolute(odds[k].v, expected.v), "{name} {k}: {}", odds[k].v);
            let rows = |all: &'_ [Vec<f64>]| -> Vec<(u32, Vec<f64>)> {
                all.iter().enumerate().map(|(a, row)| (a as u32, row.clone())).collect()
            };
            for (what, found, wanted) in [
                ("fisher", &whole[k], rows(&expected.fisher)),
                ("top", &top[k], rows(&expected.top_gradient)),
                ("efficient", &efficient[k], expected.top_efficient.clone()),
            ] {
                let wanted: Vec<(u32, &Vec<f64>)> = wanted.iter().map(|(a, r)| (*a, r)).collect();
                let error = error(found, &wanted);
                assert!(error <= 1e-9, "{name} {k} {what}: {error:e}");
            }
            let occurs = |row: &u32| case.occurring_decisions.contains(row);
            assert!(efficient[k].rows.iter().all(occurs), "{name} {k}");
        }
    }
}

#[derive(Deserialize)]
struct KernelPairs {
    pairs: Vec<KernelPair>,
}

#[derive(Deserialize)]
struct KernelPair {
    a: String,
    b: String,
    fragments_of_a: f64,
    values: Vec<KernelValue>,
}

#[derive(Deserialize)]
struct KernelValue {
    lambda: f64,
    kernel: f64,
    self_a: f64,
    self_b: f64,
    normalised: f64,
}

fn tree(text: &str) -> Tree {
    Reader::new(text.as_bytes(), "golden").next().expect("a tree").expect("well formed")
}

#[test]
fn golden_rerank_tree_kernel_counts_the_fragments_that_trees_have_in_common() {
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    for pair in golden::<KernelPairs>("tree_kernel").into_iter().flat_map(|g| g.pairs) {
        let (a, b) = (tree(&pair.a), tree(&pair.b));
        let mut counting = Subtrees::new(1.0);
        let nodes = counting.nodes(&a);
        let fragments = nodes.0.iter().map(|&(id, n)| f64::from(n) * counting.common(id, id));
        assert_eq!(fragments.sum::<f64>(), pair.fragments_of_a, "{}", pair.a);
        for value in &pair.values {
            let lambda = value.lambda;
            for (x, y, expected) in [
                (&a, &b, value.kernel),
                (&b, &a, value.kernel),
                (&a, &a, value.self_a),
                (&b, &b, value.self_b),
            ] {
                let found = tree_kernel(x, y, lambda);
                assert!(near(found, expected), "{} {} {lambda}: {found}", pair.a, pair.b);
            }
            assert!(near(normalised_tree_kernel(&a, &b, lambda), value.normalised), "{}", pair.a);
        }
    }
}

#[derive(Deserialize)]
struct PerceptronCases {
    cases: Vec<PerceptronCase>,
}

#[derive(Deserialize)]
struct PerceptronCase {
    name: String,
    lists: Vec<PerceptronList>,
    runs: Vec<PerceptronRun>,
}

#[derive(Deserialize)]
struct PerceptronList {
    f1: Vec<f64>,
    phi: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct PerceptronRun {
    epochs: usize,
    init: FirstWeights,
    loss: Loss,
    steps: u64,
    updates: Vec<PerceptronUpdate>,
    final_weights: Vec<f64>,
    averaged_weights: Vec<f64>,
    versions: Vec<PerceptronVersion>,
    decisions: Vec<PerceptronDecision>,
}

#[derive(Deserialize)]
struct PerceptronUpdate {
    epoch: usize,
    sentence: usize,
    candidate: usize,
    delta: f64,
    weights: Vec<f64>,
}

#[derive(Deserialize)]
struct PerceptronVersion {
    weights: Vec<f64>,
    survival: u64,
}

#[derive(Deserialize)]
struct PerceptronDecision {
    r#final: usize,
    averaged: usize,
    voted: usize,
    votes: Vec<u64>,
    averaged_scores: Vec<f64>,
}

/// Some features as blocks, so that dense and sparse vectors are held against the same numbers.
fn sparse(phi: &[f64]) -> Vector {
    let rows = (0..phi.len() as u32 - 1).filter(|&row| phi[row as usize + 1] != 0.0);
    let rows: Vec<u32> = rows.collect();
    let values = rows.iter().map(|&row| phi[row as usize + 1]).collect();
    Vector { first: phi[0], blocks: Blocks { rows, values } }
}

fn all_near(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() <= 1e-9 * b.abs().max(1.0))
}

fn check_run(name: &str, lists: &[PerceptronList], expected: &PerceptronRun) {
    let f1: Vec<Vec<f64>> = lists.iter().map(|l| l.f1.clone()).collect();
    let features = lists[0].phi[0].len();
    let settings = Settings { epochs: expected.epochs, loss: expected.loss, init: expected.init };
    let first = Primal::new(features, expected.init);
    let mut dense: Vec<Vec<Vec<f64>>> = lists.iter().map(|l| l.phi.clone()).collect();
    let mut space = Over::<Vec<f64>>::new(first.clone());
    let run = learn(&mut space, &mut dense, &f1, settings);
    let mut blocks: Vec<Vec<Vector>> =
        lists.iter().map(|l| l.phi.iter().map(|phi| sparse(phi)).collect()).collect();
    let mut sparse_space = Over::<Vector>::new(first.clone());
    assert_eq!(learn(&mut sparse_space, &mut blocks, &f1, settings), run, "{name}");
    let phi = |(sentence, k): (usize, usize)| &lists[sentence].phi[k];
    let kernel = |a, b| phi(a).iter().zip(phi(b)).map(|(x, y)| x * y).sum::<f64>();
    let mut dual = Dual::new(kernel, |item| phi(item)[0], expected.init);
    let mut numbers: Vec<usize> = (0..lists.len()).collect();
    assert_eq!(learn(&mut dual, &mut numbers, &f1, settings), run, "{name}");

    assert_eq!(run.steps, expected.steps, "{name}");
    assert_eq!(run.updates.len(), expected.updates.len(), "{name}");
    for (found, wanted) in run.updates.iter().zip(&expected.updates) {
        let places = (found.epoch, found.sentence, found.candidate);
        assert_eq!(places, (wanted.epoch, wanted.sentence, wanted.candidate), "{name}");
        assert!((found.delta - wanted.delta).abs() < 1e-12, "{name}");
    }
    for space in [&space.weights, &sparse_space.weights] {
        assert!(all_near(space.weights(), &expected.final_weights), "{name}");
        assert!(all_near(&space.averaged(run.steps), &expected.averaged_weights), "{name}");
    }
    let versions = versions(&run);
    let survivals: Vec<u64> = versions.iter().map(|v| v.survival).collect();
    assert_eq!(survivals, expected.versions.iter().map(|v| v.survival).collect::<Vec<_>>());
    let mut weights = first;
    assert!(all_near(weights.weights(), &expected.versions[0].weights), "{name}");
    for (i, update) in run.updates.iter().enumerate() {
        weights.move_by(
            phi((update.sentence, update.reference)),
            phi((update.sentence, update.candidate)),
            *update,
        );
        assert!(all_near(weights.weights(), &expected.versions[i + 1].weights), "{name} {i}");
        assert!(all_near(weights.weights(), &expected.updates[i].weights), "{name} {i}");
    }
    let averaged = space.weights.averaged(run.steps);
    for (s, (list, decision)) in lists.iter().zip(&expected.decisions).enumerate() {
        let scores = |weights: &[f64]| -> Vec<f64> {
            list.phi.iter().map(|phi| Features::dot(phi, weights)).collect()
        };
        assert_eq!(best(scores(space.weights.weights())), Some(decision.r#final), "{name} {s}");
        assert_eq!(best(scores(&averaged)), Some(decision.averaged), "{name} {s}");
        assert!(all_near(&scores(&averaged), &decision.averaged_scores), "{name} {s}");
        let items = || (0..list.phi.len()).map(|k| (s, k));
        let share = |update: &Update| 1.0 - update.step as f64 / run.steps as f64;
        let by_dual: Vec<f64> = items().map(|item| dual.score_with(item, share)).collect();
        assert!(all_near(&by_dual, &decision.averaged_scores), "{name} {s}");
        let first_scores = scores(&expected.versions[0].weights);
        let mut votes = Votes::new(first_scores, versions[0].survival);
        for (update, version) in run.updates.iter().zip(&versions[1..]) {
            votes.next(items().map(|item| dual.gain(update, item)), version.survival);
        }
        assert_eq!(votes.votes(), decision.votes, "{name} {s}");
        assert_eq!(votes.elected(), Some(decision.voted), "{name} {s}");
    }
}

#[test]
fn golden_rerank_perceptron_steps_weights_and_votes_are_those_expected() {
    for case in golden::<PerceptronCases>("perceptron").into_iter().flat_map(|g| g.cases) {
        for (i, run) in case.runs.iter().enumerate() {
            check_run(&format!("{} run {i}", case.name), &case.lists, run);
        }
    }
}

#[derive(Deserialize)]
struct ShufflingCases {
    cases: Vec<ShufflingCase>,
}

#[derive(Deserialize)]
struct ShufflingCase {
    name: String,
    a: Vec<[u64; 3]>,
    b: Vec<[u64; 3]>,
    observed: PerFigure,
    p_exact: PerFigure,
    standard_error_10000: PerFigure,
}

#[derive(Deserialize)]
struct PerFigure {
    recall: f64,
    precision: f64,
    f1: f64,
}

impl PerFigure {
    fn all(&self) -> [f64; 3] {
        [self.recall, self.precision, self.f1]
    }
}

#[test]
fn golden_rerank_shuffling_has_the_exact_p_values_and_random_ones_near_them() {
    let figures = [Figure::Recall, Figure::Precision, Figure::F1];
    for case in golden::<ShufflingCases>("shuffling").into_iter().flat_map(|g| g.cases) {
        let name = &case.name;
        let sample = |&[matched, gold, test]: &[u64; 3]| Sample { matched, gold, test, f1: None };
        let sentences = case.a.iter().zip(&case.b).map(|(a, b)| [sample(a), sample(b)]).collect();
        let samples = Samples { sentences, ..Samples::default() };
        let [a, b] = samples.sums();
        for (figure, observed) in figures.iter().zip(case.observed.all()) {
            let difference = (b.figure(*figure) - a.figure(*figure)) / 100.0;
            assert!((difference - observed).abs() < 1e-12, "{name} {figure:?}");
        }
        if samples.differing().len() <= EXACT_UP_TO {
            let (method, p) = randomise(&samples, &figures, 1, 0, EXACT_UP_TO);
            assert_eq!(method, Method::Exact, "{name}");
            assert!(all_near(&p, &case.p_exact.all()), "{name}: {p:?}");
        }
        let (_, p) = randomise(&samples, &figures, 10_000, 7, 0);
        let errors = case.standard_error_10000.all();
        for ((found, exact), error) in p.iter().zip(case.p_exact.all()).zip(errors) {
            assert!((found - exact).abs() <= 4.0 * error + 1e-4, "{name}: {found} for {exact}");
        }
    }
}
