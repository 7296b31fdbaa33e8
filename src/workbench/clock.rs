//! When each step of a run was made, so that curves can be drawn over time.
//!
//! Curves are kept by step. A chart over time asks the clock of a curve's run where a step lies,
//! and which steps come before a time; both are found by bisection, whatever the length.

use super::series::Series;

/// What x is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum XAxis {
    #[default]
    Step,
    /// Seconds of running time since the run began, pauses and gaps left out: every run starts at 0.
    Elapsed,
    /// Seconds since 1970.
    Wall,
}

impl XAxis {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            XAxis::Step => "step",
            XAxis::Elapsed => "running time",
            XAxis::Wall => "wall time (UTC)",
        }
    }

    /// The next in the circle.
    pub fn next(self) -> XAxis {
        match self {
            XAxis::Step => XAxis::Elapsed,
            XAxis::Elapsed => XAxis::Wall,
            XAxis::Wall => XAxis::Step,
        }
    }
}

/// The steps of a run with their times. Every step that a curve has a point at is in it.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    steps: Vec<f64>,
    /// Both never fall: a clock that was set back stands still until it is caught up with.
    elapsed: Vec<f64>,
    wall: Vec<f64>,
}

impl Clock {
    /// Takes in a step, once however often it is told, and none that goes back.
    pub fn push(&mut self, step: f64, elapsed: f64, wall: f64) {
        if self.steps.last().is_some_and(|&last| step <= last) {
            return;
        }
        let after = |times: &[f64], time: f64| times.last().map_or(time, |&last| time.max(last));
        self.elapsed.push(after(&self.elapsed, elapsed));
        self.wall.push(after(&self.wall, wall));
        self.steps.push(step);
    }

    /// Drops every step behind one, as when a run went on from there.
    pub fn truncate_after(&mut self, step: f64) {
        let keep = self.steps.partition_point(|&s| s <= step);
        self.steps.truncate(keep);
        self.elapsed.truncate(keep);
        self.wall.truncate(keep);
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Of the i-th step: its number, its running time and its wall time.
    pub fn row(&self, i: usize) -> (f64, f64, f64) {
        (self.steps[i], self.elapsed[i], self.wall[i])
    }

    /// The i-th step on an axis.
    pub fn at(&self, i: usize, axis: XAxis) -> f64 {
        self.values(axis)[i]
    }

    /// Number of steps before a place on an axis.
    pub fn index(&self, axis: XAxis, x: f64) -> usize {
        self.values(axis).partition_point(|&v| v < x)
    }

    /// The row whose place on the axis is nearest; `None` if there is none at all.
    pub fn nearest(&self, axis: XAxis, x: f64) -> Option<usize> {
        let (values, i) = (self.values(axis), self.index(axis, x));
        let candidates = [i.checked_sub(1), (i < values.len()).then_some(i)].into_iter().flatten();
        candidates.min_by(|&a, &b| (values[a] - x).abs().total_cmp(&(values[b] - x).abs()))
    }

    fn values(&self, axis: XAxis) -> &[f64] {
        match axis {
            XAxis::Step => &self.steps,
            XAxis::Elapsed => &self.elapsed,
            XAxis::Wall => &self.wall,
        }
    }
}

/// How the steps of a curve lie along x.
#[derive(Clone, Copy, Debug)]
pub enum Along<'a> {
    /// As they are.
    Step,
    /// At the times of a clock.
    Time(&'a Clock, XAxis),
}

impl<'a> Along<'a> {
    pub fn of(clock: &'a Clock, axis: XAxis) -> Along<'a> {
        match axis {
            XAxis::Step => Along::Step,
            time => Along::Time(clock, time),
        }
    }

    /// Where a step lies. A step that the clock lacks lies at the next one that it has.
    pub fn place(self, step: f64) -> f64 {
        match self {
            Along::Step => step,
            Along::Time(clock, axis) => {
                let i = clock.index(XAxis::Step, step).min(clock.len().saturating_sub(1));
                if clock.is_empty() { step } else { clock.at(i, axis) }
            }
        }
    }

    /// Number of points of a curve that lie before a place.
    pub fn index(self, series: &Series, x: f64) -> usize {
        match self {
            Along::Step => series.index_of(x),
            Along::Time(clock, axis) => match clock.index(axis, x) {
                i if i < clock.len() => match i.checked_sub(1) {
                    Some(before) => series.index_after(clock.at(before, XAxis::Step)),
                    None => 0,
                },
                _ => series.len(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_points_before_a_time_are_those_that_lie_before_it(
            gaps in prop::collection::vec((1u32..4, 0u32..3, any::<bool>()), 0..60),
            x in -1.0..130.0f64,
        ) {
            let (mut clock, mut series) = (Clock::default(), Series::default());
            let (mut step, mut time) = (0.0, 0.0);
            for (steps, seconds, is_in) in gaps {
                step += f64::from(steps);
                time += f64::from(seconds);
                clock.push(step, time, 1e9 + time);
                if is_in {
                    series.push(step, 1.0);
                }
            }
            let along = Along::of(&clock, XAxis::Elapsed);
            let plain = (0..series.len()).filter(|&i| along.place(series.point(i).0) < x).count();
            prop_assert_eq!(along.index(&series, x), plain);
            let wall = Along::of(&clock, XAxis::Wall);
            prop_assert_eq!(wall.index(&series, 1e9 + x), plain);
        }
    }

    #[test]
    fn a_clock_that_is_set_back_stands_still_and_a_step_counts_once() {
        let mut clock = Clock::default();
        for (step, wall) in [(1.0, 100.0), (2.0, 200.0), (2.0, 300.0), (3.0, 150.0), (4.0, 250.0)] {
            clock.push(step, step, wall);
        }
        let walls: Vec<f64> = (0..clock.len()).map(|i| clock.at(i, XAxis::Wall)).collect();
        assert_eq!(walls, [100.0, 200.0, 200.0, 250.0]);
        assert_eq!(clock.nearest(XAxis::Wall, 240.0), Some(3));
        clock.truncate_after(2.0);
        assert_eq!((clock.len(), clock.row(1)), (2, (2.0, 2.0, 200.0)));
        assert_eq!(Clock::default().nearest(XAxis::Step, 1.0), None);
    }
}
