//! Dots, eight to a cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Bits of a braille cell by row and column of the dot.
const BITS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];

/// A grid of dots, two columns and four rows a cell; row 0 is at the top.
pub struct Canvas {
    width: usize,
    height: usize,
    cells: Vec<u8>,
    styles: Vec<Style>,
}

impl Canvas {
    /// For an area of that many cells.
    pub fn new(width: u16, height: u16) -> Canvas {
        let n = usize::from(width) * usize::from(height);
        Canvas {
            width: usize::from(width),
            height: usize::from(height),
            cells: vec![0; n],
            styles: vec![Style::new(); n],
        }
    }

    pub fn columns(&self) -> usize {
        self.width * 2
    }

    pub fn rows(&self) -> usize {
        self.height * 4
    }

    /// Sets a dot; dots outside are left out.
    pub fn dot(&mut self, column: i64, row: i64, style: Style) {
        let (Ok(c), Ok(r)) = (usize::try_from(column), usize::try_from(row)) else { return };
        if c < self.columns() && r < self.rows() {
            let i = r / 4 * self.width + c / 2;
            self.cells[i] |= BITS[r % 4][c % 2];
            self.styles[i] = style;
        }
    }

    /// A vertical stroke, a cell at a time.
    pub fn stroke(&mut self, column: i64, row_a: i64, row_b: i64, style: Style) {
        let last = self.rows() as i64 - 1;
        let (top, bottom) = (row_a.min(row_b).max(0), row_a.max(row_b).min(last));
        let Ok(c) = usize::try_from(column) else { return };
        if c >= self.columns() || top > bottom {
            return;
        }
        let (top, bottom) = (top as usize, bottom as usize);
        for cell in top / 4..=bottom / 4 {
            let (from, to) = (top.saturating_sub(cell * 4), (bottom - cell * 4).min(3));
            let bits = BITS[from..=to].iter().fold(0, |bits, row| bits | row[c % 2]);
            let i = cell * self.width + c / 2;
            self.cells[i] |= bits;
            self.styles[i] = style;
        }
    }

    /// Whether a stroke would add no dot.
    pub fn is_filled(&self, column: i64, row_a: i64, row_b: i64) -> bool {
        let last = self.rows() as i64 - 1;
        let (top, bottom) = (row_a.min(row_b).max(0), row_a.max(row_b).min(last));
        let Some(c) = usize::try_from(column).ok().filter(|&c| c < self.columns()) else {
            return true;
        };
        (top..=bottom).all(|row| {
            let r = row as usize;
            self.cells[r / 4 * self.width + c / 2] & BITS[r % 4][c % 2] != 0
        })
    }

    /// A line between two dots, without holes; only the part inside costs time.
    pub fn line(&mut self, from: (i64, i64), to: (i64, i64), style: Style) {
        let (a, b) = if from.0 <= to.0 { (from, to) } else { (to, from) };
        if a.0 == b.0 {
            return self.stroke(a.0, a.1, b.1, style);
        }
        let slope = (b.1 - a.1) as f64 / (b.0 - a.0) as f64;
        let row = |x: i64| (a.1 as f64 + (x - a.0) as f64 * slope).round() as i64;
        for column in a.0.max(0)..=b.0.min(self.columns() as i64 - 1) {
            // From beside the dot before, so that steep lines have no holes.
            let (here, before) = (row(column), row((column - 1).max(a.0)));
            self.stroke(column, before + (here - before).signum(), here, style);
        }
    }

    /// Whether a cell has dots.
    pub fn is_set(&self, x: u16, y: u16) -> bool {
        self.cells.get(usize::from(y) * self.width + usize::from(x)).is_some_and(|c| *c != 0)
    }

    /// Writes the cells that have dots.
    pub fn render(&self, area: Rect, buffer: &mut Buffer) {
        self.write(area, buffer, None);
    }

    /// Writes a symbol where cells have dots, for terminals that have no dots.
    pub fn render_as(&self, symbol: &str, area: Rect, buffer: &mut Buffer) {
        self.write(area, buffer, Some(symbol));
    }

    fn write(&self, area: Rect, buffer: &mut Buffer, symbol: Option<&str>) {
        for (i, (&bits, style)) in self.cells.iter().zip(&self.styles).enumerate() {
            if bits == 0 {
                continue;
            }
            let x = area.x + (i % self.width) as u16;
            let y = area.y + (i / self.width) as u16;
            let Some(cell) = buffer.cell_mut((x, y)) else { continue };
            match symbol {
                Some(symbol) => cell.set_symbol(symbol),
                None => cell.set_char(char::from_u32(0x2800 + u32::from(bits)).unwrap_or('*')),
            };
            cell.set_style(*style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(canvas: &Canvas, width: u16, height: u16) -> Vec<String> {
        let area = Rect::new(0, 0, width, height);
        let mut buffer = Buffer::empty(area);
        canvas.render(area, &mut buffer);
        (0..height)
            .map(|y| (0..width).map(|x| buffer[(x, y)].symbol().to_owned()).collect())
            .collect()
    }

    #[test]
    fn a_diagonal_has_no_holes() {
        let mut canvas = Canvas::new(2, 1);
        canvas.line((0, 3), (3, 0), Style::new());
        assert_eq!(picture(&canvas, 2, 1), ["⡠⠊"]);
        let mut steep = Canvas::new(1, 2);
        steep.line((0, 7), (1, 0), Style::new());
        assert_eq!(picture(&steep, 1, 2), ["⢸", "⡸"]);
    }

    #[test]
    fn what_is_outside_is_left_out() {
        let mut canvas = Canvas::new(1, 1);
        canvas.line((-1_000_000_000, -5), (1_000_000_000, -5), Style::new());
        canvas.dot(9, 9, Style::new());
        canvas.stroke(0, -100, 100, Style::new());
        assert_eq!(picture(&canvas, 1, 1), ["⡇"]);
    }
}
