//! The best derivation, by CKY over lists of items.

use super::filter::Filter;
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
        let mut column = Column::new(n, grammar.symbols());
        for end in 1..=n {
            for start in (0..end).rev() {
                let Some(cell) = spans.cell(start, end).filter(|c| filter.is_open(*c)) else {
                    continue;
                };
                if end - start == 1 {
                    for &(symbol, log_prob) in &leaves[start] {
                        if filter.allows(cell, symbol) {
                            scratch.add(symbol, log_prob, Back::Leaf);
                        }
                    }
                }
                for split in spans.splits(start, end) {
                    let Some(rights) = column.get(split) else { continue };
                    for item in chart.cell(start, split) {
                        for rule in grammar.with_left(item.symbol) {
                            let log_prob =
                                item.log_prob + rights[rule.right as usize] + rule.log_prob;
                            if log_prob > scratch.best[rule.parent as usize]
                                && filter.allows(cell, rule.parent)
                            {
                                let (split, left, right) = (split as u32, rule.left, rule.right);
                                let back = Back::Binary { split, left, right };
                                scratch.add(rule.parent, log_prob, back);
                            }
                        }
                    }
                }
                scratch.close(grammar, |symbol| filter.allows(cell, symbol));
                let from = chart.items.len();
                scratch.take(&mut chart.items);
                chart.cells[cell] = from..chart.items.len();
                column.set(start, &chart.items[from..]);
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

/// Items that end where the column does, by where they start and by symbol.
struct Column {
    symbols: usize,
    /// Place in `rows` by start.
    places: Vec<Option<usize>>,
    /// Log-probabilities by symbol, and the symbols that have one.
    rows: Vec<(Vec<f64>, Vec<u32>)>,
    used: usize,
}

impl Column {
    fn new(length: usize, symbols: usize) -> Column {
        Column { symbols, places: vec![None; length], rows: Vec::new(), used: 0 }
    }

    fn get(&self, start: usize) -> Option<&[f64]> {
        Some(&self.rows[self.places[start]?].0)
    }

    fn set(&mut self, start: usize, items: &[Item]) {
        if items.is_empty() {
            return;
        }
        if self.used == self.rows.len() {
            self.rows.push((vec![f64::NEG_INFINITY; self.symbols], Vec::new()));
        }
        let (row, filled) = &mut self.rows[self.used];
        for item in items {
            row[item.symbol as usize] = item.log_prob;
            filled.push(item.symbol);
        }
        self.places[start] = Some(self.used);
        self.used += 1;
    }

    fn clear(&mut self) {
        for (row, filled) in &mut self.rows[..self.used] {
            for symbol in filled.drain(..) {
                row[symbol as usize] = f64::NEG_INFINITY;
            }
        }
        self.places.fill(None);
        self.used = 0;
    }
}

/// The cell that is being filled, by symbol.
struct Scratch {
    best: Vec<f64>,
    back: Vec<Back>,
    touched: Vec<u32>,
    queue: Vec<u32>,
}

impl Scratch {
    fn new(symbols: usize) -> Scratch {
        Scratch {
            best: vec![f64::NEG_INFINITY; symbols],
            back: vec![Back::Leaf; symbols],
            touched: Vec::new(),
            queue: Vec::new(),
        }
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
    fn close(&mut self, grammar: &Grammar, allows: impl Fn(u32) -> bool) {
        self.queue.clear();
        self.queue.extend(&self.touched);
        let mut next = 0;
        while next < self.queue.len() {
            let child = self.queue[next];
            next += 1;
            for rule in grammar.over(child) {
                let log_prob = self.best[child as usize] + rule.log_prob;
                if log_prob > self.best[rule.parent as usize]
                    && allows(rule.parent)
                    && self.add(rule.parent, log_prob, Back::Unary { child })
                {
                    self.queue.push(rule.parent);
                }
            }
        }
    }

    /// Moves the items to the end of a list, by symbol; the scratch is empty again.
    fn take(&mut self, items: &mut Vec<Item>) {
        self.touched.sort_unstable();
        for symbol in self.touched.drain(..) {
            let (log_prob, back) = (self.best[symbol as usize], self.back[symbol as usize]);
            items.push(Item { symbol, log_prob, back });
            self.best[symbol as usize] = f64::NEG_INFINITY;
        }
    }
}
