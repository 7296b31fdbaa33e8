use super::{Hit, Mark};
use std::borrow::Cow;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// What a cell of a tree or chart shows; views choose colours by it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Role {
    #[default]
    Blank,
    Line,
    /// Label of a phrase.
    Label,
    /// Part-of-speech tag or preterminal.
    Tag,
    Word,
    /// A word that the vocabulary does not hold.
    UnknownWord,
    /// Posterior probability of a span in percent, 0 to 100.
    Heat(u8),
}

/// Role and marks of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ink {
    pub role: Role,
    pub mark: Mark,
    pub hit: Hit,
}

/// One terminal cell: a grapheme, or nothing where the wide grapheme to its left goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell<S> {
    pub text: Box<str>,
    pub style: S,
}

/// A rectangle of cells with a style of the caller's choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid<S> {
    width: usize,
    height: usize,
    cells: Vec<Cell<S>>,
}

impl<S: Copy + Default> Grid<S> {
    /// Blank cells.
    pub fn new(width: usize, height: usize) -> Grid<S> {
        let blank = Cell { text: " ".into(), style: S::default() };
        Grid { width, height, cells: vec![blank; width * height] }
    }

    pub fn width(&self) -> usize {
        self.width
    }

    pub fn height(&self) -> usize {
        self.height
    }

    /// Cells of a row from left to right.
    pub fn row(&self, row: usize) -> &[Cell<S>] {
        &self.cells[row * self.width..(row + 1) * self.width]
    }

    /// Writes one grapheme; what does not fit into the grid is left out.
    pub fn set(&mut self, row: usize, column: usize, text: &str, style: S) {
        let wide = width(text).max(1);
        if row >= self.height || column + wide > self.width {
            return;
        }
        let at = row * self.width + column;
        // Of a wide grapheme that is covered in part, nothing stays.
        if self.cells[at].text.is_empty() && column > 0 {
            self.cells[at - 1].text = " ".into();
        }
        if column + wide < self.width && self.cells[at + wide].text.is_empty() {
            self.cells[at + wide].text = " ".into();
        }
        self.cells[at] = Cell { text: text.into(), style };
        for cell in &mut self.cells[at + 1..at + wide] {
            *cell = Cell { text: "".into(), style };
        }
    }

    /// Writes text that starts at `column`, which may lie left of the grid; it is cut at both
    /// edges, and half a wide character becomes a blank.
    pub fn write(&mut self, row: usize, column: isize, text: &str, style: S) {
        let mut at = column;
        for grapheme in text.graphemes(true) {
            let wide = width(grapheme) as isize;
            if at >= self.width as isize {
                break;
            }
            if at >= 0 && at + wide <= self.width as isize {
                self.set(row, at as usize, grapheme, style);
            }
            at += wide;
        }
    }

    /// The rows as text, blanks at their ends left out.
    pub fn lines(&self) -> Vec<String> {
        (0..self.height)
            .map(|row| {
                let line: String = self.row(row).iter().map(|cell| &*cell.text).collect();
                line.trim_end().to_owned()
            })
            .collect()
    }
}

/// Columns that text takes on a terminal; text must be [`clean`].
pub fn width(text: &str) -> usize {
    text.graphemes(true).map(|g| g.width().max(1)).sum()
}

/// Text that cannot disturb a terminal: control and direction characters become U+FFFD, and a
/// combining mark without a base gets a dotted circle to sit on.
pub fn clean(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let mut text = Cow::Borrowed(text);
    if text.contains(hidden) {
        text = Cow::Owned(text.replace(hidden, "\u{fffd}"));
    }
    if text.graphemes(true).next().is_some_and(|first| first.width() == 0) {
        text = Cow::Owned(format!("\u{25cc}{text}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_and_combined_characters_take_the_columns_that_a_terminal_gives_them() {
        assert_eq!(width("þæt"), 3);
        assert_eq!(width("言語"), 4);
        assert_eq!(width("e\u{301}te\u{301}"), 3);
        let mut grid: Grid<Ink> = Grid::new(6, 1);
        grid.write(0, 0, "言e\u{301}語", Ink::default());
        let texts: Vec<&str> = grid.row(0).iter().map(|c| &*c.text).collect();
        assert_eq!(texts, ["言", "", "e\u{301}", "語", "", " "]);
    }

    #[test]
    fn text_is_cut_at_both_edges_without_half_characters() {
        let mut grid: Grid<Ink> = Grid::new(4, 1);
        grid.write(0, -1, "言語言", Ink::default());
        assert_eq!(grid.lines(), [" 語"]);
    }

    #[test]
    fn what_covers_half_a_wide_character_leaves_a_blank_for_the_other_half() {
        for (column, expected) in [(0, "x 語"), (1, " x語"), (2, "言x"), (3, "言 x")] {
            let mut grid: Grid<Ink> = Grid::new(4, 1);
            grid.write(0, 0, "言語", Ink::default());
            grid.set(0, column, "x", Ink::default());
            assert_eq!(grid.lines(), [expected]);
        }
    }

    #[test]
    fn control_characters_and_lone_marks_are_made_visible() {
        assert_eq!(clean("a\u{1b}[2J"), "a\u{fffd}[2J");
        assert_eq!(clean("\u{301}x"), "\u{25cc}\u{301}x");
        assert_eq!(clean("hús"), "hús");
    }
}
