use super::{NodeId, Place, Tree, TreeBuilder};

impl Tree {
    /// A copy of what is below a node, as a tree of its own: words keep their order, gaps between
    /// them close. What a format says of nodes beyond label and place is left out.
    pub fn subtree(&self, id: NodeId) -> Tree {
        let positions = self.positions_below(id);
        let mut builder = TreeBuilder::new();
        // Nodes to be opened; nothing for a bracket to be closed.
        let mut open = vec![Some(id)];
        while let Some(next) = open.pop() {
            let Some(id) = next else {
                builder.close();
                continue;
            };
            let node = self.node(id);
            match (node.position, node.word) {
                (Some(position), Some(word)) => {
                    let at = positions.partition_point(|other| *other < position);
                    builder.word_at(at as u32, node.label.clone(), word);
                }
                _ => {
                    builder.open(node.label.clone());
                    open.push(None);
                    open.extend(node.children.iter().rev().map(|child| Some(*child)));
                }
            }
        }
        builder.finish(Place::clone(&self.place)).expect("a part of a tree is a tree")
    }
}

#[cfg(test)]
mod tests {
    use crate::treebank::tree::tree;

    #[test]
    fn every_part_of_a_tree_is_a_tree() {
        let text = "(S (NP (NNP Mary)) (VP (VBD sat) (ADVP (RB down))) (. .))";
        let whole = tree(text);
        let parts: Vec<String> =
            whole.nodes().map(|(id, _)| whole.subtree(id).to_string()).collect();
        let expected = [
            text,
            "(NP (NNP Mary))",
            "(NNP Mary)",
            "(VP (VBD sat) (ADVP (RB down)))",
            "(VBD sat)",
            "(ADVP (RB down))",
            "(RB down)",
            "(. .)",
        ];
        assert_eq!(parts, expected);
    }

    #[test]
    fn a_part_with_a_gap_closes_up() {
        let mut builder = crate::treebank::TreeBuilder::new();
        builder.open("S");
        builder.open("VP");
        builder.word_at(2, "V", "gegeben");
        builder.word_at(0, "N", "Brot");
        builder.close();
        builder.word_at(1, "V", "hat");
        builder.close();
        let whole = builder.finish(Default::default()).expect("a tree");
        let (id, _) = whole.nodes().find(|(_, n)| &**n.label == "VP").expect("a phrase");
        let part = whole.subtree(id);
        let words: Vec<&str> = part.words().iter().map(|w| &**w).collect();
        assert_eq!(words, ["Brot", "gegeben"]);
    }
}
