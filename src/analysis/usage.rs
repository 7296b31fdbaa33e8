use std::collections::HashMap;
use std::hash::Hash;

/// How many symbols of a kind the grammar makes use of.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// Symbols with an expected count of one or more.
    pub in_use: usize,
    /// Entropy of the distribution of expected counts, nats.
    pub entropy: f64,
}

impl Usage {
    /// From expected counts; what is not a positive number counts as 0.
    pub fn new(expected: &[f64]) -> Usage {
        let counts = || expected.iter().copied().filter(|c| *c > 0.0 && c.is_finite());
        let total: f64 = counts().sum();
        let entropy = counts().map(|c| -(c / total) * (c / total).ln()).sum::<f64>();
        Usage { in_use: counts().filter(|c| *c >= 1.0).count(), entropy: entropy.max(0.0) }
    }

    /// exp(entropy): so many equally frequent symbols have the same entropy.
    pub fn effective(&self) -> f64 {
        self.entropy.exp()
    }
}

/// Agreement of two labellings of the same things (Rosenberg & Hirschberg 2007), each 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// 1 - H(gold | induced) / H(gold).
    pub homogeneity: f64,
    /// 1 - H(induced | gold) / H(induced).
    pub completeness: f64,
}

impl Agreement {
    /// From joint counts (induced, gold).
    pub fn new<A: Hash + Eq + Copy, B: Hash + Eq + Copy>(
        joint: impl IntoIterator<Item = ((A, B), f64)>,
    ) -> Agreement {
        let (mut a, mut b, mut ab) = (HashMap::new(), HashMap::new(), HashMap::new());
        for ((x, y), count) in joint {
            *a.entry(x).or_insert(0.0) += count;
            *b.entry(y).or_insert(0.0) += count;
            *ab.entry((x, y)).or_insert(0.0) += count;
        }
        let total: f64 = a.values().sum();
        let entropy = |counts: &mut dyn Iterator<Item = f64>| -> f64 {
            counts.filter(|c| *c > 0.0).map(|c| -(c / total) * (c / total).ln()).sum()
        };
        let h_a = entropy(&mut a.values().copied());
        let h_b = entropy(&mut b.values().copied());
        let h_ab = entropy(&mut ab.values().copied());
        let share = |conditional: f64, h: f64| match h > 0.0 {
            true => (1.0 - conditional / h).clamp(0.0, 1.0),
            false => 1.0,
        };
        Agreement { homogeneity: share(h_ab - h_a, h_b), completeness: share(h_ab - h_b, h_a) }
    }

    /// Harmonic mean of both.
    pub fn v_measure(&self) -> f64 {
        let sum = self.homogeneity + self.completeness;
        if sum > 0.0 { 2.0 * self.homogeneity * self.completeness / sum } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_effective_number_is_the_number_of_equally_used_symbols() {
        let usage = Usage::new(&[5.0, 5.0, 5.0, 5.0, 0.0]);
        assert_eq!(usage.in_use, 4);
        assert!((usage.effective() - 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_collapsed_grammar_has_one_effective_symbol_and_an_unused_one_no_more() {
        assert_eq!(Usage::new(&[100.0, 0.0]).effective(), 1.0);
        assert_eq!(Usage::new(&[0.0, f64::NAN]), Usage { in_use: 0, entropy: 0.0 });
    }

    #[test]
    fn renamed_labels_agree_fully_and_independent_ones_not_at_all() {
        let renamed = Agreement::new([((0, 'b'), 3.0), ((1, 'a'), 7.0)]);
        assert!((renamed.v_measure() - 1.0).abs() < 1e-12);
        let all = [((0, 'a'), 1.0), ((0, 'b'), 1.0), ((1, 'a'), 1.0), ((1, 'b'), 1.0)];
        assert!(Agreement::new(all).v_measure() < 1e-12);
    }

    #[test]
    fn splitting_a_gold_label_costs_completeness_only() {
        let split = Agreement::new([((0, 'a'), 2.0), ((1, 'a'), 2.0), ((2, 'b'), 4.0)]);
        assert!((split.homogeneity - 1.0).abs() < 1e-12);
        // H(gold) = ln 2, H(induced) = 1.5 ln 2.
        assert!((split.completeness - 2.0 / 3.0).abs() < 1e-12);
    }
}
