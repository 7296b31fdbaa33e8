//! Function tags of a treebank's tree on another analysis of the same words.

use crate::ensemble::rooted;
use crate::treebank::{NodeId, Tree, TreeBuilder};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// Words `[start, end)` and the label that parsers see.
type Bracket<'a> = ((u32, u32), &'a str);

/// An analysis with the labels of the treebank's tree on the brackets that both have.
///
/// `annotation` is that tree as parsers see it. `None` where it lost more than function tags: the
/// analysis would lose that as well.
pub fn with_functions(original: &Tree, annotation: &Tree, analysis: &Tree) -> Option<Tree> {
    let original = rooted(original);
    let same = original.words() == annotation.words()
        && original.nodes().len() == annotation.nodes().len()
        && original.extents() == annotation.extents();
    if !same {
        return None;
    }
    // Of a chain over the same words the upper one comes first on both sides.
    let mut full: HashMap<Bracket, VecDeque<&Arc<str>>> = HashMap::new();
    for ((whole, cut), span) in original.nodes().zip(annotation.nodes()).zip(original.extents()) {
        let (whole, cut) = (whole.1.label, cut.1.label);
        let function = whole.strip_prefix(&**cut)?;
        if !(function.is_empty() || function.starts_with(['-', '='])) {
            return None;
        }
        full.entry((span, cut)).or_default().push_back(whole);
    }
    let labels: Vec<Arc<str>> = analysis
        .nodes()
        .zip(analysis.extents())
        .map(|((_, node), span)| {
            let found = full.get_mut(&(span, &**node.label)).and_then(VecDeque::pop_front);
            found.unwrap_or(node.label).clone()
        })
        .collect();
    relabelled(analysis, &labels)
}

/// A tree with other labels, one a node.
fn relabelled(tree: &Tree, labels: &[Arc<str>]) -> Option<Tree> {
    let mut builder = TreeBuilder::new();
    let mut stack: Vec<Option<NodeId>> = vec![Some(tree.root())];
    let place: HashMap<NodeId, usize> =
        tree.nodes().enumerate().map(|(i, (id, _))| (id, i)).collect();
    while let Some(step) = stack.pop() {
        let Some(id) = step else {
            builder.close();
            continue;
        };
        let (node, label) = (tree.node(id), labels[place[&id]].clone());
        match node.position {
            Some(at) => {
                builder.word_at(at, label, tree.words()[at as usize].clone());
            }
            None => {
                builder.open(label);
                stack.push(None);
                stack.extend(node.children.iter().rev().map(|&child| Some(child)));
            }
        }
    }
    builder.finish(tree.place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::treebank::Reader;

    fn tree(text: &str) -> Tree {
        Reader::new(text.as_bytes(), "t").next().expect("one").expect("whole")
    }

    #[test]
    fn brackets_that_both_have_get_their_function_tags_back() {
        let original = tree("( (S (NP-SBJ (NP-X (NN a))) (VP (VB b) (NP-OBJ=1 (NN c) (NN d)))))");
        let annotation = rooted(&tree("(S (NP (NP (NN a))) (VP (VB b) (NP (NN c) (NN d))))"));
        let analysis = rooted(&tree("(S (NP (NN a)) (VP (VB b) (NP (NN c)) (PP (NN d))))"));
        let found = with_functions(&original, &annotation, &analysis).expect("only tags differ");
        let expected = rooted(&tree("(S (NP-SBJ (NN a)) (VP (VB b) (NP (NN c)) (PP (NN d))))"));
        assert_eq!(found.to_string(), expected.to_string());
        let found = with_functions(&original, &annotation, &annotation).expect("the same");
        assert_eq!(found.to_string(), rooted(&original).to_string());
    }

    #[test]
    fn a_tree_that_lost_words_brackets_or_names_has_no_such_analysis() {
        let analysis = rooted(&tree("(S (NP (NN a)) (VB b))"));
        for (original, annotation) in [
            ("(S (NP (NN a) (-NONE- *)) (VB b))", "(S (NP (NN a)) (VB b))"),
            ("(S (NP (NP (NN a))) (VB b))", "(S (NP (NN a)) (VB b))"),
            ("(S (NP (NN A)) (VB b))", "(S (NP (NN a)) (VB b))"),
            ("(S (NPX (NN a)) (VB b))", "(S (NP (NN a)) (VB b))"),
        ] {
            let (original, annotation) = (tree(original), rooted(&tree(annotation)));
            assert!(with_functions(&original, &annotation, &analysis).is_none(), "{original}");
        }
    }
}
