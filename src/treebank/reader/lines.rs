use std::collections::VecDeque;
use std::io::BufRead;

/// Columns in characters from 1, counted onwards from the last one asked for,
/// so that many trees on one line cost no more than the line.
#[derive(Debug, Default)]
pub(super) struct ColumnMemo {
    at: usize,
    characters: u32,
}

impl ColumnMemo {
    pub fn of(&mut self, line: &[u8], at: usize) -> u32 {
        if at < self.at {
            *self = ColumnMemo::default();
        }
        let begins = |b: &&u8| **b & 0xc0 != 0x80;
        let more = line[self.at..at].iter().filter(begins).count();
        *self = ColumnMemo { at, characters: self.characters.saturating_add(more as u32) };
        self.characters + 1
    }
}

/// Lines of the input, with those kept that may have to be read once more.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    pub line: Vec<u8>,
    /// From 1; 0 before the first line.
    pub number: u32,
    /// Whether lines are kept from here on.
    pub holding: bool,
    pub held: VecDeque<(u32, Vec<u8>)>,
    again: VecDeque<(u32, Vec<u8>)>,
}

impl<R: BufRead> Lines<R> {
    pub fn new(input: R) -> Self {
        Lines {
            input,
            line: Vec::new(),
            number: 0,
            holding: false,
            held: VecDeque::new(),
            again: VecDeque::new(),
        }
    }

    /// Reads the next line, its line end included; false at the end of the input.
    pub fn advance(&mut self) -> std::io::Result<bool> {
        if self.holding {
            self.held.push_back((self.number, std::mem::take(&mut self.line)));
        }
        self.line.clear();
        if let Some((number, line)) = self.again.pop_front() {
            (self.number, self.line) = (number, line);
            return Ok(true);
        }
        if self.input.read_until(b'\n', &mut self.line)? == 0 {
            return Ok(false);
        }
        if self.number == 0 && self.line.starts_with(b"\xef\xbb\xbf") {
            self.line.drain(..3);
        }
        self.number = self.number.saturating_add(1);
        Ok(true)
    }

    pub fn replay(&mut self, lines: VecDeque<(u32, Vec<u8>)>) {
        self.again = lines;
    }
}
