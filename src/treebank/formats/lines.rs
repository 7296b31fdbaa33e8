use super::super::Problem;
use super::super::notation::not_utf8;
use std::io::BufRead;
use std::sync::Arc;

/// Lines of UTF-8 text with their numbers; what is not UTF-8 is a problem of its line.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    file: Arc<str>,
    bytes: Vec<u8>,
    /// From 1; 0 before the first line.
    number: u32,
    ended: bool,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R, file: &str) -> Lines<R> {
        Lines { input, file: file.into(), bytes: Vec::new(), number: 0, ended: false }
    }

    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    pub fn number(&self) -> u32 {
        self.number
    }

    /// A problem of the present line; `at` is a place in its bytes.
    pub fn problem(&self, at: usize, kind: &'static str, message: impl Into<String>) -> Problem {
        let before = &self.bytes[..at.min(self.bytes.len())];
        let column = before.iter().filter(|b| **b & 0xc0 != 0x80).count() as u32 + 1;
        let (file, line) = (self.file.clone(), self.number.max(1));
        Problem { file, line, column, kind, message: message.into() }
    }

    /// The next line without its end, or `None` at the end of the file.
    pub fn next(&mut self) -> Option<Result<&str, Problem>> {
        if self.ended {
            return None;
        }
        self.bytes.clear();
        match self.input.read_until(b'\n', &mut self.bytes) {
            Ok(0) => {
                self.ended = true;
                return None;
            }
            Ok(_) => {}
            Err(e) => {
                self.ended = true;
                self.number = self.number.saturating_add(1);
                self.bytes.clear();
                return Some(Err(self.problem(0, "unreadable", format!("reading stopped: {e}"))));
            }
        }
        if self.number == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.bytes.drain(..3);
        }
        self.number = self.number.saturating_add(1);
        while self.bytes.last().is_some_and(|b| matches!(b, b'\n' | b'\r')) {
            self.bytes.pop();
        }
        if let Err(e) = std::str::from_utf8(&self.bytes) {
            let at = e.valid_up_to();
            return Some(Err(self.problem(at, "not-utf8", not_utf8(&self.bytes[at..]))));
        }
        Some(Ok(self.text()))
    }

    /// The present line.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }
}
