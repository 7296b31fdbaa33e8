//! A drawing of lines and texts, as SVG or as a PNG picture of its own making: no fonts are looked
//! for, so that the same drawing gives the same bytes on every machine.

use super::letters;
use flate2::{Compression, Crc, write::ZlibEncoder};
use std::fmt::Write as _;
use std::io::Write as _;

/// Pixels of a PNG picture for a unit of the drawing.
const SCALE: f64 = 2.0;

/// Red, green and blue.
pub type Colour = [u8; 3];

/// Where a text stands from its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    Start,
    Middle,
    End,
}

/// Something drawn; later shapes cover earlier ones.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// `dashes` are lengths drawn and left out in turn; none is a whole line.
    Line { points: Vec<(f64, f64)>, colour: Colour, width: f64, dashes: &'static [f64] },
    /// One line of text, its foot at `y`.
    Text { x: f64, y: f64, text: String, anchor: Anchor, colour: Colour },
    /// A filled disc.
    Dot { x: f64, y: f64, radius: f64, colour: Colour },
}

/// Shapes on white paper.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    pub width: f64,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// Height of letters, and the room of one.
pub const LETTER: (f64, f64) = (6.0, 12.0);

impl Sheet {
    pub fn line(&mut self, points: Vec<(f64, f64)>, colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points, colour, width, dashes: &[] });
    }

    pub fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, colour: Colour, text: &str) {
        self.shapes.push(Shape::Text { x, y, text: text.to_owned(), anchor, colour });
    }
}

/// As an SVG drawing.
pub fn sheet_to_svg(sheet: &Sheet) -> String {
    let Sheet { width, height, .. } = sheet;
    // Writing to a string cannot fail, so results are dropped.
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"monospace\" font-size=\"10\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for shape in &sheet.shapes {
        let _ = match shape {
            Shape::Line { points, colour, width, dashes } => {
                let points: Vec<String> =
                    points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
                let dashes: Vec<String> = dashes.iter().map(f64::to_string).collect();
                let dashes = match dashes.is_empty() {
                    true => String::new(),
                    false => format!(" stroke-dasharray=\"{}\"", dashes.join(" ")),
                };
                writeln!(
                    svg,
                    "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"\
                     {dashes}/>",
                    points.join(" "),
                    hex(*colour)
                )
            }
            Shape::Text { x, y, text, anchor, colour } => {
                let anchor = match anchor {
                    Anchor::Start => "",
                    Anchor::Middle => " text-anchor=\"middle\"",
                    Anchor::End => " text-anchor=\"end\"",
                };
                let text = escape(text);
                let colour = hex(*colour);
                writeln!(
                    svg,
                    "<text x=\"{x:.1}\" y=\"{y:.1}\"{anchor} fill=\"{colour}\">{text}</text>"
                )
            }
            Shape::Dot { x, y, radius, colour } => {
                let colour = hex(*colour);
                writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{colour}\"/>"
                )
            }
        };
    }
    svg.push_str("</svg>\n");
    svg
}

fn hex([r, g, b]: Colour) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// As a PNG picture of two pixels a unit. Letters that the small alphabet lacks are boxes.
pub fn sheet_to_png(sheet: &Sheet) -> std::io::Result<Vec<u8>> {
    let mut pixels = Pixels::new((sheet.width * SCALE) as usize, (sheet.height * SCALE) as usize);
    for shape in &sheet.shapes {
        match shape {
            Shape::Line { points, colour, width, dashes } => {
                let scaled: Vec<_> = points.iter().map(|(x, y)| (x * SCALE, y * SCALE)).collect();
                for piece in dashed(&scaled, dashes) {
                    for ends in piece.windows(2) {
                        pixels.segment(ends[0], ends[1], width * SCALE, *colour);
                    }
                }
            }
            Shape::Text { x, y, text, anchor, colour } => {
                let width = text.chars().count() as f64 * LETTER.0;
                let x = match anchor {
                    Anchor::Start => *x,
                    Anchor::Middle => x - width / 2.0,
                    Anchor::End => x - width,
                };
                pixels.text((x * SCALE) as i64, (y * SCALE) as i64, text, *colour);
            }
            Shape::Dot { x, y, radius, colour } => {
                let at = (x * SCALE, y * SCALE);
                pixels.segment(at, at, 2.0 * radius * SCALE, *colour);
            }
        }
    }
    pixels.png()
}

/// The parts of a line that are drawn.
fn dashed(points: &[(f64, f64)], dashes: &[f64]) -> Vec<Vec<(f64, f64)>> {
    if dashes.is_empty() || points.is_empty() {
        return vec![points.to_vec()];
    }
    let mut pieces = vec![vec![points[0]]];
    let (mut number, mut left) = (0, dashes[0] * SCALE);
    for ends in points.windows(2) {
        let ((mut x, mut y), (to_x, to_y)) = (ends[0], ends[1]);
        loop {
            let length = (to_x - x).hypot(to_y - y);
            let is_drawn = number % 2 == 0;
            if length <= left {
                left -= length;
                if is_drawn && let Some(piece) = pieces.last_mut() {
                    piece.push((to_x, to_y));
                }
                break;
            }
            let share = left / length;
            (x, y) = (x + (to_x - x) * share, y + (to_y - y) * share);
            match pieces.last_mut() {
                Some(piece) if is_drawn => piece.push((x, y)),
                _ => pieces.push(vec![(x, y)]),
            }
            number = (number + 1) % (dashes.len() / 2 * 2).max(2);
            left = dashes[number % dashes.len()] * SCALE;
        }
    }
    pieces
}

/// A picture under way, white at first.
struct Pixels {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Pixels {
    fn new(width: usize, height: usize) -> Pixels {
        Pixels { width, height, rgb: vec![255; width * height * 3] }
    }

    /// Lays a colour on a pixel; `cover` is the share of it that is covered.
    fn lay(&mut self, x: i64, y: i64, colour: Colour, cover: f64) {
        let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let at = (y * self.width + x) * 3;
        for (pixel, ink) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            let mixed = f64::from(*pixel) * (1.0 - cover) + f64::from(ink) * cover;
            *pixel = mixed.round() as u8;
        }
    }

    /// A line with round ends, smooth at its edges.
    fn segment(&mut self, a: (f64, f64), b: (f64, f64), width: f64, colour: Colour) {
        let reach = width / 2.0 + 1.0;
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let square = dx * dx + dy * dy;
        let columns = (a.0.min(b.0) - reach).max(0.0) as i64
            ..=(a.0.max(b.0) + reach).min(self.width as f64) as i64;
        let rows = (a.1.min(b.1) - reach).max(0.0) as i64
            ..=(a.1.max(b.1) + reach).min(self.height as f64) as i64;
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (x as f64 + 0.5, y as f64 + 0.5);
                let along = ((px - a.0) * dx + (py - a.1) * dy) / square;
                let along = if square > 0.0 { along.clamp(0.0, 1.0) } else { 0.0 };
                let away = (px - a.0 - along * dx).hypot(py - a.1 - along * dy);
                let cover = (width / 2.0 + 0.5 - away).clamp(0.0, 1.0);
                if cover > 0.0 {
                    self.lay(x, y, colour, cover);
                }
            }
        }
    }

    /// Text with its foot at `y`.
    fn text(&mut self, x: i64, y: i64, text: &str, colour: Colour) {
        let size = SCALE as i64;
        for (i, letter) in text.chars().enumerate() {
            let left = x + i as i64 * (LETTER.0 * SCALE) as i64;
            for (row, bits) in letters::rows(letter).into_iter().enumerate() {
                for column in
                    (0..letters::WIDTH).filter(|c| bits >> (letters::WIDTH - 1 - c) & 1 == 1)
                {
                    let top = y + (row as i64 - letters::FOOT) * size;
                    for (down, right) in (0..size * size).map(|n| (n / size, n % size)) {
                        self.lay(left + column as i64 * size + right, top + down, colour, 1.0);
                    }
                }
            }
        }
    }

    fn png(&self) -> std::io::Result<Vec<u8>> {
        let size = |n: usize| u32::try_from(n).map_err(std::io::Error::other);
        let mut head = Vec::new();
        head.extend(size(self.width)?.to_be_bytes());
        head.extend(size(self.height)?.to_be_bytes());
        // Eight bits a channel, red, green and blue, in the one order that there is.
        head.extend([8, 2, 0, 0, 0]);
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        for row in self.rgb.chunks(self.width.max(1) * 3) {
            // Every row as it is.
            packed.write_all(&[0])?;
            packed.write_all(row)?;
        }
        let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
        chunk(&mut out, b"IHDR", &head)?;
        chunk(&mut out, b"IDAT", &packed.finish()?)?;
        chunk(&mut out, b"IEND", &[])?;
        Ok(out)
    }
}

fn chunk(out: &mut Vec<u8>, name: &[u8; 4], data: &[u8]) -> std::io::Result<()> {
    out.extend(u32::try_from(data.len()).map_err(std::io::Error::other)?.to_be_bytes());
    let mut crc = Crc::new();
    crc.update(name);
    crc.update(data);
    out.extend(name);
    out.extend(data);
    out.extend(crc.sum().to_be_bytes());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// Width, height and pixels of a picture, its sums checked.
    fn read(png: &[u8]) -> (usize, usize, Vec<u8>) {
        assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
        let (mut at, mut chunks) = (8, Vec::new());
        while at < png.len() {
            let word = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four"));
            let length = word(at) as usize;
            let mut crc = Crc::new();
            crc.update(&png[at + 4..at + 8 + length]);
            assert_eq!(crc.sum(), word(at + 8 + length));
            chunks.push((png[at + 4..at + 8].to_vec(), png[at + 8..at + 8 + length].to_vec()));
            at += 12 + length;
        }
        let names: Vec<&[u8]> = chunks.iter().map(|c| c.0.as_slice()).collect();
        assert_eq!(names, [b"IHDR", b"IDAT", b"IEND"]);
        let size =
            |i: usize| u32::from_be_bytes(chunks[0].1[i..i + 4].try_into().expect("four")) as usize;
        let (width, height) = (size(0), size(4));
        let mut raw = Vec::new();
        let mut unpacked = flate2::read::ZlibDecoder::new(&chunks[1].1[..]);
        unpacked.read_to_end(&mut raw).expect("unpacks");
        assert_eq!(raw.len(), height * (width * 3 + 1));
        let rows = raw.chunks(width * 3 + 1).flat_map(|row| row[1..].to_vec());
        (width, height, rows.collect())
    }

    #[test]
    fn a_line_and_a_letter_are_where_they_should_be_in_both_formats() {
        let mut sheet = Sheet { width: 40.0, height: 20.0, shapes: Vec::new() };
        sheet.line(vec![(0.0, 5.0), (40.0, 5.0)], [255, 0, 0], 2.0);
        sheet.text((10.0, 18.0), Anchor::Start, [0, 0, 255], "l<");
        let svg = sheet_to_svg(&sheet);
        assert!(svg.contains("points=\"0.0,5.0 40.0,5.0\"") && svg.contains("l&lt;"), "{svg}");
        let png = sheet_to_png(&sheet).expect("writes");
        assert_eq!(png, sheet_to_png(&sheet).expect("writes"), "the same bytes every time");
        let (width, height, rgb) = read(&png);
        assert_eq!((width, height), (80, 40));
        let pixel = |x: usize, y: usize| &rgb[(y * width + x) * 3..(y * width + x) * 3 + 3];
        assert_eq!(pixel(40, 10), [255, 0, 0]);
        assert_eq!(pixel(40, 20), [255, 255, 255]);
        let blue = |xs: std::ops::Range<usize>| {
            xs.flat_map(|x| (20..40).map(move |y| (x, y)))
                .filter(|&(x, y)| pixel(x, y) == [0, 0, 255])
                .count()
        };
        assert!(blue(20..30) > 20 && blue(32..42) > 10 && blue(46..80) == 0);
    }

    #[test]
    fn dashes_leave_out_what_lies_between_them() {
        let pieces = dashed(&[(0.0, 0.0), (20.0, 0.0)], &[3.0, 2.0]);
        let ends: Vec<(f64, f64)> = pieces.iter().map(|p| (p[0].0, p[p.len() - 1].0)).collect();
        assert_eq!(ends, [(0.0, 6.0), (10.0, 16.0)]);
        assert_eq!(dashed(&[(0.0, 0.0), (1.0, 0.0)], &[]).len(), 1);
        assert!(dashed(&[], &[1.0, 1.0]).concat().is_empty());
    }

    #[test]
    fn what_lies_outside_is_left_out() {
        let mut sheet = Sheet { width: 4.0, height: 4.0, shapes: Vec::new() };
        sheet.line(vec![(-50.0, -90.0), (70.0, 1e6)], [0, 0, 0], 1.0);
        sheet.text((-9.0, 99.0), Anchor::End, [0, 0, 0], "outside");
        assert_eq!(read(&sheet_to_png(&sheet).expect("writes")).0, 8);
    }
}
