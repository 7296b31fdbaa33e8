//! The form in which trees are derived: without the root that all of them have, and with frequent
//! chains of single phrases as one phrase. Both come back in the trees that the parser gives.

use super::SsnError;
use crate::treebank::{Node, NodeId, Tree, TreeBuilder};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Between the labels of a chain; no label of brackets holds one.
const LINK: &str = " ";

/// What is taken off trees before they are derived.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Form {
    /// The label of every root.
    root: Option<Arc<str>>,
    /// Chains from the top, joined.
    chains: BTreeSet<Arc<str>>,
}

impl Form {
    pub fn new(root: Option<Arc<str>>, chains: BTreeSet<Arc<str>>) -> Form {
        Form { root, chains }
    }

    /// Of training trees: a chain becomes one label where it occurs `min_count` times; with 0 none
    /// does.
    pub fn of_trees(trees: &[Arc<Tree>], min_count: u32) -> Form {
        let mut roots = trees.iter().map(|tree| tree.node(tree.root()));
        let first = roots.next().filter(is_phrase).map(|node| node.label.clone());
        let root = first.filter(|root| roots.all(|r| is_phrase(&r) && r.label == root));
        let mut form = Form { root, chains: BTreeSet::new() };
        if min_count > 0 {
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            let mut chain = Vec::new();
            for tree in trees {
                let top = form.top(tree);
                for (id, node) in tree.nodes().filter(|(_, node)| is_phrase(node)) {
                    let above = node.parent.filter(|_| id != top);
                    let is_below_one =
                        above.is_some_and(|above| tree.node(above).children.len() == 1);
                    if (id == top || !is_below_one) && id >= top {
                        chain_from(tree, id, &mut chain);
                        if chain.len() > 1 {
                            *counts.entry(joined(tree, &chain)).or_default() += 1;
                        }
                    }
                }
            }
            let frequent = counts.into_iter().filter(|(_, count)| *count >= min_count);
            form.chains = frequent.map(|(chain, _)| chain.into()).collect();
        }
        form
    }

    pub fn root(&self) -> Option<&Arc<str>> {
        self.root.as_ref()
    }

    pub fn chains(&self) -> &BTreeSet<Arc<str>> {
        &self.chains
    }

    /// A tree as it is derived.
    pub fn put_on(&self, tree: &Tree) -> Result<Tree, SsnError> {
        if tree.is_discontinuous() {
            return Err(SsnError::Discontinuous);
        }
        let mut builder = TreeBuilder::new();
        let mut chain = Vec::new();
        let mut stack = vec![Some(self.top(tree))];
        while let Some(step) = stack.pop() {
            let Some(id) = step else {
                builder.close();
                continue;
            };
            let node = tree.node(id);
            if node.word.is_some() {
                word(&mut builder, tree, id);
                continue;
            }
            stack.push(None);
            // Below a phrase of one child that is none of a chain, the next may begin one.
            let mut last = id;
            if !self.chains.is_empty() {
                chain_from(tree, id, &mut chain);
                let name = joined(tree, &chain);
                if chain.len() > 1 && self.chains.contains(&*name) {
                    builder.open(name);
                    last = chain[chain.len() - 1];
                }
            }
            if last == id {
                builder.open(node.label.clone());
            }
            stack.extend(tree.node(last).children.iter().rev().map(|&child| Some(child)));
        }
        Ok(builder.finish(tree.place.clone()).expect("the nodes of a tree in their order"))
    }

    /// A derived tree as the treebank has it.
    pub fn take_off(&self, tree: &Tree) -> Tree {
        let mut builder = TreeBuilder::new();
        let top = tree.node(tree.root());
        let is_root =
            |label: &Arc<str>| is_phrase(&top) && top.label.split(LINK).next() == Some(&**label);
        let root = self.root.as_ref().filter(|root| !is_root(root));
        if let Some(root) = root {
            builder.open(root.clone());
        }
        let mut stack = vec![(Some(tree.root()), 0)];
        while let Some((step, phrases)) = stack.pop() {
            let Some(id) = step else {
                for _ in 0..phrases {
                    builder.close();
                }
                continue;
            };
            let node = tree.node(id);
            if node.word.is_some() {
                word(&mut builder, tree, id);
                continue;
            }
            let labels = node.label.split(LINK).map(Arc::<str>::from);
            let phrases = labels.map(|label| builder.open(label)).count();
            stack.push((None, phrases));
            stack.extend(node.children.iter().rev().map(|&child| (Some(child), 0)));
        }
        if root.is_some() {
            builder.close();
        }
        builder.finish(tree.place.clone()).expect("the nodes of a tree in their order")
    }

    /// The node below the root, or the root where it is needed to tell the tree.
    fn top(&self, tree: &Tree) -> NodeId {
        let node = tree.node(tree.root());
        match *node.children {
            [only]
                if Some(node.label) == self.root.as_ref()
                    && tree.node(only).label != node.label =>
            {
                only
            }
            _ => tree.root(),
        }
    }
}

fn is_phrase(node: &Node) -> bool {
    node.word.is_none()
}

/// A phrase and those below it, as long as there is one child.
fn chain_from(tree: &Tree, id: NodeId, chain: &mut Vec<NodeId>) {
    chain.clear();
    chain.push(id);
    let mut children = tree.node(id).children;
    while let [only] = children
        && tree.node(*only).word.is_none()
    {
        chain.push(*only);
        children = tree.node(*only).children;
    }
}

fn joined(tree: &Tree, chain: &[NodeId]) -> String {
    let labels: Vec<&str> = chain.iter().map(|id| &**tree.node(*id).label).collect();
    labels.join(LINK)
}

fn word(builder: &mut TreeBuilder, tree: &Tree, id: NodeId) {
    let node = tree.node(id);
    let position = node.position.expect("only words come here") as usize;
    builder.word(node.label.clone(), tree.words()[position].clone());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parser::ssn::testing::trees;

    #[test]
    fn trees_lose_their_common_root_and_frequent_chains_and_get_them_back() {
        let given = "(TOP (S (NP (QP (CD a))) (VP (V b))))
            (TOP (NP (QP (CD a) (CD b))))
            (TOP (FRAG (NP (QP (CD a)))))
            (TOP (A a) (B b))
            (TOP (TOP (A a)))
            (TOP (A a))
            (TOP (TOP (A a) (B b)))";
        let given = trees(given);
        for (min_count, expected) in [
            (0, [&["S", "NP", "QP", "CD", "VP", "V"][..], &["FRAG", "NP", "QP", "CD"][..]]),
            (1, [&["S", "NP·QP", "CD", "VP", "V"][..], &["FRAG·NP·QP", "CD"][..]]),
            (2, [&["S", "NP·QP", "CD", "VP", "V"][..], &["FRAG", "NP·QP", "CD"][..]]),
        ] {
            let form = Form::of_trees(&given, min_count);
            let put_on: Vec<Tree> =
                given.iter().map(|t| form.put_on(t).expect("no gaps")).collect();
            for (derived, expected) in [&put_on[0], &put_on[2]].into_iter().zip(expected) {
                let labels = derived.nodes().map(|(_, node)| node.label.replace(LINK, "·"));
                assert_eq!(labels.collect::<Vec<_>>(), expected);
            }
            assert_eq!(put_on[3].to_string(), "(TOP (A a) (B b))");
            for (given, derived) in given.iter().zip(&put_on) {
                assert_eq!(form.take_off(derived).to_string(), given.to_string());
            }
        }
    }

    #[test]
    fn trees_without_a_common_root_stay_whole() {
        let given = trees("(S (NP (A a)) (VP (B b)))\n(NP (N a))");
        let form = Form::of_trees(&given, 1);
        assert_eq!(form.root(), None);
        for tree in &given {
            assert_eq!(form.put_on(tree).expect("no gaps").to_string(), tree.to_string());
        }
    }
}
