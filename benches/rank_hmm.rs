//! The lattice of a rank-space HMM in both orders of elimination, forward and backward with the
//! gradients, on one batch of random numbers.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rankspace::inference::rank_hmm::{Chain, Lattice, Rules};
use rankspace::treebank::Batch;

fn numbers(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 7919 + 13) % 101 + 1) as f32 / 101.0).collect()
}

fn normalised(mut rows: Vec<f32>, width: usize) -> Vec<f32> {
    for row in rows.chunks_exact_mut(width) {
        let sum: f32 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
    rows
}

fn lattices(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("rank_hmm");
    group.sample_size(10);
    for (sentences, n, states, rank) in
        [(8, 32, 4096, 1024), (32, 8, 4096, 1024), (8, 32, 512, 256)]
    {
        let batch = Batch::new(vec![vec![0u32; n]; sentences]).expect("words");
        let (u, v) =
            (normalised(numbers(states * rank), rank), normalised(numbers(states * rank), states));
        let a = normalised(numbers(rank * rank), rank);
        let (start, words) = (normalised(numbers(rank), rank), numbers(rank));
        let place = vec![0; batch.tokens()];
        for (name, chain) in
            [("rank", Chain::Rank { a: &a, states }), ("state", Chain::State { u: &u, v: &v })]
        {
            let rules = Rules {
                rank,
                start: &start,
                chain,
                words: &words,
                word_scales: &[0.0],
                floor: 0.0,
            };
            let mut lattice = Lattice::default();
            let size = format!("{name}/{sentences}x{n}, {states} states, rank {rank}");
            group.bench_function(BenchmarkId::from_parameter(size), |b| {
                b.iter(|| {
                    lattice.forward(&rules, &batch, &place).expect("in range");
                    lattice.backward(&rules);
                    (lattice.gradients(&rules, 1.0), lattice.steps(&rules, 1.0))
                })
            });
        }
    }
    group.finish();
}

criterion_group!(benches, lattices);
criterion_main!(benches);
