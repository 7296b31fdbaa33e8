//! The chart of the rank-space PCFG beside one matrix product with as many multiply-adds, a batch
//! beside the same sentences one by one, and a batch in both orders of elimination: each as a
//! ratio taken in one run.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rankspace::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use rankspace::inference::order::Order;
use rankspace::inference::rank_pcfg::{Chart, Children, RuleGradients, Rules};
use rankspace::treebank::Batch;
use std::hint::black_box;
use std::time::{Duration, Instant};

const WORDS: usize = 500;

/// Probabilities that fall off like those of a trained grammar.
fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| 0.001 + ((i * 7919 + 13) % 101) as f32 / 4000.0).collect()
}

struct Case {
    rank: usize,
    children: Vec<f32>,
    /// Of half as many nonterminals as ranks.
    u: Vec<f32>,
    vw: Vec<f32>,
    root: Vec<f32>,
    leaves: Vec<f32>,
    scales: Vec<f64>,
    batch: Batch,
}

impl Case {
    fn new(sentences: usize, n: usize, rank: usize) -> Case {
        let word = |i: usize| ((i * 7919 + 5) % WORDS) as u32;
        let all = (0..sentences).map(|b| (0..n).map(|i| word(b * n + i)).collect::<Vec<u32>>());
        Case {
            rank,
            children: numbers(2 * rank * rank),
            u: numbers(rank / 2 * rank),
            vw: numbers(rank / 2 * 2 * rank),
            root: numbers(rank),
            leaves: numbers(WORDS * 2 * rank),
            scales: vec![-5.0; WORDS],
            batch: Batch::new(all).expect("no sentence is empty"),
        }
    }

    fn run(&self, batch: &Batch, chart: &mut Chart<f32>, gradients: &mut RuleGradients<f32>) {
        self.run_in(Order::Rank, batch, chart, gradients);
    }

    fn run_in(
        &self,
        order: Order,
        batch: &Batch,
        chart: &mut Chart<f32>,
        gradients: &mut RuleGradients<f32>,
    ) {
        let rules = Rules {
            rank: self.rank,
            children: match order {
                Order::Rank => Children::Rank(&self.children),
                Order::State => Children::State { u: &self.u, vw: &self.vw },
            },
            root: &self.root,
            leaves: &self.leaves,
            leaf_scales: &self.scales,
            floor: 0.0,
        };
        let words: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
        chart.inside(&rules, batch, &words).expect("in range");
        chart.outside(&rules, false);
        chart.gradients(&rules, 1.0, gradients).expect("in range");
        black_box(gradients.root[0]);
    }

    /// Multiply-adds of inside and outside: products with H and I three times, splits three times.
    fn multiply_adds(&self) -> f64 {
        let (n, r) = (self.batch.length(0) as f64, self.rank as f64);
        let phrases = n * (n - 1.0) / 2.0 - 1.0;
        let splits = n * (n * n - 1.0) / 6.0;
        self.batch.len() as f64 * (3.0 * phrases * 2.0 * r * r + 3.0 * splits * r)
    }
}

fn seconds(mut f: impl FnMut()) -> f64 {
    f();
    (0..5).fold(f64::MAX, |best, _| {
        let start = Instant::now();
        f();
        best.min(start.elapsed().as_secs_f64())
    })
}

fn chart(c: &mut Criterion) {
    let mut group = c.benchmark_group("inside, outside and gradients");
    group.sample_size(10).measurement_time(Duration::from_secs(4));
    for (sentences, n, rank) in [(16, 20, 256), (8, 30, 1000)] {
        let case = Case::new(sentences, n, rank);
        let (mut chart, mut gradients) = (Chart::default(), RuleGradients::default());
        let name = format!("batch {sentences}, n {n}, r {rank}");
        let together = seconds(|| case.run(&case.batch, &mut chart, &mut gradients));
        let alone: Vec<Batch> =
            case.batch.sentences().map(|s| Batch::new([s]).expect("not empty")).collect();
        let one_by_one =
            seconds(|| alone.iter().for_each(|b| case.run(b, &mut chart, &mut gradients)));
        let side = 1024;
        let (a, b) = (numbers(side * side), numbers(side * side));
        let mut to = vec![0.0; side * side];
        let product = seconds(|| {
            let (a, b) = (Matrix::new(&a, side, side), Matrix::new(&b, side, side));
            multiply(MatrixMut::new(&mut to, side, side), Into::Replace, 1.0, a, b);
        });
        let floor = product / (side as f64).powi(3) * case.multiply_adds();
        // Building H and I, and their gradient, is the model's part and not in these times.
        let by_states = seconds(|| {
            case.run_in(Order::State, &case.batch, &mut chart, &mut gradients);
        });
        println!("{name}: {:.2} times as fast by states, of r/2", together / by_states);
        println!(
            "{name}: {:.0} % of a matrix product's speed; a batch is {:.2} times as fast as its sentences one by one",
            100.0 * floor / together,
            one_by_one / together
        );
        group.bench_with_input(BenchmarkId::from_parameter(name), &case, |bencher, case| {
            bencher.iter(|| case.run(&case.batch, &mut chart, &mut gradients));
        });
    }
    group.finish();
}

criterion_group!(benches, chart);
criterion_main!(benches);
