//! A line of text being typed, for prompts, filters and search.

use super::theme::Theme;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use tui_input::{Input, InputRequest};

/// Longest text taken from a paste, in characters.
const PASTE_LIMIT: usize = 10_000;

/// A line of text with a cursor; readline keys work.
#[derive(Clone, Debug, Default)]
pub struct Field {
    input: Input,
}

impl Field {
    pub fn new(text: impl Into<String>) -> Field {
        Field { input: Input::new(text.into()) }
    }

    pub fn text(&self) -> &str {
        self.input.value()
    }

    pub fn is_empty(&self) -> bool {
        self.text().is_empty()
    }

    pub fn clear(&mut self) {
        self.input.reset();
    }

    /// Takes a key; keys that edit nothing are ignored.
    pub fn key(&mut self, key: &KeyEvent) {
        if let Some(request) = request(key) {
            self.input.handle(request);
        }
    }

    /// Inserts pasted text at the cursor; line breaks become blanks.
    pub fn paste(&mut self, text: &str) {
        for c in super::text::clean(text).chars().take(PASTE_LIMIT) {
            self.input.handle(InputRequest::InsertChar(c));
        }
    }

    /// Draws a mark, the text scrolled to the cursor, and the cursor if it has the keys.
    pub fn draw(&self, frame: &mut Frame, area: Rect, mark: &str, active: bool, theme: &Theme) {
        let mark_width = Span::raw(mark).width() as u16;
        let room = area.width.saturating_sub(mark_width);
        if room == 0 || area.height == 0 {
            return;
        }
        let scroll = self.input.visual_scroll(usize::from(room.saturating_sub(1)));
        let style = if active { theme.accent } else { theme.dim };
        frame.render_widget(Span::styled(mark, style), area);
        let text = Rect { x: area.x + mark_width, width: room, height: 1, ..area };
        let line = Line::styled(self.text(), theme.text);
        frame
            .render_widget(ratatui::widgets::Paragraph::new(line).scroll((0, scroll as u16)), text);
        if active {
            let column = self.input.visual_cursor().saturating_sub(scroll) as u16;
            frame.set_cursor_position(Position::new(text.x + column.min(room - 1), text.y));
        }
    }
}

/// What a key edits, with the readline keys that people have in their fingers.
fn request(key: &KeyEvent) -> Option<InputRequest> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    Some(match key.code {
        KeyCode::Backspace if control || alt => InputRequest::DeletePrevWord,
        KeyCode::Backspace => InputRequest::DeletePrevChar,
        KeyCode::Delete if control => InputRequest::DeleteNextWord,
        KeyCode::Delete => InputRequest::DeleteNextChar,
        KeyCode::Left if control => InputRequest::GoToPrevWord,
        KeyCode::Left => InputRequest::GoToPrevChar,
        KeyCode::Right if control => InputRequest::GoToNextWord,
        KeyCode::Right => InputRequest::GoToNextChar,
        KeyCode::Home => InputRequest::GoToStart,
        KeyCode::End => InputRequest::GoToEnd,
        KeyCode::Char('a') if control => InputRequest::GoToStart,
        KeyCode::Char('e') if control => InputRequest::GoToEnd,
        KeyCode::Char('b') if control => InputRequest::GoToPrevChar,
        KeyCode::Char('f') if control => InputRequest::GoToNextChar,
        KeyCode::Char('h') if control => InputRequest::DeletePrevChar,
        KeyCode::Char('d') if control => InputRequest::DeleteNextChar,
        KeyCode::Char('w') if control => InputRequest::DeletePrevWord,
        KeyCode::Char('u') if control => InputRequest::DeleteLine,
        KeyCode::Char('k') if control => InputRequest::DeleteTillEnd,
        KeyCode::Char('b') if alt => InputRequest::GoToPrevWord,
        KeyCode::Char('f') if alt => InputRequest::GoToNextWord,
        KeyCode::Char(c) if !control && !alt => InputRequest::InsertChar(c),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_edit_the_line_and_pastes_are_harmless() {
        let mut field = Field::new("the cat");
        field.key(&KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        field.paste("dog\nbarks\u{1b}");
        assert_eq!(field.text(), "the dog barks^[");
        field.key(&KeyEvent::from(KeyCode::Home));
        field.key(&KeyEvent::from(KeyCode::Char('o')));
        assert_eq!(field.text(), "othe dog barks^[");
    }
}
