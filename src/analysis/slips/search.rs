use super::counts::{Rest, Spot};
use super::sketch::{Choices, Names, Sketch, SketchNode, Symbol};
use super::{Change, Slip};
use crate::treebank::Tree;

/// A change that gains less is none, in nats.
const LEAST: f64 = -30.0;

/// Children that a new bracket is put around, at most.
const WIDEST: usize = 8;

/// Goes through the changes of one tree. Every ln P is at most 0, so that a change is given up as
/// soon as what it has lost cannot be made good any more.
pub struct Search<'a> {
    sketch: &'a Sketch,
    rest: &'a Rest<'a>,
    choices: &'a Choices,
    /// ln P of every child and of the end, by phrase.
    steps: Vec<Vec<f64>>,
    /// Their sums.
    own: Vec<f64>,
    best: Option<Found>,
}

/// The best change so far.
#[derive(Clone, Copy)]
pub struct Found {
    gain: f64,
    node: usize,
    edit: Edit,
}

#[derive(Clone, Copy)]
enum Edit {
    Tag(Symbol),
    Label(Symbol),
    Remove,
    /// Around some children of the node.
    Add {
        label: Symbol,
        first: usize,
        last: usize,
    },
    /// Out of the phrase above.
    Raise,
    /// Into this phrase beside it.
    Lower(usize),
}

impl<'a> Search<'a> {
    pub fn of(sketch: &'a Sketch, rest: &'a Rest<'a>, choices: &'a Choices) -> Search<'a> {
        let steps: Vec<Vec<f64>> = (0..sketch.nodes.len())
            .map(|i| match sketch.nodes[i].word {
                Some(_) => Vec::new(),
                None => rest.steps(sketch, i),
            })
            .collect();
        let own = steps.iter().map(|steps| steps.iter().sum()).collect();
        Search { sketch, rest, choices, steps, own, best: None }
    }

    pub fn best(mut self) -> Option<Found> {
        for node in 1..self.sketch.nodes.len() {
            if self.sketch.nodes[node].word.is_some() {
                self.retag(node);
            } else {
                self.relabel(node);
                self.remove(node);
                self.raise(node);
                self.lower(node);
                self.add(node);
            }
        }
        self.best
    }

    /// What a change must gain more than.
    fn least(&self) -> f64 {
        self.best.map_or(LEAST, |best| best.gain)
    }

    fn take(&mut self, gain: f64, node: usize, edit: Edit) {
        if gain > self.least() {
            self.best = Some(Found { gain, node, edit });
        }
    }

    fn node(&self, node: usize) -> &'a SketchNode {
        &self.sketch.nodes[node]
    }

    /// The phrase above a node that is not the root.
    fn parent(&self, node: usize) -> usize {
        self.node(node).parent.unwrap_or(0)
    }

    /// What is gained where some children of a phrase are replaced; `None` if no more than `least`.
    fn replaced(
        &self,
        phrase: usize,
        at: usize,
        removed: usize,
        inserted: &[Symbol],
        least: f64,
    ) -> Option<f64> {
        let node = self.node(phrase);
        let steps = &self.steps[phrase];
        // A child depends on the two before it.
        let behind = at + removed;
        let end = (behind + 2).min(steps.len());
        let mut gain = -steps[at..end].iter().sum::<f64>();
        let mut spot = Spot::first(node.symbol, self.sketch.above(phrase));
        for &child in &node.children[at.saturating_sub(2)..at] {
            spot = spot.then(self.node(child).symbol);
        }
        let following = (behind..end).map(|place| match node.children.get(place) {
            Some(&child) => self.node(child).symbol,
            None => super::sketch::STOP,
        });
        for symbol in inserted.iter().copied().chain(following) {
            gain += self.rest.child(spot, symbol);
            if gain <= least {
                return None;
            }
            spot = spot.then(symbol);
        }
        Some(gain)
    }

    /// What is gained where a node stands under another label.
    fn under(&self, node: usize, above: Symbol) -> f64 {
        let SketchNode { symbol, word, .. } = self.node(node);
        if word.is_some() {
            return 0.0;
        }
        let children = self.sketch.child_symbols(node);
        let sum = self.rest.children(Spot::first(*symbol, above), children, f64::NEG_INFINITY);
        sum.unwrap_or(f64::NEG_INFINITY) - self.own[node]
    }

    /// What could at most be gained where nodes stand under another label.
    fn room(&self, nodes: &[usize]) -> f64 {
        -nodes.iter().map(|&node| self.own[node]).sum::<f64>()
    }

    fn retag(&mut self, node: usize) {
        let SketchNode { symbol, place, word, .. } = self.node(node);
        let Some(looks) = word else { return };
        let before = self.rest.tagged(looks, *symbol);
        for &tag in self.choices.tags.iter().filter(|tag| *tag != symbol) {
            let gain = self.rest.tagged(looks, tag) - before;
            let least = self.least() - gain;
            if let Some(more) = self.replaced(self.parent(node), *place, 1, &[tag], least) {
                self.take(gain + more, node, Edit::Tag(tag));
            }
        }
    }

    fn relabel(&mut self, node: usize) {
        let SketchNode { symbol, place, children, .. } = self.node(node);
        let parent = self.parent(node);
        let above = self.node(parent).symbol;
        let room = -self.own[node] + self.room(children);
        for &label in self.choices.labels.iter().filter(|label| *label != symbol) {
            let least = self.least() - room;
            let Some(gain) = self.replaced(parent, *place, 1, &[label], least) else { continue };
            let symbols = self.sketch.child_symbols(node);
            let spot = Spot::first(label, above);
            let Some(inside) = self.rest.children(spot, symbols, least - gain) else { continue };
            let below: f64 = children.iter().map(|&child| self.under(child, label)).sum();
            self.take(gain + inside - self.own[node] + below, node, Edit::Label(label));
        }
    }

    fn remove(&mut self, node: usize) {
        let SketchNode { place, children, .. } = self.node(node);
        let parent = self.parent(node);
        let symbols: Vec<Symbol> = self.sketch.child_symbols(node).collect();
        let least = self.least() + self.own[node] - self.room(children);
        if let Some(gain) = self.replaced(parent, *place, 1, &symbols, least) {
            let above = self.node(parent).symbol;
            let below: f64 = children.iter().map(|&child| self.under(child, above)).sum();
            self.take(gain - self.own[node] + below, node, Edit::Remove);
        }
    }

    /// The first or the last child leaves a phrase for the one above.
    fn raise(&mut self, node: usize) {
        let SketchNode { symbol, place, children, .. } = self.node(node);
        let [first, .., last] = children[..] else { return };
        let parent = self.parent(node);
        let above = self.node(parent).symbol;
        for (child, at, to) in [(first, 0, *place), (last, children.len() - 1, place + 1)] {
            if self.node(child).word.is_some() {
                continue;
            }
            let moved = self.node(child).symbol;
            let anything = f64::NEG_INFINITY;
            let below = self.under(child, above);
            let left = self.replaced(node, at, 1, &[], anything);
            let put = self.replaced(parent, to, 0, &[moved], anything);
            if let (Some(left), Some(put)) = (left, put) {
                self.take(left + put + below, child, Edit::Raise);
            }
            // What is left of an adjunction, (NP (NP a)), is no phrase of its own.
            if let [one, other] = children[..] {
                let stays = if child == one { other } else { one };
                if self.node(stays).symbol == *symbol {
                    let both = [one, other].map(|child| self.node(child).symbol);
                    if let Some(put) = self.replaced(parent, *place, 1, &both, anything) {
                        let below = below + self.under(stays, above);
                        self.take(put - self.own[node] + below, child, Edit::Raise);
                    }
                }
            }
        }
    }

    /// A phrase beside this one is taken into it.
    fn lower(&mut self, node: usize) {
        let SketchNode { symbol, place, children, .. } = self.node(node);
        let parent = self.parent(node);
        let sisters = &self.node(parent).children;
        if sisters.len() < 3 {
            return;
        }
        let next = sisters.get(place + 1).map(|&sister| (sister, *place, children.len()));
        let last = place.checked_sub(1).map(|before| (sisters[before], before, 0));
        for (sister, from, to) in next.into_iter().chain(last) {
            if self.node(sister).word.is_some() {
                continue;
            }
            let moved = self.node(sister).symbol;
            let anything = f64::NEG_INFINITY;
            let left = self.replaced(parent, from, 2, &[*symbol], anything);
            let put = self.replaced(node, to, 0, &[moved], anything);
            if let (Some(left), Some(put)) = (left, put) {
                self.take(left + put + self.under(sister, *symbol), sister, Edit::Lower(node));
            }
        }
    }

    /// A new bracket inside a phrase.
    fn add(&mut self, node: usize) {
        let SketchNode { symbol, children, .. } = self.node(node);
        let all: Vec<Symbol> = self.sketch.child_symbols(node).collect();
        for first in 0..all.len() {
            for last in first..all.len().min(first + WIDEST) {
                let inner = &children[first..=last];
                let room = self.room(inner);
                for &label in &self.choices.labels {
                    if inner.len() == all.len() && label == *symbol {
                        continue;
                    }
                    let least = self.least() - room;
                    let length = inner.len();
                    let put = self.replaced(node, first, length, &[label], least);
                    let Some(gain) = put else { continue };
                    let symbols = all[first..=last].iter().copied();
                    let spot = Spot::first(label, *symbol);
                    let inside = self.rest.children(spot, symbols, least - gain);
                    let Some(inside) = inside else { continue };
                    let below: f64 = inner.iter().map(|&child| self.under(child, label)).sum();
                    self.take(gain + inside + below, node, Edit::Add { label, first, last });
                }
            }
        }
    }
}

impl Found {
    /// In the words of the treebank.
    pub fn named(self, sketch: &Sketch, tree: &Tree, names: &Names) -> Slip {
        let extents = tree.extents();
        let of = |node: usize| names.name(sketch.nodes[node].symbol).clone();
        let parent = sketch.nodes[self.node].parent.unwrap_or(0);
        let mut span = extents[self.node];
        let change = match self.edit {
            Edit::Tag(to) => Change::Tag { from: of(self.node), to: names.name(to).clone() },
            Edit::Label(to) => Change::Label { from: of(self.node), to: names.name(to).clone() },
            Edit::Remove => Change::Remove { label: of(self.node) },
            Edit::Add { label, first, last } => {
                let children = &sketch.nodes[self.node].children;
                span = (extents[children[first]].0, extents[children[last]].1);
                Change::Add { label: names.name(label).clone() }
            }
            Edit::Raise => {
                let to = sketch.nodes[parent].parent.unwrap_or(0);
                Change::Move { label: of(self.node), from: of(parent), to: of(to) }
            }
            Edit::Lower(into) => {
                Change::Move { label: of(self.node), from: of(parent), to: of(into) }
            }
        };
        Slip { gain: self.gain, change, span }
    }
}
