use super::{Figure, Samples, Sums};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Between these a figure lies, in percent or percentage points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
}

/// Of both systems and of their difference A - B.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    pub a: Interval,
    pub b: Interval,
    pub difference: Interval,
}

/// Percentile intervals of the figures, as listed, from `resamples` draws of as many sentences
/// as there are, with replacement. `confidence` in percent. None without sentences or resamples.
pub fn bootstrap(
    samples: &Samples,
    figures: &[Figure],
    resamples: usize,
    confidence: f64,
    seed: u64,
) -> Option<Vec<Intervals>> {
    let n = u32::try_from(samples.sentences.len()).ok().filter(|&n| n > 0)?;
    if resamples == 0 {
        return None;
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Other numbers than those of the shuffles.
    rng.set_stream(1);
    let mut drawn = vec![[const { Vec::new() }; 3]; figures.len()];
    for _ in 0..resamples {
        let mut sums = [Sums::default(); 2];
        for _ in 0..n {
            let [a, b] = &samples.sentences[rng.random_range(0..n) as usize];
            sums[0].add(a);
            sums[1].add(b);
        }
        for (values, &figure) in drawn.iter_mut().zip(figures) {
            let (a, b) = (sums[0].figure(figure), sums[1].figure(figure));
            for (values, value) in values.iter_mut().zip([a, b, a - b]) {
                values.push(value);
            }
        }
    }
    let tail = (1.0 - confidence / 100.0) / 2.0;
    let intervals = |values: [Vec<f64>; 3]| {
        let [a, b, difference] = values.map(|mut values| {
            values.sort_unstable_by(f64::total_cmp);
            Interval { low: quantile(&values, tail), high: quantile(&values, 1.0 - tail) }
        });
        Intervals { a, b, difference }
    };
    Some(drawn.into_iter().map(intervals).collect())
}

/// The value below which a share of the sorted values lies, between neighbours in proportion.
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let at = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
    below + (above - below) * at.fract()
}
