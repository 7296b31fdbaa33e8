//! The speeds of this machine, measured in a fraction of a second.

use super::matrix::{Into, Matrix, MatrixMut, multiply};
use super::order::Speeds;
use super::thin;
use std::time::Instant;

/// Rows and columns of a large product.
const LARGE: usize = 1024;
/// Rows of a product that is mostly reading.
const FEW: usize = 8;
/// Rows and columns of its matrix: 16 MB, more than most caches give a core.
const WIDE: usize = 2048;
/// Times that each is done; the least counts, for all else on a machine only slows it down.
const TIMES: usize = 6;

/// Measures on the threads of the current pool, in f32.
pub fn speeds() -> Speeds {
    let factor = vec![0.5_f32; WIDE * WIDE];
    let other = vec![0.25_f32; WIDE * WIDE];
    let rows = vec![0.125_f32; FEW * WIDE];
    let mut to = vec![0.0_f32; LARGE * LARGE];
    let large = least(|| {
        multiply(
            MatrixMut::new(&mut to, LARGE, LARGE),
            Into::Replace,
            1.0,
            // From memory and turned round, as where states are summed out: what lies in the cache
            // already is multiplied quicker.
            Matrix::new(&factor, WIDE, WIDE).t().rows(0..LARGE),
            Matrix::new(&other, WIDE, WIDE).columns(0..LARGE),
        );
    });
    let multiply_adds = (LARGE * WIDE * LARGE) as f64 / large;
    let mut few = vec![0.0_f32; FEW * WIDE];
    let packed = least(|| {
        multiply(
            MatrixMut::new(&mut few, FEW, WIDE),
            Into::Replace,
            1.0,
            Matrix::new(&rows, FEW, WIDE),
            Matrix::new(&factor, WIDE, WIDE),
        );
    });
    let mut between = vec![0.0_f32; FEW * WIDE];
    let streamed = least(|| {
        thin::through(WIDE, &rows, [&factor, &other], &mut between, &mut few);
    });
    // What is left of the time beside the multiply-adds, at least a tenth of it.
    let reading = |seconds: f64, elements: f64| {
        let rest = seconds - FEW as f64 * elements / multiply_adds;
        elements / rest.max(0.1 * seconds)
    };
    let elements = (WIDE * WIDE) as f64;
    Speeds {
        multiply_adds,
        packed: reading(packed, elements),
        streamed: reading(streamed, 2.0 * elements),
    }
}

fn least(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..TIMES {
        let start = Instant::now();
        work();
        least = least.min(start.elapsed().as_secs_f64());
    }
    // A clock too coarse to see it.
    least.max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_speed_is_a_positive_number() {
        let Speeds { multiply_adds, packed, streamed } = speeds();
        for speed in [multiply_adds, packed, streamed] {
            assert!(speed.is_finite() && speed > 0.0, "{speed}");
        }
    }
}
