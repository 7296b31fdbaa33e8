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

    /// The value as a number, or what to say of the condition without one.
    pub fn number(name: &str, value: &str) -> Result<f64, String> {
        let number = value.parse::<f64>().ok().filter(|number| !number.is_nan());
        number.ok_or_else(|| format!("{name} needs a number"))
    }

    /// What to say of a comparison with a number whose figure is none of those that are known;
    /// `None` for what may be text to look for.
    pub fn unknown(word: &str, known: &[&str]) -> Option<String> {
        let (name, _, value) = Comparison::split(word)?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
        (is_name && value.parse::<f64>().is_ok())
            .then(|| format!("no figure is named {name}: {}", known.join(", ")))
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

    #[test]
    fn a_figure_is_compared_with_a_number_or_it_is_said() {
        assert_eq!(Comparison::number("gain", "-1.5"), Ok(-1.5));
        for value in ["", "foo", "nan"] {
            assert_eq!(Comparison::number("gain", value), Err("gain needs a number".into()));
        }
    }

    #[test]
    fn figures_that_do_not_exist_are_told_with_those_that_do() {
        let unknown = |word| Comparison::unknown(word, &["gain", "rank"]);
        assert_eq!(unknown("foo>=1.5"), Some("no figure is named foo: gain, rank".into()));
        for text in ["foo", "<3", "a=b", "e=mc2", "(=1"] {
            assert_eq!(unknown(text), None, "{text}");
        }
    }
}
