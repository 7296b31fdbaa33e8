//! Whether a model of the configured sizes fits into this machine's memory.

use super::RunError;
use crate::config::{Config, Family, Precision};
use crate::model;

/// Most that a model keeps of its emission table, bytes.
const KEPT: u128 = 512 << 20;

const GIB: f64 = (1_u64 << 30) as f64;

/// Refuses a model that would not fit: the system would end the process without a word. Where
/// the system does not say what is free, nothing is refused.
pub fn check_memory(config: &Config, vocabulary: usize) -> Result<(), RunError> {
    match model::available_memory() {
        Some(free) => compare(needed(config, vocabulary), free),
        None => Ok(()),
    }
}

/// How many trainings of this config fit into the free memory side by side, at least one and at
/// most `wanted`; the vocabulary is taken as large as it may become.
pub fn side_by_side(config: &Config, wanted: usize) -> usize {
    let one = needed(config, config.data.vocabulary.max_size).max(1);
    let fitting = model::available_memory().map_or(u128::MAX, |free| free / one);
    wanted.min(usize::try_from(fitting).unwrap_or(usize::MAX)).max(1)
}

/// [`check_memory`] of so many bytes.
pub fn check_bytes(needed: f64) -> Result<(), RunError> {
    match model::available_memory() {
        // What is too large for a number is too large for any memory.
        Some(free) => compare(needed.ceil() as u128, free),
        None => Ok(()),
    }
}

fn compare(needed: u128, free: u128) -> Result<(), RunError> {
    if needed <= free {
        return Ok(());
    }
    Err(RunError::Unsuitable(format!(
        "the model needs about {:.1} GiB of memory and {:.1} GiB are free: choose fewer \
         symbols or states, a lower rank or a smaller embedding",
        needed as f64 / GIB,
        free as f64 / GIB
    )))
}

/// Bytes of training: parameters, gradient and two moments; the wide matrices and their
/// gradient; kept exponentials of the emissions.
fn needed(config: &Config, vocabulary: usize) -> u128 {
    let m = &config.model;
    let rank = m.rank as u128;
    let bytes = match config.precision {
        Precision::F32 => 4,
        Precision::F64 => 8,
    };
    let weights = model::parameter_count(config, vocabulary) * (1 + 1 + 2);
    let (wide, emitting) = match m.family {
        Family::RankPcfg | Family::TdPcfg => {
            let preterminals = m.preterminals as u128;
            ((m.nonterminals as u128 + preterminals) * 2 * rank * 2, preterminals)
        }
        // Scores, probabilities and gradients of the rules, each in two orders.
        Family::Lpcfg | Family::NPcfg | Family::CPcfg => {
            let (nt, pt) = (m.nonterminals as u128, m.preterminals as u128);
            let (rows, emitting) = match m.family {
                Family::Lpcfg => (rank, pt),
                Family::CPcfg => (nt, pt * config.training.batch_size as u128),
                _ => (nt, pt),
            };
            (rows * (nt + pt) * (nt + pt) * 6, emitting)
        }
        Family::RankHmm => (m.states as u128 * 2 * rank * 2, rank),
        Family::Lhmm => (m.states as u128 * rank * 7, m.states as u128),
        Family::Hmm => (m.states as u128 * m.states as u128 * 3, m.states as u128),
        // Tables of counts, no larger than the text many times over.
        Family::Ngram => (0, 0),
    };
    (weights + wide) * bytes + (emitting * vocabulary as u128 * bytes).min(KEPT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_size_is_estimated_and_compared() {
        let mut config = Config::default();
        let m = &mut config.model;
        (m.nonterminals, m.preterminals, m.rank, m.embedding) = (4500, 9000, 2000, 256);
        let needed = needed(&config, 10_000);
        // The wide matrices alone: 13500 symbols, 2 x 2000 columns, two copies, 4 bytes.
        assert!(needed > 13_500 * 4000 * 2 * 4 && needed < 1 << 31, "{needed}");
        assert!(compare(needed, needed).is_ok());
        let error = compare(needed, needed / 2).unwrap_err().to_string();
        assert!(error.contains("GiB are free"), "{error}");
    }

    #[test]
    fn as_many_trainings_run_side_by_side_as_fit_and_never_none() {
        let mut config = Config::default();
        assert_eq!(side_by_side(&config, 2), 2);
        assert_eq!(side_by_side(&config, 0), 1);
        (config.model.nonterminals, config.model.rank) = (1_000_000, 1_000_000);
        assert_eq!(side_by_side(&config, 8), 1);
    }

    #[test]
    fn the_largest_settings_do_not_overflow() {
        let mut config = Config::default();
        let m = &mut config.model;
        (m.nonterminals, m.preterminals) = (1_000_000, 1_000_000);
        (m.rank, m.embedding) = (1_000_000, 1_000_000);
        assert!(compare(needed(&config, usize::MAX >> 1), u128::from(u64::MAX)).is_err());
    }
}
