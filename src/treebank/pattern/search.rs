//! Where a pattern holds in a tree.

use super::{Condition, Found, Match, Pattern, Relation, Test};
use crate::treebank::{NodeId, Tree};

/// A node, or behind the last node a word.
type Vertex = u32;

/// A tree as patterns see it: words are nodes too.
pub(super) struct Graph<'t> {
    tree: &'t Tree,
    nodes: u32,
    /// Children of tags are their words.
    words_below: Vec<Vertex>,
    parent: Vec<Vertex>,
    /// Place among the children of its parent.
    place: Vec<u32>,
    extents: Vec<(u32, u32)>,
}

const NONE: Vertex = u32::MAX;

impl<'t> Graph<'t> {
    pub fn new(tree: &'t Tree) -> Graph<'t> {
        let nodes = tree.nodes().len() as u32;
        let words = tree.len() as u32;
        let mut extents = tree.extents();
        extents.extend((0..words).map(|word| (word, word + 1)));
        let mut parent = vec![NONE; extents.len()];
        let mut place = vec![0; extents.len()];
        for (id, node) in tree.nodes() {
            for (i, child) in node.children.iter().enumerate() {
                parent[child.0 as usize] = id.0;
                place[child.0 as usize] = i as u32;
            }
            if let Some(position) = node.position {
                parent[(nodes + position) as usize] = id.0;
            }
        }
        let words_below = (nodes..nodes + words).collect();
        Graph { tree, nodes, words_below, parent, place, extents }
    }

    pub fn len(&self) -> u32 {
        self.extents.len() as u32
    }

    fn text(&self, at: Vertex) -> &str {
        match at.checked_sub(self.nodes) {
            Some(word) => &self.tree.words()[word as usize],
            None => self.tree.node(NodeId(at)).label,
        }
    }

    fn children(&self, at: Vertex) -> Children<'_> {
        if at >= self.nodes {
            return Children::Words(&[]);
        }
        let node = self.tree.node(NodeId(at));
        match node.position {
            Some(word) => Children::Words(&self.words_below[word as usize..][..1]),
            None => Children::Nodes(node.children),
        }
    }

    fn parent(&self, at: Vertex) -> Option<Vertex> {
        Some(self.parent[at as usize]).filter(|parent| *parent != NONE)
    }

    fn extent(&self, at: Vertex) -> (u32, u32) {
        self.extents[at as usize]
    }

    fn found(&self, at: Vertex) -> Found {
        match at.checked_sub(self.nodes) {
            Some(word) => Found::Word(word),
            None => Found::Node(NodeId(at)),
        }
    }
}

enum Children<'g> {
    Nodes(&'g [NodeId]),
    Words(&'g [Vertex]),
}

impl Children<'_> {
    fn len(&self) -> usize {
        match self {
            Children::Nodes(all) => all.len(),
            Children::Words(all) => all.len(),
        }
    }

    fn get(&self, place: usize) -> Option<Vertex> {
        match self {
            Children::Nodes(all) => all.get(place).map(|id| id.0),
            Children::Words(all) => all.get(place).copied(),
        }
    }

    fn nth(&self, place: usize, from_end: bool) -> Option<Vertex> {
        match from_end {
            true => self.get(self.len().checked_sub(place + 1)?),
            false => self.get(place),
        }
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = Vertex> {
        (0..self.len()).filter_map(|place| self.get(place))
    }
}

impl Pattern {
    /// Every place of a tree where the pattern holds, in the order of the tree's nodes, words
    /// behind them.
    pub fn matches(&self, tree: &Tree) -> Vec<Match> {
        let graph = Graph::new(tree);
        let mut search = Search { pattern: self, graph: &graph, bound: Vec::new() };
        let mut matches = Vec::new();
        for at in 0..graph.len() {
            search.bound.clear();
            search.bound.resize(self.names.len(), None);
            if search.node(0, at, &mut |_| true) {
                let named = self.names.iter().zip(&search.bound);
                let named = named.filter_map(|(n, at)| Some((n.clone(), graph.found((*at)?))));
                matches.push(Match { found: graph.found(at), named: named.collect() });
            }
        }
        matches
    }

    /// Whether the pattern holds anywhere in a tree.
    pub fn is_in(&self, tree: &Tree) -> bool {
        let graph = Graph::new(tree);
        let bound = vec![None; self.names.len()];
        let mut search = Search { pattern: self, graph: &graph, bound };
        // What did not hold leaves no names behind.
        (0..graph.len()).any(|at| search.node(0, at, &mut |_| true))
    }
}

struct Search<'s> {
    pattern: &'s Pattern,
    graph: &'s Graph<'s>,
    /// Nodes by name.
    bound: Vec<Option<Vertex>>,
}

/// What must hold besides, under the names given so far.
type Then<'f, 's> = &'f mut dyn FnMut(&mut Search<'s>) -> bool;

impl<'s> Search<'s> {
    /// Whether a node of the pattern holds at a vertex, and then the rest.
    fn node(&mut self, number: usize, at: Vertex, then: Then<'_, 's>) -> bool {
        let pattern: &'s Pattern = self.pattern;
        let node = &pattern.nodes[number];
        if !node.test.holds(self.graph.text(at)) {
            return false;
        }
        let Some(name) = node.name else { return self.holds(&node.relations, at, then) };
        match self.bound[name] {
            Some(other) => other == at && self.holds(&node.relations, at, then),
            None => {
                self.bound[name] = Some(at);
                let holds = self.holds(&node.relations, at, then);
                if !holds {
                    self.bound[name] = None;
                }
                holds
            }
        }
    }

    fn holds(&mut self, condition: &'s Condition, at: Vertex, then: Then<'_, 's>) -> bool {
        if !condition.has_names(&self.pattern.nodes) {
            // How it holds matters to nothing else, so that one way is enough.
            return self.exists(condition, at) && then(self);
        }
        match condition {
            Condition::All(all) => self.all(all, at, then),
            Condition::Any(any) => any.iter().any(|one| self.holds(one, at, then)),
            Condition::Not(one) => {
                let bound = self.bound.clone();
                let exists = self.holds(one, at, &mut |_| true);
                self.bound = bound;
                !exists && then(self)
            }
            Condition::Maybe(one) => self.holds(one, at, then) || then(self),
            Condition::Related(relation, number) => {
                let graph = self.graph;
                each(graph, relation, at, &mut |other| self.node(*number, other, then))
            }
        }
    }

    fn all(&mut self, all: &'s [Condition], at: Vertex, then: Then<'_, 's>) -> bool {
        match all {
            [] => then(self),
            [first, rest @ ..] => self.holds(first, at, &mut |search| search.all(rest, at, then)),
        }
    }

    /// Whether a condition without names holds.
    fn exists(&mut self, condition: &'s Condition, at: Vertex) -> bool {
        match condition {
            Condition::All(all) => all.iter().all(|one| self.exists(one, at)),
            Condition::Any(any) => any.iter().any(|one| self.exists(one, at)),
            Condition::Not(one) => !self.exists(one, at),
            Condition::Maybe(_) => true,
            Condition::Related(relation, number) => {
                let graph = self.graph;
                each(graph, relation, at, &mut |other| self.node(*number, other, &mut |_| true))
            }
        }
    }
}

/// Shows every vertex in a relation with `at` until one will do; says whether one did.
pub(super) fn each(
    graph: &Graph,
    relation: &Relation,
    at: Vertex,
    see: &mut dyn FnMut(Vertex) -> bool,
) -> bool {
    let sister = |offset: i64| {
        let parent = graph.parent(at)?;
        let place = i64::from(graph.place[at as usize]) + offset;
        graph.children(parent).get(usize::try_from(place).ok()?)
    };
    let is_nth = |place: usize, from_end: bool| {
        let parent = graph.parent(at)?;
        (graph.children(parent).nth(place, from_end) == Some(at)).then_some(parent)
    };
    let only_child = |of: Vertex| {
        let children = graph.children(of);
        children.get(0).filter(|_| children.len() == 1)
    };
    let only_child_of =
        |at: Vertex| graph.parent(at).filter(|parent| graph.children(*parent).len() == 1);
    let edge = |at: Vertex, from_end: bool| graph.children(at).nth(0, from_end);
    let edge_of = |at: Vertex, from_end: bool| {
        let parent = graph.parent(at)?;
        (graph.children(parent).nth(0, from_end) == Some(at)).then_some(parent)
    };
    let own = graph.place[at as usize] as usize;
    match relation {
        Relation::Child => graph.children(at).iter().any(see),
        Relation::Parent => graph.parent(at).is_some_and(see),
        Relation::Below => below(graph, at, None, see),
        Relation::Above => along(at, |at| graph.parent(at), see),
        Relation::Nth { place, from_end } => {
            graph.children(at).nth(*place, *from_end).is_some_and(see)
        }
        Relation::NthOf { place, from_end } => is_nth(*place, *from_end).is_some_and(see),
        Relation::OnlyChild => only_child(at).is_some_and(see),
        Relation::OnlyChildOf => only_child_of(at).is_some_and(see),
        Relation::LeftEdge => along(at, |at| edge(at, false), see),
        Relation::LeftEdgeOf => along(at, |at| edge_of(at, false), see),
        Relation::RightEdge => along(at, |at| edge(at, true), see),
        Relation::RightEdgeOf => along(at, |at| edge_of(at, true), see),
        Relation::OnlyBelow => along(at, only_child, see),
        Relation::OnlyAbove => along(at, only_child_of, see),
        Relation::BelowThrough(through) => below(graph, at, Some(through), see),
        Relation::AboveThrough(through) => {
            let mut next = graph.parent(at);
            while let Some(above) = next {
                if see(above) {
                    return true;
                }
                next = graph.parent(above).filter(|_| through.holds(graph.text(above)));
            }
            false
        }
        Relation::Next => {
            let end = graph.extent(at).1;
            (0..graph.len()).filter(|other| graph.extent(*other).0 == end).any(see)
        }
        Relation::Later => {
            let end = graph.extent(at).1;
            (0..graph.len()).filter(|other| graph.extent(*other).0 >= end).any(see)
        }
        Relation::Previous => {
            let start = graph.extent(at).0;
            (0..graph.len()).filter(|other| graph.extent(*other).1 == start).any(see)
        }
        Relation::Earlier => {
            let start = graph.extent(at).0;
            (0..graph.len()).filter(|other| graph.extent(*other).1 <= start).any(see)
        }
        Relation::Sister => match graph.parent(at) {
            Some(parent) => graph.children(parent).iter().filter(|other| *other != at).any(see),
            None => false,
        },
        Relation::NextSister => sister(1).is_some_and(see),
        Relation::PreviousSister => sister(-1).is_some_and(see),
        Relation::LaterSister => match graph.parent(at) {
            Some(parent) => graph.children(parent).iter().skip(own + 1).any(see),
            None => false,
        },
        Relation::EarlierSister => match graph.parent(at) {
            Some(parent) => graph.children(parent).iter().take(own).any(see),
            None => false,
        },
        Relation::Same => see(at),
    }
}

/// Shows what lies one step further, and further.
fn along(
    at: Vertex,
    step: impl Fn(Vertex) -> Option<Vertex>,
    see: &mut dyn FnMut(Vertex) -> bool,
) -> bool {
    std::iter::successors(step(at), |at| step(*at)).any(see)
}

/// Shows what lies below, all of it or only what has nothing between but nodes like `through`.
fn below(
    graph: &Graph,
    at: Vertex,
    through: Option<&Test>,
    see: &mut dyn FnMut(Vertex) -> bool,
) -> bool {
    let mut open: Vec<Vertex> = graph.children(at).iter().rev().collect();
    while let Some(next) = open.pop() {
        if see(next) {
            return true;
        }
        if through.is_none_or(|through| through.holds(graph.text(next))) {
            open.extend(graph.children(next).iter().rev());
        }
    }
    false
}
