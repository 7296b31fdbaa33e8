//! Trees and fields as candidate lists have them.

use crate::treebank::{Interner, NodeId, Place, ROOT_LABELS, Reader, Tree, TreeBuilder};
use std::sync::Arc;

/// The one tree of a text, without wrapper nodes; else what is wrong with it.
pub(super) fn read_tree(text: &str, line: u32, interner: &mut Interner) -> Result<Tree, String> {
    let mut reader = Reader::with_interner(text.as_bytes(), "candidates", std::mem::take(interner));
    let first = reader.next();
    let second = reader.next();
    *interner = reader.into_interner();
    match (first, second) {
        (Some(Ok(tree)), None) => Ok(unwrapped(&tree, line)),
        (Some(Ok(_)), Some(Ok(_))) => Err("two trees stand where one should".into()),
        (Some(Err(problem)), _) | (_, Some(Err(problem))) => Err(problem.message),
        (None, _) => Err("there is no tree".into()),
    }
}

/// The tree below the nodes that stand above the sentence proper and have one child each; words stand
/// in the order of the nodes.
pub(super) fn unwrapped(tree: &Tree, line: u32) -> Tree {
    let mut top = tree.root();
    loop {
        let node = tree.node(top);
        match *node.children {
            [only] if ROOT_LABELS.contains(&&**node.label) => top = only,
            _ => break,
        }
    }
    let mut builder = TreeBuilder::new();
    let mut stack: Vec<Option<NodeId>> = vec![Some(top)];
    while let Some(step) = stack.pop() {
        let Some(id) = step else {
            builder.close();
            continue;
        };
        let node = tree.node(id);
        match node.position {
            Some(position) => {
                builder.word(node.label.clone(), tree.words()[position as usize].clone());
            }
            None => {
                builder.open(node.label.clone());
                stack.push(None);
                stack.extend(node.children.iter().rev().map(|&child| Some(child)));
            }
        }
    }
    let place = Place { file: tree.place.file.clone(), line, column: 1 };
    builder.finish(place).expect("a subtree of a tree without gaps is one")
}

/// The words of a tree with the escapes of treebanks undone, by which candidates are compared.
pub fn plain_words(tree: &Tree) -> Vec<Arc<str>> {
    let plain = |word: &Arc<str>| -> Arc<str> {
        let bracket = match &**word {
            "-LRB-" => "(",
            "-RRB-" => ")",
            "-LSB-" => "[",
            "-RSB-" => "]",
            "-LCB-" => "{",
            "-RCB-" => "}",
            other if other.contains("\\/") || other.contains("\\*") => {
                return other.replace("\\/", "/").replace("\\*", "*").into();
            }
            _ => return word.clone(),
        };
        bracket.into()
    };
    tree.words().iter().map(plain).collect()
}

/// A finite number.
pub(super) fn number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|score| score.is_finite())
}

/// Count and id of a line `count TAB id`; a count that is a whole number below 0 as it stands there.
pub(super) fn header(line: &str) -> Option<(Result<usize, &str>, &str)> {
    let (text, id) = line.split_once(['\t', ' '])?;
    let id = id.trim();
    if id.is_empty() || id.starts_with('(') {
        return None;
    }
    match text.parse() {
        Ok(count) => Some((Ok(count), id)),
        Err(_) => text.parse::<i64>().ok().map(|_| (Err(text), id)),
    }
}
