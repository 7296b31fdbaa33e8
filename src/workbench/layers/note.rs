use super::layer::{Layer, LayerInput, Verdict, frame_popup};
use crate::workbench::popup::Answer;
use crate::workbench::screen::View;
use crate::workbench::text;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::Paragraph;
use unicode_width::UnicodeWidthStr;

/// Text to read.
pub struct Note {
    title: String,
    lines: Vec<String>,
    scroll: u16,
}

impl Note {
    pub fn new(title: String, lines: Vec<String>) -> Note {
        Note { title, lines, scroll: 0 }
    }
}

impl Layer for Note {
    fn update(&mut self, input: LayerInput) -> Verdict {
        if let LayerInput::Wheel(by) = input {
            let last = self.lines.len() as u16;
            self.scroll = self.scroll.saturating_add_signed(by as i16).min(last);
        }
        let LayerInput::Key(key) = input else { return Verdict::Consumed };
        match key.code {
            KeyCode::Down => self.scroll = (self.scroll + 1).min(self.lines.len() as u16),
            KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            _ => return Verdict::Close(Answer::Cancelled),
        }
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let widest = self.lines.iter().map(|l| l.width()).max().unwrap_or(0);
        let width = (widest as u16 + 4).clamp(24, area.width.saturating_sub(4).max(24));
        let lines = text::wrap(&self.lines.join("\n"), usize::from(width.saturating_sub(4)));
        let height = lines.len() as u16 + 2;
        let inside = frame_popup(frame, area, (width, height), &self.title, view.theme);
        let text = Paragraph::new(lines.join("\n"));
        frame.render_widget(text.scroll((self.scroll, 0)), inside);
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "scroll"), ("Esc", "close")]
    }
}
