use super::*;
use crate::config::Config;
use crate::model::{SymbolUse, Transitions, Wanted};
use candle_core::Device;

const VOCABULARY: usize = 9;

fn config(family: Family) -> Config {
    let mut config = Config::of_family(family);
    config.precision = config::Precision::F64;
    let m = &mut config.model;
    (m.states, m.rank, m.embedding, m.dropout) = (5, 4, 6, 0.25);
    config
}

fn batch() -> Batch {
    Batch::new([vec![3u32, 4, 2], vec![8, 2], vec![5, 5, 7, 3, 2], vec![2]]).expect("words")
}

fn model(family: Family) -> StateHmm<f64> {
    StateHmm::new(&config(family), VOCABULARY).expect("builds")
}

const FAMILIES: [Family; 2] = [Family::Lhmm, Family::Hmm];

#[test]
fn gradients_equal_finite_differences_with_and_without_dropout() {
    for family in FAMILIES {
        for noise in [Noise::Off, Noise::Drawn { seed: 3, step: 8 }] {
            let mut model = model(family);
            let gradients = model.step(&batch(), noise).expect("a step").gradients;
            assert!(gradients.keys().eq(model.parameters().keys()));
            let names: Vec<String> = model.parameters().keys().cloned().collect();
            for name in names {
                let var = model.parameters()[&name].clone();
                let read = |t: &Tensor| t.flatten_all().and_then(|t| t.to_vec1::<f64>());
                let values = read(&var).expect("values");
                let own = read(&gradients[&name]).expect("values");
                let set = |values: Vec<f64>| {
                    let tensor = Tensor::from_vec(values, var.shape(), &Device::Cpu);
                    var.set(&tensor.expect("a tensor")).expect("sets");
                };
                for i in (0..values.len()).step_by(values.len().div_ceil(7)) {
                    let mut at = |h: f64| {
                        let mut moved = values.clone();
                        moved[i] += h;
                        set(moved);
                        model.step(&batch(), noise).expect("a step").loss
                    };
                    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                    assert!(
                        (difference - own[i]).abs() < 1e-8 + 1e-6 * own[i].abs(),
                        "{family:?} {noise:?} {name}[{i}]: {} against {difference}",
                        own[i]
                    );
                }
                set(values);
            }
        }
    }
}

#[test]
fn probabilities_states_and_counts_equal_the_sum_over_all_paths() {
    for family in FAMILIES {
        let parser = model(family).freeze().expect("freezes");
        let chain = parser.chain().expect("an HMM");
        let states = chain.states;
        assert_eq!(matches!(chain.transitions, Transitions::Dense(_)), family == Family::Hmm);
        let words = parser.emissions(0..states).expect("emissions");
        let transitions: Vec<Vec<f64>> = (0..states).map(|z| chain.successors(z)).collect();
        for row in words.chunks_exact(VOCABULARY) {
            assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        }
        assert!(transitions.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-5));
        let sentence = [4u32, 8, 2];
        let emitted = |z: usize, t: usize| f64::from(words[z * VOCABULARY + sentence[t] as usize]);
        let (mut total, mut posterior) = (0.0, vec![vec![0.0; states]; 3]);
        for path in 0..states.pow(3) {
            let z = [path % states, path / states % states, path / states.pow(2)];
            let p = f64::from(chain.start[z[0]])
                * (0..3).map(|t| emitted(z[t], t)).product::<f64>()
                * transitions[z[0]][z[1]]
                * transitions[z[1]][z[2]];
            total += p;
            (0..3).for_each(|t| posterior[t][z[t]] += p);
        }
        let batch = Batch::new([sentence]).expect("words");
        let wanted = Wanted { labels: true, ..Wanted::default() };
        let parse = &parser.parse(&batch, wanted).expect("scores")[0];
        assert!((parse.log_prob - total.ln()).abs() < 1e-5);
        let surprisals: f64 = parse.surprisals.iter().map(|&x| f64::from(x)).sum();
        assert!((surprisals + total.ln()).abs() < 1e-5);
        for (row, &tag) in posterior.iter().zip(&parse.tags) {
            let best = (0..states).max_by(|&a, &b| row[a].total_cmp(&row[b]));
            assert_eq!(tag as usize, best.expect("states"));
        }
        let mut expected = SymbolUse::default();
        parser.expect(&batch, &mut expected).expect("counts");
        for (state, &count) in expected.preterminals.iter().enumerate() {
            let sum: f64 = posterior.iter().map(|row| row[state] / total).sum();
            assert!((count - sum).abs() < 1e-5);
        }
    }
}

#[test]
fn a_step_in_single_precision_agrees_and_other_sentences_change_nothing() {
    for family in FAMILIES {
        let step = model(family).step(&batch(), Noise::Off).expect("a step");
        let mut single = config(family);
        single.precision = config::Precision::F32;
        let mut single = crate::model::build(&single, VOCABULARY).expect("builds");
        let rounded = single.step(&batch(), Noise::Off).expect("a step");
        for b in 0..batch().len() {
            assert!((step.log_probs[b] - rounded.log_probs[b]).abs() < 1e-4);
            let alone = Batch::new([batch().sentence(b)]).expect("words");
            let alone = model(family).step(&alone, Noise::Off).expect("a step").log_probs[0];
            assert!((alone - step.log_probs[b]).abs() < 1e-12);
        }
    }
}
