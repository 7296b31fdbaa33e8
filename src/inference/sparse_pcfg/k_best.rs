//! The best derivations one after the other, lazily (Huang & Chiang 2005, algorithm 3).
//!
//! Unary rules may form circles, in which no order of symbols puts children before parents. So an
//! item is taken apart by the number of unary rules on top of it: with `n` rules it rests on an
//! item with `n - 1`. Derivations with longer chains than asked for are left out.

use super::{Chart, Derivation, Grammar, Leaves, Node};
use foldhash::fast::FixedState;
use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};

/// An item with so many unary rules on top, or all of them together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Vertex {
    /// The whole sentence, from any root.
    Sentence,
    Item {
        start: u32,
        end: u32,
        symbol: u32,
    },
    Chain {
        start: u32,
        end: u32,
        symbol: u32,
        steps: u32,
    },
}

/// How a vertex comes about, but for which derivations of its children are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Edge {
    Root { symbol: u32 },
    Steps(u32),
    Leaf,
    Unary { child: u32 },
    Binary { split: u32, left: u32, right: u32 },
}

/// An edge with the numbers of its children's derivations.
#[derive(Clone, Copy, Debug)]
struct Way {
    /// Of the rule alone.
    rule: f64,
    /// Of the derivation; an upper bound until it was looked at.
    log_prob: f64,
    is_exact: bool,
    edge: Edge,
    ranks: (u32, u32),
}

impl Ord for Way {
    fn cmp(&self, other: &Way) -> Ordering {
        let by_edge = || (other.edge, other.ranks).cmp(&(self.edge, self.ranks));
        self.log_prob.total_cmp(&other.log_prob).then_with(by_edge)
    }
}

impl PartialOrd for Way {
    fn partial_cmp(&self, other: &Way) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Way {
    fn eq(&self, other: &Way) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Way {}

/// What is known of a vertex: its best derivations in order, and ways to further ones.
#[derive(Debug, Default)]
struct State {
    found: Vec<Way>,
    open: BinaryHeap<Way>,
}

/// The derivations of a chart.
pub struct KBest<'a> {
    grammar: &'a Grammar,
    chart: &'a Chart,
    leaves: &'a Leaves,
    roots: &'a [(u32, f64)],
    longest_chain: u32,
    numbers: HashMap<Vertex, usize, FixedState>,
    vertices: Vec<Vertex>,
    states: Vec<State>,
}

impl<'a> KBest<'a> {
    /// Derivations in which at most `longest_chain` unary rules follow each other, from the chart
    /// of these grammar and leaves.
    pub fn new(
        grammar: &'a Grammar,
        chart: &'a Chart,
        leaves: &'a Leaves,
        roots: &'a [(u32, f64)],
        longest_chain: u32,
    ) -> KBest<'a> {
        KBest {
            grammar,
            chart,
            leaves,
            roots,
            longest_chain,
            numbers: HashMap::default(),
            vertices: Vec::new(),
            states: Vec::new(),
        }
    }

    /// The derivation of this rank, the best being number 0; `None` where there are not so many.
    pub fn get(&mut self, rank: u32) -> Option<Derivation> {
        let sentence = self.number(Vertex::Sentence);
        let log_prob = self.log_prob(sentence, rank)?;
        let mut nodes = Vec::new();
        let mut open = vec![(sentence, rank)];
        while let Some((number, rank)) = open.pop() {
            let Way { edge, ranks, .. } = self.states[number].found[rank as usize];
            let vertex = self.vertices[number];
            let (first, second) = self.children(vertex, edge);
            if let Vertex::Chain { start, end, symbol, .. } = vertex {
                let children = u8::from(first.is_some()) + u8::from(second.is_some());
                nodes.push(Node { symbol, start, end, children });
            }
            open.extend(second.map(|child| (child, ranks.1)));
            open.extend(first.map(|child| (child, ranks.0)));
        }
        Some(Derivation { nodes, log_prob })
    }

    /// Log-probability of the derivation of this rank.
    fn log_prob(&mut self, number: usize, rank: u32) -> Option<f64> {
        loop {
            if let Some(way) = self.states[number].found.get(rank as usize) {
                return Some(way.log_prob);
            }
            let mut way = self.states[number].open.pop()?;
            if !way.is_exact {
                // The child may have no derivation of that rank.
                if let Some(log_prob) = self.exactly(number, &way) {
                    way.log_prob = log_prob;
                    way.is_exact = true;
                    self.states[number].open.push(way);
                }
                continue;
            }
            let state = &mut self.states[number];
            state.found.push(way);
            let (first, second) = way.ranks;
            let mut go_on = |ranks| state.open.push(Way { is_exact: false, ranks, ..way });
            match way.edge {
                Edge::Leaf => {}
                Edge::Root { .. } | Edge::Steps(_) | Edge::Unary { .. } => go_on((first + 1, 0)),
                Edge::Binary { .. } => {
                    // So every pair is come to once.
                    if second == 0 {
                        go_on((first + 1, 0));
                    }
                    go_on((first, second + 1));
                }
            }
        }
    }

    fn exactly(&mut self, number: usize, way: &Way) -> Option<f64> {
        let (first, second) = self.children(self.vertices[number], way.edge);
        let mut log_prob = way.rule;
        if let Some(first) = first {
            log_prob += self.log_prob(first, way.ranks.0)?;
        }
        if let Some(second) = second {
            log_prob += self.log_prob(second, way.ranks.1)?;
        }
        Some(log_prob)
    }

    /// The vertices below an edge.
    fn children(&mut self, vertex: Vertex, edge: Edge) -> (Option<usize>, Option<usize>) {
        let length = self.chart.spans().length() as u32;
        let mut item = |start, end, symbol| Some(self.number(Vertex::Item { start, end, symbol }));
        match (vertex, edge) {
            (Vertex::Sentence, Edge::Root { symbol }) => (item(0, length, symbol), None),
            (Vertex::Item { start, end, symbol }, Edge::Steps(steps)) => {
                (Some(self.number(Vertex::Chain { start, end, symbol, steps })), None)
            }
            (Vertex::Chain { start, end, steps, .. }, Edge::Unary { child }) => {
                let (symbol, steps) = (child, steps - 1);
                (Some(self.number(Vertex::Chain { start, end, symbol, steps })), None)
            }
            (Vertex::Chain { start, end, .. }, Edge::Binary { split, left, right }) => {
                (item(start, split, left), item(split, end, right))
            }
            _ => (None, None),
        }
    }

    /// Number of a vertex, whose edges are looked up where it is new.
    fn number(&mut self, vertex: Vertex) -> usize {
        if let Some(known) = self.numbers.get(&vertex) {
            return *known;
        }
        let new = self.vertices.len();
        self.numbers.insert(vertex, new);
        self.vertices.push(vertex);
        let open = match vertex {
            Vertex::Sentence => self.roots_of_sentence(),
            Vertex::Item { start, end, symbol } => self.by_steps(start, end, symbol),
            Vertex::Chain { start, end, symbol, steps: 0 } => {
                self.without_unary(start, end, symbol)
            }
            Vertex::Chain { start, end, symbol, .. } => self.unary(start, end, symbol),
        };
        self.states.push(State { found: Vec::new(), open });
        new
    }

    /// Upper bound of an item, if it is there.
    fn bound(&self, start: u32, end: u32, symbol: u32) -> Option<f64> {
        Some(self.chart.item(start as usize, end as usize, symbol)?.log_prob)
    }

    fn roots_of_sentence(&self) -> BinaryHeap<Way> {
        if self.chart.spans().whole().is_none() {
            return BinaryHeap::new();
        }
        let end = self.chart.spans().length() as u32;
        let ways = self.roots.iter().filter_map(|&(symbol, rule)| {
            let below = self.bound(0, end, symbol)?;
            Some(way(Edge::Root { symbol }, rule, below))
        });
        ways.collect()
    }

    fn by_steps(&self, start: u32, end: u32, symbol: u32) -> BinaryHeap<Way> {
        let Some(bound) = self.bound(start, end, symbol) else { return BinaryHeap::new() };
        let has_unary = !self.grammar.unary_of(symbol).is_empty();
        let longest = if has_unary { self.longest_chain } else { 0 };
        (0..=longest).map(|steps| way(Edge::Steps(steps), 0.0, bound)).collect()
    }

    fn without_unary(&self, start: u32, end: u32, symbol: u32) -> BinaryHeap<Way> {
        let mut open = BinaryHeap::new();
        if end - start == 1 {
            let leaves = self.leaves[start as usize].iter().filter(|(leaf, _)| *leaf == symbol);
            open.extend(leaves.map(|(_, log_prob)| way(Edge::Leaf, *log_prob, 0.0)));
        }
        for split in self.chart.spans().splits(start as usize, end as usize) {
            let split = split as u32;
            for &number in self.grammar.binary_of(symbol) {
                let rule = &self.grammar.binary()[number as usize];
                let (left, right) = (rule.left, rule.right);
                if let Some(below) = self.bound(start, split, left)
                    && let Some(beside) = self.bound(split, end, right)
                {
                    let edge = Edge::Binary { split, left, right };
                    open.push(way(edge, rule.log_prob, below + beside));
                }
            }
        }
        open
    }

    fn unary(&self, start: u32, end: u32, symbol: u32) -> BinaryHeap<Way> {
        let ways = self.grammar.unary_of(symbol).iter().filter_map(|&number| {
            let rule = &self.grammar.unary()[number as usize];
            let below = self.bound(start, end, rule.child)?;
            Some(way(Edge::Unary { child: rule.child }, rule.log_prob, below))
        });
        ways.collect()
    }
}

/// A way over the best derivations of the children.
fn way(edge: Edge, rule: f64, below: f64) -> Way {
    Way { rule, log_prob: rule + below, is_exact: false, edge, ranks: (0, 0) }
}
