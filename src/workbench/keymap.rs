//! Which keys the user gave to commands. What they are read from is in [`super::keys_file`].

use super::command::{Command, Scope};
use super::keys::Key;
use std::collections::HashMap;

/// Keys that differ from those in the table of commands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keymap {
    own: HashMap<(Scope, &'static str), Vec<String>>,
}

impl Keymap {
    /// Gives a command other keys, by their spelling; none at all is possible.
    pub fn set(&mut self, scope: Scope, command: &'static Command, keys: Vec<String>) {
        self.own.insert((scope, command.name), keys);
    }

    /// Spellings of the keys of a command, the first for the line of keys.
    pub fn keys(&self, scope: Scope, command: &'static Command) -> Vec<&str> {
        match self.own.get(&(scope, command.name)) {
            Some(keys) => keys.iter().map(String::as_str).collect(),
            None => command.keys.to_vec(),
        }
    }

    /// Whether the user gave it keys.
    pub fn is_own(&self, scope: Scope, command: &'static Command) -> bool {
        self.own.contains_key(&(scope, command.name))
    }

    /// Whether a key stands for a command.
    pub fn has(&self, scope: Scope, command: &'static Command, key: Key) -> bool {
        self.keys(scope, command).into_iter().any(|spelling| Key::parse(spelling) == Some(key))
    }
}
