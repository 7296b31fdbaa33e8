use super::layer::{Layer, LayerInput, Verdict, frame_popup};
use crate::workbench::field::Field;
use crate::workbench::popup::Answer;
use crate::workbench::screen::View;
use crate::workbench::text;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;

/// One line of text with a heading.
pub struct Prompt {
    title: String,
    text: String,
    field: Field,
}

impl Prompt {
    pub fn new(title: String, text: String, initial: String) -> Prompt {
        Prompt { title, text, field: Field::new(initial) }
    }
}

impl Layer for Prompt {
    fn update(&mut self, input: LayerInput) -> Verdict {
        match input {
            LayerInput::Paste(text) => self.field.paste(text),
            LayerInput::Key(key) => match key.code {
                KeyCode::Esc => return Verdict::Close(Answer::Cancelled),
                KeyCode::Enter => {
                    return Verdict::Close(Answer::Text(self.field.text().trim().to_owned()));
                }
                _ => self.field.key(&key),
            },
            LayerInput::Point(_) | LayerInput::Wheel(_) | LayerInput::Task(_) => {}
        }
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let width = 62.min(area.width.saturating_sub(4)).max(10);
        let lines = text::wrap(&text::clean(&self.text), usize::from(width.saturating_sub(4)));
        let text_height = lines.len() as u16;
        let text = Paragraph::new(lines.join("\n"));
        let inside = frame_popup(frame, area, (width, text_height + 4), &self.title, view.theme);
        frame.render_widget(text.style(view.theme.dim), inside);
        let y = inside.y + text_height + 1;
        if y < inside.bottom() {
            self.field.draw(frame, Rect { y, height: 1, ..inside }, "> ", true, view.theme);
        }
    }

    fn editing(&self) -> bool {
        true
    }

    fn text(&self) -> Option<&str> {
        Some(self.field.text())
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Enter", "accept"), ("Esc", "cancel")]
    }
}
