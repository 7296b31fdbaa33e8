//! Values of flags: each function reads one from the command line, or says what it expects.

use super::failure::Usage;
use super::plain::tell;
use crate::config::ConfigError;
use crate::report::counted;
use anyhow::bail;

/// A seed as configs may hold it.
pub fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|&n| i64::try_from(n).is_ok());
    let is_whole = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    number.ok_or_else(|| match is_whole {
        true => format!("expected a whole number up to {}", i64::MAX),
        false => "expected a whole number, 0 or more".to_owned(),
    })
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

/// A learning rate.
pub fn rate(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate > 0.0);
    number.ok_or_else(|| "expected a number above 0".to_owned())
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

/// Parts of a set, each left out in turn.
pub fn parts(text: &str) -> Result<usize, String> {
    let number = text.parse::<usize>().ok().filter(|n| (2..=1000).contains(n));
    number.ok_or_else(|| "expected a whole number from 2 to 1000".to_owned())
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

/// The sizes of `--sizes` that there are so many items for, from the smallest up; that there are
/// none for larger ones is told, or refused where there is no other.
pub fn sizes(given: &[u64], items: usize, noun: &str) -> anyhow::Result<Vec<usize>> {
    let mut sizes = given.to_vec();
    sizes.sort_unstable();
    sizes.dedup();
    let beyond = sizes.split_off(sizes.partition_point(|n| *n <= items as u64));
    let there = counted(items, noun);
    let beyond: Vec<String> = beyond.iter().map(u64::to_string).collect();
    match (sizes.is_empty(), beyond.is_empty()) {
        (true, _) => bail!("--sizes: there are only {there}"),
        (false, true) => {}
        (false, false) => {
            tell(&format!(
                "note: there are only {there}: nothing is done for {}",
                beyond.join(", ")
            ));
        }
    }
    Ok(sizes.into_iter().map(|n| n as usize).collect())
}
