/// A -> B C with its log-probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BinaryRule {
    pub parent: u32,
    pub left: u32,
    pub right: u32,
    pub log_prob: f64,
}

/// A -> B with its log-probability.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnaryRule {
    pub parent: u32,
    pub child: u32,
    pub log_prob: f64,
}

/// Rules, found by their left or only child.
#[derive(Clone, Debug)]
pub struct Grammar {
    symbols: usize,
    /// By left child, then right child.
    binary: Vec<BinaryRule>,
    binary_starts: Vec<u32>,
    /// By child.
    unary: Vec<UnaryRule>,
    unary_starts: Vec<u32>,
}

impl Grammar {
    /// Symbols are numbered from 0 to `symbols`, which every rule keeps to; no log-probability is
    /// above 0, and those of -infinity are left out.
    pub fn new(symbols: usize, mut binary: Vec<BinaryRule>, mut unary: Vec<UnaryRule>) -> Grammar {
        binary.retain(|r| r.log_prob > f64::NEG_INFINITY);
        unary.retain(|r| r.log_prob > f64::NEG_INFINITY);
        let known = |s: u32| (s as usize) < symbols;
        assert!(
            binary.iter().all(|r| known(r.parent) && known(r.left) && known(r.right))
                && unary.iter().all(|r| known(r.parent) && known(r.child)),
            "rules keep to the symbols"
        );
        binary.sort_unstable_by_key(|r| (r.left, r.right, r.parent));
        unary.sort_unstable_by_key(|r| (r.child, r.parent));
        let binary_starts = starts(symbols, binary.iter().map(|r| r.left));
        let unary_starts = starts(symbols, unary.iter().map(|r| r.child));
        Grammar { symbols, binary, binary_starts, unary, unary_starts }
    }

    pub fn symbols(&self) -> usize {
        self.symbols
    }

    /// All rules with two children.
    pub fn binary(&self) -> &[BinaryRule] {
        &self.binary
    }

    /// All rules with one child.
    pub fn unary(&self) -> &[UnaryRule] {
        &self.unary
    }

    /// The rules whose left child this is, by their right child.
    pub fn with_left(&self, left: u32) -> &[BinaryRule] {
        let at = left as usize;
        &self.binary[self.binary_starts[at] as usize..self.binary_starts[at + 1] as usize]
    }

    /// The rules whose only child this is.
    pub fn over(&self, child: u32) -> &[UnaryRule] {
        let at = child as usize;
        &self.unary[self.unary_starts[at] as usize..self.unary_starts[at + 1] as usize]
    }
}

/// Where the rules of every symbol begin in a list sorted by it.
fn starts(symbols: usize, of: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0; symbols + 1];
    for symbol in of {
        starts[symbol as usize + 1] += 1;
    }
    for i in 0..symbols {
        starts[i + 1] += starts[i];
    }
    starts
}
