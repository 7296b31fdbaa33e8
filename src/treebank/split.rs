//! Splits typed text into sentences as the Penn Treebank has them: a period in the middle of a
//! line is the end of a sentence unless it belongs to an abbreviation, a number or an ellipsis.
//! Text in which a mark stands alone is tokenised already, one sentence a line, and stays whole.

use super::tokenise::is_tokenised;

/// Abbreviations of more than a letter that are followed by more of the sentence, in lower case
/// and without the last period. Those with periods inside (`U.S.`, `p.m.`) need no list.
const ABBREVIATIONS: [&str; 52] = [
    "adm", "al", "approx", "apr", "assn", "aug", "ave", "blvd", "bros", "capt", "cf", "co", "col",
    "corp", "dec", "dept", "dr", "ed", "est", "etc", "feb", "gen", "gov", "hon", "inc", "jan",
    "jr", "lt", "ltd", "maj", "messrs", "mr", "mrs", "ms", "mt", "nov", "oct", "ph", "prof",
    "pres", "rep", "reps", "rev", "sen", "sens", "sept", "sgt", "sr", "st", "univ", "viz", "vs",
];

/// Abbreviations before a number only: `No.` also is an answer.
const BEFORE_NUMBERS: [&str; 5] = ["fig", "no", "nos", "pp", "vol"];

/// The sentences of a line, without blanks around them; at least one.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let text = text.trim();
    if is_tokenised(text) {
        return vec![text];
    }
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut chunks = text.split_ascii_whitespace().peekable();
    let mut first = true;
    while let (Some(chunk), Some(next)) = (chunks.next(), chunks.peek()) {
        let end = offset(text, chunk) + chunk.len();
        let ends = ends_sentence(chunk, next, first);
        if ends {
            sentences.push(text[start..end].trim());
            start = end;
        }
        first = ends;
    }
    sentences.push(text[start..].trim());
    sentences
}

/// Where a part of a text begins in it.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// Whether a sentence ends behind `chunk`; `first` is its first chunk.
fn ends_sentence(chunk: &str, next: &str, first: bool) -> bool {
    let core = chunk.trim_end_matches(['"', '\'', '”', '’', '»', ')', ']', '}']);
    let quoted = core.len() < chunk.len();
    let goes_on = next.chars().find(|c| c.is_alphanumeric()).is_some_and(char::is_lowercase);
    match core.chars().next_back() {
        // In a quotation, and in a name such as `Yahoo!`, the sentence may go on.
        Some('!' | '?' | '…') => !goes_on,
        Some('.') if core.ends_with("..") => !goes_on,
        Some('.') if quoted && goes_on => false,
        Some('.') => !is_part_of_word(&core[..core.len() - 1], next, first),
        _ => false,
    }
}

/// Whether a period behind `word` belongs to it: an initial, an abbreviation, the number of an
/// item of a list.
fn is_part_of_word(word: &str, next: &str, first: bool) -> bool {
    let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
    // `I` is the one word of a letter that ends sentences.
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let is_item = first && !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    let lower = word.to_lowercase();
    (is_initial && word != "I")
        || is_item
        || (word.contains('.') && word.split('.').all(|part| part.chars().count() <= 2))
        || ABBREVIATIONS.contains(&lower.as_str())
        || (next.starts_with(|c: char| c.is_ascii_digit())
            && BEFORE_NUMBERS.contains(&lower.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_several_sentences_is_split_at_their_ends() {
        for (text, expected) in [
            ("The dog ran. The cat slept.", &["The dog ran.", "The cat slept."][..]),
            ("the dog ran. the cat slept", &["the dog ran.", "the cat slept"]),
            ("Is it? Yes! It is…  Go on.", &["Is it?", "Yes!", "It is…", "Go on."]),
            ("\"I ran.\" He left.", &["\"I ran.\"", "He left."]),
            ("He was (so) tired.) Then he left.", &["He was (so) tired.)", "Then he left."]),
            ("So did I. Well... Now go.", &["So did I.", "Well...", "Now go."]),
            ("Why? No. I will not.", &["Why?", "No.", "I will not."]),
            ("It was 1990. Köttinn sá Ólaf.", &["It was 1990.", "Köttinn sá Ólaf."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn a_period_that_belongs_to_a_word_ends_nothing() {
        for text in [
            "Mr. Smith and Dr. J. R. Jones of the U.S. Navy met at 5 p.m. yesterday.",
            "Acme Inc. shares rose 3.5 % vs. last year.",
            "\"I ran.\" he said, and \"Why?\" she asked.",
            "1. The dog ran.",
            "See No. 3 and Fig. 4 there.",
            "well... he left",
            "Yahoo! shares fell.",
            "The dog ran",
            "",
        ] {
            assert_eq!(sentences(text), [text]);
        }
    }

    #[test]
    fn tokenised_text_stays_whole() {
        let text = "The dog ran . The cat slept .";
        assert_eq!(sentences(text), [text]);
    }
}
