//! Reads drawn trees back from their cells, as an eye does, and compares them with the original.

use super::diagram::tests::any_diagram;
use super::{
    Charset, Diagram, DiagramSpan, Grid, Ink, Role, bracket_lines, bracket_row, indented, vertical,
};
use proptest::prelude::*;

/// Depth, label or tag, and word of every node in preorder: what a tree is.
type Rows = Vec<(usize, String, Option<String>)>;

fn rows(diagram: &Diagram) -> Rows {
    let depths = diagram.depths();
    let nodes = diagram.nodes().iter().zip(depths);
    nodes
        .map(|(n, depth)| (depth, n.label.to_string(), n.word.as_deref().map(Into::into)))
        .collect()
}

fn role(grid: &Grid<Ink>, row: usize, column: usize) -> Role {
    grid.row(row)[column].style.role
}

fn is_text(role: Role) -> bool {
    matches!(role, Role::Label | Role::Tag | Role::Word)
}

/// The text that goes through a cell, with its first column and the one behind it.
fn text_at(grid: &Grid<Ink>, row: usize, column: usize) -> (String, usize, usize) {
    let same = |c: &usize| role(grid, row, *c) == role(grid, row, column);
    let from = (0..=column).rev().take_while(same).last().expect("the cell itself");
    let to = (column..grid.width()).take_while(same).last().expect("the cell itself") + 1;
    (grid.row(row)[from..to].iter().map(|cell| &*cell.text).collect(), from, to)
}

/// Whether the line in a cell goes up, down, left and right.
fn directions(grid: &Grid<Ink>, row: usize, column: usize) -> [bool; 4] {
    if role(grid, row, column) != Role::Line {
        return [false; 4];
    }
    let signs: [(&str, [u8; 4]); 12] = [
        ("│", [1, 1, 0, 0]),
        ("•", [1, 1, 0, 0]),
        ("─", [0, 0, 1, 1]),
        ("┌", [0, 1, 0, 1]),
        ("┐", [0, 1, 1, 0]),
        ("┬", [0, 1, 1, 1]),
        ("└", [1, 0, 0, 1]),
        ("┘", [1, 0, 1, 0]),
        ("┴", [1, 0, 1, 1]),
        ("├", [1, 1, 0, 1]),
        ("┤", [1, 1, 1, 0]),
        ("┼", [1, 1, 1, 1]),
    ];
    let text = &*grid.row(row)[column].text;
    let found = signs.iter().find(|(sign, _)| *sign == text);
    found.unwrap_or_else(|| panic!("{text:?} is no line")).1.map(|bit| bit == 1)
}

/// The columns in which lines go down from the line through a cell.
fn children(grid: &Grid<Ink>, row: usize, column: usize) -> Vec<usize> {
    let (mut from, mut to) = (column, column);
    while directions(grid, row, from)[2] {
        from -= 1;
    }
    while directions(grid, row, to)[3] {
        to += 1;
    }
    (from..=to).filter(|&c| directions(grid, row, c)[1]).collect()
}

fn read_vertical(grid: &Grid<Ink>) -> Rows {
    let mut rows = Rows::new();
    if grid.height() == 0 {
        return rows;
    }
    let top = (0..grid.width()).find(|&c| role(grid, 0, c) != Role::Blank).expect("a root");
    let mut stack = vec![(0, top, 0)];
    if role(grid, 0, top) == Role::Line {
        // A root without a label has no row for it.
        rows.push((0, String::new(), None));
        stack = children(grid, 0, top).into_iter().rev().map(|c| (1, c, 1)).collect();
    }
    while let Some((row, column, depth)) = stack.pop() {
        let role_here = role(grid, row, column);
        let mut below = Vec::new();
        match role_here {
            Role::Word => rows.push((depth, String::new(), Some(text_at(grid, row, column).0))),
            Role::Tag => {
                let (tag, from, to) = text_at(grid, row, column);
                let below = (from..to).find(|&c| role(grid, row + 1, c) == Role::Word);
                let word = text_at(grid, row + 1, below.expect("a word below its tag")).0;
                rows.push((depth, tag, Some(word)));
            }
            Role::Label => {
                let (label, from, to) = text_at(grid, row, column);
                rows.push((depth, label, None));
                let mut stems = (from..to).filter(|&c| directions(grid, row + 1, c)[0]);
                let stem = stems.next().expect("a line from the label to its children");
                assert_eq!(stems.next(), None, "two lines below one label");
                below = children(grid, row + 1, stem);
            }
            Role::Line => {
                let [_, _, left, right] = directions(grid, row, column);
                if left || right {
                    rows.push((depth, String::new(), None));
                    below = children(grid, row, column);
                } else if &*grid.row(row)[column].text == "•" {
                    rows.push((depth, String::new(), None));
                    below = vec![column];
                    stack.push((row + 1, column, depth + 1));
                    continue;
                } else {
                    stack.push((row + 1, column, depth));
                    continue;
                }
            }
            other => panic!("nothing at row {row}, column {column}: {other:?}"),
        }
        let row = if role_here == Role::Label { row + 2 } else { row + 1 };
        stack.extend(below.into_iter().rev().map(|c| (row, c, depth + 1)));
    }
    rows
}

fn read_indented(grid: &Grid<Ink>) -> Rows {
    let row = |r: usize| {
        let text = (0..grid.width()).find(|&c| is_text(role(grid, r, c)));
        let Some(column) = text else {
            // The sign of a phrase without a label is the last one.
            let at = (0..grid.width()).rfind(|&c| role(grid, r, c) == Role::Line);
            return (at.expect("a row is a node") / 2, String::new(), None);
        };
        let (first, _, end) = text_at(grid, r, column);
        match role(grid, r, column) {
            Role::Label => (column / 2, first, None),
            Role::Word => (column / 2, String::new(), Some(first)),
            _ => (column / 2, first, Some(text_at(grid, r, end + 1).0)),
        }
    };
    (0..grid.height()).map(row).collect()
}

fn read_brackets(grid: &Grid<Ink>) -> Rows {
    let mut rows = Rows::new();
    let mut depth = 0;
    for r in 0..grid.height() {
        let mut c = 0;
        while c < grid.width() {
            let here = role(grid, r, c);
            match (&*grid.row(r)[c].text, here) {
                ("(", Role::Line) => {
                    rows.push((depth, String::new(), None));
                    depth += 1;
                }
                (")", Role::Line) => depth -= 1,
                _ if is_text(here) => {
                    let (text, _, end) = text_at(grid, r, c);
                    let last = rows.last_mut().filter(|row| row.0 + 1 == depth && row.2.is_none());
                    match (here, last) {
                        (Role::Label | Role::Tag, Some(row)) => row.1 = text,
                        // A word behind its tag, which is no bracket of its own.
                        (Role::Word, Some(row)) if role(grid, r, c - 2) == Role::Tag => {
                            row.2 = Some(text);
                        }
                        _ => rows.push((depth, String::new(), Some(text))),
                    }
                    c = end;
                    continue;
                }
                _ => {}
            }
            c += 1;
        }
    }
    rows
}

fn check(tree: &Diagram) {
    let original = rows(tree);
    let whole = |picture: super::Picture| picture.window(0, 0, picture.width(), picture.height());
    let unicode = Charset::Unicode;
    assert_eq!(read_vertical(&whole(vertical(tree, unicode))), original, "vertical");
    assert_eq!(read_indented(&whole(indented(tree, unicode))), original, "horizontal");
    assert_eq!(read_brackets(&whole(bracket_lines(tree, unicode))), original, "brackets");
    assert_eq!(read_brackets(&whole(bracket_row(tree, unicode))), original, "one line");
}

fn spans(words: usize, spans: Vec<(u32, u32, &str)>) -> Diagram {
    let words: Vec<String> = (0..words).map(|i| format!("w{i}")).collect();
    let spans: Vec<_> =
        spans.into_iter().map(|(start, end, label)| DiagramSpan { start, end, label }).collect();
    Diagram::from_spans(&words, Some(&vec!["T"; words.len()]), &spans).expect("nested")
}

#[test]
fn wide_and_deep_trees_are_drawn_as_they_are() {
    check(&spans(400, vec![(0, 400, "S"), (3, 390, "NP"), (100, 101, "X")]));
    check(&spans(200, (0..199).map(|i| (i, 200, "X")).collect()));
    check(&spans(200, (2..=200).rev().map(|j| (0, j, "A-LONG-LABEL")).collect()));
    check(&spans(2, (0..150).map(|i| (0, 2, if i % 3 == 0 { "" } else { "U" })).collect()));
}

#[test]
fn empty_labels_and_wide_or_combining_characters_are_drawn_as_they_are() {
    check(&spans(2, vec![(0, 2, ""), (0, 2, ""), (0, 1, ""), (0, 1, "X"), (1, 2, ""), (1, 2, "")]));
    let words = ["言語", "e\u{301}te\u{301}", "\u{301}", "ﷺ"];
    let span = |start, end, label| DiagramSpan { start, end, label };
    let tree = Diagram::from_spans(
        &words,
        Some(&["名詞", "", "N", "é"]),
        &[span(0, 4, "文"), span(0, 1, ""), span(1, 3, "n\u{303}")],
    );
    check(&tree.expect("nested"));
    check(
        &Diagram::from_spans(&words, None::<&[&str]>, &[span(0, 2, ""), span(0, 1, "")])
            .expect("nested"),
    );
}

proptest! {
    #[test]
    fn every_layout_reads_back_as_the_tree_that_was_drawn(tree in any_diagram()) {
        check(&tree);
    }
}
