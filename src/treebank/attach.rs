//! Continuous trees out of discontinuous ones.

use super::graph::Graph;
use super::{NodeId, ROOT_LABELS, Tree};

/// Edge labels of heads, the surest first: the head of a clause, the kernel of a noun phrase.
const HEADS: [&str; 2] = ["HD", "NK"];

/// What moved when a tree was made continuous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Attached {
    /// Phrases that had a gap.
    pub gaps: u64,
    /// Nodes that were attached higher, each counted once.
    pub raised: u64,
    /// Words below the root, mostly punctuation, that went into the phrase around them.
    pub lowered: u64,
}

impl Attached {
    /// Nodes with another parent than before.
    pub fn moved(self) -> u64 {
        self.raised + self.lowered
    }
}

/// The tree without gaps; `None` where it has none.
///
/// Words directly below a root like `VROOT` are set aside first, for punctuation makes gaps that
/// no phrase has. Then, from the bottom upwards, every phrase keeps the part that holds its head
/// (edge `HD`, else `NK`, else the most words) and the other parts are attached to its parent. At
/// last the words set aside go into the lowest phrase that has words on both sides of them.
pub fn attach(tree: &Tree) -> Option<(Tree, Attached)> {
    if !tree.is_discontinuous() {
        return None;
    }
    let mut mover = Mover::new(tree);
    mover.raise();
    mover.lower();
    let Mover { parents, mut attached, .. } = mover;
    let mut graph = Graph::of(tree);
    for (i, (node, parent)) in graph.nodes.iter_mut().zip(parents).enumerate() {
        if node.parent.is_some() && node.parent != Some(parent) {
            node.parent = Some(parent);
            match tree.node(NodeId(i as u32)).parent == Some(tree.root()) {
                true => attached.lowered += 1,
                false => attached.raised += 1,
            }
        }
    }
    let gaps = tree.yields().into_iter().filter(|(start, end, count)| end - start != *count);
    attached.gaps = gaps.count() as u64;
    let tree = graph.assemble(tree.place.clone(), tree.name().cloned());
    Some((tree.expect("every phrase keeps a child, and no node moves below itself"), attached))
}

/// A tree while its nodes move; everything is by index of node.
struct Mover<'a> {
    tree: &'a Tree,
    parents: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// `[start, end)` among the words that were not set aside; complete from the bottom upwards.
    extents: Vec<(usize, usize)>,
    /// Positions of the words that were set aside.
    aside: Vec<u32>,
    attached: Attached,
}

impl<'a> Mover<'a> {
    fn new(tree: &'a Tree) -> Mover<'a> {
        let nodes = tree.nodes().len();
        let root = tree.node(tree.root());
        let named = ROOT_LABELS.contains(&&**root.label);
        let phrase = |id: &NodeId| tree.node(*id).word.is_none();
        let sets_aside = named && root.children.iter().any(phrase);
        let mut aside = Vec::new();
        let mut extents = vec![(0, 0); nodes];
        let mut rank = 0;
        for (position, id) in tree.preterminals().iter().enumerate() {
            if sets_aside && tree.node(*id).parent == Some(tree.root()) {
                aside.push(position as u32);
            } else {
                extents[id.index()] = (rank, rank + 1);
                rank += 1;
            }
        }
        let set_aside = |id: &NodeId| sets_aside && tree.node(*id).word.is_some();
        let children = tree.nodes().map(|(id, node)| {
            let kept = node.children.iter().filter(|c| id != tree.root() || !set_aside(c));
            kept.map(|c| c.index()).collect()
        });
        Mover {
            tree,
            parents: tree.nodes().map(|(_, n)| n.parent.map_or(0, NodeId::index)).collect(),
            children: children.collect(),
            extents,
            aside,
            attached: Attached::default(),
        }
    }

    /// Attaches what stands apart from the head of its phrase higher.
    fn raise(&mut self) {
        for id in self.tree.postorder() {
            let phrase = id.index();
            if self.tree.node(id).word.is_some() {
                continue;
            }
            let mut children = std::mem::take(&mut self.children[phrase]);
            children.sort_by_key(|&c| self.extents[c].0);
            let adjacent = |&a: &usize, &b: &usize| self.extents[a].1 == self.extents[b].0;
            let parts: Vec<&[usize]> = children.chunk_by(adjacent).collect();
            let kept = (0..parts.len()).max_by_key(|&i| (self.weight(parts[i]), usize::MAX - i));
            let kept = kept.unwrap_or_default();
            let (first, last) = (parts[kept][0], parts[kept][parts[kept].len() - 1]);
            self.extents[phrase] = (self.extents[first].0, self.extents[last].1);
            let parent = self.parents[phrase];
            for (i, part) in parts.iter().enumerate().filter(|(i, _)| *i != kept) {
                debug_assert!(i != kept && id != self.tree.root());
                for &child in *part {
                    self.parents[child] = parent;
                    self.children[parent].push(child);
                }
            }
            self.children[phrase] = parts[kept].to_vec();
        }
    }

    /// How sure a part is the one to stay: its best head, then its words.
    fn weight(&self, part: &[usize]) -> (usize, usize) {
        let head = |&child: &usize| {
            let annotation = self.tree.annotation(NodeId(child as u32))?;
            let edge = annotation.edge.as_deref()?;
            HEADS.iter().position(|head| *head == edge).map(|at| HEADS.len() - at)
        };
        let words: usize = part.iter().map(|&c| self.extents[c].1 - self.extents[c].0).sum();
        (part.iter().filter_map(head).max().unwrap_or_default(), words)
    }

    /// Moves the words that were set aside into the phrases around them.
    fn lower(&mut self) {
        for (before, &position) in self.aside.iter().enumerate() {
            let rank = position as usize - before;
            let mut phrase = self.tree.root().index();
            loop {
                let children = &self.children[phrase];
                let at = children.partition_point(|&c| self.extents[c].1 <= rank);
                match children.get(at).filter(|&&c| self.extents[c].0 < rank) {
                    Some(&inside) => phrase = inside,
                    None => break,
                }
            }
            let word = self.tree.preterminals()[position as usize].index();
            self.parents[word] = phrase;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formats::tests::export;
    use super::*;

    fn attached(rows: &str) -> (String, Attached) {
        let tree = export(rows);
        assert!(tree.is_discontinuous());
        let (tree, moved) = attach(&tree).expect("it has a gap");
        assert!(!tree.is_discontinuous());
        assert_eq!(tree.words(), export(rows).words());
        (tree.to_string(), moved)
    }

    #[test]
    fn what_stands_apart_from_the_head_is_attached_higher() {
        let (tree, moved) = attached(
            "that PDS -- OA 500\nhas VA -- HD 501\nshe PP -- SB 501\nsaid VV -- HD 500\n. $. -- -- 0\n\
             #500 VP -- OC 501\n#501 S -- -- 0",
        );
        let expected = "(VROOT (S (PDS that) (VA has) (PP she) (VP-OC (VV said))) ($. .))";
        assert_eq!(tree, expected);
        assert_eq!(moved, Attached { gaps: 1, raised: 1, lowered: 0 });
    }

    #[test]
    fn punctuation_below_the_root_goes_into_the_lowest_phrase_around_it() {
        let (tree, moved) = attached(
            "a ART -- NK 500\nman NN -- NK 500\n, $, -- -- 0\nwho PR -- SB 501\nsang VV -- HD 501\n\
             , $, -- -- 0\ncame VV -- HD 502\n. $. -- -- 0\n\
             #500 NP -- SB 502\n#501 S -- RC 500\n#502 S -- -- 0",
        );
        let expected = "(VROOT (S (NP-SB (ART a) (NN man) ($, ,) (S-RC (PR who) (VV sang))) \
                        ($, ,) (VV came)) ($. .))";
        assert_eq!(tree, expected);
        assert_eq!(moved, Attached { gaps: 2, raised: 0, lowered: 2 });
    }

    #[test]
    fn without_edge_labels_the_part_with_the_most_words_stays() {
        let (tree, moved) = attached(
            "a X -- -- 500\nb X -- -- 501\nc X -- -- 500\nd X -- -- 500\n\
             #500 A -- -- 501\n#501 B -- -- 0",
        );
        assert_eq!(tree, "(VROOT (B (X a) (X b) (A (X c) (X d))))");
        assert_eq!((moved.raised, moved.gaps), (1, 1));
    }

    #[test]
    fn a_tree_without_gaps_stays_as_it_is() {
        assert_eq!(attach(&super::super::tree::tree("(S (NP (NN a)) (VB b))")), None);
    }
}
