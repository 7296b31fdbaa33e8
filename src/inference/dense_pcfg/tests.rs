use super::*;
use crate::inference::matrix::{Into, Matrix, MatrixMut, multiply};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random grammar: the tensor (NT, S, S) is the product of `u` (NT, r) and `v` (r, S, S).
struct Grammar {
    nt: usize,
    pt: usize,
    root: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    tensor: Vec<f64>,
    /// (words, PT)
    emissions: Vec<f64>,
}

fn normalise_rows(values: &mut [f64], columns: usize) {
    for row in values.chunks_exact_mut(columns) {
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|x| *x /= sum);
    }
}

impl Grammar {
    fn random(rng: &mut ChaCha8Rng, nt: usize, pt: usize, rank: usize, words: usize) -> Grammar {
        let all = (nt + pt) * (nt + pt);
        let mut draw = |rows: usize, columns: usize| -> Vec<f64> {
            let mut x: Vec<f64> =
                (0..rows * columns).map(|_| (4.0 * rng.random::<f64>()).exp() - 0.9).collect();
            normalise_rows(&mut x, columns);
            x
        };
        let (root, u, v, emissions) =
            (draw(1, nt), draw(nt, rank), draw(rank, all), draw(words, pt));
        let mut tensor = vec![0.0; nt * all];
        multiply(
            MatrixMut::new(&mut tensor, nt, all),
            Into::Replace,
            1.0,
            Matrix::new(&u, nt, rank),
            Matrix::new(&v, rank, all),
        );
        Grammar { nt, pt, root, u, v, tensor, emissions }
    }

    /// All derivations of a sentence with their probabilities.
    fn enumerate(&self, sentence: &[u32]) -> Vec<(f64, Derivation)> {
        let mut all = Vec::new();
        for a in 0..self.nt {
            for (p, spans, tags) in self.derivations(sentence, (0, sentence.len()), a) {
                let p = p * self.root[a];
                all.push((p, Derivation { log_prob: p.ln(), spans, tags }));
            }
        }
        all
    }

    #[allow(clippy::type_complexity)]
    fn derivations(
        &self,
        sentence: &[u32],
        (i, j): (usize, usize),
        a: usize,
    ) -> Vec<(f64, Vec<(usize, usize, usize)>, Vec<usize>)> {
        if j - i == 1 {
            let p = self.emissions[sentence[i] as usize * self.pt + a];
            return vec![(p, vec![], vec![a])];
        }
        let symbols = self.nt + self.pt;
        // Children are numbered among their own kind.
        let kind = |width: usize| if width == 1 { (self.nt, self.pt) } else { (0, self.nt) };
        let mut all = Vec::new();
        for k in i + 1..j {
            let ((first_b, bs), (first_c, cs)) = (kind(k - i), kind(j - k));
            for b in 0..bs {
                let left = self.derivations(sentence, (i, k), b);
                for c in 0..cs {
                    let rule = self.tensor[(a * symbols + first_b + b) * symbols + first_c + c];
                    for (q, rs, rt) in self.derivations(sentence, (k, j), c) {
                        for (p, ls, lt) in &left {
                            let spans = [&[(i, j, a)][..], ls, &rs].concat();
                            all.push((rule * p * q, spans, [&lt[..], &rt].concat()));
                        }
                    }
                }
            }
        }
        all
    }
}

/// The parts of the rules as logarithms, so that all are free to move: T or U and V, s, leaves.
#[derive(Clone)]
struct Logs {
    u: Option<Vec<f64>>,
    pairs: Vec<f64>,
    root: Vec<f64>,
    leaves: Vec<f64>,
}

impl Logs {
    fn of(g: &Grammar, factors: bool) -> Logs {
        let ln = |x: &[f64]| x.iter().map(|x| x.ln()).collect::<Vec<f64>>();
        Logs {
            u: factors.then(|| ln(&g.u)),
            pairs: ln(if factors { &g.v } else { &g.tensor }),
            root: ln(&g.root),
            leaves: ln(&g.emissions),
        }
    }

    fn with<T: Real, R>(&self, g: &Grammar, with: impl FnOnce(&Rules<'_, T>) -> R) -> R {
        let exp = |x: &[f64]| x.iter().map(|x| T::from_f64(x.exp())).collect::<Vec<T>>();
        let pairs = Pairs::new(g.nt, g.pt, &exp(&self.pairs));
        let u = self.u.as_deref().map(exp);
        let mut scales = Vec::new();
        let leaves: Vec<f64> = self
            .leaves
            .chunks_exact(g.pt)
            .flat_map(|row| {
                let top = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                scales.push(top);
                row.iter().map(move |x| x - top)
            })
            .collect();
        with(&Rules {
            binary: match &u {
                Some(u) => Binary::Factors { u, v: &pairs },
                None => Binary::Full(&pairs),
            },
            root: &exp(&self.root),
            leaves: &exp(&leaves),
            leaf_scales: &scales,
        })
    }
}

fn words(batch: &Batch) -> Vec<usize> {
    batch.words().iter().map(|&w| w as usize).collect()
}

fn random_batch(rng: &mut ChaCha8Rng, lengths: &[usize], words: u32) -> Batch {
    let sentences: Vec<Vec<u32>> =
        lengths.iter().map(|&n| (0..n).map(|_| rng.random_range(0..words)).collect()).collect();
    Batch::new(sentences).expect("no sentence is empty")
}

/// log Z, posteriors of labelled spans (sentence, start, end, label), of tags, and gradients.
type Run<T> = (Vec<f64>, Vec<(usize, usize, usize, Vec<f64>)>, Vec<Vec<f64>>, RuleGradients<T>);

fn run<T: Real>(rules: &Rules<'_, T>, batch: &Batch) -> Run<T> {
    let mut chart = Chart::default();
    chart.inside(rules, batch, &words(batch)).expect("in range");
    chart.outside(rules, true);
    let mut gradients = RuleGradients::default();
    chart.gradients(rules, -0.5, &mut gradients).expect("in range");
    let wide = |x: &[T]| x.iter().map(|x| x.to_f64()).collect::<Vec<f64>>();
    let (mut spans, mut tags) = (Vec::new(), Vec::new());
    for b in 0..batch.len() {
        chart.spans(b, |i, j, labels| spans.push((b, i, j, wide(labels))));
        chart.words(rules, b, |_, own| tags.push(wide(own)));
    }
    (chart.log_z().to_vec(), spans, tags, gradients)
}

#[test]
fn inside_posteriors_and_viterbi_equal_brute_force_for_random_grammars_up_to_five_words() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (nt, pt, rank) in [(1, 1, 1), (2, 1, 3), (1, 3, 2), (2, 2, 2)] {
        let g = Grammar::random(&mut rng, nt, pt, rank, 4);
        let longest = if nt + pt > 3 { 4 } else { 5 };
        let batch = random_batch(&mut rng, &[3, longest, 2, 4, 2], 4);
        let all: Vec<_> = batch.sentences().map(|s| g.enumerate(s)).collect();
        let totals: Vec<f64> = all.iter().map(|d| d.iter().map(|(p, _)| p).sum()).collect();
        for factors in [false, true] {
            let check = |(log_z, spans, tags, _): Run<f64>, tolerance: f64| {
                for (found, total) in log_z.iter().zip(&totals) {
                    assert!((found - total.ln()).abs() < tolerance, "{found} {}", total.ln());
                }
                assert_eq!(
                    spans.len(),
                    (0..5).map(|b| batch.length(b)).map(|n| n * (n - 1) / 2).sum::<usize>()
                );
                for (b, i, j, labels) in spans {
                    for (label, found) in labels.into_iter().enumerate() {
                        let has = |d: &&(f64, Derivation)| d.1.spans.contains(&(i, j, label));
                        let expected: f64 = all[b].iter().filter(has).map(|d| d.0).sum();
                        assert!((found - expected / totals[b]).abs() < tolerance);
                    }
                }
                for (token, own) in tags.into_iter().enumerate() {
                    let b = batch.offsets()[1..].partition_point(|&end| end <= token);
                    let place = token - batch.offsets()[b];
                    for (tag, found) in own.into_iter().enumerate() {
                        let has = |d: &&(f64, Derivation)| d.1.tags[place] == tag;
                        let expected: f64 = all[b].iter().filter(has).map(|d| d.0).sum();
                        assert!((found - expected / totals[b]).abs() < tolerance);
                    }
                }
            };
            let logs = Logs::of(&g, factors);
            check(logs.with(&g, |rules| run::<f64>(rules, &batch)), 1e-11);
            let (log_z, spans, tags, _) = logs.with(&g, |rules| run::<f32>(rules, &batch));
            check((log_z, spans, tags, RuleGradients::default()), 1e-4);
        }
        let whole = Logs::of(&g, true).with(&g, |rules: &Rules<'_, f64>| rules.binary.multiplied());
        for (b, derivations) in all.iter().enumerate() {
            let best = derivations.iter().max_by(|x, y| x.0.total_cmp(&y.0)).expect("some");
            Logs::of(&g, false).with(&g, |rules: &Rules<'_, f64>| {
                let rules = Rules { binary: Binary::Full(&whole), ..*rules };
                let leaves: Vec<usize> = batch.sentence(b).iter().map(|&w| w as usize).collect();
                let found = viterbi(&rules, &leaves).expect("in range");
                assert!((found.log_prob - best.1.log_prob).abs() < 1e-11);
                // One symbol alone makes all trees equal.
                let own = derivations
                    .iter()
                    .find(|d| (&d.1.spans, &d.1.tags) == (&found.spans, &found.tags))
                    .expect("a derivation");
                assert!((own.0 - best.0).abs() < 1e-11 * best.0);
            });
        }
    }
}

#[test]
fn gradients_equal_finite_differences_of_the_logarithms() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let g = Grammar::random(&mut rng, 2, 3, 4, 5);
    let batch = random_batch(&mut rng, &[2, 5, 4, 3], 5);
    for factors in [false, true] {
        let start = Logs::of(&g, factors);
        let total = |logs: &Logs| logs.with(&g, |rules| run::<f64>(rules, &batch));
        let gradients = total(&start).3;
        assert_eq!(gradients.u.is_empty(), !factors);
        let check = |place: &str, analytic: &[f64], part: fn(&mut Logs) -> &mut Vec<f64>| {
            for (i, &analytic) in analytic.iter().enumerate() {
                let at = |by: f64| {
                    let mut moved = start.clone();
                    part(&mut moved)[i] += by;
                    -0.5 * total(&moved).0.iter().sum::<f64>()
                };
                let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                let error = (difference - analytic).abs();
                assert!(error < 1e-7, "{place}[{i}]: {difference} against {analytic}");
            }
        };
        check("pairs", &gradients.pairs, |logs| &mut logs.pairs);
        check("root", &gradients.root, |logs| &mut logs.root);
        check("leaves", &gradients.leaves, |logs| &mut logs.leaves);
        check("u", &gradients.u, |logs| logs.u.as_mut().expect("factors"));
    }
}

#[test]
fn a_sentence_does_not_depend_on_its_batch_and_long_ones_do_not_underflow() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let g = Grammar::random(&mut rng, 2, 3, 2, 30);
    for (factors, longest) in [(false, 200), (true, 25)] {
        let batch = random_batch(&mut rng, &[7, longest, 2, 19, 7], 30);
        let logs = Logs::of(&g, factors);
        let (exact, ..) = logs.with(&g, |rules| run::<f64>(rules, &batch));
        let (together, spans, ..) = logs.with(&g, |rules| run::<f32>(rules, &batch));
        for b in 0..batch.len() {
            let alone = Batch::new([batch.sentence(b)]).expect("not empty");
            let (log_z, own, ..) = logs.with(&g, |rules| run::<f32>(rules, &alone));
            assert!((log_z[0] - together[b]).abs() < 1e-5 * log_z[0].abs());
            assert!((exact[b] - together[b]).abs() < 1e-5 * exact[b].abs());
            for (x, y) in own.iter().zip(spans.iter().filter(|s| s.0 == b)) {
                x.3.iter().zip(&y.3).for_each(|(x, y)| assert!((x - y).abs() < 1e-4));
            }
        }
    }
}

#[test]
fn numbers_do_not_depend_on_the_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let g = Grammar::random(&mut rng, 8, 16, 5, 50);
    let batch = random_batch(&mut rng, &[12, 12, 8, 3], 50);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("starts");
        pool.install(|| Logs::of(&g, false).with(&g, |rules| run::<f32>(rules, &batch)))
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn impossible_sentences_are_reported_by_number() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut g = Grammar::random(&mut rng, 2, 2, 3, 3);
    g.emissions[2 * 2..].fill(0.0);
    let batch = Batch::new([vec![0, 1], vec![0, 2, 1]]).expect("not empty");
    Logs::of(&g, false).with(&g, |rules: &Rules<'_, f32>| {
        let mut leaves = rules.leaves.to_vec();
        leaves[2 * 2..].fill(0.0);
        let rules = Rules { leaves: &leaves, leaf_scales: &[0.0; 3], ..*rules };
        let error = Chart::default().inside(&rules, &batch, &words(&batch)).unwrap_err();
        assert_eq!(error, OutOfRange { sentence: 1 });
        assert_eq!(viterbi(&rules, &[0, 2, 1]), Err(OutOfRange { sentence: 0 }));
        assert!(viterbi(&rules, &[0, 1]).is_ok());
    });
}

#[test]
fn what_underflow_takes_from_finite_scores_is_refused_and_not_lost_in_silence() {
    fn log_z<T: Real>(rules: &Rules<'_, T>, batch: &Batch) -> Result<(f64, f64), OutOfRange> {
        let mut chart = Chart::default();
        chart.inside(rules, batch, &words(batch))?;
        let best = viterbi(rules, &words(batch))?;
        Ok((chart.log_z()[0], best.log_prob))
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut kept, mut refused) = (0, 0);
    for nats in [40.0, 120.0, 180.0] {
        for _ in 0..200 {
            let mut g = Grammar::random(&mut rng, 3, 3, 1, 6);
            for (values, columns) in [(&mut g.root, 3), (&mut g.tensor, 36), (&mut g.emissions, 3)]
            {
                values.iter_mut().for_each(|x| *x = (-nats * rng.random::<f64>()).exp());
                normalise_rows(values, columns);
            }
            let batch = random_batch(&mut rng, &[8], 6);
            let logs = Logs::of(&g, false);
            let double = logs.with::<f64, _>(&g, |rules| log_z(rules, &batch)).expect("in range");
            let Ok(single) = logs.with::<f32, _>(&g, |rules| log_z(rules, &batch)) else {
                refused += 1;
                continue;
            };
            kept += 1;
            for (single, double) in [(single.0, double.0), (single.1, double.1)] {
                assert!((single - double).abs() < 1e-5 * double.abs(), "{nats}: {single} {double}");
            }
        }
    }
    assert!(kept > 200 && refused > 0, "{kept} kept, {refused} refused");
}
