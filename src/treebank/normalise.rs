//! What a word becomes before a model sees it, and which words are punctuation.

use unicode_general_category::{GeneralCategory, get_general_category};

/// Escapes of brackets in treebanks.
const ESCAPED_BRACKETS: [&str; 6] = ["-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"];

/// Signs that Unicode calls punctuation but that are read aloud as words.
const SPOKEN: &str = "%&@§‰";

/// Replaces every run of digits, with the `.` and `,` that follow a digit, by
/// `N`: the regular expression `[0-9]{1,}([,.]?[0-9]*)*` of the published code.
pub(super) fn numbers_to_n(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut rest = word;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        out.push_str(&rest[..start]);
        out.push('N');
        let run = &rest[start..];
        let end = run.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | ','));
        rest = &run[end.unwrap_or(run.len())..];
    }
    out.push_str(rest);
    out
}

/// A word of [`numbers_to_n`] in lower case again, but for every `N` that stands for a number: one
/// that no letters follow, or letters without a vowel as in `Nth`, or that follows a letter. One
/// that cannot be told from a capital, as in `Nam` for `10am`, is taken for it.
pub(super) fn capital_n_lowered(word: &str) -> String {
    let stands_for_number = |at: usize| {
        let rest = &word[at + 1..];
        let end = rest.find(|c: char| c == 'N' || !c.is_alphabetic()).unwrap_or(rest.len());
        let (letters, behind) = rest.split_at(end);
        match word[..at].chars().next_back() {
            Some('N') => false,
            Some(c) if c.is_alphabetic() => !rest.starts_with('N'),
            // A point or comma behind a number is part of it.
            _ if letters.is_empty() => !behind.starts_with(['N', '.', ',']),
            _ => !letters.contains(|c: char| "aeiouy".contains(c) || !c.is_ascii()),
        }
    };
    let lower = |(at, c)| if c == 'N' && !stands_for_number(at) { 'n' } else { c };
    word.char_indices().map(lower).collect()
}

/// Whether lower case and [`numbers_to_n`] change at most an `N` of the word.
pub(super) fn is_normal_but_n(word: &str) -> bool {
    word.chars().all(|c| c == 'N' || !c.is_ascii_digit() && c.to_lowercase().eq([c]))
}

/// Whether neither lower case nor [`numbers_to_n`] changes a word: quick, and true of most words.
pub(super) fn is_normal(word: &str) -> bool {
    word.chars().all(|c| match c.is_ascii() {
        true => !c.is_ascii_uppercase() && !c.is_ascii_digit(),
        false => c.is_lowercase(),
    })
}

/// Whether Unicode calls all characters of a word punctuation (categories P*),
/// backquotes and escaped brackets included, signs that are read aloud not.
pub(super) fn is_punctuation_word(word: &str) -> bool {
    ESCAPED_BRACKETS.contains(&word)
        || !word.is_empty() && word.chars().all(|c| c == '`' || is_punctuation(c))
}

/// Whether a tag marks punctuation or a currency by its form: no letter or digit, as `,` or `''`.
pub(super) fn is_punctuation_tag(tag: &str) -> bool {
    let has_letters = |tag: &str| tag.contains(char::is_alphanumeric);
    let unescaped = || tag.replace("-LRB-", "(").replace("-RRB-", ")");
    ESCAPED_BRACKETS.contains(&tag)
        || !tag.is_empty()
            && (!has_letters(tag) || tag.contains("RB-") && !has_letters(&unescaped()))
}

fn is_punctuation(c: char) -> bool {
    use GeneralCategory as G;
    if c.is_alphanumeric() || SPOKEN.contains(c) {
        return false;
    }
    matches!(
        get_general_category(c),
        G::ConnectorPunctuation
            | G::DashPunctuation
            | G::OpenPunctuation
            | G::ClosePunctuation
            | G::InitialPunctuation
            | G::FinalPunctuation
            | G::OtherPunctuation
    )
}

/// The label without grammatical functions and indices: cut at the first `-` or
/// `=` behind its first character (`NP-SBJ=2` gives `NP`, `-LRB-` stays).
pub(super) fn cut_functions(label: &str) -> &str {
    let end = label.char_indices().skip(1).find(|(_, c)| matches!(c, '-' | '=')).map(|(i, _)| i);
    if label.starts_with('-') { label } else { &label[..end.unwrap_or(label.len())] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_n_as_the_published_expression_has_it() {
        // Expected values: re.sub('[0-9]{1,}([,.]?[0-9]*)*', 'N', word) of Python.
        for (word, expected) in [
            ("", ""),
            ("none", "none"),
            ("7", "N"),
            ("1,234.56", "N"),
            ("1.", "N"),
            ("1,,2", "N"),
            ("3.5%", "N%"),
            (".5", ".N"),
            ("1950s", "Ns"),
            ("mid-1990s", "mid-Ns"),
            ("10:30", "N:N"),
            ("1\\/2", "N\\/N"),
            ("a1b22c,3", "aNbNc,N"),
            ("5...", "N"),
            ("-1", "-N"),
            ("٣", "٣"),
            ("10\u{a0}000", "N\u{a0}N"),
        ] {
            assert_eq!(numbers_to_n(word), expected, "{word}");
        }
    }

    #[test]
    fn a_capital_n_that_stands_for_a_number_is_told_from_a_letter() {
        for (word, expected) in [
            ("N", "N"),
            ("N%", "N%"),
            ("N\\/N-year", "N\\/N-year"),
            ("mid-Ns", "mid-Ns"),
            ("Nth", "Nth"),
            ("mpN", "mpN"),
            ("NbN", "NbN"),
            ("N's", "N's"),
            ("No", "no"),
            ("Nancy", "nancy"),
            ("N.", "n."),
            ("NN", "nn"),
            ("Nam", "nam"),
        ] {
            assert_eq!(capital_n_lowered(word), expected, "{word}");
            assert_eq!(capital_n_lowered(expected), expected, "{word}");
            assert!(is_normal_but_n(word), "{word}");
        }
        assert!(!is_normal_but_n("NATO") && !is_normal_but_n("N5") && !is_normal_but_n("É"));
    }

    #[test]
    fn normal_words_are_changed_by_nothing() {
        let all = (0..=char::MAX as u32).filter_map(char::from_u32);
        for word in all.map(String::from).filter(|w| is_normal(w)) {
            assert_eq!(numbers_to_n(&word.to_lowercase()), word);
        }
        assert!(is_normal("don't") && is_normal("bæ$") && !is_normal("Ann") && !is_normal("b2"));
    }

    #[test]
    fn unicode_categories_tell_punctuation_from_words() {
        for word in [",", ".", "...", "``", "''", "-LRB-", "–", "«", "“", "?!", "-", "…", "。"]
        {
            assert!(is_punctuation_word(word), "{word}");
        }
        for word in ["", "a", "n't", "'s", "%", "&", "$", "+", "3", "猫", "U.S."] {
            assert!(!is_punctuation_word(word), "{word}");
        }
        for tag in [",", "``", "$", "-LRB-", "\"", "$-LRB-"] {
            assert!(is_punctuation_tag(tag), "{tag}");
        }
        for tag in ["", "NN", "-NONE-", "PRP$", "N-D"] {
            assert!(!is_punctuation_tag(tag), "{tag}");
        }
    }

    #[test]
    fn labels_are_cut_at_the_first_function_or_index() {
        for (label, cut) in [
            ("NP-SBJ=2", "NP"),
            ("NP=2", "NP"),
            ("PP-LOC|CLR", "PP"),
            ("ADVP|PRT", "ADVP|PRT"),
            ("NP*", "NP*"),
            ("-LRB-", "-LRB-"),
            ("", ""),
            ("S", "S"),
        ] {
            assert_eq!(cut_functions(label), cut);
        }
    }
}
