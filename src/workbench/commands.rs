//! One table of commands: dispatch, the line of keys, `?`, the palette and the manual read it.

use super::command::{Command, Scope};
use super::keys::Key;
use super::names::ScreenId;
use super::screens;

/// Commands that work on every screen.
pub const GLOBAL: &[Command] = &[
    Command { name: "corpora", keys: &["1"], help: "Show the Corpora screen", short: "" },
    Command { name: "train", keys: &["2"], help: "Show the Train screen", short: "" },
    Command { name: "grammar", keys: &["3"], help: "Show the Grammar screen", short: "" },
    Command { name: "parses", keys: &["4"], help: "Show the Parses screen", short: "" },
    Command { name: "boost", keys: &["5"], help: "Show the Boost screen", short: "" },
    Command { name: "rerank", keys: &["6"], help: "Show the Rerank screen", short: "" },
    Command { name: "runs", keys: &["7"], help: "Show the Runs screen", short: "" },
    Command { name: "log", keys: &["8"], help: "Show the Log screen", short: "" },
    Command { name: "next-screen", keys: &["Tab"], help: "Show the next screen", short: "" },
    Command {
        name: "previous-screen",
        keys: &["Shift-Tab"],
        help: "Show the previous screen",
        short: "",
    },
    Command {
        name: "help",
        keys: &["?"],
        help: "Show the keys of this screen and what it says",
        short: "help",
    },
    Command { name: "palette", keys: &[":"], help: "Find a command by name", short: "find" },
    Command { name: "theme", keys: &["T"], help: "Change the theme: dark, light, mono", short: "" },
    Command {
        name: "stop-task",
        keys: &["Ctrl-x"],
        help: "Stop the loading or parsing whose progress is shown",
        short: "",
    },
    Command {
        name: "quit",
        keys: &["q", "Ctrl-c"],
        help: "Quit; asks what to do with a running training",
        short: "quit",
    },
];

/// Every command with where it works: global ones first, then screen by screen.
pub fn table() -> impl Iterator<Item = (Scope, &'static Command)> {
    let local =
        ScreenId::ALL.into_iter().flat_map(|id| screens::commands(id).map(move |c| (Some(id), c)));
    GLOBAL.iter().map(|c| (None, c)).chain(local)
}

/// The command that a key stands for on a screen; the screen's own come first.
pub fn find(screen: ScreenId, key: Key) -> Option<(Scope, &'static Command)> {
    let has = |c: &&'static Command| c.keys.iter().any(|k| Key::parse(k) == Some(key));
    screens::commands(screen)
        .find(has)
        .map(|c| (Some(screen), c))
        .or_else(|| GLOBAL.iter().find(has).map(|c| (None, c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_key_is_spelt_right_and_means_one_thing_on_a_screen() {
        for id in ScreenId::ALL {
            let mut seen: HashMap<Key, &str> = HashMap::new();
            for (_, command) in table().filter(|(s, _)| s.is_none() || *s == Some(id)) {
                assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{command:?}");
                for spelling in command.keys {
                    let key = Key::parse(spelling).unwrap_or_else(|| panic!("{command:?}"));
                    if let Some(other) = seen.insert(key, command.name) {
                        panic!("{id:?}: `{spelling}` is {other} and {}", command.name);
                    }
                }
            }
        }
    }

    #[test]
    fn names_are_unique_on_a_screen() {
        for id in ScreenId::ALL {
            let names: Vec<_> = table()
                .filter(|(s, _)| s.is_none() || *s == Some(id))
                .map(|(_, c)| c.name)
                .collect();
            for (i, name) in names.iter().enumerate() {
                assert!(!names[..i].contains(name), "{name} twice on {id:?}");
            }
        }
    }
}
