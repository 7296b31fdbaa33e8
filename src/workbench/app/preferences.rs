//! What the user prefers: keys, settings, and how things were shown at the last start.

use super::App;
use crate::report::Level;
use crate::workbench::keymap::Keymap;
use crate::workbench::keys_file;
use crate::workbench::memory::{self, Choices, Keeper, Memory};
use crate::workbench::names::ScreenId;
use crate::workbench::screen::Screen;
use crate::workbench::settings::{self, Settings};
use crate::workbench::start::UserData;
use crate::workbench::theme::{Surroundings, ThemeName};
use crate::workbench::{commands, hints};
use std::path::PathBuf;

/// All that the user's files say, and what is wrong with them.
#[derive(Debug)]
pub struct Preferences {
    keymap: Keymap,
    settings: Settings,
    memory: Memory,
    /// Where to write what is to be remembered; `None` where that must not be.
    state: Option<PathBuf>,
    problems: Vec<String>,
}

impl Preferences {
    /// Reads the user's files; what cannot be read is a problem and no failure.
    pub fn read(data: &UserData) -> Preferences {
        let mut problems = Vec::new();
        let keys = data.keys_file().map(|path| keys_file::read(&path)).unwrap_or_default();
        problems.extend(keys.problems);
        let settings = data.settings_file().map(|path| settings::read(&path));
        let (settings, said) = settings.unwrap_or_default();
        problems.extend(said);
        let state = data.state_file();
        let remembered = state.as_deref().map(memory::read).unwrap_or_default();
        problems.extend(remembered.note);
        Preferences {
            keymap: keys.keymap,
            settings,
            memory: remembered.memory,
            state: state.filter(|_| remembered.writable),
            problems,
        }
    }

    /// The theme to begin with.
    pub fn theme(&self, flag: Option<ThemeName>, surroundings: Surroundings) -> ThemeName {
        ThemeName::chosen(flag, self.settings.theme, self.memory.theme, surroundings)
    }
}

impl App {
    /// Takes up what the user prefers, and remembers what is chosen from now on.
    pub fn equip(&mut self, user: Preferences) {
        let Preferences { keymap, settings, memory, state, problems } = user;
        self.shared.keymap = keymap;
        self.take_mouse(settings.mouse.or(memory.mouse).unwrap_or(true));
        self.shared.panes = memory.panes.clone();
        for screen in &mut self.screens {
            for (name, value) in memory.choices.get(&key(screen.id())).into_iter().flatten() {
                screen.recall(name, value);
            }
        }
        if let Some(screen) = memory.screen {
            self.active = screen;
        }
        (self.memory, self.kept) = (memory.clone(), memory);
        if let Some(path) = state {
            match Keeper::spawn(path, self.messages.clone()) {
                Ok(keeper) => self.keeper = Some(keeper),
                Err(error) => self.fail(format!("no thread to remember things: {error}")),
            }
        }
        for problem in &problems {
            self.log(Level::Warning, "workbench", problem);
        }
        self.status = problems.first().map(|problem| {
            // The log has the whole path.
            let mut text = without_folder(problem).to_owned();
            if problems.len() > 1 {
                text.push_str(&format!(" (and {} more in the log)", problems.len() - 1));
            }
            (Level::Warning, text)
        });
    }

    /// A text with keys in place of the commands that it names, see [`hints`].
    pub(super) fn say(&self, text: &str) -> String {
        hints::told(text, &self.shared.keymap).into_owned()
    }

    /// The key of a global command; a command without one has its name.
    pub(super) fn key_of(&self, name: &str) -> String {
        match commands::global(name) {
            Some(command) => hints::key(None, command, &self.shared.keymap),
            None => name.to_owned(),
        }
    }

    /// Has what the user chose written, where it differs from what was.
    pub(super) fn remember(&mut self) {
        let Some(keeper) = &self.keeper else { return };
        let chosen = |screen: &dyn Screen| -> Choices {
            screen.choices().into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        };
        self.memory.screen = Some(self.active);
        self.memory.panes = self.shared.panes.clone();
        self.memory.choices = self.screens.iter().map(|s| (key(s.id()), chosen(&**s))).collect();
        if self.memory != self.kept {
            self.kept = self.memory.clone();
            keeper.keep(self.memory.clone());
        }
    }
}

/// What is wrong with a file, the folder before its name left away.
fn without_folder(problem: &str) -> &str {
    let path = problem.split(".toml").next().unwrap_or_default();
    let folder = path.rfind(std::path::MAIN_SEPARATOR).map_or(0, |at| at + 1);
    &problem[folder..]
}

/// A screen's name in the file.
fn key(screen: ScreenId) -> String {
    screen.title().to_lowercase()
}
