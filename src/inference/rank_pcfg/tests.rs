use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random grammar with its rank-space form.
struct Grammar {
    nt: usize,
    rank: usize,
    start: Vec<f64>,
    u: Vec<f64>,
    vw: Vec<f64>,
    /// (words, PT)
    emissions: Vec<f64>,
}

fn normalise(values: &mut [f64], sets: impl Iterator<Item = Vec<usize>>) {
    for set in sets {
        let sum: f64 = set.iter().map(|&i| values[i]).sum();
        set.into_iter().for_each(|i| values[i] /= sum);
    }
}

impl Grammar {
    fn random(rng: &mut ChaCha8Rng, nt: usize, pt: usize, rank: usize, words: usize) -> Grammar {
        Grammar::drawn([nt, pt, rank, words], || (3.0 * rng.random::<f64>()).exp() - 0.9)
    }

    fn drawn([nt, pt, rank, words]: [usize; 4], mut draw: impl FnMut() -> f64) -> Grammar {
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| draw()).collect() };
        let (mut start, mut u, mut vw) = (draw(nt), draw(nt * rank), draw((nt + pt) * 2 * rank));
        let mut emissions = draw(words * pt);
        normalise(&mut start, std::iter::once((0..nt).collect()));
        normalise(&mut u, (0..nt).map(|a| (a * rank..(a + 1) * rank).collect()));
        normalise(&mut vw, (0..2 * rank).map(|q| (0..nt + pt).map(|b| b * 2 * rank + q).collect()));
        normalise(&mut emissions, (0..pt).map(|p| (0..words).map(|w| w * pt + p).collect()));
        Grammar { nt, rank, start, u, vw, emissions }
    }

    fn pt(&self) -> usize {
        self.vw.len() / (2 * self.rank) - self.nt
    }

    fn rule(&self, a: usize, b: usize, c: usize) -> f64 {
        let r = self.rank;
        (0..r)
            .map(|q| self.u[a * r + q] * self.vw[b * 2 * r + q] * self.vw[c * 2 * r + r + q])
            .sum()
    }

    /// Children (r x 2r), root, leaves (words x 2r, scaled), scales.
    fn rank_space<T: Real>(&self) -> (Vec<T>, Vec<T>, Vec<T>, Vec<f64>) {
        let (r, nt, pt) = (self.rank, self.nt, self.pt());
        let mut children = vec![0.0; 2 * r * r];
        for q in 0..r {
            for x in 0..2 * r {
                children[q * 2 * r + x] =
                    (0..nt).map(|a| self.u[a * r + q] * self.vw[a * 2 * r + x]).sum();
            }
        }
        let root: Vec<f64> =
            (0..r).map(|q| (0..nt).map(|a| self.start[a] * self.u[a * r + q]).sum()).collect();
        let words = self.emissions.len() / pt;
        let (mut leaves, mut scales) = (Vec::new(), Vec::new());
        for w in 0..words {
            let row = &self.emissions[w * pt..(w + 1) * pt];
            let top = row.iter().copied().fold(0.0, f64::max);
            scales.push(top.ln());
            for x in 0..2 * r {
                let sum: f64 = (0..pt).map(|p| row[p] / top * self.vw[(nt + p) * 2 * r + x]).sum();
                leaves.push(sum);
            }
        }
        let cast = |v: Vec<f64>| v.into_iter().map(T::from_f64).collect();
        (cast(children), cast(root), cast(leaves), scales)
    }

    /// (total, by span) weight of all labelled derivations of [i, j) from symbol a, one by one.
    fn enumerate(&self, sentence: &[u32]) -> (f64, Vec<f64>) {
        let n = sentence.len();
        let mut spans = vec![0.0; (n + 1) * (n + 1)];
        let mut total = 0.0;
        for a in 0..self.nt {
            for (p, tree) in self.derivations(sentence, 0, n, a) {
                let p = p * self.start[a];
                total += p;
                tree.iter().for_each(|&(i, j)| spans[i * (n + 1) + j] += p);
            }
        }
        spans.iter_mut().for_each(|s| *s /= total);
        (total, spans)
    }

    fn derivations(
        &self,
        sentence: &[u32],
        i: usize,
        j: usize,
        a: usize,
    ) -> Vec<(f64, Vec<(usize, usize)>)> {
        let pt = self.pt();
        if j - i == 1 {
            return match a.checked_sub(self.nt) {
                Some(p) => vec![(self.emissions[sentence[i] as usize * pt + p], vec![])],
                None => vec![],
            };
        }
        if a >= self.nt {
            return vec![];
        }
        let mut all = Vec::new();
        let symbols = |width: usize| if width == 1 { self.nt..self.nt + pt } else { 0..self.nt };
        for k in i + 1..j {
            for b in symbols(k - i) {
                let left = self.derivations(sentence, i, k, b);
                for c in symbols(j - k) {
                    let rule = self.rule(a, b, c);
                    for (q, right) in self.derivations(sentence, k, j, c) {
                        for (p, l) in &left {
                            all.push((rule * p * q, [&[(i, j)][..], l, &right].concat()));
                        }
                    }
                }
            }
        }
        all
    }
}

use crate::inference::order::Order;

const ORDERS: [Order; 2] = [Order::Rank, Order::State];

fn run<T: Real>(
    g: &Grammar,
    batch: &Batch,
    order: Order,
) -> (Vec<f64>, Chart<T>, RuleGradients<T>) {
    let (children, root, leaves, scales) = g.rank_space::<T>();
    let cast = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    let (u, vw) = (cast(&g.u), cast(&g.vw[..g.nt * 2 * g.rank]));
    let rules = Rules {
        rank: g.rank,
        children: match order {
            Order::Rank => Children::Rank(&children),
            Order::State => Children::State { u: &u, vw: &vw },
        },
        root: &root,
        leaves: &leaves,
        leaf_scales: &scales,
        floor: 0.0,
    };
    let words: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
    let mut chart = Chart::default();
    chart.inside(&rules, batch, &words).expect("in range");
    chart.outside(&rules, true);
    let mut gradients = RuleGradients::default();
    chart.gradients(&rules, 1.0, &mut gradients).expect("in range");
    (chart.log_z().to_vec(), chart, gradients)
}

fn random_batch(rng: &mut ChaCha8Rng, lengths: &[usize], words: u32) -> Batch {
    let sentences: Vec<Vec<u32>> =
        lengths.iter().map(|&n| (0..n).map(|_| rng.random_range(0..words)).collect()).collect();
    Batch::new(sentences).expect("no sentence is empty")
}

#[test]
fn inside_and_posteriors_equal_brute_force_for_random_grammars_up_to_five_words() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (nt, pt, rank) in [(1, 1, 1), (2, 2, 3), (3, 2, 2), (2, 3, 5)] {
        let g = Grammar::random(&mut rng, nt, pt, rank, 4);
        let longest = if nt + pt > 4 { 4 } else { 5 };
        let lengths: Vec<usize> = (2..=longest).chain([3, 2]).collect();
        let batch = random_batch(&mut rng, &lengths, 4);
        let expected: Vec<_> = batch.sentences().map(|s| g.enumerate(s)).collect();
        for order in ORDERS {
            let (log_z, chart, _) = run::<f64>(&g, &batch, order);
            let (log_z32, chart32, _) = run::<f32>(&g, &batch, order);
            for (b, (total, spans)) in expected.iter().enumerate() {
                assert!((log_z[b] - total.ln()).abs() < 1e-11, "{} {}", log_z[b], total.ln());
                assert!((log_z32[b] - total.ln()).abs() < 1e-5 * total.ln().abs().max(1.0));
                for (ours, theirs) in chart.posteriors(b).iter().zip(spans) {
                    assert!((ours - theirs).abs() < 1e-11);
                }
                for (ours, theirs) in chart32.posteriors(b).iter().zip(spans) {
                    assert!((ours - theirs).abs() < 1e-5);
                }
            }
        }
    }
}

#[test]
fn gradients_equal_finite_differences_in_both_orders() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (order, floor) in
        [(Order::Rank, 0.0), (Order::Rank, 1e-3), (Order::State, 0.0), (Order::State, 1e-3)]
    {
        let g = Grammar::random(&mut rng, 3, 4, 5, 6);
        let batch = random_batch(&mut rng, &[6, 4, 2, 4, 3], 6);
        let words: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
        let (children, root, leaves, scales) = g.rank_space::<f64>();
        let start = [children, g.u.clone(), g.vw[..3 * 2 * 5].to_vec(), root, leaves, scales];
        let total = |[children, u, vw, root, leaves, scales]: &[Vec<f64>; 6]| {
            let children = match order {
                Order::Rank => Children::Rank(children),
                Order::State => Children::State { u, vw },
            };
            let rules = Rules { rank: 5, children, root, leaves, leaf_scales: scales, floor };
            let mut chart = Chart::default();
            chart.inside(&rules, &batch, &words).expect("in range");
            chart.outside(&rules, false);
            let mut gradients = RuleGradients::default();
            chart.gradients(&rules, -0.5, &mut gradients).expect("in range");
            (-0.5 * chart.log_z().iter().sum::<f64>(), gradients)
        };
        let g = total(&start).1;
        assert_eq!(g.children.is_empty(), order == Order::State);
        let gradients = [&g.children, &g.u, &g.vw, &g.root, &g.leaves, &g.leaf_scales];
        for (part, gradient) in gradients.into_iter().enumerate() {
            for (i, &analytic) in gradient.iter().enumerate() {
                let h = 1e-6 * start[part][i].abs().max(1e-3);
                let at = |by: f64| {
                    let mut moved = start.clone();
                    moved[part][i] += by;
                    total(&moved).0
                };
                let difference = (at(h) - at(-h)) / (2.0 * h);
                let error = (difference - analytic).abs();
                assert!(
                    error < 1e-5 * analytic.abs().max(1.0),
                    "{order:?}, floor {floor}, part {part}, {i}: {difference} against {analytic}"
                );
            }
        }
    }
}

#[test]
fn a_sentence_does_not_depend_on_its_batch_and_long_ones_do_not_underflow() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let g = Grammar::random(&mut rng, 6, 12, 16, 30);
    let batch = random_batch(&mut rng, &[7, 200, 2, 19, 7], 30);
    for order in ORDERS {
        let (together, chart, _) = run::<f32>(&g, &batch, order);
        let (exact, _, _) = run::<f64>(&g, &batch, Order::Rank);
        for b in 0..batch.len() {
            let alone = Batch::new([batch.sentence(b)]).expect("not empty");
            let (log_z, alone_chart, _) = run::<f32>(&g, &alone, order);
            assert!((log_z[0] - together[b]).abs() < 1e-5 * log_z[0].abs());
            assert!((exact[b] - together[b]).abs() < 1e-5 * exact[b].abs());
            for (x, y) in chart.posteriors(b).iter().zip(alone_chart.posteriors(0)) {
                assert!((x - y).abs() < 1e-5, "{x} {y}");
            }
        }
    }
}

#[test]
fn numbers_do_not_depend_on_the_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let g = Grammar::random(&mut rng, 20, 40, 33, 50);
    let batch = random_batch(&mut rng, &[25, 25, 12, 9], 50);
    for order in ORDERS {
        let with = |threads| {
            rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("starts")
                .install(|| run::<f32>(&g, &batch, order))
        };
        let ((a, _, ga), (b, _, gb)) = (with(1), with(3));
        assert_eq!(a, b);
        assert_eq!(ga, gb);
    }
}

#[test]
fn impossible_sentences_are_reported_by_number() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let g = Grammar::random(&mut rng, 2, 2, 3, 3);
    let (children, root, mut leaves, scales) = g.rank_space::<f32>();
    leaves[2 * 6..].fill(0.0);
    let rules = Rules {
        rank: 3,
        children: Children::Rank(&children),
        root: &root,
        leaves: &leaves,
        leaf_scales: &scales,
        floor: 0.0,
    };
    let batch = Batch::new([vec![0, 1], vec![0, 2, 1]]).expect("not empty");
    let error = Chart::default().inside(&rules, &batch, &[0, 1, 0, 2, 1]).unwrap_err();
    assert_eq!(error, OutOfRange { sentence: 1 });
}

#[test]
fn what_underflow_takes_from_finite_scores_is_refused_and_not_lost_in_silence() {
    fn posteriors<T: Real>(g: &Grammar, batch: &Batch) -> Result<(f64, Vec<f64>), OutOfRange> {
        let (children, root, leaves, scales) = g.rank_space::<T>();
        let rules = Rules {
            rank: g.rank,
            children: Children::Rank(&children),
            root: &root,
            leaves: &leaves,
            leaf_scales: &scales,
            floor: 0.0,
        };
        let words: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
        let mut chart = Chart::<T>::default();
        chart.inside(&rules, batch, &words)?;
        chart.outside(&rules, true);
        Ok((chart.log_z()[0], chart.posteriors(0)))
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut kept, mut refused) = (0, 0);
    for nats in [40.0, 120.0, 180.0] {
        for _ in 0..400 {
            let g = Grammar::drawn([4, 5, 4, 6], || (-nats * rng.random::<f64>()).exp());
            let sentence: Vec<u32> = (0..8).map(|_| rng.random_range(0..6)).collect();
            let batch = Batch::new([sentence]).expect("words");
            let Ok((single, ours)) = posteriors::<f32>(&g, &batch) else {
                refused += 1;
                continue;
            };
            kept += 1;
            let (double, theirs) = posteriors::<f64>(&g, &batch).expect("in range");
            assert!((single - double).abs() < 1e-5 * double.abs(), "{nats}: {single} {double}");
            let sum: f64 = ours.iter().sum();
            // Gradients that overflowed are looked for by who reads them.
            if sum.is_finite() {
                assert!((sum - 7.0).abs() < 1e-3, "{sum} spans of two words and more");
                for (ours, theirs) in ours.iter().zip(&theirs) {
                    assert!((ours - theirs).abs() < 1e-3, "{nats}: {ours} {theirs}");
                }
            }
        }
    }
    assert!(kept > 400 && refused > 0, "{kept} kept, {refused} refused");
}
