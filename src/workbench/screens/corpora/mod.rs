//! The Corpora screen.

use crate::workbench::commands::Command;
use crate::workbench::screen::{Context, Input, Screen, ScreenId, View};
use crate::workbench::widgets::empty_state;
use ratatui::Frame;
use ratatui::layout::Rect;

pub const COMMANDS: &[Command] = &[];

#[derive(Default)]
pub struct Corpora {}

impl Screen for Corpora {
    fn id(&self) -> ScreenId {
        ScreenId::Corpora
    }

    fn update(&mut self, _input: Input, _context: &mut Context) {}

    fn draw(&self, frame: &mut Frame, area: Rect, view: &View) {
        empty_state(frame, area, "Corpora", &["nothing here yet"], view.theme);
    }
}
