//! The two number types of the dynamic programs, and the kernels that are worth writing by hand.

use pulp::{Arch, WithSimd};
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub};

/// `f32` or `f64`. Charts hold vectors of it beside `f64` log-scales.
pub trait Real:
    Copy
    + Debug
    + Default
    + PartialOrd
    + Send
    + Sync
    + Sum
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + MulAssign
    + 'static
{
    const ZERO: Self;
    const ONE: Self;
    /// What is scaled so that it is at most one, and is less than this, may consist of what was
    /// lost to underflow on the way, and is computed in a wider type: the root of the smallest
    /// normal number, so that what is lost is to it as it is to one. 0 where there is no wider type.
    const SURE: f64;

    fn from_f64(x: f64) -> Self;
    fn to_f64(self) -> f64;
    fn max(self, other: Self) -> Self;
    fn is_finite(self) -> bool;
    /// `self * a + b`, fused where the machine can.
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// Exponential, within 2 units in the last place; written so that loops over it vectorise.
    fn exp(self) -> Self;
}

impl Real for f32 {
    const ZERO: f32 = 0.0;
    const ONE: f32 = 1.0;
    const SURE: f64 = 1.0 / (1u64 << 63) as f64;

    #[inline(always)]
    fn from_f64(x: f64) -> f32 {
        x as f32
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn max(self, other: f32) -> f32 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    #[inline(always)]
    fn mul_add(self, a: f32, b: f32) -> f32 {
        f32::mul_add(self, a, b)
    }
    /// exp(x) = 2^n exp(r) with |r| <= ln(2)/2: the remainder by a polynomial, the power of two
    /// through the exponent bits. Results below the smallest normal number become zero.
    #[inline(always)]
    fn exp(self) -> f32 {
        // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low mantissa bits.
        const ROUND: f32 = 12_582_912.0;
        let x = if self > 88.72 { 88.72 } else { self };
        let shifted = x.mul_add(std::f32::consts::LOG2_E, ROUND);
        let n = shifted - ROUND;
        // ln 2 in two parts, so that n ln 2 is subtracted exactly.
        let r = n.mul_add(-0.693_359_4, x);
        let r = n.mul_add(2.121_944_4e-4, r);
        let mut p = 1.987_569_2e-4f32;
        p = p.mul_add(r, 1.398_199_9e-3);
        p = p.mul_add(r, 8.333_452e-3);
        p = p.mul_add(r, 4.166_579_6e-2);
        p = p.mul_add(r, 1.666_666_5e-1);
        p = p.mul_add(r, 0.5);
        let p = (p * r).mul_add(r, r) + 1.0;
        // Two factors, so that n = 128 stays in range.
        let n = (shifted.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
        let half = n >> 1;
        let scale = |k: i32| f32::from_bits((k.wrapping_add(127) << 23) as u32);
        let y = p * scale(half) * scale(n.wrapping_sub(half));
        if self < -87.33 { 0.0 } else { y }
    }
}

impl Real for f64 {
    const ZERO: f64 = 0.0;
    const ONE: f64 = 1.0;
    const SURE: f64 = 0.0;

    #[inline(always)]
    fn from_f64(x: f64) -> f64 {
        x
    }
    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }
    #[inline(always)]
    fn max(self, other: f64) -> f64 {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn is_finite(self) -> bool {
        f64::is_finite(self)
    }
    #[inline(always)]
    fn mul_add(self, a: f64, b: f64) -> f64 {
        f64::mul_add(self, a, b)
    }
    fn exp(self) -> f64 {
        f64::exp(self)
    }
}

/// Runs a loop compiled for the widest vector unit of this machine. The closure must be
/// `#[inline(always)]`-able: plain loops over slices, no calls into other crates.
#[inline(always)]
pub fn vectorised<R>(arch: Arch, f: impl FnOnce() -> R) -> R {
    struct Call<F>(F);
    impl<R, F: FnOnce() -> R> WithSimd for Call<F> {
        type Output = R;
        #[inline(always)]
        fn with_simd<S: pulp::Simd>(self, _: S) -> R {
            (self.0)()
        }
    }
    arch.dispatch(Call(f))
}

#[cfg(test)]
mod tests {
    use super::Real;

    #[test]
    fn f32_exp_is_within_two_units_in_the_last_place() {
        let mut x = -87.0f32;
        while x < 88.5 {
            let (ours, exact) = (Real::exp(x), f64::exp(f64::from(x)));
            let relative = (f64::from(ours) - exact).abs() / exact;
            assert!(
                relative < 2.0 * f64::from(f32::EPSILON),
                "exp({x}) = {ours}, off by {relative:e}"
            );
            x += 0.003_7;
        }
        assert_eq!(Real::exp(0.0f32), 1.0);
        assert_eq!(Real::exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(Real::exp(-200.0f32), 0.0);
        assert!(Real::exp(f32::NAN).is_nan());
    }
}
