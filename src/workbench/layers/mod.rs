//! Popups on top of the screens. A layer takes an event or passes it on.

mod choose;
mod files;
mod help;
mod layer;
mod note;
mod prompt;
mod question;
mod resize;

pub use choose::{Choose, fuzzy};
pub use files::{CHECK as FILE_CHECK, Files, TASK as FILES};
pub use help::Help;
pub use layer::{Layer, LayerInput, Verdict};
pub use note::Note;
pub use prompt::Prompt;
pub use question::Question;
pub use resize::Resize;

use super::memory::Recent;
use super::popup::Popup;
use std::path::PathBuf;

/// The layer for a popup; files that were opened before are offered where one is asked for.
pub fn layer(popup: Popup, recent: &[Recent]) -> Box<dyn Layer> {
    match popup {
        Popup::Question { title, text, choices, .. } => {
            Box::new(Question::new(title, text, choices))
        }
        Popup::Prompt { title, text, initial, .. } => Box::new(Prompt::new(title, text, initial)),
        Popup::List { title, items, start, free, .. } => {
            Box::new(Choose::new(title, items, start).free(free))
        }
        Popup::Files { title, wanted, instead, initial, .. } => {
            let base = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
            let home = directories::BaseDirs::new().map(|dirs| dirs.home_dir().to_owned());
            let files = Files::new(title, wanted, instead, recent.to_vec(), (base, home));
            Box::new(files.beginning_with(initial))
        }
        Popup::Note { title, lines } => Box::new(Note::new(title, lines)),
    }
}
