//! The kernels against the host's programs: the same weights, batches and masks must give the same
//! numbers to rounding.

use super::*;
use crate::config;
use crate::model::{Wanted, build, restore};
use candle_core::DType;

const VOCABULARY: usize = 23;

fn config(family: Family, device: &str, precision: Precision) -> Config {
    let mut config = Config { device: device.into(), precision, seed: 3, ..Config::default() };
    config.model = config::Model {
        family,
        nonterminals: 7,
        preterminals: 9,
        states: 13,
        rank: 6,
        embedding: 8,
        dropout: 0.3,
        ..config::Model::default()
    };
    config
}

/// A model on the emulated device; `None`, said so, where there is no C++ compiler.
fn emulated(config: &Config) -> Option<Box<dyn Model>> {
    let placed = crate::model::placement(config).expect("a setting");
    assert_eq!(placed.device, Some(Choice::Emulated));
    match build(config, VOCABULARY) {
        Ok(model) => Some(model),
        Err(ModelError::Device(DeviceError::Missing(reason))) => {
            println!("skipped: {reason}");
            None
        }
        Err(e) => panic!("{e}"),
    }
}

/// Sentences of several lengths, some words of which come more than once.
fn batch() -> Batch {
    let lengths = [5, 2, 9, 5, 3];
    let sentence = |(s, n): (usize, usize)| -> Vec<u32> {
        (0..n).map(|i| ((s * 5 + i * i * 3) % VOCABULARY) as u32).collect()
    };
    Batch::new(lengths.into_iter().enumerate().map(sentence)).expect("no sentence is empty")
}

fn values(tensor: &Tensor) -> Vec<f64> {
    let tensor = tensor.to_dtype(DType::F64).expect("converts");
    tensor.flatten_all().and_then(|t| t.to_vec1()).expect("values")
}

/// Largest difference of two tensors by name, over the largest value of all.
fn difference(a: &BTreeMap<String, Tensor>, b: &BTreeMap<String, Tensor>) -> f64 {
    assert_eq!(a.keys().collect::<Vec<_>>(), b.keys().collect::<Vec<_>>());
    let largest = b.values().flat_map(values).fold(0.0f64, |m, x| m.max(x.abs()));
    let apart = |(name, a): (&String, &Tensor)| {
        let pairs = values(a).into_iter().zip(values(&b[name]));
        pairs.fold(
            0.0f64,
            |m, (a, b)| if (a - b).is_nan() { f64::NAN } else { m.max((a - b).abs()) },
        )
    };
    a.iter().map(apart).fold(0.0, f64::max) / largest
}

/// Loss, log-probabilities and gradients of a step on both sides.
fn compare(change: impl Fn(&mut Config), family: Family) {
    for (precision, tolerance) in [(Precision::F64, 1e-11), (Precision::F32, 2e-5)] {
        let mut on_host = config(family, "cpu", precision);
        change(&mut on_host);
        let on_device = Config { device: "emulated".into(), ..on_host.clone() };
        let Some(mut device) = emulated(&on_device) else { return };
        let mut host = build(&on_host, VOCABULARY).expect("builds");
        for noise in [Noise::Off, Noise::Drawn { seed: 5, step: 11 }] {
            let expected = host.step(&batch(), noise).expect("a step");
            let found = device.step(&batch(), noise).expect("a step");
            assert!((found.loss - expected.loss).abs() < tolerance * expected.loss.abs());
            for (a, b) in found.log_probs.iter().zip(&expected.log_probs) {
                assert!((a - b).abs() < tolerance * b.abs(), "{a} is not {b}");
            }
            let apart = difference(&found.gradients, &expected.gradients);
            assert!(apart < tolerance, "{precision:?}: gradients differ by {apart}");
        }
    }
}

#[test]
fn a_rank_pcfg_has_the_host_s_numbers_in_both_orders_and_with_the_published_floor() {
    for elimination in [Elimination::Rank, Elimination::State] {
        for compat in [Compat::None, Compat::Published] {
            compare(
                |c| (c.model.elimination, c.model.compat) = (elimination, compat),
                Family::RankPcfg,
            );
        }
    }
}

#[test]
fn a_td_pcfg_has_the_host_s_numbers_in_both_orders() {
    for elimination in [Elimination::Auto, Elimination::Rank] {
        compare(|c| c.model.elimination = elimination, Family::TdPcfg);
    }
}

#[test]
fn a_rank_hmm_has_the_host_s_numbers_in_both_orders_and_with_dropout() {
    for elimination in [Elimination::Rank, Elimination::State] {
        for compat in [Compat::None, Compat::Published] {
            compare(
                |c| (c.model.elimination, c.model.compat) = (elimination, compat),
                Family::RankHmm,
            );
        }
    }
    // More than one draw of the generator's block a row, and rows that lose everything.
    compare(|c| (c.model.rank, c.model.dropout) = (61, 0.6), Family::RankHmm);
    compare(|c| (c.model.rank, c.model.states, c.model.dropout) = (2, 3, 0.9), Family::RankHmm);
}

#[test]
fn lhmms_and_dense_hmms_have_the_host_s_numbers_with_dropout() {
    for family in [Family::Lhmm, Family::Hmm] {
        compare(|_| {}, family);
        compare(|c| (c.model.states, c.model.rank, c.model.dropout) = (3, 2, 0.9), family);
    }
}

#[test]
fn wide_spans_and_many_rows_go_through_every_tile() {
    // More splits than threads of the narrowest block, more rows than a chunk of columns.
    let long: Vec<u32> = (0..70).map(|i| (i * i % VOCABULARY) as u32).collect();
    let batch = Batch::new([&long[..], &long[..40]]).expect("words");
    for family in [Family::RankPcfg, Family::RankHmm, Family::Lhmm, Family::Hmm] {
        let mut on_host = config(family, "cpu", Precision::F64);
        (on_host.model.nonterminals, on_host.model.preterminals) = (150, 170);
        on_host.model.states = 300;
        let on_device = Config { device: "emulated".into(), ..on_host.clone() };
        let Some(mut device) = emulated(&on_device) else { return };
        let expected = build(&on_host, VOCABULARY).and_then(|mut m| m.step(&batch, Noise::Off));
        let expected = expected.expect("a step");
        let found = device.step(&batch, Noise::Off).expect("a step");
        assert!((found.loss - expected.loss).abs() < 1e-11 * expected.loss.abs());
        assert!(difference(&found.gradients, &expected.gradients) < 1e-11);
    }
}

#[test]
fn a_frozen_model_parses_as_the_host_does() {
    for family in [Family::RankPcfg, Family::TdPcfg, Family::RankHmm, Family::Lhmm, Family::Hmm] {
        let on_device = config(family, "emulated", Precision::F64);
        let Some(device) = emulated(&on_device) else { return };
        let host = build(&config(family, "cpu", Precision::F64), VOCABULARY).expect("builds");
        let (device, host) = (device.freeze().expect("freezes"), host.freeze().expect("freezes"));
        for wanted in [
            Wanted::default(),
            Wanted { tree: true, labels: false },
            Wanted { tree: true, labels: true },
        ] {
            let expected = host.parse(&batch(), wanted).expect("parses");
            for (a, b) in device.parse(&batch(), wanted).expect("parses").iter().zip(&expected) {
                assert!((a.log_prob - b.log_prob).abs() < 1e-11 * b.log_prob.abs());
                let spans = |p: &crate::model::Parse| -> Vec<_> {
                    p.spans.iter().map(|s| (s.start, s.end, s.label)).collect()
                };
                assert_eq!(spans(a), spans(b));
                assert_eq!((&a.tags, a.marginals.len()), (&b.tags, b.marginals.len()));
                for (a, b) in a.marginals.iter().zip(&b.marginals) {
                    assert!((a - b).abs() < 1e-6);
                }
                assert_eq!(a.surprisals.len(), b.surprisals.len());
                for (a, b) in a.surprisals.iter().zip(&b.surprisals) {
                    assert!((a - b).abs() < 1e-5);
                }
            }
        }
        assert_eq!(device.grammar().is_some(), host.grammar().is_some());
        assert_eq!(device.chain().is_some(), host.chain().is_some());
    }
}

#[test]
fn steps_on_a_device_update_weights_and_moments_as_the_host_does() {
    let factors = |t: i32| AdamFactors {
        clip: 0.05,
        beta1: 0.75,
        beta2: 0.999,
        step_size: 0.01 / (1.0 - 0.75f64.powi(t)),
        root_correction: (1.0 - 0.999f64.powi(t)).sqrt(),
        decoupled: 0.99,
        coupled: 0.0,
    };
    let on_device = config(Family::RankPcfg, "emulated", Precision::F64);
    let Some(mut device) = emulated(&on_device) else { return };
    let on_host = config(Family::RankPcfg, "cpu", Precision::F64);
    let host = build(&on_host, VOCABULARY).expect("builds");
    let mut weights: BTreeMap<String, Vec<f64>> =
        host.tensors().expect("weights").iter().map(|(n, t)| (n.clone(), values(t))).collect();
    let shapes: BTreeMap<String, Vec<usize>> = host
        .tensors()
        .expect("weights")
        .iter()
        .map(|(n, t)| (n.clone(), t.dims().to_vec()))
        .collect();
    let mut moments: BTreeMap<String, Vec<[f64; 2]>> =
        weights.iter().map(|(n, w)| (n.clone(), vec![[0.0; 2]; w.len()])).collect();
    let tensor = |name: &String, values: &[f64]| {
        Tensor::from_slice(values, shapes[name].as_slice(), &candle_core::Device::Cpu)
            .expect("a tensor")
    };
    for t in 1..=3 {
        let own = weights.iter().map(|(n, w)| (n.clone(), tensor(n, w))).collect();
        let mut host = restore(&on_host, VOCABULARY, own).expect("restores");
        let output = host.step(&batch(), Noise::Off).expect("a step");
        let f = factors(t);
        let squares = output.gradients.values().flat_map(values).map(|g| g * g);
        let norm = squares.sum::<f64>().sqrt();
        let scale = (f.clip / (norm + 1e-6)).min(1.0);
        assert!(scale < 1.0, "the clip is to be seen");
        for (name, gradient) in &output.gradients {
            let all = weights.get_mut(name).expect("a weight").iter_mut();
            let own = moments.get_mut(name).expect("moments").iter_mut();
            for ((w, m), g) in all.zip(own).zip(values(gradient)) {
                let g = g * scale;
                m[0] += (g - m[0]) * (1.0 - f.beta1);
                m[1] = m[1] * f.beta2 + (1.0 - f.beta2) * g * g;
                *w = *w * f.decoupled
                    - f.step_size * m[0] / (m[1].sqrt() / f.root_correction + 1e-8);
            }
        }
        let resident = device.resident_mut().expect("on a device");
        resident.announce(&batch());
        let trained = resident.train(&batch(), Noise::Off, f).expect("a step");
        assert!((trained.loss - output.loss).abs() < 1e-11 * output.loss.abs());
        assert!((trained.gradient_norm - norm).abs() < 1e-11 * norm);
    }
    let expected = weights.iter().map(|(n, w)| (n.clone(), tensor(n, w))).collect();
    assert!(difference(&device.tensors().expect("weights"), &expected) < 1e-11);
    let expected = moments
        .iter()
        .flat_map(|(name, m)| {
            let part = |i: usize| tensor(name, &m.iter().map(|m| m[i]).collect::<Vec<_>>());
            [(format!("{name}.exp_avg"), part(0)), (format!("{name}.exp_avg_sq"), part(1))]
        })
        .collect();
    let found = device.resident().expect("on a device").moments().expect("moments");
    assert!(difference(&found, &expected) < 1e-11);

    // They go on from where another left them.
    let mut other = emulated(&on_device).expect("as before");
    other.resident_mut().expect("on a device").put_moments(&found).expect("fits");
    let again = other.resident().expect("on a device").moments().expect("moments");
    assert_eq!(difference(&again, &found), 0.0);
}

#[test]
fn numbers_outside_the_range_of_the_device_are_the_host_s() {
    // Peaked beyond single precision: the host repeats the program in double precision.
    let on_device = config(Family::RankPcfg, "emulated", Precision::F32);
    let Some(mut device) = emulated(&on_device) else { return };
    let peaked: BTreeMap<String, Tensor> = device
        .tensors()
        .expect("weights")
        .into_iter()
        .map(|(name, t)| {
            let t = if name == "rank_proj" { (t * 400.0).expect("scaled") } else { t };
            (name, t)
        })
        .collect();
    let on_host = Config { device: "cpu".into(), ..on_device.clone() };
    let mut host = restore(&on_host, VOCABULARY, peaked.clone()).expect("restores");
    device = restore(&on_device, VOCABULARY, peaked).expect("restores");
    let expected = host.step(&batch(), Noise::Off).expect("a step");
    let found = device.step(&batch(), Noise::Off).expect("a step");
    assert!(found.loss.is_finite());
    assert!((found.loss - expected.loss).abs() < 1e-4 * expected.loss);
    let (device, host) = (device.freeze().expect("freezes"), host.freeze().expect("freezes"));
    let wanted = Wanted { tree: true, labels: false };
    let pairs = device.parse(&batch(), wanted).expect("parses").into_iter();
    for (a, b) in pairs.zip(host.parse(&batch(), wanted).expect("parses")) {
        assert!((a.log_prob - b.log_prob).abs() < 1e-4 * b.log_prob.abs());
    }
}

#[test]
fn a_broken_weight_updates_nothing_and_is_told() {
    let on_device = config(Family::RankPcfg, "emulated", Precision::F64);
    let Some(device) = emulated(&on_device) else { return };
    let mut weights = device.tensors().expect("weights");
    let broken = (&weights["rank_proj"] * f64::NAN).expect("a tensor");
    weights.insert("rank_proj".into(), broken);
    let mut device = restore(&on_device, VOCABULARY, weights).expect("restores");
    let factors = AdamFactors {
        clip: 1.0,
        beta1: 0.9,
        beta2: 0.999,
        step_size: 0.1,
        root_correction: 1.0,
        decoupled: 1.0,
        coupled: 0.0,
    };
    let before = device.tensors().expect("weights");
    let outcome = device.resident_mut().expect("on a device").train(&batch(), Noise::Off, factors);
    assert!(matches!(outcome, Err(ModelError::Sentence { .. })), "{outcome:?}");
    let after = device.tensors().expect("weights");
    for (name, tensor) in before.iter().filter(|(name, _)| *name != "rank_proj") {
        assert_eq!(values(tensor), values(&after[name]), "{name}");
    }
}

#[test]
fn rounded_factors_change_the_numbers_a_little() {
    let exact = config(Family::RankPcfg, "emulated", Precision::F32);
    let Some(mut device) = emulated(&exact) else { return };
    let mut rounded = emulated(&Config { tf32: true, ..exact }).expect("as before");
    let a = device.step(&batch(), Noise::Off).expect("a step");
    let b = rounded.step(&batch(), Noise::Off).expect("a step");
    let apart = (a.loss - b.loss).abs() / a.loss;
    assert!(apart > 0.0 && apart < 1e-3, "{apart}");
    let apart = difference(&b.gradients, &a.gradients);
    assert!(apart > 0.0 && apart < 1e-2, "{apart}");
}

#[test]
fn what_a_device_is_not_there_for_is_done_on_the_host_with_a_sentence() {
    let note = |config: &Config| crate::model::placement(config).expect("a setting").note;
    let ngram = config(Family::Ngram, "emulated", Precision::F32);
    assert!(note(&ngram).is_some_and(|n| n.contains("ngram has no kernels")));
    assert_eq!(note(&Config { device: "auto".into(), ..ngram.clone() }), None);
    let far = Config { device: "cuda:97".into(), ..config(Family::RankPcfg, "", Precision::F32) };
    let text = note(&far).expect("nobody has so many cards");
    assert!(text.contains("cuda:97"), "{text}");
    assert!(build(&far, VOCABULARY).expect("on the host").resident().is_none());
    let wrong = Config { device: "gpu".into(), ..far };
    let error = crate::model::placement(&wrong).expect_err("no setting").to_string();
    assert!(error.contains("expected auto, cpu or cuda:N"), "{error}");
}
