use super::{Charset, Diagram, DiagramNode, Ink, Picture, Role};

// A word without a tag stands bare: brackets of its own would say nothing.

/// Width up to which [`bracket_lines`] keeps a phrase on one line.
const LINE: usize = 60;

/// The tree as brackets in one row.
pub fn bracket_row(diagram: &Diagram, charset: Charset) -> Picture {
    brackets(diagram, charset, usize::MAX)
}

/// The tree as indented brackets: a phrase that is short stays on one line.
pub fn bracket_lines(diagram: &Diagram, charset: Charset) -> Picture {
    brackets(diagram, charset, LINE)
}

fn brackets(diagram: &Diagram, charset: Charset, line: usize) -> Picture {
    enum Step {
        Open { node: usize, depth: usize, inline: bool },
        Close { node: usize },
    }
    let nodes = diagram.nodes();
    let widths = widths(diagram, charset);
    let mut picture = Picture::new(charset);
    let (mut row, mut column) = (0, 0);
    let mut stack = match nodes.is_empty() {
        true => vec![],
        false => vec![Step::Open { node: 0, depth: 0, inline: false }],
    };
    while let Some(step) = stack.pop() {
        match step {
            Step::Close { node } => {
                let DiagramNode { mark, hit, .. } = nodes[node];
                let ink = Ink { role: Role::Line, mark, hit };
                column = picture.text(row, column, ")", ink);
            }
            Step::Open { node: i, depth, inline } => {
                let node = &nodes[i];
                let ink = |role| Ink { role, mark: node.mark, hit: node.hit };
                let word_ink = |role| Ink { hit: node.word_hit, ..ink(role) };
                if i != 0 && inline {
                    column += 1;
                } else if i != 0 {
                    row += 1;
                    column = 2 * depth;
                }
                let role = if node.unknown { Role::UnknownWord } else { Role::Word };
                if let Some(word) = node.word.as_deref().filter(|_| node.label.is_empty()) {
                    let bare = Ink { hit: node.word_hit.max(node.hit), ..ink(role) };
                    let sign = bare.hit.symbol(charset.is_ascii());
                    if !sign.is_empty() {
                        let ink = Ink { role: Role::Line, ..bare };
                        column = picture.text(row, column, sign, ink);
                    }
                    column = picture.text(row, column, word, bare);
                    continue;
                }
                column = picture.text(row, column, "(", ink(Role::Line));
                let sign = node.sign(charset.is_ascii());
                if !sign.is_empty() {
                    column = picture.text(row, column, &sign, ink(Role::Line));
                }
                if !node.label.is_empty() {
                    let role = if node.word.is_some() { Role::Tag } else { Role::Label };
                    column = picture.text(row, column, &node.label, ink(role));
                }
                if let Some(word) = &node.word {
                    column += 1;
                    let sign = node.word_hit.symbol(charset.is_ascii());
                    if !sign.is_empty() {
                        column = picture.text(row, column, sign, word_ink(Role::Line));
                    }
                    column = picture.text(row, column, word, word_ink(role));
                }
                stack.push(Step::Close { node: i });
                let inline = inline || widths[i] <= line;
                stack.extend(node.children.iter().rev().map(|&child| Step::Open {
                    node: child,
                    depth: depth + 1,
                    inline,
                }));
            }
        }
    }
    picture
}

/// Columns that every node takes on one line.
fn widths(diagram: &Diagram, charset: Charset) -> Vec<usize> {
    let nodes = diagram.nodes();
    let mut widths = vec![0; nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        let own = 2 + super::width(&node.label) + super::width(&node.sign(charset.is_ascii()));
        let sign = super::width(node.word_hit.symbol(charset.is_ascii()));
        let word = node.word.as_deref().map_or(0, |w| 1 + sign + super::width(w));
        widths[i] = own + word + node.children.iter().map(|&c| 1 + widths[c]).sum::<usize>();
    }
    widths
}

#[cfg(test)]
mod tests {
    use super::super::DiagramSpan;
    use super::super::diagram::tests::{any_diagram, dog};
    use super::super::picture::tests::check;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_short_tree_is_one_line_in_both_forms() {
        let line = ["(S (NP (DT the) (NN dog)) (VP (VBD barked)))"];
        assert_eq!(bracket_row(&dog(), Charset::Unicode).lines(), line);
        assert_eq!(bracket_lines(&dog(), Charset::Unicode).lines(), line);
    }

    #[test]
    fn long_phrases_are_broken_and_short_ones_inside_are_not() {
        let words = ["a-rather-long-word"; 4];
        let spans = [(0, 4, "S"), (0, 2, "NP"), (2, 4, "VP")]
            .map(|(start, end, label)| DiagramSpan { start, end, label });
        let tree = Diagram::from_spans(&words, Some(&["T"; 4]), &spans).expect("nested");
        let expected = [
            "(S",
            "  (NP (T a-rather-long-word) (T a-rather-long-word))",
            "  (VP (T a-rather-long-word) (T a-rather-long-word)))",
        ];
        assert_eq!(bracket_lines(&tree, Charset::Unicode).lines(), expected);
    }

    proptest! {
        #[test]
        fn every_word_and_label_appears_once_and_columns_do_not_overlap(tree in any_diagram()) {
            check(&tree, &bracket_row(&tree, Charset::Unicode));
            check(&tree, &bracket_lines(&tree, Charset::Ascii));
        }
    }
}
