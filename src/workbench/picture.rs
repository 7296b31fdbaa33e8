//! A screen buffer as an SVG picture, e.g. for the README.

use super::theme::ThemeName;
use crate::render::{Grid, Paint, screen_to_svg};
use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

/// Draws what a terminal would show; `theme` gives the colours where a cell names none.
pub fn svg(buffer: &Buffer, theme: ThemeName) -> String {
    let (foreground, background) = match theme {
        ThemeName::Light | ThemeName::SafeLight => ([0x22, 0x22, 0x22], [0xff, 0xff, 0xff]),
        ThemeName::Dark | ThemeName::Safe | ThemeName::Mono => {
            ([0xdd, 0xdd, 0xdd], [0x16, 0x18, 0x1c])
        }
    };
    let area = buffer.area;
    let mut grid = Grid::new(usize::from(area.width), usize::from(area.height));
    for y in 0..area.height {
        let mut covered = 0;
        for x in 0..area.width {
            let cell = &buffer[(area.x + x, area.y + y)];
            if covered == 0 {
                covered = crate::render::width(cell.symbol()).max(1);
                let paint = paint(cell, foreground, background);
                grid.set(usize::from(y), usize::from(x), cell.symbol(), paint);
            }
            covered -= 1;
        }
    }
    screen_to_svg(&grid, foreground, background)
}

fn paint(cell: &Cell, foreground: [u8; 3], background: [u8; 3]) -> Paint {
    let has = |modifier| cell.modifier.contains(modifier);
    let (mut fg, mut bg) = (rgb(cell.fg), rgb(cell.bg));
    if has(Modifier::REVERSED) {
        (fg, bg) = (Some(bg.unwrap_or(background)), Some(fg.unwrap_or(foreground)));
    }
    Paint {
        foreground: fg,
        background: bg,
        bold: has(Modifier::BOLD),
        dim: has(Modifier::DIM),
        italic: has(Modifier::ITALIC),
        underlined: has(Modifier::UNDERLINED),
    }
}

/// The colours of xterm; `None` is the terminal's default.
fn rgb(color: Color) -> Option<[u8; 3]> {
    const BASIC: [[u8; 3]; 16] = [
        [0, 0, 0],
        [205, 0, 0],
        [0, 205, 0],
        [205, 205, 0],
        [0, 0, 238],
        [205, 0, 205],
        [0, 205, 205],
        [229, 229, 229],
        [127, 127, 127],
        [255, 0, 0],
        [0, 255, 0],
        [255, 255, 0],
        [92, 92, 255],
        [255, 0, 255],
        [0, 255, 255],
        [255, 255, 255],
    ];
    let index = match color {
        Color::Reset => return None,
        Color::Rgb(r, g, b) => return Some([r, g, b]),
        Color::Indexed(i) => i,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
    };
    Some(match index {
        0..16 => BASIC[usize::from(index)],
        // A cube of six levels a channel, then 24 greys.
        16..232 => {
            let i = index - 16;
            let level = |n: u8| if n == 0 { 0 } else { 55 + 40 * n };
            [level(i / 36), level(i / 6 % 6), level(i % 6)]
        }
        232.. => [8 + 10 * (index - 232); 3],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    #[test]
    fn colours_and_attributes_reach_the_picture() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        buffer.set_string(0, 0, "言a", Style::new().fg(Color::Indexed(75)).bold());
        buffer.set_string(3, 0, "⣿", Style::new().reversed());
        let out = svg(&buffer, ThemeName::Dark);
        assert!(out.contains("fill=\"#5fafff\" font-weight=\"bold\""), "{out}");
        assert_eq!(out.matches("<circle").count(), 8);
        assert!(out.contains(">言a</text>"), "{out}");
    }

    #[test]
    fn palette_indices_are_those_of_xterm() {
        assert_eq!(rgb(Color::Indexed(16)), Some([0, 0, 0]));
        assert_eq!(rgb(Color::Indexed(231)), Some([255, 255, 255]));
        assert_eq!(rgb(Color::Indexed(232)), Some([8, 8, 8]));
        assert_eq!(rgb(Color::Indexed(255)), Some([238, 238, 238]));
    }
}
