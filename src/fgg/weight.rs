//! Numbers with the precision of `f64` and a range that no sentence leaves.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// Mantissas lie in `[1, BASE)`, up to sign.
const BASE: f64 = f64::from_bits((1023 + 256) << 52);
const INVERSE: f64 = 1.0 / BASE;

/// `mantissa * BASE^exponent`: sums and products of weights that neither underflow nor overflow.
/// A table of such numbers needs no scale of its own, so that an entry is never lost because its
/// neighbour is large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    mantissa: f64,
    exponent: i64,
}

impl Weight {
    pub const ZERO: Weight = Weight { mantissa: 0.0, exponent: 0 };
    pub const ONE: Weight = Weight { mantissa: 1.0, exponent: 0 };

    /// Of a finite number.
    fn normal(mantissa: f64, exponent: i64) -> Weight {
        let size = mantissa.abs();
        if size >= BASE {
            Weight::normal(mantissa * INVERSE, exponent + 1)
        } else if size >= 1.0 {
            Weight { mantissa, exponent }
        } else if size > 0.0 {
            Weight::normal(mantissa * BASE, exponent - 1)
        } else {
            Weight::ZERO
        }
    }

    pub fn is_zero(self) -> bool {
        self.mantissa == 0.0
    }

    /// Natural logarithm; -infinity for zero, no number below.
    pub fn ln(self) -> f64 {
        match self.is_zero() {
            true => f64::NEG_INFINITY,
            false => self.mantissa.ln() + self.exponent as f64 * BASE.ln(),
        }
    }

    /// The nearest `f64`, which may be zero or infinite.
    pub fn to_f64(self) -> f64 {
        match self.exponent {
            0 => self.mantissa,
            // Two steps, for BASE^4 is no `f64` and mantissas are up to BASE.
            -4..=-1 => (self.exponent..0).fold(self.mantissa, |x, _| x * INVERSE),
            1..=3 => (0..self.exponent).fold(self.mantissa, |x, _| x * BASE),
            e if e > 3 && !self.is_zero() => self.mantissa * f64::INFINITY,
            _ => 0.0,
        }
    }

    /// The quotient as `f64`; no number where the divisor is zero.
    pub fn ratio(self, by: Weight) -> f64 {
        if by.is_zero() {
            return f64::NAN;
        }
        Weight::normal(self.mantissa / by.mantissa, self.exponent - by.exponent).to_f64()
    }
}

impl From<f64> for Weight {
    /// Of a finite number.
    fn from(value: f64) -> Weight {
        Weight::normal(value, 0)
    }
}

impl Mul for Weight {
    type Output = Weight;

    fn mul(self, other: Weight) -> Weight {
        Weight::normal(self.mantissa * other.mantissa, self.exponent + other.exponent)
    }
}

impl Add for Weight {
    type Output = Weight;

    fn add(self, other: Weight) -> Weight {
        if self.is_zero() {
            return other;
        }
        if other.is_zero() {
            return self;
        }
        let (large, small) =
            if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        match large.exponent - small.exponent {
            0 => Weight::normal(large.mantissa + small.mantissa, large.exponent),
            1 => Weight::normal(large.mantissa + small.mantissa * INVERSE, large.exponent),
            // Below the last digit.
            _ => large,
        }
    }
}

impl AddAssign for Weight {
    fn add_assign(&mut self, other: Weight) {
        *self = *self + other;
    }
}

impl Sum for Weight {
    fn sum<I: Iterator<Item = Weight>>(all: I) -> Weight {
        all.fold(Weight::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn products_of_ten_thousand_small_and_large_factors_keep_their_logarithm() {
        for x in [1e-300, 3e-7, 5e8, 1e300, -1e-200] {
            let product = (0..10_000).fold(Weight::ONE, |p, _| p * Weight::from(x));
            let expected = 10_000.0 * f64::ln(x.abs());
            assert!((product.ln() - expected).abs() <= 1e-12 * expected.abs(), "{x}");
            assert!((product.ratio(product) - 1.0).abs() < 1e-15);
        }
        assert_eq!(Weight::ZERO.ln(), f64::NEG_INFINITY);
        assert!((Weight::ZERO * Weight::from(1e300)).is_zero());
    }

    #[test]
    fn a_small_number_is_not_lost_beside_zero() {
        let tiny = Weight::from(1e-300) * Weight::from(1e-300);
        assert_eq!((tiny + Weight::ZERO).ln(), tiny.ln());
        assert_eq!((Weight::ZERO + tiny).ln(), tiny.ln());
        assert_eq!(Weight::ONE + tiny, Weight::ONE);
    }

    proptest! {
        #[test]
        fn sums_and_products_are_those_of_f64(a in -1e100..1e100f64, b in -1e100..1e100f64, down in 0..300i32) {
            let b = b * 10f64.powi(-down);
            let (x, y) = (Weight::from(a), Weight::from(b));
            prop_assert!(((x * y).to_f64() - a * b).abs() <= 1e-15 * (a * b).abs());
            prop_assert!(((x + y).to_f64() - (a + b)).abs() <= 1e-15 * a.abs().max(b.abs()));
        }
    }
}
