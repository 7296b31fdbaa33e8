use super::layer::{Layer, LayerInput, Verdict};
use crate::workbench::popup::Answer;
use crate::workbench::screen::{Effect, View};
use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Direction, Rect};
use ratatui::style::Modifier;

/// Moves the borders between panes by keys; it draws nothing but which one it is about.
pub struct Resize {
    /// The splits in view with the direction in which each divides.
    splits: Vec<(&'static str, Direction)>,
    at: usize,
}

impl Resize {
    pub fn new(splits: Vec<(&'static str, Direction)>) -> Resize {
        Resize { splits, at: 0 }
    }

    /// Turns to a border that moves in this direction, and moves it.
    fn move_by(&mut self, direction: Direction, by: i16) -> Verdict {
        let fits = |&at: &usize| self.splits[at].1 == direction;
        let n = self.splits.len();
        match (0..n).map(|i| (self.at + i) % n).find(fits) {
            Some(at) => {
                self.at = at;
                Verdict::Ask(Effect::MoveBorder { split: self.splits[at].0, by })
            }
            None => Verdict::Consumed,
        }
    }

    fn key(&mut self, key: KeyEvent) -> Verdict {
        let n = self.splits.len().max(1);
        match key.code {
            KeyCode::Left | KeyCode::Char('h') => self.move_by(Direction::Horizontal, -1),
            KeyCode::Right | KeyCode::Char('l') => self.move_by(Direction::Horizontal, 1),
            KeyCode::Up | KeyCode::Char('k') => self.move_by(Direction::Vertical, -1),
            KeyCode::Down | KeyCode::Char('j') => self.move_by(Direction::Vertical, 1),
            KeyCode::Tab => {
                self.at = (self.at + 1) % n;
                Verdict::Consumed
            }
            KeyCode::BackTab => {
                self.at = (self.at + n - 1) % n;
                Verdict::Consumed
            }
            KeyCode::Char('0') => match self.splits.get(self.at) {
                Some(&(split, _)) => Verdict::Ask(Effect::MoveBorder { split, by: 0 }),
                None => Verdict::Consumed,
            },
            _ => Verdict::Close(Answer::Cancelled),
        }
    }
}

impl Layer for Resize {
    fn update(&mut self, input: LayerInput) -> Verdict {
        match input {
            LayerInput::Key(key) => self.key(key),
            _ => Verdict::Consumed,
        }
    }

    fn draw(&self, frame: &mut Frame, _: Rect, view: &View) {
        let split = self.splits.get(self.at).map(|(split, _)| *split);
        let border = split.and_then(|split| view.places.and_then(|places| places.border(split)));
        if let Some(border) = border {
            let style = view.theme.accent.add_modifier(Modifier::REVERSED);
            frame.buffer_mut().set_style(border.line(), style);
        }
    }

    fn keys(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("Left", ""),
            ("Right", ""),
            ("Up", ""),
            ("Down", "move the border"),
            ("Tab", "next border"),
            ("0", "as it was"),
            ("Esc", "done"),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workbench::testing::press;

    fn asked(resize: &mut Resize, key: &str) -> Option<(&'static str, i16)> {
        match resize.update(LayerInput::Key(press(key))) {
            Verdict::Ask(Effect::MoveBorder { split, by }) => Some((split, by)),
            _ => None,
        }
    }

    #[test]
    fn arrows_move_the_border_that_they_can_move() {
        let splits = vec![
            ("list", Direction::Horizontal),
            ("trees", Direction::Vertical),
            ("gold", Direction::Horizontal),
        ];
        let mut resize = Resize::new(splits);
        assert_eq!(asked(&mut resize, "Right"), Some(("list", 1)));
        assert_eq!(asked(&mut resize, "Up"), Some(("trees", -1)));
        // From where it is, the next one of that direction.
        assert_eq!(asked(&mut resize, "Left"), Some(("gold", -1)));
        assert_eq!(asked(&mut resize, "0"), Some(("gold", 0)));
        assert_eq!(asked(&mut resize, "Tab"), None);
        assert_eq!(asked(&mut resize, "0"), Some(("list", 0)));
        let esc = resize.update(LayerInput::Key(press("Esc")));
        assert!(matches!(esc, Verdict::Close(Answer::Cancelled)));
    }

    #[test]
    fn where_no_border_moves_that_way_nothing_happens() {
        let mut resize = Resize::new(vec![("list", Direction::Horizontal)]);
        assert_eq!(asked(&mut resize, "Down"), None);
        assert_eq!(asked(&mut resize, "Left"), Some(("list", -1)));
    }
}
