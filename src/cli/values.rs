//! Values of flags: each function reads one from the command line, or says what it expects.

/// A seed as configs may hold it.
pub fn seed(text: &str) -> Result<u64, String> {
    let number = text.parse::<u64>().ok().filter(|&n| i64::try_from(n).is_ok());
    number.ok_or_else(|| format!("expected a whole number from 0 to {}", i64::MAX))
}

/// A probability in percent.
pub fn confidence(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|n| *n > 0.0 && *n < 100.0);
    number.ok_or_else(|| "expected a number above 0 and below 100".to_owned())
}
