use super::{Figure, Sample, Samples, Sums};
use rand::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// So many differing sentences have few enough exchanges to go through all of them.
pub const EXACT_UP_TO: usize = 20;

/// Differences that are apart by no more than rounding are equal: percentage points.
const ROUNDING: f64 = 1e-9;

/// Where a p-value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// From all exchanges of the differing sentences: the p-value itself.
    Exact,
    /// Estimated from so many random ones.
    Shuffles(u64),
}

/// Two-sided p-values of the figures, as listed: how probable a difference at least as large as
/// the observed one is if each sentence's results could change places. Exact where at most
/// `exact_up_to` sentences differ; else (n + 1) / (N + 1) with `n` of `N` shuffles that reach it.
pub fn randomise(
    samples: &Samples,
    figures: &[Figure],
    shuffles: u64,
    seed: u64,
    exact_up_to: usize,
) -> (Method, Vec<f64>) {
    let differing = samples.differing();
    let mut reach = Reach::new(samples.sums(), figures);
    if differing.len() <= exact_up_to.min(EXACT_UP_TO) {
        let exchanges = all_exchanges(&differing, samples.sums(), |sums| reach.count(sums));
        let p = reach.reached.iter().map(|&n| n as f64 / exchanges as f64).collect();
        return (Method::Exact, p);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for _ in 0..shuffles {
        let mut sums = samples.sums_of_equals();
        for pairs in differing.chunks(64) {
            let mut coins = rng.next_u64();
            for pair in pairs {
                let side = (coins & 1) as usize;
                coins >>= 1;
                sums[0].add(&pair[side]);
                sums[1].add(&pair[1 - side]);
            }
        }
        reach.count(&sums);
    }
    let estimate = |&n: &u64| (n + 1) as f64 / (shuffles + 1) as f64;
    (Method::Shuffles(shuffles), reach.reached.iter().map(estimate).collect())
}

/// Gives the sums of every exchange to `take`: their number, 2 to the number of sentences.
fn all_exchanges(
    differing: &[[Sample; 2]],
    mut sums: [Sums; 2],
    mut take: impl FnMut(&[Sums; 2]),
) -> u64 {
    let all = 1u64 << differing.len();
    let mut side = vec![0; differing.len()];
    take(&sums);
    // In the order of a Gray code, one sentence is exchanged at a time.
    for step in 1..all {
        let i = step.trailing_zeros() as usize;
        let pair = &differing[i];
        let now = side[i];
        sums[0].remove(&pair[now]);
        sums[0].add(&pair[1 - now]);
        sums[1].remove(&pair[1 - now]);
        sums[1].add(&pair[now]);
        side[i] = 1 - now;
        take(&sums);
    }
    all
}

/// Counts how often the observed differences are reached.
struct Reach<'a> {
    figures: &'a [Figure],
    observed: Vec<f64>,
    reached: Vec<u64>,
}

impl<'a> Reach<'a> {
    fn new(sums: [Sums; 2], figures: &'a [Figure]) -> Reach<'a> {
        let observed = figures.iter().map(|&f| difference(&sums, f).abs()).collect();
        Reach { figures, observed, reached: vec![0; figures.len()] }
    }

    fn count(&mut self, sums: &[Sums; 2]) {
        for (i, &figure) in self.figures.iter().enumerate() {
            let reached = difference(sums, figure).abs() >= self.observed[i] - ROUNDING;
            self.reached[i] += u64::from(reached);
        }
    }
}

fn difference(sums: &[Sums; 2], figure: Figure) -> f64 {
    sums[0].figure(figure) - sums[1].figure(figure)
}

impl Samples {
    fn sums_of_equals(&self) -> [Sums; 2] {
        let mut sums = Sums::default();
        for [a, _] in self.sentences.iter().filter(|[a, b]| a == b) {
            sums.add(a);
        }
        [sums; 2]
    }
}
