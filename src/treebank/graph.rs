use super::{Annotation, NodeId, Place, Tree, TreeBuilder};
use std::sync::Arc;

/// Nodes that know their parents, in any order: what formats with discontinuous phrases give, to
/// be made a tree.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub nodes: Vec<GraphNode>,
}

#[derive(Debug)]
pub(super) struct GraphNode {
    pub label: Arc<str>,
    /// Position and word, on preterminals only.
    pub word: Option<(u32, Arc<str>)>,
    /// Index of the parent; `None` at the root.
    pub parent: Option<usize>,
    /// Without secondary edges.
    pub annotation: Annotation,
    /// Further parents by index.
    pub secondary: Vec<(usize, Arc<str>)>,
}

impl GraphNode {
    pub fn new(label: Arc<str>, word: Option<(u32, Arc<str>)>, parent: Option<usize>) -> GraphNode {
        GraphNode { label, word, parent, annotation: Annotation::default(), secondary: Vec::new() }
    }
}

/// Why nodes do not make a tree, with the index of one that shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphFault {
    /// A phrase that is no node's parent.
    Childless(usize),
    /// Its own ancestor, or below one that is.
    Circle(usize),
    /// A child of a word.
    BelowWord(usize),
    /// A second node without parent, or none.
    Roots(Option<usize>),
}

impl Graph {
    /// The nodes of a tree, by their ids.
    pub fn of(tree: &Tree) -> Graph {
        let node = |(id, node): (NodeId, super::Node)| {
            let word = node.position.map(|p| (p, tree.words()[p as usize].clone()));
            let parent = node.parent.map(NodeId::index);
            let mut graph_node = GraphNode::new(node.label.clone(), word, parent);
            if let Some(annotation) = tree.annotation(id) {
                let Annotation { secondary, .. } = annotation;
                graph_node.secondary =
                    secondary.iter().map(|(to, label)| (to.index(), label.clone())).collect();
                graph_node.annotation = Annotation { secondary: Vec::new(), ..annotation.clone() };
            }
            graph_node
        };
        Graph { nodes: tree.nodes().map(node).collect() }
    }

    /// The tree, its nodes in preorder, siblings in the order of their first words.
    pub fn assemble(self, place: Place, name: Option<Arc<str>>) -> Result<Tree, GraphFault> {
        let nodes = self.nodes;
        let root = self::root(&nodes)?;
        let first = first_words(&nodes)?;
        let mut children = vec![Vec::new(); nodes.len()];
        for (i, node) in nodes.iter().enumerate() {
            if let Some(parent) = node.parent {
                children[parent].push(i);
            }
        }
        let mut ids = vec![NodeId(0); nodes.len()];
        let mut builder = TreeBuilder::new();
        let mut stack = vec![Some(root)];
        while let Some(step) = stack.pop() {
            let Some(i) = step else {
                builder.close();
                continue;
            };
            let label = nodes[i].label.clone();
            ids[i] = match &nodes[i].word {
                Some((at, word)) => builder.word_at(*at, label, word.clone()),
                None => {
                    stack.push(None);
                    children[i].sort_by_key(|&c| first[c]);
                    stack.extend(children[i].iter().rev().map(|&c| Some(c)));
                    builder.open(label)
                }
            };
        }
        for (i, node) in nodes.into_iter().enumerate() {
            let secondary: Vec<_> =
                node.secondary.into_iter().map(|(to, label)| (ids[to], label)).collect();
            let annotation = Annotation { secondary, ..node.annotation };
            if annotation != Annotation::default() {
                builder.annotate(ids[i], annotation);
            }
        }
        if let Some(name) = name {
            builder.name(name);
        }
        builder.finish(place).ok_or(GraphFault::Roots(None))
    }
}

fn root(nodes: &[GraphNode]) -> Result<usize, GraphFault> {
    let mut roots = nodes.iter().enumerate().filter(|(_, n)| n.parent.is_none()).map(|(i, _)| i);
    let root = roots.next().ok_or(match nodes {
        [] => GraphFault::Roots(None),
        _ => GraphFault::Circle(0),
    })?;
    match roots.next() {
        Some(second) => Err(GraphFault::Roots(Some(second))),
        None => Ok(root),
    }
}

/// Position of the first word below every node, children before parents.
fn first_words(nodes: &[GraphNode]) -> Result<Vec<u32>, GraphFault> {
    let mut waiting = vec![0u32; nodes.len()];
    for (i, node) in nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            if nodes[parent].word.is_some() {
                return Err(GraphFault::BelowWord(i));
            }
            waiting[parent] += 1;
        }
    }
    let mut first = vec![u32::MAX; nodes.len()];
    let mut ready = Vec::new();
    let mut childless = None;
    for (i, node) in nodes.iter().enumerate() {
        match &node.word {
            Some((position, _)) => first[i] = *position,
            None if waiting[i] == 0 => childless = childless.or(Some(i)),
            None => continue,
        }
        ready.push(i);
    }
    let mut done = 0;
    while let Some(i) = ready.pop() {
        done += 1;
        if let Some(parent) = nodes[i].parent {
            first[parent] = first[parent].min(first[i]);
            waiting[parent] -= 1;
            if waiting[parent] == 0 {
                ready.push(parent);
            }
        }
    }
    if done < nodes.len() {
        let stuck = waiting.iter().position(|&w| w > 0).unwrap_or_default();
        return Err(GraphFault::Circle(stuck));
    }
    childless.map_or(Ok(first), |at| Err(GraphFault::Childless(at)))
}
