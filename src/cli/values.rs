//! Values of flags: each function reads one from the command line, or says what it expects.

use super::failure::Usage;
use crate::config::ConfigError;

/// A seed as configs may hold it.
pub fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|&n| i64::try_from(n).is_ok());
    number.ok_or_else(|| format!("expected a whole number from 0 to {}", i64::MAX))
}

/// A count or a length.
pub fn whole(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "expected a whole number, 0 or more".to_owned())
}

/// A length that something has.
pub fn positive(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|&n| n > 0);
    number.ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

/// A place in a list.
pub fn place(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|n| *n > 0);
    number.ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

/// A number of runs.
pub fn several(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|n| (1..=1000).contains(n));
    number.ok_or_else(|| "expected a whole number from 1 to 1000".to_owned())
}

/// A probability in percent.
pub fn confidence(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|n| *n > 0.0 && *n < 100.0);
    number.ok_or_else(|| "expected a number above 0 and below 100".to_owned())
}

/// A share in percent.
pub fn share(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|n| *n > 0.0 && *n <= 100.0);
    number.ok_or_else(|| "expected a number above 0 and up to 100".to_owned())
}

/// A weight of the past in an average.
pub fn weight(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|n| (0.0..1.0).contains(n));
    number.ok_or_else(|| "expected a number from 0 to below 1".to_owned())
}

/// What is wrong with a `--set KEY=VALUE` that the config does not take.
pub fn blame(change: &str, error: ConfigError) -> Usage {
    Usage(match error {
        ConfigError::Syntax { reason, .. } => format!("--set {change}: {reason}"),
        ConfigError::Value { expected, .. } => format!("--set {change}: expected {expected}"),
        other => other.to_string(),
    })
}
