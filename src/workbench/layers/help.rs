use super::{Layer, LayerInput, Verdict, frame_popup};
use crate::workbench::commands::{Command, GLOBAL};
use crate::workbench::keys;
use crate::workbench::popup::Answer;
use crate::workbench::screen::{ScreenId, View};
use crate::workbench::screens;
use crate::workbench::text;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns for the keys.
const KEYS: usize = 12;

/// All keys of a screen, straight from the table of commands.
pub struct Help {
    screen: ScreenId,
    scroll: usize,
}

impl Help {
    pub fn new(screen: ScreenId) -> Help {
        Help { screen, scroll: 0 }
    }

    /// Rows for a popup that is at most that wide inside.
    fn lines(&self, width: usize, view: &View) -> Vec<Line<'static>> {
        let theme = view.theme;
        let row = |c: &Command| {
            let keys: Vec<String> = c.keys.iter().map(|k| keys::shown(k, theme.unicode)).collect();
            let help = text::wrap(c.help, width.saturating_sub(KEYS + 2)).into_iter();
            let mut keys = keys.join(" ");
            help.map(|part| {
                Line::from(vec![
                    Span::styled(format!("{:>KEYS$}  ", std::mem::take(&mut keys)), theme.key),
                    Span::styled(part, theme.text),
                ])
            })
            .collect::<Vec<_>>()
        };
        let heading = |text: String| Line::styled(text, theme.title);
        let mut lines = vec![heading(format!("On {}", self.screen.title()))];
        lines.extend(screens::commands(self.screen).iter().flat_map(row));
        lines.push(Line::default());
        lines.push(heading("Everywhere".into()));
        lines.extend(GLOBAL.iter().flat_map(row));
        lines
    }

    fn length(&self) -> usize {
        screens::commands(self.screen).len() + GLOBAL.len() + 3
    }
}

impl Layer for Help {
    fn update(&mut self, input: LayerInput) -> Verdict {
        let LayerInput::Key(key) = input else { return Verdict::Consumed };
        let last = self.length().saturating_sub(1);
        match key.code {
            KeyCode::Down | KeyCode::Char('j') => self.scroll = (self.scroll + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll = (self.scroll + 10).min(last),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            _ => return Verdict::Close(Answer::Cancelled),
        }
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let lines = self.lines(usize::from(area.width.saturating_sub(6)), view);
        let width = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 6;
        let height = lines.len() as u16 + 2;
        let title = format!("Keys of {}", self.screen.title());
        let inside = frame_popup(frame, area, (width, height), &title, view.theme);
        // The last page stays full however far one scrolls.
        let top = self.scroll.min(lines.len().saturating_sub(usize::from(inside.height)));
        frame.render_widget(Paragraph::new(lines).scroll((top as u16, 0)), inside);
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "scroll"), ("Esc", "close")]
    }
}
