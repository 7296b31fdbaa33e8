use std::collections::{HashMap, HashSet};
use std::fmt;

/// Labels and words are bytes: the scorer compares them as they stand in the file.
type Text = Box<[u8]>;

/// What counts and what is equal: a parameter file of the classic scorer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Scoring stops at error number `max_error + 2`.
    pub max_error: i64,
    /// The second block of figures covers sentences of at most so many words.
    pub cutoff_length: i64,
    /// Compare labels, not spans alone.
    pub labelled: bool,
    deleted: HashSet<Text>,
    deleted_for_length: HashSet<Text>,
    quotes: HashSet<Text>,
    equal_labels: Pairs,
    equal_words: Pairs,
    /// The line that asks for the classic scorer's debugging output.
    debug_line: Option<usize>,
}

/// A parameter file that cannot be used, with every line that is wrong.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{}", told(.0))]
pub struct ParameterError(pub Vec<LineError>);

/// One line of a parameter file, counted from 1, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

/// Unordered pairs of texts that are equal. The relation does not chain: with the pairs (a, b)
/// and (b, c), a and c still differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Pairs(HashMap<Text, Vec<Text>>);

impl Pairs {
    fn add(&mut self, a: &[u8], b: &[u8]) {
        for (from, to) in [(a, b), (b, a)] {
            self.0.entry(from.into()).or_default().push(to.into());
        }
    }

    fn of<'a>(&'a self, text: &[u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.0.get(text).into_iter().flatten().map(|t| &**t)
    }

    fn equal(&self, a: &[u8], b: &[u8]) -> bool {
        a == b || self.of(a).any(|other| other == b)
    }
}

impl Default for Parameters {
    /// The usual scoring of the Penn Treebank, `assets/evalb/default.prm`.
    fn default() -> Self {
        Parameters::parse(include_bytes!("../../../assets/evalb/default.prm"))
            .expect("the bundled parameters are right")
    }
}

impl Parameters {
    /// Nothing deleted, nothing equal: what an empty parameter file means.
    fn bare() -> Parameters {
        Parameters {
            max_error: 10,
            cutoff_length: 40,
            labelled: true,
            deleted: HashSet::new(),
            deleted_for_length: HashSet::new(),
            quotes: HashSet::new(),
            equal_labels: Pairs::default(),
            equal_words: Pairs::default(),
            debug_line: None,
        }
    }

    /// Reads a parameter file: `NAME VALUE` a line, comments behind `#` at its start.
    pub fn parse(text: &[u8]) -> Result<Parameters, ParameterError> {
        let mut parameters = Parameters::bare();
        let mut wrong = Vec::new();
        for (i, line) in text.split(|&b| b == b'\n').enumerate() {
            let line = line.trim_ascii();
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            if let Err(message) = parameters.set(line, i + 1) {
                wrong.push(LineError { line: i + 1, message });
            }
        }
        if wrong.is_empty() { Ok(parameters) } else { Err(ParameterError(wrong)) }
    }

    fn set(&mut self, line: &[u8], number: usize) -> Result<(), String> {
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        let (name, value) = (&line[..end], line[end..].trim_ascii());
        let shown = String::from_utf8_lossy(name);
        let list = match name {
            b"DEBUG" => {
                self.debug_line = (whole(&shown, value)? != 0).then_some(number);
                return Ok(());
            }
            b"MAX_ERROR" => {
                self.max_error = whole(&shown, value)?;
                return Ok(());
            }
            b"CUTOFF_LEN" => {
                self.cutoff_length = whole(&shown, value)?;
                return Ok(());
            }
            b"LABELED" => {
                self.labelled = match whole(&shown, value)? {
                    0 => false,
                    1 => true,
                    other => return Err(format!("LABELED is 0 or 1, not {other}")),
                };
                return Ok(());
            }
            b"EQ_LABEL" | b"EQ_WORD" => {
                let mut parts =
                    value.split(u8::is_ascii_whitespace).filter(|part| !part.is_empty());
                let (Some(a), Some(b), None) = (parts.next(), parts.next(), parts.next()) else {
                    return Err(format!("{shown} takes two values"));
                };
                let pairs = match name {
                    b"EQ_LABEL" => &mut self.equal_labels,
                    _ => &mut self.equal_words,
                };
                pairs.add(a, b);
                return Ok(());
            }
            b"DELETE_LABEL" => &mut self.deleted,
            b"DELETE_LABEL_FOR_LENGTH" => &mut self.deleted_for_length,
            b"QUOTE_LABEL" => &mut self.quotes,
            _ => return Err(format!("there is no parameter {shown}{}", nearest(&shown))),
        };
        if value.is_empty() {
            return Err(format!("{shown} has no value"));
        }
        list.insert(value.into());
        Ok(())
    }

    /// Line of the file that asks for debugging output, which is not printed here.
    pub fn debug_line(&self) -> Option<usize> {
        self.debug_line
    }

    /// Whether a word with this tag is dropped.
    pub(super) fn deletes_tag(&self, tag: &[u8]) -> bool {
        self.deleted.contains(tag)
    }

    /// Whether a phrase with this label, already cut, loses its bracket.
    pub(super) fn deletes_label(&self, label: &[u8]) -> bool {
        self.deleted.contains(label)
            || self.equal_labels.of(label).any(|other| self.deleted.contains(other))
    }

    pub(super) fn counts_in_length(&self, tag: &[u8]) -> bool {
        !self.deleted_for_length.contains(tag)
    }

    /// Whether the word is one that may be put back where one side deleted it.
    pub(super) fn is_quote(&self, tag: &[u8], word: &[u8]) -> bool {
        matches!(word, b"'" | b"\"" | b"/") && self.quotes.contains(tag)
    }

    pub(super) fn equal_words(&self, a: &[u8], b: &[u8]) -> bool {
        self.equal_words.equal(a, b)
    }

    pub(super) fn equal_labels(&self, a: &[u8], b: &[u8]) -> bool {
        self.equal_labels.equal(a, b)
    }

    /// The other labels that are made equal to this one.
    pub(super) fn labels_equal_to<'a>(
        &'a self,
        label: &[u8],
    ) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.equal_labels.of(label)
    }
}

fn whole(name: &str, value: &[u8]) -> Result<i64, String> {
    let text = String::from_utf8_lossy(value);
    text.parse().map_err(|_| format!("{name} takes a whole number, not `{text}`"))
}

fn nearest(name: &str) -> String {
    const NAMES: [&str; 9] = [
        "DEBUG",
        "MAX_ERROR",
        "CUTOFF_LEN",
        "LABELED",
        "DELETE_LABEL",
        "DELETE_LABEL_FOR_LENGTH",
        "QUOTE_LABEL",
        "EQ_LABEL",
        "EQ_WORD",
    ];
    let upper = name.to_uppercase();
    let close = NAMES.into_iter().min_by_key(|known| strsim::levenshtein(&upper, known));
    match close {
        Some(known) if strsim::levenshtein(&upper, known) <= 3 => format!("; is {known} meant?"),
        _ => String::new(),
    }
}

/// The first wrong lines and how many more there are, without what a terminal would obey.
fn told(wrong: &[LineError]) -> String {
    const SHOWN: usize = 3;
    const LONGEST: usize = 80;
    let line = |error: &LineError| {
        let plain = |c: char| if c.is_control() { '\u{fffd}' } else { c };
        error.to_string().chars().take(LONGEST).map(plain).collect::<String>()
    };
    let mut parts: Vec<String> = wrong.iter().take(SHOWN).map(line).collect();
    if wrong.len() > SHOWN {
        parts.push(format!("and {} more: is it a parameter file?", wrong.len() - SHOWN));
    }
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bundled_set_deletes_what_the_penn_treebank_scoring_deletes() {
        let parameters = Parameters::default();
        assert_eq!((parameters.max_error, parameters.cutoff_length), (10, 40));
        assert!(parameters.labelled && parameters.debug_line().is_none());
        for tag in ["TOP", "-NONE-", ",", ":", "``", "''", "."] {
            assert!(parameters.deletes_tag(tag.as_bytes()), "{tag}");
        }
        assert!(!parameters.deletes_tag(b"?") && !parameters.deletes_tag(b"S"));
        assert!(parameters.equal_labels(b"PRT", b"ADVP"));
        assert!(parameters.counts_in_length(b",") && !parameters.counts_in_length(b"-NONE-"));
    }

    #[test]
    fn a_file_of_something_else_is_told_in_a_line_that_no_terminal_obeys() {
        let text = "\u{1b}[2J \u{7}\n".repeat(500);
        let error = Parameters::parse(text.as_bytes()).unwrap_err().to_string();
        assert!(error.ends_with("and 497 more: is it a parameter file?"), "{error}");
        assert!(!error.contains(char::is_control) && error.len() < 300, "{error}");
    }

    #[test]
    fn every_wrong_line_is_told_by_its_number() {
        let text = b"DELET_LABEL X\n# fine\nMAX_ERROR many\n\nEQ_LABEL A\r\nLABELED 2\nQUOTE_LABEL\nCOLOUR 1\n";
        let ParameterError(wrong) = Parameters::parse(text).unwrap_err();
        let told: Vec<_> = wrong.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "line 1: there is no parameter DELET_LABEL; is DELETE_LABEL meant?",
                "line 3: MAX_ERROR takes a whole number, not `many`",
                "line 5: EQ_LABEL takes two values",
                "line 6: LABELED is 0 or 1, not 2",
                "line 7: QUOTE_LABEL has no value",
                "line 8: there is no parameter COLOUR",
            ]
        );
    }

    #[test]
    fn equal_labels_do_not_chain_but_delete_each_other() {
        let parameters = Parameters::parse(b"EQ_LABEL A B\nEQ_LABEL B C\nDELETE_LABEL C\nDEBUG 1")
            .expect("right");
        assert!(parameters.equal_labels(b"A", b"B") && parameters.equal_labels(b"C", b"B"));
        assert!(!parameters.equal_labels(b"A", b"C"));
        assert!(parameters.deletes_label(b"B") && !parameters.deletes_label(b"A"));
        assert!(!parameters.deletes_tag(b"B"), "tags are compared as they stand");
        assert_eq!(parameters.debug_line(), Some(4));
    }
}
