//! Popups as data: a question, a line of text, a choice from a list.

/// A popup that a screen opens; its id comes back with the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// A few choices, each with a key of its own.
    Question { id: &'static str, title: String, text: String, choices: Vec<Choice> },
    /// One line of text.
    Prompt { id: &'static str, title: String, text: String, initial: String },
    /// One of many, with a filter; `start` is selected first.
    List { id: &'static str, title: String, items: Vec<Item>, start: usize },
    /// Text to read; any key closes it.
    Note { title: String, lines: Vec<String> },
}

/// One answer to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    pub key: char,
    pub label: String,
}

impl Choice {
    pub fn new(key: char, label: impl Into<String>) -> Choice {
        Choice { key, label: label.into() }
    }
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    pub description: String,
}

/// What the user said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The key of a choice.
    Choice(char),
    /// The text of a prompt.
    Text(String),
    /// The number of the entry in the list as given.
    Item(usize),
    /// Esc.
    Cancelled,
}
