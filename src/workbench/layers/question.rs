use super::layer::{Layer, LayerInput, ROWS, Verdict, frame_popup};
use crate::workbench::popup::{Answer, Choice};
use crate::workbench::screen::View;
use crate::workbench::text;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// A question with a few answers; arrows and Enter work as well as the keys named.
pub struct Question {
    title: String,
    text: String,
    choices: Vec<Choice>,
    selected: usize,
}

impl Question {
    pub fn new(title: String, text: String, choices: Vec<Choice>) -> Question {
        Question { title, text, choices, selected: 0 }
    }
}

impl Layer for Question {
    fn update(&mut self, input: LayerInput) -> Verdict {
        if let LayerInput::Point(row) = input
            && let Some(choice) = self.choices.get(row)
        {
            return Verdict::Close(Answer::Choice(choice.key));
        }
        let LayerInput::Key(key) = input else { return Verdict::Consumed };
        let count = self.choices.len().max(1);
        match key.code {
            KeyCode::Esc => return Verdict::Close(Answer::Cancelled),
            KeyCode::Down | KeyCode::Tab | KeyCode::Right => {
                self.selected = (self.selected + 1) % count;
            }
            KeyCode::Up | KeyCode::BackTab | KeyCode::Left => {
                self.selected = (self.selected + count - 1) % count;
            }
            KeyCode::Enter => {
                if let Some(choice) = self.choices.get(self.selected) {
                    return Verdict::Close(Answer::Choice(choice.key));
                }
            }
            KeyCode::Char(c) if self.choices.iter().any(|x| x.key == c) => {
                return Verdict::Close(Answer::Choice(c));
            }
            _ => {}
        }
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let theme = view.theme;
        let width = 58.min(area.width.saturating_sub(4)).max(10);
        let lines = text::wrap(&text::clean(&self.text), usize::from(width.saturating_sub(4)));
        let text_height = lines.len() as u16;
        let text = Paragraph::new(lines.join("\n"));
        let height = text_height + self.choices.len() as u16 + 3;
        let inside = frame_popup(frame, area, (width, height), &self.title, theme);
        frame.render_widget(text.style(theme.text), inside);
        let y = (inside.y + text_height + 1).min(inside.bottom());
        let rows = Rect { y, height: inside.bottom() - y, ..inside };
        view.list(ROWS, rows, 0, self.selected, self.choices.len());
        for (i, choice) in self.choices.iter().enumerate() {
            let y = inside.y + text_height + 1 + i as u16;
            if y >= inside.bottom() {
                break;
            }
            let marker = if i == self.selected { "› " } else { "  " };
            let style = if i == self.selected { theme.accent } else { theme.text };
            let line = Line::from(vec![
                Span::styled(marker, theme.accent),
                Span::styled(choice.key.to_string(), theme.key),
                Span::raw("  "),
                Span::styled(choice.label.as_str(), style),
            ]);
            frame.render_widget(line, Rect { y, height: 1, ..inside });
        }
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "select"), ("Enter", "answer"), ("Esc", "cancel")]
    }
}
