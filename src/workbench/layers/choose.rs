use super::layer::{Layer, LayerInput, ROWS, Verdict, frame_popup};
use crate::workbench::field::Field;
use crate::workbench::popup::{Answer, Item};
use crate::workbench::screen::View;
use crate::workbench::text;
use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

/// A list with a fuzzy filter; also the palette.
pub struct Choose {
    title: String,
    items: Vec<Item>,
    filter: Field,
    /// Numbers of the entries that match, best first.
    shown: Vec<usize>,
    selected: usize,
    /// Whether the last entry takes what matches no other one.
    free: bool,
}

impl Choose {
    pub fn new(title: String, items: Vec<Item>, start: usize) -> Choose {
        let shown = (0..items.len()).collect();
        let selected = start.min(items.len().saturating_sub(1));
        Choose { title, items, filter: Field::default(), shown, selected, free: false }
    }

    /// Has the last entry stand for what is typed, where no other one matches that.
    pub fn free(mut self, free: bool) -> Choose {
        self.free = free;
        self
    }

    /// Whether what is typed is no filter, but for the last entry: it matches nothing, or is a path,
    /// whose letters may be found in any description.
    fn is_own_text(&self) -> bool {
        let is_path = self.filter.text().contains(['/', '.']);
        self.free && !self.filter.is_empty() && (self.shown.is_empty() || is_path)
    }

    /// The entries to choose from, by their numbers.
    fn rows(&self) -> Vec<usize> {
        match self.is_own_text() {
            true => self.items.len().checked_sub(1).into_iter().collect(),
            false => self.shown.clone(),
        }
    }

    fn answer(&self, row: usize) -> Verdict {
        match self.rows().get(row) {
            Some(_) if self.is_own_text() => {
                Verdict::Close(Answer::Text(self.filter.text().trim().to_owned()))
            }
            Some(&item) => Verdict::Close(Answer::Item(item)),
            None => Verdict::Consumed,
        }
    }

    fn refilter(&mut self) {
        let wanted = self.filter.text();
        let mut scored: Vec<(i64, usize)> = self
            .items
            .iter()
            .enumerate()
            .filter_map(|(i, item)| {
                // A hit in the name counts more than one in the description, and more yet where
                // what was typed stands there in one piece.
                let whole = item.name.to_lowercase().contains(&wanted.trim().to_lowercase());
                let name = fuzzy(wanted, &item.name).map(|s| s + if whole { 2000 } else { 1000 });
                Some((name.or_else(|| fuzzy(wanted, &item.description))?, i))
            })
            .collect();
        if !wanted.is_empty() {
            scored.sort_by_key(|&(score, i)| (-score, i));
        }
        self.shown = scored.into_iter().map(|(_, i)| i).collect();
        self.selected = 0;
    }

    fn move_by(&mut self, by: isize) {
        let last = self.shown.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }
}

/// How well `wanted` matches as a subsequence, ignoring case; `None` if it does not.
/// Runs of letters and starts of words count more; shorter texts win ties.
pub fn fuzzy(wanted: &str, text: &str) -> Option<i64> {
    let mut score = 0;
    let mut previous_hit = false;
    let mut previous = ' ';
    let mut letters = wanted.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase);
    let mut next = letters.next();
    for c in text.chars().flat_map(char::to_lowercase) {
        let Some(letter) = next else { break };
        if c == letter {
            score += 10 + if previous_hit { 15 } else { 0 };
            score += if previous.is_alphanumeric() { 0 } else { 20 };
            previous_hit = true;
            next = letters.next();
        } else {
            previous_hit = false;
        }
        previous = c;
    }
    next.is_none().then(|| score - text.chars().count() as i64 / 4)
}

impl Layer for Choose {
    fn update(&mut self, input: LayerInput) -> Verdict {
        match input {
            LayerInput::Paste(text) => {
                self.filter.paste(text);
                self.refilter();
            }
            LayerInput::Point(row) => {
                return self.answer(row);
            }
            LayerInput::Wheel(by) => self.move_by(by),
            LayerInput::Task(_) => {}
            LayerInput::Key(key) => {
                let control = key.modifiers.contains(KeyModifiers::CONTROL);
                match key.code {
                    KeyCode::Esc => return Verdict::Close(Answer::Cancelled),
                    KeyCode::Enter => return self.answer(self.selected),
                    KeyCode::Down => self.move_by(1),
                    KeyCode::Up => self.move_by(-1),
                    KeyCode::Char('n') if control => self.move_by(1),
                    KeyCode::Char('p') if control => self.move_by(-1),
                    KeyCode::PageDown => self.move_by(10),
                    KeyCode::PageUp => self.move_by(-10),
                    _ => {
                        let before = self.filter.text().to_owned();
                        self.filter.key(&key);
                        if self.filter.text() != before {
                            self.refilter();
                        }
                    }
                }
            }
        }
        Verdict::Consumed
    }

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        let theme = view.theme;
        let names = self.items.iter().map(|i| i.name.width()).max().unwrap_or(0);
        let widest = self.items.iter().map(|i| i.description.width()).max().unwrap_or(0);
        let size =
            ((names + widest + 8).clamp(40, 100) as u16, (self.items.len() + 4).min(24) as u16);
        let inside = frame_popup(frame, area, size, &self.title, theme);
        if inside.height == 0 {
            return;
        }
        self.filter.draw(frame, Rect { height: 1, ..inside }, "> ", true, theme);
        let list = Rect {
            y: inside.y + 2.min(inside.height),
            height: inside.height.saturating_sub(2),
            ..inside
        };
        let shown = self.rows();
        if shown.is_empty() {
            frame.render_widget(Span::styled("nothing matches", theme.dim), list);
            return;
        }
        let rows = usize::from(list.height);
        let top = (self.selected + 1).saturating_sub(rows.max(1));
        view.list(ROWS, list, top, self.selected, shown.len());
        for (row, &i) in shown.iter().skip(top).take(rows).enumerate() {
            let item = &self.items[i];
            let chosen = top + row == self.selected;
            let room = usize::from(list.width).saturating_sub(names + 4);
            let (name, description) =
                if chosen { (theme.selected, theme.selected) } else { (theme.text, theme.dim) };
            let line = Line::from(vec![
                Span::styled(if chosen { "› " } else { "  " }, name),
                Span::styled(format!("{:<names$}", item.name), name),
                Span::styled("  ", name),
                Span::styled(text::fit(&item.description, room).into_owned(), description),
            ]);
            let place = Rect { y: list.y + row as u16, height: 1, ..list };
            if chosen {
                frame.buffer_mut().set_style(place, theme.selected);
            }
            frame.render_widget(line, place);
        }
    }

    fn editing(&self) -> bool {
        true
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[("Up", ""), ("Down", "select"), ("Enter", "choose"), ("Esc", "cancel"), ("a-z", "filter")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyEvent;

    #[test]
    fn a_fuzzy_filter_prefers_starts_of_words() {
        assert!(fuzzy("cn", "checkpoint-now") > fuzzy("cn", "screen"));
        assert_eq!(fuzzy("xyz", "checkpoint"), None);
        assert!(fuzzy("", "anything").is_some());
    }

    #[test]
    fn typing_narrows_and_enter_gives_the_entry_of_the_whole_list() {
        let items = ["pause", "resume", "stop"]
            .map(|n| Item { name: n.into(), description: String::new() });
        let mut list = Choose::new("x".into(), items.to_vec(), 0);
        for c in "st".chars() {
            list.update(LayerInput::Key(KeyEvent::from(KeyCode::Char(c))));
        }
        let enter = LayerInput::Key(KeyEvent::from(KeyCode::Enter));
        assert!(matches!(list.update(enter), Verdict::Close(Answer::Item(2))));
        // The only row that is left, with the mouse.
        assert!(matches!(list.update(LayerInput::Point(0)), Verdict::Close(Answer::Item(2))));
        assert!(matches!(list.update(LayerInput::Point(1)), Verdict::Consumed));
    }

    #[test]
    fn what_matches_nothing_goes_to_the_entry_that_takes_any_text() {
        let items = ["sample", "large", "file…"]
            .map(|n| Item { name: n.into(), description: "the small one. to.ml".into() });
        let typed = |text: &str, free: bool| {
            let mut list = Choose::new("x".into(), items.to_vec(), 0).free(free);
            list.update(LayerInput::Paste(text));
            list.update(LayerInput::Key(KeyEvent::from(KeyCode::Enter)))
        };
        let Verdict::Close(answer) = typed("./t.toml", true) else { panic!("it is taken") };
        assert_eq!(answer, Answer::Text("./t.toml".into()));
        assert!(matches!(typed("lar", true), Verdict::Close(Answer::Item(1))));
        let Verdict::Close(answer) = typed("t.toml", true) else { panic!("it is taken") };
        assert_eq!(answer, Answer::Text("t.toml".into()));
        assert!(matches!(typed("./t.toml", false), Verdict::Consumed));
    }
}
