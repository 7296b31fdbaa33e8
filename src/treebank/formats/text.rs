use super::super::Problem;
use super::lines::Lines;
use std::io::BufRead;
use std::sync::Arc;

/// Lines that hold a word. Words are separated by ASCII blanks only: U+00A0 belongs to a word.
#[derive(Debug)]
pub(super) struct TextReader<R>(pub Lines<R>);

impl<R: BufRead> Iterator for TextReader<R> {
    type Item = Result<Arc<str>, Problem>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.0.next()? {
                Ok(line) => match line.trim_matches(|c: char| c.is_ascii_whitespace()) {
                    "" => {}
                    sentence => return Some(Ok(sentence.into())),
                },
                Err(problem) => return Some(Err(problem)),
            }
        }
    }
}
