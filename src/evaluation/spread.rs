use crate::report::numbers;
use serde::Serialize;

/// A figure over several seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    pub count: usize,
    #[serde(with = "numbers")]
    pub mean: f64,
    /// Of the sample (n - 1); absent for a single value.
    #[serde(skip_serializing_if = "Option::is_none", with = "numbers::optional")]
    pub sd: Option<f64>,
    #[serde(with = "numbers")]
    pub least: f64,
    #[serde(with = "numbers")]
    pub greatest: f64,
}

impl Spread {
    /// `None` without values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Spread> {
        let values: Vec<f64> = values.into_iter().collect();
        let count = values.len();
        let least = values.iter().copied().reduce(f64::min)?;
        let greatest = values.iter().copied().reduce(f64::max)?;
        let mean = values.iter().sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
        let sd = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        Some(Spread { count, mean, sd, least, greatest })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_and_spread_are_those_of_the_sample() {
        let spread = Spread::of([2.0, 4.0, 9.0]).expect("values");
        assert_eq!((spread.count, spread.least, spread.greatest), (3, 2.0, 9.0));
        assert!((spread.mean - 5.0).abs() < 1e-12);
        assert!((spread.sd.expect("several") - 13.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(Spread::of([3.0]).expect("a value").sd, None);
        assert_eq!(Spread::of([]), None);
    }
}
