use crate::model::ChainView;

/// What stands around a state of an HMM.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Neighbours {
    /// States with p(next | state), most probable first.
    pub successors: Vec<(usize, f64)>,
    /// States with their share in the uses before this state, largest first: the expected number
    /// of tokens of the one before times p(state | one before).
    pub predecessors: Vec<(usize, f64)>,
}

/// The `k` likeliest states after and before a state; `expected` has the expected number of
/// tokens of every state.
pub fn neighbours(chain: &ChainView, state: usize, expected: &[f64], k: usize) -> Neighbours {
    let mut before = chain.arrivals(state);
    before.iter_mut().zip(expected).for_each(|(p, expected)| *p *= expected);
    let total: f64 = before.iter().sum();
    if total > 0.0 {
        before.iter_mut().for_each(|share| *share /= total);
    }
    let first = |values: Vec<f64>| {
        let mut all: Vec<_> = values.into_iter().enumerate().filter(|(_, p)| *p > 0.0).collect();
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all.truncate(k);
        all
    };
    Neighbours { successors: first(chain.successors(state)), predecessors: first(before) }
}

/// p(next | state) among some states, a row for every state.
pub fn transitions(chain: &ChainView, states: &[usize]) -> Vec<Vec<f64>> {
    let row = |&state: &usize| {
        let all = chain.successors(state);
        states.iter().map(|&next| all[next]).collect()
    };
    states.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Transitions;

    fn chain<'a>(states: usize, transitions: Transitions<'a>) -> ChainView<'a> {
        ChainView { states, vocabulary: 9, start: &[], transitions }
    }

    #[test]
    fn successors_and_predecessors_are_the_same_from_factors_and_from_the_matrix() {
        // Rows of U and columns of V sum to one.
        let u = [0.5, 0.5, 1.0, 0.0, 0.2, 0.8];
        let v = [0.1, 0.6, 0.2, 0.3, 0.7, 0.1];
        let factors = chain(3, Transitions::LowRank { rank: 2, u: &u, v: &v });
        let rows: Vec<f32> = (0..3).flat_map(|s| factors.successors(s)).map(|p| p as f32).collect();
        let matrix = chain(3, Transitions::Dense(&rows));
        let expected = [10.0, 0.0, 30.0];
        for state in 0..3 {
            let (a, b) = (
                neighbours(&factors, state, &expected, 3),
                neighbours(&matrix, state, &expected, 3),
            );
            let same = |a: &[(usize, f64)], b: &[(usize, f64)]| {
                a.len() == b.len()
                    && a.iter().zip(b).all(|(x, y)| x.0 == y.0 && (x.1 - y.1).abs() < 1e-6)
            };
            assert!(same(&a.successors, &b.successors), "{a:?} {b:?}");
            assert!(same(&a.predecessors, &b.predecessors), "{a:?} {b:?}");
            let sum: f64 = a.successors.iter().map(|x| x.1).sum();
            assert!((sum - 1.0).abs() < 1e-6);
        }
        // Of state 0: from 0 with 10 tokens, 0.35; from 2 with 30 tokens, 0.5. Unused ones are none.
        let found = neighbours(&factors, 0, &expected, 3).predecessors;
        assert_eq!(found.iter().map(|x| x.0).collect::<Vec<_>>(), [2, 0]);
        assert!((found[0].1 - 15.0 / 18.5).abs() < 1e-6, "{found:?}");
        assert_eq!(neighbours(&factors, 0, &expected, 1).successors.len(), 1);
    }

    #[test]
    fn transitions_among_some_states_stand_in_their_order() {
        let matrix = [0.1, 0.2, 0.7, 0.3, 0.3, 0.4, 0.6, 0.4, 0.0];
        let found = transitions(&chain(3, Transitions::Dense(&matrix)), &[2, 0]);
        let expected = [[0.0, 0.6], [0.7, 0.1]];
        for (row, wanted) in found.iter().zip(expected) {
            assert!(row.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-6), "{found:?}");
        }
    }
}
