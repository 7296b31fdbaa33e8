//! A number with its noun, for whatever is told to people.

use std::fmt::Display;

/// `1 sentence`, `2 sentences`: of a noun that has its plural by an s.
pub fn counted<N: Display + PartialEq + From<u8>>(n: N, noun: &str) -> String {
    let noun = plural(&n, noun);
    format!("{n} {noun}")
}

/// The noun alone, where the number is written otherwise.
pub fn plural<N: PartialEq + From<u8>>(n: &N, noun: &str) -> String {
    if *n == N::from(1) { noun.to_owned() } else { format!("{noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_alone_is_singular() {
        let sentences = [0usize, 1, 2, 21].map(|n| counted(n, "sentence"));
        assert_eq!(sentences, ["0 sentences", "1 sentence", "2 sentences", "21 sentences"]);
        assert_eq!(
            (counted(1.0, "word"), counted(1.5, "word")),
            ("1 word".into(), "1.5 words".into())
        );
    }
}
