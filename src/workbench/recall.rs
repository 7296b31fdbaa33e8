//! A line that sentences or patterns are typed in, with those typed before.

use super::field::Field;
use crossterm::event::{KeyCode, KeyEvent};

/// Texts that are remembered.
const REMEMBERED: usize = 200;

/// Keys of the line, for the bar.
pub const KEYS: &[(&str, &str)] =
    &[("Enter", "accept"), ("Up", ""), ("Down", "typed before"), ("Esc", "leave the field")];

/// A field that keeps what stands in it until it is accepted, and brings back what was.
#[derive(Default)]
pub struct RecallLine {
    pub field: Field,
    /// Accepted texts, oldest first, none twice in a row.
    before: Vec<String>,
    /// While one walks through them: each as it was left, and at the end the text that was being
    /// typed. Empty before the first step.
    walked: Vec<String>,
    at: usize,
}

impl RecallLine {
    /// Takes a key: Up and Down walk, the others edit.
    pub fn key(&mut self, key: &KeyEvent) {
        match key.code {
            KeyCode::Up => self.walk(self.at().saturating_sub(1)),
            KeyCode::Down => self.walk(self.at() + 1),
            _ => self.field.key(key),
        }
    }

    /// Whether there is a text to bring back.
    pub fn remembers(&self) -> bool {
        !self.before.is_empty()
    }

    /// Takes the text out of the field and remembers it.
    pub fn accept(&mut self) -> String {
        let text = self.field.text().to_owned();
        if !text.trim().is_empty() && self.before.last() != Some(&text) {
            self.before.push(text.clone());
        }
        let surplus = self.before.len().saturating_sub(REMEMBERED);
        self.before.drain(..surplus);
        self.walked.clear();
        self.field.clear();
        text
    }

    fn at(&self) -> usize {
        if self.walked.is_empty() { self.before.len() } else { self.at }
    }

    /// Puts another text into the field and keeps the one that stands there.
    fn walk(&mut self, to: usize) {
        let from = self.at();
        if self.walked.is_empty() {
            self.walked = self.before.clone();
            self.walked.push(String::new());
        }
        self.walked[from] = self.field.text().to_owned();
        self.at = to.min(self.before.len());
        self.field = Field::new(self.walked[self.at].clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(line: &mut RecallLine, codes: &[KeyCode]) -> String {
        codes.iter().for_each(|code| line.key(&KeyEvent::from(*code)));
        line.field.text().to_owned()
    }

    fn accept(line: &mut RecallLine, text: &str) {
        line.field = Field::new(text);
        assert_eq!(line.accept(), text);
    }

    #[test]
    fn sentences_typed_before_come_back_and_the_unfinished_one_too() {
        use KeyCode::{Down, Up};
        let mut line = RecallLine::default();
        assert_eq!(press(&mut line, &[Up, Down]), "", "there are none");
        for text in ["a dog", "a cat", "a cat"] {
            accept(&mut line, text);
        }
        line.field.paste("a bi");
        assert_eq!(press(&mut line, &[Up]), "a cat");
        assert_eq!(press(&mut line, &[Up, Up]), "a dog", "it ends at the first");
        assert_eq!(press(&mut line, &[Down, Down, Down]), "a bi");
    }

    #[test]
    fn what_is_changed_on_the_way_is_kept_and_the_sentence_typed_before_as_well() {
        use KeyCode::{Char, Down, Up};
        let mut line = RecallLine::default();
        accept(&mut line, "a dog");
        assert_eq!(press(&mut line, &[Up, Char('s')]), "a dogs");
        assert_eq!(press(&mut line, &[Down, Up]), "a dogs");
        assert_eq!(line.accept(), "a dogs");
        assert!(line.field.is_empty());
        assert_eq!(press(&mut line, &[Up]), "a dogs");
        assert_eq!(press(&mut line, &[Up]), "a dog");
    }

    #[test]
    fn blanks_are_not_remembered() {
        let mut line = RecallLine::default();
        accept(&mut line, "  ");
        assert!(!line.remembers() && line.field.is_empty());
        accept(&mut line, "a dog");
        assert!(line.remembers());
    }

    #[test]
    fn the_oldest_are_forgotten_in_the_end() {
        let mut line = RecallLine::default();
        (0..REMEMBERED + 5).for_each(|i| accept(&mut line, &format!("sentence {i}")));
        for _ in 0..REMEMBERED + 5 {
            press(&mut line, &[KeyCode::Up]);
        }
        assert_eq!(line.field.text(), "sentence 5");
    }
}
