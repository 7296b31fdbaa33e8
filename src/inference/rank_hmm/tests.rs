use super::*;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A random model, all in probabilities.
struct Model {
    states: usize,
    rank: usize,
    start: Vec<f64>,
    /// (states, r), rows sum to 1
    u: Vec<f64>,
    /// (states, r), columns sum to 1
    v: Vec<f64>,
    /// (words, r), columns sum to 1
    w: Vec<f64>,
}

impl Model {
    fn random(rng: &mut ChaCha8Rng, states: usize, rank: usize, words: usize) -> Model {
        Model::drawn(states, rank, words, || (3.0 * rng.random::<f64>()).exp() - 0.9)
    }

    fn drawn(states: usize, rank: usize, words: usize, mut draw: impl FnMut() -> f64) -> Model {
        let mut draw = |n: usize| -> Vec<f64> { (0..n).map(|_| draw()).collect() };
        let (mut start, mut u, mut v) = (draw(states), draw(states * rank), draw(states * rank));
        let mut w = draw(words * rank);
        let sum: f64 = start.iter().sum();
        start.iter_mut().for_each(|s| *s /= sum);
        for row in u.chunks_exact_mut(rank) {
            let sum: f64 = row.iter().sum();
            row.iter_mut().for_each(|x| *x /= sum);
        }
        for matrix in [&mut v, &mut w] {
            for q in 0..rank {
                let sum: f64 = matrix.iter().skip(q).step_by(rank).sum();
                matrix.iter_mut().skip(q).step_by(rank).for_each(|x| *x /= sum);
            }
        }
        Model { states, rank, start, u, v, w }
    }

    /// pi, A, words divided by their largest entries, and the logs of these.
    fn rank_space(&self) -> [Vec<f64>; 4] {
        let r = self.rank;
        let pi = (0..r).map(|q| (0..self.states).map(|x| self.start[x] * self.u[x * r + q]).sum());
        let a = (0..r * r).map(|i| {
            let (p, q) = (i / r, i % r);
            (0..self.states).map(|x| self.v[x * r + p] * self.u[x * r + q]).sum()
        });
        let (mut words, mut scales) = (Vec::new(), Vec::new());
        for row in self.w.chunks_exact(r) {
            let top = row.iter().copied().fold(0.0, f64::max);
            words.extend(row.iter().map(|x| x / top));
            scales.push(top.ln());
        }
        [pi.collect(), a.collect(), words, scales]
    }

    /// Probability of a sentence, and by word and state, summed over all paths of states and
    /// ranks one by one.
    fn enumerate(&self, sentence: &[u32]) -> (f64, Vec<f64>) {
        let mut by_state = vec![0.0; sentence.len() * self.states];
        let mut path = Vec::new();
        let total = (0..self.states)
            .map(|x| self.walk(sentence, x, self.start[x], &mut path, &mut by_state))
            .sum();
        by_state.iter_mut().for_each(|p| *p /= total);
        (total, by_state)
    }

    fn walk(
        &self,
        sentence: &[u32],
        state: usize,
        p: f64,
        path: &mut Vec<usize>,
        by_state: &mut [f64],
    ) -> f64 {
        if path.len() == sentence.len() {
            path.iter().enumerate().for_each(|(t, &x)| by_state[t * self.states + x] += p);
            return p;
        }
        let (word, r) = (sentence[path.len()] as usize, self.rank);
        path.push(state);
        let mut total = 0.0;
        for q in 0..r {
            let p = p * self.u[state * r + q] * self.w[word * r + q];
            for next in 0..self.states {
                total += self.walk(sentence, next, p * self.v[next * r + q], path, by_state);
            }
        }
        path.pop();
        total
    }
}

const ORDERS: [bool; 2] = [false, true];

/// Gradients of all matrices: start, chain, U, V and the words.
type Gradients<T> = [Vec<T>; 5];

fn gradients<T: Real>(lattice: &Lattice<T>, rules: &Rules<'_, T>, weight: f64) -> Gradients<T> {
    let RuleGradients { start, log_words } = lattice.gradients(rules, weight);
    let steps = lattice.steps(rules, weight);
    let (mut chain, mut u, mut v) = (Vec::new(), Vec::new(), Vec::new());
    match rules.chain {
        Chain::Rank { a, .. } => {
            chain = vec![T::ZERO; a.len()];
            steps.chain(&mut chain);
        }
        Chain::State { u: own, .. } => {
            let r = rules.rank;
            let (states, half) = (own.len() / r, own.len() / r / 2);
            (u, v) = (vec![T::ZERO; own.len()], vec![T::ZERO; own.len()]);
            // In two parts, as callers do who have no room for the whole.
            for part in [0..half, half..states] {
                steps.u(part.clone(), &mut u[part.start * r..part.end * r]);
                steps.v(part.clone(), &mut v[part.start * r..part.end * r]);
            }
        }
    }
    [start, chain, u, v, log_words]
}

fn run<T: Real>(m: &Model, batch: &Batch, by_states: bool) -> (Lattice<T>, Gradients<T>) {
    let cast = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
    let [pi, a, words, scales] = m.rank_space();
    let (pi, a, words, u, v) = (cast(&pi), cast(&a), cast(&words), cast(&m.u), cast(&m.v));
    let chain = match by_states {
        false => Chain::Rank { a: &a, states: m.states },
        true => Chain::State { u: &u, v: &v },
    };
    let rules =
        Rules { rank: m.rank, start: &pi, chain, words: &words, word_scales: &scales, floor: 0.0 };
    let of_token: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
    let mut lattice = Lattice::default();
    lattice.forward(&rules, batch, &of_token).expect("in range");
    lattice.backward(&rules);
    let gradients = gradients(&lattice, &rules, 1.0);
    (lattice, gradients)
}

fn random_batch(rng: &mut ChaCha8Rng, lengths: &[usize], words: u32) -> Batch {
    let sentences: Vec<Vec<u32>> =
        lengths.iter().map(|&n| (0..n).map(|_| rng.random_range(0..words)).collect()).collect();
    Batch::new(sentences).expect("no sentence is empty")
}

#[test]
fn probabilities_and_state_posteriors_equal_brute_force() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for (states, rank) in [(1, 1), (2, 3), (3, 2), (4, 1)] {
        let m = Model::random(&mut rng, states, rank, 5);
        let batch = random_batch(&mut rng, &[2, 4, 1, 3, 4], 5);
        for by_states in ORDERS {
            let (lattice, _) = run::<f64>(&m, &batch, by_states);
            let (single, _) = run::<f32>(&m, &batch, by_states);
            for (b, sentence) in batch.sentences().enumerate() {
                let (total, by_state) = m.enumerate(sentence);
                assert!((lattice.log_p()[b] - total.ln()).abs() < 1e-12);
                assert!((single.log_p()[b] - total.ln()).abs() < 1e-5 * total.ln().abs());
                let surprisals = lattice.surprisals(b);
                assert_eq!(surprisals.len(), sentence.len());
                assert!((surprisals.iter().sum::<f64>() + total.ln()).abs() < 1e-12);
                let before = m.enumerate(&sentence[..sentence.len() - 1]).0;
                let last = surprisals[sentence.len() - 1];
                assert!((last + (total / before).ln()).abs() < 1e-12);
                let posteriors = lattice.state_posteriors(b, &m.start, &m.u, &m.v);
                assert_eq!(posteriors.len(), by_state.len());
                for (ours, theirs) in posteriors.iter().zip(&by_state) {
                    assert!((f64::from(*ours) - theirs).abs() < 1e-6, "{ours} {theirs}");
                }
            }
        }
    }
}

#[test]
fn gradients_equal_finite_differences_in_both_orders() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    for (by_states, floor) in [(false, 0.0), (false, 1e-3), (true, 0.0), (true, 1e-3)] {
        let m = Model::random(&mut rng, 4, 3, 6);
        let batch = random_batch(&mut rng, &[5, 1, 3, 5], 6);
        let of_token: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
        let [pi, a, words, scales] = m.rank_space();
        let log_words: Vec<f64> = words.iter().map(|w| w.ln()).collect();
        let start = [pi, a, m.u.clone(), m.v.clone(), log_words];
        let total = |[pi, a, u, v, log_words]: &[Vec<f64>; 5]| {
            let words: Vec<f64> = log_words.iter().map(|w| w.exp()).collect();
            let chain = match by_states {
                false => Chain::Rank { a, states: 4 },
                true => Chain::State { u, v },
            };
            let rules =
                Rules { rank: 3, start: pi, chain, words: &words, word_scales: &scales, floor };
            let mut lattice = Lattice::default();
            lattice.forward(&rules, &batch, &of_token).expect("in range");
            lattice.backward(&rules);
            if let Chain::State { v, .. } = rules.chain {
                let g = gradients(&lattice, &rules, -0.5);
                for (q, dot) in lattice.steps(&rules, -0.5).v_dots().into_iter().enumerate() {
                    let sum: f64 = (0..4).map(|x| v[x * 3 + q] * g[3][x * 3 + q]).sum();
                    assert!((sum - dot).abs() < 1e-10, "{sum} {dot}");
                }
            }
            let gradients = gradients(&lattice, &rules, -0.5);
            (-0.5 * lattice.log_p().iter().sum::<f64>(), gradients)
        };
        let g = total(&start).1;
        assert_eq!(g[1].is_empty(), by_states);
        for (part, gradient) in g.iter().enumerate() {
            for (i, &analytic) in gradient.iter().enumerate() {
                let h = 1e-6;
                let at = |by: f64| {
                    let mut moved = start.clone();
                    moved[part][i] += by;
                    total(&moved).0
                };
                let difference = (at(h) - at(-h)) / (2.0 * h);
                assert!(
                    (difference - analytic).abs() < 1e-6 * analytic.abs().max(1.0),
                    "states {by_states}, floor {floor}, part {part}, {i}: {difference} {analytic}"
                );
            }
        }
    }
}

#[test]
fn a_sentence_does_not_depend_on_its_batch_and_long_ones_do_not_underflow() {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let m = Model::random(&mut rng, 40, 17, 300);
    let batch = random_batch(&mut rng, &[7, 2000, 1, 19, 7], 300);
    let (exact, _) = run::<f64>(&m, &batch, false);
    for by_states in ORDERS {
        let (together, _) = run::<f32>(&m, &batch, by_states);
        for b in 0..batch.len() {
            let alone = Batch::new([batch.sentence(b)]).expect("not empty");
            let (single, _) = run::<f32>(&m, &alone, by_states);
            assert!(
                (single.log_p()[0] - together.log_p()[b]).abs() < 1e-5 * exact.log_p()[b].abs()
            );
            assert!((exact.log_p()[b] - together.log_p()[b]).abs() < 1e-5 * exact.log_p()[b].abs());
        }
    }
}

#[test]
fn numbers_do_not_depend_on_the_threads() {
    let mut rng = ChaCha8Rng::seed_from_u64(4);
    let m = Model::random(&mut rng, 70, 33, 50);
    let batch = random_batch(&mut rng, &[25, 25, 12, 9, 1], 50);
    for by_states in ORDERS {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("starts").install(|| run::<f32>(&m, &batch, by_states))
        };
        let ((a, ga), (b, gb)) = (with(1), with(3));
        assert_eq!(a.log_p(), b.log_p());
        assert_eq!(ga, gb);
    }
}

#[test]
fn impossible_words_are_reported_by_sentence_and_place() {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let m = Model::random(&mut rng, 2, 3, 3);
    let [pi, a, mut words, scales] = m.rank_space();
    words[2 * 3..].fill(0.0);
    let chain = Chain::Rank { a: &a, states: 2 };
    let rules =
        Rules { rank: 3, start: &pi, chain, words: &words, word_scales: &scales, floor: 0.0 };
    let batch = Batch::new([vec![0, 1], vec![0, 1, 2]]).expect("not empty");
    let error = Lattice::default().forward(&rules, &batch, &[0, 1, 0, 1, 2]).unwrap_err();
    assert_eq!(error, OutOfRange { sentence: 1, position: 2 });
}

#[test]
fn what_underflow_takes_from_finite_scores_is_refused_and_not_lost_in_silence() {
    fn read<T: Real>(m: &Model, batch: &Batch) -> Result<(f64, Vec<f32>), OutOfRange> {
        let cast = |x: &[f64]| x.iter().map(|&x| T::from_f64(x)).collect::<Vec<T>>();
        let [pi, a, words, word_scales] = m.rank_space();
        let (start, a, words) = (cast(&pi), cast(&a), cast(&words));
        let chain = Chain::Rank { a: &a, states: m.states };
        let rules = Rules {
            rank: m.rank,
            start: &start,
            chain,
            words: &words,
            word_scales: &word_scales,
            floor: 0.0,
        };
        let of_token: Vec<usize> = batch.words().iter().map(|&w| w as usize).collect();
        let mut lattice = Lattice::default();
        lattice.forward(&rules, batch, &of_token)?;
        lattice.backward(&rules);
        lattice.check()?;
        Ok((lattice.log_p()[0], lattice.posteriors(0)))
    }
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let (mut kept, mut refused) = (0, 0);
    for nats in [40.0, 120.0, 180.0] {
        for _ in 0..400 {
            let m = Model::drawn(3, 3, 6, || (-nats * rng.random::<f64>()).exp());
            let batch = random_batch(&mut rng, &[6], 6);
            let Ok((single, ours)) = read::<f32>(&m, &batch) else {
                refused += 1;
                continue;
            };
            kept += 1;
            let (double, theirs) = read::<f64>(&m, &batch).expect("in range");
            assert!((single - double).abs() < 1e-5 * double.abs(), "{nats}: {single} {double}");
            for (ours, theirs) in ours.iter().zip(&theirs) {
                assert!((ours - theirs).abs() < 1e-3, "{nats}: {ours} {theirs}");
            }
        }
    }
    assert!(kept > 400 && refused > 0, "{kept} kept, {refused} refused");
}
