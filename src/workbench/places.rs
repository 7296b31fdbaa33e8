//! Where things stand in the frame that was drawn last, for the mouse.
//!
//! Drawing notes what can be clicked or dragged as it goes; nothing that is drawn hangs on it. What
//! was noted later lies on top, as it does on the screen.

use super::command::{Command, Scope};
use super::names::ScreenId;
use ratatui::layout::{Direction, Rect};
use std::cell::RefCell;

/// Something that the mouse can reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Place {
    Tab(ScreenId),
    /// Where clicking does what the key does.
    Command(Scope, &'static Command),
    /// A key of a popup or of a text field, by its spelling.
    Key(&'static str),
    List(Rows),
    /// Where the wheel does what these commands of the screen do.
    Wheel {
        up: &'static str,
        down: &'static str,
        times: u8,
    },
    Border(Border),
    /// Where a click, and dragging from there, points at something along the width.
    Plot(&'static str),
}

/// Rows of a list, one a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// By which the screen tells its lists apart.
    pub list: &'static str,
    /// The row in the first line.
    pub first: usize,
    /// The selected row.
    pub at: usize,
    /// Rows in all.
    pub len: usize,
}

/// A border that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Border {
    /// Name of the split, see [`super::panes`].
    pub split: &'static str,
    pub direction: Direction,
    /// What is divided.
    pub area: Rect,
    /// Columns or rows of the first part.
    pub first: u16,
}

impl Border {
    /// The two columns or rows where both frames meet.
    pub fn line(&self) -> Rect {
        let Rect { x, y, width, height } = self.area;
        let before = self.first.saturating_sub(1);
        match self.direction {
            Direction::Horizontal => Rect::new(x + before, y, 2.min(width - before), height),
            Direction::Vertical => Rect::new(x, y + before, width, 2.min(height - before)),
        }
    }

    /// Columns or rows of the first part if its border is taken to a cell.
    pub fn first_at(&self, column: u16, row: u16) -> u16 {
        match self.direction {
            Direction::Horizontal => column.saturating_sub(self.area.x),
            Direction::Vertical => row.saturating_sub(self.area.y),
        }
    }
}

/// What can be reached where; see the module.
#[derive(Debug, Default)]
pub struct Places {
    placed: RefCell<Vec<(Rect, Place)>>,
}

impl Places {
    /// A new frame begins.
    pub fn clear(&self) {
        self.placed.borrow_mut().clear();
    }

    /// Notes what stands in an area.
    pub fn add(&self, area: Rect, place: Place) {
        if !area.is_empty() {
            self.placed.borrow_mut().push((area, place));
        }
    }

    /// A popup takes the mouse: what was noted so far is out of reach.
    pub fn cover(&self) {
        self.placed.borrow_mut().retain(|(_, place)| matches!(place, Place::Border(_)));
        self.placed.borrow_mut().iter_mut().for_each(|(area, _)| *area = Rect::ZERO);
    }

    /// What stands uppermost in a cell, with its area.
    pub fn at(&self, column: u16, row: u16) -> Option<(Rect, Place)> {
        self.find(column, row, |_| true)
    }

    /// The same for the wheel, which does nothing to a plot but to the ground that it stands on.
    pub fn turned_at(&self, column: u16, row: u16) -> Option<(Rect, Place)> {
        self.find(column, row, |place| !matches!(place, Place::Plot(_)))
    }

    fn find(&self, column: u16, row: u16, ok: fn(&Place) -> bool) -> Option<(Rect, Place)> {
        let cell = ratatui::layout::Position::new(column, row);
        let placed = self.placed.borrow();
        let mut there =
            placed.iter().rev().filter(|(area, place)| area.contains(cell) && ok(place));
        // What the wheel turns is the ground that other things stand on.
        let ground = |(_, place): &&(Rect, Place)| matches!(place, Place::Wheel { .. });
        there.clone().find(|found| !ground(found)).or_else(|| there.next()).copied()
    }

    /// The borders that can be moved, in the order in which they were drawn.
    pub fn borders(&self) -> Vec<Border> {
        let border = |(_, place): &(Rect, Place)| match place {
            Place::Border(border) => Some(*border),
            _ => None,
        };
        self.placed.borrow().iter().filter_map(border).collect()
    }

    /// The border of a split, if it is in view.
    pub fn border(&self, split: &str) -> Option<Border> {
        self.borders().into_iter().find(|border| border.split == split)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROWS: Rows = Rows { list: "sentences", first: 3, at: 4, len: 9 };

    #[test]
    fn what_was_drawn_last_is_found_first() {
        let places = Places::default();
        places.add(Rect::new(0, 0, 10, 10), Place::List(ROWS));
        places.add(Rect::new(2, 2, 2, 1), Place::Key("Enter"));
        assert_eq!(places.at(2, 2), Some((Rect::new(2, 2, 2, 1), Place::Key("Enter"))));
        assert_eq!(places.at(4, 2).map(|(_, place)| place), Some(Place::List(ROWS)));
        assert_eq!(places.at(10, 2), None);
        let wheel = Place::Wheel { up: "zoom-in", down: "zoom-out", times: 1 };
        places.add(Rect::new(0, 0, 20, 10), wheel);
        assert_eq!(places.at(4, 2).map(|(_, place)| place), Some(Place::List(ROWS)));
        assert_eq!(places.at(10, 2).map(|(_, place)| place), Some(wheel));
        places.add(Rect::new(9, 0, 5, 10), Place::Plot("chart"));
        assert_eq!(places.at(10, 2).map(|(_, place)| place), Some(Place::Plot("chart")));
        assert_eq!(places.turned_at(10, 2).map(|(_, place)| place), Some(wheel));
    }

    #[test]
    fn under_a_popup_nothing_is_reached_but_borders_are_still_known() {
        let places = Places::default();
        let border = Border {
            split: "list",
            direction: Direction::Horizontal,
            area: Rect::new(0, 1, 80, 21),
            first: 30,
        };
        places.add(border.line(), Place::Border(border));
        places.add(Rect::new(0, 0, 80, 1), Place::Tab(ScreenId::Log));
        assert_eq!(places.at(29, 5).map(|(_, place)| place), Some(Place::Border(border)));
        assert_eq!(places.at(30, 5).map(|(_, place)| place), Some(Place::Border(border)));
        places.cover();
        assert_eq!((places.at(0, 0), places.at(29, 5)), (None, None));
        assert_eq!(places.border("list"), Some(border));
    }
}
