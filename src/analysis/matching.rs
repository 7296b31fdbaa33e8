use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A pair that may be matched, and what that is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub row: usize,
    pub column: usize,
    pub weight: u32,
}

/// Partners of the rows, of which every column is one at most: the choice with the largest sum of
/// weights. Pairs without an edge, or of weight 0, are never partners.
///
/// Shortest augmenting paths with prices (Jonker & Volgenant 1987) over the edges that there are:
/// with few edges a row it is quick for thousands of rows.
pub fn heaviest_matching(rows: usize, columns: usize, edges: &[Edge]) -> Vec<Option<usize>> {
    let mut search = Search::new(rows, columns, edges);
    for row in 0..rows {
        search.add(row);
    }
    search.partners
}

/// Of every edge the prices of its row and its column are its weight or more together, of a
/// matched one just that; no price is below 0, and who has no partner costs nothing.
struct Search {
    /// Columns with weights, of every row.
    adjacent: Vec<Vec<(usize, i64)>>,
    row_prices: Vec<i64>,
    column_prices: Vec<i64>,
    partners: Vec<Option<usize>>,
    owners: Vec<Option<usize>>,
    /// Length of the best path to a column that is known, and the row before it.
    reached: Vec<Option<(i64, usize)>>,
    settled: Vec<bool>,
}

/// Where a path may go on or end. At equal length a column comes first, so that more are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Column(usize),
    /// The row loses its partner.
    Leave(usize),
}

impl Search {
    fn new(rows: usize, columns: usize, edges: &[Edge]) -> Search {
        let mut adjacent = vec![Vec::new(); rows];
        for edge in edges.iter().filter(|e| e.weight > 0) {
            adjacent[edge.row].push((edge.column, i64::from(edge.weight)));
        }
        let dearest = |row: &Vec<(usize, i64)>| row.iter().map(|e| e.1).max().unwrap_or(0);
        Search {
            row_prices: adjacent.iter().map(dearest).collect(),
            column_prices: vec![0; columns],
            partners: vec![None; rows],
            owners: vec![None; columns],
            reached: vec![None; columns],
            settled: vec![false; columns],
            adjacent,
        }
    }

    /// Takes in a row: along the path that costs least, others change their partners or lose them.
    fn add(&mut self, start: usize) {
        let mut heap = BinaryHeap::new();
        // Rows and columns whose distance is final, with it.
        let (mut rows, mut columns) = (Vec::new(), Vec::new());
        let mut touched = Vec::new();
        let mut next = Some((0, start));
        let (end, length) = loop {
            if let Some((length, row)) = next.take() {
                rows.push((row, length));
                heap.push(Reverse((length + self.row_prices[row], Step::Leave(row))));
                for &(column, weight) in &self.adjacent[row] {
                    let slack = self.row_prices[row] + self.column_prices[column] - weight;
                    let there = length + slack;
                    if self.reached[column].is_none_or(|(known, _)| there < known) {
                        if self.reached[column].is_none() {
                            touched.push(column);
                        }
                        self.reached[column] = Some((there, row));
                        heap.push(Reverse((there, Step::Column(column))));
                    }
                }
            }
            let Some(Reverse((length, step))) = heap.pop() else { return };
            match step {
                Step::Column(column) if self.settled[column] => {}
                Step::Column(column) => {
                    self.settled[column] = true;
                    columns.push((column, length));
                    match self.owners[column] {
                        Some(row) => next = Some((length, row)),
                        None => break (step, length),
                    }
                }
                Step::Leave(_) => break (step, length),
            }
        };
        for (row, at) in rows {
            self.row_prices[row] -= length - at;
        }
        for (column, at) in columns {
            self.column_prices[column] += length - at;
        }
        // Back along the path: every row takes the column that led on from it.
        let mut free = match end {
            Step::Column(column) => Some(column),
            Step::Leave(row) => self.partners[row].take(),
        };
        while let Some(column) = free {
            let Some((_, row)) = self.reached[column] else { break };
            free = self.partners[row].replace(column);
            self.owners[column] = Some(row);
        }
        for column in touched {
            (self.reached[column], self.settled[column]) = (None, false);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashSet;

    fn edges(list: &[(usize, usize, u32)]) -> Vec<Edge> {
        list.iter().map(|&(row, column, weight)| Edge { row, column, weight }).collect()
    }

    /// The largest sum there is, by trying everything.
    fn brute_force(rows: usize, edges: &[Edge], taken: &mut Vec<usize>) -> u64 {
        let Some(row) = rows.checked_sub(1) else { return 0 };
        let mut best = brute_force(row, edges, taken);
        for edge in edges.iter().filter(|e| e.row == row) {
            if !taken.contains(&edge.column) {
                taken.push(edge.column);
                best = best.max(u64::from(edge.weight) + brute_force(row, edges, taken));
                taken.pop();
            }
        }
        best
    }

    fn weight(edges: &[Edge], partners: &[Option<usize>]) -> u64 {
        let of = |(row, column): (usize, &Option<usize>)| {
            let column = (*column)?;
            let edge = edges.iter().find(|e| (e.row, e.column) == (row, column));
            Some(u64::from(edge.expect("partners have an edge").weight))
        };
        partners.iter().enumerate().filter_map(of).sum()
    }

    #[test]
    fn a_greedy_choice_gives_way_to_a_better_sum() {
        let edges = edges(&[(0, 0, 10), (0, 1, 9), (1, 0, 8)]);
        assert_eq!(heaviest_matching(2, 2, &edges), [Some(1), Some(0)]);
    }

    #[test]
    fn who_is_worth_less_than_the_others_stays_alone() {
        let edges = edges(&[(0, 0, 2), (1, 0, 5), (2, 0, 3)]);
        assert_eq!(heaviest_matching(3, 1, &edges), [None, Some(0), None]);
        assert_eq!(heaviest_matching(2, 3, &[]), [None, None]);
    }

    proptest! {
        #[test]
        fn the_sum_is_the_largest_and_every_column_is_taken_once(
            weights in prop::collection::vec(0u32..6, 36),
            rows in 0usize..6,
            columns in 0usize..6,
        ) {
            let pairs = (0..rows).flat_map(|r| (0..columns).map(move |c| (r, c)));
            let edges: Vec<Edge> = pairs
                .map(|(row, column)| Edge { row, column, weight: weights[row * 6 + column] })
                .filter(|e| e.weight > 0)
                .collect();
            let partners = heaviest_matching(rows, columns, &edges);
            let taken: Vec<usize> = partners.iter().flatten().copied().collect();
            prop_assert_eq!(taken.iter().collect::<HashSet<_>>().len(), taken.len());
            let best = brute_force(rows, &edges, &mut Vec::new());
            prop_assert_eq!(weight(&edges, &partners), best);
        }
    }
}
