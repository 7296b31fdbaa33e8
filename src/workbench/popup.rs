//! Popups as data: a question, a line of text, a choice from a list, a file.

use std::path::PathBuf;

/// A popup that a screen opens; its id comes back with the answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Popup {
    /// A few choices, each with a key of its own.
    Question { id: &'static str, title: String, text: String, choices: Vec<Choice> },
    /// One line of text.
    Prompt { id: &'static str, title: String, text: String, initial: String },
    /// One of many, with a filter; `start` is selected first. Where `free`, the last entry takes what
    /// is typed if no other one matches it, and is then answered with the text.
    List { id: &'static str, title: String, items: Vec<Item>, start: usize, free: bool },
    /// A file or folder; `wanted` says which ones are meant.
    Files {
        id: &'static str,
        title: String,
        wanted: Wanted,
        /// A first entry that stands for no file, answered with an empty text.
        instead: Option<&'static str>,
        /// A path to begin with.
        initial: String,
    },
    /// Text to read; any key closes it.
    Note { title: String, lines: Vec<String> },
}

/// What kind of file is looked for. Others are listed too, in a dim colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Whatever the workbench can show.
    Anything,
    /// Candidate lists and rerankers.
    Lists,
    /// Settings of a training.
    Config,
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
    /// A file or folder.
    File(PathBuf),
    /// The number of the entry in the list as given.
    Item(usize),
    /// Esc.
    Cancelled,
}
