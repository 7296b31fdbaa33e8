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
        let told = text::clean(&self.text);
        let wrapped = |width: u16| text::wrap(&told, usize::from(width));
        let choices = self.choices.len() as u16;
        let height = wrapped(width.saturating_sub(4)).len() as u16 + choices + 3;
        let inside = frame_popup(frame, area, (width, height), &self.title, theme);
        // The answers come first, and of them the one that Enter gives.
        let rows = choices.min(inside.height);
        let mut lines = wrapped(inside.width);
        let room = usize::from(inside.height - rows);
        if lines.len() > room {
            let rest = lines.split_off(room.saturating_sub(1)).join(" ");
            let rest = (room > 0).then(|| text::fit(&rest, usize::from(inside.width)).into_owned());
            lines.extend(rest);
        }
        let above = lines.len() as u16;
        let gap = u16::from(inside.height > above + rows);
        frame.render_widget(Paragraph::new(lines.join("\n")).style(theme.text), inside);
        let place = Rect { y: inside.y + above + gap, height: rows, ..inside };
        let first = (self.selected + 1).saturating_sub(usize::from(rows));
        view.list(ROWS, place, first, self.selected, self.choices.len());
        let shown = self.choices.iter().enumerate().skip(first);
        for (y, (i, choice)) in (place.y..place.bottom()).zip(shown) {
            let marker = if i == self.selected { "› " } else { "  " };
            let style = if i == self.selected { theme.accent } else { theme.text };
            let room = usize::from(inside.width.saturating_sub(5));
            let line = Line::from(vec![
                Span::styled(marker, theme.accent),
                Span::styled(choice.key.to_string(), theme.key),
                Span::raw("  "),
                Span::styled(text::fit(&choice.label, room).into_owned(), style),
            ]);
            frame.render_widget(line, Rect { y, height: 1, ..inside });
        }
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "select"), ("Enter", "answer"), ("Esc", "cancel")]
    }
}
