use super::layer::{Layer, LayerInput, Verdict, frame_popup};
use crate::report::counted;
use crate::workbench::command::{Command, Scope};
use crate::workbench::commands::GLOBAL;
use crate::workbench::hints;
use crate::workbench::keymap::Keymap;
use crate::workbench::keys;
use crate::workbench::names::ScreenId;
use crate::workbench::popup::Answer;
use crate::workbench::screen::{SMALLEST, View};
use crate::workbench::screens;
use crate::workbench::text;
use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// Columns for the keys, or for the word that is explained.
const KEYS: usize = 13;
/// Columns of a line: those of the smallest terminal with whole screens, so that how many lines
/// there are hangs on nothing.
const WIDTH: usize = SMALLEST.0 as usize - 6;
/// Lines that the smallest terminal shows.
const PAGE: usize = SMALLEST.1 as usize - 5;

/// All keys of a screen, straight from the table of commands, and what its words mean.
pub struct Help {
    screen: ScreenId,
    keymap: Keymap,
    scroll: usize,
}

/// A line in two columns, or a heading.
enum Row {
    Heading(String),
    Pair(String, String),
}

impl Help {
    pub fn new(screen: ScreenId, keymap: Keymap) -> Help {
        Help { screen, keymap, scroll: 0 }
    }

    fn rows(&self, unicode: bool) -> Vec<Row> {
        let pair = |first: String, text: &str| {
            let mut first = first;
            let told = hints::told(text, &self.keymap);
            let parts = text::wrap(&told, WIDTH - KEYS - 2).into_iter();
            parts.map(move |part| Row::Pair(std::mem::take(&mut first), part)).collect::<Vec<_>>()
        };
        let command = |scope: Scope, c: &'static Command| {
            let keys = self.keymap.keys(scope, c).into_iter();
            let keys = keys.map(|k| keys::shown(k, unicode)).collect::<Vec<_>>().join(" ");
            // A command without a key is in the palette still.
            pair(if keys.is_empty() { "-".to_owned() } else { keys }, c.help)
        };
        let mut rows = vec![Row::Heading(format!("Keys on {}", self.screen.title()))];
        rows.extend(screens::commands(self.screen).flat_map(|c| command(Some(self.screen), c)));
        rows.push(Row::Heading(String::new()));
        rows.push(Row::Heading("What the words and figures mean".into()));
        let notes = screens::notes(self.screen).iter();
        rows.extend(notes.flat_map(|term| pair(term.name.to_owned(), term.meaning)));
        rows.push(Row::Heading(String::new()));
        rows.push(Row::Heading("Keys on every screen".into()));
        rows.extend(GLOBAL.iter().flat_map(|c| command(None, c)));
        rows
    }

    /// The first line in view at most: below it, the smallest terminal would show a part of a page.
    fn last(&self) -> usize {
        self.rows(true).len().saturating_sub(PAGE)
    }

    /// The line where the meanings begin.
    fn meanings(&self) -> usize {
        let is_blank = |row: &Row| matches!(row, Row::Heading(text) if text.is_empty());
        self.rows(true).iter().position(is_blank).map_or(0, |at| at + 1)
    }
}

impl Layer for Help {
    fn update(&mut self, input: LayerInput) -> Verdict {
        if let LayerInput::Wheel(by) = input {
            self.scroll = self.scroll.saturating_add_signed(by).min(self.last());
        }
        let LayerInput::Key(key) = input else { return Verdict::Consumed };
        self.scroll = match key.code {
            KeyCode::Down | KeyCode::Char('j') => self.scroll + 1,
            KeyCode::Up | KeyCode::Char('k') => self.scroll.saturating_sub(1),
            KeyCode::PageDown | KeyCode::Char(' ') => self.scroll + PAGE,
            KeyCode::PageUp => self.scroll.saturating_sub(PAGE),
            KeyCode::Home => 0,
            KeyCode::End => self.last(),
            KeyCode::Char('?') if self.scroll < self.meanings() => self.meanings(),
            _ => return Verdict::Close(Answer::Cancelled),
        }
        .min(self.last());
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let theme = view.theme;
        let lines: Vec<Line> = self
            .rows(theme.unicode)
            .into_iter()
            .map(|row| match row {
                Row::Heading(text) => Line::styled(text, theme.title),
                Row::Pair(first, second) => Line::from(vec![
                    Span::styled(format!("{first:>KEYS$}  "), theme.key),
                    Span::styled(second, theme.text),
                ]),
            })
            .collect();
        let height = lines.len() as u16 + 2;
        let title = format!("Help: {}", self.screen.title());
        let inside = frame_popup(frame, area, (WIDTH as u16 + 4, height), &title, theme);
        // The last page stays full however far one scrolls.
        let rows = usize::from(inside.height);
        let top = self.scroll.min(lines.len().saturating_sub(rows));
        let below = lines.len().saturating_sub(top + rows);
        frame.render_widget(Paragraph::new(lines).scroll((top as u16, 0)), inside);
        if below > 0 {
            let edge = Rect { y: inside.bottom(), height: 1, ..inside };
            let more = format!(" {}: ↓ ", counted(below, "more line"));
            frame.render_widget(Line::styled(more, theme.key).right_aligned(), edge);
        }
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "scroll"), ("Space", "page"), ("?", "meanings"), ("Esc", "close")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::commands;
    use crate::workbench::testing::press;

    #[test]
    fn every_screen_says_what_its_words_mean() {
        for id in ScreenId::ALL {
            let notes = screens::notes(id);
            assert!(notes.len() >= 3, "{id:?}");
            for term in notes {
                let fits = unicode_width::UnicodeWidthStr::width(term.name) <= KEYS;
                assert!(fits && !term.meaning.ends_with('.'), "{id:?}: {term:?}");
            }
        }
    }

    #[test]
    fn it_scrolls_as_far_as_the_smallest_terminal_needs_and_back_at_once() {
        let mut help = Help::new(ScreenId::Grammar, commands::keymap());
        for _ in 0..500 {
            help.update(LayerInput::Key(press("Down")));
        }
        assert_eq!(help.scroll, help.rows(true).len() - PAGE);
        help.update(LayerInput::Key(press("Up")));
        assert_eq!(help.scroll, help.rows(true).len() - PAGE - 1);
    }

    #[test]
    fn home_and_end_go_to_its_ends() {
        let mut help = Help::new(ScreenId::Grammar, commands::keymap());
        let mut scroll = |code: KeyCode| {
            let verdict = help.update(LayerInput::Key(code.into()));
            assert!(matches!(verdict, Verdict::Consumed), "{code}");
            (help.scroll, help.last())
        };
        let (end, last) = scroll(KeyCode::End);
        assert!(end == last && last > 0);
        assert_eq!(scroll(KeyCode::Home).0, 0);
    }

    #[test]
    fn asked_again_it_turns_to_the_meanings_and_then_closes() {
        let mut help = Help::new(ScreenId::Grammar, commands::keymap());
        assert!(matches!(help.update(LayerInput::Key(press("?"))), Verdict::Consumed));
        let top = help.rows(true).into_iter().nth(help.scroll);
        assert!(matches!(top, Some(Row::Heading(text)) if text.starts_with("What")));
        let closed = help.update(LayerInput::Key(press("?")));
        assert!(matches!(closed, Verdict::Close(Answer::Cancelled)));
    }
}
