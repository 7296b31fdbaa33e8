use super::*;
use crate::config::{Config, Elimination, Family};
use crate::model::{SymbolUse, Transitions, Wanted, build};
use candle_core::Device;

const VOCABULARY: usize = 11;

fn config(change: impl FnOnce(&mut Config)) -> Config {
    let mut config = Config { precision: config::Precision::F64, ..Config::default() };
    let m = &mut config.model;
    m.family = Family::RankHmm;
    (m.states, m.rank, m.embedding, m.dropout) = (7, 5, 6, 0.0);
    change(&mut config);
    config
}

fn batch() -> Batch {
    Batch::new([vec![3u32, 4, 2], vec![9, 2], vec![5, 5, 7, 3, 2], vec![2]]).expect("words")
}

fn model(config: &Config) -> RankHmm<f64> {
    RankHmm::new(config, VOCABULARY).expect("builds")
}

/// Central differences along every parameter, a few entries of each.
fn check_gradients(config: &Config, noise: Noise<'_>) {
    let batch = batch();
    let mut model = model(config);
    let gradients = model.step(&batch, noise).expect("a step").gradients;
    assert_eq!(gradients.keys().collect::<Vec<_>>(), model.parameters().keys().collect::<Vec<_>>());
    let names: Vec<String> = model.parameters().keys().cloned().collect();
    for name in names {
        let var = model.parameters()[&name].clone();
        let values = var.flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
        let own = gradients[&name].flatten_all().and_then(|t| t.to_vec1::<f64>()).expect("values");
        for i in (0..values.len()).step_by(values.len().div_ceil(7)) {
            let mut at = |h: f64| {
                let mut moved = values.clone();
                moved[i] += h;
                let tensor = Tensor::from_vec(moved, var.shape(), &Device::Cpu).expect("a tensor");
                var.set(&tensor).expect("sets");
                model.step(&batch, noise).expect("a step").loss
            };
            let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
            assert!(
                (difference - own[i]).abs() < 1e-8 + 1e-6 * own[i].abs(),
                "{name}[{i}]: {} against {difference}",
                own[i]
            );
        }
        let tensor = Tensor::from_vec(values, var.shape(), &Device::Cpu).expect("a tensor");
        var.set(&tensor).expect("sets");
    }
}

#[test]
fn gradients_equal_finite_differences_in_either_order_with_dropout_and_with_the_floor() {
    for elimination in [Elimination::Rank, Elimination::State] {
        for compat in [Compat::None, Compat::Published] {
            let config = config(|c| {
                (c.model.elimination, c.model.compat, c.model.dropout) = (elimination, compat, 0.2);
            });
            check_gradients(&config, Noise::Off);
            check_gradients(&config, Noise::Drawn { seed: 3, step: 8 });
        }
    }
}

#[test]
fn both_orders_and_both_precisions_give_the_same_numbers() {
    let batch = batch();
    let output = |elimination, precision| {
        let config = config(|c| (c.model.elimination, c.precision) = (elimination, precision));
        let mut model = build(&config, VOCABULARY).expect("builds");
        let step = model.step(&batch, Noise::Off).expect("a step");
        let parses =
            model.freeze().expect("freezes").parse(&batch, Wanted::default()).expect("scores");
        for (a, b) in parses.iter().zip(&step.log_probs) {
            assert!((a.log_prob - b).abs() < 1e-5 * b.abs());
        }
        step
    };
    let exact = output(Elimination::Rank, config::Precision::F64);
    let other = output(Elimination::State, config::Precision::F64);
    let single = output(Elimination::Auto, config::Precision::F32);
    for b in 0..batch.len() {
        assert!((exact.log_probs[b] - other.log_probs[b]).abs() < 1e-10);
        assert!((exact.log_probs[b] - single.log_probs[b]).abs() < 1e-4);
    }
    for (name, gradient) in &exact.gradients {
        let norm = |t: &Tensor| {
            t.sqr().and_then(|t| t.sum_all()).and_then(|t| t.to_scalar::<f64>()).expect("a number")
        };
        let difference = (gradient - &other.gradients[name]).expect("same shape");
        assert!(norm(&difference).sqrt() < 1e-12, "{name}");
    }
}

#[test]
fn other_sentences_of_the_batch_never_change_a_number() {
    let parser = model(&config(|_| {})).freeze().expect("freezes");
    let wanted = Wanted { tree: false, labels: true };
    let together = parser.parse(&batch(), wanted).expect("scores");
    for (b, parse) in together.iter().enumerate() {
        let alone = Batch::new([batch().sentence(b)]).expect("words");
        let alone = &parser.parse(&alone, wanted).expect("scores")[0];
        assert!((alone.log_prob - parse.log_prob).abs() < 1e-12);
        assert_eq!(alone.tags, parse.tags);
        let sum: f64 = parse.surprisals.iter().map(|&x| f64::from(x)).sum();
        assert!((sum + parse.log_prob).abs() < 1e-5, "surprisals add up to -log p");
        assert_eq!(parse.surprisals.len(), batch().length(b));
    }
}

#[test]
fn states_emissions_and_expected_counts_agree_with_enumeration() {
    let config = config(|_| {});
    let model = model(&config);
    let parser = model.parser().expect("freezes");
    let chain = parser.chain().expect("an HMM");
    let (states, words) = (chain.states, parser.emissions(0..chain.states).expect("emissions"));
    for row in words.chunks_exact(VOCABULARY) {
        assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }
    let Transitions::LowRank { rank, u, v } = chain.transitions else { panic!("low rank") };
    for state in 0..states {
        assert!((chain.successors(state).iter().sum::<f64>() - 1.0).abs() < 1e-5);
    }
    let w = parser.words_of(0..rank);
    // p(next, word | state): the word and the next state hang on the same rank.
    let joint = |state: usize, word: u32, next: usize| -> f64 {
        (0..rank)
            .map(|q| {
                f64::from(u[state * rank + q])
                    * f64::from(v[next * rank + q])
                    * w[q * VOCABULARY + word as usize]
            })
            .sum()
    };
    let sentence = [4u32, 9, 2];
    let (mut total, mut posterior) = (0.0, vec![vec![0.0; states]; 3]);
    for path in 0..states.pow(4) {
        let z = [path % states, path / states % states, path / states.pow(2) % states];
        let last = path / states.pow(3);
        let p = f64::from(chain.start[z[0]])
            * joint(z[0], sentence[0], z[1])
            * joint(z[1], sentence[1], z[2])
            * joint(z[2], sentence[2], last);
        total += p;
        (0..3).for_each(|t| posterior[t][z[t]] += p);
    }
    let batch = Batch::new([sentence]).expect("words");
    let parse = &parser.parse(&batch, Wanted { tree: false, labels: true }).expect("scores")[0];
    assert!((parse.log_prob - total.ln()).abs() < 1e-5);
    let mut expected = SymbolUse::default();
    parser.expect(&batch, &mut expected).expect("counts");
    for (row, &tag) in posterior.iter().zip(&parse.tags) {
        let best = (0..states).max_by(|&a, &b| row[a].total_cmp(&row[b]));
        assert_eq!(tag as usize, best.expect("states"));
    }
    for state in 0..states {
        let sum: f64 = posterior.iter().map(|row| row[state] / total).sum();
        assert!((expected.preterminals[state] - sum).abs() < 1e-5);
    }
}
