//! Keys as users write them: `p`, `G`, `Tab`, `Shift-Tab`, `Ctrl-c`, `Left`, `Space`.
//!
//! One spelling serves dispatch, help, the palette and the manual.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key as a terminal reports it; capitals and symbols carry no Shift.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

impl Key {
    /// Reads a spelling; `None` if it names no key.
    pub fn parse(spelling: &str) -> Option<Key> {
        let mut modifiers = KeyModifiers::NONE;
        let mut rest = spelling;
        loop {
            let (modifier, tail) = if let Some(tail) = rest.strip_prefix("Ctrl-") {
                (KeyModifiers::CONTROL, tail)
            } else if let Some(tail) = rest.strip_prefix("Alt-") {
                (KeyModifiers::ALT, tail)
            } else if let Some(tail) = rest.strip_prefix("Shift-") {
                (KeyModifiers::SHIFT, tail)
            } else {
                break;
            };
            modifiers |= modifier;
            rest = tail;
        }
        let code = match rest {
            "Tab" if modifiers == KeyModifiers::SHIFT => KeyCode::BackTab,
            "Tab" => KeyCode::Tab,
            "Enter" => KeyCode::Enter,
            "Esc" => KeyCode::Esc,
            "Space" => KeyCode::Char(' '),
            "Backspace" => KeyCode::Backspace,
            "Delete" => KeyCode::Delete,
            "Left" => KeyCode::Left,
            "Right" => KeyCode::Right,
            "Up" => KeyCode::Up,
            "Down" => KeyCode::Down,
            "Home" => KeyCode::Home,
            "End" => KeyCode::End,
            "PageUp" => KeyCode::PageUp,
            "PageDown" => KeyCode::PageDown,
            "Insert" => KeyCode::Insert,
            _ => {
                let mut chars = rest.chars();
                match (chars.next(), chars.next()) {
                    (Some(c), None) => KeyCode::Char(c),
                    _ => KeyCode::F(function(rest)?),
                }
            }
        };
        Some(Key::normal(code, modifiers))
    }

    /// The key of a terminal event.
    pub fn of(event: &KeyEvent) -> Key {
        Key::normal(event.code, event.modifiers)
    }

    /// Whether a text field takes it for a character.
    pub fn is_text(self) -> bool {
        let held = KeyModifiers::CONTROL | KeyModifiers::ALT;
        matches!(self.code, KeyCode::Char(_)) && !self.modifiers.intersects(held)
    }

    /// The event that a terminal would report it by.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Terminals differ in whether they report Shift with a capital, a symbol or `BackTab`.
    fn normal(code: KeyCode, modifiers: KeyModifiers) -> Key {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        let mut modifiers = modifiers & known;
        let code = match code {
            KeyCode::Char(c) if modifiers.contains(KeyModifiers::CONTROL) => {
                KeyCode::Char(c.to_ascii_lowercase())
            }
            code => code,
        };
        if matches!(code, KeyCode::Char(_) | KeyCode::BackTab) {
            modifiers -= KeyModifiers::SHIFT;
        }
        Key { code, modifiers }
    }
}

/// The number of a function key from `F1` to `F12`.
fn function(spelling: &str) -> Option<u8> {
    let number = spelling.strip_prefix('F')?.parse().ok()?;
    (1..=12).contains(&number).then_some(number)
}

/// A spelling as shown: arrows where the terminal has them.
pub fn shown(spelling: &str, unicode: bool) -> String {
    if !unicode {
        return spelling.to_owned();
    }
    let mut text = spelling.to_owned();
    for (name, symbol) in
        [("Left", "←"), ("Right", "→"), ("Up", "↑"), ("Down", "↓"), ("Enter", "⏎"), ("Tab", "⇥")]
    {
        if text == name || text.ends_with(&format!("-{name}")) {
            text = text.replace(name, symbol);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(code: KeyCode, modifiers: KeyModifiers) -> Key {
        Key::of(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn spellings_name_the_keys_that_terminals_report() {
        for (spelling, code, modifiers) in [
            ("p", KeyCode::Char('p'), KeyModifiers::NONE),
            ("G", KeyCode::Char('G'), KeyModifiers::SHIFT),
            ("G", KeyCode::Char('G'), KeyModifiers::NONE),
            ("?", KeyCode::Char('?'), KeyModifiers::SHIFT),
            ("Ctrl-c", KeyCode::Char('c'), KeyModifiers::CONTROL),
            ("Ctrl-c", KeyCode::Char('C'), KeyModifiers::CONTROL),
            ("Shift-Tab", KeyCode::BackTab, KeyModifiers::SHIFT),
            ("Shift-Left", KeyCode::Left, KeyModifiers::SHIFT),
            ("Space", KeyCode::Char(' '), KeyModifiers::NONE),
            ("F", KeyCode::Char('F'), KeyModifiers::SHIFT),
            ("F10", KeyCode::F(10), KeyModifiers::NONE),
            ("-", KeyCode::Char('-'), KeyModifiers::NONE),
        ] {
            assert_eq!(Key::parse(spelling), Some(event(code, modifiers)), "{spelling}");
        }
        assert_eq!((Key::parse("Hyper"), Key::parse("F13"), Key::parse("F0")), (None, None, None));
        assert_eq!(Key::parse(""), None);
    }
}
