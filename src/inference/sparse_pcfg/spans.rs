use std::ops::Range;

/// The spans that a chart has a cell for: all of them, or in a long sentence those of bounded
/// width and those at its edges, so that memory grows with the length and not its square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spans {
    length: usize,
    widest: usize,
}

impl Spans {
    /// All spans of a sentence of so many words.
    pub fn all(length: usize) -> Spans {
        Spans { length, widest: length }
    }

    /// Those of at most `widest` words, and those that begin or end with the sentence.
    pub fn narrow(length: usize, widest: usize) -> Spans {
        Spans { length, widest: widest.clamp(1, length.max(1)) }
    }

    /// Words of the sentence.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        let edges = if self.widest < self.length { 2 * (self.length + 1) } else { 0 };
        self.length * self.widest + edges
    }

    /// The cell of the words `[start, end)`, if there is one.
    #[inline(always)]
    pub fn cell(&self, start: usize, end: usize) -> Option<usize> {
        let narrow = self.length * self.widest;
        match end - start {
            width if width <= self.widest => Some(start * self.widest + width - 1),
            _ if start == 0 => Some(narrow + end),
            _ if end == self.length => Some(narrow + self.length + 1 + start),
            _ => None,
        }
    }

    /// The cell of all words; `None` without a word.
    pub fn whole(&self) -> Option<usize> {
        if self.length == 0 { None } else { self.cell(0, self.length) }
    }

    /// Where the words `[start, end)` may be split so that both sides have a cell.
    #[inline(always)]
    pub fn splits(&self, start: usize, end: usize) -> Range<usize> {
        // The left part is narrow or begins with the sentence, the right one narrow or ends it.
        let from = if end == self.length { 0 } else { end.saturating_sub(self.widest) };
        let to = if start == 0 { end } else { start + self.widest + 1 };
        from.max(start + 1)..to.min(end)
    }
}

#[cfg(test)]
mod tests {
    use super::Spans;

    #[test]
    fn every_cell_has_a_number_of_its_own_and_splits_lead_to_cells() {
        for length in 1..9 {
            for widest in 1..=length {
                let spans = Spans::narrow(length, widest);
                let mut seen = vec![false; spans.cells()];
                for start in 0..length {
                    for end in start + 1..=length {
                        let is_narrow = end - start <= widest || start == 0 || end == length;
                        let Some(cell) = spans.cell(start, end) else {
                            assert!(!is_narrow);
                            continue;
                        };
                        assert!(is_narrow && !std::mem::replace(&mut seen[cell], true));
                        let splits: Vec<usize> = (start + 1..end)
                            .filter(|&k| spans.cell(start, k).and(spans.cell(k, end)).is_some())
                            .collect();
                        assert!(spans.splits(start, end).eq(splits));
                    }
                }
                assert_eq!(spans.whole(), spans.cell(0, length));
            }
        }
        assert_eq!(Spans::all(0).whole(), None);
    }
}
