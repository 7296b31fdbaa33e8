//! Conditions on figures that filters name, such as `length>20`.

/// How a figure must stand to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    Less,
    AtMost,
    Equal,
    AtLeast,
    More,
}

impl Comparison {
    const ALL: [(&'static str, Comparison); 5] = [
        // Longer signs first.
        ("<=", Comparison::AtMost),
        (">=", Comparison::AtLeast),
        ("<", Comparison::Less),
        (">", Comparison::More),
        ("=", Comparison::Equal),
    ];

    /// What stands before and behind a sign, if there is one.
    pub fn split(word: &str) -> Option<(&str, Comparison, &str)> {
        Comparison::ALL
            .into_iter()
            .find_map(|(text, sign)| word.split_once(text).map(|(name, value)| (name, sign, value)))
    }

    pub fn holds(self, a: f64, b: f64) -> bool {
        match self {
            Comparison::Less => a < b,
            Comparison::AtMost => a <= b,
            Comparison::Equal => a == b,
            Comparison::AtLeast => a >= b,
            Comparison::More => a > b,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_split_at_its_longest_sign() {
        assert_eq!(Comparison::split("length>=20"), Some(("length", Comparison::AtLeast, "20")));
        assert_eq!(Comparison::split("gain<0"), Some(("gain", Comparison::Less, "0")));
        assert_eq!(Comparison::split("plain"), None);
    }
}
