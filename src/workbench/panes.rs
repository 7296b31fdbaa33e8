//! How wide and how high the user made the panes. Imports nothing of the workbench.
//!
//! A split is a place where a screen divides an area in two; it has a name, and the user moves the
//! border between its parts. What is kept is the first part's share of the area, so that it holds
//! in terminals of other sizes.

use ratatui::layout::{Constraint, Direction, Layout, Rect};
use std::collections::BTreeMap;

/// Columns and rows that either part keeps.
const LEAST: (u16, u16) = (14, 5);

/// Shares that the user chose, by the names of the splits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panes {
    shares: BTreeMap<String, f32>,
}

impl Panes {
    /// Gives the first part of a split that share of the area. A share that no user can have
    /// chosen, as of a damaged file, is left out.
    pub fn set(&mut self, split: &str, share: f32) {
        if share > 0.0 && share < 1.0 {
            self.shares.insert(split.to_owned(), share);
        }
    }

    /// Leaves a split to the screen again.
    pub fn reset(&mut self, split: &str) {
        self.shares.remove(split);
    }

    /// Every split that the user changed, with the share of its first part.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f32)> {
        self.shares.iter().map(|(name, share)| (name.as_str(), *share))
    }

    /// Divides an area: as the user wants it, else by the constraints. Where there is no room for
    /// two parts that show something, the user's share is for other terminals.
    pub fn split(
        &self,
        name: &str,
        direction: Direction,
        constraints: [Constraint; 2],
        area: Rect,
    ) -> [Rect; 2] {
        match self.first(name, direction, area) {
            None => Layout::new(direction, constraints).areas(area),
            Some(first) => {
                let constraints = [Constraint::Length(first), Constraint::Fill(1)];
                Layout::new(direction, constraints).areas(area)
            }
        }
    }

    /// Columns or rows of the first part, where the user chose them and there is room.
    pub fn first(&self, name: &str, direction: Direction, area: Rect) -> Option<u16> {
        let share = self.shares.get(name).filter(|_| is_movable(direction, area))?;
        let first = (share * f32::from(length(direction, area))).round() as u16;
        Some(within(direction, area, first))
    }

    /// Puts the border of a split behind so many columns or rows of its area.
    pub fn place(&mut self, name: &str, direction: Direction, area: Rect, first: u16) {
        if is_movable(direction, area) {
            let first = within(direction, area, first);
            self.set(name, f32::from(first) / f32::from(length(direction, area)));
        }
    }
}

/// Columns or rows that are divided.
fn length(direction: Direction, area: Rect) -> u16 {
    match direction {
        Direction::Horizontal => area.width,
        Direction::Vertical => area.height,
    }
}

fn least(direction: Direction) -> u16 {
    match direction {
        Direction::Horizontal => LEAST.0,
        Direction::Vertical => LEAST.1,
    }
}

/// Whether both parts can have what they need at least.
pub fn is_movable(direction: Direction, area: Rect) -> bool {
    length(direction, area) >= 2 * least(direction)
}

fn within(direction: Direction, area: Rect, first: u16) -> u16 {
    let least = least(direction);
    first.clamp(least, (length(direction, area) - least).max(least))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPLIT: [Constraint; 2] = [Constraint::Length(30), Constraint::Fill(1)];

    fn widths(panes: &Panes, width: u16) -> (u16, u16) {
        let area = Rect::new(3, 1, width, 20);
        let [a, b] = panes.split("list", Direction::Horizontal, SPLIT, area);
        assert_eq!((a.x, b.x, b.right()), (3, a.right(), area.right()), "nothing is left over");
        (a.width, b.width)
    }

    #[test]
    fn a_border_stands_where_it_was_put_and_both_parts_keep_room() {
        let mut panes = Panes::default();
        assert_eq!(widths(&panes, 80), (30, 50));
        for (wanted, got) in [(20, 20), (1, 14), (79, 66), (500, 66)] {
            panes.place("list", Direction::Horizontal, Rect::new(3, 1, 80, 20), wanted);
            assert_eq!(widths(&panes, 80), (got, 80 - got));
        }
        panes.reset("list");
        assert_eq!(widths(&panes, 80), (30, 50));
    }

    #[test]
    fn every_column_can_be_chosen_in_wide_terminals() {
        let mut panes = Panes::default();
        for wanted in 14..=286 {
            panes.place("list", Direction::Horizontal, Rect::new(0, 0, 300, 20), wanted);
            assert_eq!(widths(&panes, 300).0, wanted);
        }
    }

    #[test]
    fn a_share_holds_in_other_terminals_where_there_is_room() {
        let mut panes = Panes::default();
        panes.place("list", Direction::Horizontal, Rect::new(0, 0, 200, 60), 100);
        assert_eq!(widths(&panes, 80), (40, 40));
        assert_eq!(widths(&panes, 28), (14, 14));
        // Too narrow for two: the screen knows better.
        assert_eq!(widths(&panes, 27), (27, 0));
    }

    #[test]
    fn shares_that_nobody_can_have_chosen_are_left_out() {
        let mut panes = Panes::default();
        for share in [f32::NAN, 0.0, -1.0, 1.0, f32::INFINITY] {
            panes.set("list", share);
        }
        assert_eq!(panes.iter().count(), 0);
    }
}
