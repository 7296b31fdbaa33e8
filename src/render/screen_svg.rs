use super::Grid;
use super::tree_svg::escape_xml;
use std::fmt::Write;

/// Size of one cell in pixels.
const W: f64 = 8.5;
const H: f64 = 18.0;

/// Colours (red, green, blue) and attributes of a cell of a screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Paint {
    /// `None`: the default of the picture.
    pub foreground: Option<[u8; 3]>,
    pub background: Option<[u8; 3]>,
    pub bold: bool,
    pub dim: bool,
    pub italic: bool,
    pub underlined: bool,
}

/// A screen as an SVG picture. Braille dots become circles, and blocks and lines become shapes,
/// because fonts lack the former and leave gaps between the latter.
pub fn screen_to_svg(screen: &Grid<Paint>, foreground: [u8; 3], background: [u8; 3]) -> String {
    let mut backgrounds = String::new();
    let mut shapes = String::new();
    let mut texts = String::new();
    for row in 0..screen.height() {
        let cells = screen.row(row);
        let mut column = 0;
        while column < cells.len() {
            let style = cells[column].style;
            let same = cells[column..].iter().take_while(|cell| cell.style == style).count();
            let (x, y) = (column as f64 * W, row as f64 * H);
            if let Some(colour) = style.background {
                let (colour, width) = (hex(colour), same as f64 * W);
                let _ = writeln!(
                    backgrounds,
                    "<rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"{H}\" fill=\"{colour}\"/>"
                );
            }
            let mut run = Run { row, style, fill: hex(style.foreground.unwrap_or(foreground)) };
            run.draw(&cells[column..column + same], column, &mut shapes, &mut texts);
            column += same;
        }
    }
    let (width, height) = (screen.width() as f64 * W, screen.height() as f64 * H);
    let fill = hex(background);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{fill}\"/>\n{backgrounds}{shapes}\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" \
         xml:space=\"preserve\">\n{texts}</g>\n</svg>\n"
    )
}

/// Neighbouring cells of one style.
struct Run {
    row: usize,
    style: Paint,
    fill: String,
}

impl Run {
    fn draw(
        &mut self,
        cells: &[super::Cell<Paint>],
        first: usize,
        shapes: &mut String,
        texts: &mut String,
    ) {
        let mut start = 0;
        while start < cells.len() {
            let x = (first + start) as f64 * W;
            if let Some(shape) = glyph_shape(&cells[start].text, x, self.row as f64 * H) {
                let opacity = if self.style.dim { " opacity=\"0.6\"" } else { "" };
                let fill = &self.fill;
                let _ = writeln!(shapes, "<g fill=\"{fill}\" stroke=\"none\"{opacity}>{shape}</g>");
                start += 1;
                continue;
            }
            let is_text = |cell: &super::Cell<Paint>| glyph_shape(&cell.text, 0.0, 0.0).is_none();
            let length = cells[start..].iter().take_while(|c| is_text(c)).count();
            let text: String = cells[start..start + length].iter().map(|c| &*c.text).collect();
            if !text.trim().is_empty() || self.style.underlined {
                self.text(&text, x, length, texts);
            }
            start += length;
        }
    }

    fn text(&self, text: &str, x: f64, columns: usize, out: &mut String) {
        let Paint { bold, dim, italic, underlined, .. } = self.style;
        let y = self.row as f64 * H + 13.5;
        let (width, fill) = (columns as f64 * W, &self.fill);
        let _ = write!(
            out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{width:.1}\" fill=\"{fill}\""
        );
        for (set, attribute) in [
            (bold, " font-weight=\"bold\""),
            (dim, " opacity=\"0.6\""),
            (italic, " font-style=\"italic\""),
            (underlined, " text-decoration=\"underline\""),
        ] {
            if set {
                out.push_str(attribute);
            }
        }
        let text = escape_xml(text);
        let _ = writeln!(out, " xml:space=\"preserve\">{text}</text>");
    }
}

/// SVG for a glyph that is drawn as shapes, in the cell at `(x, y)`.
fn glyph_shape(glyph: &str, x: f64, y: f64) -> Option<String> {
    let mut chars = glyph.chars();
    let (Some(c), None) = (chars.next(), chars.next()) else { return None };
    // Crisp edges leave no seam between blocks that touch.
    let rect = |fx: f64, fy: f64, fw: f64, fh: f64, opacity: f64| {
        let (rx, ry, rw, rh) = (x + fx * W, y + fy * H, fw * W, fh * H);
        let opacity = match opacity < 1.0 {
            true => format!(" fill-opacity=\"{opacity}\""),
            false => String::new(),
        };
        Some(format!(
            "<rect x=\"{rx:.2}\" y=\"{ry:.2}\" width=\"{rw:.2}\" height=\"{rh:.2}\" \
             shape-rendering=\"crispEdges\"{opacity}/>"
        ))
    };
    match c {
        '\u{2800}'..='\u{28ff}' => Some(braille(c as u32 - 0x2800, x, y)),
        '▀' => rect(0.0, 0.0, 1.0, 0.5, 1.0),
        '▁'..='█' => {
            let eighths = f64::from(c as u32 - '▁' as u32 + 1) / 8.0;
            rect(0.0, 1.0 - eighths, 1.0, eighths, 1.0)
        }
        '▉'..='▏' => {
            let eighths = f64::from('▏' as u32 - c as u32 + 1) / 8.0;
            rect(0.0, 0.0, eighths, 1.0, 1.0)
        }
        '▐' => rect(0.5, 0.0, 0.5, 1.0, 1.0),
        '░' => rect(0.0, 0.0, 1.0, 1.0, 0.25),
        '▒' => rect(0.0, 0.0, 1.0, 1.0, 0.5),
        '▓' => rect(0.0, 0.0, 1.0, 1.0, 0.75),
        _ => arms(c).map(|arms| lines(arms, x, y)),
    }
}

/// Dots 1 to 8 of a braille cell are bits 0 to 7; the last row came later, hence the order.
fn braille(bits: u32, x: f64, y: f64) -> String {
    const DOTS: [(f64, f64); 8] =
        [(0., 0.), (0., 1.), (0., 2.), (1., 0.), (1., 1.), (1., 2.), (0., 3.), (1., 3.)];
    let mut out = String::new();
    for (bit, (column, row)) in DOTS.iter().enumerate() {
        if bits & (1 << bit) != 0 {
            let (cx, cy) = (x + (0.25 + 0.5 * column) * W, y + (0.125 + 0.25 * row) * H);
            let _ = write!(out, "<circle cx=\"{cx:.2}\" cy=\"{cy:.2}\" r=\"1.5\"/>");
        }
    }
    out
}

/// Thickness of the arms (up, right, down, left) of a line character.
fn arms(c: char) -> Option<[u8; 4]> {
    const ARMS: [(&str, [u8; 4]); 11] = [
        ("─━═╌┄", [0, 1, 0, 1]),
        ("│┃║╎┆", [1, 0, 1, 0]),
        ("┌┏╔╭", [0, 1, 1, 0]),
        ("┐┓╗╮", [0, 0, 1, 1]),
        ("└┗╚╰", [1, 1, 0, 0]),
        ("┘┛╝╯", [1, 0, 0, 1]),
        ("├┣╠", [1, 1, 1, 0]),
        ("┤┫╣", [1, 0, 1, 1]),
        ("┬┳╦", [0, 1, 1, 1]),
        ("┴┻╩", [1, 1, 0, 1]),
        ("┼╋╬", [1, 1, 1, 1]),
    ];
    let (set, arms) = ARMS.iter().find(|(set, _)| set.contains(c))?;
    // The second of every set is the heavy one, the third the double one.
    let heavy = set.chars().position(|s| s == c).is_some_and(|place| place == 1 || place == 2);
    Some(arms.map(|arm| if heavy { 2 * arm } else { arm }))
}

fn lines([up, right, down, left]: [u8; 4], x: f64, y: f64) -> String {
    let (cx, cy) = (x + W / 2.0, y + H / 2.0);
    let mut out = String::new();
    let mut rect = |x: f64, y: f64, w: f64, h: f64| {
        let _ = write!(out, "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{w:.2}\" height=\"{h:.2}\"/>");
    };
    let thick = f64::from(up.max(right).max(down).max(left)) * 1.1;
    let half = thick / 2.0;
    if up > 0 || down > 0 {
        let (from, to) =
            (if up > 0 { y } else { cy - half }, if down > 0 { y + H } else { cy + half });
        rect(cx - half, from, thick, to - from);
    }
    if left > 0 || right > 0 {
        let (from, to) =
            (if left > 0 { x } else { cx - half }, if right > 0 { x + W } else { cx + half });
        rect(from, cy - half, to - from, thick);
    }
    out
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(text: &str, style: Paint) -> String {
        let mut screen = Grid::new(8, 1);
        screen.write(0, 0, text, style);
        screen_to_svg(&screen, [255; 3], [0; 3])
    }

    #[test]
    fn braille_dots_are_circles_and_blocks_and_lines_are_rectangles() {
        assert_eq!(svg("⣿⠁", Paint::default()).matches("<circle").count(), 9);
        assert!(!svg("▄│░", Paint::default()).contains("<text"));
        assert_eq!(svg("┼", Paint::default()).matches("<rect").count(), 3);
    }

    #[test]
    fn text_is_escaped_and_keeps_its_colours() {
        let style = Paint { foreground: Some([1, 2, 3]), bold: true, ..Paint::default() };
        let out = svg("a<b&c", style);
        assert!(out.contains("fill=\"#010203\" font-weight=\"bold\""), "{out}");
        assert!(out.contains(">a&lt;b&amp;c</text>"), "{out}");
    }

    #[test]
    fn backgrounds_are_drawn_where_they_differ_from_the_default() {
        let style = Paint { background: Some([9, 9, 9]), ..Paint::default() };
        assert_eq!(svg("ab", style).matches("#090909").count(), 1);
    }
}
