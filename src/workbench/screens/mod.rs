//! The screens, and their parts of the table of commands.

mod corpora;
mod grammar;
mod log;
mod parses;
#[cfg(test)]
mod real_run_tests;
mod runs;
mod train;

use super::commands::Command;
use super::screen::{Screen, ScreenId};

/// All screens, freshly made, in the order of the number keys.
pub fn all() -> Vec<Box<dyn Screen>> {
    vec![
        Box::new(corpora::Corpora::default()),
        Box::new(train::Train::default()),
        Box::new(grammar::Grammar::default()),
        Box::new(parses::Parses::default()),
        Box::new(runs::Runs::default()),
        Box::new(log::Log::default()),
    ]
}

/// The commands of a screen.
pub fn commands(id: ScreenId) -> &'static [Command] {
    match id {
        ScreenId::Corpora => corpora::COMMANDS,
        ScreenId::Train => train::COMMANDS,
        ScreenId::Grammar => grammar::COMMANDS,
        ScreenId::Parses => parses::COMMANDS,
        ScreenId::Runs => runs::COMMANDS,
        ScreenId::Log => log::COMMANDS,
    }
}
