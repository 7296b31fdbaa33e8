use super::picture::Shape;
use super::{Charset, Diagram, Ink, Mark, Picture, Role, vertical};
use std::fmt::Write;

/// Size of one cell in pixels.
pub(super) const CELL: (f64, f64) = (9.0, 20.0);
pub(super) const MARGIN: f64 = 10.0;

/// The line that a shape is, between two places in cells; `None` of texts and of dots.
pub(super) fn line_of(shape: &Shape) -> Option<((f64, f64), (f64, f64))> {
    let (from, to) = match shape {
        Shape::Across { row, from, to, .. } => {
            let middle = *row as f64 + 0.5;
            ((*from as f64 + 0.5, middle), (*to as f64 - 0.5, middle))
        }
        Shape::Down { column, from, to, .. } => {
            let middle = *column as f64 + 0.5;
            ((middle, *from as f64), (middle, *to as f64))
        }
        Shape::Joint { row, column, joint, .. } => {
            let (c, r) = (*column as f64 + 0.5, *row as f64 + 0.5);
            let (top, bottom) = (f64::from(u8::from(joint.up)), f64::from(u8::from(joint.down)));
            ((c, r - 0.5 * top), (c, r + 0.5 * bottom))
        }
        Shape::Text { .. } => return None,
    };
    (from != to).then_some((from, to))
}

/// Red, green and blue of a text.
pub(super) fn colour(ink: Ink) -> [u8; 3] {
    match (ink.role, ink.mark) {
        (_, Mark::Matched) => [0x00, 0x72, 0xb2],
        (_, Mark::Missing) => [0xb3, 0x59, 0x00],
        (_, Mark::Spurious) => [0x9b, 0x4f, 0x83],
        (_, Mark::Crossing) => [0xc0, 0x39, 0x2b],
        (Role::Tag, _) => [0x55, 0x55, 0x55],
        _ => [0x11, 0x11, 0x11],
    }
}

/// The vertical layout as an SVG drawing with real lines; marks are signs and colours.
pub fn tree_to_svg(diagram: &Diagram) -> String {
    let picture = vertical(diagram, Charset::Unicode);
    let (w, h) = CELL;
    let (width, height) = size(&picture);
    let x = |column: f64| MARGIN + column * w;
    let y = |row: f64| MARGIN + row * h;
    let mut lines = String::new();
    let mut texts = String::new();
    // Writing to a string cannot fail, so results are dropped.
    for shape in &picture.shapes {
        if let Some((from, to)) = line_of(shape) {
            let (x1, y1, x2, y2) = (x(from.0), y(from.1), x(to.0), y(to.1));
            let _ = write!(lines, "M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}");
        }
        let Shape::Text { row, column, width, text, ink } = shape else { continue };
        let middle = x(*column as f64 + *width as f64 / 2.0);
        let baseline = y(*row as f64 + 0.72);
        let [r, g, b] = colour(*ink);
        let style = match ink.role {
            Role::Label => " font-weight=\"bold\"",
            Role::UnknownWord => " font-style=\"italic\"",
            _ => "",
        };
        let text = escape_xml(text);
        let _ = writeln!(
            texts,
            "<text x=\"{middle:.1}\" y=\"{baseline:.1}\" fill=\"#{r:02x}{g:02x}{b:02x}\"{style}>\
             {text}</text>"
        );
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n\
         <path d=\"{lines}\" stroke=\"#888888\" fill=\"none\"/>\n\
         <g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" font-size=\"14\" \
         text-anchor=\"middle\">\n{texts}</g>\n</svg>\n"
    )
}

/// Several trees in one drawing, one below the other.
pub fn trees_to_svg(diagrams: &[Diagram]) -> String {
    let mut trees = String::new();
    let (mut width, mut height) = (0.0_f64, 0.0);
    for diagram in diagrams {
        let (w, h) = size(&vertical(diagram, Charset::Unicode));
        let tree = tree_to_svg(diagram);
        let _ = write!(trees, "<g transform=\"translate(0 {height:.0})\">\n{tree}</g>\n");
        width = width.max(w);
        height += h;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{trees}</svg>\n"
    )
}

/// Width and height in pixels.
pub(super) fn size(picture: &Picture) -> (f64, f64) {
    let (w, h) = CELL;
    (picture.width() as f64 * w + 2.0 * MARGIN, picture.height() as f64 * h + 2.0 * MARGIN)
}

/// Text for XML content and attributes; characters that XML forbids become U+FFFD.
pub(super) fn escape_xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' | '\r' => out.push(' '),
            '\0'..' ' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::dog;
    use super::super::{DiagramSpan, mark_against};
    use super::*;

    #[test]
    fn every_text_is_an_element_and_special_characters_are_escaped() {
        let spans = [DiagramSpan { start: 0, end: 2, label: "A&B" }];
        let tree =
            Diagram::from_spans(&["<s>", "\"x'"], Some(&["<", "T"]), &spans).expect("nested");
        let svg = tree_to_svg(&tree);
        assert_eq!(svg.matches("<text ").count(), 5);
        for escaped in [">A&amp;B<", ">&lt;s&gt;<", ">&quot;x&apos;<", ">&lt;<"] {
            assert!(svg.contains(escaped), "{escaped} in {svg}");
        }
    }

    #[test]
    fn several_trees_stand_below_each_other() {
        let (one, two) = (trees_to_svg(&[dog()]), trees_to_svg(&[dog(), dog()]));
        let height = |svg: &str| -> f64 {
            let number = svg.split("height=\"").nth(1).and_then(|rest| rest.split('"').next());
            number.and_then(|n| n.parse().ok()).expect("a height")
        };
        assert_eq!(height(&two), 2.0 * height(&one));
        assert_eq!(two.matches("<svg ").count(), 3);
        assert!(two.contains(&format!("translate(0 {})", height(&one))), "{two}");
    }

    #[test]
    fn marks_are_signs_as_well_as_colours() {
        let (mut gold, mut induced) = (dog(), dog());
        mark_against(&mut gold, &mut induced);
        let svg = tree_to_svg(&induced);
        assert!(svg.contains("✓") && svg.contains("#0072b2"), "{svg}");
    }
}
