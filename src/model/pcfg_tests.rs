//! What all families of PCFGs promise through the traits.

use super::{GrammarView, Model, ModelError, Noise, Parse, SymbolUse, Wanted, build};
use crate::config::{Config, Decode, Family, Precision};
use crate::treebank::Batch;
use candle_core::Tensor;
use std::collections::BTreeMap;

const FAMILIES: [Family; 5] =
    [Family::RankPcfg, Family::TdPcfg, Family::NPcfg, Family::CPcfg, Family::Lpcfg];

fn config(family: Family, nt: usize, pt: usize, seed: u64, precision: Precision) -> Config {
    let mut config = Config { seed, precision, ..Config::default() };
    let m = &mut config.model;
    m.family = family;
    (m.nonterminals, m.preterminals) = (nt, pt);
    (m.rank, m.embedding) = (5, 6);
    (m.latent, m.encoder, m.encoder_embedding) = (3, 4, 5);
    config
}

/// Makes the rules of a grammar peaked.
fn sharpen_rules(model: &dyn Model, family: Family, by: f64) {
    match family {
        Family::RankPcfg => sharpen(model, "rank_proj", by),
        Family::TdPcfg => {
            let names = ["parent_mlp", "left_mlp", "right_mlp"];
            names.iter().for_each(|name| sharpen(model, &format!("{name}.2.weight"), by));
        }
        _ => sharpen(model, "rule_mlp.weight", by),
    }
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
    // The grammar of a compound PCFG differs by sentence and is not shown.
    let families = FAMILIES.into_iter().filter(|&f| f != Family::CPcfg);
    for (family, seed) in families.flat_map(|f| [(f, 0), (f, 1)]) {
        let config = config(family, 2, 3, seed, Precision::F64);
        let mut model = build(&config, 5).expect("builds");
        sharpen_rules(&*model, family, 6.0);
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
    let batch = Batch::new([vec![0, 1, 5, 2], vec![3, 3], vec![4, 0, 2, 2]]).expect("words");
    for family in FAMILIES {
        let mut model = build(&config(family, 3, 4, 7, Precision::F64), 6).expect("builds");
        sharpen_rules(&*model, family, 3.0);
        let noise = Noise::Drawn { seed: 3, step: 5 };
        let gradients = model.step(&batch, noise).expect("a step").gradients;
        let names: Vec<String> = model.parameters().keys().cloned().collect();
        assert_eq!(names, gradients.keys().cloned().collect::<Vec<_>>());
        for name in names {
            let var = model.parameters()[&name].clone();
            let start = var.flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
            let gradient =
                gradients[&name].flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
            for i in (0..start.len()).step_by(start.len().div_ceil(5)) {
                let mut at = |h: f64| {
                    let mut moved = start.clone();
                    moved[i] += h;
                    let tensor =
                        Tensor::from_vec(moved, var.shape(), var.device()).expect("tensor");
                    var.set(&tensor).expect("same shape");
                    model.step(&batch, noise).expect("a step").loss
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                at(0.0);
                let error = (difference - gradient[i]).abs();
                assert!(error < 1e-7, "{} {name}[{i}]: {difference}", family.name());
            }
        }
    }
}

#[test]
fn a_step_draws_its_noise_from_seed_and_step_alone() {
    let batch = Batch::new([vec![0, 1, 5, 2], vec![3, 3, 1, 1]]).expect("words");
    let mut model = build(&config(Family::CPcfg, 3, 4, 7, Precision::F64), 6).expect("builds");
    let mut loss = |noise| model.step(&batch, noise).expect("a step").loss;
    let drawn = |seed, step| Noise::Drawn { seed, step };
    let first = loss(drawn(1, 1));
    assert_ne!(first, loss(drawn(1, 2)));
    assert_ne!(first, loss(drawn(2, 1)));
    assert_ne!(first, loss(Noise::Off));
    assert_eq!(first, loss(drawn(1, 1)));
    let none = BTreeMap::new();
    let error = model.step(&batch, Noise::Given(&none)).expect_err("no noise").to_string();
    assert!(error.contains("`noise`: is missing"), "{error}");
}

#[test]
fn the_best_derivation_is_at_most_as_likely_as_the_sentence_and_its_labels_make_a_tree() {
    let batch = Batch::new([vec![0, 1, 5, 2, 3], vec![3, 3], vec![4, 0, 2]]).expect("words");
    for family in FAMILIES.into_iter().filter(|f| f.has_tensor()) {
        for precision in [Precision::F32, Precision::F64] {
            let mut config = config(family, 3, 4, 7, precision);
            config.evaluation.decode = Decode::Viterbi;
            let parser = build(&config, 6).and_then(|m| m.freeze()).expect("freezes");
            let wanted = Wanted { tree: true, labels: true };
            for (b, parse) in parser.parse(&batch, wanted).expect("parses").iter().enumerate() {
                let n = batch.length(b);
                let best = parse.derivation_log_prob.expect("the best derivation");
                assert!(best.is_finite() && best <= parse.log_prob, "{best} {}", parse.log_prob);
                assert_eq!((parse.spans.len(), parse.tags.len()), (n - 1, n));
                for span in &parse.spans {
                    assert!(span.label.is_some_and(|label| label < 3));
                    let at = span.start as usize * (n + 1) + span.end as usize;
                    assert!(span.posterior <= parse.marginals[at] + 1e-5);
                }
                let alone = Batch::new([batch.sentence(b)]).expect("words");
                let without = Wanted { tree: true, labels: false };
                let plain = parser.parse(&alone, without).expect("parses").remove(0);
                let spans = |p: &Parse| -> Vec<(u32, u32)> {
                    p.spans.iter().map(|s| (s.start, s.end)).collect()
                };
                assert_eq!(spans(&plain), spans(parse));
                assert!((plain.log_prob - parse.log_prob).abs() < 1e-5 * parse.log_prob.abs());
            }
        }
    }
}

#[test]
fn what_single_precision_takes_for_zero_is_computed_in_double() {
    let batch = Batch::new([vec![0, 1, 5, 2, 3], vec![3, 3], vec![4, 0, 2]]).expect("words");
    for family in FAMILIES.into_iter().filter(|f| f.has_tensor()) {
        let [single, double] = [Precision::F32, Precision::F64].map(|precision| {
            let mut model = build(&config(family, 2, 3, 1, precision), 6).expect("builds");
            // Nonterminals become two nonterminals, and anything else with exp(-120) at most, which
            // is zero in single precision.
            let bias = &model.parameters()["rule_mlp.bias"];
            let mut values = vec![0.0; 25];
            values[0] = 120.0;
            let values = Tensor::from_vec(values, 25, bias.device());
            let values = values.and_then(|t| t.to_dtype(bias.dtype())).expect("a vector");
            bias.set(&values).expect("same shape");
            let parses = model.freeze().expect("freezes").parse(&batch, Wanted::default());
            (model.step(&batch, Noise::Off).expect("a step"), parses.expect("parses"))
        });
        assert!(double.1.iter().all(|p| p.log_prob < -100.0), "{:?}", double.1);
        for (ours, theirs) in single.1.iter().zip(&double.1) {
            let error = (ours.log_prob - theirs.log_prob).abs();
            assert!(error < 1e-3 * theirs.log_prob.abs(), "{family:?}: {ours:?} {theirs:?}");
        }
        assert!((single.0.loss - double.0.loss).abs() < 1e-3 * double.0.loss);
        let finite = |t: &Tensor| {
            let sum = t.to_dtype(candle_core::DType::F64).and_then(|t| t.sum_all());
            sum.and_then(|t| t.to_scalar::<f64>()).expect("numbers").is_finite()
        };
        assert!(single.0.gradients.values().all(finite), "{family:?}");
    }
}

#[test]
fn one_word_has_no_derivation_and_says_so() {
    for family in FAMILIES {
        let mut model = build(&config(family, 2, 3, 0, Precision::F32), 5).expect("builds");
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
}
