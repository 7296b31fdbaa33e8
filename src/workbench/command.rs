//! What a command is; [`super::commands`] is the table of all of them.

use super::names::ScreenId;

/// Something a user can ask for.
#[derive(Debug, PartialEq, Eq)]
pub struct Command {
    /// Stable and readable, e.g. `checkpoint-now`; what `update` gets and the palette shows.
    pub name: &'static str,
    /// Spellings of [`super::keys::Key::parse`]; the first is shown in the line of keys.
    pub keys: &'static [&'static str],
    /// What it does, as a sentence without a full stop.
    pub help: &'static str,
    /// One or two words for the line of keys; empty: not shown there.
    pub short: &'static str,
}

/// Where a command works; `None` everywhere.
pub type Scope = Option<ScreenId>;
