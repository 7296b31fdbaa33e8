//! Where a span lives in the chart.

/// Rows of the chart: spans by width, within a width by sentence (longest first), then by start.
/// All spans of one width are neighbours, so that one matrix product serves the whole batch.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// Batch index of the sentence at each place; longest first.
    pub order: Vec<usize>,
    /// Length of the sentence at each place.
    pub lengths: Vec<usize>,
    /// Sum of the lengths at earlier places.
    prefix: Vec<usize>,
    /// First row of each width; `base[w]` for w from 1, and the end behind the widest.
    base: Vec<usize>,
    /// Place and start of the span in each row.
    pub cells: Vec<(u32, u32)>,
}

impl Layout {
    /// Lays out a batch of sentences with these lengths.
    pub fn new(lengths: &[usize]) -> Layout {
        let mut order: Vec<usize> = (0..lengths.len()).collect();
        order.sort_by_key(|&b| std::cmp::Reverse(lengths[b]));
        let sorted: Vec<usize> = order.iter().map(|&b| lengths[b]).collect();
        let prefix = sorted
            .iter()
            .scan(0, |sum, &n| {
                let before = *sum;
                *sum += n;
                Some(before)
            })
            .collect();
        let widest = sorted.first().copied().unwrap_or(0);
        let mut base = vec![0, 0];
        let mut cells = Vec::new();
        for width in 1..=widest {
            for (place, &n) in sorted.iter().enumerate().take_while(|&(_, &n)| n >= width) {
                cells.extend((0..=n - width).map(|start| (place as u32, start as u32)));
            }
            base.push(cells.len());
        }
        Layout { order, lengths: sorted, prefix, base, cells }
    }

    /// Length of the longest sentence.
    pub fn widest(&self) -> usize {
        self.base.len() - 2
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// First row of a width; for one more than the widest, the number of rows.
    pub fn base(&self, width: usize) -> usize {
        self.base[width]
    }

    /// Sum of the lengths at earlier places.
    pub fn prefix(&self, place: usize) -> usize {
        self.prefix[place]
    }

    /// Width of the span in a row.
    pub fn width_of(&self, row: usize) -> usize {
        self.base[1..].partition_point(|&first| first <= row)
    }

    /// Row of span `[start, start + width)` of the sentence at `place`.
    #[inline(always)]
    pub fn row(&self, place: usize, start: usize, width: usize) -> usize {
        // Every earlier place is at least as long, so it has its length - width + 1 spans here.
        self.base[width] + self.prefix[place] - place * (width - 1) + start
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_has_one_row() {
        let layout = Layout::new(&[3, 5, 1, 5, 2]);
        let mut seen = vec![false; layout.len()];
        for (place, &n) in layout.lengths.iter().enumerate() {
            for width in 1..=n {
                for start in 0..=n - width {
                    let row = layout.row(place, start, width);
                    assert!(!std::mem::replace(&mut seen[row], true));
                    assert_eq!(layout.cells[row], (place as u32, start as u32));
                    assert!(row >= layout.base(width) && row < layout.base(width + 1));
                    assert_eq!(layout.width_of(row), width);
                }
            }
        }
        assert!(seen.iter().all(|&s| s));
        assert_eq!(layout.order, [1, 3, 0, 4, 2]);
        assert_eq!(layout.widest(), 5);
    }
}
