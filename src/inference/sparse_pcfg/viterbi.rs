//! The best derivation, by CKY over lists of items.

use super::filter::Filter;
use super::pairs::Pairs;
use super::{Derivation, Grammar, Leaves, Node, Spans};
use std::ops::Range;

/// How an item came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Back {
    Leaf,
    Unary { child: u32 },
    Binary { split: u32, left: u32, right: u32 },
}

/// A symbol over a span.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    pub symbol: u32,
    /// Of its best derivation, nats.
    pub log_prob: f64,
    back: Back,
}

/// All items of a sentence with their best derivations.
#[derive(Clone, Debug)]
pub struct Chart {
    spans: Spans,
    /// Items of all cells, each cell's by symbol.
    items: Vec<Item>,
    cells: Vec<Range<usize>>,
}

impl Chart {
    /// Fills the chart as far as `filter` lets it. Of equally good derivations an item keeps the
    /// first found, which depends on the grammar and the sentence alone.
    pub fn new(grammar: &Grammar, leaves: &Leaves, spans: Spans, filter: &impl Filter) -> Chart {
        let n = leaves.len();
        let mut chart = Chart { spans, items: Vec::new(), cells: vec![0..0; spans.cells()] };
        let mut scratch = Scratch::new(grammar.symbols());
        let pairs = grammar.pairs();
        let mut column = Column::new(n, pairs);
        for end in 1..=n {
            for start in (0..end).rev() {
                let Some(cell) = spans.cell(start, end).filter(|c| filter.is_open(*c)) else {
                    continue;
                };
                scratch.open(|open| filter.each(cell, grammar.symbols(), open));
                if end - start == 1 {
                    for &(symbol, log_prob) in &leaves[start] {
                        scratch.add(symbol, log_prob, Back::Leaf);
                    }
                }
                for split in spans.splits(start, end) {
                    let Some((set, rights)) = column.get(split) else { continue };
                    for item in chart.cell(start, split) {
                        pairs.each(item.symbol, set, |right, rules| {
                            let both = item.log_prob + rights[right as usize];
                            for rule in rules {
                                let log_prob = both + rule.log_prob;
                                if scratch.wants(rule.parent, log_prob) {
                                    let (left, right) = (item.symbol, pairs.right_child(right));
                                    let back = Back::Binary { split: split as u32, left, right };
                                    scratch.add(rule.parent, log_prob, back);
                                }
                            }
                        });
                    }
                }
                scratch.close(grammar);
                let from = chart.items.len();
                scratch.take(&mut chart.items);
                chart.cells[cell] = from..chart.items.len();
                column.set(start, pairs, &chart.items[from..]);
            }
            column.clear();
        }
        chart
    }

    /// The items over a span, by symbol.
    pub fn cell(&self, start: usize, end: usize) -> &[Item] {
        match self.spans.cell(start, end) {
            Some(cell) => &self.items[self.cells[cell].clone()],
            None => &[],
        }
    }

    /// The item of a symbol over a span.
    pub(super) fn item(&self, start: usize, end: usize, symbol: u32) -> Option<&Item> {
        let cell = self.cell(start, end);
        Some(&cell[cell.binary_search_by_key(&symbol, |item| item.symbol).ok()?])
    }

    pub(super) fn spans(&self) -> Spans {
        self.spans
    }

    /// The best derivation from one of `roots` (symbols with log-probabilities).
    pub fn best(&self, roots: &[(u32, f64)]) -> Option<Derivation> {
        self.spans.whole()?;
        let n = self.spans.length();
        let mut best: Option<(u32, f64)> = None;
        for &(root, log_prob) in roots {
            if let Some(item) = self.item(0, n, root) {
                let log_prob = log_prob + item.log_prob;
                if log_prob > best.map_or(f64::NEG_INFINITY, |(_, b)| b) {
                    best = Some((root, log_prob));
                }
            }
        }
        let (root, log_prob) = best?;
        Some(Derivation { nodes: self.nodes(0, n, root), log_prob })
    }

    /// The nodes of the best derivation of an item of the chart.
    pub fn nodes(&self, start: usize, end: usize, symbol: u32) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(3 * (end - start));
        let mut open = vec![(start as u32, end as u32, symbol)];
        while let Some((start, end, symbol)) = open.pop() {
            let item = self.item(start as usize, end as usize, symbol);
            let children = match item.expect("the way back leads over items").back {
                Back::Leaf => 0,
                Back::Unary { child } => {
                    open.push((start, end, child));
                    1
                }
                Back::Binary { split, left, right } => {
                    open.push((split, end, right));
                    open.push((start, split, left));
                    2
                }
            };
            nodes.push(Node { symbol, start, end, children });
        }
        nodes
    }
}

/// Items that end where the column does and may be right children, by where they start.
struct Column {
    /// Number of right children.
    rights: usize,
    /// 64-bit words of a set of them.
    words: usize,
    /// Place of the row by start.
    places: Vec<Option<usize>>,
    /// Sets of right children by row, and the log-probabilities of what is in them.
    sets: Vec<u64>,
    values: Vec<f64>,
    used: usize,
}

impl Column {
    fn new(length: usize, pairs: &Pairs) -> Column {
        let (rights, words) = (pairs.rights(), pairs.words());
        let (sets, values) = (Vec::new(), Vec::new());
        Column { rights, words, places: vec![None; length], sets, values, used: 0 }
    }

    #[inline(always)]
    fn get(&self, start: usize) -> Option<(&[u64], &[f64])> {
        let row = self.places[start]?;
        let set = &self.sets[row * self.words..][..self.words];
        Some((set, &self.values[row * self.rights..][..self.rights]))
    }

    fn set(&mut self, start: usize, pairs: &Pairs, items: &[Item]) {
        let row = self.used;
        for item in items {
            let Some(number) = pairs.right(item.symbol) else { continue };
            if self.used == row {
                self.used += 1;
                self.places[start] = Some(row);
                let len = self.used * self.words;
                self.sets.resize(len, 0);
                // What values are there from before, no set holds.
                let len = self.values.len().max(self.used * self.rights);
                self.values.resize(len, f64::NEG_INFINITY);
            }
            self.sets[row * self.words + number as usize / 64] |= 1 << (number % 64);
            self.values[row * self.rights + number as usize] = item.log_prob;
        }
    }

    fn clear(&mut self) {
        self.places.fill(None);
        self.sets.clear();
        self.used = 0;
    }
}

/// The cell that is being filled, by symbol.
struct Scratch {
    /// Infinity where a symbol may not stand, so that nothing is better.
    best: Vec<f64>,
    back: Vec<Back>,
    open: Vec<u32>,
    touched: Vec<u32>,
    queue: Vec<u32>,
}

impl Scratch {
    fn new(symbols: usize) -> Scratch {
        Scratch {
            best: vec![f64::INFINITY; symbols],
            back: vec![Back::Leaf; symbols],
            open: Vec::new(),
            touched: Vec::new(),
            queue: Vec::new(),
        }
    }

    /// Begins a cell; `each` shows the symbols that may stand there.
    fn open(&mut self, each: impl FnOnce(&mut dyn FnMut(u32))) {
        let (best, open) = (&mut self.best, &mut self.open);
        each(&mut |symbol| {
            best[symbol as usize] = f64::NEG_INFINITY;
            open.push(symbol);
        });
    }

    /// Whether this is better than before.
    #[inline(always)]
    fn wants(&self, symbol: u32, log_prob: f64) -> bool {
        log_prob > self.best[symbol as usize]
    }

    /// Takes what is better than before; says whether it was.
    fn add(&mut self, symbol: u32, log_prob: f64, back: Back) -> bool {
        let best = &mut self.best[symbol as usize];
        if log_prob <= *best {
            return false;
        }
        if *best == f64::NEG_INFINITY {
            self.touched.push(symbol);
        }
        *best = log_prob;
        self.back[symbol as usize] = back;
        true
    }

    /// Applies unary rules until nothing gets better. As log-probabilities are never above 0, no
    /// way back runs in a circle.
    fn close(&mut self, grammar: &Grammar) {
        self.queue.clear();
        self.queue.extend(&self.touched);
        let mut next = 0;
        while next < self.queue.len() {
            let child = self.queue[next];
            next += 1;
            for rule in grammar.over(child) {
                let log_prob = self.best[child as usize] + rule.log_prob;
                if self.add(rule.parent, log_prob, Back::Unary { child }) {
                    self.queue.push(rule.parent);
                }
            }
        }
    }

    /// Ends a cell: moves its items to the end of a list, by symbol.
    fn take(&mut self, items: &mut Vec<Item>) {
        self.touched.sort_unstable();
        for symbol in self.touched.drain(..) {
            let (log_prob, back) = (self.best[symbol as usize], self.back[symbol as usize]);
            items.push(Item { symbol, log_prob, back });
        }
        for symbol in self.open.drain(..) {
            self.best[symbol as usize] = f64::INFINITY;
        }
    }
}
