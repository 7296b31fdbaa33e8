use super::pass::{infer, run};
use crate::config::{Config, Elimination, Precision};
use crate::inference::rank_pcfg::{Chart, Children, RuleGradients, Rules};
use crate::model::Noise;
use crate::model::words::Words;
use crate::model::{GrammarView, Model, ModelError, Parse, SymbolUse, Wanted, build};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;

fn config(nt: usize, pt: usize, rank: usize, seed: u64, precision: Precision) -> Config {
    let mut config = Config { seed, precision, ..Config::default() };
    config.model.nonterminals = nt;
    config.model.preterminals = pt;
    config.model.rank = rank;
    config.model.embedding = 6;
    config
}

/// Multiplies a parameter, to make a grammar peaked.
fn sharpen(model: &dyn Model, name: &str, by: f64) {
    let var = &model.parameters()[name];
    var.set(&(var.as_tensor() * by).expect("scales")).expect("same shape");
}

/// A derivation: probability, labelled spans, tags.
type Derivation = (f64, Vec<(usize, usize, usize)>, Vec<usize>);

fn derivations(
    g: &GrammarView,
    emissions: &[f32],
    sentence: &[u32],
    (i, j): (usize, usize),
    symbol: usize,
) -> Vec<Derivation> {
    let nt = g.nonterminals;
    if j - i == 1 {
        return match symbol.checked_sub(nt) {
            Some(tag) => {
                let p = emissions[tag * g.vocabulary + sentence[i] as usize];
                vec![(f64::from(p), vec![], vec![tag])]
            }
            None => vec![],
        };
    }
    if symbol >= nt {
        return vec![];
    }
    let mut all = Vec::new();
    for k in i + 1..j {
        for b in 0..nt + g.preterminals {
            let left = derivations(g, emissions, sentence, (i, k), b);
            if left.is_empty() {
                continue;
            }
            for c in 0..nt + g.preterminals {
                for (q, rs, rt) in derivations(g, emissions, sentence, (k, j), c) {
                    for (p, ls, lt) in &left {
                        let spans = [&[(i, j, symbol)][..], ls, &rs].concat();
                        let tags = [&lt[..], &rt].concat();
                        all.push((p * q * g.rule(symbol, b, c), spans, tags));
                    }
                }
            }
        }
    }
    all
}

#[test]
fn labels_tags_and_expected_counts_equal_brute_force() {
    for seed in 0..4 {
        let mut model = build(&config(2, 3, 4, seed, Precision::F64), 5).expect("builds");
        sharpen(&*model, "rank_proj", 6.0);
        sharpen(&*model, "term_mlp.3.weight", 6.0);
        let parser = model.freeze().expect("freezes");
        let (g, emissions) =
            (parser.grammar().expect("it has one"), parser.emissions(0..3).expect("emissions"));
        let batch = Batch::new([vec![0, 1, 4, 2], vec![3, 3], vec![1, 0, 2]]).expect("words");
        let parses = parser.parse(&batch, Wanted { tree: true, labels: true }).expect("parses");
        let mut counted = SymbolUse::default();
        parser.expect(&batch, &mut counted).expect("counts");
        let mut expected = SymbolUse { nonterminals: vec![0.0; 2], preterminals: vec![0.0; 3] };
        for (sentence, parse) in batch.sentences().zip(&parses) {
            let n = sentence.len();
            let mut total = 0.0;
            let mut labelled: BTreeMap<(usize, usize, usize), f64> = BTreeMap::new();
            let mut tags = vec![[0.0; 3]; n];
            for a in 0..2 {
                for (p, spans, own) in derivations(&g, &emissions, sentence, (0, n), a) {
                    let p = p * f64::from(g.start[a]);
                    total += p;
                    spans.into_iter().for_each(|s| *labelled.entry(s).or_default() += p);
                    own.into_iter().enumerate().for_each(|(i, t)| tags[i][t] += p);
                }
            }
            assert!((parse.log_prob - total.ln()).abs() < 1e-5);
            labelled.values_mut().for_each(|p| *p /= total);
            for (&(_, _, a), p) in &labelled {
                expected.nonterminals[a] += p;
            }
            for (i, own) in tags.iter().enumerate() {
                own.iter().enumerate().for_each(|(t, p)| expected.preterminals[t] += p / total);
                let best = (0..3).max_by(|&a, &b| own[a].total_cmp(&own[b])).expect("tags");
                assert_eq!(parse.tags[i] as usize, best);
            }
            let posterior =
                |i: usize, j: usize, a: usize| labelled.get(&(i, j, a)).copied().unwrap_or(0.0);
            let best = |i: usize, j: usize| posterior(i, j, 0).max(posterior(i, j, 1));
            let mut top = 0.0f64;
            for tree in binary_trees(0, n) {
                top = top.max(tree.iter().map(|&(i, j)| best(i, j)).sum());
            }
            let found: f64 = parse.spans.iter().map(|s| f64::from(s.posterior)).sum();
            assert!((found - top).abs() < 1e-5, "{found} {top}");
            for span in &parse.spans {
                let (i, j) = (span.start as usize, span.end as usize);
                let label = span.label.expect("labels were wanted") as usize;
                assert!((posterior(i, j, label) - f64::from(span.posterior)).abs() < 1e-5);
                let unlabelled = posterior(i, j, 0) + posterior(i, j, 1);
                let marginal = f64::from(parse.marginals[i * (n + 1) + j]);
                assert!((marginal - unlabelled).abs() < 1e-5);
            }
        }
        for (ours, theirs) in [
            (&counted.nonterminals, &expected.nonterminals),
            (&counted.preterminals, &expected.preterminals),
        ] {
            assert_eq!(ours.len(), theirs.len());
            ours.iter().zip(theirs).for_each(|(a, b)| assert!((a - b).abs() < 1e-5, "{a} {b}"));
        }
        assert!(
            (model.step(&batch, Noise::Off).expect("a step").log_probs[1] - parses[1].log_prob)
                .abs()
                < 1e-9
        );
    }
}

fn binary_trees(i: usize, j: usize) -> Vec<Vec<(usize, usize)>> {
    if j - i == 1 {
        return vec![vec![]];
    }
    let mut all = Vec::new();
    for k in i + 1..j {
        for left in binary_trees(i, k) {
            for right in binary_trees(k, j) {
                all.push([&[(i, j)][..], &left, &right].concat());
            }
        }
    }
    all
}

#[test]
fn gradients_of_all_parameters_equal_finite_differences() {
    let mut model = build(&config(3, 4, 5, 7, Precision::F64), 6).expect("builds");
    sharpen(&*model, "rank_proj", 3.0);
    let batch = Batch::new([vec![0, 1, 5, 2], vec![3, 3], vec![4, 0, 2, 2]]).expect("words");
    let gradients = model.step(&batch, Noise::Off).expect("a step").gradients;
    let names: Vec<String> = model.parameters().keys().cloned().collect();
    for name in names {
        let var = model.parameters()[&name].clone();
        let start = var.flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
        let gradient =
            gradients[&name].flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
        for i in (0..start.len()).step_by(start.len().div_ceil(7)) {
            let mut at = |h: f64| {
                let mut moved = start.clone();
                moved[i] += h;
                let tensor = Tensor::from_vec(moved, var.shape(), var.device()).expect("tensor");
                var.set(&tensor).expect("same shape");
                model.step(&batch, Noise::Off).expect("a step").loss
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            at(0.0);
            assert!((difference - gradient[i]).abs() < 1e-7, "{name}[{i}]: {difference}");
        }
    }
}

#[test]
fn both_orders_of_elimination_give_the_same_numbers() {
    let batch = Batch::new([vec![0, 1, 5, 2, 2, 1], vec![3, 3], vec![4, 0, 2]]).expect("words");
    let with = |elimination, precision| {
        let mut config = config(3, 4, 5, 7, precision);
        config.model.elimination = elimination;
        let mut model = build(&config, 6).expect("builds");
        sharpen(&*model, "rank_proj", 3.0);
        let step = model.step(&batch, Noise::Off).expect("a step");
        let wanted = Wanted { tree: true, labels: true };
        (step, model.freeze().expect("freezes").parse(&batch, wanted).expect("parses"))
    };
    for (precision, tolerance) in [(Precision::F64, 1e-12), (Precision::F32, 1e-5)] {
        let [rank, state] = [Elimination::Rank, Elimination::State].map(|e| with(e, precision));
        assert!((rank.0.loss - state.0.loss).abs() < tolerance * rank.0.loss.abs());
        for (name, gradient) in &rank.0.gradients {
            let values = |t: &Tensor| {
                let wide = t.to_dtype(candle_core::DType::F64).and_then(|t| t.flatten_all());
                wide.and_then(|t| t.to_vec1::<f64>()).expect("values")
            };
            let (a, b) = (values(gradient), values(&state.0.gradients[name]));
            let largest = a.iter().fold(0.0f64, |m, x| m.max(x.abs()));
            for (x, y) in a.iter().zip(&b) {
                assert!((x - y).abs() <= tolerance * largest, "{name}: {x} {y}");
            }
        }
        for (a, b) in rank.1.iter().zip(&state.1) {
            assert!((a.log_prob - b.log_prob).abs() < tolerance * a.log_prob.abs());
            assert_eq!((a.tags.len(), a.spans.len()), (b.tags.len(), b.spans.len()));
            for (x, y) in a.marginals.iter().zip(&b.marginals) {
                assert!((x - y).abs() < 1e-5);
            }
        }
    }
}

#[test]
fn what_underflows_in_single_precision_is_computed_in_double() {
    let batch = Batch::new([vec![0, 1, 0]]).expect("words");
    let words = Words::of(&batch);
    fn rules<'a, T>(children: &'a [T], root: &'a [T], leaves: &'a [T]) -> Rules<'a, T> {
        let children = Children::Rank(children);
        Rules { rank: 2, children, root, leaves, leaf_scales: &[-1.0, -2.0], floor: 0.0 }
    }
    // Left times right is 1e-50, below the range of f32.
    let (children, root, leaves) =
        ([0.3, 0.2, 0.1, 0.4, 0.5, 0.1, 0.3, 0.2], [0.7, 0.3], [1e-25; 8]);
    let single = [&children[..], &root, &leaves].map(|x| x.iter().map(|&x| x as f32).collect());
    let [a, b, c]: [Vec<f32>; 3] = single;
    let narrow = rules(&a, &b, &c);
    let mut gradients = RuleGradients::default();
    run(&narrow, &batch, &words, &mut Chart::default(), &mut gradients).expect_err("underflow");
    let ours = infer(&narrow, &batch, &words, &mut Chart::default(), &mut gradients).expect("f64");
    let mut wide = RuleGradients::default();
    let exact = rules(&children, &root, &leaves);
    let theirs = run(&exact, &batch, &words, &mut Chart::default(), &mut wide).expect("in range");
    assert!((ours[0] - theirs[0]).abs() < 1e-6 * theirs[0].abs());
    for (a, b) in gradients.children.iter().zip(&wide.children) {
        assert!((f64::from(*a) - b).abs() < 1e-5 * b.abs());
    }
}

#[test]
fn one_word_has_no_derivation_and_says_so() {
    let mut model = build(&config(2, 3, 4, 0, Precision::F32), 5).expect("builds");
    let batch = Batch::new([vec![1, 2], vec![0]]).expect("words");
    let error = model.step(&batch, Noise::Off).expect_err("no derivation");
    assert!(matches!(error, ModelError::Sentence { sentence: 1, .. }), "{error}");
    let parser = model.freeze().expect("freezes");
    let parses = parser.parse(&batch, Wanted { tree: true, labels: true }).expect("parses");
    assert_eq!(parses[1], Parse { log_prob: f64::NEG_INFINITY, ..Parse::default() });
    assert_eq!(parses[0].spans.len(), 1);
    let alone = Batch::new([vec![0]]).expect("words");
    assert_eq!(parser.parse(&alone, Wanted::default()).expect("parses").len(), 1);
    let outside = Batch::new([vec![0, 5]]).expect("words");
    assert!(
        model.step(&outside, Noise::Off).is_err()
            && parser.parse(&outside, Wanted::default()).is_err()
    );
}
