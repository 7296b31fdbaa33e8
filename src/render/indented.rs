use super::picture::Joint;
use super::{Charset, Diagram, Ink, Picture, Role};

/// Columns between a node and its children.
const STEP: usize = 2;

/// The tree from left to right, one node a row, like a listing of folders.
pub fn indented(diagram: &Diagram, charset: Charset) -> Picture {
    let nodes = diagram.nodes();
    let depths = diagram.depths();
    let mut picture = Picture::new(charset);
    // Preorder is the order of rows, so a node stands in the row of its index.
    for (i, node) in nodes.iter().enumerate() {
        if let (Some(&first), Some(&last)) = (node.children.first(), node.children.last()) {
            let column = depths[i] * STEP;
            picture.down(column, first, last, charset);
            for &child in &node.children {
                let down = child != last;
                let joint = Joint { up: true, down, left: false, right: true };
                picture.joint(child, column, joint, charset);
                picture.across(child, column + 1, column + STEP, charset);
            }
        }
        let ink = |role| Ink { role, mark: node.mark, hit: node.hit };
        let mut column = depths[i] * STEP;
        let sign = node.sign(charset.is_ascii());
        if !sign.is_empty() {
            column = picture.text(i, column, &sign, ink(Role::Line));
        }
        let role = if node.word.is_some() { Role::Tag } else { Role::Label };
        if !node.label.is_empty() {
            column = picture.text(i, column, &node.label, ink(role)) + 1;
        } else if !sign.is_empty() && node.word.is_some() {
            column += 1;
        } else if node.word.is_none() && sign.is_empty() {
            let (right, down) = (false, !node.children.is_empty());
            picture.joint(i, column, Joint { up: false, down, left: i != 0, right }, charset);
        }
        if let Some(word) = &node.word {
            let role = if node.unknown { Role::UnknownWord } else { Role::Word };
            let ink = |role| Ink { role, mark: node.mark, hit: node.word_hit };
            let sign = node.word_hit.symbol(charset.is_ascii());
            if !sign.is_empty() {
                column = picture.text(i, column, sign, ink(Role::Line));
            }
            picture.text(i, column, word, ink(role));
        }
    }
    picture
}

#[cfg(test)]
mod tests {
    use super::super::diagram::tests::{any_diagram, dog};
    use super::super::picture::tests::check;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn children_are_listed_below_their_parent() {
        let expected = ["S", "├─NP", "│ ├─DT the", "│ └─NN dog", "└─VP", "  └─VBD barked"];
        assert_eq!(indented(&dog(), Charset::Unicode).lines(), expected);
        let expected = ["S", "+-NP", "| +-DT the", "| +-NN dog", "+-VP", "  +-VBD barked"];
        assert_eq!(indented(&dog(), Charset::Ascii).lines(), expected);
    }

    proptest! {
        #[test]
        fn every_word_and_label_appears_once_and_columns_do_not_overlap(tree in any_diagram()) {
            check(&tree, &indented(&tree, Charset::Unicode));
        }
    }
}
