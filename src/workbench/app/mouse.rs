//! The mouse: what it reaches is what was noted while the last frame was drawn.

use super::App;
use crate::report::Level;
use crate::workbench::command::{Command, Scope};
use crate::workbench::commands;
use crate::workbench::keys::Key;
use crate::workbench::layers::{LayerInput, Resize};
use crate::workbench::places::{Border, Place, Rows};
use crate::workbench::screen::Input;
use crossterm::event::{KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

/// Rows that one notch of the wheel goes.
const NOTCH: isize = 3;
/// Longest time between the two clicks of a double one, in seconds.
const DOUBLE: f64 = 0.4;

/// What is known of the mouse between two events.
#[derive(Default)]
pub(super) struct Mouse {
    /// What the button went down on, while it is down.
    dragged: Option<Dragged>,
    /// When and where the last click was.
    clicked: Option<(f64, (u16, u16))>,
    /// Whether the user gave it back to the terminal.
    given_back: bool,
}

/// What follows the mouse.
#[derive(Clone, Copy)]
enum Dragged {
    Border(Border),
    /// The place that a plot is looked at, by the plot's name and area.
    Plot(&'static str, Rect),
}

impl App {
    /// Whether the terminal should report the mouse.
    pub fn takes_mouse(&self) -> bool {
        !self.mouse.given_back
    }

    /// Takes the mouse, or leaves it to the terminal.
    pub(in crate::workbench) fn take_mouse(&mut self, takes: bool) {
        self.mouse = Mouse { given_back: !takes, ..Mouse::default() };
    }

    pub(super) fn toggle_mouse(&mut self) {
        self.take_mouse(!self.takes_mouse());
        self.memory.mouse = Some(self.takes_mouse());
        let key = self.key_of("mouse");
        let text = match self.takes_mouse() {
            true => format!("the mouse works in the workbench ({key} changes that)"),
            false => {
                format!("the mouse is the terminal's: drag to select text ({key} changes that)")
            }
        };
        self.status = Some((Level::Info, text));
    }

    pub(super) fn mouse(&mut self, event: MouseEvent) {
        let (column, row) = (event.column, event.row);
        match event.kind {
            MouseEventKind::Down(MouseButton::Left) => self.click(column, row),
            MouseEventKind::Drag(MouseButton::Left) => self.drag(column, row),
            MouseEventKind::Up(MouseButton::Left) => self.mouse.dragged = None,
            MouseEventKind::ScrollUp => self.wheel(column, row, -NOTCH, event.modifiers),
            MouseEventKind::ScrollDown => self.wheel(column, row, NOTCH, event.modifiers),
            MouseEventKind::ScrollLeft => self.scroll("scroll-left"),
            MouseEventKind::ScrollRight => self.scroll("scroll-right"),
            // Nothing happened that anyone asked for.
            _ => {}
        }
    }

    fn click(&mut self, column: u16, row: u16) {
        let cell = (column, row);
        let now = self.shared.now;
        let double =
            self.mouse.clicked.is_some_and(|(then, at)| at == cell && now - then <= DOUBLE);
        // Three clicks are no two double ones.
        self.mouse.clicked = (!double).then_some((now, cell));
        let Some((area, place)) = self.places.at(column, row) else { return };
        match place {
            Place::Border(border) => {
                self.mouse.dragged = Some(Dragged::Border(border));
            }
            Place::Plot(plot) => {
                self.mouse.dragged = Some(Dragged::Plot(plot, area));
                self.drag(column, row);
            }
            Place::Tab(screen) => {
                self.leave_field();
                self.show(screen);
            }
            Place::Command(scope, command) => {
                self.status = None;
                self.command(scope, command);
            }
            Place::Key(spelling) => {
                if let Some(key) = Key::parse(spelling) {
                    self.key(key.event());
                }
            }
            Place::List(rows) => {
                self.status = None;
                let chosen = rows.first + usize::from(row - area.y);
                if chosen < rows.len {
                    self.point(rows, chosen);
                    if double && self.layers.is_empty() {
                        self.press_enter();
                    }
                }
            }
            Place::Wheel { .. } => {}
        }
    }

    /// Whoever has a text field open is done with it.
    pub(super) fn leave_field(&mut self) {
        if self.active_screen().is_some_and(|screen| screen.editing()) {
            self.tell(self.active, Input::LeaveField);
        }
    }

    fn point(&mut self, rows: Rows, row: usize) {
        match self.layers.last_mut().map(|open| open.layer.update(LayerInput::Point(row))) {
            Some(verdict) => self.judged(verdict),
            None => self.tell(self.active, Input::Point { list: rows.list, row }),
        }
    }

    /// Two clicks on a row do what Enter does.
    fn press_enter(&mut self) {
        let enter = Key::parse("Enter");
        let found = enter.and_then(|key| commands::find(&self.shared.keymap, self.active, key));
        if let Some((scope, command)) = found {
            self.command(scope, command);
        }
    }

    fn drag(&mut self, column: u16, row: u16) {
        match self.mouse.dragged {
            Some(Dragged::Border(border)) => {
                let first = border.first_at(column, row);
                self.shared.panes.place(border.split, border.direction, border.area, first);
            }
            Some(Dragged::Plot(plot, area)) => {
                let last = f64::from(area.width.saturating_sub(1).max(1));
                let share = (f64::from(column.saturating_sub(area.x)) / last).min(1.0);
                self.tell(self.active, Input::Along { plot, share });
            }
            None => {}
        }
    }

    fn wheel(&mut self, column: u16, row: u16, by: isize, modifiers: KeyModifiers) {
        let down = by > 0;
        if let Some(open) = self.layers.last_mut() {
            let verdict = open.layer.update(LayerInput::Wheel(by));
            return self.judged(verdict);
        }
        if modifiers.contains(KeyModifiers::SHIFT) {
            return self.scroll(if down { "scroll-right" } else { "scroll-left" });
        }
        match self.places.turned_at(column, row) {
            Some((_, Place::List(rows))) if rows.len > 0 => {
                let to = rows.at.saturating_add_signed(by).min(rows.len - 1);
                if to != rows.at {
                    self.point(rows, to);
                }
            }
            Some((_, Place::Wheel { up, down: command, times })) => {
                for _ in 0..times {
                    self.scroll(if down { command } else { up });
                }
            }
            _ => self.scroll(if down { "scroll-down" } else { "scroll-up" }),
        }
    }

    /// Does a command of the screen in view, where it has it.
    fn scroll(&mut self, name: &str) {
        let has =
            |(scope, command): &(Scope, &'static Command)| scope.is_some() && command.name == name;
        if self.layers.is_empty()
            && let Some((scope, command)) = commands::on(self.active).find(has)
        {
            self.command(scope, command);
        }
    }

    // Borders.

    /// Lets the keys move borders, if there are any in view.
    pub(super) fn open_resize(&mut self) {
        let borders = self.places.borders();
        if borders.is_empty() {
            let text =
                "nothing to divide here: this screen has no border that could move, or no room";
            self.status = Some((Level::Info, text.into()));
            return;
        }
        let splits = borders.iter().map(|border| (border.split, border.direction)).collect();
        self.open(super::Owner::Workbench, "resize", Box::new(Resize::new(splits)));
    }

    pub(super) fn move_border(&mut self, split: &'static str, by: i16) {
        let Some(border) = self.places.border(split) else { return };
        match by {
            0 => self.shared.panes.reset(split),
            by => {
                // Keys may come faster than frames.
                let moved = self.shared.panes.first(split, border.direction, border.area);
                let first = moved.unwrap_or(border.first).saturating_add_signed(by);
                self.shared.panes.place(split, border.direction, border.area, first);
            }
        }
    }
}
