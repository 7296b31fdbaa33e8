//! What trees of every format have in common: labels that mean no phrase, what separates words,
//! and how a word or label is written so that brackets can hold it.

use std::borrow::Cow;

/// Labels that stand above the sentence proper: not phrases, so never gold spans.
pub const ROOT_LABELS: [&str; 5] = ["", "TOP", "ROOT", "S1", "VROOT"];

/// Label of the root that export and TIGER-XML imply.
pub(super) const IMPLIED_ROOT: &str = "VROOT";

/// Tag of a word that has none, for a bracket needs one to be read as a tagged word.
pub(super) const NO_TAG: &str = "X";

/// A word or label as it stands in trees of any format: one that brackets can hold.
pub(super) fn atom(text: &str) -> Cow<'_, str> {
    let breaks = |b: u8| matches!(b, b'(' | b')') || is_blank(b);
    if !text.bytes().any(breaks) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '(' => out.push_str("-LRB-"),
            ')' => out.push_str("-RRB-"),
            c if c.is_ascii() && is_blank(c as u8) => out.push('\u{a0}'),
            c => out.push(c),
        }
    }
    out.into()
}

/// What separates words.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c)
}

/// What to say of bytes that begin with one that is not UTF-8.
pub(super) fn not_utf8(bytes: &[u8]) -> String {
    let byte = bytes.first().copied().unwrap_or_default();
    let shown = match char::from(byte) {
        c if c.is_control() => String::new(),
        c => format!("; in Latin-1 it is `{c}`"),
    };
    format!(
        "the byte 0x{byte:02X} is not UTF-8{shown}: convert the file first, or read it with the \
         encoding latin-1"
    )
}
