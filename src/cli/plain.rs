//! Text for people: control characters of treebanks, paths and messages never reach the terminal.

use std::borrow::Cow;
use std::io::{self, Write};

/// Stands for a control character.
const SHOWN: char = '\u{fffd}';

fn is_unsafe(c: char) -> bool {
    // Also what turns the direction of the text around it.
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with every control character replaced; line ends and tabs stay.
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.contains(is_unsafe) {
        text.replace(is_unsafe, SHOWN.encode_utf8(&mut [0; 4])).into()
    } else {
        text.into()
    }
}

/// A line on standard error. That nobody reads it is no reason to end.
pub fn tell(line: &str) {
    let _ = writeln!(io::stderr(), "{}", clean(line));
}

/// Cleans what is written to it; for everything but JSON, which escapes by itself.
pub struct Plain<W> {
    to: W,
    /// Beginning of a character whose other bytes are still to come.
    rest: Vec<u8>,
}

impl<W: Write> Plain<W> {
    pub fn new(to: W) -> Plain<W> {
        Plain { to, rest: Vec::new() }
    }
}

impl<W: Write> Write for Plain<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.rest.extend_from_slice(bytes);
        let whole = match std::str::from_utf8(&self.rest) {
            Ok(_) => self.rest.len(),
            Err(e) if e.error_len().is_none() => e.valid_up_to(),
            // No text at all: each stray byte is shown as what it is, a fault.
            Err(_) => self.rest.len(),
        };
        let text = String::from_utf8_lossy(&self.rest[..whole]);
        self.to.write_all(clean(&text).as_bytes())?;
        self.rest.drain(..whole);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_replaced_and_all_other_text_stays() {
        let text = "a\tb\u{1b}[2J\u{9b}31m\u{7f}\r\u{202e}é 日本 10\u{a0}000\n";
        let expected = "a\tb\u{fffd}[2J\u{fffd}31m\u{fffd}\u{fffd}\u{fffd}é 日本 10\u{a0}000\n";
        assert_eq!(clean(text), expected);
        // However the bytes arrive.
        for size in 1..7 {
            let mut to = Vec::new();
            let mut plain = Plain::new(&mut to);
            for part in text.as_bytes().chunks(size) {
                plain.write_all(part).expect("a vector takes all");
            }
            assert_eq!(String::from_utf8(to).expect("text"), expected, "{size}");
        }
    }
}
