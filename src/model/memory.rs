//! What a chart needs, beside what the machine has.

use super::ModelError;
use crate::treebank::Batch;

/// Smaller charts are not worth a question to the system, bytes.
const SMALL: u128 = 1 << 30;

const GIB: f64 = (1_u64 << 30) as f64;

/// Refuses a batch whose chart would not fit: the system would end the process without a word.
/// `values` is the number of values that a span keeps, of `size` bytes each. Where the system
/// does not say what is free, nothing is refused.
pub(super) fn check_chart(batch: &Batch, values: usize, size: usize) -> Result<(), ModelError> {
    check(batch, needed(batch, values, size))
}

/// The same for a lattice, which keeps so many values a token.
pub(super) fn check_lattice(batch: &Batch, values: usize, size: usize) -> Result<(), ModelError> {
    check(batch, batch.tokens() as u128 * values as u128 * size as u128)
}

/// Copies of a rule tensor that training keeps at a time: scores, probabilities in two orders,
/// counts, and gradients in two orders.
const COPIES: u128 = 6;

/// Refuses a rule tensor of `rows` times `symbols` times `symbols` numbers that would not fit.
pub(super) fn check_tensor(rows: usize, symbols: usize, size: usize) -> Result<(), ModelError> {
    let needed = tensor_bytes(rows, symbols, size);
    match if needed > SMALL { available_memory() } else { None } {
        Some(free) => compare_tensor(rows, symbols, needed, free),
        None => Ok(()),
    }
}

fn tensor_bytes(rows: usize, symbols: usize, size: usize) -> u128 {
    rows as u128 * symbols as u128 * symbols as u128 * size as u128 * COPIES
}

fn compare_tensor(rows: usize, symbols: usize, needed: u128, free: u128) -> Result<(), ModelError> {
    if needed <= free {
        return Ok(());
    }
    Err(ModelError::Unsupported(format!(
        "a rule tensor of {rows} x {symbols} x {symbols} numbers needs about {:.1} GiB of memory \
         and {:.1} GiB are free: choose fewer symbols, or a family without one (rank-pcfg, td-pcfg)",
        needed as f64 / GIB,
        free as f64 / GIB
    )))
}

fn check(batch: &Batch, needed: u128) -> Result<(), ModelError> {
    match if needed > SMALL { available_memory() } else { None } {
        Some(free) => compare(batch, needed, free),
        None => Ok(()),
    }
}

fn needed(batch: &Batch, values: usize, size: usize) -> u128 {
    // Beside the chart, a table over spans for posteriors, for the best trees and their splits.
    let per_span = values as u128 * size as u128 + 3 * 8 * 2;
    let spans = |b| batch.length(b) as u128 * (batch.length(b) as u128 + 1) / 2;
    (0..batch.len()).map(spans).sum::<u128>() * per_span
}

fn compare(batch: &Batch, needed: u128, free: u128) -> Result<(), ModelError> {
    if needed <= free {
        return Ok(());
    }
    let sentence = (0..batch.len()).max_by_key(|&b| batch.length(b)).unwrap_or(0);
    Err(ModelError::Sentence {
        sentence,
        reason: format!(
            "{} words need about {:.1} GiB of memory and {:.1} GiB are free: limit the length \
             of sentences, or check whether a line break is missing",
            batch.length(sentence),
            needed as f64 / GIB,
            free as f64 / GIB
        ),
    })
}

/// Bytes that can be had without swapping.
#[cfg(target_os = "linux")]
pub fn available_memory() -> Option<u128> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u128 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

#[cfg(not(target_os = "linux"))]
pub fn available_memory() -> Option<u128> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_tensor_too_large_for_the_memory_is_refused_by_its_sizes() {
        let needed = tensor_bytes(4500, 13_500, 4);
        assert!(needed > 4500 * 13_500 * 13_500 * 4);
        assert!(compare_tensor(4500, 13_500, needed, needed).is_ok());
        let error = compare_tensor(4500, 13_500, needed, 8 << 30).expect_err("too large");
        assert!(error.to_string().contains("4500 x 13500 x 13500"), "{error}");
        assert!(check_tensor(30, 90, 4).is_ok());
        assert!(check_tensor(1_000_000, 2_000_000, 8).is_err() || available_memory().is_none());
    }

    #[test]
    fn a_sentence_too_long_for_the_memory_is_named_by_its_words() {
        let batch = Batch::new([vec![0; 3], vec![0; 20_001]]).expect("words");
        let needed = needed(&batch, 6 * 64, 4);
        assert!(needed > 290 << 30, "{needed}");
        assert!(compare(&batch, needed, needed).is_ok());
        let error = compare(&batch, needed, 8 << 30).expect_err("too long").to_string();
        assert!(error.contains("20001 words") && error.contains("8.0 GiB are free"), "{error}");
        let short = Batch::new([vec![0; 40]]).expect("words");
        assert!(check_chart(&short, 6 * 1000, 4).is_ok());
    }
}
