//! The kernels of charts: kernels/chart.cu.

use super::{Done, int};
use crate::device::driver::Arg::{Double, Int, Pointer, Real};
use crate::device::{Doubles, Engine, Ints, Reals};

/// Where spans live in a chart: see kernels/chart.cu.
#[derive(Clone, Copy, Debug)]
pub struct ChartPlaces<'a> {
    pub places: Ints<'a>,
    pub starts: Ints<'a>,
    pub base: Ints<'a>,
    pub prefix: Ints<'a>,
    pub lengths: Ints<'a>,
}

/// A chart on the device: values by row, as kernels/chart.cu describes them.
#[derive(Clone, Copy, Debug)]
pub struct ChartValues<'a> {
    pub rank: usize,
    pub at: ChartPlaces<'a>,
    pub alpha: Reals<'a>,
    pub sides: Reals<'a>,
    pub scales: Doubles<'a>,
}

impl Engine {
    pub fn leaf_sides(
        &self,
        chart: &ChartValues<'_>,
        leaves: Reals<'_>,
        leaf_scales: Doubles<'_>,
        leaf_of: Ints<'_>,
        floor: f64,
    ) -> Done {
        let columns = 2 * chart.rank;
        let args = [
            Pointer(chart.sides.at()),
            Pointer(chart.scales.at()),
            Pointer(leaves.at()),
            Pointer(leaf_scales.at()),
            Pointer(leaf_of.at()),
            Real(floor),
            int(columns),
        ];
        self.by_row("leaf_sides", (leaf_of.len(), columns), &args)
    }

    /// Alpha and scales of `count` spans of a width, from row `from` on.
    pub fn combine(&self, chart: &ChartValues, width: usize, from: usize, count: usize) -> Done {
        let at = chart.at;
        let args = [
            Pointer(chart.alpha.at()),
            Pointer(chart.scales.at()),
            Pointer(chart.sides.at()),
            Pointer(at.places.at()),
            Pointer(at.starts.at()),
            Pointer(at.base.at()),
            Pointer(at.prefix.at()),
            int(width),
            int(from),
            int(chart.rank),
        ];
        self.by_row("combine", (count, chart.rank), &args)
    }

    /// Z of every place in the scale of its top row, and log Z.
    pub fn inside_end(
        &self,
        chart: &ChartValues<'_>,
        root: Reals<'_>,
        floor: f64,
        scaled_z: Doubles<'_>,
        log_z: Doubles<'_>,
    ) -> Done {
        let at = chart.at;
        let args = [
            Pointer(scaled_z.at()),
            Pointer(log_z.at()),
            Pointer(chart.alpha.at()),
            Pointer(chart.scales.at()),
            Pointer(root.at()),
            Pointer(at.base.at()),
            Pointer(at.prefix.at()),
            Pointer(at.lengths.at()),
            Double(floor),
            int(chart.rank),
        ];
        self.by_row("inside_end", (at.lengths.len(), chart.rank), &args)
    }

    /// Gradients of the sides of `count` spans of a width, from row `from` on.
    pub fn gather(
        &self,
        chart: &ChartValues<'_>,
        [alpha_gradient, side_gradient]: [Reals<'_>; 2],
        width: usize,
        (from, count): (usize, usize),
    ) -> Done {
        let at = chart.at;
        let args = [
            Pointer(side_gradient.at()),
            Pointer(alpha_gradient.at()),
            Pointer(chart.sides.at()),
            Pointer(chart.scales.at()),
            Pointer(at.places.at()),
            Pointer(at.starts.at()),
            Pointer(at.base.at()),
            Pointer(at.prefix.at()),
            Pointer(at.lengths.at()),
            int(width),
            int(from),
            int(chart.rank),
        ];
        self.by_row("gather", (count, chart.rank), &args)
    }

    /// Adds the root's part to the gradient of `count` whole sentences from place `first` on.
    pub fn top_gradient(
        &self,
        chart: &ChartValues<'_>,
        alpha_gradient: Reals<'_>,
        root: Reals<'_>,
        scaled_z: Doubles<'_>,
        (first, count): (usize, usize),
    ) -> Done {
        let at = chart.at;
        let args = [
            Pointer(alpha_gradient.at()),
            Pointer(root.at()),
            Pointer(scaled_z.at()),
            Pointer(at.base.at()),
            Pointer(at.prefix.at()),
            Pointer(at.lengths.at()),
            int(first),
            int(chart.rank),
        ];
        self.by_row("top_gradient", (count, chart.rank), &args)
    }

    /// Posteriors of `count` spans of a width; with a floor also the gradient through the scale.
    pub fn posteriors(
        &self,
        chart: &ChartValues<'_>,
        [alpha_gradient, side_gradient]: [Reals<'_>; 2],
        to: Doubles<'_>,
        width: usize,
        (from, count): (usize, usize),
        with_scales: bool,
    ) -> Done {
        let args = [
            Pointer(to.at()),
            Pointer(alpha_gradient.at()),
            Pointer(chart.alpha.at()),
            Pointer(chart.sides.at()),
            Pointer(side_gradient.at()),
            Pointer(chart.at.places.at()),
            Pointer(chart.at.lengths.at()),
            int(width),
            int(from),
            int(chart.rank),
            Int(with_scales.into()),
        ];
        self.by_row("posteriors", (count, chart.rank), &args)
    }

    /// `factor` times the gradient of the root.
    pub fn root_gradient(
        &self,
        chart: &ChartValues<'_>,
        to: Reals<'_>,
        scaled_z: Doubles<'_>,
        factor: f64,
    ) -> Done {
        let at = chart.at;
        let args = [
            Pointer(to.at()),
            Pointer(chart.alpha.at()),
            Pointer(scaled_z.at()),
            Pointer(at.base.at()),
            Pointer(at.prefix.at()),
            Pointer(at.lengths.at()),
            int(at.lengths.len()),
            Double(factor),
            int(chart.rank),
        ];
        self.each("root_gradient", chart.rank, &args)
    }
}
