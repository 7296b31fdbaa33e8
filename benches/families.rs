//! A training step (loss and gradients) of every family that learns, at small sizes that they share:
//! grammars beside the rank-space PCFG, HMMs beside the rank-space HMM, as ratios taken in one run.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rankspace::config::{Config, Family};
use rankspace::model::{self, Model, Noise};
use rankspace::treebank::Batch;
use std::hint::black_box;
use std::time::{Duration, Instant};

const WORDS: usize = 1000;

fn batch(sentences: usize, n: usize) -> Batch {
    let word = |i: usize| ((i * 7919 + 5) % WORDS) as u32;
    let all = (0..sentences).map(|b| (0..n).map(|i| word(b * n + i)).collect::<Vec<u32>>());
    Batch::new(all).expect("no sentence is empty")
}

fn model(family: Family) -> Box<dyn Model> {
    let mut config = Config::of_family(family);
    let m = &mut config.model;
    (m.nonterminals, m.preterminals, m.states, m.rank) = (16, 32, 256, 64);
    (m.embedding, m.latent, m.encoder, m.encoder_embedding) = (64, 16, 64, 64);
    model::build(&config, WORDS).expect("sizes that fit")
}

fn step(model: &mut dyn Model, batch: &Batch) -> f64 {
    model.step(batch, Noise::Drawn { seed: 1, step: 1 }).expect("in range").loss
}

fn seconds(mut f: impl FnMut()) -> f64 {
    f();
    (0..5).fold(f64::MAX, |best, _| {
        let start = Instant::now();
        f();
        best.min(start.elapsed().as_secs_f64())
    })
}

fn steps(c: &mut Criterion) {
    let mut group = c.benchmark_group("training step");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    let learns = |family: &Family| !family.is_counted();
    for family in Family::ALL.into_iter().filter(learns) {
        let (beside, batch) = match family.has_trees() {
            true => (Family::RankPcfg, batch(8, 15)),
            false => (Family::RankHmm, batch(8, 32)),
        };
        let (mut own, mut other) = (model(family), model(beside));
        let ratio = seconds(|| {
            black_box(step(&mut *own, &batch));
        }) / seconds(|| {
            black_box(step(&mut *other, &batch));
        });
        println!("{}: {ratio:.2} times the time of {}", family.name(), beside.name());
        group.bench_function(BenchmarkId::from_parameter(family.name()), |bencher| {
            bencher.iter(|| step(&mut *own, &batch));
        });
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
