use super::pass::{infer, run};
use crate::config::{Config, Elimination, Precision};
use crate::inference::rank_pcfg::{Chart, Children, RuleGradients, Rules};
use crate::model::Noise;
use crate::model::words::Words;
use crate::model::{Model, Wanted, build};
use crate::treebank::Batch;
use candle_core::Tensor;

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
