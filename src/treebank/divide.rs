//! Cutting a treebank into parts.

use rand::SeedableRng;
use rand::seq::SliceRandom;

/// The part of every item, so that the parts' weights are to each other as `shares`. Items are
/// sentences or whole files, `weights` their number of sentences; which go where is drawn by the
/// seed. With `strata` (a sentence's length, say) every part gets its share of each stratum.
///
/// Shares are above 0 and there is one at least.
pub fn assign(
    weights: &[usize],
    shares: &[f64],
    seed: u64,
    strata: Option<&[usize]>,
) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weights.len()).collect();
    order.shuffle(&mut rand_chacha::ChaCha8Rng::seed_from_u64(seed));
    match strata {
        // The sort keeps the order drawn among equals.
        Some(strata) => order.sort_by_key(|&i| strata[i]),
        // Large files first, so that small ones can even out what they leave.
        None => order.sort_by_key(|&i| std::cmp::Reverse(weights[i])),
    }
    let total: f64 = shares.iter().sum();
    let mut given = vec![0.0; shares.len()];
    let mut all = 0.0;
    let mut parts = vec![0; weights.len()];
    for i in order {
        let weight = weights[i] as f64;
        all += weight;
        // The part that lacks most of what it should have by now.
        let lack = |part: &usize| shares[*part] / total * all - given[*part];
        let most = |a: &usize, b: &usize| lack(a).total_cmp(&lack(b)).then(b.cmp(a));
        let part = (0..shares.len()).max_by(most).unwrap_or_default();
        given[part] += weight;
        parts[i] = part;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(parts: &[usize], weights: &[usize], n: usize) -> Vec<usize> {
        let size =
            |part| parts.iter().zip(weights).filter(move |(p, _)| **p == part).map(|(_, w)| w);
        (0..n).map(|part| size(part).sum()).collect()
    }

    #[test]
    fn sentences_are_dealt_by_share_and_seed() {
        let weights = vec![1; 1000];
        let parts = assign(&weights, &[8.0, 1.0, 1.0], 7, None);
        assert_eq!(sizes(&parts, &weights, 3), [800, 100, 100]);
        assert_eq!(parts, assign(&weights, &[8.0, 1.0, 1.0], 7, None));
        assert_ne!(parts, assign(&weights, &[8.0, 1.0, 1.0], 8, None));
        assert_eq!(assign(&[1, 1], &[0.5], 0, None), [0, 0]);
        assert_eq!(assign(&[], &[1.0], 0, None), [0; 0]);
    }

    #[test]
    fn every_part_gets_its_share_of_every_stratum() {
        let lengths: Vec<usize> = (0..1000).map(|i| i / 100).collect();
        let parts = assign(&vec![1; 1000], &[0.8, 0.2], 3, Some(&lengths));
        for stratum in 0..10 {
            let second = (0..1000).filter(|&i| lengths[i] == stratum && parts[i] == 1).count();
            assert_eq!(second, 20, "{stratum}");
        }
    }

    #[test]
    fn whole_files_come_near_the_shares() {
        let weights: Vec<usize> = (1..=40).map(|i| i * i % 97 + 5).collect();
        let all: usize = weights.iter().sum();
        for seed in 0..20 {
            let parts = assign(&weights, &[0.8, 0.1, 0.1], seed, None);
            let [train, dev, test] = sizes(&parts, &weights, 3)[..] else { panic!("three parts") };
            let near = |size: usize, share: f64| (size as f64 / all as f64 - share).abs() < 0.03;
            assert!(near(train, 0.8) && near(dev, 0.1) && near(test, 0.1), "{train} {dev} {test}");
        }
    }
}
