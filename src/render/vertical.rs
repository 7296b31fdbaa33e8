use super::picture::Joint;
use super::{Charset, Diagram, Ink, Picture, Role, width};

/// Blank columns between neighbouring words.
const GAP: usize = 2;

/// The tree from the root down: labels centred over their words, tags and words in the last rows.
pub fn vertical(diagram: &Diagram, charset: Charset) -> Picture {
    let nodes = diagram.nodes();
    let mut picture = Picture::new(charset);
    if nodes.is_empty() {
        return picture;
    }
    let ascii = charset.is_ascii();
    let signs: Vec<String> = nodes.iter().map(|n| n.sign(ascii)).collect();
    let blocks = Blocks::new(diagram, &signs, ascii);

    let phrase = |i: &usize| nodes[*i].word.is_none();
    let texts = (0..nodes.len()).filter(phrase).any(|i| blocks.text[i] > 0);
    // A level is a row of labels and a row of lines; the former is left out if all are empty.
    let label_rows = usize::from(texts);
    let depths = diagram.depths();
    // A root without a label needs no row for it.
    let first_row = label_rows - usize::from(texts && blocks.text[0] == 0 && phrase(&0));
    let line_row = |depth: usize| depth * (1 + label_rows) + first_row;
    let levels = (0..nodes.len()).filter(phrase).map(|i| depths[i] + 1).max().unwrap_or(0);
    let tag_row = if levels == 0 { 0 } else { line_row(levels - 1) + 1 };
    let tagged = |i: usize| nodes[i].word.is_some() && blocks.text[i] > 0;
    let tags = (0..nodes.len()).any(tagged);
    let word_row = tag_row + usize::from(tags);

    // Lines first: texts cover them.
    for (i, node) in nodes.iter().enumerate() {
        let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) else {
            continue;
        };
        let row = line_row(depths[i]);
        let (from, to) = (blocks.anchor[first], blocks.anchor[last]);
        picture.across(row, from, to + 1, charset);
        for &child in &node.children {
            if nodes[child].word.is_some() {
                let bottom = if tagged(child) { tag_row } else { word_row };
                picture.down(blocks.anchor[child], row + 1, bottom, charset);
            }
        }
        let stem = blocks.anchor[i];
        let up = i != 0 || blocks.text[i] > 0;
        let joint = |column: usize, down: bool| Joint {
            up: column == stem && up,
            down,
            left: column > from,
            right: column < to,
        };
        let mut stem_drawn = false;
        for &child in &node.children {
            let column = blocks.anchor[child];
            stem_drawn |= column == stem;
            picture.joint(row, column, joint(column, true), charset);
        }
        if !stem_drawn {
            picture.joint(row, stem, joint(stem, false), charset);
        }
        // Without a sign, a phrase of one child would be a piece of the line down to it.
        let unseen = i != 0 && node.children.len() == 1 && blocks.text[i] == 0;
        if unseen && !texts {
            picture.dot(row, stem, charset);
        }
    }
    for (i, node) in nodes.iter().enumerate() {
        if let Some(word) = &node.word {
            let role = if node.unknown { Role::UnknownWord } else { Role::Word };
            let ink = Ink { role, mark: node.mark, hit: node.word_hit };
            let sign = node.word_hit.symbol(ascii);
            let mut column = blocks.start_of_text(i, width(sign) + width(word));
            if !sign.is_empty() {
                column = picture.text(word_row, column, sign, Ink { role: Role::Line, ..ink });
            }
            picture.text(word_row, column, word, ink);
            let ink = Ink { role: Role::Tag, mark: node.mark, hit: node.hit };
            let mut column = blocks.start_of_text(i, blocks.text[i]);
            if !signs[i].is_empty() {
                column = picture.text(tag_row, column, &signs[i], Ink { role: Role::Line, ..ink });
            }
            if !node.label.is_empty() {
                picture.text(tag_row, column, &node.label, ink);
            }
        } else if texts && (i != 0 || blocks.text[0] > 0) {
            let row = line_row(depths[i]) - 1;
            let ink = Ink { role: Role::Label, mark: node.mark, hit: node.hit };
            let mut column = blocks.start_of_text(i, blocks.text[i]);
            if !signs[i].is_empty() {
                column = picture.text(row, column, &signs[i], Ink { role: Role::Line, ..ink });
            }
            if !node.label.is_empty() {
                picture.text(row, column, &node.label, ink);
            } else if signs[i].is_empty() && node.children.len() == 1 {
                picture.dot(row, blocks.anchor[i], charset);
            } else if signs[i].is_empty() {
                picture.down(blocks.anchor[i], row, row + 1, charset);
            }
        }
    }
    picture
}

/// Columns of every node: the block that belongs to it and its words alone, the width of its
/// text, and the anchor that lines go to.
struct Blocks {
    start: Vec<usize>,
    width: Vec<usize>,
    text: Vec<usize>,
    anchor: Vec<usize>,
}

impl Blocks {
    fn new(diagram: &Diagram, signs: &[String], ascii: bool) -> Blocks {
        let nodes = diagram.nodes();
        let text: Vec<usize> =
            nodes.iter().zip(signs).map(|(n, sign)| width(sign) + width(&n.label)).collect();
        let inner = |blocks: &[usize], i: usize| -> usize {
            let children = &nodes[i].children;
            let gaps = GAP * children.len().saturating_sub(1);
            children.iter().map(|&c| blocks[c]).sum::<usize>() + gaps
        };
        // Children have larger indices, so backwards is bottom-up and forwards is top-down.
        let mut block = vec![0; nodes.len()];
        for i in (0..nodes.len()).rev() {
            let sign = width(nodes[i].word_hit.symbol(ascii));
            let word = nodes[i].word.as_deref().map_or(0, |w| sign + width(w));
            block[i] = inner(&block, i).max(text[i]).max(word).max(1);
        }
        let mut start = vec![0; nodes.len()];
        for i in 0..nodes.len() {
            let mut column = start[i] + (block[i] - inner(&block, i)) / 2;
            for &child in &nodes[i].children {
                start[child] = column;
                column += block[child] + GAP;
            }
        }
        let mut anchor = vec![0; nodes.len()];
        for i in (0..nodes.len()).rev() {
            anchor[i] = match (nodes[i].children.first(), nodes[i].children.last()) {
                (Some(&first), Some(&last)) => (anchor[first] + anchor[last]) / 2,
                _ => start[i] + (block[i] - 1) / 2,
            };
        }
        Blocks { start, width: block, text, anchor }
    }

    /// Where text begins that is centred on the anchor as far as the block allows.
    fn start_of_text(&self, i: usize, width: usize) -> usize {
        let last = self.start[i] + self.width[i] - width.min(self.width[i]);
        self.anchor[i].saturating_sub(width.saturating_sub(1) / 2).clamp(self.start[i], last)
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::{any_diagram, dog};
    use super::super::picture::tests::check;
    use super::super::{DiagramSpan, Mark};
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn labels_stand_centred_over_their_words() {
        let expected = [
            "       S",
            "   ┌───┴────┐",
            "   NP       VP",
            " ┌─┴──┐     │",
            " DT   NN   VBD",
            "the  dog  barked",
        ];
        assert_eq!(vertical(&dog(), Charset::Unicode).lines(), expected);
    }

    #[test]
    fn ascii_draws_the_same_tree_with_plain_characters() {
        let unicode = vertical(&dog(), Charset::Unicode);
        let ascii = vertical(&dog(), Charset::Ascii);
        assert_eq!((unicode.width(), unicode.height()), (ascii.width(), ascii.height()));
        assert!(ascii.lines().iter().all(|line| line.is_ascii()), "{:#?}", ascii.lines());
    }

    #[test]
    fn an_unlabelled_tree_needs_one_row_a_level_and_marks_bring_labels_back() {
        let spans = [(0, 3), (0, 2)].map(|(start, end)| DiagramSpan { start, end, label: "" });
        let words = ["a", "b", "c"];
        let mut tree = Diagram::from_spans(&words, None::<&[&str]>, &spans).expect("nested");
        assert_eq!(vertical(&tree, Charset::Unicode).lines(), [" ┌────┐", "┌┴─┐  │", "a  b  c"]);
        tree.mark(|span| if span == (0, 2) { Mark::Crossing } else { Mark::None });
        assert_eq!(
            vertical(&tree, Charset::Unicode).lines(),
            [" ┌────┐", " ✗    │", "┌┴─┐  │", "a  b  c"]
        );
    }

    #[test]
    fn a_phrase_of_one_child_is_seen_without_a_label() {
        let spans = [(0, 2, "S"), (0, 1, ""), (1, 2, "")].map(|(start, end, label)| DiagramSpan {
            start,
            end,
            label,
        });
        let tree = Diagram::from_spans(&["a", "b"], None::<&[&str]>, &spans).expect("nested");
        assert_eq!(vertical(&tree, Charset::Unicode).lines()[2], "•  •");
        assert_eq!(vertical(&tree, Charset::Ascii).lines()[2], "*  *");
    }

    #[test]
    fn thousands_of_words_in_a_right_branching_tree_are_laid_out_without_recursion() {
        let n = 3000;
        let words: Vec<String> = (0..n).map(|i| format!("w{i}")).collect();
        let spans: Vec<_> =
            (0..n - 1).map(|i| DiagramSpan { start: i, end: n, label: "X" }).collect();
        let tree = Diagram::from_spans(&words, None::<&[&str]>, &spans).expect("nested");
        let picture = vertical(&tree, Charset::Unicode);
        assert_eq!(picture.height(), 2 * (n as usize - 1) + 1);
        let corner = picture.window(picture.width() - 12, picture.height() - 3, 12, 3).lines();
        assert!(corner[2].ends_with("w2999"), "{corner:?}");
    }

    proptest! {
        #[test]
        fn every_word_and_label_appears_once_and_columns_do_not_overlap(tree in any_diagram()) {
            for charset in [Charset::Unicode, Charset::Ascii] {
                check(&tree, &vertical(&tree, charset));
            }
        }
    }
}
