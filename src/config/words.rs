//! Words of messages, and words that look like others.

/// What stands between backquotes.
pub(super) fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split('`').skip(1).step_by(2)
}

/// The candidate most similar to `word`, if it is more so than `least` (0 to 1).
pub fn nearest<'a>(
    word: &str,
    least: f64,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .map(|c| (strsim::jaro_winkler(word, c), c))
        .filter(|(similarity, _)| *similarity > least)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, c)| c)
}
