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
        let told = text::clean(&self.text);
        let wrapped = |width: u16| text::wrap(&told, usize::from(width));
        let height = wrapped(width.saturating_sub(4)).len() as u16 + 4;
        let inside = frame_popup(frame, area, (width, height), &self.title, view.theme);
        let lines = wrapped(inside.width);
        // What is typed is seen however little room there is.
        let y = (inside.y + lines.len() as u16 + 1).min(inside.bottom().saturating_sub(1));
        let above = Rect { height: y.saturating_sub(inside.y), ..inside };
        frame.render_widget(Paragraph::new(lines.join("\n")).style(view.theme.dim), above);
        let place = Rect { y, height: 1, ..inside }.intersection(inside);
        self.field.draw(frame, place, "> ", true, view.theme);
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
