//! Exponents of measured curves.

/// `y = c x^exponent`, fitted by least squares to the logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    pub exponent: f64,
    /// Standard error of the exponent; none of two points, which every line meets.
    pub error: Option<f64>,
    /// Least and greatest x that it was fitted to.
    pub range: (f64, f64),
}

impl Fit {
    /// `None` where fewer than two different x have a positive y.
    pub fn of(points: &[(f64, f64)]) -> Option<Fit> {
        let usable = points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0 && y.is_finite());
        let points: Vec<(f64, f64)> = usable.map(|(x, y)| (x.ln(), y.ln())).collect();
        let count = points.len() as f64;
        let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
        let (x, y) = (mean(|p| p.0), mean(|p| p.1));
        let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
        if points.len() < 2 || spread < 1e-12 {
            return None;
        }
        let exponent = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
        let off = |p: &(f64, f64)| (p.1 - y - exponent * (p.0 - x)).powi(2);
        let left: f64 = points.iter().map(off).sum();
        let error = (points.len() > 2).then(|| (left / (count - 2.0) / spread).sqrt());
        let ends = points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), p| (a.min(p.0), b.max(p.0)));
        Some(Fit { exponent, error, range: (ends.0.exp(), ends.1.exp()) })
    }

    /// Fitted to the larger half of the points, three at least: at small sizes constant costs hide
    /// the exponent.
    pub fn of_larger_half(points: &[(f64, f64)]) -> Option<Fit> {
        let kept = points.len().div_ceil(2).max(3).min(points.len());
        Fit::of(&points[points.len() - kept..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_is_found_without_error() {
        let cubes: Vec<(f64, f64)> = (1..6).map(|x| (f64::from(x), f64::from(x * x * x))).collect();
        let fit = Fit::of(&cubes).expect("a fit");
        assert!((fit.exponent - 3.0).abs() < 1e-12, "{fit:?}");
        assert!(fit.error.is_some_and(|e| e < 1e-12), "{fit:?}");
        assert!((fit.range.0 - 1.0).abs() < 1e-12 && (fit.range.1 - 5.0).abs() < 1e-12);
    }

    #[test]
    fn the_error_is_that_of_the_slope_by_hand() {
        // Logarithms to base e: x 0, 1, 2 and y 0, 1, 1. The slope is 1/2, what is left of the
        // values -1/6, 1/3, -1/6, and its error the root of (1/6) / 1 / 2.
        let e = std::f64::consts::E;
        let fit = Fit::of(&[(1.0, 1.0), (e, e), (e * e, e)]).expect("a fit");
        assert!((fit.exponent - 0.5).abs() < 1e-12, "{fit:?}");
        let error = fit.error.expect("three points");
        assert!((error - (1.0f64 / 12.0).sqrt()).abs() < 1e-12, "{error}");
    }

    #[test]
    fn constant_costs_at_small_sizes_do_not_count() {
        let points: Vec<(f64, f64)> =
            (0..8).map(|k| (f64::from(1 << k), 1e4 + f64::from(1 << (2 * k)))).collect();
        let [whole, half] = [Fit::of(&points), Fit::of_larger_half(&points)];
        let (whole, half) = (whole.expect("a fit"), half.expect("a fit"));
        assert!(
            half.exponent > whole.exponent && (half.range.0 - 16.0).abs() < 1e-9,
            "{half:?} {whole:?}"
        );
    }

    #[test]
    fn too_little_gives_no_exponent_and_two_points_no_error() {
        assert_eq!(Fit::of(&[]), None);
        assert_eq!(Fit::of(&[(2.0, 3.0), (2.0, 4.0)]), None);
        assert_eq!(Fit::of(&[(2.0, 3.0), (4.0, 0.0)]), None);
        assert_eq!(Fit::of(&[(1.0, 3.0), (2.0, 6.0)]).and_then(|fit| fit.error), None);
    }
}
