//! Which keys the user gave to commands. What they are read from is in [`super::keys_file`].

use super::command::{Command, Scope};
use super::keys::Key;
use std::collections::HashMap;

/// Finds a command in the table by where it works and its name.
pub type Named = fn(Scope, &str) -> Option<&'static Command>;

/// Keys that differ from those in the table of commands.
#[derive(Clone, Debug)]
pub struct Keymap {
    named: Named,
    own: HashMap<(Scope, &'static str), Vec<String>>,
}

/// Without a table: texts that name commands stay as they are.
impl Default for Keymap {
    fn default() -> Keymap {
        Keymap::of(|_, _| None)
    }
}

impl Keymap {
    /// For a table; [`super::commands::keymap`] is the one of the workbench.
    pub fn of(named: Named) -> Keymap {
        Keymap { named, own: HashMap::new() }
    }

    /// The command of that name.
    pub fn command(&self, scope: Scope, name: &str) -> Option<&'static Command> {
        (self.named)(scope, name)
    }

    /// Whether the user has all keys that the other has, and no others.
    pub fn has_keys_of(&self, other: &Keymap) -> bool {
        self.own == other.own
    }

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
