//! A growing curve that is drawn in time independent of its length.
//!
//! Beside the points stands a pyramid: every block of `FAN` points, and every
//! block of `FAN` such blocks and so on, keeps its first, last, least and
//! greatest finite value. A column of a chart asks for a range and gets these
//! four exactly, with no point left out, whatever the zoom.

use std::ops::Range;

/// Points a block; blocks a block of the next level.
const FAN: usize = 16;

/// What a column of a chart needs to know about the points in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// First and last finite value; the line enters and leaves the column there.
    pub first: f64,
    pub last: f64,
    pub min: f64,
    pub max: f64,
    /// Whether the very first or last point of the range is not finite: no line across that edge.
    pub opens_with_gap: bool,
    pub closes_with_gap: bool,
    /// Whether any value in the range is not finite.
    pub gap: bool,
    /// Whether there is a finite value at all; the figures above are 0 otherwise.
    pub any: bool,
}

impl Extent {
    fn point(y: f64) -> Extent {
        let ok = y.is_finite();
        let v = if ok { y } else { 0.0 };
        Extent {
            first: v,
            last: v,
            min: v,
            max: v,
            opens_with_gap: !ok,
            closes_with_gap: !ok,
            gap: !ok,
            any: ok,
        }
    }

    /// This range followed by the next one.
    fn then(self, next: Extent) -> Extent {
        let (first, last, min, max) = match (self.any, next.any) {
            (true, true) => (self.first, next.last, self.min.min(next.min), self.max.max(next.max)),
            (true, false) => (self.first, self.last, self.min, self.max),
            _ => (next.first, next.last, next.min, next.max),
        };
        Extent {
            first,
            last,
            min,
            max,
            opens_with_gap: self.opens_with_gap,
            closes_with_gap: next.closes_with_gap,
            gap: self.gap || next.gap,
            any: self.any || next.any,
        }
    }
}

/// Points in order of x, which never falls.
#[derive(Clone, Debug, Default)]
pub struct Series {
    x: Vec<f64>,
    y: Vec<f64>,
    /// `levels[k][i]` covers the points `i * FAN^(k+1) ..` of a full block.
    levels: Vec<Vec<Extent>>,
    /// Changes whenever points are taken away, so that what was derived is known to be stale.
    generation: u64,
}

impl Series {
    /// Adds a point behind all others. A point that goes back in x is left out.
    pub fn push(&mut self, x: f64, y: f64) {
        if x.is_nan() || self.x.last().is_some_and(|&last| x < last) {
            return;
        }
        self.x.push(x);
        self.y.push(y);
        self.close_blocks();
    }

    /// Summarises the blocks that the newest point completed.
    fn close_blocks(&mut self) {
        let mut below = self.y.len();
        let mut level = 0;
        while below.is_multiple_of(FAN) {
            let block = if level == 0 {
                fold(self.y[below - FAN..].iter().map(|&y| Extent::point(y)))
            } else {
                fold(self.levels[level - 1][below - FAN..].iter().copied())
            };
            let Some(block) = block else { return };
            if self.levels.len() == level {
                self.levels.push(Vec::new());
            }
            self.levels[level].push(block);
            below = self.levels[level].len();
            level += 1;
        }
    }

    /// Drops every point behind `x`, as when a run went on from an earlier step.
    pub fn truncate_after(&mut self, x: f64) {
        let keep = self.x.partition_point(|&v| v <= x);
        if keep == self.x.len() {
            return;
        }
        self.x.truncate(keep);
        self.y.truncate(keep);
        let mut blocks = keep;
        for level in &mut self.levels {
            blocks /= FAN;
            level.truncate(blocks);
        }
        self.levels.retain(|l| !l.is_empty());
        self.generation += 1;
    }

    pub fn len(&self) -> usize {
        self.x.len()
    }

    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// The i-th point.
    pub fn point(&self, i: usize) -> (f64, f64) {
        (self.x[i], self.y[i])
    }

    pub fn last(&self) -> Option<(f64, f64)> {
        Some((*self.x.last()?, *self.y.last()?))
    }

    pub fn first_x(&self) -> Option<f64> {
        self.x.first().copied()
    }

    /// Number of points before `x`.
    pub fn index_of(&self, x: f64) -> usize {
        self.x.partition_point(|&v| v < x)
    }

    /// Number of points up to `x`, those at it included.
    pub fn index_after(&self, x: f64) -> usize {
        self.x.partition_point(|&v| v <= x)
    }

    /// The value at just that x; of several the last.
    pub fn at(&self, x: f64) -> Option<f64> {
        let i = self.index_after(x).checked_sub(1)?;
        (self.x[i] == x).then(|| self.y[i])
    }

    /// The point whose x is nearest.
    pub fn nearest(&self, x: f64) -> Option<(f64, f64)> {
        let i = self.index_of(x);
        let candidates = [i.checked_sub(1), (i < self.len()).then_some(i)];
        candidates
            .into_iter()
            .flatten()
            .map(|i| self.point(i))
            .min_by(|a, b| (a.0 - x).abs().total_cmp(&(b.0 - x).abs()))
    }

    /// First, last, least and greatest of the points `from..to`; `None` if that is empty.
    pub fn extent(&self, from: usize, to: usize) -> Option<Extent> {
        self.summarise(0, from, to.min(self.len()))
    }

    /// The points `from..to` in blocks as large as can be of which `take` wants no parts: it is told
    /// a block and answers whether that was enough. A single point always is.
    pub fn pieces(&self, from: usize, to: usize, take: &mut impl FnMut(&Extent) -> bool) {
        let to = to.min(self.len());
        let mut at = from;
        while at < to {
            // The largest whole block that begins here and ends within.
            let mut level = 0;
            let mut size = 1;
            while level < self.levels.len()
                && at.is_multiple_of(size * FAN)
                && at + size * FAN <= to
            {
                size *= FAN;
                level += 1;
            }
            self.piece(level, at / size, take);
            at += size;
        }
    }

    /// The same of a range whose extent is known; that is told first, as one block.
    pub fn pieces_of(
        &self,
        range: Range<usize>,
        extent: Option<Extent>,
        take: &mut impl FnMut(&Extent) -> bool,
    ) {
        if let Some(extent) = extent
            && !take(&extent)
        {
            self.pieces(range.start, range.end, take);
        }
    }

    fn piece(&self, level: usize, block: usize, take: &mut impl FnMut(&Extent) -> bool) {
        let Some(below) = level.checked_sub(1) else {
            count_a_read();
            take(&Extent::point(self.y[block]));
            return;
        };
        count_a_read();
        if !take(&self.levels[below][block]) {
            for part in block * FAN..(block + 1) * FAN {
                self.piece(below, part, take);
            }
        }
    }

    /// Folds units of a level (points at 0, blocks of `levels[level - 1]` above).
    fn summarise(&self, level: usize, from: usize, to: usize) -> Option<Extent> {
        if from >= to {
            return None;
        }
        let unit = |i: usize| {
            count_a_read();
            match level {
                0 => Extent::point(self.y[i]),
                _ => self.levels[level - 1][i],
            }
        };
        let (block_from, block_to) = (from.div_ceil(FAN), to / FAN);
        if level == self.levels.len() || block_from >= block_to {
            return fold((from..to).map(unit));
        }
        let head = fold((from..block_from * FAN).map(unit));
        let middle = self.summarise(level + 1, block_from, block_to);
        let tail = fold((block_to * FAN..to).map(unit));
        fold([head, middle, tail].into_iter().flatten())
    }
}

/// Counts the points and blocks that drawing looks at, for the test that they are few.
fn count_a_read() {
    #[cfg(test)]
    READ.set(READ.get() + 1);
}

#[cfg(test)]
thread_local! {
    /// Points and blocks looked at by this thread.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

fn fold(parts: impl Iterator<Item = Extent>) -> Option<Extent> {
    parts.reduce(Extent::then)
}

/// An exponential moving average that follows a [`Series`]; the raw points stay as they are.
#[derive(Clone, Debug)]
pub struct Smoothed {
    /// Weight of the past, in 0..1.
    weight: f64,
    /// Average and its correction for the start (a debiased average begins at the first value).
    state: f64,
    correction: f64,
    generation: u64,
    series: Series,
}

impl Smoothed {
    pub fn new(weight: f64) -> Smoothed {
        Smoothed { weight, state: 0.0, correction: 0.0, generation: 0, series: Series::default() }
    }

    /// Takes in the points that are new; starts over if points were taken away.
    pub fn follow(&mut self, raw: &Series) {
        if raw.generation() != self.generation || raw.len() < self.series.len() {
            *self = Smoothed { generation: raw.generation(), ..Smoothed::new(self.weight) };
        }
        for i in self.series.len()..raw.len() {
            let (x, y) = raw.point(i);
            if y.is_finite() {
                self.state = self.weight * self.state + (1.0 - self.weight) * y;
                self.correction = self.weight * self.correction + (1.0 - self.weight);
                self.series.push(x, self.state / self.correction);
            } else {
                // A gap stays a gap; the average goes on behind it.
                self.series.push(x, y);
            }
        }
    }

    pub fn series(&self) -> &Series {
        &self.series
    }

    pub fn weight(&self) -> f64 {
        self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![8 => -1e3..1e3f64, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)]
    }

    fn series(values: &[f64]) -> Series {
        let mut s = Series::default();
        for (i, &y) in values.iter().enumerate() {
            s.push(i as f64, y);
        }
        s
    }

    proptest! {
        #[test]
        fn any_range_keeps_its_first_last_least_and_greatest(
            values in prop::collection::vec(value(), 0..1500),
            a in 0usize..1500,
            b in 0usize..1500,
        ) {
            let s = series(&values);
            let (from, to) = (a.min(b), a.max(b).min(values.len()));
            let plain = fold(values.get(from..to).unwrap_or(&[]).iter().map(|&y| Extent::point(y)));
            prop_assert_eq!(s.extent(from, to), plain);
            if let Some(extent) = plain {
                let finite: Vec<f64> =
                    values[from..to].iter().copied().filter(|v| v.is_finite()).collect();
                prop_assert_eq!(extent.any, !finite.is_empty());
                prop_assert_eq!(extent.gap, finite.len() < to - from);
                if extent.any {
                    prop_assert_eq!(Some(&extent.first), finite.first());
                    prop_assert_eq!(Some(&extent.last), finite.last());
                    let min = finite.iter().copied().fold(f64::INFINITY, f64::min);
                    prop_assert_eq!(extent.min, min);
                }
            }
        }

        #[test]
        fn taking_points_away_leaves_what_never_had_them(
            values in prop::collection::vec(value(), 1..900),
            cut in 0usize..900,
            more in prop::collection::vec(value(), 0..300),
        ) {
            let cut = cut.min(values.len() - 1);
            let mut s = series(&values);
            s.truncate_after(cut as f64);
            let mut kept = values[..=cut].to_vec();
            for &y in &more {
                s.push(kept.len() as f64, y);
                kept.push(y);
            }
            let fresh = series(&kept);
            prop_assert_eq!(s.extent(0, s.len()), fresh.extent(0, fresh.len()));
            prop_assert_eq!(&s.levels, &fresh.levels);
        }
    }

    proptest! {
        #[test]
        fn pieces_are_the_whole_in_order(
            values in prop::collection::vec(value(), 0..900),
            a in 0usize..900,
            b in 0usize..900,
        ) {
            let s = series(&values);
            let (from, to) = (a.min(b), a.max(b).min(values.len()));
            let mut parts = Vec::new();
            s.pieces(from, to, &mut |part| {
                let enough = !part.gap;
                if enough || !part.any {
                    parts.push(*part);
                }
                enough || !part.any
            });
            prop_assert_eq!(fold(parts.into_iter()), s.extent(from, to));
        }
    }

    #[test]
    fn smoothing_starts_at_the_first_value_and_keeps_gaps() {
        let mut raw = series(&[4.0, 4.0, f64::NAN, 0.0]);
        let mut smooth = Smoothed::new(0.5);
        smooth.follow(&raw);
        let got: Vec<f64> = (0..4).map(|i| smooth.series().point(i).1).collect();
        assert_eq!(&got[..2], &[4.0, 4.0]);
        assert!(got[2].is_nan() && got[3] > 0.0 && got[3] < 4.0, "{got:?}");
        raw.truncate_after(0.0);
        raw.push(1.0, 8.0);
        smooth.follow(&raw);
        assert_eq!(smooth.series().len(), 2);
        assert!((smooth.series().point(1).1 - 20.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_nearest_point_is_found_from_both_sides() {
        let s = series(&[1.0, 2.0, 3.0]);
        assert_eq!(s.nearest(0.4), Some((0.0, 1.0)));
        assert_eq!(s.nearest(1.6), Some((2.0, 3.0)));
        assert_eq!(s.nearest(9.0), Some((2.0, 3.0)));
        assert_eq!(Series::default().nearest(0.0), None);
    }
}
