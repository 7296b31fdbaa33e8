//! The best derivation, by CKY over lists of items.

use super::{Derivation, Grammar, Leaves, Node};

/// How an item came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Back {
    Leaf,
    Unary { child: u32 },
    Binary { split: u32, left: u32, right: u32 },
}

/// A symbol over a span.
#[derive(Clone, Copy, Debug)]
struct Item {
    symbol: u32,
    log_prob: f64,
    back: Back,
}

/// The best derivation from one of `roots` (symbols with log-probabilities) of the symbols that
/// `allows(start, end, symbol)` lets stand over a span; `None` without one. Of equally good ones
/// the first found, which depends on the grammar and the sentence alone.
pub fn viterbi(
    grammar: &Grammar,
    leaves: &Leaves,
    roots: &[(u32, f64)],
    allows: impl Fn(usize, usize, u32) -> bool,
) -> Option<Derivation> {
    let n = leaves.len();
    let mut cells: Vec<Vec<Item>> = vec![Vec::new(); n * (n + 1)];
    let mut scratch = Scratch::new(grammar.symbols());
    // Items that end where the column does, by where they start and by symbol.
    let mut columns: Vec<Vec<f64>> = vec![vec![f64::NEG_INFINITY; grammar.symbols()]; n];
    for end in 1..=n {
        for start in (0..end).rev() {
            if end - start == 1 {
                for &(symbol, log_prob) in &leaves[start] {
                    if allows(start, end, symbol) {
                        scratch.add(symbol, log_prob, Back::Leaf);
                    }
                }
            }
            for split in start + 1..end {
                let column = &columns[split];
                if cells[split * (n + 1) + end].is_empty() {
                    continue;
                }
                for item in &cells[start * (n + 1) + split] {
                    for rule in grammar.with_left(item.symbol) {
                        let right = column[rule.right as usize];
                        let log_prob = item.log_prob + right + rule.log_prob;
                        if log_prob > scratch.best[rule.parent as usize]
                            && allows(start, end, rule.parent)
                        {
                            let (split, left, right) = (split as u32, rule.left, rule.right);
                            let back = Back::Binary { split, left, right };
                            scratch.add(rule.parent, log_prob, back);
                        }
                    }
                }
            }
            scratch.close(grammar, |symbol| allows(start, end, symbol));
            let cell = scratch.take();
            for item in &cell {
                columns[start][item.symbol as usize] = item.log_prob;
            }
            cells[start * (n + 1) + end] = cell;
        }
        for start in 0..end {
            for item in &cells[start * (n + 1) + end] {
                columns[start][item.symbol as usize] = f64::NEG_INFINITY;
            }
        }
    }
    let whole = cells.get(n)?;
    let mut best: Option<(u32, f64)> = None;
    for &(root, log_prob) in roots {
        if let Some(item) = find(whole, root) {
            let log_prob = log_prob + item.log_prob;
            if best.is_none_or(|(_, b)| log_prob > b) {
                best = Some((root, log_prob));
            }
        }
    }
    let (root, log_prob) = best?;
    Some(Derivation { nodes: nodes(&cells, n, root), log_prob })
}

fn find(cell: &[Item], symbol: u32) -> Option<&Item> {
    Some(&cell[cell.binary_search_by_key(&symbol, |item| item.symbol).ok()?])
}

/// Walks the way back from the root.
fn nodes(cells: &[Vec<Item>], n: usize, root: u32) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(3 * n);
    let mut open = vec![(0u32, n as u32, root)];
    while let Some((start, end, symbol)) = open.pop() {
        let cell = &cells[start as usize * (n + 1) + end as usize];
        let item = find(cell, symbol).expect("the way back leads over items");
        let children = match item.back {
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

    /// The items by symbol; the scratch is empty again.
    fn take(&mut self) -> Vec<Item> {
        self.touched.sort_unstable();
        let items = self.touched.iter().map(|&symbol| Item {
            symbol,
            log_prob: self.best[symbol as usize],
            back: self.back[symbol as usize],
        });
        let items = items.collect();
        for &symbol in &self.touched {
            self.best[symbol as usize] = f64::NEG_INFINITY;
        }
        self.touched.clear();
        items
    }
}
