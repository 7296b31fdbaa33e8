//! One table of commands: dispatch, the line of keys, `?`, the palette and the manual read it.

use super::command::{Command, Scope};
use super::keymap::Keymap;
use super::keys::Key;
use super::names::ScreenId;
use super::screens;

/// The key that leaves a text field, a popup or the workbench, whatever keys commands have.
pub const INTERRUPT: &str = "Ctrl-c";

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
    Command {
        name: "open-file",
        keys: &["Ctrl-o"],
        help: "Open a treebank, run, checkpoint or candidate list",
        short: "",
    },
    Command {
        name: "theme",
        keys: &["T"],
        help: "Change the theme: dark, light, both for any colour vision, mono",
        short: "",
    },
    Command {
        name: "resize",
        keys: &["Ctrl-w"],
        help: "Move the borders between panes; the mouse drags them",
        short: "",
    },
    Command {
        name: "mouse",
        keys: &["M"],
        help: "Give the mouse back to the terminal, to select text there, or take it again",
        short: "",
    },
    Command {
        name: "stop-task",
        keys: &["Ctrl-x"],
        help: "Stop the loading or parsing whose progress is shown",
        short: "",
    },
    Command {
        name: "quit",
        keys: &["q", INTERRUPT],
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

/// The commands that work on a screen: its own, then the global ones.
pub fn on(screen: ScreenId) -> impl Iterator<Item = (Scope, &'static Command)> {
    let local = screens::commands(screen).map(move |c| (Some(screen), c));
    local.chain(GLOBAL.iter().map(|c| (None, c)))
}

/// The command that a key stands for on a screen; the screen's own come first.
pub fn find(keymap: &Keymap, screen: ScreenId, key: Key) -> Option<(Scope, &'static Command)> {
    on(screen).find(|(scope, command)| keymap.has(*scope, command, key))
}

/// Keys as they are where the user gave none.
pub fn keymap() -> Keymap {
    Keymap::of(|scope, name| match scope {
        None => global(name),
        Some(screen) => screens::commands(screen).find(|command| command.name == name),
    })
}

/// The global command of that name.
pub fn global(name: &str) -> Option<&'static Command> {
    GLOBAL.iter().find(|command| command.name == name)
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
