use super::super::{Place, Problem};
use super::entry::Entry;
use super::lines::Lines;
use std::io::BufRead;

/// Lines that hold a word. Words are separated by ASCII blanks only: U+00A0 belongs to a word.
#[derive(Debug)]
pub(super) struct TextReader<R>(pub Lines<R>);

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<Entry, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Err(problem) = self.0.next()? {
                return Some(Err(problem));
            }
            let line = self.0.text();
            let sentence = line.trim_matches(|c: char| c.is_ascii_whitespace());
            if !sentence.is_empty() {
                let before = &line[..line.len() - line.trim_ascii_start().len()];
                let column = before.len() as u32 + 1;
                let (file, line) = (self.0.file().clone(), self.0.number());
                return Some(Ok(Entry::Text(sentence.into(), Place { file, line, column })));
            }
        }
    }
}
