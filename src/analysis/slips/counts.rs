use super::sketch::{START, STOP, Sketch, SketchNode, Symbol};
use foldhash::fast::FixedState;
use std::collections::HashMap;
use std::hash::BuildHasher;

/// How often what follows what. Contexts and events are known by hashes of 64 bits.
#[derive(Default)]
pub struct Counts {
    contexts: HashMap<u64, Seen, FixedState>,
    /// By context and what came of it.
    events: HashMap<u64, u32, FixedState>,
}

/// What came of a context.
#[derive(Clone, Copy, Default)]
struct Seen {
    events: u32,
    /// Different ones.
    kinds: u32,
}

/// Where a child is generated: what it stands under, and the two children before it.
#[derive(Clone, Copy)]
pub struct Spot {
    pub label: Symbol,
    pub above: Symbol,
    pub before: [Symbol; 2],
}

impl Spot {
    /// Before the first child.
    pub fn first(label: Symbol, above: Symbol) -> Spot {
        Spot { label, above, before: [START; 2] }
    }

    pub fn then(self, child: Symbol) -> Spot {
        Spot { before: [self.before[1], child], ..self }
    }

    /// From the vaguest to the most exact.
    fn contexts(self) -> [u64; 4] {
        let Spot { label, above, before: [second, first] } = self;
        let hash = |key: (u8, Symbol, Symbol, Symbol, Symbol)| FixedState::default().hash_one(key);
        [
            hash((0, label, 0, 0, 0)),
            hash((1, label, first, 0, 0)),
            hash((2, label, first, second, 0)),
            hash((3, label, first, second, above)),
        ]
    }
}

/// The context of a tag before anything is known of its word.
const ANY: [u64; 1] = [u64::MAX];

fn event(context: u64, symbol: Symbol) -> u64 {
    FixedState::default().hash_one((context, symbol))
}

/// Tells all contexts and events of a tree.
fn each(sketch: &Sketch, mut take: impl FnMut(&[u64], Symbol)) {
    for (number, node) in sketch.nodes.iter().enumerate() {
        match &node.word {
            Some(looks) => {
                take(&ANY, node.symbol);
                take(looks, node.symbol);
            }
            None => {
                let mut spot = Spot::first(node.symbol, sketch.above(number));
                for child in sketch.child_symbols(number).chain([STOP]) {
                    take(&spot.contexts(), child);
                    spot = spot.then(child);
                }
            }
        }
    }
}

impl Counts {
    pub fn add(&mut self, sketch: &Sketch) {
        each(sketch, |contexts, symbol| {
            for &context in contexts {
                let count = self.events.entry(event(context, symbol)).or_default();
                *count += 1;
                let seen = self.contexts.entry(context).or_default();
                seen.events += 1;
                seen.kinds += u32::from(*count == 1);
            }
        });
    }

    fn event(&self, event: u64) -> u32 {
        self.events.get(&event).copied().unwrap_or(0)
    }
}

/// What all sentences but one have counted.
pub struct Rest<'a> {
    all: &'a Counts,
    /// Of that one. The kinds are those that no other sentence has.
    own: Counts,
    symbols: f64,
}

impl Rest<'_> {
    /// `symbols` is how many there are.
    pub fn without<'a>(all: &'a Counts, sketch: &Sketch, symbols: usize) -> Rest<'a> {
        let mut own = Counts::default();
        each(sketch, |contexts, symbol| {
            for &context in contexts {
                let key = event(context, symbol);
                let count = own.events.entry(key).or_default();
                *count += 1;
                let seen = own.contexts.entry(context).or_default();
                seen.events += 1;
                seen.kinds += u32::from(*count == all.event(key));
            }
        });
        Rest { all, own, symbols: symbols as f64 }
    }

    /// Interpolated from the vaguest context to the most exact (Witten & Bell 1991): as many as
    /// there are kinds are kept for what the vaguer one expects.
    fn probability(&self, contexts: &[u64], symbol: Symbol) -> f64 {
        let mut p = 1.0 / self.symbols;
        for &context in contexts {
            let Some(all) = self.all.contexts.get(&context) else { break };
            let own = self.own.contexts.get(&context).copied().unwrap_or_default();
            let events = all.events - own.events;
            if events == 0 {
                break;
            }
            let key = event(context, symbol);
            let count = f64::from(self.all.event(key) - self.own.event(key));
            let kinds = f64::from(all.kinds - own.kinds);
            p = (count + kinds * p) / (f64::from(events) + kinds);
        }
        p
    }

    /// ln P of a child, or of [`STOP`].
    pub fn child(&self, spot: Spot, child: Symbol) -> f64 {
        self.probability(&spot.contexts(), child).ln()
    }

    /// ln P of all children of a phrase; `None` when it falls below `least`.
    pub fn children(
        &self,
        mut spot: Spot,
        children: impl Iterator<Item = Symbol>,
        least: f64,
    ) -> Option<f64> {
        let mut sum = 0.0;
        for child in children.chain([STOP]) {
            sum += self.child(spot, child);
            if sum <= least {
                return None;
            }
            spot = spot.then(child);
        }
        Some(sum)
    }

    /// ln P(word | tag) but for a constant of the word: `ln P(tag | word) - ln P(tag)`.
    pub fn tagged(&self, looks: &[u64], tag: Symbol) -> f64 {
        self.probability(looks, tag).ln() - self.probability(&ANY, tag).ln()
    }

    /// ln P of each child of a phrase, and of [`STOP`].
    pub fn steps(&self, sketch: &Sketch, number: usize) -> Vec<f64> {
        let SketchNode { symbol, .. } = sketch.nodes[number];
        let mut spot = Spot::first(symbol, sketch.above(number));
        let step = |child: Symbol| {
            let step = self.child(spot, child);
            spot = spot.then(child);
            step
        };
        sketch.child_symbols(number).chain([STOP]).map(step).collect()
    }
}
