use super::tree_svg::{colour, line_of};
use super::{
    Anchor, Charset, Diagram, LETTER, Role, Sheet, picture::Shape as Part, sheet_to_png, vertical,
};
use std::io;

/// Size of one cell; texts have the letters of the sheet.
const CELL: (f64, f64) = (LETTER.0, 15.0);
const MARGIN: f64 = 8.0;
/// Foot of a text below the top of its cell.
const FOOT: f64 = 11.0;
const GREY: [u8; 3] = [0x88, 0x88, 0x88];
/// Largest area, in units: about 300 MB while it is drawn.
const LARGEST: f64 = 25e6;

/// The vertical layout of trees as one PNG picture, one below the other. It has its own letters,
/// so that the same trees give the same bytes on every machine; those that it lacks are boxes.
///
/// # Errors
/// Where the picture would be too large to be held.
pub fn trees_to_png(diagrams: &[Diagram]) -> io::Result<Vec<u8>> {
    let mut sheet = Sheet { height: MARGIN, ..Sheet::default() };
    for diagram in diagrams {
        draw(diagram, &mut sheet);
        if sheet.width * sheet.height > LARGEST {
            return Err(io::Error::other("the picture would be too large; SVG has no limit"));
        }
    }
    sheet_to_png(&sheet)
}

/// Draws a tree below what is there.
fn draw(diagram: &Diagram, sheet: &mut Sheet) {
    let picture = vertical(diagram, Charset::Unicode);
    let top = sheet.height;
    let place = |(column, row): (f64, f64)| (MARGIN + column * CELL.0, top + row * CELL.1);
    for part in &picture.shapes {
        if let Some((from, to)) = line_of(part) {
            sheet.line(vec![place(from), place(to)], GREY, 1.0);
        }
        let Part::Text { row, column, text, ink, .. } = part else { continue };
        let (x, y) = place((*column as f64, *row as f64));
        sheet.text((x, y + FOOT), Anchor::Start, colour(*ink), text);
        if ink.role == Role::Label {
            // Twice, half a dot apart, is bold.
            sheet.text((x + 0.5, y + FOOT), Anchor::Start, colour(*ink), text);
        }
    }
    sheet.width = sheet.width.max(picture.width() as f64 * CELL.0 + 2.0 * MARGIN);
    sheet.height += picture.height() as f64 * CELL.1 + MARGIN;
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::dog;
    use super::super::{DiagramSpan, mark_against};
    use super::*;

    /// Width and height as the file has them.
    fn size(png: &[u8]) -> (u32, u32) {
        let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four"));
        (number(16), number(20))
    }

    #[test]
    fn a_tree_is_as_large_as_its_layout_and_trees_stand_below_each_other() {
        let picture = vertical(&dog(), Charset::Unicode);
        let one = trees_to_png(&[dog()]).expect("writes");
        assert!(one.starts_with(b"\x89PNG"));
        let (width, height) = size(&one);
        assert_eq!(width, 2 * (picture.width() as u32 * 6 + 16));
        assert_eq!(height, 2 * (picture.height() as u32 * 15 + 16));
        let two = trees_to_png(&[dog(), dog()]).expect("writes");
        assert_eq!(size(&two).0, width);
        assert!(size(&two).1 > height * 9 / 5);
    }

    #[test]
    fn marks_and_words_change_the_picture() {
        let (mut gold, mut induced) = (dog(), dog());
        mark_against(&mut gold, &mut induced);
        let plain = trees_to_png(&[dog()]).expect("writes");
        assert_ne!(trees_to_png(&[induced]).expect("writes"), plain);
        let spans = [DiagramSpan { start: 0, end: 1, label: "NP" }];
        let of = |word: &str| {
            let tree = Diagram::from_spans(&[word], Some(&["N"]), &spans).expect("fits");
            trees_to_png(&[tree]).expect("writes")
        };
        assert_ne!(of("þá"), of("pa"));
    }

    #[test]
    fn what_no_memory_would_hold_is_refused() {
        let many = vec![dog(); 5_000];
        let why = trees_to_png(&many).expect_err("too high").to_string();
        assert!(why.contains("SVG has no limit"), "{why}");
    }
}
