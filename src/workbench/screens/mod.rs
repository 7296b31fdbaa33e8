//! The screens, and their parts of the table of commands.

mod boost;
mod corpora;
mod grammar;
mod log;
mod parses;
#[cfg(test)]
mod real_run_tests;
mod rerank;
mod runs;
mod train;

use super::command::Command;
use super::jump;
use super::names::ScreenId;
use super::patterns;
use super::screen::{Screen, Term};
use super::widgets::moves;

/// All screens, freshly made, in the order of the number keys.
pub fn all() -> Vec<Box<dyn Screen>> {
    vec![
        Box::new(corpora::Corpora::default()),
        Box::new(train::Train::default()),
        Box::new(grammar::Grammar::default()),
        Box::new(parses::Parses::default()),
        Box::new(boost::Boost::default()),
        Box::new(rerank::Rerank::default()),
        Box::new(runs::Runs::default()),
        Box::new(log::Log::default()),
    ]
}

/// The commands of a screen: its own ones, then those for moving about that it shares.
pub fn commands(id: ScreenId) -> impl Iterator<Item = &'static Command> {
    let lists: &[&'static [Command]] = match id {
        ScreenId::Corpora => &[
            corpora::COMMANDS,
            patterns::COMMANDS,
            jump::COMMANDS,
            moves::LIST,
            moves::SCROLL_ROWS,
            moves::SCROLL_COLUMNS,
        ],
        ScreenId::Train => &[train::COMMANDS, moves::LIST],
        ScreenId::Grammar => &[grammar::COMMANDS, moves::LIST, moves::SCROLL_ROWS],
        ScreenId::Parses => &[
            parses::COMMANDS,
            patterns::COMMANDS,
            jump::COMMANDS,
            moves::LIST,
            moves::SCROLL_ROWS,
            moves::SCROLL_COLUMNS,
        ],
        ScreenId::Boost => {
            &[boost::COMMANDS, moves::LIST, moves::SCROLL_ROWS, moves::SCROLL_COLUMNS]
        }
        ScreenId::Rerank => {
            &[rerank::COMMANDS, moves::LIST, moves::SCROLL_ROWS, moves::SCROLL_COLUMNS]
        }
        ScreenId::Runs => &[runs::COMMANDS, moves::LIST],
        ScreenId::Log => &[log::COMMANDS],
    };
    lists.iter().copied().flatten()
}

/// What the words and figures of a screen mean.
pub fn notes(id: ScreenId) -> &'static [Term] {
    match id {
        ScreenId::Corpora => corpora::NOTES,
        ScreenId::Train => train::NOTES,
        ScreenId::Grammar => grammar::NOTES,
        ScreenId::Parses => parses::NOTES,
        ScreenId::Boost => boost::NOTES,
        ScreenId::Rerank => rerank::NOTES,
        ScreenId::Runs => runs::NOTES,
        ScreenId::Log => log::NOTES,
    }
}
