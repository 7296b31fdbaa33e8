//! Popups on top of the screens. A layer takes an event or passes it on.

mod choose;
mod help;
mod layer;
mod note;
mod prompt;
mod question;
mod resize;

pub use choose::{Choose, fuzzy};
pub use help::Help;
pub use layer::{Layer, LayerInput, Verdict};
pub use note::Note;
pub use prompt::Prompt;
pub use question::Question;
pub use resize::Resize;

use super::popup::Popup;

/// The layer for a popup.
pub fn layer(popup: Popup) -> Box<dyn Layer> {
    match popup {
        Popup::Question { title, text, choices, .. } => {
            Box::new(Question::new(title, text, choices))
        }
        Popup::Prompt { title, text, initial, .. } => Box::new(Prompt::new(title, text, initial)),
        Popup::List { title, items, start, .. } => Box::new(Choose::new(title, items, start)),
        Popup::Note { title, lines } => Box::new(Note::new(title, lines)),
    }
}
