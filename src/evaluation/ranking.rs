//! How well a ranking finds what was planted in it.

/// A ranked list, the most suspicious first: what a score says of each item, and whether the item
/// is one of those to be found. Scores never rise; equal ones are tied.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking(Vec<(f64, bool)>);

impl Ranking {
    /// A list in an order of its own.
    pub fn in_order(items: Vec<(f64, bool)>) -> Ranking {
        Ranking(items)
    }

    /// Items in any order, sorted by falling score; of tied ones the first stays first. What is not
    /// a number comes last.
    pub fn sorted(mut items: Vec<(f64, bool)>) -> Ranking {
        let key = |score: f64| if score.is_nan() { f64::NEG_INFINITY } else { score };
        items.sort_by(|a, b| key(b.0).total_cmp(&key(a.0)));
        Ranking(items)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Items that are to be found.
    pub fn planted(&self) -> usize {
        self.0.iter().filter(|(_, planted)| *planted).count()
    }

    /// Share of what is to be found among the first `k`, in the order of the list; a shorter list
    /// is not made up for.
    pub fn precision_at(&self, k: usize) -> f64 {
        let found = self.0.iter().take(k).filter(|(_, planted)| *planted).count();
        if k == 0 { 0.0 } else { found as f64 / k as f64 }
    }

    /// The same, averaged over all orders of tied items.
    pub fn precision_at_expected(&self, k: usize) -> f64 {
        let mut expected = 0.0;
        let mut left = k;
        for step in self.steps() {
            let taken = left.min(step.len());
            let planted = step.iter().filter(|(_, planted)| *planted).count();
            expected += planted as f64 * taken as f64 / step.len() as f64;
            left -= taken;
        }
        if k == 0 { 0.0 } else { expected / k as f64 }
    }

    /// Sum over the distinct scores of the step in recall times the precision; `None` where there
    /// is nothing to be found.
    pub fn average_precision(&self) -> Option<f64> {
        let all = self.planted();
        let (mut found, mut seen, mut sum) = (0, 0, 0.0);
        for step in self.steps() {
            let planted = step.iter().filter(|(_, planted)| *planted).count();
            found += planted;
            seen += step.len();
            sum += planted as f64 * found as f64 / seen as f64;
        }
        (all > 0).then(|| sum / all as f64)
    }

    /// Mean over what is to be found of the precision at its rank, in the order of the list.
    pub fn average_precision_by_rank(&self) -> Option<f64> {
        let (mut found, mut sum) = (0, 0.0);
        for (i, _) in self.0.iter().enumerate().filter(|(_, (_, planted))| *planted) {
            found += 1;
            sum += f64::from(found) / (i + 1) as f64;
        }
        (found > 0).then(|| sum / f64::from(found))
    }

    /// Probability that an item to be found has a higher score than another one, ties counting one
    /// half; `None` where there are no such pairs.
    pub fn roc_auc(&self) -> Option<f64> {
        let planted = self.planted();
        let others = self.len() - planted;
        let (mut above, mut sum) = (0, 0.0);
        for step in self.steps() {
            let found = step.iter().filter(|(_, planted)| *planted).count();
            let other = step.len() - found;
            above += found;
            sum += other as f64 * (above as f64 - 0.5 * found as f64);
        }
        (planted > 0 && others > 0).then(|| sum / (planted as f64 * others as f64))
    }

    /// Neighbours with the same score, together.
    fn steps(&self) -> impl Iterator<Item = &[(f64, bool)]> {
        self.0.chunk_by(|a, b| a.0 == b.0 || (a.0.is_nan() && b.0.is_nan()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(text: &str) -> Ranking {
        let item = |(i, c): (usize, char)| (-(i as f64), c == '+');
        Ranking::in_order(text.chars().enumerate().map(item).collect())
    }

    #[test]
    fn figures_of_a_small_list_are_those_of_the_definitions() {
        let list = ranking("+-+-");
        assert_eq!([1, 2, 3, 8].map(|k| list.precision_at(k)), [1.0, 0.5, 2.0 / 3.0, 0.25]);
        assert_eq!(list.average_precision(), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(list.average_precision_by_rank(), list.average_precision());
        assert_eq!(list.roc_auc(), Some(0.75));
    }

    #[test]
    fn tied_items_share_their_places() {
        let list = Ranking::sorted(vec![(1.0, false), (2.0, true), (1.0, true), (0.5, false)]);
        assert_eq!((list.precision_at(2), list.precision_at_expected(2)), (0.5, 0.75));
        assert_eq!(list.average_precision(), Some((1.0 + 2.0 / 3.0) / 2.0));
        assert_eq!(list.roc_auc(), Some((2.0 + 1.5) / 4.0));
        let tied = Ranking::sorted(vec![(3.0, true), (3.0, false), (3.0, false), (3.0, true)]);
        assert_eq!((tied.roc_auc(), tied.average_precision()), (Some(0.5), Some(0.5)));
    }

    #[test]
    fn lists_with_nothing_to_find_have_no_average() {
        for list in [ranking(""), ranking("--")] {
            assert_eq!((list.average_precision(), list.roc_auc()), (None, None));
            assert_eq!((list.average_precision_by_rank(), list.precision_at(1)), (None, 0.0));
        }
        assert_eq!(ranking("++").roc_auc(), None);
    }

    #[test]
    fn what_is_not_a_number_comes_last() {
        let list = Ranking::sorted(vec![(f64::NAN, true), (f64::NEG_INFINITY, true), (0.0, false)]);
        assert_eq!((list.precision_at(1), list.precision_at(3)), (0.0, 2.0 / 3.0));
    }
}
