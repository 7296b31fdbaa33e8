use super::{Grid, Hit, Ink, Role, width};

/// Characters for lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Charset {
    #[default]
    Unicode,
    Ascii,
}

/// Directions in which a joint goes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Joint {
    pub up: bool,
    pub down: bool,
    pub left: bool,
    pub right: bool,
}

impl Charset {
    pub(super) fn is_ascii(self) -> bool {
        self == Charset::Ascii
    }

    /// Stands where a text goes on beyond the edge of a window.
    pub(super) fn cut(self) -> &'static str {
        if self.is_ascii() { "~" } else { "…" }
    }

    /// A phrase without a label of which only one line would be seen.
    pub(super) fn dot(self) -> &'static str {
        if self.is_ascii() { "*" } else { "•" }
    }

    pub(super) fn joint(self, joint: Joint) -> &'static str {
        let Joint { up, down, left, right } = joint;
        let (column, row) = (up || down, left || right);
        match self {
            Charset::Ascii if column && row => "+",
            Charset::Ascii if row => "-",
            Charset::Ascii => "|",
            Charset::Unicode => match (up, down, left, right) {
                (_, _, false, false) => "│",
                (false, false, _, _) => "─",
                (false, true, false, true) => "┌",
                (false, true, true, false) => "┐",
                (false, true, true, true) => "┬",
                (true, false, false, true) => "└",
                (true, false, true, false) => "┘",
                (true, false, true, true) => "┴",
                (true, true, false, true) => "├",
                (true, true, true, false) => "┤",
                (true, true, true, true) => "┼",
            },
        }
    }
}

/// Something drawn; rows and columns count from 0, `to` is not included.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Across { row: usize, from: usize, to: usize, text: &'static str },
    Down { column: usize, from: usize, to: usize, text: &'static str },
    Joint { row: usize, column: usize, joint: Joint, text: &'static str },
    Text { row: usize, column: usize, width: usize, text: Box<str>, ink: Ink },
}

/// A laid out tree: shapes at fixed places, of which any window can be drawn. Later shapes cover
/// earlier ones; texts never overlap each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    width: usize,
    height: usize,
    charset: Charset,
    pub(super) shapes: Vec<Shape>,
}

impl Picture {
    /// Nothing yet.
    pub(super) fn new(charset: Charset) -> Picture {
        Picture { charset, ..Picture::default() }
    }

    /// Columns of the whole picture.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows of the whole picture.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Column and row of the first text that has a role, as texts follow each other in the tree.
    pub fn first(&self, role: Role) -> Option<(usize, usize)> {
        self.shapes.iter().find_map(|shape| match shape {
            Shape::Text { row, column, ink, .. } if ink.role == role => Some((*column, *row)),
            _ => None,
        })
    }

    /// Column and row of the first text with this mark of a search.
    pub fn hit(&self, hit: Hit) -> Option<(usize, usize)> {
        self.shapes.iter().find_map(|shape| match shape {
            Shape::Text { row, column, ink, .. } if ink.hit == hit => Some((*column, *row)),
            _ => None,
        })
    }

    /// The cells of a window whose upper left corner is `(column, row)`; beyond the picture
    /// there are blanks. Where an edge cuts a text, a sign says so: half a label would be
    /// another label.
    pub fn window(&self, column: usize, row: usize, width: usize, height: usize) -> Grid<Ink> {
        let mut grid = Grid::new(width, height);
        let line = Ink { role: Role::Line, ..Ink::default() };
        let rows = row..row + height;
        let columns = column..column + width;
        for shape in &self.shapes {
            match shape {
                Shape::Across { row: r, from, to, text } if rows.contains(r) => {
                    for c in (*from).max(columns.start)..(*to).min(columns.end) {
                        grid.set(r - row, c - column, text, line);
                    }
                }
                Shape::Down { column: c, from, to, text } if columns.contains(c) => {
                    for r in (*from).max(rows.start)..(*to).min(rows.end) {
                        grid.set(r - row, c - column, text, line);
                    }
                }
                Shape::Joint { row: r, column: c, text, .. }
                    if rows.contains(r) && columns.contains(c) =>
                {
                    grid.set(r - row, c - column, text, line);
                }
                Shape::Text { row: r, column: c, width: w, text, ink }
                    if rows.contains(r) && *c < columns.end && c + w > columns.start =>
                {
                    grid.write(r - row, *c as isize - column as isize, text, *ink);
                    if *c < columns.start {
                        grid.set(r - row, 0, self.charset.cut(), *ink);
                    }
                    if c + w > columns.end {
                        grid.set(r - row, grid.width() - 1, self.charset.cut(), *ink);
                    }
                }
                _ => {}
            }
        }
        grid
    }

    /// The whole picture as lines of text.
    pub fn lines(&self) -> Vec<String> {
        self.window(0, 0, self.width, self.height).lines()
    }

    pub(super) fn across(&mut self, row: usize, from: usize, to: usize, charset: Charset) {
        let text = charset.joint(Joint { left: true, right: true, ..Joint::default() });
        self.reach(row + 1, to);
        self.shapes.push(Shape::Across { row, from, to, text });
    }

    pub(super) fn down(&mut self, column: usize, from: usize, to: usize, charset: Charset) {
        let text = charset.joint(Joint { up: true, down: true, ..Joint::default() });
        self.reach(to, column + 1);
        self.shapes.push(Shape::Down { column, from, to, text });
    }

    pub(super) fn joint(&mut self, row: usize, column: usize, joint: Joint, charset: Charset) {
        self.reach(row + 1, column + 1);
        self.shapes.push(Shape::Joint { row, column, joint, text: charset.joint(joint) });
    }

    pub(super) fn dot(&mut self, row: usize, column: usize, charset: Charset) {
        self.reach(row + 1, column + 1);
        let joint = Joint { up: true, down: true, ..Joint::default() };
        self.shapes.push(Shape::Joint { row, column, joint, text: charset.dot() });
    }

    /// Adds clean text and gives the column behind it.
    pub(super) fn text(&mut self, row: usize, column: usize, text: &str, ink: Ink) -> usize {
        let width = width(text);
        self.reach(row + 1, column + width);
        self.shapes.push(Shape::Text { row, column, width, text: text.into(), ink });
        column + width
    }

    fn reach(&mut self, height: usize, width: usize) {
        self.height = self.height.max(height);
        self.width = self.width.max(width);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Diagram;
    use super::*;
    use std::collections::HashMap;

    /// Texts by role, sorted, without the signs of marks.
    fn texts(picture: &Picture, roles: &[Role]) -> Vec<String> {
        let mut texts: Vec<String> = picture
            .shapes
            .iter()
            .filter_map(|shape| match shape {
                Shape::Text { text, ink, .. } if roles.contains(&ink.role) => {
                    Some(text.to_string())
                }
                _ => None,
            })
            .collect();
        texts.sort();
        texts
    }

    /// Every word, tag and label stands in the picture exactly once, no text covers another,
    /// and every window shows the same cells as the whole.
    pub fn check(diagram: &Diagram, picture: &Picture) {
        let sorted = |mut texts: Vec<String>| {
            texts.retain(|t| !t.is_empty());
            texts.sort();
            texts
        };
        let nodes = diagram.nodes().iter();
        let words = nodes.clone().filter_map(|n| n.word.as_deref().map(str::to_owned)).collect();
        let labels = nodes.map(|n| n.label.to_string()).collect();
        assert_eq!(texts(picture, &[Role::Word, Role::UnknownWord]), sorted(words));
        assert_eq!(texts(picture, &[Role::Label, Role::Tag]), sorted(labels));

        let mut taken: HashMap<(usize, usize), &str> = HashMap::new();
        for shape in &picture.shapes {
            let Shape::Text { row, column, width, text, .. } = shape else { continue };
            for c in *column..column + width {
                let before = taken.insert((*row, c), text);
                assert!(before.is_none(), "{text:?} covers {before:?} at {row}, {c}");
            }
        }
        let whole = picture.window(0, 0, picture.width(), picture.height());
        let (x, y) = (picture.width() / 3, picture.height() / 3);
        let part = picture.window(x, y, picture.width() - x, picture.height() - y);
        for row in 0..part.height() {
            let (seen, there) = (part.row(row), &whole.row(row + y)[x..]);
            for c in 0..part.width() {
                // At the left edge a text may be cut, and a wide character with it.
                let is_cut = |cell: &crate::render::Cell<Ink>| ["…", "~"].contains(&&*cell.text);
                let cut = (c == 0 && is_cut(&seen[0]))
                    || (c == 1 && is_cut(&seen[0]) && &*seen[1].text == " ");
                assert!(cut || seen[c] == there[c], "{seen:?} of {there:?}");
            }
        }
    }
}
